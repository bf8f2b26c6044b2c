/* Private to solve/papers: Gauss-Jordan elimination with pivots on the diagonal, A^-1 as a
 * product. */
#ifndef HY_GAUSS_JORDAN_DIAGONAL_H
#define HY_GAUSS_JORDAN_DIAGONAL_H 1

#include "solve/papers/pipeline.h"

struct hy_diagonal_jordan {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_elimination elimination;
  /* For the product with right-hand sides, a panel of factors at a time: */
  struct hy_subcube_op gather; /* the panel, over a rank row */
  struct hy_subcube_op sums;   /* sums over a rank column: the panel's rows and the sides' rows that
                                * all   its ranks need */
  int64_t *offsets;            /* where members' columns begin */
  char *gathered, *panel;      /* the panel's columns as received, and in order */
  char *shared;                /* data that are summed */
  char *used; /* rows of sides, as they were when the panel's columns multiplied them */
};

/* The largest number of columns of a panel. */
enum { HY_JORDAN_PANEL = 64 };

/* gauss_jordan_apply.c, the function of hy_factor_traits (contract.h): x := op(A^-1) x.  On nodes,
 * not agreed. */
hyla_status hy_diagonal_jordan_apply(void *state, hyla_operation op, hyla_matrix *x);

/* gauss_jordan_diagonal_workspace.c: functions of the variant's row. */
hyla_status hy_diagonal_jordan_create(const struct hy_variant *variant, const void *given,
                                      void **state);
hyla_status hy_diagonal_jordan_allocate(void *state);

#endif
