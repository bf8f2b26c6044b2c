/* Cholesky: A = L L^H for Hermitian positive definite A, right-looking, blocked.
 *
 * Reference: Johnsson 1987, section 6, for the layout and the elimination; look-ahead as in LU.
 * theory.md, cholesky:right-looking.
 * Layout: block-cyclic on any array, square blocks; in Gray code on sides of 2^r ranks.
 * Method: in the loop over panels (panels/lookahead.c), with A partitioned at panel k,
 *
 *     [A11    ]   A11: the diagonal block, on one rank; A21: panel k, on rank column q_k
 *     [A21 A22]
 *
 *   make:    A11 = L11 L11^H (cholesky_block.c), which is broadcast down q_k
 *            A21 := A21 L11^-H = L21
 *   arrive: a rank gets the rows of L21 for its own rows; the rows that stand for its columns are
 *            gathered over its rank column, where each member has the blocks of its rank row
 *   use:     A22 := A22 - L21 L21^H in the lower triangle
 *
 * If the problem asks for the inverse: cholesky_inverse.c.
 * Steps a panel: r for the diagonal block, at most c for the panel, r for its rows.  Flops:
 * n^3 / 3 on all ranks together.  Workspace: three panels, two panels' rows more. */
#include "solve/cholesky/cholesky.h"

#include <complex.h>
#include <string.h>

static struct hy_cholesky_panel panel_at(const struct hy_cholesky *c, int64_t index,
                                         struct hy_panel_slot *slot) {
  struct hy_cholesky_panel panel = {.at = hy_diagonal_block(&c->array, index), .slot = slot};
  const struct hy_diagonal_block *at = &panel.at;
  panel.rows = (int)hy_rows_behind(at);
  panel.row = at->row + at->rows - panel.rows;
  panel.ld = (int)hy_max(1, panel.rows);
  panel.bytes = HY_PANEL_HEADER + (int64_t)panel.rows * at->width * (int64_t)c->k->size;
  return panel;
}

static int64_t bytes_of(const void *state, int64_t index) {
  return panel_at(state, index, NULL).bytes;
}

/* ------------------------------------------------------------------ make -- */

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_cholesky *c = state;
  const struct hy_kernels *k = c->k;
  const struct hy_cholesky_panel panel = panel_at(c, index, slot);
  const struct hy_diagonal_block *at = &panel.at;
  const int64_t w = at->width, size = (int64_t)k->size, ld = c->a->ld;
  const struct hy_panel_header *found = (const void *)c->diagonal;
  char *a21 = hy_at(c->a, panel.row, at->column);

  /* A11 = L11 L11^H, or why it has no factor, on all ranks of q_k */
  if (at->top) hy_cholesky_factor_block(c, at);
  TRY(hy_subcube_broadcast(&c->diagonals, hy_column_root(&c->array, index), c->diagonal,
                           (HY_PANEL_HEADER + w * w * size) / size));
  if (!k->dry) memcpy(slot->data, found, sizeof *found);
  if (!k->dry && found->status != HYLA_OK) return HYLA_OK;

  /* A21 := A21 L11^-H, in place and in the message */
  k->trsm(HYLA_RIGHT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, panel.rows, at->width, 1,
          c->diagonal + HY_PANEL_HEADER, at->width, a21, (int)ld);
  hy_compute(c->cube, panel.rows * w * w, k->size, k->complex_type);
  hy_copy_block(c->cube, k, HYLA_NONE, panel.rows, at->width, a21, ld, slot->data + HY_PANEL_HEADER,
                panel.ld);
  return HYLA_OK;
}

/* ---------------------------------------------------------------- arrive -- */

/* The block column of a local column. */
static const struct hy_cholesky_block *block_of(const struct hy_cholesky *c, int64_t column) {
  return &c->blocks[column / c->array.block];
}

/* The first block column that begins at a local column or behind it; the end of all. */
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

/* Where L21's local row `row' is read. */
static const char *l21_at(const struct hy_cholesky *c, int64_t row) {
  return c->panel.slot->seen + HY_PANEL_HEADER + (row - c->panel.row) * (int64_t)c->k->size;
}

/* Copies this member's rows from the panel to the message or, out, all rows from there to
 * `across`. */
