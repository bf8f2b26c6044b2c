/* Substitution with few right-hand sides.
 *
 * Reference: Johnsson 1987, 6.4.1: the sums are partly in space, partly in place.
 * Method: the matrix stays where it is.  Each rank column keeps the sum of its own columns'
 *   contributions to every right-hand side.  The right-hand side of block k is the sum over rank
 *   row p_k, formed on rank column q_k; the member on p_k solves for X_k and broadcasts it along
 *   q_k.  Then q_k updates its sums, first those of the next block and later the rest, while the
 *   next rank column is already at work.
 * Swaps: if rows are swapped between the blocks, all members of q_k get the swapped rows, know the
 *   diagonal block and solve for themselves.
 * Example on 4 nodes, 2 x 2, 4 blocks; S(i, j) are the sums of node (i, j):
 *     step 0   (0, 0) adds S_0 of its row, solves for X_0, sends it to (1, 0)
 *              (1, 0) S_1 -= L_10 X_0 now, S_3 -= L_30 X_0 later;  (0, 0) S_2 -= L_20 X_0 later
 *     step 1   (1, 1) adds S_1 of its row, solves for X_1, sends it to (0, 1)
 *              (0, 1) S_2 -= L_21 X_1 now;  (1, 1) S_3 -= L_31 X_1 later
 * A rank alone solves a system with one right-hand side in one call.
 * Steps a block: c + r; block x nrhs words each.  At the end one reduction over the rank row for
 *   each rank column's share. */
#include "solve/triangle/triangle.h"

#include <string.h>

/* The part of an earlier block's update that is still to be done. */
struct rest {
  struct hy_diagonal_block at;
  struct hy_row_range rows;
  const char *block;
};

struct stationary {
  const struct hy_substitution *s;
  const struct hy_kernels *k;
  struct hyla_matrix sums; /* of this rank column, for all right-hand sides */
  int nrhs;
  struct rest rest;
};

/* ----------------------------------------------------------- collectives -- */

/* Adds over the rank row, on the member at address `root'. */
static hyla_status sum(const struct stationary *f, int root, char *data, int64_t words) {
  return hy_sum_sides(f->s->adds, f->k, root, data, words);
}

/* Broadcasts a block along rank column q_k, from p_k. */
static hyla_status spread(const struct stationary *f, const struct hy_diagonal_block *at,
                          char *block) {
  return hy_subcube_broadcast(f->s->spreads, hy_column_root(&f->s->array, at->index), block,
                              (int64_t)at->width * f->nrhs);
}

/* ---------------------------------------------------------------- blocks -- */

/* Block k of the sums becomes the solution on q_k and zero elsewhere, so that the sum over the rank
 * row is the solution. */
static void settle(const struct stationary *f, const struct hy_diagonal_block *at,
                   const char *block) {
  size_t bytes = (size_t)at->width * f->k->size;
  if (at->mine) hy_count_copied(f->s->cube, (int64_t)at->width * f->nrhs);
  for (int j = 0; j < f->nrhs && !f->k->dry; j++) {
    char *to = hy_at(&f->sums, at->row, j);
    if (at->mine)
      memcpy(to, block + (size_t)j * bytes, bytes);
    else
      memset(to, 0, bytes);
  }
}

/* y -= op(A) x for all right-hand sides.  A single one uses gemv, because BLAS' gemm would copy A
 * first. */
static void multiply(const struct stationary *f, int rows, int inner, const char *a, const char *x,
                     char *y) {
  const hyla_operation op = f->s->op;
  const int ld = (int)f->s->t->ld;
  if (f->nrhs == 1)
    f->k->gemv(op, op == HYLA_NONE ? rows : inner, op == HYLA_NONE ? inner : rows, -1, a, ld, x, y);
  else
    f->k->gemm(op, HYLA_NONE, rows, f->nrhs, inner, -1, a, ld, x, inner, 1, y, (int)f->sums.ld);
}

/* sums -= L block, in a range of local rows. */
static void subtract(const struct stationary *f, const struct hy_diagonal_block *at,
                     const struct hy_row_range *rows, const char *block) {
  const struct hy_substitution *s = f->s;
  if (rows->count == 0) return;
  multiply(f, (int)rows->count, at->width, hy_substitution_at(s, rows->first, at->column), block,
           hy_at(&f->sums, rows->first, 0));
  hy_count_read(s->cube, rows->count * at->width);
  hy_compute(s->cube, 2 * rows->count * at->width * f->nrhs, f->k->size, f->k->complex_type);
  hy_count_touched(s->cube, rows->count * f->nrhs);
}

/* Solves for block k on this rank and counts the triangle as read. */
static void solve_block(const struct stationary *f, const struct hy_diagonal_block *at,
                        const char *t, int ld, char *block) {
  hy_solve_diagonal(f->s, at, t, ld, f->nrhs, block, at->width);
  hy_count_read(f->s->cube, at->width * (at->width + INT64_C(1)) / 2);
}

