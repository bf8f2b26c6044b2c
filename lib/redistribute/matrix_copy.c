/* hyla_matrix_copy: plans a redistribution, runs it and frees the plan. */
#include "redistribute/redistribute.h"

static bool same_range(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first == b->first && a->n == b->n && hy_axis_equal(a, b);
}

/* Are both the same entries, so that there is nothing to do? */
static bool same(const hyla_matrix *a, const hyla_matrix *b) {
  return a->storage == b->storage && same_range(&a->row, &b->row) && same_range(&a->col, &b->col);
}

static hyla_status check(hyla_cube *cube, const hyla_matrix *from, const hyla_matrix *to) {
  TRY(hy_matrix_check(cube, from, "from of hyla_matrix_copy"));
  TRY(hy_matrix_check(cube, to, "to of hyla_matrix_copy"));
  struct hy_base *base = &cube->base;
  CHECK(base, from->k == to->k, ARGUMENT,
        "hyla_matrix_copy: from type %s to type %s; hyla_matrix_convert does that", from->k->name,
        to->k->name);
  CHECK(base, from->row.n == to->row.n && from->col.n == to->col.n, ARGUMENT,
        "hyla_matrix_copy: from %lld x %lld to %lld x %lld", (long long)from->row.n,
        (long long)from->col.n, (long long)to->row.n, (long long)to->col.n);
  CHECK(base, same(from, to) || !hy_matrix_overlap(from, to), ARGUMENT,
        "hyla_matrix_copy: from and to overlap; copy through a third matrix");
  return HYLA_OK;
}

hyla_status hyla_matrix_copy(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check(cube, from, to);
  struct hy_direct *move = NULL;
  const hyla_transfer transfer = {HYLA_NONE, 1, from, to};
  if (mine == HYLA_OK) mine = hy_direct_create(cube, &transfer, 1, &move);
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, from), to);
  hyla_status status = hy_enter(cube, mine, fingerprint, "hyla_matrix_copy");
  if (status == HYLA_OK) status = hy_agree(cube, hy_direct_run(move));
  hy_direct_destroy(&move);
  return status;
}
