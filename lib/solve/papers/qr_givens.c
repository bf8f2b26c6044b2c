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
#include "solve/papers/qr_givens.h"

/* x := Q^H x, or Q x; does nothing if no right-hand sides were planned. */
static hyla_status rotate(const struct hy_givens *g, struct hy_elimination *e, hyla_matrix *x) {
  return g->cube->address < 0 || g->problem->nrhs == 0 ? HYLA_OK : hy_eliminate(e, x);
}

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_givens *g = state;
  (void)op;
  return rotate(g, &g->sides, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_givens *g = state;
  (void)op;
  return g->cube->address < 0 ? HYLA_OK : hy_triangular_run(&g->backward, x);
}

static hyla_status solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_givens *g = state;
  TRY(hy_givens_allocate_transposed(g));
  if (g->cube->address < 0) return hy_agree(g->cube, HYLA_OK);
  g->transposed.s.op = op;
  return hy_agree(g->cube, hy_triangular_run(&g->transposed, x));
}

/* Q is unitary: Q^-H is Q, and Q^-T its conjugate. */
static hyla_status finish_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_givens *g = state;
  bool conjugated = op == HYLA_TRANSPOSE && g->problem->k->complex_type;
  if (g->cube->address < 0) return HYLA_OK;
  if (conjugated) hy_conjugate_entries(x);
  TRY(rotate(g, &g->back, x));
  if (conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct hy_givens *g = state;
  if (g->cube->address < 0) return HYLA_OK;
  TRY(hy_eliminate(&g->elimination, g->problem->rhs));
  const struct hy_pivot_failure *failure = &g->elimination.failure;
  g->problem->factors->pivot = failure->pivot;
  return hy_pivot_fails(&g->cube->base, (hyla_status)failure->status, failure->pivot);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_givens *g = state;
  const struct hy_pipeline *p = &g->elimination.pipeline;
  long long n = p->row.n;
  hy_text_add(text, "  %lld rows go round in %lld steps, an element a message\n", n,
              (long long)p->steps);
  hy_pipeline_published(p, g->problem->nrhs, text);
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
    .create = hy_givens_create,
    .allocate = hy_givens_allocate,
    .run = run,
    .explain = explain,
};
