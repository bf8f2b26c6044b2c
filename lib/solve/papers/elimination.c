/* Elimination with pivots on the diagonal, element by element, in step with the words that arrive
 * (pipeline.h).  The words are used in elimination_add.c and elimination_rotate.c.
 *
 * Steps: pipeline.steps, messages of one word.
 * Memory: a node keeps all elements and factors that come to it, and their schedule: N^2 / 2
 *   divided by the rank columns, and by the rank rows; the factors are N^2 if rows above a pivot
 *   have some. */
#include "solve/papers/pipeline.h"

static char *word(const struct hy_elimination *e, int64_t w) {
  return e->words + (size_t)e->offsets[w] * e->k->size;
}

struct hy_pivot_step hy_pivot_step_of(const struct hy_elimination *e, const hyla_matrix *x,
                                      int64_t pivot) {
  const struct hy_pipeline *p = &e->pipeline;
  struct hy_pivot_step l = {
      .at = hy_pivot_place(p, (uint32_t)e->cube->address, pivot), .pivot = pivot, .x = x};
  if (hy_columns_travel(p)) l.own = e->a->local_cols - l.at.col;
  if (pivot < hy_pipeline_sending(p)) {
    l.elements = word(e, e->element_at[pivot]);
    l.factors = word(e, e->factor_at[pivot]);
  }
  return l;
}

char *hy_pivot_step_entry(const struct hy_elimination *e, const struct hy_pivot_step *l,
                          int64_t row, int64_t slot) {
  if (slot < l->own) return hy_at(e->a, row, l->at.col + slot);
  if (l->x == NULL || slot - l->own >= l->x->local_cols) return NULL;
  return hy_at(l->x, row, slot - l->own);
}

hyla_status hy_pivot_status(const struct hy_kernels *k, const void *pivot) {
  uint64_t key = k->search(1, pivot).key;
  if (key >= HY_KEY_INFINITY) return HYLA_NOT_FINITE;
  return key == 0 ? HYLA_SINGULAR : HYLA_OK;
}

/* A node judges pivots in the order in which it meets them. */
void hy_pivot_judge(struct hy_elimination *e, int64_t pivot, const void *value) {
  if (e->k->dry || e->failure.pivot != 0) return;
  hyla_status pivot_status = hy_pivot_status(e->k, value);
  if (pivot_status == HYLA_OK) return;
  e->failure = (struct hy_pivot_failure){.pivot = pivot + 1, .status = pivot_status};
}

static void first_failure(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_pivot_failure *mine = into;
  const struct hy_pivot_failure *theirs = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++)
    if (theirs[i].pivot != 0 && (mine[i].pivot == 0 || theirs[i].pivot < mine[i].pivot))
      mine[i] = theirs[i];
}

/* Right-hand sides that are not eliminated with A have no words. */
static void set_offsets(struct hy_elimination *e, const hyla_matrix *x) {
  const struct hy_pipeline *p = &e->pipeline;
  int64_t riding = x == NULL ? 0 : x->local_cols, next = p->rows_at, w = p->rows_at;
  for (int64_t i = 0; i < w; i++) e->offsets[i] = i;
  for (int64_t j = 0; j < hy_pipeline_sending(p); j++) {
    struct hy_pivot_place at = hy_pivot_place(p, (uint32_t)e->cube->address, j);
    int64_t there = riding + (hy_columns_travel(p) ? e->a->local_cols - at.col : 0);
    for (int64_t s = 0; s < at.elements; s++, w++) {
      e->offsets[w] = next;
      next += s < there;
    }
  }
  while (w <= p->words) e->offsets[w++] = next;
}

/* Sends and receives the packets of a step, from the i-th on; *i becomes the first packet of the
 * next step. */
static hyla_status travel(const struct hy_elimination *e, int64_t step, int64_t *i) {
  struct hy_schedule now = e->schedule;
  int64_t first = *i;
  const struct hy_run run = {.dims = (1u << e->cube->dims) - 1,
                             .blocks = {.offsets = e->offsets},
                             .size = e->k->size,
                             .data = e->words};
  while (*i < e->schedule.packet_count && e->schedule.packets[*i].step == step) ++*i;
  if (*i == first) return HYLA_OK;
  now.packets += first;
  now.packet_count = *i - first;
  return hy_schedule_run(e->cube, &now, &run);
}

hyla_status hy_eliminate(struct hy_elimination *e, const hyla_matrix *x) {
  const struct hy_pipeline *p = &e->pipeline;
  int64_t n = p->row.n, oldest = 0, packet = 0;
  e->failure = (struct hy_pivot_failure){0};
  set_offsets(e, x);
  if (hy_columns_travel(p)) hy_part(e->cube, "what comes before");
  for (int64_t step = 0; oldest < n || packet < e->schedule.packet_count; step++) {
    if (hy_rotates(p))
      hy_rotate_rows_at(e, step, x, &oldest);
    else
      hy_add_rows_at(e, step, x, &oldest);
    TRY(travel(e, step, &packet));
  }
  if (!hy_columns_travel(p)) return HYLA_OK; /* these kinds judge no pivot */
  hy_part(e->cube, "elimination");
  return hy_subcube_allreduce(&e->failures, &e->failure, 1, first_failure, NULL);
}
