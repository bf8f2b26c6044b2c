/* Door of the room solve: factorizations and linear systems.
 *
 * The user names a method (LU), and the planner picks one of its variants, one file each.  A
 * variant works in place on a matrix in the factors' layout, and on right-hand sides whose rows lie
 * as the matrix'.  The front end (factor.c, compute.c, solve.c) copies or redistributes the
 * caller's matrices to these layouts and back. */
#ifndef HY_SOLVE_H
#define HY_SOLVE_H 1

#include "solve/answer/answer.h"

/* ------------------------------------------------------------- methods -- */

/* All methods, in the order of hyla_method; variants.c. */
extern const struct hy_method hy_methods[];
extern const int hy_method_count;

/* Triangular systems for the user; triangle.h says what their variants are. */
extern const struct hy_family hy_trsm_family;
/* Inverses of triangles: variants of triangle.h, with X in the triangle's place. */
extern const struct hy_family hy_trtri_family;
/* Block tridiagonal systems: variants of papers.h. */
extern const struct hy_family hy_tridiagonal_family;
/* Eigenvalue problems: variants of eigen.h. */
extern const struct hy_family hy_eigen_family;
/* The same with a second matrix: eigen_generalized.c. */
extern const struct hy_family hy_eigen_generalized_family;
/* Singular values: methods of svd.h. */
extern const struct hy_family hy_svd_family;
/* QR with pivoted columns: variants of pivoted.h. */
extern const struct hy_family hy_qr_pivoted_family;

/* --------------------------------------------------------- factor objects -- */

/* The parts of the public calls.
 * want     local: checks the arguments and describes the factorization in *wanted; a verdict for
 *          hy_enter; layout: NULL for the method's
 * want_by  the same by a method that need not be in the list; it outlives the factorization
 * make     makes that factorization by the call's variant; on failure *factor is NULL.  Of an
 *          inverse, the call's first two arguments are A and its inverse
 * stage    part of make: plans the moves of the expected matrices, in and out
 * compute  factors.a := a's factors, without a copy if factors.a lies in a's memory; with b, the
 *          first columns of factors.x become L^-1 P b during the run or, if the factors are the
 *          inverse, those of factors.x_along_columns become b
 * finish   x := U^-1 times the first columns of factors.x, or the inverse times x_along_columns'
 * solve    x := op(A)^-1 b, after compute
 * aim      sets the expected matrices of an inverse; factors that are the inverse lie in its place
 *          if they can
 * invert   the run of an inverse's plan
 * want, want_by and aim are local; the others are collective and agreed upon. */
hyla_status hy_factor_want(hyla_cube *cube, const char *call, hyla_method method, hyla_type type,
                           int64_t m, int64_t n, int64_t nrhs, const hyla_layout *layout,
                           struct hy_factorization *wanted);
hyla_status hy_factor_want_by(hyla_cube *cube, const char *call, const struct hy_method *method,
                              hyla_type type, int64_t m, int64_t n, int64_t nrhs,
                              const hyla_layout *layout, struct hy_factorization *wanted);
hyla_status hy_factor_make(hyla_cube *cube, const struct hy_call *call,
                           const struct hy_factorization *wanted, struct hyla_factor **factor);
hyla_status hy_factor_stage(struct hyla_factor *factor);
hyla_status hy_factor_compute(struct hyla_factor *factor, const hyla_matrix *a,
                              const hyla_matrix *b);
hyla_status hy_factor_finish(struct hyla_factor *factor, hyla_matrix *x);
hyla_status hy_factor_solve(struct hyla_factor *factor, hyla_operation op, const hyla_matrix *b,
                            hyla_matrix *x);
void hy_factor_aim(struct hy_factorization *wanted);
hyla_status hy_factor_invert(struct hyla_factor *factor);

/* A function that solves with an n x n matrix A: v := op(A)^-1 v, for a column in a layout;
 * collective over cube and guests, agreed upon. */
struct hy_solver {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n;
  const hyla_layout *layout;
  hyla_status (*solve)(void *arg, hyla_operation op, hyla_matrix *v);
  void *arg;
};

/* hyla_factor_condition by a solver; norm: |A|_1. */
hyla_status hy_solver_condition(const struct hy_solver *solver, struct hy_norm norm, double *rcond);

/* hyla_factor_condition and _growth for a computed factorization that takes right-hand sides. */
hyla_status hy_factor_condition(struct hyla_factor *factor, struct hy_norm norm, double *rcond);
hyla_status hy_factor_growth(const struct hyla_factor *factor, struct hy_norm largest,
                             double *growth);

/* report_of: a new report of a factorization, or of none (NULL), with NaN for all that a solution
 * will tell.  The other: hyla_factor_check for a computed factorization. */
hyla_solve_report hy_solve_report_of(const struct hyla_factor *factor);
hyla_status hy_factor_check(struct hyla_factor *factor, struct hy_seen seen, const hyla_matrix *a,
                            const hyla_matrix *b, hyla_refinement refinement, hyla_matrix *x,
                            hyla_solve_report *report);

/* Local.
 * hy_refinement_option  a refinement as a call's option
 * hy_refinement_check   verdict: does the cube allow it?
 * hy_solve_call         the call of that name on the system A X = B; X is not marked as written
 * hy_solve_want         verdict on such a call; *wanted is the factorization that solves its
 *                       system, for `least' right-hand sides or more */
struct hy_option hy_refinement_option(hyla_refinement refinement);
hyla_status hy_refinement_check(hyla_cube *cube, hyla_refinement refinement, const char *call);
struct hy_call hy_solve_call(const char *name, const hyla_matrix *a, const hyla_matrix *b,
                             const hyla_matrix *x);
hyla_status hy_solve_want(hyla_cube *cube, const struct hy_call *call, hyla_method method,
                          int64_t least, struct hy_factorization *wanted);

/* Collective over all ranks, agreed.  Measures the solution x of A X = B by its residual, reports
 * on it, and judges whether it can be trusted.  condition: sets rcond once |A|_1 is known; NULL:
 * the report has it. */
typedef hyla_status hy_condition(void *arg, struct hy_norm norm, double *rcond);
hyla_status hy_solution_measure(const hyla_matrix *a, const hyla_matrix *b, const hyla_matrix *x,
                                hyla_refinement refinement, hy_condition *condition, void *arg,
                                hyla_solve_report *report);

/* Local.  Adds to a call's arguments the factorization `wanted' and the variant that makes it. */
void hy_factor_call_wanted(const struct hy_factorization *wanted, const char *variant,
                           struct hy_call *call);

/* The type of the real parts. */
static inline hyla_type hy_real_type(hyla_type type) {
  return type == HYLA_FLOAT || type == HYLA_COMPLEX ? HYLA_FLOAT : HYLA_DOUBLE;
}

#endif