static void copy_blocks(const struct hy_cholesky *c, bool out) {
  const struct hy_kernels *k = c->k;
  const struct hy_cholesky_panel *panel = &c->panel;
  int64_t members = c->array.row.parts, size = (int64_t)k->size;
  int64_t *offsets = c->numbers, *places = c->numbers + members + 1;
  int width = panel->at.width;
  for (int64_t x = 0; x < members; x++) places[x] = 0;
  for (const struct hy_cholesky_block *block = blocks_from(c, panel->column); block < blocks_end(c);
       block++) {
    const struct hy_diagonal_block *at = &block->at;
    int64_t x = block->member, ld = (offsets[x + 1] - offsets[x]) / width;
    char *there = c->gathered + (offsets[x] + places[x]) * size;
    if (!out && at->top)
      k->copy(HYLA_NONE, at->width, width, 1, l21_at(c, at->row), panel->ld, there,
              (int)hy_max(1, ld));
    if (out)
      k->copy(HYLA_NONE, at->width, width, 1, there, (int)hy_max(1, ld),
              c->across + (at->column - panel->column) * size, panel->ld_across);
    if (out || at->top) hy_count_copied(c->cube, (int64_t)at->width * width);
    places[x] += at->width;
  }
}

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_cholesky *c = state;
  struct hy_cholesky_panel *panel = &c->panel;
  *panel = panel_at(c, index, slot);
  const int64_t behind = hy_columns_behind(&c->array, &panel->at);
  const bool rows = c->array.row.parts > 1;
  panel->column = c->a->local_cols - behind;
  panel->across = c->across;
  panel->ld_across = (int)hy_max(1, behind);
  if (!rows && c->array.col.parts == 1) {
    panel->across = l21_at(c, panel->row);
    panel->ld_across = panel->ld;
  } else {
    set_offsets(c, panel->column, panel->at.width, c->numbers);
    copy_blocks(c, false);
    if (rows) TRY(hy_subcube_allgather(&c->rows, c->gathered, c->numbers));
    if (rows)
      copy_blocks(c, true);
    else
      panel->across = c->gathered; /* one member, whose blocks are in order */
  }
  if (behind > 0) /* packed for the products */
    hy_count_copied(c->cube, (int64_t)panel->rows * panel->at.width);
  return HYLA_OK;
}

/* ------------------------------------------------------------------- use -- */

/* A := A - L21 L21^H in local rows first ...  end-1 and some columns.  Rows from a tile to the
 * panel's end are multiplied packed, if that pays.  BLAS multiplies the others faster, but not for
 * several threads (team.c). */
static void multiply(const struct hy_cholesky *c, int64_t column, int64_t count, int64_t first,
                     int64_t end) {
  const struct hy_kernels *k = c->k;
  const struct hy_packed *products = c->packed.products;
  const struct hy_cholesky_panel *panel = &c->panel;
  const int width = panel->at.width, columns = (int)count, ld = (int)c->a->ld;
  if (first >= end || count == 0) return;
  const bool packed = products != NULL && end == c->a->local_rows;
  const int64_t tile = hy_ceil_div(first - panel->row, HY_PACKED_ROWS) * HY_PACKED_ROWS;
  const int64_t middle = packed ? hy_min(end, panel->row + tile) : end;
  const char *across = panel->across + (column - panel->column) * (int64_t)k->size;
  const int rows = (int)(middle - first);
  if (rows > 0 && products != NULL && c->cube->session.team != NULL)
    products->plain(HYLA_CONJUGATE, rows, columns, width, l21_at(c, first), panel->ld, across,
                    panel->ld_across, hy_at(c->a, first, column), ld);
  else if (rows > 0)
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, rows, columns, width, -1, l21_at(c, first), panel->ld,
            across, panel->ld_across, 1, hy_at(c->a, first, column), ld);
  if (middle < end) /* from a row on that begins a tile */
    products->multiply(HYLA_CONJUGATE, panel->rows, columns, width, c->packed.entries,
                       (int)(middle - panel->row), across, panel->ld_across,
                       hy_at(c->a, middle, column), ld, NULL);
}

/* Entries above the diagonal are the caller's: they are moved away for a product, and back.
 */
enum { CORNER = HY_PACKED_ROWS, SHORT = 16 };
static void move_above(size_t size, int n, char *from, size_t ld_from, char *to, size_t ld_to) {
  for (size_t j = 1; j < (size_t)n; j++)
    memcpy(to + j * ld_to * size, from + j * ld_from * size, j * size);
}

