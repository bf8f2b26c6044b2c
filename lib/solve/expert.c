/* hyla_solve_expert: a factorization made, used, its solution checked, and forgotten. */
#include "solve/refine.h"

#include <string.h>

static bool apart(const hyla_matrix *given, const hyla_matrix *x) {
  return given != x && !hy_matrix_overlap(given, x);
}

static hyla_status check(hyla_cube *cube, const hyla_solve_options *options, const hyla_matrix *a,
                         const hyla_matrix *b, const hyla_matrix *x,
                         const hyla_solve_report *report, struct hy_factorization *wanted) {
  TRY(hy_refinement_check(cube, options->refinement));
  CHECK(&cube->base, report != NULL, ARGUMENT, "hyla_solve_expert: report is NULL");
  TRY(hy_solve_want(cube, "hyla_solve_expert", options->method, a, b, x, 1, wanted));
  hyla_type half;
  CHECK(&cube->base,
        !hy_refinement_is_mixed(options->refinement) || hy_type_half(a->k->type, &half), ARGUMENT,
        "hyla_solve_expert: type %s has no half precision to factor in; take %s", a->k->name,
        options->refinement == HYLA_REFINE_MIXED ? "HYLA_REFINE_FIXED" : "HYLA_REFINE_EXTENDED");
  CHECK(&cube->base, apart(a, x) && apart(b, x), ARGUMENT,
        "hyla_solve_expert: x shares entries with a or b, which are needed afterwards; give it "
        "memory of its own");
  return HYLA_OK;
}

/* b is needed after x is there. */
static hyla_status solve(struct hyla_factor *factor, hyla_refinement refinement,
                         const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                         hyla_solve_report *report) {
  hyla_status status = hy_factor_compute(factor, a, b);
  *report = hy_solve_report_of(factor);
  TRY(status);
  TRY(hy_factor_finish(factor, x));
  return hy_factor_check(factor, a, b, refinement, x, report);
}

/* In the precision of the matrices. */
static hyla_status solve_fully(const struct hy_factorization *wanted,
                               const hyla_solve_options *options, const hyla_matrix *a,
                               const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report) {
  struct hyla_factor *factor = NULL;
  hyla_refinement refinement = hy_refinement_full(options->refinement);
  *report = hy_solve_report_of(NULL);
  TRY(hy_factor_make(wanted->cube, wanted, options->variant, &factor));
  hyla_status status = solve(factor, refinement, a, b, x, report);
  (void)hyla_factor_destroy(&factor); /* cannot fail for a factor that was made */
  return status;
}

hyla_status hy_expert_solve(const struct hy_factorization *wanted,
                            const hyla_solve_options *options, const hyla_matrix *a,
                            const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report) {
  const char *why = NULL;
  if (hy_refinement_is_mixed(options->refinement)) {
    hyla_status status = hy_mixed_solve(wanted, options, a, b, x, report, &why);
    if (why == NULL || status != HYLA_OK) return status;
  }
  hyla_status status = solve_fully(wanted, options, a, b, x, report);
  report->fallback = why;
  return status;
}

hyla_status hyla_solve_expert(hyla_cube *cube, const hyla_solve_options *options,
                              const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                              hyla_solve_report *report) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_solve_options asked = options == NULL ? (hyla_solve_options){.method = HYLA_LU} : *options;
  struct hy_factorization wanted;
  if (report != NULL) *report = hy_solve_report_of(NULL);
  hyla_status mine = check(cube, &asked, a, b, x, report, &wanted);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_solve_expert");
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, a), b);
  fingerprint = hy_matrix_fingerprint(fingerprint, x);
  const int64_t words[] = {(int64_t)asked.method, (int64_t)asked.refinement, asked.equilibrate};
  fingerprint = hy_fingerprint(fingerprint, words, sizeof words);
  if (asked.variant != NULL)
    fingerprint = hy_fingerprint(fingerprint, asked.variant, strlen(asked.variant));
  TRY(hy_enter(cube, mine, fingerprint, "hyla_solve_expert"));
  asked.refinement = hy_refinement_of(asked.refinement, wanted.method, wanted.n);
  return hy_rescaled_solve(&wanted, &asked, a, b, x, report);
}
