/* Triangular systems with identities on the diagonal: the identities are made.
 *
 * Method: each span's block row, and its rows of X, are multiplied by the inverse of the span's
 *   square, as elimination within the block row does it (Johnsson 1987, 6.2), from the square's
 *   first block to its last.  For each block: the block column goes along the rank rows; the rank
 *   row with the block's rows solves with its diagonal block; its rows go down the rank columns;
 *   and the span's other rows are updated.  Spans do not depend on each other, so one message
 *   serves all of them.
 * Example on 4 nodes, 2 x 2, lower, 4 blocks, so 2 spans of 2 blocks: for index 0, blocks 0 and 2
 *   of both spans: X_0 := L_00^-1 B_0 and [L_20 L_21 X_2] := L_22^-1 [L_20 L_21 B_2], on rank row
 *   0; then rows 1 and 3 subtract L_10 and L_32 times these.  Index 1 does the same for blocks 1
 *   and 3.
 * Steps: c + r for each block of a span, not for each block of the triangle.
 * Words: on a rank at most n block for each of them along the rank rows; those of its columns of
 *   the triangle once, down the rank columns. */
#include "solve/papers/block_jacobi.h"

/* ------------------------------------------------------------------ spans -- */

static struct hy_row_range range(const struct hy_axis *axis, int part, int64_t block, int64_t from,
                                 int64_t to) {
  if (from >= to) return (struct hy_row_range){0, 0};
  int64_t first = hy_axis_before(axis, part, hy_min(axis->n, from * block));
  int64_t last = hy_axis_before(axis, part, hy_min(axis->n, to * block));
  return (struct hy_row_range){first, last - first};
}

struct hy_row_range hy_block_jacobi_rows(const struct hy_block_jacobi *e, int part, int64_t from,
                                         int64_t to) {
  return range(&e->s.array.row, part, e->s.array.block, from, to);
}

struct hy_row_range hy_block_jacobi_columns(const struct hy_block_jacobi *e, int part, int64_t from,
                                            int64_t to) {
  return range(&e->s.array.col, part, e->s.array.block, from, to);
}

struct hy_block_span hy_block_jacobi_span(const struct hy_block_jacobi *e, int64_t step) {
  bool lower = hy_substitution_lower(&e->s);
  int64_t count = e->s.array.count, first = (lower ? step : e->spans - 1 - step) * e->span;
  int64_t end = hy_min(first + e->span, count);
  struct hy_block_span low = {first, end, 0, first, end, count};
  return lower ? low : (struct hy_block_span){first, end, end, count, 0, first};
}

/* ----------------------------------------------------------- identities -- */

/* The block at a place of a span, and this rank's part of its block column and block row. */
struct place {
  struct hy_diagonal_block at;
  struct hy_row_range column; /* rows of the span from the block on, in the order of solving */
  struct hy_row_range after;  /* the rows after the block */
  struct hy_row_range before; /* columns solved for before the span */
  int64_t columns;            /* number of these columns and of right-hand sides */
};

/* Sets *p; false: the span has no block at that place. */
static bool place_of(const struct hy_block_jacobi *e, int64_t step, int64_t index,
                     struct place *p) {
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_block_span span = hy_block_jacobi_span(e, step);
  int64_t block = span.first + index;
  bool lower = hy_substitution_lower(&e->s);
  if (block >= span.end) return false;
  p->at = hy_diagonal_block(array, block);
  p->column = lower ? hy_block_jacobi_rows(e, array->row_part, block, span.end)
                    : hy_block_jacobi_rows(e, array->row_part, span.first, block + 1);
  p->after = lower ? hy_block_jacobi_rows(e, array->row_part, block + 1, span.end)
                   : hy_block_jacobi_rows(e, array->row_part, span.first, block);
  p->before = hy_block_jacobi_columns(e, array->col_part, span.before, span.before_end);
  p->columns = p->before.count + e->x.local_cols;
  return true;
}

static char *word(const struct hy_block_jacobi *e, char *data, int64_t words) {
  return data + (size_t)words * e->k->size;
}

static void copy(const struct hy_block_jacobi *e, int64_t rows, int64_t cols, const char *from,
                 int64_t ld_from, char *to, int64_t ld_to) {
  if (rows == 0 || cols == 0) return;
  hy_copy_block(e->cube, e->k, HYLA_NONE, rows, cols, from, ld_from, to, ld_to);
}

