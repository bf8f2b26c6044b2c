/* Door of solve/jordan: the pieces of Gauss-Jordan elimination with partial pivoting.
 *
 * Its panels are factored, its rows swapped as LU's, so most of its state is a factorization by
 * LU that is not run.  The columns of the inverse are swapped by the same code, which sees the
 * matrix transposed, a strip of rows at a time. */
#ifndef HY_SOLVE_JORDAN_H
#define HY_SOLVE_JORDAN_H 1

#include "solve/lu/lu.h"

/* One of the two products with the inverse: with itself, or with its transpose. */
struct hy_inverse_product {
  struct hy_group gather; /* right-hand sides, over the ranks that hold the same rows of these */
  struct hy_group adds;   /* sums of the products, over the others */
};

struct hy_gauss_jordan {
  const struct hy_factorization *problem;
  struct hy_factorization elimination; /* the same without right-hand sides, for lu */
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_lu *lu;     /* elimination: panels, swaps of rows */
  struct hy_lu turned;  /* swaps of columns: what lu_swap.c wants, along a's columns */
  hyla_matrix turned_a; /* whose axes are a's, exchanged */
  char *strip;          /* rows of a, transposed */
  char *sides[2];       /* right-hand sides as they come and, later, sums; these in order */
  int64_t *offsets;     /* of members' right-hand sides */
  struct hy_inverse_product product[2]; /* [op != HYLA_NONE] */
  hyla_cost cost;                       /* of this node, the most */
};

/* Rows of a that are transposed at a time. */
static inline int64_t hy_gauss_jordan_strip(int64_t rows) { return hy_min(rows, HY_LU_STRIP); }

/* gauss_jordan_workspace.c: of the variant's row. */
hyla_status hy_gauss_jordan_create(const struct hy_variant *variant, const void *given,
                                   void **state);
hyla_status hy_gauss_jordan_take(void *state);
void hy_gauss_jordan_destroy(void **state);

/* gauss_jordan_cost.c, local: what the rank at parts p, q spends, with its workspace; the most that
 * any spends.  least: where no rows need swapping. */
hyla_status hy_gauss_jordan_cost_at(const struct hy_gauss_jordan *g, int p, int q, hyla_cost *least,
                                    hyla_cost *most);
hyla_status hy_gauss_jordan_cost(const struct hy_gauss_jordan *g, hyla_cost *least,
                                 hyla_cost *most);

/* gauss_jordan_cost.c: bytes of the workspace of the rank at row part p, column part q,
 * beside lu's. */
struct hy_gauss_jordan_sizes {
  int64_t numbers, gathered, top, strip, sides;
};
struct hy_gauss_jordan_sizes hy_gauss_jordan_sizes(const struct hy_gauss_jordan *g, int p, int q);

/* gauss_jordan_columns.c: a, the inverse of the matrix with its rows swapped, becomes that of the
 * matrix itself.  Collective over the nodes, not agreed. */
hyla_status hy_gauss_jordan_swap_columns(struct hy_gauss_jordan *g);

/* gauss_jordan_product.c: of the substitutions (solve.h). */
hyla_status hy_gauss_jordan_multiply(void *state, hyla_operation op, const hyla_matrix *b,
                                     hyla_matrix *x);

#endif
