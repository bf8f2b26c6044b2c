/* Private to solve: the eigenvalue problem's operation and what its variants do. */
#ifndef HY_SOLVE_EIGEN_H
#define HY_SOLVE_EIGEN_H 1

#include "job/job.h"
#include "solve/divide/divide.h"
#include "solve/solve.h"
#include "solve/tridiagonal/tridiagonal.h"

/* A variant's problem.  a: the lower triangle of A, in the reduction's layout; it is used up.  v:
 * for m vectors, its rows as a's, its columns over the dimensions of a's columns; NULL: none are
 * wanted.  z: for the vectors of T, as hy_divide_layout says, of a's real type; NULL: none are
 * wanted, or the variant is played. */
struct hy_eigen_task {
  hyla_cube *cube;
  hyla_matrix *a, *v, *z;
  struct hy_axis v_col; /* of v */
  int64_t first, end;   /* values whose vectors are wanted */
};

/* What a variant's state begins with, and leaves there after `values'. */
struct hy_eigen_found {
  double *values; /* n, ascending, the same on all ranks */
  struct hy_divide_report merges;
};

/* A variant in two steps; its run, which is played, is both.  Both are collective over nodes and
 * guests.
 *   values   finds the values and, if vectors are wanted, those of T in z; agreed upon
 *   vectors  between the two the front has moved wanted columns of z to v, n x m or fewer columns
 *            of it; v becomes Q v; the status is this rank's */
struct hy_eigen_traits {
  hyla_status (*values)(void *state);
  hyla_status (*vectors)(void *state, const hyla_matrix *v);
};

/* The type of the real parts. */
static inline hyla_type hy_real_type(hyla_type type) {
  return type == HYLA_FLOAT || type == HYLA_COMPLEX ? HYLA_FLOAT : HYLA_DOUBLE;
}

extern const struct hy_variant hy_eigen_tridiagonal;

#endif
