/* hyla_active_ranks: how many ranks before this one are active, and how many in all.
 *
 * Method: parallel prefix.  Each member keeps the number of active ranks in the subcube of the
 * dimensions crossed so far, and the number of those before it.  Over each dimension, from the
 * lowest, neighbours swap the first number.  All add the neighbour's number to the first; ranks
 * with a 1 in the dimension add it to both.
 * 4 ranks, all but rank 1 active: (before, all) is 0 1, 0 0, 0 1, 0 1; after dimension 0
 * it is 0 1, 1 1, 0 2, 1 2; after dimension 1 it is 0 3, 1 3, 1 3, 2 3.
 * Where all ranks take part, the guests' numbers follow the nodes'.  Each node counts its guest
 * beside itself, in a second prefix, and tells it.
 * Reference: Varvarigos 1992, 3.6.1, which allows 2 d exchanges.
 * Steps: d, of one number; of two where all ranks take part.
 * Memory: none. */
#include "collective/planned.h"

/* Counts over the members that agree with this one in the dimensions not yet crossed. */
struct prefix {
  int64_t before;
  int64_t all;
};

/* Exchanges counts with all members along one side of an array, or over one dimension: `digit' are
 * its bits. */
static hyla_status add_digit(hyla_cube *cube, uint32_t digit, int numbers, struct prefix p[2]) {
  const int64_t bytes = numbers * (int64_t)sizeof(int64_t), mine[] = {p[0].all, p[1].all};
  for (uint32_t way = 1; way < 1u << hy_popcount(digit); way++) {
    const int peer = cube->address ^ (int)hy_deposit(way, digit);
    int64_t other[] = {0, 0};
    if (!hy_has_node(cube, peer)) continue;
    TRY(hy_exchange(cube, peer, mine, bytes, other, bytes));
    for (int i = 0; i < numbers; i++) {
      if (peer < cube->address) p[i].before += other[i];
      p[i].all += other[i];
    }
  }
  return HYLA_OK;
}

/* p: this node's and its guest's; numbers: 1 or 2 of them. */
static hyla_status add_up(hyla_cube *cube, uint32_t dims, int numbers, struct prefix p[2]) {
  while (dims != 0) {
    const uint32_t digit = hy_sides_digit(&cube->sides, hy_lowest(dims));
    TRY(add_digit(cube, digit, numbers, p));
    dims &= ~digit;
  }
  return HYLA_OK;
}

/* *mine: this rank's. */
static hyla_status count(hyla_cube *cube, uint32_t apart, bool active, struct prefix *mine) {
  const bool all = cube->ranks.shapes.given;
  const int64_t own = active;
  struct prefix p[2] = {{0, own}, {0, 0}};
  if (all) TRY(hy_ask_guests(cube, &own, &p[1].all, sizeof own));
  if (cube->address >= 0) TRY(add_up(cube, hy_request_dims(cube, apart), all ? 2 : 1, p));
  const int64_t sum = p[0].all + p[1].all;
  struct prefix guest = {p[0].all + p[1].before, sum};
  if (all) TRY(hy_tell_guests(cube, &guest, sizeof guest));
  *mine = cube->address >= 0 ? (struct prefix){p[0].before, sum} : guest;
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, uint32_t apart, const int *before, const int *all) {
  struct hy_base *base = &cube->base;
  CHECK(base, before != NULL && all != NULL, ARGUMENT, "hyla_active_ranks: %s is NULL",
        before == NULL ? "before" : "all");
  CHECK(base, apart == 0 || !cube->ranks.shapes.given, ARGUMENT,
        "hyla_active_ranks: apart is 0x%x, but this cube's collectives take all %d ranks (option "
        "network), which have no subcubes; give 0",
        apart, cube->ranks.all);
  CHECK(base, (apart & ~hy_all_dims(cube)) == 0 && hy_sides_cut(&cube->sides, apart) == NULL,
        ARGUMENT, "hyla_active_ranks: apart is 0x%x; the cube has the dimensions of 0x%x", apart,
        hy_all_dims(cube));
  return hy_need_data(cube, "hyla_active_ranks");
}

hyla_status hyla_active_ranks(hyla_cube *cube, uint32_t apart, bool active, int *before, int *all) {
  if (cube == NULL) return HYLA_ARGUMENT;
  hyla_status mine = check(cube, apart, before, all);
  TRY(hy_enter(cube, mine, hy_fingerprint(0, &apart, sizeof apart), "hyla_active_ranks"));
  struct prefix p = {0, 0};
  hyla_status status = hy_agree(cube, count(cube, apart, active, &p));
  if (status != HYLA_OK) return status;
  const bool counts = hy_request_number(cube, apart) >= 0;
  *before = counts ? (int)p.before : -1;
  *all = counts ? (int)p.all : 0;
  return HYLA_OK;
}
