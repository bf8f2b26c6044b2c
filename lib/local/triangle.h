/* Private to this room: triangular systems of small order with many right-hand sides, in the
 * instructions of a processor.
 *
 * BLAS solves them at a third of a product's speed (OpenBLAS 0.3.21, order 64).  Here right-hand
 * sides fill the lanes of vectors, and all data that are read again stay in the cache. */
#ifndef HY_TRIANGLE_H
#define HY_TRIANGLE_H 1

#include "local/local.h"

/* The largest order of a triangle. */
enum { HY_TRIANGLE_MOST = 128 };
/* Right-hand sides that fill fewer bytes of a vector are left to BLAS. */
enum { HY_TRIANGLE_BYTES = 32 };

/* X M = alpha B, M upper triangular.  From the right M is op(T).  From the left M is the transpose
 * of op(T), and the array holds X and B transposed.  A lower M becomes upper by counting its rows
 * and columns from the end. */
struct hy_triangle {
  int order;
  const void *t;         /* entry (0, 0) of M */
  int64_t down, across;  /* entries from there to (1, 0) and (0, 1) of M */
  bool unit;             /* the diagonal holds ones and is not read */
  bool conjugate;        /* B and X are conjugated instead of T */
  bool backward;         /* the columns of B and X are counted from the end too */
  bool transposed;       /* the array holds the columns of B and X as rows */
  int nrhs;              /* rows of B and X */
  double _Complex alpha; /* multiplies B after its conjugation */
  void *b;               /* the array; becomes X */
  int ld;
};

/* X op(T) = alpha B or op(T) X = alpha B; T has the order `order', X has `nrhs' right-hand sides,
 * entries have `size' bytes. */
struct hy_triangle hy_triangle_of(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                  hyla_diagonal diagonal, int order, int nrhs, size_t size,
                                  const void *t, int ldt);

/* Returns false, with B unchanged, if the reciprocal of some diagonal entry is no normal number. */
typedef bool hy_triangle_solve(const struct hy_triangle *triangle);

/* The solver for a hyla_type with fused operations on vectors of `bytes' bytes, 32 or 64; NULL if
 * this processor lacks them.  best: the fastest solver, or NULL. */
hy_triangle_solve *hy_triangle_solver(hyla_type type, int bytes);
hy_triangle_solve *hy_triangle_best(hyla_type type);

#endif
