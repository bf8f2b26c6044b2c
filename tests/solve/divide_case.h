/* What tests of divide and conquer share: bands, solvers of both problems, and properties that hold
 * for both.  A test describes its problem by a table (struct divide_case). */
#ifndef DIVIDE_CASE_H
#define DIVIDE_CASE_H 1

#include "tests/harness/cube.h"
#include "tests/harness/draw.h"

#include "solve/divide/divide_state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A diagonal and what stands beside it.  values: known ones in the solver's order, or NULL. */
struct band {
  int64_t n;
  double *d, *e, *values;
};

/* left: NULL for eigenvalues.  Vectors are whole, on every rank; NULL without vectors. */
struct solved {
  double *values, *z, *left;
  struct hy_divide_report report;
};

/* A problem.
 *   make    a matrix of a kind
 *   size    its norm, as bounds take it
 *   below   the number of values below x, by the signs of pivots
 *   residual  the sums of column j of what would be zero, and nothing else
 *   whole, close  kinds without and with deflation, for properties of one matrix; random, glued:
 *           others */
struct divide_case {
  bool singular;
  int kinds, whole, close, random, glued;
  struct band (*make)(int kind, int64_t n);
  double (*size)(const struct band *b);
  int64_t (*below)(const struct band *b, double x);
  double (*residual)(const struct band *b, const struct solved *r, int64_t j);
};

double divide_uniform(void);
struct band divide_band(int64_t n);
void divide_drop(struct band *b);

/* How a problem is solved, besides its arguments.  first, end: vectors that are wanted of
 * eigenvalues, where `some' is set. */
struct way {
  bool alone; /* the cube has one rank */
  bool blas;  /* products by BLAS */
  bool some;
  int64_t first, end;
};
struct solved divide_solve_by(const struct divide_case *of, hyla_cube *cube, hyla_type type,
                              const struct band *b, bool vectors, struct way way);
struct solved divide_solve(const struct divide_case *of, hyla_cube *cube, hyla_type type,
                           const struct band *b, bool vectors);
void divide_release(struct solved *r);
/* The status of a run for values, on all ranks.  sweeps: of a leaf; -1: as always. */
hyla_status divide_status(const struct divide_case *of, hyla_cube *cube, const struct band *b,
                          int sweeps);

/* Properties: values are where pivots say, vectors' residual and orthogonality are small, the bits
 * are those of one rank; for kinds and sizes of a walk; by BLAS; with threads; times powers of 2;
 * NaN; counted costs. */
void divide_check(const struct divide_case *of, hyla_cube *cube, int kind, int64_t n);
void divide_walk(const struct divide_case *of, const int64_t *sizes, int count, int64_t glued);
void divide_by_blas(const struct divide_case *of);
void divide_threads(const struct divide_case *of);
void divide_powers(const struct divide_case *of);
void divide_not_finite(const struct divide_case *of);
void divide_costs(const struct divide_case *of, struct band *most);

#endif
