/* Elimination with pivots on the diagonal, element by element: multiples of a pivot's row are added
 * to other rows as its words arrive (pipeline.h).
 *
 * A node adds a multiple of a row's element to its own element as soon as factor and element have
 * arrived.  If rows above a pivot are eliminated too, the factors are those of A^-1 as a product:
 * minus the quotients, and 1 / pivot for the pivot's own row, which becomes that multiple of
 * itself.  For this, the pivot's row is set to 0 once its elements have left, with -1 in the
 * pivot's place, and is then treated like any other row. */
#include "solve/papers/pipeline.h"

/* A pivot's words, `slot' steps after its first element came. */
struct layer {
  struct hy_pivot_step is;
  int64_t slot;
};

/* Are rows above a pivot eliminated too? */
static bool everywhere(const struct hy_elimination *e) {
  return e->pipeline.kind == HY_ELIMINATE_ALL;
}

/* The local row of a factor: the rows behind the pivot come first, then those above. */
static int64_t row_of(const struct hy_elimination *e, const struct layer *l, int64_t slot) {
  int64_t row = l->is.at.row + slot;
  return row < e->a->local_rows ? row : row - e->a->local_rows;
}

/* On the pivot's rank row: sends an element. */
static void send_element(const struct hy_elimination *e, const struct layer *l) {
  const struct hy_kernels *k = e->k;
  char *from = hy_pivot_step_entry(e, &l->is, l->is.at.row - 1, l->slot);
  if (from == NULL) return;
  k->copy(HYLA_NONE, 1, 1, 1, from, 1, l->is.elements + (size_t)l->slot * k->size, 1);
  if (everywhere(e)) k->set(from, 0, l->slot == 0 && l->is.at.col_way == 0 ? -1 : 0);
}

/* On the pivot's rank column: sends a factor.  It is 0 for a pivot that fails, so that later steps
 * do no harm. */
static void send_factor(const struct hy_elimination *e, const struct layer *l) {
  const struct hy_kernels *k = e->k;
  char *entry = hy_at(e->a, row_of(e, l, l->slot), l->is.at.col);
  double _Complex pivot = k->get(l->is.elements, 0);
  if (hy_pivot_status(k, l->is.elements) == HYLA_OK)
    k->divide(1, everywhere(e) ? -pivot : pivot, entry, 1);
  else
    k->set(entry, 0, 0);
  k->copy(HYLA_NONE, 1, 1, 1, entry, 1, l->is.factors + (size_t)l->slot * k->size, 1);
  hy_compute(e->cube, 1, k->size, k->complex_type);
}

/* Adds multiples to a's columns, then to x's, in local rows from `row' on; factors: the first
 * factor. */
static void add_rows(const struct hy_elimination *e, const struct layer *l, int64_t row,
                     int64_t rows, const char *factors, int64_t slot, int64_t slots) {
  const struct hy_kernels *k = e->k;
  int64_t end = slot + slots, cut = hy_max(slot, hy_min(end, l->is.own));
  int64_t riding = l->is.x == NULL ? 0 : hy_min(end, l->is.own + l->is.x->local_cols) - cut;
  double sign = everywhere(e) ? 1 : -1;
  if (rows <= 0) return;
  if (cut > slot)
    k->ger((int)rows, (int)(cut - slot), sign, factors, 1, l->is.elements + (size_t)slot * k->size,
           1, hy_at(e->a, row, l->is.at.col + slot), (int)e->a->ld);
  if (riding > 0)
    k->ger((int)rows, (int)riding, sign, factors, 1, l->is.elements + (size_t)cut * k->size, 1,
           hy_at(l->is.x, row, cut - l->is.own), (int)l->is.x->ld);
  hy_compute(e->cube, 2 * rows * (cut - slot + hy_max(0, riding)), k->size, k->complex_type);
}

/* Adds multiples of elements (slots from `slot' on) by factors from `factor' on. */
static void add(const struct hy_elimination *e, const struct layer *l, int64_t factor,
                int64_t factors, int64_t slot, int64_t slots) {
  const char *first = l->is.factors + (size_t)factor * e->k->size;
  int64_t row = row_of(e, l, factor), before_end = hy_min(factors, e->a->local_rows - row);
  add_rows(e, l, row, before_end, first, slot, slots);
  add_rows(e, l, 0, factors - before_end, first + (size_t)hy_max(0, before_end) * e->k->size, slot,
           slots);
}

/* Multiplies the slot's new factor by all elements so far, and its new element by all earlier
 * factors. */
static void use_slot(const struct hy_elimination *e, const struct layer *l) {
  int64_t first = l->is.at.col_way == 0; /* the pivot's own column holds factors */
  if (l->slot < l->is.at.factors)
    add(e, l, l->slot, 1, first, hy_min(l->slot + 1, l->is.at.elements) - first);
  if (l->slot < l->is.at.elements && l->slot >= first)
    add(e, l, 0, hy_min(l->slot, l->is.at.factors), l->slot, 1);
}

static void use_layer(struct hy_elimination *e, const struct layer *l) {
  bool on_row = l->is.at.row_way == 0, on_column = l->is.at.col_way == 0;
  if (on_row && l->slot < l->is.at.elements) send_element(e, l);
  if (everywhere(e) && on_column && l->slot == 0) hy_pivot_judge(e, l->is.pivot, l->is.elements);
  if (on_column && l->slot < l->is.at.factors) send_factor(e, l);
  use_slot(e, l);
}

void hy_add_rows_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x, int64_t *oldest) {
  const struct hy_pipeline *p = &e->pipeline;
  for (int64_t j = *oldest; j < p->row.n && p->start[j] <= step; j++) {
    struct layer l = {.is = hy_pivot_step_of(e, x, j)};
    const struct hy_pivot_place *at = &l.is.at;
    l.slot = step - p->start[j] - hy_popcount(at->row_way) - hy_popcount(at->col_way);
    if (l.slot < 0) continue;
    if (!everywhere(e) && l.slot == 0 && at->row_way == 0 && at->col_way == 0)
      hy_pivot_judge(e, j, hy_at(e->a, at->row - 1, at->col));
    if (j < hy_pipeline_sending(p) && l.slot < hy_max(at->elements, at->factors))
      use_layer(e, &l);
    else if (j == *oldest)
      ++*oldest;
  }
}
