/* Door of solve/divide: by divide and conquer, the eigenvalues and vectors of a symmetric
 * tridiagonal matrix, and the singular values and vectors of an upper bidiagonal one.
 *
 * T = Z diag(values) Z^T, T of order n with diagonal d and off-diagonal e; B = X diag(values) Y^T,
 * B of order n with diagonal d, and e above it.  The rows of the vectors are dealt over all nodes,
 * their columns are whole on each: so columns are turned, moved and multiplied where they lie, and
 * no vector ever travels.  Each root of a secular equation is found by one node, and its bits are
 * then shared: no two ranks can disagree.  Values are the same bits with and without vectors, on
 * any number of ranks; so are vectors where hy_packed_best has products for the type.  theory.md,
 * "Tridiagonal eigenproblems" and "Bidiagonal singular values". */
#ifndef HY_DIVIDE_H
#define HY_DIVIDE_H 1

#include "collective/collective.h"
#include "matrix/matrix.h"

/* Problems; the same on all ranks.  k: of the vectors, a real type; values are double for both. */
struct hy_divide_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n;
  bool vectors;       /* is Z wanted?  Otherwise first and end are not read */
  int64_t first, end; /* the vectors of values first ... end-1 in ascending order; within 0 ... n */
};
struct hy_singular_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n;
  bool left, right; /* are X and Y wanted? */
};

/* Local.  The layout of Z, X and Y: rows consecutive on all nodes in their order, columns whole;
 * any array. */
hyla_layout hy_divide_layout(const hyla_cube *cube, int64_t n);

/* The states; one block each, which hy_free gives back with all that it owns. */
struct hy_divide;
struct hy_singular;
/* Local.  create: copies the problem.  owner: a block that is freed after the state; NULL: none.
 * allocate: takes the memory of runs, of the size of Z, or X, and O(n) besides.  MEMORY. */
hyla_status hy_divide_create(const struct hy_divide_problem *problem, void *owner,
                             struct hy_divide **divide);
hyla_status hy_divide_allocate(struct hy_divide *divide);
hyla_status hy_singular_create(const struct hy_singular_problem *problem, void *owner,
                               struct hy_singular **singular);
hyla_status hy_singular_allocate(struct hy_singular *singular);

/* Collective over nodes and guests; all return the same, unless communication fails.
 * d, e    n and n-1 numbers, the same bits on every node; guests need none
 * values  n numbers on every rank: eigenvalues ascending; singular values, not negative, descending
 * z       n x n in the layout above, of the problem's type; NULL without vectors.  Columns
 *         first ... end-1 become the vectors of these values, each of length 1; other columns are
 *         used up.  Its entries before are not read
 * x, y    likewise, each NULL if not wanted; all columns become left and right vectors
 * NOT_FINITE: d or e holds a NaN or an infinity.  UNRELIABLE: a value did not converge, the message
 * says in which rows of T; or it is not a number. */
hyla_status hy_divide_run(struct hy_divide *divide, const double *d, const double *e,
                          double *values, hyla_matrix *z);
hyla_status hy_singular_run(struct hy_singular *singular, const double *d, const double *e,
                            double *values, hyla_matrix *x, hyla_matrix *y);

/* Local, after a run, the same on all nodes.  merged: columns of all merges together; deflated:
 * those that needed no root.  For the last merge alone too. */
struct hy_divide_report {
  int64_t merged, deflated;
  int64_t last_merged, last_deflated;
};
struct hy_divide_report hy_divide_report(const struct hy_divide *divide);
struct hy_divide_report hy_singular_report(const struct hy_singular *singular);

/* Local.  Root j of a secular equation (local.h) whose squares add up to 1, as shift + mu. */
void hy_divide_root(const struct hy_secular_kernels *kernels, const struct hy_secular *f,
                    double rho, int j, double *shift, double *mu);

#endif
