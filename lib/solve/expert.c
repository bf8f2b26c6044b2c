/* hyla_solve_expert: makes a factorization, solves, checks the solution and frees the factors. */
#include "solve/refine.h"

/* All checks of the call; *wanted becomes the factorization that it makes. */
static hyla_status check(hyla_cube *cube, const struct hy_call *call,
                         const hyla_solve_options *options, struct hy_factorization *wanted) {
  TRY(hy_solve_want(cube, call, options->method, 1, wanted));
  TRY(hy_refinement_check(cube, options->refinement, call->name));
  const struct hy_kernels *k = wanted->k;
  hyla_type half;
  CHECK(&cube->base, !hy_refinement_is_mixed(options->refinement) || hy_type_half(k->type, &half),
        ARGUMENT, "%s: type %s has no half precision to factor in; take %s", call->name, k->name,
        options->refinement == HYLA_REFINE_MIXED ? "HYLA_REFINE_FIXED" : "HYLA_REFINE_EXTENDED");
  return HYLA_OK;
}

/* b is needed after the solution. */
static hyla_status solve(struct hyla_factor *factor, const struct hy_expert *e) {
  hyla_status status = hy_factor_compute(factor, e->a, e->b);
  *e->report = hy_solve_report_of(factor);
  TRY(status);
  TRY(hy_factor_finish(factor, e->x));
  return hy_factor_check(factor, e->seen, e->a, e->b, hy_refinement_full(e->options->refinement),
                         e->x, e->report);
}

/* Solves in the precision of the matrices. */
static hyla_status solve_fully(const struct hy_expert *e) {
  hyla_cube *cube = e->wanted->cube;
  const struct hy_call call = {.name = cube->session.call, .variant = e->options->variant};
  struct hyla_factor *factor = NULL;
  *e->report = hy_solve_report_of(NULL);
  TRY(hy_factor_make(cube, &call, e->wanted, &factor));
  hyla_status status = solve(factor, e);
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}

hyla_status hy_expert_solve(const struct hy_expert *e) {
  const char *why = NULL;
  if (hy_refinement_is_mixed(e->options->refinement)) {
    hyla_status status = hy_mixed_solve(e, &why);
    if (why == NULL || status != HYLA_OK) return status;
  }
  hyla_status status = solve_fully(e);
  e->report->fallback = why;
  return status;
}

hyla_status hyla_solve_expert(hyla_cube *cube, const hyla_solve_options *options,
                              const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                              hyla_solve_report *report) {
  hyla_solve_options asked = options == NULL ? (hyla_solve_options){.method = HYLA_LU} : *options;
  struct hy_factorization wanted;
  struct hy_call call = hy_solve_call("hyla_solve_expert", a, b, x);
  call.option[0] = hy_refinement_option(asked.refinement);
  call.place[0] = (struct hy_named_place){"report", report, 1};
  call.number[0] = (int64_t)asked.method;
  call.number[1] = asked.equilibrate;
  call.argument[2].result = x; /* a and b are needed afterwards */
  call.variant = asked.variant;
  if (report != NULL) *report = hy_solve_report_of(NULL);
  TRY(hy_call_agree(cube, &call, check(cube, &call, &asked, &wanted)));
  asked.refinement = hy_refinement_of(asked.refinement, wanted.method, wanted.n);
  return hy_rescaled_solve(&(struct hy_expert){&wanted, &asked, a, b, x, report, {0}});
}
