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
  /* Of the product with right-hand sides, a panel of factors at a time. */
  struct hy_group gather; /* the panel, over a rank row */
  struct hy_group sums;   /* what all of a rank column need of it, and of the sides */
  int64_t *offsets;       /* of the members' columns */
  char *gathered, *panel; /* these as they come, in order */
  char *shared;           /* what is added up */
  char *used;             /* rows of sides, as the panel's columns multiply them */
  hyla_cost cost;         /* of this node */
};

/* Columns of a panel, at most. */
enum { HY_JORDAN_PANEL = 64 };

/* gauss_jordan_apply.c, of the substitutions (solve.h): x := op(A^-1) x.  On nodes, not agreed. */
hyla_status hy_diagonal_jordan_apply(void *state, hyla_operation op, hyla_matrix *x);

/* gauss_jordan_diagonal_workspace.c: of the variant's row. */
hyla_status hy_diagonal_jordan_create(const struct hy_variant *variant, const void *given,
                                      void **state);
hyla_status hy_diagonal_jordan_take(void *state);
void hy_diagonal_jordan_destroy(void **state);

#endif
