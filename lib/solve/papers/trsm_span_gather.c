/* Triangular systems by products; the triangle's diagonal blocks are made identities first.
 *
 * Reference: Johnsson 1987, section 6.4.3, theorem 6.5, and the transposed form.
 * Layout: the triangle block-cyclic on any array, the right-hand sides along it (triangle.h).
 * Method (block_jacobi_product.c, with an example on 4 nodes): as many blocks as the longer side of
 *   the array has ranks are known at once.  Their contribution to all later rows is one product,
 *   and its sums stay in place.
 * Steps, words: c + r for each block of a span, to make the identities; then two all-gathers a
 *   span, of its block column along the rank rows and of its rows of X down the rank columns.
 * Memory: a copy of the triangle; a span's block column, twice its rows of X.
 * Restriction: none.  The residual is that of trsm_span_tree.c. */
#include "solve/papers/block_jacobi.h"

const struct hy_variant hy_trsm_span_gather = {
    .name = "product",
    .reference = "johnsson-1987, section 6.4.3, theorem 6.5",
    .asked = HY_TRSM_SPAN_ASKED,
    .traits = &(const struct hy_trsm_traits){.product = true},
    HY_TRSM_SPAN_OPERATIONS,
};
