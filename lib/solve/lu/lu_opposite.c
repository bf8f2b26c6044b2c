/* LU: systems with the transposed or conjugated matrix from the factors of A.
 *
 * P A = L U, so op(A)^-1 = P^T op(L)^-1 op(U)^-1: two substitutions without swaps, with L settled
 * (lu_settle.c), of right-hand sides that lie along A's columns (triangle.h), and all swaps
 * undone, the last one first, once the solution lies along A's rows again.  What the two take is
 * taken when they are first wanted. */
#include "solve/lu/lu.h"

/* op(U) and op(L); op is set for each run. */
static hyla_status create_systems(struct hy_lu *lu) {
  struct hy_triangular form = {
      .block = lu->array.block, .triangle = HYLA_UPPER, .op = HYLA_TRANSPOSE};
  TRY(hy_triangular_of_factors(lu->problem, form, &lu->opposite_upper));
  form.triangle = HYLA_LOWER;
  form.diagonal = HYLA_UNIT_DIAGONAL;
  return hy_triangular_of_factors(lu->problem, form, &lu->opposite_lower);
}

static hyla_status take_systems(struct hy_lu *lu) {
  TRY(hy_agree(lu->cube, create_systems(lu)));
  TRY(hy_triangular_take(&lu->opposite_upper, lu->a));
  return hy_triangular_take(&lu->opposite_lower, lu->a);
}

void hy_lu_free_opposite(struct hy_lu *lu) {
  hy_triangular_free(&lu->opposite_lower);
  hy_triangular_free(&lu->opposite_upper);
  lu->opposite_lower = lu->opposite_upper =
      (struct hy_triangular_system){.problem = {.cube = NULL}};
  lu->opposite_taken = false;
}

static hyla_status run(struct hy_lu *lu, hyla_operation op, const hyla_matrix *x) {
  if (lu->cube->address < 0) return HYLA_OK;
  TRY(hy_lu_settle_factors(lu));
  lu->opposite_upper.s.op = lu->opposite_lower.s.op = op;
  TRY(hy_triangular_run(&lu->opposite_upper, x));
  return hy_triangular_run(&lu->opposite_lower, x);
}

hyla_status hy_lu_opposite(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  if (!lu->opposite_taken) {
    hyla_status status = take_systems(lu);
    if (status != HYLA_OK) hy_lu_free_opposite(lu);
    TRY(status);
    lu->opposite_taken = true;
  }
  return hy_agree(lu->cube, run(lu, op, x));
}

hyla_status hy_lu_unswap(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_lu *lu = state;
  (void)op;
  return lu->cube->address < 0 ? HYLA_OK : hy_lu_swap_all(lu, true, x);
}
