/* Cholesky: the inverse of the factors, A^-1 = W^H W with W = L^-1, in their place.
 *
 * Reference: Bientinesi, Gunter and van de Geijn 2008, for making W and W^H W in one pass; the
 *   travel of the blocks is our own.
 * Layout: the factors'.
 * Method: W replaces L from the first block row on (substitution_travelling.c).  In step k all
 *   ranks of each rank column have block row k of W, because the rows behind it need it.  It also
 *   travels along the rank rows, to the ranks whose rows have the same numbers as its columns, and
 *   all ranks add W_k^H W_k to the leading block triangle, where no row of W is needed any more.
 *   So step k works on all block columns up to k: with L on the rows behind block row k, with W on
 *   the rows before it.
 * Example: 3 block rows.  Step 0 makes W_0 = (W00); step 1 makes W_1 = (W10 W11); step 2 makes W_2,
 *   and then block (1, 0) is W11^H W10 + W21^H W20.
 * Operations: n^3 / 3 for W and n^3 / 3 for W^H W besides the n^3 / 3 of L, n^3 in all.
 * Steps, words: those of the inverse of a triangle; c more steps a block, and n^2 / 2^(r+1) words
 *   that a rank gathers for its rows.
 * Memory: three block rows. */
#include "solve/cholesky/cholesky.h"

#include <complex.h>

/* ------------------------------------------------------------- a block row -- */

/* A block row of W; its parts have at.width rows each. */
struct row {
  const struct hy_diagonal_block *at;
  const char *across; /* this rank's columns of it, up to the diagonal block */
  const char *along;  /* its columns whose numbers are those of this rank's rows */
  int64_t rows;       /* their number: the local rows before the diagonal block and in it */
};

/* The block that begins with a local row. */
static struct hy_diagonal_block block_at(const struct hy_cholesky *c, int64_t row) {
  return hy_diagonal_block(&c->array, hyla_matrix_row(c->a, row) / c->array.block);
}

/* The member of the rank row whose rank column holds a block. */
static int64_t member_of(const struct hy_cholesky *c, const struct hy_diagonal_block *block) {
  return (int64_t)hy_member(c->cube, c->array.col_dims, hy_row_root(&c->array, block->index));
}

/* Sets offsets[x] ... offsets[x + 1], the words of member x's blocks for this rank row, and
 * places[x], the beginning of the next one of these. */
static void set_offsets(const struct hy_cholesky *c, const struct row *row) {
  int64_t members = c->array.col.parts;
  int64_t *offsets = c->inverse.numbers, *places = offsets + members + 1;
  for (int64_t x = 0; x <= members; x++) offsets[x] = 0;
  for (int64_t i = 0; i < row->rows;) {
    struct hy_diagonal_block block = block_at(c, i);
    offsets[member_of(c, &block) + 1] += (int64_t)block.width * row->at->width;
    i += block.width;
  }
  for (int64_t x = 0; x < members; x++) offsets[x + 1] += offsets[x];
  for (int64_t x = 0; x < members; x++) places[x] = offsets[x];
}

static void copy_block(const struct hy_cholesky *c, int rows, int columns, const char *from,
                       int64_t ld, char *to) {
  hy_copy_block(c->cube, c->k, HYLA_NONE, rows, columns, from, ld, to, rows);
}

/* Copies this rank's blocks of W's row into the message. */
static void pack(const struct hy_cholesky *c, const struct row *row,
                 const struct hy_inverse_row *made) {
  const int64_t *offsets = c->inverse.numbers;
  const int64_t size = (int64_t)c->k->size;
  for (int64_t i = 0, place = -1; i < row->rows;) {
    struct hy_diagonal_block block = block_at(c, i);
    i += block.width;
    if (!block.mine) continue;
    if (place < 0) place = offsets[member_of(c, &block)];
    bool last = block.index == row->at->index;
    copy_block(c, row->at->width, block.width,
               last ? made->diagonal : made->rows + block.column * made->ld * size,
               last ? row->at->width : made->ld, c->inverse.gathered + place * size);
    place += (int64_t)row->at->width * block.width;
  }
}

/* Copies all members' blocks into the order of the rows. */
static void unpack(const struct hy_cholesky *c, const struct row *row) {
  int64_t *places = c->inverse.numbers + c->array.col.parts + 1;
  const int64_t size = (int64_t)c->k->size, width = row->at->width;
  for (int64_t i = 0; i < row->rows;) {
    struct hy_diagonal_block block = block_at(c, i);
    int64_t *place = &places[member_of(c, &block)];
    copy_block(c, row->at->width, block.width, c->inverse.gathered + *place * size, width,
               c->inverse.along + i * width * size);
    *place += width * block.width;
    i += block.width;
  }
}

/* Copies the row to the arrays from which products read it, because its place in the matrix is
 * overwritten. */
static struct row row_of(const struct hy_cholesky *c, const struct hy_inverse_row *made) {
  const struct hy_cholesky_inverse *inverse = &c->inverse;
  const struct hy_diagonal_block *at = made->at;
  struct row row = {.at = at, .rows = at->row + (at->top ? at->width : 0)};
  int64_t mine = (int64_t)hy_member(c->cube, c->array.col_dims, c->cube->address);
  row.along = c->array.col.parts > 1 ? inverse->along : inverse->gathered;
  row.across = made->rows;
  if (c->array.row.parts == 1)
    row.across = inverse->gathered + inverse->numbers[mine] * (int64_t)c->k->size;
  return row;
}

static hyla_status pass_row(void *arg, const struct hy_inverse_row *made) {
  const struct hy_cholesky *c = arg;
  const struct row row = row_of(c, made);
  set_offsets(c, &row);
  pack(c, &row, made);
  if (c->array.col.parts == 1) return HYLA_OK;
  TRY(hy_subcube_allgather(&c->inverse.crosses, c->inverse.gathered, c->inverse.numbers));
  unpack(c, &row);
  return HYLA_OK;
}

