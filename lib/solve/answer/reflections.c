/* hyla_factor_reflections: the numbers of Householder's reflections that are not in their
 * vectors. */
#include "solve/answer/answer.h"

/* Each tau is known to one rank. */
hyla_status hy_factor_gather_reflections(const hyla_factor *factor, double *tau, double *work) {
  hyla_cube *cube = factor->plan->cube;
  int64_t order = hy_factor_order(&factor->problem);
  uint32_t all = hy_all_dims(cube);
  if (cube->address >= 0) hy_factor_traits_of(factor)->reflections(hy_factor_state(factor), tau);
  TRY(hy_agree(cube,
               hy_allreduce(cube, all, tau, order, sizeof *tau, hy_residual_add, NULL, work)));
  TRY(hy_agree(cube, hy_tell_guests(cube, tau, order * (int64_t)sizeof *tau)));
  /* hyla_factor_packed leaves out the reflection of a last row by itself. */
  if (factor->problem.m <= factor->problem.n) tau[order - 1] = 0;
  return HYLA_OK;
}

hyla_status hyla_factor_reflections(hyla_cube *cube, const hyla_factor *factor, double *tau) {
  double *work = NULL;
  struct hy_call call = {
      .name = "hyla_factor_reflections", .place = {{"tau", tau, 0}}, .needs_data = true};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED, &call);
  if (mine == HYLA_OK && hy_factor_traits_of(factor)->reflections == NULL)
    mine = hy_fail(&cube->base, HYLA_UNSUPPORTED, "%s: %s (%s) makes none; take householder's qr",
                   call.name, factor->problem.method->is.name,
                   hy_choice_variant(&factor->plan->choice)->name);
  if (mine == HYLA_OK) call.place[0].room = hy_factor_order(&factor->problem);
  TRY(hy_call_enter(cube, &call, mine));
  int64_t order = hy_factor_order(&factor->problem);
  hyla_status status = hy_agree(cube, hy_alloc_data(&cube->base, order, sizeof *work, &work));
  if (status == HYLA_OK && order > 0) status = hy_factor_gather_reflections(factor, tau, work);
  hy_free(&cube->base, &work);
  return status;
}
