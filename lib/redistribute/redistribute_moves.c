/* Redistribution, variant "moves": one cube dimension after the other.
 *
 * Method: in the phase of a dimension each node exchanges with its neighbour over that dimension
 * all entries whose present address and target differ in that bit.  An entry travels as many links
 * as its two addresses differ in bits, and only neighbours exchange messages.  The order of the
 * dimensions is the cheapest of three (phases_order.c); phases.h has an example on 4 nodes.
 * Reference: Johnsson 1987, 3.3: theorems 3.1 (one axis, consecutive to cyclic and back), 3.2 (both
 * axes), 3.3 (under Gray code), lemma 3.4 (binary to Gray code).
 * Layout: any, with copies and on faces too.  Steps: at most d.
 * Words: up to half of a node's entries a step, as long as the nodes stay balanced.
 * Memory: entries between phases are in the targets (phases_run.c).  One packing buffer holds a
 * message each way and the entries that do not fit into the targets. */
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
