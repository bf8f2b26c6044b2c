/* Elimination with pivots on the diagonal, element by element: a pivot's row is rotated with the
 * rows below it (pipeline.h).
 *
 * On the pivot's rank column the row's first element makes the quotients.  Each quotient makes an
 * entry 0 and is stored in its place (local.h).  Each other element is rotated with the entries
 * below it as soon as it arrives, because all their quotients are there by then. */
#include "solve/papers/pipeline.h"

static char *element_of(const struct hy_elimination *e, const struct hy_pivot_step *l,
                        int64_t slot) {
  return l->elements + (size_t)slot * e->k->size;
}

/* Copies the pivot's quotients from A into the words to be sent. */
static void lend_quotients(const struct hy_elimination *e, const struct hy_pivot_step *l) {
  e->k->copy(HYLA_NONE, (int)l->at.factors, 1, 1, hy_at(e->a, l->at.row, l->at.col), (int)e->a->ld,
             l->factors, (int)hy_max(1, l->at.factors));
}

/* Rotates an element with the entries below. */
static void turn(const struct hy_elimination *e, const struct hy_pivot_step *l, int64_t slot) {
  const struct hy_kernels *k = e->k;
  const struct hy_pipeline *p = &e->pipeline;
  int rows = (int)l->at.factors;
  char *element = element_of(e, l, slot);
  if (rows == 0) return;
  char *below = hy_pivot_step_entry(e, l, l->at.row, slot);
  if (p->kind == HY_ROTATE && l->at.col_way == 0 && slot == 0) {
    k->annihilate(rows, element, below);
    lend_quotients(e, l);
  } else if (p->kind == HY_ROTATE_BACK) {
    k->rotate_back(rows, l->factors, element, below);
  } else {
    k->rotate(rows, l->factors, element, below);
  }
  hy_compute(e->cube, 6 * (int64_t)rows, k->size, k->complex_type);
}

/* Handles an element that has made `hops' hops. */
static void visit(struct hy_elimination *e, const struct hy_pivot_step *l,
                  const struct hy_row_path *path, int hops, bool turns, int64_t slot) {
  const struct hy_kernels *k = e->k;
  char *element = element_of(e, l, slot);
  if (hy_pivot_step_entry(e, l, 0, slot) == NULL) return;
  if (hops == 0)
    k->copy(HYLA_NONE, 1, 1, 1, hy_pivot_step_entry(e, l, l->at.row - 1, slot), 1, element, 1);
  if (turns) turn(e, l, slot);
  if (hops < path->hops) return;
  k->copy(HYLA_NONE, 1, 1, 1, element, 1, hy_pivot_step_entry(e, l, l->at.row - 1, slot), 1);
  if (e->pipeline.kind == HY_ROTATE && l->at.col_way == 0 && slot == 0)
    hy_pivot_judge(e, l->pivot, element);
}

/* Does this node's work for a pivot, `since' steps after its row left; true when the pivot is
 * finished. */
static bool pass(struct hy_elimination *e, const struct hy_pivot_step *l, int64_t since) {
  const struct hy_pipeline *p = &e->pipeline;
  const struct hy_row_path path = hy_row_path_of(p, l->pivot);
  int hops[2], offset = hy_row_path_offset(p, (uint32_t)e->cube->address, l->pivot);
  int visits = hy_row_path_visits(&path, offset, hops);
  int64_t wait = hy_row_path_wait(p, l->at.col_way, l->pivot);
  if (visits == 0) return true;
  int turning = path.back ? visits - 1 : 0;
  if (p->kind != HY_ROTATE && l->at.col_way == 0 && since == hops[turning]) lend_quotients(e, l);
  for (int i = 0; i < visits; i++) {
    int64_t slot = since - hops[i] - wait;
    if (slot >= 0 && slot < l->at.elements) visit(e, l, &path, hops[i], i == turning, slot);
  }
  return since > path.hops + wait + l->at.elements;
}

/* The last pivot does not travel, because no row is below it. */
static bool stay(struct hy_elimination *e, const struct hy_pivot_step *l) {
  bool here = l->at.col_way == 0 && l->at.row_way == 0;
  if (here && e->pipeline.kind == HY_ROTATE)
    hy_pivot_judge(e, l->pivot, hy_at(e->a, l->at.row - 1, l->at.col));
  return true;
}

void hy_rotate_rows_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x,
                       int64_t *oldest) {
  const struct hy_pipeline *p = &e->pipeline;
  for (int64_t i = *oldest; i < p->row.n; i++) {
    const struct hy_pivot_step l = hy_pivot_step_of(e, x, hy_pipeline_pivot(p, i));
    int64_t since = step - p->start[l.pivot] - hy_popcount(l.at.col_way);
    if (p->start[l.pivot] > step) return;
    if (since < 0) continue;
    bool done = l.pivot < hy_pipeline_sending(p) ? pass(e, &l, since) : stay(e, &l);
    if (done && i == *oldest) ++*oldest;
  }
}
