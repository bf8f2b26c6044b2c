/* LU: substitution with few right-hand sides.
 *
 * The matrix stays where it is.  Each rank column keeps the sum of what its own
 * columns contribute to every right-hand side (the sums are partly in space,
 * partly in place; Johnsson 1987, 6.4.1).  Block k of the solution is the sum over
 * rank row p_k, formed on rank column q_k.  Forward, every member of q_k forms
 * it, as all got the swapped rows and know the diagonal block; backward the
 * member on p_k does and broadcasts it along q_k.  Then q_k's own sums go on.
 *
 * Steps a block: forward r (swaps) + c, backward c + r; block x nrhs words each.
 * At the end one reduction over the rank row for each rank column's share.
 * Backward, q_k first brings the rows of block k - 1 up to date, then the rest,
 * while q_(k-1) is at work already. */
#include "solve/lu.h"

#include <string.h>

struct substitution {
  struct hy_lu *lu;
  const struct hy_kernels *k;
  struct hyla_matrix sums; /* this rank column's, all right-hand sides */
  int nrhs;
};

/* The columns of x that rank column `part` has, among those of the sums, which
 * are in the order of the parts. */
static int64_t first_of(const struct hyla_matrix *x, int part) {
  int64_t first = 0;
  for (int i = 0; i < part; i++) first += hy_axis_before(&x->col, i, x->col.n);
  return first;
}

/* Starts the sums: the right-hand sides that x has here, zeros for the others. */
static struct substitution begin(struct hy_lu *lu, const struct hyla_matrix *x) {
  struct substitution s = {.lu = lu, .k = lu->k, .sums = *x, .nrhs = (int)x->col.n};
  s.sums.local = lu->sums;
  s.sums.ld = hy_max(1, x->local_rows);
  s.sums.local_cols = s.nrhs;
  memset(lu->sums, 0, (size_t)(x->local_rows * s.nrhs) * lu->k->size);
  lu->k->copy(HYLA_NONE, (int)x->local_rows, (int)x->local_cols, 1, x->local, (int)x->ld,
              hy_at(&s.sums, 0, first_of(x, x->col_part)), (int)s.sums.ld);
  return s;
}

/* Adds the sums up over the rank row, each rank column's right-hand sides there. */
static hyla_status end(const struct substitution *s, const struct hyla_matrix *x) {
  struct hy_lu *lu = s->lu;
  int64_t first = 0;
  for (int part = 0; part < x->col.parts; part++) {
    int64_t columns = hy_axis_before(&x->col, part, x->col.n);
    TRY(hy_group_reduce(&lu->adds, hy_matrix_node(x, x->row_part, part), hy_at(&s->sums, 0, first),
                        x->local_rows * columns, hy_solve_sum, s->k));
    first += columns;
  }
  s->k->copy(HYLA_NONE, (int)x->local_rows, (int)x->local_cols, 1,
             hy_at(&s->sums, 0, first_of(x, x->col_part)), (int)s->sums.ld, x->local, (int)x->ld);
  return HYLA_OK;
}

/* Block k of the sums becomes the solution on q_k and zero elsewhere, so that
 * the sum over the rank row is the solution. */
static void settle(const struct substitution *s, const struct hy_lu_shape *at, const char *block) {
  for (int j = 0; j < s->nrhs; j++) {
    char *to = hy_at(&s->sums, at->row, j);
    size_t bytes = (size_t)at->width * s->k->size;
    if (at->mine)
      memcpy(to, block + (size_t)j * bytes, bytes);
    else
      memset(to, 0, bytes);
  }
}

/* sums -= A block, in local rows row ... row+rows-1. */
static void subtract(const struct substitution *s, const struct hy_lu_shape *at, int64_t row,
                     int64_t rows, const char *block) {
  const hyla_matrix *a = s->lu->a;
  s->k->gemm(HYLA_NONE, HYLA_NONE, (int)rows, s->nrhs, at->width, -1, hy_at(a, row, at->column),
             (int)a->ld, block, at->width, 1, hy_at(&s->sums, row, 0), (int)s->sums.ld);
  hy_compute(s->lu->cube, 2 * rows * at->width * s->nrhs, s->k->size, s->k->complex_type);
}

