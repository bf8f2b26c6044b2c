/* The pass of residuals over A's entries, in pieces that the rank's threads share: sums and
 * products (local.h). */
#include "solve/answer/answer.h"
#include "solve/triangle/triangle.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Each piece has column sums of its own, which are added in the order of the pieces, whichever
 * thread made them.  There are at least PIECES_LEAST pieces of whole cache lines, so that several
 * threads have work, and at most PIECES_MOST, whose rows are whole strips. */
enum { PIECES_LEAST = 4, PIECES_MOST = 16, LINES = 64 };

static int64_t rows_of_piece(const struct hy_residual *r) {
  const int64_t all = hy_max(1, r->b->local_rows);
  const int64_t strips = hy_ceil_div(hy_ceil_div(all, HY_PASS_STRIP), PIECES_MOST);
  const int64_t few = hy_ceil_div(hy_ceil_div(all, PIECES_LEAST), LINES) * LINES;
  return few < HY_PASS_STRIP ? few : strips * HY_PASS_STRIP;
}

int64_t hy_residual_pieces(const struct hy_residual *r) {
  return hy_max(1, hy_ceil_div(r->b->local_rows, rows_of_piece(r)));
}

static struct hy_row_range rows_of(const struct hy_residual *r, int64_t piece) {
  int64_t all = r->b->local_rows, each = rows_of_piece(r);
  int64_t first = hy_min(all, piece * each);
  return (struct hy_row_range){first, hy_min(each, all - first)};
}

static void pass_piece(void *arg, int64_t piece, int thread) {
  const struct hy_residual *r = arg;
  const hyla_matrix *a = r->from;
  const struct hy_row_range rows = rows_of(r, piece);
  const struct hy_pass into = {r->product + rows.first * (int64_t)r->k->size, r->sizes + rows.first,
                               r->sums + r->b->local_rows + rows.first,
                               r->columns + piece * a->local_cols};
  (void)thread;
  if (rows.count == 0) return;
  r->k->pass((int)rows.count, (int)a->local_cols, hy_at(a, rows.first, 0), (int)a->ld, r->x_all,
             r->weights, &into);
}

/* One pass over A as it stands, with the first column of x. */
static void pass(struct hy_residual *r) {
  int64_t rows = r->b->local_rows, cols = r->x->local_rows, pieces = hy_residual_pieces(r);
  for (int64_t j = 0; j < cols; j++) r->weights[j] = cabs(r->k->get(r->x_all, j));
  memset(r->product, 0, (size_t)rows * r->k->size);
  memset(r->sizes, 0, (size_t)rows * sizeof *r->sizes);
  memset(r->sums + rows, 0, (size_t)rows * sizeof *r->sums);
  memset(r->columns, 0, (size_t)(pieces * cols) * sizeof *r->columns);
  if (rows > 0 && cols > 0) hy_solve_share(r->from, pass_piece, r, hy_residual_pieces(r));
}

hyla_status hy_residual_pass(struct hy_residual *r) {
  int64_t rows = r->b->local_rows, cols = r->x->local_rows, pieces = hy_residual_pieces(r);
  pass(r);
  if (r->has_a) return HYLA_OK;
  for (int64_t i = 0; i < rows; i++) r->sums[i] = ldexp(r->sums[rows + i], -r->held);
  for (int64_t piece = 1; piece < pieces; piece++)
    for (int64_t j = 0; j < cols; j++) r->columns[j] += r->columns[piece * cols + j];
  for (int64_t j = 0; j < cols; j++) r->columns[j] = ldexp(r->columns[j], -r->held);
  TRY(hy_allreduce(r->cube, r->col_dims, r->sums, rows, sizeof *r->sums, hy_residual_add, NULL,
                   r->sums + rows));
  TRY(hy_allreduce(r->cube, r->row_dims, r->columns, cols, sizeof *r->columns, hy_residual_add,
                   NULL, r->columns + hy_max(1, pieces - 1) * cols));
  for (int64_t j = 0; j < cols; j++) r->norm.value = fmax(r->norm.value, r->columns[j]);
  r->has_a = true;
  return HYLA_OK;
}
