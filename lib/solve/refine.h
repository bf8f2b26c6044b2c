/* Private to lib/solve: solutions are refined by factors of A in its own precision or in half of
 * it. */
#ifndef HY_REFINE_H
#define HY_REFINE_H 1

#include "solve/solve.h"

/* For extended refinement: the course of one column of x. */
struct hy_course {
  double last;  /* size of the last correction relative to x, by 1-norms */
  double ratio; /* the largest quotient of a correction and the one before */
  bool ended;
};

/* Local.  Records a correction of that size; returns whether it is a step forward. */
bool hy_course_advance(struct hy_course *course, double size, double roundoff);

struct hy_refining {
  struct hyla_factor *factor; /* factors of A, or of residual.a in half the precision */
  hyla_matrix *half;          /* corrections in half the precision; NULL: not used */
  hyla_cube *cube;
  const hyla_matrix *a, *b;
  struct hy_seen seen;
  struct hy_residual residual;
  hyla_matrix *now, *next;   /* solutions in the layout of residual.b */
  struct hy_errors errors;   /* of the better solution, `now' */
  struct hy_course *courses; /* extended: of the columns of x; otherwise NULL */
  long double *sizes; /* extended: 1-norms of the columns of a correction, of `next'; twice */
  double forward;     /* extended: a bound on x's error; infinite: the steps do not converge */
};

/* Collective over all ranks, agreed.  end is local, to be called also after a failure, and leaves
 * the factor alone.
 *   make     sets everything except factor, half and errors, for solutions of nrhs columns, which
 *            are 0.  Without a factor the residual has a scaled copy of A, to be factored
 *   refine   steps until the last one, at most `most'; the residual is that of `now'
 *   correct  next := now + A^-1 r, with the correction in residual.b; for these files
 *   extend   the steps with extended residuals, until corrections are rounding
 *   good     local: the smallest error that these steps promise, max(10, sqrt(n)) u */
hyla_status hy_refining_make(struct hy_refining *c, const struct hy_kernels *k, int64_t nrhs,
                             bool extended);
hyla_status hy_refining_refine(struct hy_refining *c, int most, int *steps);
hyla_status hy_refining_correct(struct hy_refining *c);
hyla_status hy_refining_extend(struct hy_refining *c, int *steps);
double hy_refining_good(const struct hy_refining *c);
void hy_refining_end(struct hy_refining *c);

/* Reports on the refined solution, which is in x: the verdict, agreed; rcond must be set. */
hyla_status hy_refining_report(const struct hy_refining *c, hyla_refinement refinement,
                               hyla_solve_report *report);

/* is_mixed, is_extended: the kind of refinement.  of: the kind that DEFAULT means, for a method and
 * an order.  full: the kind to be used in full precision if half of it does not serve. */
bool hy_refinement_is_mixed(hyla_refinement refinement);
bool hy_refinement_is_extended(hyla_refinement refinement);
hyla_refinement hy_refinement_of(hyla_refinement refinement, const struct hy_method *method,
                                 int64_t n);
hyla_refinement hy_refinement_full(hyla_refinement refinement);
/* Are the method's solutions products with A's inverse? */
bool hy_method_by_inverse(const struct hy_method *method);

/* A call of hyla_solve_expert whose arguments have been checked. */
struct hy_expert {
  const struct hy_factorization *wanted;
  const hyla_solve_options *options;
  const hyla_matrix *a, *b;
  hyla_matrix *x;
  hyla_solve_report *report;
  struct hy_seen seen;
};
/*   mixed         by factors in half the precision.  *why: NULL, or the reason why full precision
 *                 must be used; x is then unchanged; a static string
 *   expert        without equilibration, whatever the options say of it
 *   equilibrated  with equilibration
 *   rescaled      in the middle of the type's range, with equilibration if the options say so */
hyla_status hy_mixed_solve(const struct hy_expert *e, const char **why);
hyla_status hy_expert_solve(const struct hy_expert *e);
hyla_status hy_equilibrated_solve(const struct hy_expert *own);
hyla_status hy_rescaled_solve(const struct hy_expert *own);
/* The type of half the precision; false: there is no such type, and HYLA_REFINE_MIXED does not
 * apply. */
bool hy_type_half(hyla_type type, hyla_type *half);

#endif
