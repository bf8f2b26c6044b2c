/* Private to solve: the eigenvalue problem's operation and what its variants do. */
#ifndef HY_SOLVE_EIGEN_H
#define HY_SOLVE_EIGEN_H 1

#include "job/job.h"
#include "solve/divide/divide.h"
#include "solve/small.h"
#include "solve/solve.h"
#include "solve/tridiagonal/tridiagonal.h"

/* A variant's problem; orders up to HY_SMALL have a variant of their own.  n: A's order; k: of its
 * type.  a: the lower triangle of A, in the reduction's layout; it is used up.  v: for m vectors,
 * its rows as a's, its columns over the dimensions of a's columns; NULL: none are wanted.  z: for
 * the vectors of T, as hy_divide_layout says, of a's real type; NULL: none are wanted, n is at most
 * HY_SMALL, or the variant is played. */
struct hy_eigen_task {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n;
  hyla_matrix *a, *v, *z;
  struct hy_axis v_col; /* of v */
  int64_t first, end;   /* values whose vectors are wanted */
  bool vectors;         /* are they? */
};

/* What a variant's state begins with, and leaves there after `values'. */
struct hy_eigen_found {
  double *values; /* n, ascending, the same on all ranks */
  struct hy_divide_report merges;
  bool orthogonalized; /* after `vectors': they have taken the step of hy_orthogonal_run */
};

/* A variant in two steps; its run, which is played, is both.  Both are collective over nodes and
 * guests.
 *   values   finds the values and, if vectors are wanted, those of T in z; agreed upon
 *   vectors  between the two the front has moved wanted columns of z to v, n x m or fewer columns
 *            of it; v becomes Q v.  Without z, for n up to HY_SMALL, v becomes the vectors of
 *            values first ...; the status is this rank's */
struct hy_eigen_traits {
  hyla_status (*values)(void *state);
  hyla_status (*vectors)(void *state, int64_t first, const hyla_matrix *v);
  bool whole; /* every node has all of A and of the vectors */
};

/* Of hyla_eigen_range and hyla_eigen_pencil; NULL at the end. */
extern const char *const hy_eigen_range_names[], *const hy_pencil_names[];

/* Local.
 * step_cost    what the vectors' step sends from this node beyond the plan's cost, which holds it
 *              if it is certain (hyla_spectrum.orthogonalized); 0 for other plans
 * room         of the values that are asked for; n: A's order
 * check_range  verdict on a call's arguments, its range, and the room for vectors
 * standard     the plan of the standard problem in that of a generalised one; NULL: it is none */
hyla_status hy_eigen_step_cost(const hyla_plan *plan, hyla_cost *cost);
int64_t hy_eigen_room(const hyla_eigen_options *options, int64_t n);
hyla_status hy_eigen_check_range(hyla_cube *cube, const struct hy_call *call,
                                 const hyla_eigen_options *options, int64_t n,
                                 const hyla_matrix *vectors);
const hyla_plan *hy_eigen_standard(const hyla_plan *plan);

/* Collective over cube and guests, agreed.  The Frobenius norm of a Hermitian matrix, by its
 * triangle and the real parts of its diagonal. */
hyla_status hy_eigen_norm(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *m,
                          double *norm);

/* Collective over cube and guests, not agreed.  The values of a matrix of kernels k whose reduction
 * has scaled it by 2^-exponent and then subtracted mean I, which nodes alone know, become those of
 * A, on all ranks. */
hyla_status hy_eigen_scale_back(hyla_cube *cube, const struct hy_kernels *k, int64_t n,
                                int exponent, double mean, double *values);

/* hyla_eigen_plan for the lower triangle of a matrix that is used up: in place if it lies as
 * hy_tridiagonal_layout says. */
hyla_status hy_eigen_plan_over(hyla_cube *cube, const hyla_eigen_options *options, hyla_matrix *a,
                               double *values, hyla_matrix *vectors, hyla_plan **plan);

extern const struct hy_variant hy_eigen_band, hy_eigen_fixed, hy_eigen_small, hy_eigen_tridiagonal;

#endif
