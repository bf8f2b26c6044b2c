/* Redistribution, variant "moves": one cube dimension after the other.
 *
 * Method: in the phase of a dimension each node and its neighbour over it
 * exchange all entries whose target differs from where they are in that bit.
 * An entry travels as many links as its two addresses differ in bits; nobody
 * talks to others than neighbours.  The dimensions come in the cheapest of three
 * orders (phases_order.c).
 * Reference: Johnsson 1987, 3.3: theorems 3.1 (one axis, consecutive to cyclic and
 * back), 3.2 (both axes), 3.3 (under Gray code), lemma 3.4 (binary to Gray code).
 * Layout: any, with copies and on faces too.  Steps: at most d.
 * Words: up to half of a node's entries a step, where it stays balanced.
 * Memory: what is under way stands in the targets (phases_staging.c); one packing buffer,
 * a message each way and what the targets have no room for. */
#include "redistribute/phases.h"

static hyla_status create(const struct hy_variant *variant, const void *problem, void **state) {
  (void)variant;
  uint32_t order[HYLA_DIMS_MAX] = {0};
  int count = 0;
  struct hy_phases *phases = NULL;
  hyla_status status = hy_phases_begin(problem, &phases, order, &count);
  *state = phases;
  TRY(status);
  hy_phases_set(phases, order, (int)hy_max(1, count));
  return HYLA_OK;
}

const struct hy_variant hy_redistribute_moves = {
    .name = "moves",
    .reference = "johnsson-1987, section 3.3",
    .create = create,
    HY_PHASES_OPERATIONS,
};
