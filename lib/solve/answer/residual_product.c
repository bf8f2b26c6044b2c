/* A x and |A| |x| for residuals, each with one sum over the rank rows. */
#include "solve/answer/answer.h"

#include <complex.h>
#include <string.h>

void hy_residual_add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  double *a = into;
  const double *b = from;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

/* product := A x on this rank, for all columns except the first, in pieces as in the pass
 * (local.h).  Refinement cannot be better than its residuals. */
static void multiply_here(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *a = r->from;
  int64_t size = (int64_t)k->size, rows = a->local_rows, cols = a->local_cols;
  int ld = (int)hy_max(1, rows), ld_x = (int)hy_max(1, cols), nrhs = (int)r->nrhs - 1;
  char *product = r->product + rows * size, *piece = r->product + rows * r->nrhs * size;
  const char *x = r->x_all + cols * size;
  for (int64_t first = 0; nrhs > 0 && first < hy_max(1, cols); first += HY_PASS_PIECE) {
    int count = (int)hy_min(HY_PASS_PIECE, cols - first);
    k->gemm(HYLA_NONE, HYLA_NONE, (int)rows, nrhs, count, 1,
            count > 0 ? hy_at(a, 0, first) : a->local, (int)a->ld, x + first * size, ld_x, 0,
            first == 0 ? product : piece, ld);
    if (first > 0) k->add((int)rows, nrhs, piece, ld, product, ld);
  }
}

/* product := A x, summed over the rank rows. */
static hyla_status multiply_plain(struct hy_residual *r) {
  int64_t count = r->b->local_rows * r->nrhs;
  multiply_here(r);
  return hy_allreduce(r->cube, r->col_dims, r->product, count, r->k->size, hy_solve_sum, r->k,
                      r->product + count * (int64_t)r->k->size);
}

static void add_words(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  hy_extended_add(count, from, into);
}

/* The same, in words of twice the precision. */
static hyla_status multiply_extended(struct hy_residual *r) {
  const hyla_matrix *a = r->from;
  int64_t cols = a->local_cols, count = hy_residual_words(r);
  memset(r->words, 0, (size_t)count * sizeof *r->words);
  for (int64_t c = 0; c < r->nrhs; c++)
    hy_extended_products(r->k, (int)a->local_rows, (int)cols, a->local, (int)a->ld,
                         r->x_all + c * cols * (int64_t)r->k->size,
                         r->words + c * a->local_rows * hy_extended_words(r->k));
  return hy_allreduce(r->cube, r->col_dims, r->words, count, sizeof *r->words, add_words, NULL,
                      r->words + count);
}

/* |A| |x|, summed over the rank rows; the first column is already known. */
static hyla_status multiply_sizes(struct hy_residual *r) {
  const hyla_matrix *a = r->from;
  int64_t rows = a->local_rows, count = rows * r->nrhs;
  for (int64_t i = rows; i < count; i++) r->sizes[i] = 0;
  for (int64_t c = 1; c < r->nrhs; c++) {
    for (int64_t j = 0; j < a->local_cols; j++)
      r->weights[j] = cabs(r->k->get(r->x_all, c * a->local_cols + j));
    r->k->weighted_sums(HYLA_NONE, (int)rows, (int)a->local_cols, a->local, (int)a->ld, r->weights,
                        r->sizes + c * rows);
  }
  return hy_allreduce(r->cube, r->col_dims, r->sizes, count, sizeof *r->sizes, hy_residual_add,
                      NULL, r->sizes + count);
}

hyla_status hy_residual_multiply(struct hy_residual *r) {
  const hyla_matrix *x = r->x;
  int64_t rows = x->local_rows, column = rows * (int64_t)r->k->size;
  for (int part = 0; part <= x->col.parts; part++)
    r->offsets[part] = rows * hy_min(part * x->col.block, r->nrhs);
  for (int64_t j = 0; j < x->local_cols; j++)
    memcpy(r->x_all + column * hy_axis_index(&x->col, x->col_part, j), hy_at(x, 0, j),
           (size_t)column);
  TRY(hy_subcube_allgather(&r->group, r->x_all, r->offsets));
  for (int64_t c = 0; c < r->nrhs; c++) hy_shift(r->k, rows, -r->held, r->x_all + c * column);
  TRY(hy_residual_pass(r));
  TRY(r->extended ? multiply_extended(r) : multiply_plain(r));
  return r->componentwise ? multiply_sizes(r) : HYLA_OK;
}