/* Shares the block columns at a place, of all spans, along the rank rows. */
static hyla_status share_columns(const struct hy_block_jacobi *e, int64_t index) {
  struct place p;
  int64_t words = 0;
  for (int64_t step = 0; step < e->spans; step++) {
    if (!place_of(e, step, index, &p)) continue;
    if (p.at.mine)
      copy(e, p.column.count, p.at.width, hy_at(&e->t, p.column.first, p.at.column), e->t.ld,
           word(e, e->column, words), hy_max(1, p.column.count));
    words += p.column.count * p.at.width;
  }
  return hy_subcube_broadcast(&e->along, hy_row_root(&e->s.array, index), e->column, words);
}

/* A block's rows := its diagonal block's inverse times the rows, here and in the message. */
static void solve_rows(const struct hy_block_jacobi *e, const struct place *p, const char *diagonal,
                       char *rows) {
  const struct hy_substitution *s = &e->given;
  int64_t w = p->at.width, ones = s->diagonal == HYLA_UNIT_DIAGONAL;
  char *t = hy_at(&e->t, p->at.row, p->before.first), *x = hy_at(&e->x, p->at.row, 0);
  char *sides = word(e, rows, w * p->before.count);
  if (p->columns == 0) return;
  copy(e, w, p->before.count, t, e->t.ld, rows, w);
  copy(e, w, e->x.local_cols, x, e->x.ld, sides, w);
  e->k->trsm(HYLA_LEFT, e->s.triangle, HYLA_NONE, s->diagonal, (int)w, (int)p->columns, 1, diagonal,
             (int)p->column.count, rows, (int)w);
  hy_compute(e->cube, w * (w - ones) * p->columns, e->k->size, e->k->complex_type);
  copy(e, w, p->before.count, rows, w, t, e->t.ld);
  copy(e, w, e->x.local_cols, sides, w, x, e->x.ld);
}

/* Shares the block rows at a place, of all spans, down the rank columns. */
static hyla_status share_rows(const struct hy_block_jacobi *e, int64_t index) {
  struct place p;
  int64_t words = 0, offset = 0;
  for (int64_t step = 0; step < e->spans; step++) {
    if (!place_of(e, step, index, &p)) continue;
    int64_t diagonal = hy_substitution_lower(&e->s) ? 0 : p.after.count;
    if (p.at.top) solve_rows(e, &p, word(e, e->column, offset + diagonal), word(e, e->row, words));
    offset += p.column.count * p.at.width;
    words += p.at.width * p.columns;
  }
  return hy_subcube_broadcast(&e->down, hy_column_root(&e->s.array, index), e->row, words);
}

/* Subtracts the block's contribution from the rows after it, in some columns of a matrix. */
static void subtract(const struct hy_block_jacobi *e, const struct place *p, const char *factors,
                     const char *rows, const struct hyla_matrix *m, int64_t first, int64_t count) {
  if (p->after.count == 0 || count == 0) return;
  e->k->gemm(HYLA_NONE, HYLA_NONE, (int)p->after.count, (int)count, p->at.width, -1, factors,
             (int)p->column.count, rows, p->at.width, 1, hy_at(m, p->after.first, first),
             (int)m->ld);
  hy_compute(e->cube, 2 * p->after.count * p->at.width * count, e->k->size, e->k->complex_type);
}

static void update(const struct hy_block_jacobi *e, int64_t index) {
  struct place p;
  char *column = e->column, *row = e->row;
  for (int64_t step = 0; step < e->spans; step++) {
    if (!place_of(e, step, index, &p)) continue;
    bool skips = p.at.top && hy_substitution_lower(&e->s);
    const char *factors = word(e, column, skips ? p.at.width : 0);
    const char *sides = word(e, row, p.at.width * p.before.count);
    subtract(e, &p, factors, row, &e->t, p.before.first, p.before.count);
    subtract(e, &p, factors, sides, &e->x, 0, e->x.local_cols);
    column = word(e, column, p.column.count * p.at.width);
    row = word(e, row, p.at.width * p.columns);
  }
}

hyla_status hy_block_jacobi_prepare(const struct hy_block_jacobi *e) {
  const struct hyla_matrix *t = e->user_t, *x = e->user_x;
  int64_t places = hy_min(e->span, e->s.array.count);
  bool lower = hy_substitution_lower(&e->s);
  hy_copy_block(e->cube, e->k, e->given.op, e->t.local_rows, e->t.local_cols, t->local, t->ld,
                e->t.local, e->t.ld);
  if (e->given.turn != HYLA_NONE) {
    hy_copy_block(e->cube, e->k, e->given.turn, e->x.local_rows, e->x.local_cols, x->local, x->ld,
                  e->x.local, e->x.ld);
  }
  for (int64_t i = 0; i < places; i++) {
    int64_t index = lower ? i : places - 1 - i;
    TRY(share_columns(e, index));
    TRY(share_rows(e, index));
    update(e, index);
  }
  return HYLA_OK;
}

