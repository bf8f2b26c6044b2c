/* Door of solve/divide: eigenvalues and vectors of a symmetric tridiagonal matrix by divide and
 * conquer.
 *
 * T = Z diag(values) Z^T, T of order n with diagonal d and off-diagonal e.  The rows of Z are dealt
 * over all nodes, its columns are whole on each: so columns are turned, moved and multiplied where
 * they lie, and no vector ever travels.  Each root of a secular equation is found by one node, and
 * its bits are then shared: no two ranks can disagree.  Values are the same bits with and without
 * vectors, on any number of ranks; so are vectors where hy_packed_best has products for the type.
 * theory.md, "Tridiagonal eigenproblems". */
#ifndef HY_DIVIDE_H
#define HY_DIVIDE_H 1

#include "collective/collective.h"
#include "matrix/matrix.h"

/* A problem; the same on all ranks. */
struct hy_divide_problem {
  hyla_cube *cube;
  const struct hy_kernels *k; /* of Z, a real type; values are double for both */
  int64_t n;
  bool vectors;       /* is Z wanted?  Otherwise first and end are not read */
  int64_t first, end; /* the vectors of values first ... end-1 in ascending order; within 0 ... n */
};

/* Local.  Z's layout: rows consecutive on all nodes in their order, columns whole; any array. */
hyla_layout hy_divide_layout(const hyla_cube *cube, int64_t n);

/* The state; one block, which hy_free gives back with all that it owns. */
struct hy_divide;
/* Local.  create: copies the problem.  owner: a block that is freed after the state; NULL: none.
 * allocate: takes the memory of runs, of Z's size and O(n) besides.  MEMORY. */
hyla_status hy_divide_create(const struct hy_divide_problem *problem, void *owner,
                             struct hy_divide **divide);
hyla_status hy_divide_allocate(struct hy_divide *divide);

/* Collective over nodes and guests; all return the same, unless communication fails.
 * d, e    n and n-1 numbers, the same bits on every node; guests need none
 * values  n numbers on every rank, ascending
 * z       n x n in the layout above, of the problem's type; NULL without vectors.  Columns
 *         first ... end-1 become the vectors of these values, each of length 1; other columns are
 *         used up.  Its entries before are not read
 * NOT_FINITE: d or e holds a NaN or an infinity.  UNRELIABLE: a value did not converge; the message
 * says in which rows of T. */
hyla_status hy_divide_run(struct hy_divide *divide, const double *d, const double *e,
                          double *values, hyla_matrix *z);

/* Local, after a run, the same on all nodes.  merged: columns of all merges together; deflated:
 * those that needed no root.  For the last merge alone too. */
struct hy_divide_report {
  int64_t merged, deflated;
  int64_t last_merged, last_deflated;
};
struct hy_divide_report hy_divide_report(const struct hy_divide *divide);

#endif
