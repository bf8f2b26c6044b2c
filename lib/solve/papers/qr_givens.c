/* QR by Givens' rotations, element by element, for readers who want to see the paper's algorithm
 * run.
 *
 * Layout: element-cyclic on any 2^r x 2^c array, rank rows in Gray code, so that consecutive rank
 *   rows are neighbours; any number of elements a node.
 * Method: row j eliminates column j.  It is rotated with all rows below it; for that it goes from
 *   rank row to rank row and home again.  Each rotation's quotient goes along the rank row by a
 *   tree and is stored where it made a zero.  Pivots follow each other through the array as fast as
 *   its links allow (rotation_pipeline.c).  Right-hand sides are eliminated with A as further
 *   columns, or go the same way later.  A solution is R^-1 Q^H b.
 * Reference: Johnsson 1987, section 6.3: as many communications as LU, 3 (2^k - 1) + k for R of a
 *   2^k x 2^k matrix on as many nodes; here 3 (2^k - 1), with R's rows brought home.
 *
 * Flops: 2 n^3, half as many again as reflections take.  There is no pivoting: the traffic does not
 * depend on the entries.  Memory: elimination.c. */
#include "solve/papers/pipeline.h"

struct givens {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  struct hy_elimination elimination;
  struct hy_elimination sides; /* the same rotations: x := Q^H x; only with right-hand sides */
  struct hy_triangular_system backward;
  /* op(R)^-1 and Q; made at their first use. */
  struct hy_triangular_system transposed;
  struct hy_elimination back;
  char *transposed_memory; /* owns these two; NULL: they are not made yet */
};

/* R X = B, or op(R) X = B. */
static struct hy_triangular form_of(hyla_operation op) {
  return (struct hy_triangular){.block = 1, .triangle = HYLA_UPPER, .op = op};
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct givens *g = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *g, state));
  g = *state;
  *g = (struct givens){.problem = problem, .cube = problem->cube};
  TRY(hy_elimination_create(g, problem, HY_ROTATE, &g->elimination));
  if (problem->nrhs > 0) TRY(hy_elimination_create(g, problem, HY_ROTATE_SIDES, &g->sides));
  return hy_triangular_of_factors(g, problem, form_of(HYLA_NONE), &g->backward);
}

static hyla_status allocate_eliminations(struct givens *g, const hyla_matrix *a) {
  TRY(hy_elimination_allocate(&g->elimination, a));
  return g->problem->nrhs > 0 ? hy_elimination_allocate(&g->sides, a) : HYLA_OK;
}

static hyla_status allocate(void *state) {
  struct givens *g = state;
  const struct hy_factors *factors = g->problem->factors;
  hy_factor_no_swaps(g->problem);
  TRY(hy_agree(g->cube, allocate_eliminations(g, factors->a)));
  return hy_triangular_allocate(&g->backward, factors->a);
}

static hyla_status create_transposed(struct givens *g) {
  TRY(hy_alloc_for(&g->cube->base, g, 0, 1, &g->transposed_memory));
  if (g->problem->nrhs > 0) {
    TRY(hy_elimination_create(g->transposed_memory, g->problem, HY_ROTATE_BACK, &g->back));
    TRY(hy_elimination_allocate(&g->back, g->problem->factors->a));
  }
  return hy_triangular_of_factors(g->transposed_memory, g->problem, form_of(HYLA_CONJUGATE),
                                  &g->transposed);
}

static hyla_status allocate_transposed(struct givens *g) {
  if (g->transposed_memory != NULL) return HYLA_OK;
  hyla_status status = hy_agree(g->cube, create_transposed(g));
  if (status == HYLA_OK) status = hy_triangular_allocate(&g->transposed, g->problem->factors->a);
  if (status != HYLA_OK) hy_free(&g->cube->base, &g->transposed_memory);
  return status;
}

/* x := Q^H x, or Q x; does nothing if no right-hand sides were planned. */
static hyla_status rotate(const struct givens *g, struct hy_elimination *e, hyla_matrix *x) {
  return g->cube->address < 0 || g->problem->nrhs == 0 ? HYLA_OK : hy_eliminate(e, x);
}

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  struct givens *g = state;
  (void)op;
  return rotate(g, &g->sides, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct givens *g = state;
  (void)op;
  return g->cube->address < 0 ? HYLA_OK : hy_triangular_run(&g->backward, x);
}

static hyla_status solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct givens *g = state;
  TRY(allocate_transposed(g));
  if (g->cube->address < 0) return hy_agree(g->cube, HYLA_OK);
  g->transposed.s.op = op;
  return hy_agree(g->cube, hy_triangular_run(&g->transposed, x));
}

/* Q is unitary: Q^-H is Q, and Q^-T its conjugate. */
static hyla_status finish_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct givens *g = state;
  bool conjugated = op == HYLA_TRANSPOSE && g->problem->k->complex_type;
  if (g->cube->address < 0) return HYLA_OK;
  if (conjugated) hy_conjugate_entries(x);
  TRY(rotate(g, &g->back, x));
  if (conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct givens *g = state;
  return hy_elimination_run(&g->elimination, g->problem);
}

static void explain(const void *state, struct hy_text *text) {
  const struct givens *g = state;
  hy_pipeline_explain(&g->elimination.pipeline, g->problem->nrhs, text);
}

/* Are consecutive rank rows neighbours, in a circle? */
static bool is_circle(const hyla_axis *axis) {
  uint32_t parts = 1u << axis->dims;
  for (uint32_t part = 0; part < parts; part++) {
    uint32_t next = (part + 1) % parts;
    if (hy_popcount(hy_axis_address(axis, part) ^ hy_axis_address(axis, next)) > 1) return false;
  }
  return true;
}

static const char *applies(const void *given) {
  const struct hy_factorization *problem = given;
  const char *reason = hy_elimination_applies(given);
  if (reason != NULL || is_circle(&problem->row.code)) return reason;
  return "the rows are not in the Gray code, as gray/cyclic:1";
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward}},
    .solve_transposed = {{.run = solve_transposed, .at = HY_ALONG_COLUMNS},
                         {.run = finish_transposed}},
    .orthogonal = true};

const struct hy_variant hy_qr_by_givens = {
    .name = "givens",
    .reference = "johnsson-1987, section 6.3; givens-1958",
    .traits = &SUBSTITUTIONS,
    .asked = "only when asked for",
    .applies = applies,
    HY_OPERATIONS,
};
