/* The work of hyla_factor_compute and hyla_factor_solve: matrices are moved to the factors' layout,
 * the variant runs, and the answer is moved back.
 *
 * A matrix in another layout than the factors' is redistributed by a plan.  Plans for the expected
 * matrices are made with the factorization.  A plan for another matrix is made, and agreed upon, at
 * its first use and kept: the next matrix of that shape allocates nothing. */
#include "solve/guard/guard.h"
#include "solve/solve.h"

/* ---------------------------------------------------------------- steps -- */

static const struct hy_variant *variant_of(const struct hyla_factor *factor) {
  return hy_choice_variant(&factor->plan->choice);
}

static void *state_of(const struct hyla_factor *factor) {
  return hy_choice_state(&factor->plan->choice);
}

static const struct hy_factor_traits *substitutions_of(const struct hyla_factor *factor) {
  return variant_of(factor)->traits;
}

/* Runs the variant; all ranks get the same verdict and the same failing pivot. */
static hyla_status run_variant(struct hyla_factor *factor) {
  hyla_cube *cube = factor->plan->cube;
  int64_t *pivot = &factor->factors.pivot;
  hyla_status status = hy_agree(cube, variant_of(factor)->run(state_of(factor)));
  if (cube->network.broken) return status;
  TRY(hy_agree(cube, hy_tell_guests(cube, pivot, sizeof *pivot)));
  return status;
}

static hyla_status run(struct hyla_factor *factor, const hyla_matrix *x) {
  factor->factors.pivot = 0;
  factor->problem.rhs = x;
  return factor->checkpoint == NULL ? run_variant(factor)
                                    : hy_checkpoint_run(factor->checkpoint, run_variant);
}

/* The first `columns` columns of right-hand sides. */
static struct hyla_matrix columns_of(const hyla_matrix *sides, int64_t columns) {
  struct hyla_matrix first = *sides;
  first.col = hy_axis_range(&first.col, 0, columns);
  first.local_cols = hy_axis_before(&first.col, first.col_part, columns);
  return first;
}

static hyla_status bring_in(struct hyla_factor *factor, const hyla_matrix *b, hyla_matrix *x) {
  return hy_move_run(factor->plan, &factor->b, b, x);
}

/* Moves right-hand sides to `x_along_columns', where they lie along a's columns. */
static hyla_status bring_across(struct hyla_factor *factor, const hyla_matrix *b) {
  struct hyla_matrix x_along_columns = columns_of(factor->factors.x_along_columns, b->col.n);
  return hy_move_run(factor->plan, &factor->across, b, &x_along_columns);
}

/* Do the factors lie in the matrix' memory? */
static bool in_place(const struct hyla_factor *factor, const hyla_matrix *a) {
  return a == factor->problem.given && !factor->factors.a->owner;
}

/* The matrix into which A is moved to be factored.  For the matrix given away this is the caller's
 * object, which knows more than its memory alone. */
static hyla_matrix *place_of(const struct hyla_factor *factor) {
  return factor->factors.a->owner ? factor->factors.a : factor->problem.given;
}

/* n x nrhs in the factorization's layout, as hyla_matrix_create would make it. */
static struct hyla_matrix expected_sides(const struct hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  const struct hy_operand lies = {.row = problem->row,
                                  .col = hy_axis_make(&problem->layout.col, problem->nrhs),
                                  .rest = problem->layout.rest};
  struct hyla_matrix sides = hy_matrix_counted(problem->cube, problem->k->type, &lies);
  sides.window = factor->factors.x->window; /* it can be read in place if x can */
  sides.owner = true;
  return sides;
}

/* Plans the moves for op NONE: right-hand sides in, across or turned, and the solution out. */
static hyla_status stage_sides(struct hyla_factor *factor, const hyla_matrix *b,
                               const hyla_matrix *x) {
  hyla_plan *plan = factor->plan;
  const struct hy_factors *factors = &factor->factors;
  const struct hy_factor_traits *steps = substitutions_of(factor);
  struct hyla_matrix first = columns_of(factors->x, b->col.n);
  struct hyla_matrix x_along_columns = first;
  if (factors->x_along_columns != NULL)
    x_along_columns = columns_of(factors->x_along_columns, b->col.n);
  if (steps->multiply != NULL) {
    TRY(hy_move_plan(plan, &factor->across, b, &x_along_columns));
    return hy_move_plan(plan, &factor->x, &first, x);
  }
  TRY(hy_move_plan(plan, &factor->b, b, &first));
  if (factors->x_along_columns != NULL)
    TRY(hy_move_plan(plan, &factor->x_along_columns, &first, &x_along_columns));
  return hy_move_plan(plan, &factor->x, &x_along_columns, x);
}

/* Plans the moves of the inverse: its missing triangle is mirrored, and it is brought to its
 * place. */
