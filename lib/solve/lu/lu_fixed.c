/* LU whose bits, and pivots, depend neither on the number of ranks nor on the layout.
 *
 * Reference: Golub and Van Loan 2013, section 3.4, the blocked outer product form.
 * Layout: block columns of a fixed width, each whole on one rank (panels.h).
 * Method: lu.c, on one rank row.  The rank that holds a panel factors it alone, and sends it to all
 *   ranks.  Each rank swaps, solves for and updates its columns one block at a time, so the shape
 *   of a product does not depend on the number of blocks that a rank holds.  Right-hand sides are
 *   distributed likewise, and solved for as the panels pass.
 * Steps, words: a broadcast of each panel to all ranks, in a factorization and in each
 *   substitution.
 * Memory: three panels of m times the width; the diagonal blocks.
 * Restriction: none; an inverse is the solution for the identity. */
#include "solve/lu/lu.h"

static hyla_status substitute(struct hy_lu *lu, hyla_triangle triangle, hyla_operation op,
                              const hyla_matrix *x) {
  const struct hy_fixed system = {.cube = lu->cube,
                                  .k = lu->k,
                                  .t = lu->a,
                                  .array = lu->array,
                                  .tile = lu->problem->x_col.block,
                                  .side = HYLA_LEFT,
                                  .triangle = triangle,
                                  .op = op,
                                  .diagonal = triangle == HYLA_LOWER ? HYLA_UNIT_DIAGONAL
                                                                     : HYLA_ANY_DIAGONAL,
                                  .panels = &lu->panels};
  return hy_fixed_run(&system, x);
}

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  (void)op;
  if (lu->cube->address < 0) return HYLA_OK;
  if (!lu->rows_final) return hy_lu_forward_by_panels(lu, x);
  TRY(hy_lu_swap_all(lu, false, x));
  return substitute(lu, HYLA_LOWER, HYLA_NONE, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  (void)op;
  return lu->cube->address < 0 ? HYLA_OK : substitute(lu, HYLA_UPPER, HYLA_NONE, x);
}

static hyla_status solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  if (lu->cube->address < 0) return HYLA_OK;
  TRY(hy_lu_apply_later_swaps_factors(lu));
  TRY(substitute(lu, HYLA_UPPER, op, x));
  return substitute(lu, HYLA_LOWER, op, x);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_lu *lu = state;
  hy_fixed_explain(&lu->array, lu->problem->x_col.block, text);
  hy_lu_explain(state, text);
}

static const struct hy_lu_pivoting FIXED = {
    .substitutions = {.solve = {{.run = forward}, {.run = backward}},
                      .solve_transposed = {{.run = solve_transposed},
                                           {.run = hy_lu_finish_transposed}},
                      .apply_later_swaps = hy_lu_apply_later_swaps_to_copy,
                      .resume = hy_lu_resume},
    HY_LU_PARTIAL_PIVOTING,
    .fixed = true};

const struct hy_variant hy_lu_fixed = {
    .name = "fixed",
    .arrays = true,
    .reference = "golub-2013, section 3.4",
    .traits = &FIXED,
    .asked = HY_FIXED_ASKED,
    .fixed = true,
    HY_LU_OPERATIONS,
    .explain = explain,
};
