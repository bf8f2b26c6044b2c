/* Cholesky: what a panel does to columns on its right: A := A - L L^H in the lower triangle.
 *
 * A rank has the rows of the panel that its own rows need.  Those that stand for its columns are
 * spread over its rank column: each member has the blocks that lie on its rank row. */
#include "solve/cholesky.h"

/* --------------------------------------------------------------- across -- */

/* The block column of a local column. */
static const struct hy_cholesky_block *block_of(const struct hy_cholesky *c, int64_t column) {
  return &c->blocks[column / c->array.block];
}

/* The first block column that begins at a local column or behind it, and the end of all. */
static const struct hy_cholesky_block *blocks_from(const struct hy_cholesky *c, int64_t column) {
  return c->blocks + hy_ceil_div(column, c->array.block);
}

static const struct hy_cholesky_block *blocks_end(const struct hy_cholesky *c) {
  return blocks_from(c, c->array.cols);
}

/* offsets[x] ... offsets[x + 1]: words of member x's rows. */
static void set_offsets(const struct hy_cholesky *c, int64_t from, int width, int64_t *offsets) {
  int64_t members = c->array.row.parts;
  for (int64_t x = 0; x <= members; x++) offsets[x] = 0;
  for (const struct hy_cholesky_block *block = blocks_from(c, from); block < blocks_end(c); block++)
    offsets[block->member + 1] += (int64_t)block->at.width * width;
  for (int64_t x = 0; x < members; x++) offsets[x + 1] += offsets[x];
}

/* Between a member's rows, one under the other, and the panel or `across`. */
static void copy_blocks(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                        bool out, const struct hy_cholesky_across *across) {
  const struct hy_kernels *k = c->k;
  int64_t members = c->array.row.parts, size = (int64_t)k->size;
  int64_t *offsets = c->numbers, *places = c->numbers + members + 1;
  int width = panel->at.width;
  for (int64_t x = 0; x < members; x++) places[x] = 0;
  for (const struct hy_cholesky_block *block = blocks_from(c, across->column);
       block < blocks_end(c); block++) {
    const struct hy_diagonal_block *at = &block->at;
    int64_t x = block->member, ld = (offsets[x + 1] - offsets[x]) / width;
    char *there = c->gathered + (offsets[x] + places[x]) * size;
    if (!out && at->top)
      k->copy(HYLA_NONE, at->width, width, 1, hy_cholesky_rows(panel, at->row, k->size), panel->ld,
              there, (int)hy_max(1, ld));
    if (out)
      k->copy(HYLA_NONE, at->width, width, 1, there, (int)hy_max(1, ld),
              c->across + (at->column - across->column) * size, across->ld);
    if (out || at->top) hy_count_copied(c->cube, (int64_t)at->width * width);
    places[x] += at->width;
  }
}

hyla_status hy_cholesky_gather(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                               struct hy_cholesky_across *across) {
  const struct hy_diagonal_block *at = &panel->at;
  int64_t behind = hy_columns_behind(&c->array, at);
  *across = (struct hy_cholesky_across){
      .data = c->across, .ld = (int)hy_max(1, behind), .column = c->a->local_cols - behind};
  if (c->array.row.parts == 1 && c->array.col.parts == 1) {
    across->data = hy_cholesky_rows(panel, panel->row, c->k->size);
    across->ld = panel->ld;
    return HYLA_OK;
  }
  set_offsets(c, across->column, at->width, c->numbers);
  copy_blocks(c, panel, false, across);
  if (c->array.row.parts > 1) TRY(hy_group_allgather(&c->rows, c->gathered, c->numbers));
  if (c->array.row.parts > 1)
    copy_blocks(c, panel, true, across);
  else
    across->data = c->gathered; /* one member, whose blocks are in order */
  return HYLA_OK;
}

/* --------------------------------------------------------------- update -- */

/* The columns of an update: which they are, and the panel's rows that stand for them. */
struct sides {
  int64_t column, count;
  const char *data;
  int ld;
};

