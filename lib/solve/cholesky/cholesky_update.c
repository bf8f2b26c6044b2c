/* Cholesky: what a panel does to columns on its right: A := A - L L^H in the lower triangle.
 *
 * A rank has the rows of the panel that its own rows need.  Those that stand for its columns are
 * spread over its rank column: each member has the blocks that lie on its rank row. */
#include "solve/cholesky/cholesky.h"

#include <complex.h>
#include <string.h>

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
static void multiply_packed(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                            const struct sides *sides, int64_t first) {
  c->packed.products->multiply(HYLA_CONJUGATE, panel->rows, (int)sides->count, panel->at.width,
                               c->packed.entries, (int)(first - panel->row), sides->data, sides->ld,
                               hy_at(c->a, first, sides->column), (int)c->a->ld, NULL);
}

/* A := A - L L^H in local rows first ... end-1, those to the panel's last one packed where that
 * pays.  Of the others BLAS makes the products faster, but not for several threads (team.c). */
static void multiply(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                     const struct sides *sides, int64_t first, int64_t end) {
  const struct hy_kernels *k = c->k;
  const struct hy_packed *products = c->packed.products;
  const int width = panel->at.width;
  const bool packed = products != NULL && end == c->a->local_rows;
  if (first >= end || sides->count == 0) return;
  const int64_t tile = hy_ceil_div(first - panel->row, HY_PACKED_ROWS) * HY_PACKED_ROWS;
  const int64_t middle = packed ? hy_min(end, panel->row + tile) : end;
  const char *rows = hy_cholesky_rows(panel, first, k->size);
  char *to = hy_at(c->a, first, sides->column);
  const int count = (int)(middle - first);
  if (count > 0 && products != NULL && c->cube->team != NULL)
    products->plain(HYLA_CONJUGATE, count, (int)sides->count, width, rows, panel->ld, sides->data,
                    sides->ld, to, (int)c->a->ld);
  else if (count > 0)
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, count, (int)sides->count, width, -1, rows, panel->ld,
            sides->data, sides->ld, 1, to, (int)c->a->ld);
  if (middle < end) multiply_packed(c, panel, sides, middle);
}

/* What stands above the diagonal of n x n entries there is the caller's: out of the way, and back.
 */
enum { CORNER = HY_PACKED_ROWS, SHORT = 16 };
static void move_above(size_t size, int n, char *from, size_t ld_from, char *to, size_t ld_to) {
  for (size_t j = 1; j < (size_t)n; j++)
    memcpy(to + j * ld_to * size, from + j * ld_from * size, j * size);
}

/* The lower triangle of a diagonal block, some columns at a time, by the panel's packed rows or by
 * those that lie where they are. */
static void multiply_triangle(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                              const struct hy_diagonal_block *block, bool packed) {
  _Alignas(64) char above[CORNER * CORNER * sizeof(double _Complex)];
  const struct hy_packed *products = c->packed.products;
  const struct hy_kernels *k = c->k;
  const int first = (int)(block->row - panel->row), ld = (int)c->a->ld;
  const int step = packed ? products->tile : SHORT;
  for (int j = 0; j < block->width; j += step) {
    const int n = (int)hy_min(step, block->width - j);
    const char *rows = hy_cholesky_rows(panel, block->row + j, k->size);
    char *to = hy_at(c->a, block->row + j, block->column + j);
    move_above(k->size, n, to, (size_t)ld, above, (size_t)n);
    if (packed)
      products->multiply(HYLA_CONJUGATE, first + block->width, n, panel->at.width,
                         c->packed.entries, first + j, rows, panel->ld, to, ld, NULL);
    else
      products->plain(HYLA_CONJUGATE, block->width - j, n, panel->at.width, rows, panel->ld, rows,
                      panel->ld, to, ld);
    move_above(k->size, n, above, (size_t)n, to, (size_t)ld);
    for (int64_t i = 0; i < n && k->complex_type; i++)
      k->set(to, i * (ld + 1), creal(k->get(to, i * (ld + 1))));
  }
}