static void catch_up(struct stationary *f) {
  subtract(f, &f->rest.at, &f->rest.rows, f->rest.block);
  f->rest.rows.count = 0;
}

/* Subtracts a block's contribution from the rows of the next block; the other rows are left for
 * later. */
static void subtract_next(struct stationary *f, const struct hy_diagonal_block *at, int64_t next,
                          const char *block) {
  struct hy_row_range rest = hy_rows_after(f->s, at);
  if (next >= 0) {
    struct hy_diagonal_block then = hy_diagonal_block(&f->s->array, next);
    struct hy_row_range soon = {then.row, then.top ? then.width : 0};
    subtract(f, at, &soon, block);
    rest.count -= soon.count;
    if (hy_substitution_lower(f->s)) rest.first += soon.count;
  }
  f->rest = (struct rest){*at, rest, block};
}

/* Solves for a block on rank column q_k. */
static hyla_status solve_on_column(struct stationary *f, const struct hy_diagonal_block *at,
                                   int64_t next, char *block) {
  const struct hy_substitution *s = f->s;
  if (at->top) solve_block(f, at, hy_substitution_at(s, at->row, at->column), (int)s->t->ld, block);
  TRY(spread(f, at, block));
  subtract_next(f, at, next, block);
  return HYLA_OK;
}

static hyla_status solve(struct stationary *f) {
  const struct hy_substitution *s = f->s;
  int64_t half = s->array.block * f->nrhs * (int64_t)f->k->size;
  for (int64_t step = 0; step < s->array.count; step++) {
    int64_t index = hy_substitution_block(s, step);
    struct hy_diagonal_block at = hy_diagonal_block(&s->array, index);
    /* the previous block may still be needed for the rest, so two places alternate */
    char *block = s->blocks + (index % 2) * half;
    if (at.top) {
      hy_copy_block(s->cube, f->k, HYLA_NONE, at.width, f->nrhs, hy_at(&f->sums, at.row, 0),
                    f->sums.ld, block, at.width);
      TRY(sum(f, hy_row_root(&s->array, index), block, (int64_t)at.width * f->nrhs));
    }
    catch_up(f);
    if (at.mine) TRY(solve_on_column(f, &at, hy_substitution_block(s, step + 1), block));
    if (at.top) settle(f, &at, block);
  }
  catch_up(f);
  return HYLA_OK;
}

/* The same if rows are swapped between blocks; all rows must be up to date before a swap. */
static hyla_status solve_swapped(struct stationary *f) {
  const struct hy_substitution *s = f->s;
  char *block = s->blocks;
  for (int64_t step = 0; step < s->array.count; step++) {
    int64_t index = hy_substitution_block(s, step);
    struct hy_diagonal_block at = hy_diagonal_block(&s->array, index);
    TRY(s->swaps->swap(s->swaps->arg, &at, &f->sums, block));
    TRY(sum(f, hy_row_root(&s->array, index), block, (int64_t)at.width * f->nrhs));
    if (at.mine) {
      int ld = 0;
      const char *t = s->swaps->diagonal(s->swaps->arg, &at, &ld);
      struct hy_row_range rows = hy_rows_after(s, &at);
      solve_block(f, &at, t, ld, block);
      subtract(f, &at, &rows, block);
    }
    if (at.top) settle(f, &at, block);
  }
  return HYLA_OK;
}

static bool is_whole(const struct stationary *f) {
  const struct hy_substitution *s = f->s;
  return s->swaps == NULL && f->nrhs == 1 && s->array.row.parts == 1 && s->array.col.parts == 1;
}

static hyla_status solve_whole(struct stationary *f) {
  const struct hy_substitution *s = f->s;
  int64_t n = s->t->row.n, ones = s->diagonal == HYLA_UNIT_DIAGONAL;
  hy_substitute(f->k, s->cube->session.team, s->triangle, s->op, s->diagonal, (int)n, s->t->local,
                (int)s->t->ld, f->sums.local);
  hy_count_read(s->cube, n * (n + 1) / 2);
  hy_compute(s->cube, n * (n - ones), f->k->size, f->k->complex_type);
  return HYLA_OK;
}

hyla_status hy_substitute_stationary(const struct hy_substitution *s, const hyla_matrix *x) {
  if (s->cube->address < 0) return HYLA_OK;
  struct stationary f = {
      .s = s, .k = s->k, .sums = hy_sums_begin(s, x), .nrhs = (int)hy_nrhs_of(s, x)};
  TRY(is_whole(&f) ? solve_whole(&f) : s->swaps != NULL ? solve_swapped(&f) : solve(&f));
  return hy_sums_end(s, &f.sums, x);
}
