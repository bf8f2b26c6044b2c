/* Triangular systems with identities on the diagonal, by products.
 *
 * Reference: Johnsson 1987, 6.4.3.
 *
 * Method: once a span of X is known, Y := Y - L X, where L is the span's block column and X the
 *   span's rows.  This is a product of matrices; its sums stay in place, and nothing is solved
 *   between two products.  The paper multiplies element by element, so L is sent again for each
 *   right-hand side of a rank.  Here the ranks of a rank row gather the block column once, those of
 *   a rank column gather the span's rows, and each rank multiplies by itself.
 * Example on 4 nodes, 2 x 2, a span of blocks 0 and 1: node (i, j) gathers its rows of L(:, 0:1)
 *   from (i, 0) and (i, 1), and X_0 and X_1, its columns, from (0, j) and (1, j), and subtracts the
 *   product.
 * Steps a span: an all-gather along the rank rows, one along the rank columns.
 * Words: the rank's rows x the span's columns, the span's rows x the rank's right-hand sides. */
#include "solve/papers/block_jacobi.h"
#include "solve/papers/two_gathers.h"

/* The local indices of blocks in a part: rows or columns. */
typedef struct hy_row_range indices(const struct hy_block_jacobi *e, int part, int64_t from,
                                    int64_t to);

static char *word(const struct hy_block_jacobi *e, char *data, int64_t words) {
  return data + (size_t)words * e->k->size;
}

/* Sets where the parts' blocks begin, `each' words for an index of the span. */
static void set_offsets(const struct hy_block_jacobi *e, const struct hy_block_span *span,
                        const struct hy_axis *axis, indices *of, int64_t each, int64_t *offsets) {
  for (int part = 0; part < axis->parts; part++)
    offsets[part + 1] = offsets[part] + each * of(e, part, span->first, span->end).count;
}

/* Copies the rank's own block to its place in the message. */
static void put(const struct hy_block_jacobi *e, const struct hyla_matrix *m,
                const struct hy_row_range *rows, const struct hy_row_range *columns, char *to) {
  if (rows->count == 0 || columns->count == 0) return;
  hy_copy_block(e->cube, e->k, HYLA_NONE, rows->count, columns->count,
                hy_at(m, rows->first, columns->first), m->ld, to, rows->count);
}

/* ------------------------------------------------------------ all-gathers -- */

/* Gathers the span's block column, only the rows solved for later, and the span's rows of X. */
static hyla_status gather(const struct hy_block_jacobi *e, const struct hy_block_span *span,
                          const struct hy_row_range *after) {
  const struct hy_block_cyclic *array = &e->s.array;
  const struct hy_row_range sides = {0, e->x.local_cols};
  struct hy_row_range rows = hy_block_jacobi_rows(e, array->row_part, span->first, span->end);
  struct hy_row_range columns = hy_block_jacobi_columns(e, array->col_part, span->first, span->end);
  int64_t *for_columns = e->offsets, *for_rows = e->offsets + array->col.parts + 1;
  set_offsets(e, span, &array->col, hy_block_jacobi_columns, after->count, for_columns);
  set_offsets(e, span, &array->row, hy_block_jacobi_rows, sides.count, for_rows);
  put(e, &e->t, after, &columns, word(e, e->whole_columns, for_columns[array->col_part]));
  put(e, &e->x, &rows, &sides, word(e, e->whole_rows, for_rows[array->row_part]));
  const struct hy_gathering both[] = {{&e->columns, e->whole_columns, for_columns},
                                      {&e->rows, e->whole_rows, for_rows}};
  return hy_gather_two(both);
}

/* --------------------------------------------------------------- product -- */

/* Copies a block of the span from the gathered rows to a row of the ordered ones. */
static void place_block(const struct hy_block_jacobi *e, const struct hy_block_span *span,
                        int64_t block, int64_t to, int64_t order) {
  const struct hy_block_cyclic *array = &e->s.array;
  int part = hy_axis_owner(&array->row, block * array->block);
  struct hy_row_range rows = hy_block_jacobi_rows(e, part, span->first, span->end);
  struct hy_row_range here = hy_block_jacobi_rows(e, part, block, block + 1);
  int64_t from = e->offsets[array->col.parts + 1 + part] + here.first - rows.first;
  hy_copy_block(e->cube, e->k, HYLA_NONE, here.count, e->x.local_cols, word(e, e->whole_rows, from),
                rows.count, word(e, e->ordered, to), order);
}

