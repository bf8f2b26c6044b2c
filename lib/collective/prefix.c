/* hyla_active_ranks: how many ranks before this one are active, and how many in all.
 *
 * Method: parallel prefix.  Each member keeps the number of active ranks in the subcube of the
 * dimensions crossed so far, and the number of those before it.  Over each dimension, from the
 * lowest, neighbours swap the first number.  All add the neighbour's number to the first; ranks
 * with a 1 in the dimension add it to both.
 * 4 ranks, all but rank 1 active: (before, all) is 0 1, 0 0, 0 1, 0 1; after dimension 0
 * it is 0 1, 1 1, 0 2, 1 2; after dimension 1 it is 0 3, 1 3, 1 3, 2 3.
 * Reference: Varvarigos 1992, 3.6.1, which allows 2 d exchanges.
 * Steps: d, of one number.
 * Memory: none. */
#include "collective/planned.h"

/* Counts over the members that agree with this one in the dimensions not yet crossed. */
struct prefix {
  int64_t before;
  int64_t all;
};

static hyla_status add_up(hyla_cube *cube, uint32_t dims, struct prefix *p) {
  for (int dim = 0; dim < cube->dims; dim++) {
    const int bit = 1 << dim;
    int64_t other = 0;
    if ((dims >> dim & 1u) == 0) continue;
    TRY(hy_exchange(cube, cube->address ^ bit, &p->all, sizeof p->all, &other, sizeof other));
    if ((cube->address & bit) != 0) p->before += other;
    p->all += other;
  }
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, uint32_t apart, const int *before, const int *all) {
  struct hy_base *base = &cube->base;
  CHECK(base, before != NULL && all != NULL, ARGUMENT, "hyla_active_ranks: %s is NULL",
        before == NULL ? "before" : "all");
  CHECK(base, apart < (uint32_t)cube->nodes, ARGUMENT,
        "hyla_active_ranks: apart is 0x%x; the cube has the dimensions of 0x%x", apart,
        (uint32_t)cube->nodes - 1);
  return hy_need_data(cube, "hyla_active_ranks");
}

hyla_status hyla_active_ranks(hyla_cube *cube, uint32_t apart, bool active, int *before, int *all) {
  if (cube == NULL) return HYLA_ARGUMENT;
  hyla_status mine = check(cube, apart, before, all);
  TRY(hy_enter(cube, mine, hy_fingerprint(0, &apart, sizeof apart), "hyla_active_ranks"));
  struct prefix p = {.before = 0, .all = active};
  hyla_status status = HYLA_OK;
  if (cube->address >= 0) status = add_up(cube, hy_request_dims(cube, apart), &p);
  status = hy_agree(cube, status);
  if (status != HYLA_OK) return status;
  *before = cube->address >= 0 ? (int)p.before : -1;
  *all = cube->address >= 0 ? (int)p.all : 0;
  return HYLA_OK;
}
