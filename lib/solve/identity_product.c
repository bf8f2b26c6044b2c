/* Triangular systems with identities on the diagonal, by products.
 *
 * Johnsson 1987, 6.4.3: once a span of X is known, Y := Y - L X, with L the span's block column and
 * X the span's rows, is a product of matrices; its sums stay in place, and no solving is left
 * between two products.  The paper multiplies element by element, so that L is sent again for each
 * of the right-hand sides that a rank has; here the ranks of a rank row gather the block column
 * once, those of a rank column the span's rows, and each rank multiplies by itself.
 *
 * Steps a span: an all-gather along the rank rows, one along the rank columns; words: the rank's
 * rows x the span's columns, the span's rows x the rank's right-hand sides. */
#include "solve/identity.h"

/* Indices of the span that a member of a group has. */
typedef struct hy_row_range held(const struct hy_identity *e, int part, int64_t from, int64_t to);

/* ------------------------------------------------------------ all-gathers -- */

static int part_of_member(const struct hy_identity *e, const struct hy_axis *axis, uint32_t dims,
                          int64_t member) {
  uint32_t own = (uint32_t)e->cube->address & ~dims;
  return hy_part_of(axis, (int)(own | hy_deposit((uint32_t)member, dims)));
}

static char *word(const struct hy_identity *e, char *data, int64_t words) {
  return data + (size_t)words * e->k->size;
}

/* Where the members' blocks begin, `each` words for an index of the span; that of this rank. */
static char *set_offsets(const struct hy_identity *e, const struct hy_group *group,
                         const struct hy_axis *axis, held *of, const struct hy_block_span *span,
                         int64_t each, char *data) {
  int64_t members = INT64_C(1) << hy_popcount(group->dims);
  e->offsets[0] = 0;
  for (int64_t x = 0; x < members; x++)
    e->offsets[x + 1] =
        e->offsets[x] +
        each * of(e, part_of_member(e, axis, group->dims, x), span->first, span->end).count;
  return word(e, data, e->offsets[hy_extract((uint32_t)e->cube->address, group->dims)]);
}

/* The span's block column, rows of it that are solved for later, by the rank columns' addresses. */
static hyla_status gather_columns(const struct hy_identity *e, const struct hy_block_span *span,
                                  const struct hy_row_range *after) {
  const struct hy_block_cyclic *array = &e->s.array;
  struct hy_row_range own = hy_identity_columns(e, array->col_part, span->first, span->end);
  char *block = set_offsets(e, &e->columns, &array->col, hy_identity_columns, span, after->count,
                            e->whole_columns);
  if (after->count > 0 && own.count > 0)
    e->k->copy(HYLA_NONE, (int)after->count, (int)own.count, 1,
               hy_at(&e->t, after->first, own.first), (int)e->t.ld, block, (int)after->count);
  hy_count_copied(e->cube, after->count * own.count);
  return hy_group_allgather(&e->columns, e->whole_columns, e->offsets);
}

/* The span's rows of X, by the rank rows' addresses. */
static hyla_status gather_rows(const struct hy_identity *e, const struct hy_block_span *span) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t columns = e->x.local_cols;
  struct hy_row_range own = hy_identity_rows(e, array->row_part, span->first, span->end);
  char *block =
      set_offsets(e, &e->rows, &array->row, hy_identity_rows, span, columns, e->whole_rows);
  if (own.count > 0 && columns > 0)
    e->k->copy(HYLA_NONE, (int)own.count, (int)columns, 1, hy_at(&e->x, own.first, 0), (int)e->x.ld,
               block, (int)own.count);
  hy_count_copied(e->cube, own.count * columns);
  return hy_group_allgather(&e->rows, e->whole_rows, e->offsets);
}

/* --------------------------------------------------------------- product -- */