/* Updates a diagonal block's lower triangle, some columns at a time, by packed or plain rows. */
static void multiply_triangle(const struct hy_cholesky *c, const struct hy_diagonal_block *block,
                              bool packed) {
  _Alignas(64) char above[CORNER * CORNER * sizeof(double _Complex)];
  const struct hy_packed *products = c->packed.products;
  const struct hy_cholesky_panel *panel = &c->panel;
  const struct hy_kernels *k = c->k;
  const int first = (int)(block->row - panel->row), ld = (int)c->a->ld;
  const int step = packed ? products->tile : SHORT;
  for (int j = 0; j < block->width; j += step) {
    const int n = (int)hy_min(step, block->width - j);
    const char *rows = l21_at(c, block->row + j);
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

/* Updates a diagonal block on this rank, in the fastest way. */
static void multiply_diagonal(const struct hy_cholesky *c, const struct hy_diagonal_block *block) {
  const struct hy_packed *products = c->packed.products;
  const struct hy_cholesky_panel *panel = &c->panel;
  const bool packed = products != NULL && panel->at.width <= HY_PACKED_DEPTH &&
                      (block->row - panel->row) % products->tile == 0;
  if (packed || (products != NULL && c->cube->session.team != NULL))
    multiply_triangle(c, block, packed);
  else
    c->k->herk(HYLA_NONE, block->width, panel->at.width, -1, l21_at(c, block->row), panel->ld,
               hy_at(c->a, block->row, block->column), (int)c->a->ld);
}

/* The columns of an update, cut in strips of whole block columns. */
struct pieces {
  const struct hy_cholesky *c;
  const struct hy_columns *x;
  int64_t step; /* columns of a strip */
  struct hy_work work;
};

static int64_t strip_begin(const struct pieces *p, int64_t index) {
  return p->x->first + index * p->step;
}
static int64_t strip_end(const struct pieces *p, int64_t index) {
  return hy_min(p->x->first + p->x->count, strip_begin(p, index) + p->step);
}

/* Updates a strip: each block column by itself down to the last one's diagonal block, then all rows
 * below at once. */
static void use_piece(void *arg, int64_t index, int thread) {
  const struct pieces *p = arg;
  const struct hy_cholesky *c = p->c;
  const int64_t first = strip_begin(p, index), end = strip_end(p, index);
  const struct hy_cholesky_block *last = block_of(c, end - 1);
  const int64_t below = last->at.row + (last->at.top ? last->at.width : 0);
  (void)thread;
  for (const struct hy_cholesky_block *block = block_of(c, first); block <= last; block++) {
    const struct hy_diagonal_block *at = &block->at;
    if (at->top) multiply_diagonal(c, at);
    multiply(c, at->column, at->width, at->row + (at->top ? at->width : 0), below);
  }
  multiply(c, first, end - first, below, c->a->local_rows);
}

/* Operations of the update of local columns first ... end-1. */
static int64_t flops_of(const struct hy_cholesky *c, int64_t first, int64_t end) {
  const int64_t width = c->panel.at.width;
  int64_t flops = 0;
  for (int64_t column = first; column < end; column += c->array.block) {
    const struct hy_diagonal_block *at = &block_of(c, column)->at;
    const int64_t order = at->top ? at->width : 0;
    flops += order * (order + 1) * width;
    flops += 2 * hy_max(0, c->a->local_rows - at->row - order) * at->width * width;
  }
  return flops;
}

/* Entries that products copy first: the rows that stand for columns and, for a diagonal block, both
 * factors, as BLAS does; such a block is too small to neglect that. */
static int64_t copies_of(const struct hy_cholesky *c, const struct hy_columns *x) {
  const int64_t width = c->panel.at.width;
  int64_t entries = x->count * width;
  for (int64_t column = x->first; column < x->first + x->count; column += c->array.block) {
    const struct hy_diagonal_block *at = &block_of(c, column)->at;
    if (at->top) entries += 2 * at->width * width;
  }
  return entries;
}

/* The team takes part only in products with packed rows. */
static struct hy_team *team_of(const struct hy_cholesky *c) {
  return c->packed.products != NULL ? c->cube->session.team : NULL;
}

static bool shares(const void *state, int64_t columns) {
  (void)columns;
  return team_of(state) != NULL;
}

/* A22 := A22 - L21 L21^H: the first columns, then panel k + 1, then the others. */
static hyla_status use(void *state, const struct hy_columns *x) {
  struct hy_cholesky *c = state;
  const struct hy_cholesky_panel *panel = &c->panel;
  const struct hy_kernels *k = c->k;
  struct hy_team *team = team_of(c);
  struct pieces p = {.c = c, .x = x, .step = c->array.block};
  hyla_status status = HYLA_OK;
  if (!c->fixed && c->packed.products == NULL)
    p.step = hy_max(1, HY_CHOLESKY_STRIP / c->array.block) * c->array.block;
  p.work = (struct hy_work){.piece = use_piece,
                            .arg = &p,
                            .first = hy_ceil_div(x->ahead, p.step),
                            .count = hy_ceil_div(x->count, p.step),
                            .threads = hy_team_threads(team)};
  if (c->packed.products != NULL)
    hy_packed_rows_of(&c->packed, team, panel->at.index, panel->rows, panel->at.width,
                      l21_at(c, panel->row), panel->ld);
  hy_count_copied(c->cube, copies_of(c, x));
  hy_team_start(team, &p.work);
  for (int64_t index = 0; index < p.work.first; index++) use_piece(&p, index, 0);
  hyla_status made = hy_lookahead_next(x);
  int64_t left = flops_of(c, x->first, x->first + x->count);
  for (int64_t index; (index = hy_work_take(&p.work)) >= 0;) {
    const int64_t flops = flops_of(c, strip_begin(&p, index), strip_end(&p, index));
    left -= flops;
    hy_compute(c->cube, flops, k->size, k->complex_type);
    if (status == HYLA_OK) status = hy_link_poll(c->cube);
  }
  hy_team_finish(team);
  if (left > 0) hy_compute(c->cube, left, k->size, k->complex_type);
  return made != HYLA_OK ? made : status;
}

/* ------------------------------------------------------------------- run -- */

static hyla_status eliminate(struct hy_cholesky *c, int64_t from, int64_t until,
                             struct hy_panel_header *verdict) {
  struct hy_lookahead loop = {.panels = &c->panels,
                              .array = &c->array,
                              .begin = from / c->array.block,
                              .end = hy_min(hy_ceil_div(until, c->array.block), c->array.count),
                              .a = c->a,
                              .verdict = verdict,
                              .state = c,
                              .bytes = bytes_of,
                              .make = make,
                              .arrive = arrive,
                              .use = use,
                              .shares = shares};
  c->packed.panel = -1;
  c->array.start = from;
  hyla_status status = hy_lookahead_run(&loop);
  c->array.start = 0;
  return status;
}

/* ---------------------------------------------------------- the variant -- */

/* A system of order 1 needs no root: backward divides by A. */
static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_cholesky *c = state;
  (void)op;
  if (c->cube->address < 0 || c->problem->n == 1) return HYLA_OK;
  return hy_triangular_run(&c->forward, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_cholesky *c = state;
  (void)op;
  return c->cube->address < 0 ? HYLA_OK : hy_triangular_run(&c->backward, x);
}

hyla_status hy_cholesky_run(void *state) {
  struct hy_cholesky *c = state;
  const struct hy_factor_traits *steps = c->steps;
  struct hy_panel_header verdict = {HYLA_OK, c->problem->factors->pivot};
  int64_t until = c->problem->until == 0 ? c->problem->n : c->problem->until;
  if (c->cube->address < 0) return HYLA_OK;
  hyla_status status = eliminate(c, c->problem->from, until, &verdict);
  TRY(hy_pivot_verdict(c->problem, status, (hyla_status)verdict.status, verdict.column));
  struct hyla_matrix x;
  if (c->inverts) return hy_cholesky_inverse_run(c);
  if (c->problem->rhs == NULL || until < c->problem->n) return HYLA_OK;
  x = *c->problem->rhs;
  return steps->solve[0].run(state, HYLA_NONE, &x);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward, .at = HY_ALONG_COLUMNS}},
    .hermitian = true,
    .inverts = true,
    .resume = hy_cholesky_resume};

const struct hy_variant hy_cholesky_right = {
    .name = "right-looking",
    .arrays = true,
    .reference = "johnsson-1987, section 6",
    .traits = &SUBSTITUTIONS,
    HY_CHOLESKY_OPERATIONS,
    .explain = hy_cholesky_explain,
};