hyla_status hy_block_jacobi_run(const struct hy_block_jacobi *e) {
  const struct hyla_matrix *x = e->user_x;
  TRY(hy_block_jacobi_prepare(e));
  hy_part(e->cube, "identities made");
  if (e->product) {
    TRY(hy_block_jacobi_product(e));
  } else if (e->spans > 1) {
    const hyla_matrix sums = hy_sums_begin(&e->s, &e->x);
    TRY(hy_block_jacobi_trees(e, &sums));
    hy_part(e->cube, HY_ON_DIAGONAL);
    TRY(hy_sums_end(&e->s, &sums, &e->x));
  }
  hy_part(e->cube, HY_AT_HOME);
  if (e->given.turn == HYLA_NONE) return HYLA_OK;
  hy_copy_block(e->cube, e->k, e->given.turn, x->local_rows, x->local_cols, e->x.local, e->x.ld,
                x->local, x->ld);
  return HYLA_OK;
}

/* ---------------------------------------------------------------- memory -- */

hyla_status hy_block_jacobi_make(void *owner, const struct hy_triangular_problem *problem,
                                 bool product, struct hy_block_jacobi *e) {
  struct hy_triangular form = problem->form;
  const struct hyla_matrix t = {
      .cube = problem->cube, .k = problem->k, .row = problem->t_row, .col = problem->t_col};
  form.t = &t;
  *e = (struct hy_block_jacobi){
      .owner = owner, .cube = problem->cube, .k = problem->k, .product = product};
  e->given = hy_substitution_of(&form);
  e->given.t = NULL;
  e->s = e->given;
  e->s.op = e->s.turn = HYLA_NONE;
  e->s.triangle = hy_substitution_lower(&e->given) ? HYLA_LOWER : HYLA_UPPER;
  e->s.diagonal = HYLA_UNIT_DIAGONAL;
  e->across = form.side == HYLA_LEFT ? problem->x_col : problem->x_row;
  const struct hy_block_cyclic *array = &e->s.array;
  e->span = hy_max(array->row.parts, array->col.parts);
  e->spans = hy_ceil_div(hy_ceil_div(array->row.n, array->block), e->span);
  int64_t columns = hy_axis_most(&array->col) + hy_axis_most(&e->across);
  const struct hy_group groups[] = {
      {&e->along, array->col_dims, HY_TASK_BROADCAST, hy_axis_most(&array->row) * array->block,
       e->k->size},
      {&e->down, array->row_dims, HY_TASK_BROADCAST, e->spans * array->block * columns, e->k->size},
      {0}};
  TRY(hy_make_groups(e->owner, e->cube, groups));
  return product ? hy_block_jacobi_product_make(e) : hy_block_jacobi_trees_make(e);
}

/* A matrix in the left form; its memory is set separately. */
static struct hyla_matrix left_form(const hyla_matrix *m, hyla_operation op) {
  struct hyla_matrix left = op == HYLA_NONE ? *m : hy_substitution_transposed(m);
  left.local = NULL;
  left.ld = hy_max(1, left.local_rows);
  return left;
}

hyla_status hy_block_jacobi_allocate(struct hy_block_jacobi *e, const hyla_matrix *t,
                                     const hyla_matrix *x) {
  struct hy_base *base = &e->cube->base;
  int64_t block = e->s.array.block, size = (int64_t)t->k->size, row = 0;
  struct place p;
  e->k = t->k;
  e->given.k = e->s.k = e->k;
  e->user_t = e->given.t = t;
  e->user_x = x;
  e->t = left_form(t, e->given.op);
  e->x = left_form(x, e->given.turn);
  TRY(hy_alloc_data_for(base, e->owner, e->t.local_rows * e->t.local_cols * size, 1, &e->copy_t));
  TRY(hy_alloc_data_for(base, e->owner, e->t.local_rows * block * size, 1, &e->column));
  for (int64_t step = 0; step < e->spans; step++)
    if (place_of(e, step, 0, &p)) row += block * p.columns;
  TRY(hy_alloc_data_for(base, e->owner, row * size, 1, &e->row));
  if (e->given.turn != HYLA_NONE)
    TRY(hy_alloc_data_for(base, e->owner, e->x.local_rows * e->x.local_cols * size, 1, &e->copy_x));
  e->t.local = e->copy_t;
  e->s.t = &e->t;
  if (e->given.turn == HYLA_NONE) e->x.ld = x->ld;
  e->x.local = e->given.turn == HYLA_NONE ? x->local : e->copy_x;
  TRY(hy_subcube_allocate(&e->along));
  TRY(hy_subcube_allocate(&e->down));
  return e->product ? hy_block_jacobi_product_allocate(e) : hy_block_jacobi_trees_allocate(e);
}
