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
#include "solve/papers/lu_diagonal.h"

static hyla_status solve(const struct hy_diagonal_lu *d, bool transposed, bool upper,
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
static hyla_status solve_triangles(struct hy_diagonal_lu *d, hyla_operation op,
                                   const hyla_matrix *x) {
  d->system[1][0].s.op = d->system[1][1].s.op = op;
  TRY(solve(d, true, true, x));
  return solve(d, true, false, x);
}

static hyla_status solve_transposed(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_diagonal_lu *d = state;
  TRY(hy_diagonal_allocate_transposed(d));
  return hy_agree(d->cube, solve_triangles(d, op, x));
}

static hyla_status run(void *state) {
  struct hy_diagonal_lu *d = state;
  if (d->cube->address < 0) return HYLA_OK;
  TRY(hy_eliminate(&d->elimination, d->problem->rhs));
  const struct hy_pivot_failure *failure = &d->elimination.failure;
  d->problem->factors->pivot = failure->pivot;
  return hy_pivot_fails(&d->cube->base, (hyla_status)failure->status, failure->pivot);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_diagonal_lu *d = state;
  const struct hy_pipeline *p = &d->elimination.pipeline;
  hy_text_add(text, "  %lld pivots go through in %lld steps, an element a message\n",
              (long long)p->row.n, (long long)p->steps);
  hy_pipeline_published(p, d->problem->nrhs, text);
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
    HY_DIAGONAL_WORKSPACE,
    .run = run,
    .explain = explain,
};