/* By the panel's packed rows from a local row on, one that begins a tile. */
static void multiply_packed(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                            const struct sides *sides, int64_t first) {
  const int width = panel->at.width, skipped = (int)(first - panel->row);
  const char *packed =
      hy_packed_rows_of(&c->packed, panel->at.index, panel->rows, width,
                        hy_cholesky_rows(panel, panel->row, c->k->size), panel->ld);
  c->packed.products->multiply(HYLA_CONJUGATE, panel->rows, (int)sides->count, width, packed,
                               skipped, sides->data, sides->ld, hy_at(c->a, first, sides->column),
                               (int)c->a->ld, 0);
}

/* A := A - L L^H in local rows first ... end-1, those to the panel's last one packed where that
 * pays. */
static void multiply(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                     const struct sides *sides, int64_t first, int64_t end) {
  const struct hy_kernels *k = c->k;
  const int width = panel->at.width;
  const bool packed = c->packed.products != NULL && end == c->a->local_rows;
  if (first >= end || sides->count == 0) return;
  const int64_t tile = hy_ceil_div(first - panel->row, HY_PACKED_ROWS) * HY_PACKED_ROWS;
  const int64_t middle = packed ? hy_min(end, panel->row + tile) : end;
  if (first < middle)
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)(middle - first), (int)sides->count, width, -1,
            hy_cholesky_rows(panel, first, k->size), panel->ld, sides->data, sides->ld, 1,
            hy_at(c->a, first, sides->column), (int)c->a->ld);
  if (middle < end) multiply_packed(c, panel, sides, middle);
  hy_compute(c->cube, 2 * (end - first) * sides->count * width, k->size, k->complex_type);
}

/* The lower triangle of a diagonal block that lies on this rank. */
static void multiply_diagonal(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                              const struct hy_diagonal_block *block) {
  const int64_t width = panel->at.width, order = block->width;
  c->k->herk(HYLA_NONE, (int)order, (int)width, -1, hy_cholesky_rows(panel, block->row, c->k->size),
             panel->ld, hy_at(c->a, block->row, block->column), (int)c->a->ld);
  hy_compute(c->cube, order * (order + 1) * width, c->k->size, c->k->complex_type);
}

static struct sides sides_of(const struct hy_cholesky *c, const struct hy_cholesky_across *across,
                             int64_t column, int64_t count) {
  return (struct sides){.column = column,
                        .count = count,
                        .data = across->data + (column - across->column) * (int64_t)c->k->size,
                        .ld = across->ld};
}

/* The block columns of a strip, down to the last one's diagonal block each by itself; what is
 * below all at once. */
static void update_strip(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                         const struct hy_cholesky_across *across, int64_t first, int64_t end) {
  const struct hy_cholesky_block *last = block_of(c, end - 1);
  int64_t below = last->at.row + (last->at.top ? last->at.width : 0);
  for (const struct hy_cholesky_block *block = block_of(c, first); block <= last; block++) {
    const struct hy_diagonal_block *at = &block->at;
    const struct sides sides = sides_of(c, across, at->column, at->width);
    if (at->top) multiply_diagonal(c, panel, at);
    multiply(c, panel, &sides, at->row + (at->top ? at->width : 0), below);
  }
  const struct sides sides = sides_of(c, across, first, end - first);
  multiply(c, panel, &sides, below, c->a->local_rows);
}

hyla_status hy_cholesky_update(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                               const struct hy_cholesky_across *across, int64_t first,
                               int64_t count) {
  bool single = c->fixed || c->packed.products != NULL;
  int64_t blocks = single ? 1 : hy_max(1, HY_CHOLESKY_STRIP / c->array.block);
  int64_t step = blocks * c->array.block;
  for (int64_t begin = first; begin < first + count; begin += step) {
    update_strip(c, panel, across, begin, hy_min(first + count, begin + step));
    TRY(hy_link_poll(c->cube));
  }
  return HYLA_OK;
}
