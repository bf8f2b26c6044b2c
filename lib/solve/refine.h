/* Private to lib/solve: solutions refined by factors of A in its own or in half the precision. */
#ifndef HY_REFINE_H
#define HY_REFINE_H 1

#include "solve/solve.h"

/* Of extended refinement: how a column of x goes. */
struct hy_course {
  double last;  /* correction's size, to that of x, by 1-norms; of the last one */
  double ratio; /* the largest of one correction to the one before */
  bool ended;
};

struct hy_refining {
  struct hyla_factor *factor; /* of A, or of residual.a in half the precision */
  hyla_matrix *half;          /* corrections in half the precision; NULL: none are */
  hyla_cube *cube;
  const hyla_matrix *a, *b;
  struct hy_residual residual;
  hyla_matrix *now, *next;   /* solutions in the layout of residual.b */
  struct hy_errors errors;   /* of the better one, `now' */
  struct hy_course *courses; /* extended: of the columns of x; else NULL */
  long double *sizes; /* extended: 1-norms of the columns of a correction, of `next'; twice */
  double forward;     /* extended: bounds x's error; infinite: the steps do not converge */
};

/* Collective over cube and guests, agreed upon; end is local, also after a failure, and leaves the
 * factor alone.
 * make     all but factor, half and errors, for solutions of nrhs columns; 0 in both.  Without a
 *          factor the residual has a copy of A, scaled, to make one of
 * refine   steps until one is the last, at most so many; the residual is that of `now'
 * correct  next := now + A^-1 r, the correction in residual.b; for these files
 * extend   the steps where residuals are extended: until corrections are rounding
 * good     local: no smaller error is promised of them, max(10, sqrt(n)) u */
hyla_status hy_refining_make(struct hy_refining *c, const struct hy_kernels *k, int64_t nrhs,
                             bool extended);
hyla_status hy_refining_refine(struct hy_refining *c, int most, int *steps);
hyla_status hy_refining_correct(struct hy_refining *c);
hyla_status hy_refining_extend(struct hy_refining *c, int *steps);
double hy_refining_good(const struct hy_refining *c);
void hy_refining_end(struct hy_refining *c);

/* The report of what has been refined, x in its place: its verdict, agreed upon; rcond is known. */
hyla_status hy_refining_report(const struct hy_refining *c, hyla_refinement refinement,
                               hyla_solve_report *report);

/* What kind of refinement it is; the one that DEFAULT stands for, of a method and an order; what is
 * done in full precision where half of it does not serve. */
bool hy_refinement_is_mixed(hyla_refinement refinement);
bool hy_refinement_is_extended(hyla_refinement refinement);
hyla_refinement hy_refinement_of(hyla_refinement refinement, const struct hy_method *method,
                                 int64_t n);
hyla_refinement hy_refinement_full(hyla_refinement refinement);
/* Solutions are products with A's inverse. */
bool hy_method_by_inverse(const struct hy_method *method);

/* hyla_solve_expert with HYLA_REFINE_MIXED or _MIXED_EXTENDED.  *why: NULL, or why full precision
 * has to do it, x then untouched; a static string. */
hyla_status hy_mixed_solve(const struct hy_factorization *wanted, const hyla_solve_options *options,
                           const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                           hyla_solve_report *report, const char **why);
/* hyla_solve_expert once its arguments are checked, without equilibration, whatever the options say
 * of it; with it where they say so; that in the middle of the type's range. */
hyla_status hy_expert_solve(const struct hy_factorization *wanted,
                            const hyla_solve_options *options, const hyla_matrix *a,
                            const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report);
hyla_status hy_equilibrated_solve(const struct hy_factorization *wanted,
                                  const hyla_solve_options *options, const hyla_matrix *a,
                                  const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report);
hyla_status hy_rescaled_solve(const struct hy_factorization *wanted,
                              const hyla_solve_options *options, const hyla_matrix *a,
                              const hyla_matrix *b, hyla_matrix *x, hyla_solve_report *report);
/* Of half the precision; HYLA_REFINE_MIXED is for types that have one. */
bool hy_type_half(hyla_type type, hyla_type *half);

#endif
