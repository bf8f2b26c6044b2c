/* The networks of all ranks on which collectives may run: the option `network'.
 *
 * For "all" there are, for each number of axes, the array and the torus of P nodes whose sides have
 * the smallest sum, so that ways are short.  Sides are from 2, the longest first. */
#include "cube/cube.h"

#include <string.h>

enum { AXES = HY_NETWORK_PORTS / 2 }; /* at most, with a port each way */

/* The best sides so far, and those that are tried now. */
struct search {
  uint32_t side[AXES], best[AXES + 1][AXES];
  int64_t sum[AXES + 1]; /* of the best ones, by their number of axes; 0: there are none */
};

/* Tries all ways to write `left' as a product of further sides, none above the last one. */
static void try_sides(struct search *s, int axes, uint32_t left, int64_t sum) {
  if (left == 1 && axes > 0 && (s->sum[axes] == 0 || sum < s->sum[axes])) {
    memcpy(s->best[axes], s->side, sizeof s->side);
    s->sum[axes] = sum;
  }
  if (axes == AXES) return;
  const uint32_t most = axes > 0 && s->side[axes - 1] < left ? s->side[axes - 1] : left;
  for (uint32_t side = 2; side <= most; side++) {
    if (left % side != 0) continue;
    s->side[axes] = side;
    try_sides(s, axes + 1, left / side, sum + side);
  }
}

static void add(struct hy_cube_shapes *shapes, enum hy_network_kind kind, int axes,
                const uint32_t *side) {
  struct hy_network *next = &shapes->network[shapes->count];
  shapes->count += hy_network_make(next, kind, axes, side, 0) == NULL;
}

/* An axis of side 2 has one link in either direction on a torus too. */
static bool wraps(int axes, const uint32_t *side) {
  for (int a = 0; a < axes; a++)
    if (side[a] > 2) return true;
  return false;
}

static hyla_status add_all(hyla_cube *cube, struct hy_cube_shapes *shapes) {
  struct search s = {.sum = {0}};
  shapes->cube = cube->sides.count == 0 && cube->ranks.all == cube->nodes;
  TRY(hy_alloc(&cube->base, 2 * AXES, sizeof *shapes->network, &shapes->network));
  try_sides(&s, 0, (uint32_t)cube->ranks.all, 0);
  for (int axes = 1; axes <= AXES; axes++) {
    if (s.sum[axes] == 0) continue;
    add(shapes, HY_ARRAY, axes, s.best[axes]);
    if (wraps(axes, s.best[axes])) add(shapes, HY_TORUS, axes, s.best[axes]);
  }
  return HYLA_OK;
}

static hyla_status add_named(hyla_cube *cube, const char *name, struct hy_cube_shapes *shapes) {
  struct hy_base *base = &cube->base;
  struct hy_network network;
  const char *wrong = hy_network_read(&network, name);
  CHECK(base, wrong == NULL, ARGUMENT, "the option network is \"%s\": %s", name, wrong);
  CHECK(base, hy_network_is_mesh(&network) || network.kind == HY_FOLDED || network.kind == HY_CUBE,
        ARGUMENT,
        "the option network is \"%s\": collectives run on lines, rings, arrays, tori, folded cubes "
        "and cubes; give one of these, or \"all\"",
        name);
  CHECK(base, network.nodes == (uint32_t)cube->ranks.all, ARGUMENT,
        "the option network is \"%s\", a network of %u nodes, but there are %d ranks; give one of "
        "%d nodes, or \"all\"",
        name, network.nodes, cube->ranks.all, cube->ranks.all);
  shapes->cube = network.kind == HY_CUBE;
  if (shapes->cube) return HYLA_OK;
  TRY(hy_alloc(base, 1, sizeof *shapes->network, &shapes->network));
  *shapes->network = network;
  shapes->count = 1;
  return HYLA_OK;
}

hyla_status hy_shapes_make(hyla_cube *cube, const char *option) {
  struct hy_cube_shapes *shapes = &cube->ranks.shapes;
  if (option == NULL || option[0] == '\0') return HYLA_OK;
  shapes->given = true;
  return strcmp(option, "all") == 0 ? add_all(cube, shapes) : add_named(cube, option, shapes);
}
