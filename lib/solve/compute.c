/* The work of hyla_factor_compute and hyla_factor_solve: matrices are moved to the factors' layout,
 * the variant runs, and the answer is moved back.
 *
 * A matrix in another layout than the factors' is redistributed by a plan.  Plans for the expected
 * matrices are made with the factorization.  A plan for another matrix is made, and agreed upon, at
 * its first use and kept: the next matrix of that shape allocates nothing. */
#include "solve/guard/guard.h"
#include "solve/solve.h"

/* Runs the variant; all ranks get the same verdict and the same failing pivot. */
static hyla_status run_variant(struct hyla_factor *factor) {
  hyla_cube *cube = factor->plan->cube;
  int64_t *pivot = &factor->factors.pivot;
  hyla_status status = hy_agree(cube, hy_job_compute(hy_job_of(factor->plan)));
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

/* ------------------------------------------------------- right-hand sides -- */

/* The way of right-hand sides through the factorization and back.  If it is only planned, nothing
 * runs. */
struct way {
  struct hyla_factor *factor;
  hyla_operation op;
  const struct hy_solve_step *steps;
  int64_t columns;
  enum hy_along at;         /* where they are */
  struct hyla_matrix sides; /* the matrix there; of use inside */
  bool planned;
};

static struct way way_of(struct hyla_factor *factor, hyla_operation op, int64_t columns) {
  const struct hy_factor_traits *traits = hy_factor_traits_of(factor);
  const bool transposed = op != HYLA_NONE && !traits->hermitian;
  return (struct way){.factor = factor,
                      .op = op,
                      .steps = transposed ? traits->solve_transposed : traits->solve,
                      .columns = columns,
                      .at = HY_OUTSIDE};
}

/* The first columns of the matrix at a place. */
static struct hyla_matrix sides_at(const struct way *w, enum hy_along place) {
  const struct hy_factors *factors = &w->factor->factors;
  struct hyla_matrix sides = place == HY_ALONG_ROWS ? *factors->x : *factors->x_along_columns;
  sides.col = hy_axis_range(&sides.col, 0, w->columns);
  sides.local_cols = hy_axis_before(&sides.col, sides.col_part, w->columns);
  return sides;
}

static hyla_status move(const struct way *w, enum hy_along to, const hyla_matrix *from,
                        hyla_matrix *into) {
  hyla_plan *plan = w->factor->plan;
  struct hy_kept_move *kept = &w->factor->move[w->at][to];
  return w->planned ? hy_move_plan(plan, kept, from, into) : hy_move_run(plan, kept, from, into);
}

/* Brings b to a place.  The matrix there is made when it is first needed. */
static hyla_status enter(struct way *w, enum hy_along place, const hyla_matrix *b) {
  struct hy_factors *factors = &w->factor->factors;
  if (place == HY_ALONG_COLUMNS && factors->x_along_columns == NULL) {
    struct hy_binding *along = &hy_job_of(w->factor->plan)->operand[HY_FACTOR_X_ALONG];
    TRY(hy_binding_make(w->factor->plan->cube, w->factor->problem.k, along));
    factors->x_along_columns = along->view;
  }
  struct hyla_matrix x = sides_at(w, place);
  TRY(move(w, place, b, &x));
  w->at = place;
  w->sides = x;
  return HYLA_OK;
}

static hyla_status run_step(struct way *w, const struct hy_solve_step *step) {
  hyla_cube *cube = w->factor->plan->cube;
  void *state = hy_factor_state(w->factor);
  if (step->product == NULL)
    return w->planned ? HYLA_OK : hy_agree(cube, step->run(state, w->op, &w->sides));
  const struct hyla_matrix b = w->sides;
  w->at = w->at == HY_ALONG_ROWS ? HY_ALONG_COLUMNS : HY_ALONG_ROWS;
  w->sides = sides_at(w, w->at);
  return w->planned ? HYLA_OK : hy_agree(cube, step->product(state, w->op, &b, &w->sides));
}

/* Steps first ... end-1. */
static hyla_status go(struct way *w, int first, int end) {
  for (const struct hy_solve_step *step = w->steps + first; step < w->steps + end; step++) {
    if (step->run == NULL && step->product == NULL) continue;
    if (w->at != step->at) TRY(enter(w, step->at, &w->sides));
    TRY(run_step(w, step));
  }
  return HYLA_OK;
}

static hyla_status leave(const struct way *w, hyla_matrix *x) {
  return move(w, HY_OUTSIDE, &w->sides, x);
}

/* Are right-hand sides eliminated with A? */
static bool ride(const struct way *w) { return w->steps[0].run != NULL; }

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

/* Plans the moves for op NONE, which neither read nor write. */
static hyla_status stage_sides(struct hyla_factor *factor, const hyla_matrix *b,
                               const hyla_matrix *x) {
  struct way w = way_of(factor, HYLA_NONE, b->col.n);
  w.planned = true;
  TRY(enter(&w, w.steps[0].at, b));
  TRY(go(&w, 0, 2));
  return leave(&w, (hyla_matrix *)x);
}

/* Plans the moves of the inverse: its missing triangle is mirrored, and it is brought to its
 * place. */
static hyla_status stage_inverse(struct hyla_factor *factor) {
  static const enum hy_part above = HY_ABOVE_PART;
  hyla_plan *plan = factor->plan;
  hyla_matrix *a = factor->factors.a;
  const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
  const hyla_transfer mirror = {HYLA_CONJUGATE, 1, a, a};
  if (!hy_makes_inverse(steps)) return HYLA_OK;
  if (steps->hermitian && steps->inverts) {
    TRY(hy_redistribute_make(plan->cube, 1, &mirror, &above, NULL, &factor->mirror));
    hy_plan_adopt(plan, "triangle mirrored", factor->mirror);
  }
  return hy_move_plan(plan, &factor->move[HY_ALONG_ROWS][HY_OUTSIDE], a, factor->problem.inverse);
}

static hyla_status cost_of_check(const struct hyla_factor *factor, hyla_cost *cost) {
  const hyla_matrix *from = factor->problem.from_a;
  bool stays = from == NULL || !in_place(factor, from);
  return hy_checksum_cost(factor->checksum, from != NULL ? from : factor->factors.a, stays, cost);
}

static void name_moves(struct hyla_factor *factor) {
  static const char *const what[HY_PLACES_OF_SIDES][HY_PLACES_OF_SIDES] = {
      [HY_OUTSIDE] = {[HY_ALONG_ROWS] = "right-hand sides brought",
                      [HY_ALONG_COLUMNS] = "right-hand sides brought across"},
      [HY_ALONG_ROWS] =
          {[HY_ALONG_COLUMNS] = "right-hand sides turned", [HY_OUTSIDE] = "solution brought back"},
      [HY_ALONG_COLUMNS] = {
          [HY_ALONG_ROWS] = "solution turned back", [HY_OUTSIDE] = "solution turned back"}};
  for (int from = 0; from < HY_PLACES_OF_SIDES; from++)
    for (int to = 0; to < HY_PLACES_OF_SIDES; to++) factor->move[from][to].what = what[from][to];
  if (hy_factor_traits_of(factor)->hermitian)
    factor->move[HY_ALONG_COLUMNS][HY_OUTSIDE].what = "solution brought back";
  factor->a.what = "matrix brought";
}

hyla_status hy_factor_stage(struct hyla_factor *factor) {
  struct hy_factorization *problem = &factor->problem;
  const struct hyla_matrix sides = expected_sides(factor);
  const hyla_matrix *b = problem->from_b != NULL ? problem->from_b : &sides;
  const hyla_matrix *x = problem->to_x != NULL ? problem->to_x : &sides;
  name_moves(factor);
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
  struct way w = way_of(factor, HYLA_NONE, b->col.n);
  TRY(enter(&w, w.steps[0].at, b));
  return go(&w, 0, 1);
}

static hyla_status compute_once(struct hyla_factor *factor, const hyla_matrix *a,
                                const hyla_matrix *b) {
  struct way w = way_of(factor, HYLA_NONE, b == NULL ? 0 : b->col.n);
  if (!in_place(factor, a)) TRY(hy_move_run(factor->plan, &factor->a, a, place_of(factor)));
  if (b != NULL && ride(&w)) {
    TRY(enter(&w, w.steps[0].at, b));
    return run(factor, &w.sides);
  }
  TRY(run(factor, NULL));
  return b == NULL ? HYLA_OK : enter(&w, w.steps[0].at, b);
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
  struct way w = way_of(factor, HYLA_NONE, x->col.n);
  w.at = w.steps[0].at;
  w.sides = sides_at(&w, w.at);
  TRY(go(&w, ride(&w) ? 1 : 0, 2));
  return leave(&w, x);
}

/* If A is Hermitian, A^H is A, and A^T the conjugate of A. */
hyla_status hy_factor_solve(struct hyla_factor *factor, hyla_operation op, const hyla_matrix *b,
                            hyla_matrix *x) {
  struct way w = way_of(factor, op, b->col.n);
  const bool conjugated = hy_factor_traits_of(factor)->hermitian && op == HYLA_TRANSPOSE &&
                          factor->problem.k->complex_type;
  TRY(enter(&w, w.steps[0].at, b));
  if (conjugated) hy_conjugate_entries(&w.sides);
  TRY(go(&w, 0, 2));
  TRY(leave(&w, x));
  if (conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}

/* --------------------------------------------------------------- public -- */

hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a) {
  struct hy_call call = {.name = "hyla_factor_compute", .argument = {{"a", a, .sizes = "MN"}}};
  hyla_status mine = hy_factor_call(cube, factor, 0, &call);
  if (mine == HYLA_OK) {
    const struct hy_factor_traits *steps = hy_factor_traits_of(factor);
    call.model.written = true;
    call.needs_data = factor->problem.method->is.needs_data && !steps->runs_dry;
  }
  TRY(hy_call_enter(cube, &call, mine));
  return hy_factor_compute(factor, a, NULL);
}

hyla_status hyla_factor_solve(hyla_cube *cube, const hyla_factor *factor, hyla_operation op,
                              const hyla_matrix *b, hyla_matrix *x) {
  struct hy_call call = {
      .name = "hyla_factor_solve",
      .option = {{"op", (int)op, hy_operation_names}},
      .argument = {{"b", b, .sizes = "Nr"}, {"x", x, .sizes = "Nr", .result = x, .late = true}}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_SQUARE, &call);
  if (mine == HYLA_OK) mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK && b->col.n > factor->problem.nrhs)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT,
                   "%s: b has %lld columns; the factorization was made for %lld", call.name,
                   (long long)b->col.n, (long long)factor->problem.nrhs);
  TRY(hy_call_agree(cube, &call, mine));
  return hy_factor_solve(hy_factor_workspace(factor), op, b, x);
}