/* A block of the span among the gathered rows, to a row of those that are in order. */
static void place_block(const struct hy_identity *e, const struct hy_block_span *span,
                        int64_t block, int64_t to, int64_t order) {
  const struct hy_axis *row = &e->s.array.row;
  int part = hy_axis_owner(row, block * e->s.array.block);
  int node = (int)hy_axis_address(&row->code, (uint32_t)part);
  struct hy_row_range rows = hy_identity_rows(e, part, span->first, span->end);
  struct hy_row_range here = hy_identity_rows(e, part, block, block + 1);
  const char *from =
      word(e, e->whole_rows,
           e->offsets[hy_extract((uint32_t)node, e->rows.dims)] + here.first - rows.first);
  e->k->copy(HYLA_NONE, (int)here.count, (int)e->x.local_cols, 1, from, (int)rows.count,
             word(e, e->ordered, to), (int)order);
  hy_count_copied(e->cube, here.count * e->x.local_cols);
}

/* The span's rows in the order in which the ranks' addresses put its columns. */
static void order_rows(const struct hy_identity *e, const struct hy_block_span *span,
                       int64_t order) {
  const struct hy_axis *col = &e->s.array.col;
  int64_t to = 0;
  for (int64_t x = 0; x < col->parts; x++) {
    int part = part_of_member(e, col, e->columns.dims, x);
    for (int64_t block = span->first + part; block < span->end; block += col->parts) {
      place_block(e, span, block, to, order);
      to += hy_identity_columns(e, part, block, block + 1).count;
    }
  }
}

static hyla_status subtract_span(const struct hy_identity *e, int64_t step) {
  struct hy_block_span span = hy_identity_span(e, step);
  struct hy_row_range after = hy_identity_rows(e, e->s.array.row_part, span.after, span.after_end);
  int64_t block = e->s.array.block, columns = e->x.local_cols;
  int64_t order = hy_min(e->s.array.order, span.end * block) - span.first * block;
  TRY(gather_columns(e, &span, &after));
  TRY(gather_rows(e, &span));
  if (after.count == 0 || columns == 0) return HYLA_OK;
  order_rows(e, &span, order);
  e->k->gemm(HYLA_NONE, HYLA_NONE, (int)after.count, (int)columns, (int)order, -1, e->whole_columns,
             (int)after.count, e->ordered, (int)order, 1, hy_at(&e->x, after.first, 0),
             (int)e->x.ld);
  hy_compute(e->cube, 2 * after.count * order * columns, e->k->size, e->k->complex_type);
  return HYLA_OK;
}

hyla_status hy_identity_product(const struct hy_identity *e) {
  for (int64_t step = 0; step + 1 < e->spans; step++) TRY(subtract_span(e, step));
  return HYLA_OK;
}

/* ------------------------------------------------------------------ make -- */

static int64_t span_order(const struct hy_identity *e) {
  return hy_min(e->s.array.row.n, e->span * e->s.array.block);
}

hyla_status hy_identity_product_make(struct hy_identity *e) {
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t order = span_order(e);
  TRY(hy_group_make(e->cube, array->col_dims, HY_TASK_ALLGATHER, hy_axis_most(&array->row) * order,
                    e->k->size, &e->columns));
  return hy_group_make(e->cube, array->row_dims, HY_TASK_ALLGATHER,
                       hy_axis_most(&e->across) * order, e->k->size, &e->rows);
}

hyla_status hy_identity_product_take(struct hy_identity *e) {
  struct hy_base *base = &e->cube->base;
  const struct hy_block_cyclic *array = &e->s.array;
  int64_t order = span_order(e), size = (int64_t)e->k->size;
  int64_t members = hy_max(array->row.parts, array->col.parts);
  TRY(hy_alloc(base, members + 1, sizeof *e->offsets, &e->offsets));
  TRY(hy_alloc_data(base, e->t.local_rows * order * size, 1, &e->whole_columns));
  TRY(hy_alloc_data(base, e->x.local_cols * order * size, 1, &e->whole_rows));
  TRY(hy_alloc_data(base, e->x.local_cols * order * size, 1, &e->ordered));
  TRY(hy_group_take(&e->columns));
  return hy_group_take(&e->rows);
}
