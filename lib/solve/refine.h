/* Private to lib/solve: solutions refined by factors of A in its own or in half the precision. */
#ifndef HY_REFINE_H
#define HY_REFINE_H 1

#include "solve/residual.h"

struct hy_refining {
  struct hyla_factor *factor; /* of A, or of residual.a in half the precision */
  hyla_matrix *half;          /* corrections in half the precision; NULL: none are */
  hyla_cube *cube;
  const hyla_matrix *a, *b;
  struct hy_residual residual;
  hyla_matrix *now, *next; /* solutions in the layout of residual.b */
  struct hy_errors errors; /* of the better one, `now' */
};

/* Collective over cube and guests, agreed upon; end is local, also after a failure, and leaves the
 * factor alone.
 * make    all but factor, half and errors, for solutions of nrhs columns; 0 in both
 * refine  steps until one is the last, at most so many; the residual is that of `now' */
hyla_status hy_refining_make(struct hy_refining *c, const struct hy_kernels *k, int64_t nrhs);
hyla_status hy_refining_refine(struct hy_refining *c, int most, int *steps);
void hy_refining_end(struct hy_refining *c);

/* The report of what has been refined, x in its place: its verdict, agreed upon.  norm: |A|_1; the
 * report's rcond is known. */
hyla_status hy_refining_report(const struct hy_refining *c, hyla_refinement refinement, double norm,
                               hyla_solve_report *report);

/* hyla_solve_expert with HYLA_REFINE_MIXED.  *why: NULL, or why full precision has to do it, x then
 * untouched; a static string. */
hyla_status hy_mixed_solve(const struct hy_factorization *wanted, const char *variant,
                           const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                           hyla_solve_report *report, const char **why);
/* hyla_solve_expert once its arguments are checked, without equilibration, whatever the options say
 * of it; and with it. */
hyla_status hy_expert_solve(const struct hy_factorization *wanted,
                            const hyla_solve_options *options, const hyla_matrix *a,
                            const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report);
hyla_status hy_equilibrated_solve(const struct hy_factorization *wanted,
                                  const hyla_solve_options *options, const hyla_matrix *a,
                                  const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report);
/* Of half the precision; HYLA_REFINE_MIXED is for types that have one. */
bool hy_type_half(hyla_type type, hyla_type *half);

#endif