static hyla_status stage_inverse(struct hyla_factor *factor) {
  static const enum hy_part above = HY_ABOVE_PART;
  hyla_plan *plan = factor->plan;
  hyla_matrix *a = factor->factors.a;
  const struct hy_factor_traits *steps = substitutions_of(factor);
  const hyla_transfer mirror = {HYLA_CONJUGATE, 1, a, a};
  if (!hy_makes_inverse(steps)) return HYLA_OK;
  if (steps->hermitian && steps->inverts) {
    TRY(hy_redistribute_make(plan->cube, 1, &mirror, &above, NULL, &factor->mirror));
    hy_plan_adopt(plan, "triangle mirrored", factor->mirror);
  }
  return hy_move_plan(plan, &factor->x, a, factor->problem.inverse);
}

static hyla_status cost_of_check(const struct hyla_factor *factor, hyla_cost *cost) {
  const hyla_matrix *from = factor->problem.from_a;
  bool stays = from == NULL || !in_place(factor, from);
  return hy_checksum_cost(factor->checksum, from != NULL ? from : factor->factors.a, stays, cost);
}

hyla_status hy_factor_stage(struct hyla_factor *factor) {
  struct hy_factorization *problem = &factor->problem;
  const struct hyla_matrix sides = expected_sides(factor);
  const hyla_matrix *b = problem->from_b != NULL ? problem->from_b : &sides;
  const hyla_matrix *x = problem->to_x != NULL ? problem->to_x : &sides;
  factor->a.what = "matrix brought";
  factor->b.what = "right-hand sides brought";
  factor->x.what = "solution brought back";
  factor->x_along_columns.what = "right-hand sides turned";
  factor->across.what = "right-hand sides brought across";
  factor->back.what = "solution turned back";
  if (problem->from_a != NULL && !in_place(factor, problem->from_a))
    TRY(hy_move_plan(factor->plan, &factor->a, problem->from_a, place_of(factor)));
  if (b->col.n > 0) TRY(stage_sides(factor, b, x));
  if (problem->inverse != NULL) TRY(stage_inverse(factor));
  if (factor->checksum != NULL)
    TRY(hy_agree(problem->cube, cost_of_check(factor, &factor->guards)));
  if (factor->checkpoint != NULL) factor->guards.memory += factor->checkpoint->bytes;
  return HYLA_OK;
}

/* With existing factors: x := L^-1 P b. */
static hyla_status solve_forward(struct hyla_factor *factor, const hyla_matrix *b) {
  struct hyla_matrix x = columns_of(factor->factors.x, b->col.n);
  TRY(bring_in(factor, b, &x));
  return hy_agree(factor->plan->cube, substitutions_of(factor)->forward(state_of(factor), &x));
}

static hyla_status compute_once(struct hyla_factor *factor, const hyla_matrix *a,
                                const hyla_matrix *b) {
  if (!in_place(factor, a)) TRY(hy_move_run(factor->plan, &factor->a, a, place_of(factor)));
  if (b == NULL || substitutions_of(factor)->multiply != NULL) {
    TRY(run(factor, NULL));
    if (b != NULL) TRY(bring_across(factor, b));
  } else {
    struct hyla_matrix x = columns_of(factor->factors.x, b->col.n);
    TRY(bring_in(factor, b, &x));
    TRY(run(factor, &x));
  }
  return HYLA_OK;
}

/* The same with checkpoints.  A matrix that cannot be factored would fail in another run too, so
 * its checkpoints are removed. */
static hyla_status compute_resumed(struct hyla_factor *factor, const hyla_matrix *a,
                                   const hyla_matrix *b) {
  bool resumed = false;
  struct hy_checkpoint *checkpoint = factor->checkpoint;
  TRY(hy_checkpoint_begin(checkpoint, a, !in_place(factor, a), &resumed));
  hyla_status status = resumed ? run(factor, NULL) : compute_once(factor, a, b);
  if (status == HYLA_OK && resumed && b != NULL) status = solve_forward(factor, b);
  bool known = status == HYLA_OK || status == HYLA_SINGULAR || status == HYLA_INDEFINITE ||
               status == HYLA_NOT_FINITE;
  if (known) TRY(hy_checkpoint_end(checkpoint));
  return status;
}

static hyla_status compute_factors(struct hyla_factor *factor, const hyla_matrix *a,
                                   const hyla_matrix *b) {
  return factor->checkpoint == NULL ? compute_once(factor, a, b) : compute_resumed(factor, a, b);
}

/* If the factorization fails because of the numbers, and A is still there, it runs once more,
 * because a flipped bit may have caused the failure.  A failure that recurs is A's own, unless A
 * has changed. */
