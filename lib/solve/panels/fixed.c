/* Triangular systems whose bits depend neither on the number of ranks nor on the layout.
 *
 * Method: block column k of the triangle travels to all ranks while they use the one before it.
 *   Each rank solves for its own right-hand sides, a tile of them at a time.  From the left without
 *   an op, or from the right with one: X_k := X_k T_kk^-1, then X_k times the rest of the column is
 *   subtracted from the blocks still to solve for.  Otherwise: the solved blocks times the rest of
 *   the column are subtracted from X_k, then X_k := X_k T_kk^-1.
 * Reference: Golub and Van Loan 2013, section 3.1, the column and the row form.
 * Steps a block: those of a broadcast.  Words: n^2 / 2 to every rank.
 * Memory: three panels of n times the block's width. */
#include "solve/panels/panels.h"

enum { ROUNDS = 20, STEP = 16, LEAST = 32, MOST = 128 };

int64_t hy_fixed_block(int64_t order) {
  return hy_max(LEAST, hy_min(MOST, order / ROUNDS / STEP * STEP));
}

int64_t hy_fixed_slot(const struct hy_fixed *f) {
  int64_t bytes = f->array.row.n * f->array.block * (int64_t)f->k->size;
  return hy_ceil_div(bytes, 64) * 64;
}

void hy_fixed_explain(const struct hy_block_cyclic *array, int64_t tile, struct hy_text *text) {
  hy_text_add(text,
              "  the same bits on any number of ranks: block columns of %lld, right-hand sides in "
              "blocks of %lld\n",
              (long long)array->block, (long long)tile);
}

/* Block column k of the triangle, without the entries on the other side of the diagonal. */
struct column {
  struct hy_diagonal_block at;
  int64_t begin, rows; /* its rows */
  int64_t rest, count; /* those outside the diagonal block */
  const char *data;    /* leading dimension `rows' */
};

/* The system, and the column that has come. */
struct state {
  const struct hy_fixed *f;
  struct column column;
};

static struct column column_of(const struct hy_fixed *f, int64_t index) {
  struct column c = {.at = hy_diagonal_block(&f->array, index)};
  bool lower = f->triangle == HYLA_LOWER;
  int64_t end = c.at.first + c.at.width;
  c.begin = lower ? c.at.first : 0;
  c.rows = lower ? f->array.order - c.at.first : end;
  c.rest = lower ? end : 0;
  c.count = c.rows - c.at.width;
  return c;
}

static int64_t bytes_of(const void *state, int64_t index) {
  const struct hy_fixed *f = ((const struct state *)state)->f;
  const struct column c = column_of(f, index);
  return c.rows * c.at.width * (int64_t)f->k->size;
}

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_fixed *f = ((const struct state *)state)->f;
  const struct column c = column_of(f, index);
  hy_copy_block(f->cube, f->k, HYLA_NONE, c.rows, c.at.width, hy_at(f->t, c.begin, c.at.column),
                f->t->ld, slot->data, c.rows);
  return HYLA_OK;
}

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct state *s = state;
  s->column = column_of(s->f, index);
  s->column.data = slot->seen;
  return HYLA_OK;
}

/* Block `row' of the right-hand sides from number `first' on. */
static char *sides_at(const struct hy_fixed *f, const hyla_matrix *x, int64_t row, int64_t first) {
  return f->side == HYLA_LEFT ? hy_at(x, row, first) : hy_at(x, first, row);
}

/* X_k := X_k op(T_kk)^-1 in some right-hand sides. */
static void divide(const struct hy_fixed *f, const struct column *c, const hyla_matrix *x,
                   int64_t first, int64_t count) {
  int64_t w = c->at.width, ones = f->diagonal == HYLA_UNIT_DIAGONAL; /* nobody divides by them */
  bool left = f->side == HYLA_LEFT;
  f->k->trsm(f->side, f->triangle, f->op, f->diagonal, (int)(left ? w : count),
             (int)(left ? count : w), 1, c->data + (c->at.first - c->begin) * (int64_t)f->k->size,
             (int)c->rows, sides_at(f, x, c->at.first, first), (int)x->ld);
  hy_compute(f->cube, w * (w - ones) * count, f->k->size, f->k->complex_type);
}

/* Subtracts the product of block `from' and the rest of the column from block `to'; sizes in
 * rows. */
static void subtract(const struct hy_fixed *f, const struct column *c, const hyla_matrix *x,
                     int64_t first, int64_t count) {
  const struct hy_kernels *k = f->k;
  bool left = f->side == HYLA_LEFT, ahead = left == (f->op == HYLA_NONE);
  int64_t from = ahead ? c->at.first : c->rest, to = ahead ? c->rest : c->at.first;
  int inner = (int)(ahead ? c->at.width : c->count), outer = (int)(ahead ? c->count : c->at.width);
  const char *rest = c->data + (c->rest - c->begin) * (int64_t)k->size;
  const char *known = sides_at(f, x, from, first);
  char *wanted = sides_at(f, x, to, first);
  if (c->count == 0) return;
  if (left)
    k->gemm(f->op, HYLA_NONE, outer, (int)count, inner, -1, rest, (int)c->rows, known, (int)x->ld,
            1, wanted, (int)x->ld);
  else
    k->gemm(HYLA_NONE, f->op, (int)count, outer, inner, -1, known, (int)x->ld, rest, (int)c->rows,
            1, wanted, (int)x->ld);
  hy_compute(f->cube, 2 * c->count * c->at.width * count, k->size, k->complex_type);
}

static hyla_status use(void *state, const struct hy_columns *columns) {
  const struct state *s = state;
  const struct hy_fixed *f = s->f;
  const hyla_matrix *x = columns->m;
  bool left = f->side == HYLA_LEFT, ahead = left == (f->op == HYLA_NONE);
  int64_t sides = left ? x->local_cols : x->local_rows;
  for (int64_t first = 0; first < sides; first += f->tile) {
    int64_t count = hy_min(f->tile, sides - first);
    if (ahead) divide(f, &s->column, x, first, count);
    subtract(f, &s->column, x, first, count);
    if (!ahead) divide(f, &s->column, x, first, count);
    TRY(hy_link_poll(f->cube));
  }
  return HYLA_OK;
}

hyla_status hy_fixed_run(const struct hy_fixed *f, const hyla_matrix *x) {
  const bool lower = (f->triangle == HYLA_LOWER) == (f->op == HYLA_NONE);
  struct state state = {.f = f};
  struct hy_lookahead loop = {.panels = f->panels,
                              .array = &f->array,
                              .end = f->array.count,
                              .backwards = lower != (f->side == HYLA_LEFT),
                              .x = x,
                              .state = &state,
                              .bytes = bytes_of,
                              .make = make,
                              .arrive = arrive,
                              .use = use};
  return hy_lookahead_run(&loop);
}
