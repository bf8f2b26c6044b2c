/* hyla_factor_reflections: the numbers of Householder's reflections that are not in their
 * vectors. */
#include "solve/answer/answer.h"

static const struct hy_substitutions *steps_of(const hyla_factor *factor) {
  return hy_choice_variant(&factor->plan->choice)->traits;
}

static hyla_status check(hyla_cube *cube, const hyla_factor *factor, const double *tau) {
  TRY(hy_factor_check_computed(cube, factor));
  CHECK(&cube->base, steps_of(factor)->reflections != NULL, UNSUPPORTED,
        "hyla_factor_reflections: %s (%s) makes none; take householder's qr",
        factor->problem.method->is.name, hy_choice_variant(&factor->plan->choice)->name);
  CHECK(&cube->base, tau != NULL || hy_factor_order(&factor->problem) == 0, ARGUMENT,
        "hyla_factor_reflections: tau is NULL; give room for %lld numbers",
        (long long)hy_factor_order(&factor->problem));
  return hy_need_data(cube, "hyla_factor_reflections");
}

static void add(void *into, const void *from, int64_t count, const void *arg) {
  double *a = into;
  const double *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

/* Each tau is known to one rank. */
static hyla_status gather(const hyla_factor *factor, double *tau, double *work) {
  hyla_cube *cube = factor->plan->cube;
  int64_t order = hy_factor_order(&factor->problem);
  uint32_t all = (uint32_t)cube->nodes - 1;
  if (cube->address >= 0)
    steps_of(factor)->reflections(hy_choice_state(&factor->plan->choice), tau);
  TRY(hy_agree(cube, hy_allreduce(cube, all, tau, order, sizeof *tau, add, NULL, work)));
  return hy_agree(cube, hy_tell_guests(cube, tau, order * (int64_t)sizeof *tau));
}

hyla_status hyla_factor_reflections(hyla_cube *cube, const hyla_factor *factor, double *tau) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  double *work = NULL;
  hyla_status mine = check(cube, factor, tau);
  uint64_t fingerprint = mine == HYLA_OK ? hy_factor_fingerprint(0, factor) : 0;
  TRY(hy_enter(cube, mine, fingerprint, "hyla_factor_reflections"));
  int64_t order = hy_factor_order(&factor->problem);
  hyla_status status = hy_agree(cube, hy_alloc_data(&cube->base, order, sizeof *work, &work));
  if (status == HYLA_OK && order > 0) status = gather(factor, tau, work);
  hy_free(&cube->base, &work);
  return status;
}
