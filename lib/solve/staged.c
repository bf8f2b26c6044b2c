/* What the solve layer keeps of a redistribution, and a sum. */
#include "solve/solve.h"

static bool same_axis(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first == b->first && a->total == b->total && hy_axis_equal(a, b);
}

/* All that a planned redistribution depends on. */
static bool same_shape(const struct hyla_matrix *a, const struct hyla_matrix *b) {
  return a->k == b->k && same_axis(&a->row, &b->row) && same_axis(&a->col, &b->col) &&
         a->layout.rest == b->layout.rest && (a->window == NULL) == (b->window == NULL);
}

hyla_status hy_staged_run(struct hy_staged *kept, const hyla_matrix *from, hyla_matrix *to) {
  hyla_cube *cube = from->cube;
  if (hy_axis_equal(&from->row, &to->row) && hy_axis_equal(&from->col, &to->col)) {
    from->k->copy(HYLA_NONE, (int)from->local_rows, (int)from->local_cols, 1, from->local,
                  (int)from->ld, to->local, (int)to->ld);
    return HYLA_OK;
  }
  bool planned = kept->move != NULL && same_shape(&kept->from, from) && same_shape(&kept->to, to);
  if (!planned) hy_direct_destroy(&kept->move);
  kept->from = *from;
  kept->to = *to;
  const hyla_transfer transfer = {HYLA_NONE, 1, &kept->from, &kept->to};
  if (!planned) TRY(hy_agree(cube, hy_direct_create(cube, &transfer, 1, &kept->move)));
  return hy_agree(cube, hy_direct_run(kept->move));
}

void hy_staged_destroy(struct hy_staged *kept) { hy_direct_destroy(&kept->move); }

void hy_solve_sum(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  enum { AT_ONCE = 1 << 30 };
  for (int64_t i = 0; i < count; i += AT_ONCE) {
    int n = (int)hy_min(AT_ONCE, count - i);
    size_t at = (size_t)i * k->size;
    k->add(n, 1, (const char *)from + at, n, (char *)into + at, n);
  }
}