static hyla_status compute_twice(struct hyla_factor *factor, const hyla_matrix *a,
                                 const hyla_matrix *b, bool *damaged) {
  hyla_cube *cube = factor->plan->cube;
  hyla_faults *faults = &cube->session.faults;
  hyla_status first = compute_factors(factor, a, b);
  bool numbers = first == HYLA_SINGULAR || first == HYLA_INDEFINITE || first == HYLA_NOT_FINITE;
  if (!numbers || in_place(factor, a)) return first;
  enum hy_check_result worst = HY_UNDAMAGED;
  TRY(hy_agree(cube, hy_checksum_again(factor->checksum, &worst)));
  if (worst == HY_DAMAGED) return hy_check_result_end(cube, true, worst);
  int64_t pivot = factor->factors.pivot;
  hyla_status second = compute_factors(factor, a, b);
  *damaged = second != first || factor->factors.pivot != pivot;
  struct hy_text text = {.text = faults->text, .capacity = sizeof faults->text};
  if (*damaged)
    hy_text_add(&text, "pivot %lld, at which the factorization failed", (long long)pivot);
  return second;
}

/* If factors are damaged and cannot be corrected, they are computed once more if A is still there.
 * If they were corrected, right-hand sides that were eliminated along with A are solved for
 * again. */
static hyla_status compute_checked(struct hyla_factor *factor, const hyla_matrix *a,
                                   const hyla_matrix *b) {
  hyla_cube *cube = factor->plan->cube;
  struct hy_checksum *checksum = factor->checksum;
  enum hy_check_result worst = HY_UNDAMAGED;
  bool damaged = false;
  TRY(hy_agree(cube, hy_checksum_begin(checksum, a, !in_place(factor, a))));
  hyla_status status = compute_twice(factor, a, b, &damaged);
  if (status != HYLA_OK && damaged)
    TRY(hy_agree(cube, hy_check_result_end(cube, true, HY_UNDAMAGED)));
  TRY(status);
  TRY(hy_agree(cube, hy_checksum_end(checksum, &worst)));
  damaged |= worst != HY_UNDAMAGED;
  if (worst == HY_DAMAGED && !in_place(factor, a)) {
    TRY(compute_factors(factor, a, b));
    TRY(hy_agree(cube, hy_checksum_end(checksum, &worst)));
  }
  if (worst == HY_CORRECTED && b != NULL) TRY(solve_forward(factor, b));
  return hy_agree(cube, hy_check_result_end(cube, damaged, worst));
}

/* Finds out why a pivot is not finite, if A is still there. */
static hyla_status blame(const struct hyla_factor *factor, const hyla_matrix *a) {
  hyla_cube *cube = factor->plan->cube;
  long long pivot = factor->factors.pivot;
  if (in_place(factor, a)) return HYLA_NOT_FINITE;
  int64_t infinite = !a->k->finite((int)a->local_rows, (int)a->local_cols, a->local, (int)a->ld);
  TRY(hy_agree(cube, hy_cube_max(cube, &infinite, 1)));
  return hy_agree(
      cube, infinite
                ? hy_fail(&cube->base, HYLA_NOT_FINITE,
                          "pivot %lld is infinite or not a number; look for such entries in the "
                          "matrix",
                          pivot)
                : hy_fail(&cube->base, HYLA_NOT_FINITE,
                          "pivot %lld overflows, though all entries of the matrix are finite; "
                          "scale the matrix",
                          pivot));
}

hyla_status hy_factor_compute(struct hyla_factor *factor, const hyla_matrix *a,
                              const hyla_matrix *b) {
  factor->computed = factor->holds = false;
  hyla_status status =
      factor->checksum == NULL ? compute_factors(factor, a, b) : compute_checked(factor, a, b);
  if (status == HYLA_NOT_FINITE) status = blame(factor, a);
  TRY(status);
  factor->computed = true;
  return HYLA_OK;
}

hyla_status hy_factor_finish(struct hyla_factor *factor, hyla_matrix *x) {
  hyla_plan *plan = factor->plan;
  const struct hy_factors *factors = &factor->factors;
  const struct hy_factor_traits *steps = substitutions_of(factor);
  struct hyla_matrix solved = columns_of(factors->x, x->col.n);
  if (steps->multiply != NULL) {
    const struct hyla_matrix x_along_columns = columns_of(factors->x_along_columns, x->col.n);
    TRY(hy_agree(plan->cube,
                 steps->multiply(state_of(factor), HYLA_NONE, &x_along_columns, &solved)));
    return hy_move_run(plan, &factor->x, &solved, x);
  }
  if (steps->apply != NULL) return hy_move_run(plan, &factor->x, &solved, x);
  if (steps->hermitian && !steps->rhs_in_place) {
    struct hyla_matrix x_along_columns = columns_of(factors->x_along_columns, x->col.n);
    TRY(hy_move_run(plan, &factor->x_along_columns, &solved, &x_along_columns));
    solved = x_along_columns;
  }
  TRY(hy_agree(plan->cube, steps->backward(state_of(factor), &solved)));
  return hy_move_run(plan, &factor->x, &solved, x);
}