/* --------------------------------------------------------------- product -- */

/* A := beta A + W_k^H W_k in local rows first ... first+rows-1 and `count` local columns. */
static void multiply(const struct hy_cholesky *c, const struct row *row, int64_t first,
                     int64_t rows, int64_t column, int64_t count, double beta) {
  const struct hy_kernels *k = c->k;
  const int width = row->at->width;
  const int64_t stride = width * (int64_t)k->size;
  if (rows == 0 || count == 0) return;
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, (int)rows, (int)count, width, 1, row->along + first * stride,
          width, row->across + column * stride, width, beta, hy_at(c->a, first, column),
          (int)c->a->ld);
  hy_compute(c->cube, 2 * rows * count * width, k->size, k->complex_type);
}

/* Updates the lower triangle of a diagonal block on this rank. */
static void multiply_diagonal(const struct hy_cholesky *c, const struct row *row,
                              const struct hy_diagonal_block *block) {
  const int64_t width = row->at->width, order = block->width;
  c->k->herk(HYLA_CONJUGATE, (int)order, (int)width, 1,
             row->along + block->row * width * (int64_t)c->k->size, (int)width,
             hy_at(c->a, block->row, block->column), (int)c->a->ld);
  hy_compute(c->cube, order * (order + 1) * width, c->k->size, c->k->complex_type);
}

/* Updates a strip of columns in the rows before block k: down to the last block column's diagonal
 * block each block column by itself, and the rows below all at once. */
static void add_strip(const struct hy_cholesky *c, const struct row *row, int64_t first,
                      int64_t end) {
  int64_t before = row->at->row, below = 0;
  for (int64_t column = end; column > first;) {
    struct hy_diagonal_block block =
        hy_diagonal_block(&c->array, hyla_matrix_col(c->a, column - 1) / c->array.block);
    if (column == end) below = block.row + (block.top ? block.width : 0);
    int64_t first_row = block.row + (block.top ? block.width : 0);
    column = block.column;
    if (block.top) multiply_diagonal(c, row, &block);
    multiply(c, row, first_row, below - first_row, column, block.width, 1);
  }
  multiply(c, row, below, before - below, first, end - first, 1);
}

static hyla_status use_row(void *arg, const struct hy_inverse_row *made) {
  const struct hy_cholesky *c = arg;
  const struct hy_diagonal_block *at = made->at;
  const struct row row = row_of(c, made);
  const int64_t step = hy_max(1, HY_CHOLESKY_STRIP / c->array.block) * c->array.block;
  for (int64_t first = 0; first < at->column; first += step) {
    add_strip(c, &row, first, hy_min(at->column, first + step));
    TRY(hy_link_poll(c->cube));
  }
  if (at->top) multiply(c, &row, at->row, at->width, 0, at->column + (at->mine ? at->width : 0), 0);
  return HYLA_OK;
}

/* Removes the imaginary parts that rounding has left. */
static void make_diagonal_real(const struct hy_cholesky *c) {
  const struct hy_kernels *k = c->k;
  for (int64_t index = 0; index < c->array.count && k->complex_type && !k->dry; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&c->array, index);
    for (int j = 0; j < at.width && at.mine && at.top; j++) {
      char *entry = hy_at(c->a, at.row + j, at.column + j);
      k->set(entry, 0, creal(k->get(entry, 0)));
    }
  }
}

hyla_status hy_cholesky_inverse_run(struct hy_cholesky *c) {
  const struct hy_triangular system = {
      .t = c->a, .block = c->array.block, .triangle = HYLA_LOWER, .inverse = true};
  const struct hy_inverse_rows rows = {c, pass_row, use_row};
  struct hy_substitution s = hy_substitution_of(&system);
  s.spreads = &c->inverse.spreads;
  s.panels = &c->panels;
  s.solved = c->inverse.solved;
  s.rows = &rows;
  TRY(hy_substitute_travelling(&s, c->a));
  make_diagonal_real(c);
  return HYLA_OK;
}

/* ---------------------------------------------------------- workspace -- */

hyla_status hy_cholesky_inverse_create(struct hy_cholesky *c) {
  const int64_t block = c->array.block;
  const int64_t rows = hy_axis_most(&c->problem->row), cols = hy_axis_most(&c->problem->col);
  const struct hy_group groups[] = {
      {&c->inverse.spreads, c->array.row_dims, HY_TASK_BROADCAST, block * cols, c->k->size},
      {&c->inverse.crosses, c->array.col_dims, HY_TASK_ALLGATHER, block * rows, c->k->size},
      {0}};
  TRY(hy_alloc_for(&c->cube->base, c, 2 * c->array.col.parts + 1, sizeof *c->inverse.numbers,
                   &c->inverse.numbers));
  return hy_make_groups(c, c->cube, groups);
}

hyla_status hy_cholesky_inverse_allocate(struct hy_cholesky *c) {
  const struct hy_block_cyclic *array = &c->array;
  const int64_t block_row = array->block * (int64_t)c->k->size;
  const struct hy_owned arrays[] = {
      {&c->inverse.solved, block_row * hy_max(array->cols, array->block)},
      {&c->inverse.gathered, block_row * array->rows},
      {&c->inverse.along, array->col.parts > 1 ? block_row * array->rows : 0},
      {0}};
  struct hy_subcube_op *const groups[] = {&c->inverse.spreads, &c->inverse.crosses, NULL};
  TRY(hy_take_arrays(&c->cube->base, c, arrays));
  return hy_allocate_groups(groups);
}
