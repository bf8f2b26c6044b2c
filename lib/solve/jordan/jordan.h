/* Door of solve/jordan: the pieces of Gauss-Jordan elimination with partial pivoting.
 *
 * Its panels are factored and its rows swapped as LU's, so most of its state is an LU factorization
 * that is never run.  The same code swaps the columns of the inverse: it sees the matrix
 * transposed, a strip of rows at a time. */
#ifndef HY_SOLVE_JORDAN_H
#define HY_SOLVE_JORDAN_H 1

#include "solve/lu/lu.h"

/* One of the two products: with the inverse, or with its transpose. */
struct hy_inverse_product {
  struct hy_subcube_op gather; /* right-hand sides, over the ranks with the same rows of them */
  struct hy_subcube_op adds;   /* sums of the products, over the other dimensions */
};

struct hy_gauss_jordan {
  const struct hy_factorization *problem;
  const struct hy_variant *variant;
  struct hy_factorization elimination; /* the same problem without right-hand sides, for lu */
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_lu *lu;     /* elimination: panels and swaps of rows */
  struct hy_lu turned;  /* swaps of columns: the state that lu_swap.c needs, along a's columns */
  hyla_matrix turned_a; /* a with its axes exchanged */
  char *strip;          /* rows of a, transposed */
  char *sides[2];       /* [0]: right-hand sides as received, later sums; [1]: right-hand sides in
                         * order */
  int64_t *offsets;     /* where members' right-hand sides begin */
  struct hy_inverse_product product[2]; /* [op != HYLA_NONE] */
};

/* The number of a's rows that are transposed at a time. */
static inline int64_t hy_gauss_jordan_strip(int64_t rows) { return hy_min(rows, HY_LU_STRIP); }

/* gauss_jordan_workspace.c: functions of the variant's row. */
hyla_status hy_gauss_jordan_create(const struct hy_variant *variant, const void *given,
                                   void **state);
hyla_status hy_gauss_jordan_allocate(void *state);

/* gauss_jordan_columns.c: a is the inverse of the matrix with swapped rows and becomes that of the
 * matrix itself.  Collective over the nodes, not agreed. */
hyla_status hy_gauss_jordan_swap_columns(struct hy_gauss_jordan *g);

/* gauss_jordan_product.c: the function of hy_factor_traits (contract.h). */
hyla_status hy_gauss_jordan_multiply(void *state, hyla_operation op, const hyla_matrix *b,
                                     hyla_matrix *x);

#endif
