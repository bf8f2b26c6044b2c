/* hyla_matrix_copy: plans a redistribution, runs it and frees the plan. */
#include "redistribute/redistribute.h"

static bool same_range(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first == b->first && a->n == b->n && hy_axis_equal(a, b);
}

/* Are both the same entries, so that there is nothing to do? */
static bool same(const hyla_matrix *a, const hyla_matrix *b) {
  return a->storage == b->storage && same_range(&a->row, &b->row) && same_range(&a->col, &b->col);
}

hyla_status hyla_matrix_copy(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to) {
  const bool written = from == NULL || to == NULL || !same(from, to);
  const struct hy_call call = {.name = "hyla_matrix_copy",
                               .argument = {{"from", from, HYLA_NONE, "mn"},
                                            {"to", to, HYLA_NONE, "mn", written ? to : NULL}}};
  struct hy_direct *move = NULL;
  const hyla_transfer transfer = {HYLA_NONE, 1, from, to};
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK) mine = hy_direct_create(cube, &transfer, 1, &move);
  hyla_status status = hy_call_agree(cube, &call, mine);
  if (status == HYLA_OK) status = hy_agree(cube, hy_direct_run(move));
  hy_direct_destroy(&move);
  return status;
}
