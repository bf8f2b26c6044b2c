/* LU with pivots on the diagonal, element by element.  It serves matrices that need no other
 * pivots, and readers who want to see the paper's elimination run.
 *
 * Layout: element-cyclic on any 2^r x 2^c array, binary or Gray.
 * Method: pivots follow each other through the array as fast as its links allow (elimination.c).
 *   Right-hand sides are eliminated with A as further columns.
 * Reference: Johnsson 1987, section 6.2, which also eliminates the rows above a pivot in its block
 *   row, by the same messages.  Here these rows stay, so that L and U serve for everything that
 *   factors are used for.  Here pivots also follow sooner.
 *
 * Steps and memory: elimination.c. */
#include "solve/papers/pipeline.h"

struct diagonal_lu {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  struct hy_elimination elimination;
  /* [with op][U]: L X = B and U X = B; the systems with op(L) and op(U) are made at their first
   * use. */
  struct hy_triangular_system system[2][2];
  char *transposed; /* owns the latter; NULL: they are not made yet */
};

/* L X = B and U X = B; transposed: the same with op(L) and op(U). */
static hyla_status create_systems(void *owner, struct diagonal_lu *d, bool transposed) {
  struct hy_triangular form = {.block = 1,
                               .triangle = HYLA_LOWER,
                               .diagonal = HYLA_UNIT_DIAGONAL,
                               .op = transposed ? HYLA_TRANSPOSE : HYLA_NONE};
  TRY(hy_triangular_of_factors(owner, d->problem, form, &d->system[transposed][0]));
  form.triangle = HYLA_UPPER;
  form.diagonal = HYLA_ANY_DIAGONAL;
  return hy_triangular_of_factors(owner, d->problem, form, &d->system[transposed][1]);
}

static hyla_status allocate_systems(struct diagonal_lu *d, bool transposed) {
  for (int upper = 0; upper < 2; upper++)
    TRY(hy_triangular_allocate(&d->system[transposed][upper], d->elimination.a));
  return HYLA_OK;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct diagonal_lu *d = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *d, state));
  d = *state;
  *d = (struct diagonal_lu){.problem = problem, .cube = problem->cube};
  TRY(hy_elimination_create(d, problem, HY_ELIMINATE_BELOW, &d->elimination));
  return create_systems(d, d, false);
}

static hyla_status allocate(void *state) {
  struct diagonal_lu *d = state;
  const struct hy_factors *factors = d->problem->factors;
  hy_factor_no_swaps(d->problem);
  TRY(hy_agree(d->cube, hy_elimination_allocate(&d->elimination, factors->a)));
  return allocate_systems(d, false);
}

static hyla_status create_transposed(struct diagonal_lu *d) {
  TRY(hy_alloc_for(&d->cube->base, d, 0, 1, &d->transposed));
  return create_systems(d->transposed, d, true);
}

static hyla_status allocate_transposed(struct diagonal_lu *d) {
  if (d->transposed != NULL) return HYLA_OK;
  hyla_status status = hy_agree(d->cube, create_transposed(d));
  if (status == HYLA_OK) status = allocate_systems(d, true);
  if (status != HYLA_OK) hy_free(&d->cube->base, &d->transposed);
  return status;
}

static hyla_status solve(const struct diagonal_lu *d, bool transposed, bool upper,
                         const hyla_matrix *x) {
  return d->cube->address < 0 ? HYLA_OK : hy_triangular_run(&d->system[transposed][upper], x);
}

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  (void)op;
  return solve(state, false, false, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  (void)op;
  return solve(state, false, true, x);
}

/* x := op(L)^-1 op(U)^-1 x. */
static hyla_status solve_triangles(struct diagonal_lu *d, hyla_operation op, const hyla_matrix *x) {
  d->system[1][0].s.op = d->system[1][1].s.op = op;
  TRY(solve(d, true, true, x));
  return solve(d, true, false, x);
}

static hyla_status solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct diagonal_lu *d = state;
  TRY(allocate_transposed(d));
  return hy_agree(d->cube, solve_triangles(d, op, x));
}

static hyla_status run(void *state) {
  struct diagonal_lu *d = state;
  return hy_elimination_run(&d->elimination, d->problem);
}

static void explain(const void *state, struct hy_text *text) {
  const struct diagonal_lu *d = state;
  hy_pipeline_explain(&d->elimination.pipeline, d->problem->nrhs, text);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward}},
    .solve_transposed = {{.run = solve_transposed, .at = HY_ALONG_COLUMNS}}};

const struct hy_variant hy_lu_on_diagonal = {
    .name = "diagonal",
    .reference = "johnsson-1987, section 6.2",
    .traits = &SUBSTITUTIONS,
    .asked = "only when asked for",
    .applies = hy_elimination_applies,
    HY_OPERATIONS,
};
