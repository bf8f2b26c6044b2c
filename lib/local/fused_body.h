/* The common part of the bodies of fused.h, for one type, and the body itself.
 *   ENTRY   an entry of a matrix
 *   PARTS   REALs of an entry
 *   LANES   REALs of a vector; ROWS: entries of one
 *   get, put  load and store a whole vector, or its lanes in the mask */

#if COMPLEX_TYPE
#define ENTRY REAL _Complex
#else
#define ENTRY REAL
#endif

enum {
  NAME(PARTS) = 1 + COMPLEX_TYPE,
  NAME(LANES) = sizeof(VECTOR) / sizeof(REAL),
  NAME(ROWS) = NAME(LANES) / NAME(PARTS)
};

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

#undef ENTRY
#undef COMPLEX_TYPE
#undef TYPE
#undef NAME
