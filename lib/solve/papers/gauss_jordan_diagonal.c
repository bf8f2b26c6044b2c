/* Gauss-Jordan with pivots on the diagonal, element by element: A^-1 in product form replaces A.
 * It serves matrices that need no other pivots, and readers who want to see the paper's elimination
 * run.
 *
 * Layout: element-cyclic on any 2^r x 2^c array, binary or Gray; any number of elements a node.
 * Method: A^-1 = J^(n-1) ... J^0.  J^j is the identity except for column j, which is stored in
 *   column j of A.  Pivot j goes down its rank column, and its row down all rank columns.  The
 *   factors made of its column, above the pivot and below, go along the rank rows.  A multiple of
 *   the row is added to all other rows.  Pivots follow each other as fast as the links allow
 *   (elimination.c).  Right-hand sides are eliminated with A as further columns, or are multiplied
 *   later (gauss_jordan_apply.c).
 * Reference: Johnsson 1987, section 6.1, where pivots follow after 3 steps; here after 2.
 * Example of J^0 for n = 2: A = [a b; c d] becomes J^0 A = [1 b/a; 0 d - cb/a], with 1/a and -c/a
 *   stored in column 0.  J^1 then makes column 1 of the identity.
 *
 * Steps: 2 (2^k - 1) + k for 2^k x 2^k elements on as many nodes, then c for the verdict.  Flops:
 * n^3, half of those of the inverse as a matrix.  Memory: elimination.c.  The factors grow with the
 * condition and with small pivots; hyla_factor_check measures the error. */
#include "solve/papers/gauss_jordan_diagonal.h"

static hyla_status run(void *state) {
  struct hy_diagonal_jordan *g = state;
  if (g->cube->address < 0) return HYLA_OK;
  TRY(hy_eliminate(&g->elimination, g->problem->rhs));
  const struct hy_pivot_failure *failure = &g->elimination.failure;
  g->problem->factors->pivot = failure->pivot;
  return hy_pivot_fails(&g->cube->base, (hyla_status)failure->status, failure->pivot);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_diagonal_jordan *g = state;
  const struct hy_pipeline *p = &g->elimination.pipeline;
  long long n = p->row.n;
  hy_text_add(text, "  %lld pivots go through in %lld steps, an element a message\n", n,
              (long long)p->steps);
  hy_pipeline_published(p, g->problem->nrhs, text);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .form = HY_INVERSE_PRODUCT,
    .solve = {{.run = hy_diagonal_jordan_apply}},
    .solve_transposed = {{.run = hy_diagonal_jordan_apply}}};

const struct hy_variant hy_gauss_jordan_on_diagonal = {
    .name = "diagonal",
    .reference = "johnsson-1987, section 6.1, corollary 6.1",
    .traits = &SUBSTITUTIONS,
    .asked = "only when asked for",
    .applies = hy_elimination_applies,
    .create = hy_diagonal_jordan_create,
    .allocate = hy_diagonal_jordan_allocate,
    .run = run,
    .explain = explain,
};
