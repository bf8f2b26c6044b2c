/* The common part of the bodies of fused.h, for one type, and the body itself.
 *   LANES   REALs of a vector; ROWS: entries of one
 *   get, put  load and store a whole vector, or its lanes in the mask */

enum { NAME(LANES) = sizeof(VECTOR) / sizeof(REAL), NAME(ROWS) = NAME(LANES) / PARTS };

static TARGET inline __attribute__((always_inline)) VECTOR NAME(get)(const REAL *x,
                                                                     const bool whole, MASK mask) {
  return whole ? V(loadu)(x) : PART_LOAD(mask, x);
}

static TARGET inline __attribute__((always_inline)) void NAME(put)(REAL *x, const bool whole,
                                                                   MASK mask, VECTOR a) {
  if (whole)
    V(storeu)(x, a);
  else
    PART_STORE(x, mask, a);
}

#include FUSED_BODY
