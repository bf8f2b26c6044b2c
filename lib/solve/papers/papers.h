/* Door of solve/papers: published algorithms beside those for everyday use: Johnsson's of 1987.
 * They are rows of the methods' families and of trsm's.
 *
 * elements  elimination with pivots on the diagonal, element by element (pipeline.h)
 * spans     triangular systems with identities on the diagonal (block_jacobi.h)
 * products  block tridiagonal systems (tridiagonal_product.c) */
#ifndef HY_SOLVE_PAPERS_H
#define HY_SOLVE_PAPERS_H 1

#include "solve/triangle/triangle.h"

/* Elements. */
extern const struct hy_variant hy_lu_on_diagonal, hy_qr_by_givens, hy_gauss_jordan_on_diagonal;

/* Spans. */
extern const struct hy_variant hy_trsm_span_tree, hy_trsm_span_gather;

/* Block tridiagonal systems.  Block row i is L_i X_(i-1) + D_i X_i + U_i X_(i+1) = B_i; its blocks
 * are rows of three tall matrices and of B, with the same rows on the same ranks. */
struct hy_block_tridiagonal_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t order;                   /* of the blocks; the last one may be smaller */
  struct hy_axis row, col, across; /* rows of all; columns of the three; right-hand sides */
  int64_t *singular;               /* a run sets it to the first row whose pivot is exactly zero,
                                    * from 1; 0: there is none */
};
struct hy_block_tridiagonal_task {
  struct hy_block_tridiagonal_problem system;
  const hyla_matrix *below;
  hyla_matrix *diagonal, *above, *x; /* eliminated, D_i^-1 U_i, the solution */
};
extern const struct hy_variant hy_block_tridiagonal_product;

#endif
