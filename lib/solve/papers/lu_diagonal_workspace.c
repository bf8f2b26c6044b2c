/* LU with pivots on the diagonal: workspace. */
#include "solve/papers/lu_diagonal.h"

/* --------------------------------------------------------------- create -- */

/* L X = B and U X = B; transposed: the same with op(L) and op(U). */
static hyla_status create_systems(void *owner, struct hy_diagonal_lu *d, bool transposed) {
  struct hy_triangular form = {.block = 1,
                               .triangle = HYLA_LOWER,
                               .diagonal = HYLA_UNIT_DIAGONAL,
                               .op = transposed ? HYLA_TRANSPOSE : HYLA_NONE};
  TRY(hy_triangular_of_factors(owner, d->problem, form, &d->system[transposed][0]));
  form.triangle = HYLA_UPPER;
  form.diagonal = HYLA_ANY_DIAGONAL;
  return hy_triangular_of_factors(owner, d->problem, form, &d->system[transposed][1]);
}

static hyla_status allocate_systems(struct hy_diagonal_lu *d, bool transposed) {
  for (int upper = 0; upper < 2; upper++)
    TRY(hy_triangular_allocate(&d->system[transposed][upper], d->elimination.a));
  return HYLA_OK;
}

hyla_status hy_diagonal_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct hy_diagonal_lu *d = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *d, state));
  d = *state;
  *d = (struct hy_diagonal_lu){.problem = problem, .cube = problem->cube};
  TRY(hy_elimination_create(d, problem, HY_ELIMINATE_BELOW, &d->elimination));
  return create_systems(d, d, false);
}

/* ------------------------------------------------------------ allocate -- */

hyla_status hy_diagonal_allocate(void *state) {
  struct hy_diagonal_lu *d = state;
  const struct hy_factors *factors = d->problem->factors;
  hy_factor_no_swaps(d->problem);
  TRY(hy_agree(d->cube, hy_elimination_allocate(&d->elimination, factors->a)));
  return allocate_systems(d, false);
}

static hyla_status create_transposed(struct hy_diagonal_lu *d) {
  TRY(hy_alloc_for(&d->cube->base, d, 0, 1, &d->transposed));
  return create_systems(d->transposed, d, true);
}

hyla_status hy_diagonal_allocate_transposed(struct hy_diagonal_lu *d) {
  if (d->transposed != NULL) return HYLA_OK;
  hyla_status status = hy_agree(d->cube, create_transposed(d));
  if (status == HYLA_OK) status = allocate_systems(d, true);
  if (status != HYLA_OK) hy_free(&d->cube->base, &d->transposed);
  return status;
}
