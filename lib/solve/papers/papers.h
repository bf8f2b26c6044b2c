/* Door of solve/papers: published algorithms beside those for everyday use: Johnsson's of 1987.
 * They are rows of the methods' families and of trsm's.
 *
 * elements  elimination with pivots on the diagonal, element by element (pipeline.h)
 * spans     triangular systems with identities on the diagonal (block_jacobi.h) */
#ifndef HY_SOLVE_PAPERS_H
#define HY_SOLVE_PAPERS_H 1

#include "solve/triangle/triangle.h"

/* Elements. */
extern const struct hy_variant hy_lu_on_diagonal, hy_qr_by_givens, hy_gauss_jordan_on_diagonal;

/* Spans. */
extern const struct hy_variant hy_trsm_span_tree, hy_trsm_span_gather;

#endif
