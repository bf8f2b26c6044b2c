/* Gauss-Jordan: a solution, x := op(A^-1) b, by one product with the inverse, which stays where it
 * is.
 *
 * b lies along the columns of op(A^-1), with its own columns over the dimensions of the rows; x
 * lies along the rows, with its columns over the dimensions of the columns.  The ranks with the
 * same rows of b gather all its columns.  Each multiplies them by its part of the inverse.  The
 * products are added over the ranks with the same rows of x, on each rank for its own columns.
 *
 * Example on 4 nodes, 2 x 2: nodes (0, j) and (1, j) gather b(j); node (i, j) computes A^-1(i, j)
 * b(j); nodes (i, 0) and (i, 1) add their products, each for its half of x's columns.
 *
 * Steps: one all-gather, and a reduction for each rank that x's columns are split over. */
#include "solve/jordan/jordan.h"

#include <string.h>

/* sides[1] := all columns of b, in the order of x's columns, part by part. */
static hyla_status gather(const struct hy_gauss_jordan *g, const struct hy_subcube_op *group,
                          const hyla_matrix *b, const hyla_matrix *x) {
  const struct hy_gathered all = {group, b, g->offsets, g->sides[0]};
  size_t bytes = (size_t)b->local_rows * g->k->size;
  char *to = g->sides[1];
  TRY(hy_gathered_run(&all));
  hy_count_copied(g->cube, b->local_rows * b->col.n);
  if (g->k->dry) return HYLA_OK;
  for (int part = 0; part < x->col.parts; part++)
    for (int64_t l = 0; l < hy_held(&x->col, part); l++) {
      memcpy(to, hy_gathered_column(&all, hy_axis_index(&x->col, part, l)), bytes);
      to += bytes;
    }
  return HYLA_OK;
}

/* Adds sides[0], x's local rows of all columns, on the ranks that have these columns of x. */
static hyla_status add_up(const struct hy_gauss_jordan *g, const struct hy_subcube_op *adds,
                          const hyla_matrix *x) {
  int64_t rows = x->local_rows, ld = hy_max(1, rows);
  char *sums = g->sides[0];
  for (int part = 0; part < x->col.parts; part++) {
    int64_t columns = hy_held(&x->col, part);
    if (x->col.parts > 1)
      TRY(hy_sum_sides(adds, g->k, hy_matrix_node(x, x->row_part, part), sums, rows * columns));
    if (part == x->col_part) {
      g->k->copy(HYLA_NONE, (int)rows, (int)columns, 1, sums, (int)ld, x->local, (int)x->ld);
      hy_count_copied(g->cube, rows * columns);
    }
    sums += rows * columns * (int64_t)g->k->size;
  }
  return HYLA_OK;
}

hyla_status hy_gauss_jordan_multiply(void *state, hyla_operation op, const hyla_matrix *b,
                                     hyla_matrix *x) {
  const struct hy_gauss_jordan *g = state;
  const struct hy_kernels *k = g->k;
  if (g->cube->address < 0 || b->col.n == 0) return HYLA_OK;
  const struct hy_inverse_product *product = &g->product[op != HYLA_NONE];
  int rows = (int)x->local_rows, inner = (int)b->local_rows, columns = (int)b->col.n;
  TRY(gather(g, &product->gather, b, x));
  k->gemm(op, HYLA_NONE, rows, columns, inner, 1, g->a->local, (int)g->a->ld, g->sides[1],
          (int)hy_max(1, inner), 0, g->sides[0], (int)hy_max(1, rows));
  hy_compute(g->cube, INT64_C(2) * rows * inner * columns, k->size, k->complex_type);
  return add_up(g, &product->adds, x);
}
