/* Private to this room: triangular systems of small order with many right-hand sides, in the
 * instructions of a processor.
 *
 * BLAS solves these at a third of a product's speed (OpenBLAS 0.3.21, order 64).  Here right-hand
 * sides fill the lanes of vectors, and all that is read again stays in the cache. */
#ifndef HY_TRIANGLE_H
#define HY_TRIANGLE_H 1

#include "local/local.h"

/* Triangles of at most this order. */
enum { HY_TRIANGLE_MOST = 128 };
/* Right-hand sides that fill less of a vector are BLAS's. */
enum { HY_TRIANGLE_BYTES = 32 };

/* X M = alpha B, M upper triangular.  From the right M is op(T), from the left its transpose, and
 * the array has X and B transposed.  A lower M is one whose rows and columns are counted from the
 * end. */
struct hy_triangle {
  int order;
  const void *t;         /* M's entry (0, 0) */
  int64_t down, across;  /* entries from there to M's (1, 0) and (0, 1) */
  bool unit;             /* ones on the diagonal, which is not read */
  bool conjugate;        /* instead of T, B and X are conjugated */
  bool backward;         /* B's and X's columns are counted from the end, too */
  bool turned;           /* the array has their columns as rows */
  int sides;             /* rows of B and X */
  double _Complex alpha; /* as it is after B is conjugated */
  void *b;               /* the array; becomes X */
  int ld;
};

/* X op(T) = alpha B or op(T) X = alpha B; T of the order, X has `sides` right-hand sides.  size: of
 * an entry. */
struct hy_triangle hy_triangle_of(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                  hyla_diagonal diagonal, int order, int sides, size_t size,
                                  const void *t, int ldt);

/* false, and B as it was: a diagonal entry has no reciprocal among the normal numbers. */
typedef bool hy_triangle_solve(const struct hy_triangle *triangle);

/* By hyla_type, with fused operations on vectors of so many bytes, 32 or 64; NULL where this
 * processor has none.  What is best, NULL if none is. */
hy_triangle_solve *hy_triangle_solver(hyla_type type, int bytes);
hy_triangle_solve *hy_triangle_best(hyla_type type);

#endif