/* The same of one that lies on this rank. */
static void multiply_diagonal(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                              const struct hy_diagonal_block *block) {
  const struct hy_packed *products = c->packed.products;
  const bool packed = products != NULL && panel->at.width <= HY_PACKED_DEPTH &&
                      (block->row - panel->row) % products->tile == 0;
  if (packed || (products != NULL && c->cube->team != NULL))
    multiply_triangle(c, panel, block, packed);
  else
    c->k->herk(HYLA_NONE, block->width, panel->at.width, -1,
               hy_cholesky_rows(panel, block->row, c->k->size), panel->ld,
               hy_at(c->a, block->row, block->column), (int)c->a->ld);
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
static void update_strip(const struct hy_cholesky_update *u, int64_t first, int64_t end) {
  const struct hy_cholesky *c = u->c;
  const struct hy_cholesky_block *last = block_of(c, end - 1);
  int64_t below = last->at.row + (last->at.top ? last->at.width : 0);
  for (const struct hy_cholesky_block *block = block_of(c, first); block <= last; block++) {
    const struct hy_diagonal_block *at = &block->at;
    const struct sides sides = sides_of(c, u->across, at->column, at->width);
    if (at->top) multiply_diagonal(c, u->panel, at);
    multiply(c, u->panel, &sides, at->row + (at->top ? at->width : 0), below);
  }
  const struct sides sides = sides_of(c, u->across, first, end - first);
  multiply(c, u->panel, &sides, below, c->a->local_rows);
}

/* What that is in operations. */
static int64_t flops_of(const struct hy_cholesky_update *u, int64_t first, int64_t end) {
  const struct hy_cholesky *c = u->c;
  const int64_t width = u->panel->at.width;
  int64_t flops = 0;
  for (int64_t column = first; column < end; column += c->array.block) {
    const struct hy_diagonal_block *at = &block_of(c, column)->at;
    const int64_t order = at->top ? at->width : 0;
    flops += order * (order + 1) * width;
    flops += 2 * hy_max(0, c->a->local_rows - at->row - order) * at->width * width;
  }
  return flops;
}

/* What products copy first: the rows that stand for columns, and of a diagonal block, which is too
 * small for that to be little, both factors, as BLAS does. */
static int64_t copies_of(const struct hy_cholesky_update *u) {
  const struct hy_cholesky *c = u->c;
  const int64_t width = u->panel->at.width;
  int64_t entries = u->count * width;
  for (int64_t column = u->first; column < u->first + u->count; column += c->array.block) {
    const struct hy_diagonal_block *at = &block_of(c, column)->at;
    if (at->top) entries += 2 * at->width * width;
  }
  return entries;
}

/* ------------------------------------------------------------- in pieces -- */

static int64_t strip_begin(const struct hy_cholesky_update *u, int64_t index) {
  return u->first + index * u->step;
}

static int64_t strip_end(const struct hy_cholesky_update *u, int64_t index) {
  return hy_min(u->first + u->count, strip_begin(u, index) + u->step);
}

static void update_piece(void *arg, int64_t index, int thread) {
  const struct hy_cholesky_update *u = arg;
  (void)thread;
  update_strip(u, strip_begin(u, index), strip_end(u, index));
}

void hy_cholesky_update_start(struct hy_cholesky_update *u) {
  struct hy_cholesky *c = u->c;
  const struct hy_cholesky_panel *panel = u->panel;
  struct hy_team *team = c->packed.products != NULL ? c->cube->team : NULL;
  const bool single = c->fixed || c->packed.products != NULL;
  u->step = (single ? 1 : hy_max(1, HY_CHOLESKY_STRIP / c->array.block)) * c->array.block;
  u->work = (struct hy_work){.piece = update_piece,
                             .arg = u,
                             .first = hy_ceil_div(u->ahead, u->step),
                             .count = hy_ceil_div(u->count, u->step),
                             .threads = hy_team_threads(team)};
  if (c->packed.products != NULL && u->count > 0)
    hy_packed_rows_of(&c->packed, team, panel->at.index, panel->rows, panel->at.width,
                      hy_cholesky_rows(panel, panel->row, c->k->size), panel->ld);
  hy_count_copied(c->cube, copies_of(u));
  hy_team_start(team, &u->work);
  for (int64_t index = 0; index < u->work.first; index++) update_piece(u, index, 0);
}

hyla_status hy_cholesky_update_finish(struct hy_cholesky_update *u) {
  const struct hy_cholesky *c = u->c;
  const struct hy_kernels *k = c->k;
  hyla_status status = HYLA_OK;
  int64_t left = flops_of(u, u->first, u->first + u->count);
  for (int64_t index; (index = hy_work_take(&u->work)) >= 0;) {
    const int64_t flops = flops_of(u, strip_begin(u, index), strip_end(u, index));
    left -= flops;
    hy_compute(c->cube, flops, k->size, k->complex_type);
    if (status == HYLA_OK) status = hy_link_poll(c->cube);
  }
  hy_team_finish(c->cube->team);
  if (left > 0) hy_compute(c->cube, left, k->size, k->complex_type);
  return status;
}

hyla_status hy_cholesky_update(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                               const struct hy_cholesky_across *across, int64_t first,
                               int64_t count) {
  struct hy_cholesky_update u = {
      .c = c, .panel = panel, .across = across, .first = first, .count = count};
  hy_cholesky_update_start(&u);
  return hy_cholesky_update_finish(&u);
}
