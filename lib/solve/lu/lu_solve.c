/* LU: systems with the factors.
 *
 * P A = L U, so A^-1 = U^-1 L^-1 P: right-hand sides that are not eliminated along with the matrix
 * go through the panels once more (lu.c).  If they are few, or later swaps are applied to L
 * (lu_later_swaps.c), substitution solves for them.
 *
 * op(A)^-1 = P^T op(L)^-1 op(U)^-1: two substitutions without swaps, after later swaps are applied
 * to L, for right-hand sides that lie along A's columns (triangle.h).  Once the solution lies along
 * A's rows, all swaps are undone, the last one first.  The two systems take memory at the first
 * use.
 */
#include "solve/lu/lu.h"

hyla_status hy_lu_forward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  (void)op;
  bool stationary = x->col.n <= HY_STATIONARY_NRHS;
  if (lu->cube->address < 0) return HYLA_OK;
  if (lu->rows_final) {
    TRY(hy_lu_swap_all(lu, false, x));
    return stationary ? hy_substitute_stationary(&lu->lower, x)
                      : hy_substitute_travelling(&lu->lower, x);
  }
  return stationary ? hy_substitute_stationary(&lu->lower, x) : hy_lu_forward_by_panels(lu, x);
}

hyla_status hy_lu_backward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  (void)op;
  if (lu->cube->address < 0) return HYLA_OK;
  return x->col.n <= HY_STATIONARY_NRHS ? hy_substitute_stationary(&lu->upper, x)
                                        : hy_substitute_travelling(&lu->upper, x);
}

hyla_status hy_lu_apply_later_swaps_to_copy(void *state, hyla_matrix *l) {
  struct hy_lu *lu = state;
  return lu->cube->address < 0 ? HYLA_OK : hy_lu_apply_later_swaps(lu, l);
}

/* ------------------------------------------------------ transposed systems -- */

/* Systems with op(U) and op(L); each run sets op. */
static hyla_status create_systems(struct hy_lu *lu) {
  struct hy_triangular form = {
      .block = lu->array.block, .triangle = HYLA_UPPER, .op = HYLA_TRANSPOSE};
  TRY(hy_alloc_for(&lu->cube->base, lu, 0, 1, &lu->opposite));
  TRY(hy_triangular_of_factors(lu->opposite, lu->problem, form, &lu->opposite_upper));
  form.triangle = HYLA_LOWER;
  form.diagonal = HYLA_UNIT_DIAGONAL;
  return hy_triangular_of_factors(lu->opposite, lu->problem, form, &lu->opposite_lower);
}

static hyla_status allocate_systems(struct hy_lu *lu) {
  TRY(hy_agree(lu->cube, create_systems(lu)));
  TRY(hy_triangular_allocate(&lu->opposite_upper, lu->a));
  return hy_triangular_allocate(&lu->opposite_lower, lu->a);
}

static hyla_status run(struct hy_lu *lu, hyla_operation op, const hyla_matrix *x) {
  if (lu->cube->address < 0) return HYLA_OK;
  TRY(hy_lu_apply_later_swaps_factors(lu));
  lu->opposite_upper.s.op = lu->opposite_lower.s.op = op;
  TRY(hy_triangular_run(&lu->opposite_upper, x));
  return hy_triangular_run(&lu->opposite_lower, x);
}

hyla_status hy_lu_solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  if (lu->opposite == NULL) {
    hyla_status status = allocate_systems(lu);
    if (status != HYLA_OK) hy_free(&lu->cube->base, &lu->opposite);
    TRY(status);
  }
  return hy_agree(lu->cube, run(lu, op, x));
}

hyla_status hy_lu_finish_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  (void)op;
  return lu->cube->address < 0 ? HYLA_OK : hy_lu_swap_all(lu, true, x);
}