/* x := op(A)^-1 b, if right-hand sides keep their layout. */
static hyla_status solve_rhs_in_place(struct hyla_factor *factor, hyla_operation op,
                                      const hyla_matrix *b, hyla_matrix *x) {
  hyla_plan *plan = factor->plan;
  const struct hy_factor_traits *steps = substitutions_of(factor);
  struct hyla_matrix solved = columns_of(factor->factors.x, b->col.n);
  TRY(bring_in(factor, b, &solved));
  TRY(hy_agree(plan->cube, steps->solve_transposed(state_of(factor), op, &solved)));
  TRY(hy_agree(plan->cube, steps->finish_transposed(state_of(factor), op, &solved)));
  return hy_move_run(plan, &factor->x, &solved, x);
}

/* x := op(A)^-1 b for op TRANSPOSE or CONJUGATE by factors P A = L U. */
static hyla_status solve_transposed(struct hyla_factor *factor, hyla_operation op,
                                    const hyla_matrix *b, hyla_matrix *x) {
  hyla_plan *plan = factor->plan;
  struct hy_factors *factors = &factor->factors;
  const struct hy_factor_traits *steps = substitutions_of(factor);
  if (factors->x_along_columns == NULL) {
    struct hy_binding *along = &hy_job_of(plan)->operand[HY_FACTOR_X_ALONG];
    TRY(hy_binding_make(plan->cube, factor->problem.k, along));
    factors->x_along_columns = along->view;
  }
  struct hyla_matrix x_along_columns = columns_of(factors->x_along_columns, b->col.n);
  struct hyla_matrix solved = columns_of(factors->x, b->col.n);
  TRY(bring_across(factor, b));
  TRY(hy_agree(plan->cube, steps->solve_transposed(state_of(factor), op, &x_along_columns)));
  TRY(hy_move_run(plan, &factor->back, &x_along_columns, &solved));
  TRY(hy_agree(plan->cube, steps->finish_transposed(state_of(factor), op, &solved)));
  return hy_move_run(plan, &factor->x, &solved, x);
}

/* x := op(A^-1) b by factors that are A^-1. */
static hyla_status solve_by_inverse(struct hyla_factor *factor, hyla_operation op,
                                    const hyla_matrix *b, hyla_matrix *x) {
  hyla_plan *plan = factor->plan;
  const struct hy_factor_traits *steps = substitutions_of(factor);
  if (op == HYLA_NONE) {
    TRY(bring_across(factor, b));
    return hy_factor_finish(factor, x);
  }
  struct hyla_matrix x_along_columns = columns_of(factor->factors.x_along_columns, b->col.n);
  struct hyla_matrix given = columns_of(factor->factors.x, b->col.n);
  TRY(bring_in(factor, b, &given));
  TRY(hy_agree(plan->cube, steps->multiply(state_of(factor), op, &given, &x_along_columns)));
  return hy_move_run(plan, &factor->back, &x_along_columns, x);
}

/* The same by factors whose product is A^-1. */
static hyla_status solve_by_product(struct hyla_factor *factor, hyla_operation op,
                                    const hyla_matrix *b, hyla_matrix *x) {
  const struct hy_factor_traits *steps = substitutions_of(factor);
  struct hyla_matrix solved = columns_of(factor->factors.x, b->col.n);
  TRY(bring_in(factor, b, &solved));
  TRY(hy_agree(factor->plan->cube, steps->apply(state_of(factor), op, &solved)));
  return hy_move_run(factor->plan, &factor->x, &solved, x);
}

hyla_status hy_factor_solve(struct hyla_factor *factor, hyla_operation op, const hyla_matrix *b,
                            hyla_matrix *x) {
  const struct hy_factor_traits *steps = substitutions_of(factor);
  if (steps->multiply != NULL) return solve_by_inverse(factor, op, b, x);
  if (steps->apply != NULL) return solve_by_product(factor, op, b, x);
  if (op != HYLA_NONE && !steps->hermitian)
    return steps->rhs_in_place ? solve_rhs_in_place(factor, op, b, x)
                               : solve_transposed(factor, op, b, x);
  /* A^H is A, and A^T the conjugate of A. */
  bool conjugated = op == HYLA_TRANSPOSE && factor->problem.k->complex_type;
  struct hyla_matrix first = columns_of(factor->factors.x, b->col.n);
  TRY(bring_in(factor, b, &first));
  if (conjugated) hy_conjugate_entries(&first);
  TRY(hy_agree(factor->plan->cube, steps->forward(state_of(factor), &first)));
  TRY(hy_factor_finish(factor, x));
  if (conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}
