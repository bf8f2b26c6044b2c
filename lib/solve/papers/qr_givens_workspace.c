/* QR by Givens' rotations: workspace. */
#include "solve/papers/qr_givens.h"

/* --------------------------------------------------------------- create -- */

/* R X = B, or op(R) X = B. */
static struct hy_triangular form_of(hyla_operation op) {
  return (struct hy_triangular){.block = 1, .triangle = HYLA_UPPER, .op = op};
}

hyla_status hy_givens_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct hy_givens *g = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *g, state));
  g = *state;
  *g = (struct hy_givens){.problem = problem, .cube = problem->cube};
  TRY(hy_elimination_create(g, problem, HY_ROTATE, &g->elimination));
  if (problem->nrhs > 0) TRY(hy_elimination_create(g, problem, HY_ROTATE_SIDES, &g->sides));
  return hy_triangular_of_factors(g, problem, form_of(HYLA_NONE), &g->backward);
}

/* ------------------------------------------------------------ allocate -- */

static hyla_status allocate_eliminations(struct hy_givens *g, const hyla_matrix *a) {
  TRY(hy_elimination_allocate(&g->elimination, a));
  return g->problem->nrhs > 0 ? hy_elimination_allocate(&g->sides, a) : HYLA_OK;
}

hyla_status hy_givens_allocate(void *state) {
  struct hy_givens *g = state;
  const struct hy_factors *factors = g->problem->factors;
  hy_factor_no_swaps(g->problem);
  TRY(hy_agree(g->cube, allocate_eliminations(g, factors->a)));
  return hy_triangular_allocate(&g->backward, factors->a);
}

static hyla_status create_transposed(struct hy_givens *g) {
  TRY(hy_alloc_for(&g->cube->base, g, 0, 1, &g->transposed_memory));
  if (g->problem->nrhs > 0) {
    TRY(hy_elimination_create(g->transposed_memory, g->problem, HY_ROTATE_BACK, &g->back));
    TRY(hy_elimination_allocate(&g->back, g->problem->factors->a));
  }
  return hy_triangular_of_factors(g->transposed_memory, g->problem, form_of(HYLA_CONJUGATE),
                                  &g->transposed);
}

hyla_status hy_givens_allocate_transposed(struct hy_givens *g) {
  if (g->transposed_memory != NULL) return HYLA_OK;
  hyla_status status = hy_agree(g->cube, create_transposed(g));
  if (status == HYLA_OK) status = hy_triangular_allocate(&g->transposed, g->problem->factors->a);
  if (status != HYLA_OK) hy_free(&g->cube->base, &g->transposed_memory);
  return status;
}
