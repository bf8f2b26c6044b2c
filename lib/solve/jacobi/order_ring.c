/* The ordering of Brent and Luk: blocks go round a ring.
 *
 * Reference: Brent and Luk 1985, section 3; the round robin of chess tournaments.
 * Method: with the first blocks in a row and the second ones below, all but the very first move on
 * by one place: the upper ones to the right, the lower ones to the left.
 * Steps: 2 P - 1 on P nodes, any number; messages: two a step on most nodes.  Restriction: none. */
#include "solve/jacobi/jacobi.h"

const struct hy_jacobi_ordering hy_jacobi_ring = {.name = "ring"};
