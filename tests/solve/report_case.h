/* Systems, and solutions with a report, for the tests of reports. */
#ifndef REPORT_CASE_H
#define REPORT_CASE_H 1

#include "lu_case.h"

/* a, x, b, whole on every rank; b = A x, rounded. */
struct report_system {
  int64_t n, nrhs;
  int type;
  double unit; /* roundoff */
  double _Complex *a, *x, *b;
};

/* Entries of a; small integers in x. */
struct report_system report_draw(int type, int64_t n, int64_t nrhs);
void report_free(struct report_system *s);
/* Recomputes b from a and x. */
void report_set_b(struct report_system *s);

/* uniform: a number between -1 and 1.  rounded: a number in the type's precision. */
double _Complex report_uniform(int type);
double _Complex report_rounded(int type, double _Complex value);

/* A := A A^H / n + I, or (A + A^H) / 2. */
void report_make_hermitian(struct report_system *s, bool definite);

/* One system in one layout, for several solutions. */
struct report_placed {
  hyla_cube *cube;
  hyla_matrix *a, *b, *x;
};
struct report_placed report_place(hyla_cube *cube, const struct report_system *s);
void report_leave(struct report_placed *p);

/* Calls hyla_solve_expert while the first allocation, and each step-th one up to `most', fails on
 * one rank.  All ranks must learn of it, and nothing may leak. */
void report_memory_runs_out(const struct report_placed *p, const hyla_solve_options *options,
                            int step, int most);

void report_note(const struct report_system *s, const char *what);

/* Solves with matrices in any layouts; *y: the solution, whole; the caller frees it. */
hyla_status report_solve(hyla_cube *cube, const struct report_system *s, hyla_refinement refinement,
                         hyla_solve_report *report, double _Complex **y);

/* report_of: the backward errors of a solution y by their definitions, in long double.  check:
 * fails unless a report has these errors, up to the rounding of the residual.  error: the 1-norm of
 * the error of y's worst column, relative to y. */
hyla_solve_report report_of(const struct report_system *s, const double _Complex *y);
void report_assert_errors(const struct report_system *s, const double _Complex *y,
                          const hyla_solve_report *report);
double report_forward_error(const struct report_system *s, const double _Complex *y);
/* Fails unless every number is the same on all ranks, to the bit. */
void report_assert_common(hyla_cube *cube, const hyla_solve_report *report);

#endif