static hyla_status sum_block(const struct substitution *s, const struct hy_lu_shape *at,
                             char *block) {
  struct hy_lu *lu = s->lu;
  return hy_group_reduce(&lu->adds, hy_lu_row_root(lu, at->index), block,
                         (int64_t)at->width * s->nrhs, hy_solve_sum, s->k);
}

static void solve_block(const struct substitution *s, const struct hy_lu_shape *at,
                        hyla_triangle triangle, hyla_diagonal diagonal, char *block) {
  s->k->trsm(HYLA_LEFT, triangle, HYLA_NONE, diagonal, at->width, s->nrhs, 1,
             hy_lu_diagonal(s->lu, at), (int)s->lu->block, block, at->width);
  int64_t ones = diagonal == HYLA_UNIT_DIAGONAL; /* are not divided by */
  hy_compute(s->lu->cube, at->width * (at->width - ones) * s->nrhs, s->k->size, s->k->complex_type);
}

hyla_status hy_lu_few_forward(struct hy_lu *lu, struct hyla_matrix *x) {
  struct substitution s = begin(lu, x);
  for (int64_t index = 0; index < lu->panels; index++) {
    struct hy_lu_shape at = hy_lu_shape(lu, index);
    hy_lu_swap_plan(lu, &at);
    TRY(hy_lu_swap_gather(lu, &s.sums, 0, s.nrhs));
    hy_lu_swap_strip(lu, &at, &s.sums, 0, s.nrhs, 0, s.nrhs);
    TRY(sum_block(&s, &at, lu->strip));
    if (at.mine) {
      int above = at.top ? at.width : 0;
      solve_block(&s, &at, HYLA_LOWER, HYLA_UNIT_DIAGONAL, lu->strip);
      subtract(&s, &at, at.row + above, at.rows - above, lu->strip);
    }
    if (at.top) settle(&s, &at, lu->strip);
  }
  return end(&s, x);
}

/* Backward: what is left of the update by an earlier block. */
struct rest {
  struct hy_lu_shape at;
  int64_t rows;
  const char *block;
};

static void catch_up(const struct substitution *s, struct rest *rest) {
  if (rest->rows > 0) subtract(s, &rest->at, 0, rest->rows, rest->block);
  rest->rows = 0;
}

/* Solves for a block on rank column q_k; subtracts it from the rows of the next
 * one, and leaves the other rows for later. */
static hyla_status solve_on_column(const struct substitution *s, const struct hy_lu_shape *at,
                                   char *block, struct rest *rest) {
  struct hy_lu *lu = s->lu;
  if (at->top) solve_block(s, at, HYLA_UPPER, HYLA_ANY_DIAGONAL, block);
  TRY(hy_group_broadcast(&lu->blocks, hy_lu_col_root(lu, at->index), block,
                         (int64_t)at->width * s->nrhs));
  int64_t row = at->row;
  if (at->index > 0) {
    row = hy_lu_shape(lu, at->index - 1).row;
    subtract(s, at, row, at->row - row, block);
  }
  *rest = (struct rest){.at = *at, .rows = row, .block = block};
  return HYLA_OK;
}

hyla_status hy_lu_few_backward(struct hy_lu *lu, struct hyla_matrix *x) {
  struct substitution s = begin(lu, x);
  struct rest rest = {.rows = 0};
  int64_t half = lu->block * s.nrhs * (int64_t)s.k->size;
  for (int64_t index = lu->panels - 1; index >= 0; index--) {
    struct hy_lu_shape at = hy_lu_shape(lu, index);
    /* The rest may still need the block before, so two places take turns. */
    char *block = lu->strip + (index % 2) * half;
    if (at.top) {
      s.k->copy(HYLA_NONE, at.width, s.nrhs, 1, hy_at(&s.sums, at.row, 0), (int)s.sums.ld, block,
                at.width);
      TRY(sum_block(&s, &at, block));
    }
    catch_up(&s, &rest);
    if (at.mine) TRY(solve_on_column(&s, &at, block, &rest));
    if (at.top) settle(&s, &at, block);
  }
  catch_up(&s, &rest);
  return end(&s, x);
}