/* Puts the span's rows into the order of the gathered columns: one rank column's after
 * another's. */
static void order_rows(const struct hy_block_jacobi *e, const struct hy_block_span *span,
                       int64_t order) {
  const struct hy_axis *col = &e->s.array.col;
  int64_t to = 0;
  for (int part = 0; part < col->parts; part++)
    for (int64_t block = span->first + part; block < span->end; block += col->parts) {
      place_block(e, span, block, to, order);
      to += hy_block_jacobi_columns(e, part, block, block + 1).count;
    }
}

static hyla_status subtract_span(const struct hy_block_jacobi *e, int64_t step) {
  struct hy_block_span span = hy_block_jacobi_span(e, step);
  struct hy_row_range after =
      hy_block_jacobi_rows(e, e->s.array.row_part, span.after, span.after_end);
  int64_t block = e->s.array.block, columns = e->x.local_cols;
  int64_t order = hy_min(e->s.array.order, span.end * block) - span.first * block;
  TRY(gather(e, &span, &after));
  if (after.count == 0 || columns == 0) return HYLA_OK;
  order_rows(e, &span, order);
  e->k->gemm(HYLA_NONE, HYLA_NONE, (int)after.count, (int)columns, (int)order, -1, e->whole_columns,
             (int)after.count, e->ordered, (int)order, 1, hy_at(&e->x, after.first, 0),
             (int)e->x.ld);
  hy_compute(e->cube, 2 * after.count * order * columns, e->k->size, e->k->complex_type);
  return HYLA_OK;
}

hyla_status hy_block_jacobi_product(const struct hy_block_jacobi *e) {
  for (int64_t step = 0; step + 1 < e->spans; step++) TRY(subtract_span(e, step));
  return HYLA_OK;
}

/* ------------------------------------------------------------------ make -- */

static int64_t span_order(const struct hy_block_jacobi *e) {
  return hy_min(e->s.array.row.n, e->span * e->s.array.block);
}

/* Numbers the members in the order of the parts. */
static hyla_status make_group(const struct hy_block_jacobi *e, const struct hy_axis *axis,
                              int64_t words, struct hy_subcube_op *group) {
  struct hy_base *base = &e->cube->base;
  uint32_t dims = hy_axis_mask(&axis->code), *place = NULL;
  TRY(hy_alloc_for(base, e->owner, axis->parts, sizeof *place, &place));
  for (uint32_t x = 0; x < (uint32_t)axis->parts; x++)
    place[x] = (uint32_t)hy_part_of(axis, (int)hy_deposit(x, dims));
  TRY(hy_subcube_make_for(e->owner, e->cube, dims, HY_TASK_ALLGATHER, words, e->k->size, place,
                          group));
  hy_free(base, &place);
  return HYLA_OK;
}

hyla_status hy_block_jacobi_product_make(struct hy_block_jacobi *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t order = span_order(e);
  TRY(make_group(e, &array->col, hy_axis_most(&array->row) * order, &e->columns));
  return make_group(e, &array->row, hy_axis_most(&e->across) * order, &e->rows);
}

hyla_status hy_block_jacobi_product_allocate(struct hy_block_jacobi *e) {
  struct hy_base *base = &e->cube->base;
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t order = span_order(e), size = (int64_t)e->k->size;
  TRY(hy_alloc_for(base, e->owner, array->row.parts + array->col.parts + 2, sizeof *e->offsets,
                   &e->offsets));
  TRY(hy_alloc_data_for(base, e->owner, e->t.local_rows * order * size, 1, &e->whole_columns));
  TRY(hy_alloc_data_for(base, e->owner, e->x.local_cols * order * size, 1, &e->whole_rows));
  TRY(hy_alloc_data_for(base, e->owner, e->x.local_cols * order * size, 1, &e->ordered));
  TRY(hy_subcube_allocate(&e->columns));
  return hy_subcube_allocate(&e->rows);
}
