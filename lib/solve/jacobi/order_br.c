/* The ordering BR: a block moves along the binary-reflected Gray code.
 *
 * Reference: Mantharam and Eberlein 1993.
 * Method: the path of a phase is the code's transitions, 0 1 0 2 0 1 0 ...: half of all moves cross
 * dimension 0.  Steps: 2^(d+1) - 1; messages: one a step.  Restriction: a cube. */
#include "solve/jacobi/jacobi.h"

static void path(int e, uint8_t *link) {
  for (uint32_t i = 1; i < UINT32_C(1) << e; i++) link[i - 1] = (uint8_t)__builtin_ctz(i);
}

const struct hy_jacobi_ordering hy_jacobi_br = {.name = "br", .path = path};
