/* Substitution with many right-hand sides.
 *
 * Method: the right-hand sides are spread over the rank columns, so all ranks compute.  For each
 *   block k: block column k of the triangle travels along the rank rows; p_k solves for block k of
 *   X and broadcasts it along the rank columns; all ranks subtract its contribution.  The next
 *   block column travels meanwhile.  It travels in the left form: a transposed triangle is
 *   transposed when it is copied, and then the work is the same.
 * Block ahead: if blocks of X are lent too, p_k+1 first subtracts from block k + 1, solves for it
 *   and lends it; only then all subtract from the other rows.  So nobody waits for a diagonal
 *   block.
 * Inverse: the inverse of the triangle is the solution for the identity, in the triangle's place.
 *   When block column k of X begins, that of the triangle has already left.  Row blocks of X are
 *   zero beyond their diagonal block, so step k works on the block columns up to k (for an upper
 *   triangle: from k on); n^3 / 3 operations.  Reference: Du Croz and Higham 1992; the method has a
 *   small right residual, T X - I.
 * Steps a block: c + r; words: local rows of the triangle x block, block x local right-hand
 *   sides. */
#include "solve/triangle/triangle.h"

#include <string.h>

struct travelling {
  const struct hy_substitution *s;
  const struct hy_kernels *k;
  struct hyla_matrix x; /* in the left form */
};

/* The rows of a block column that travel: those of the diagonal block and those solved for
 * later. */
struct column {
  struct hy_diagonal_block at;
  struct hy_row_range after;
  int64_t rows;
  int64_t first; /* first local row */
  int64_t ld;    /* leading dimension of the message */
  int64_t bytes;
};

static struct column column_of(const struct travelling *m, int64_t index) {
  struct column c = {.at = hy_diagonal_block(&m->s->array, index)};
  c.after = hy_rows_after(m->s, &c.at);
  c.rows = c.after.count + (c.at.top ? c.at.width : 0);
  c.first = hy_substitution_lower(m->s) ? c.at.row : 0;
  c.ld = hy_max(1, c.rows);
  c.bytes = c.rows * c.at.width * (int64_t)m->k->size;
  return c;
}

/* The place of local row `row' in a column's message. */
static const char *row_in(const struct travelling *m, const struct column *c, const char *data,
                          int64_t row) {
  return data + (row - c->first) * (int64_t)m->k->size;
}

/* The triangle of the left form's matrix. */
static hyla_triangle triangle_of(const struct hy_substitution *s) {
  return hy_substitution_lower(s) ? HYLA_LOWER : HYLA_UPPER;
}

/* The diagonal block within a column's message. */
static struct hy_tiles tiles_of(const struct travelling *m, const struct column *c,
                                const char *data) {
  return (struct hy_tiles){.cube = m->s->cube,
                           .k = m->k,
                           .triangle = triangle_of(m->s),
                           .diagonal = m->s->diagonal,
                           .order = c->at.width,
                           .t = row_in(m, c, data, c->at.row),
                           .ld = (int)c->ld};
}

static hyla_status send_column(const struct travelling *m, int64_t index) {
  const struct hy_substitution *s = m->s;
  struct hy_panel_slot *slot = NULL;
  if (index < 0) return HYLA_OK;
  struct column c = column_of(m, index);
  if (!c.at.mine) return HYLA_OK;
  TRY(hy_panels_open(s->panels, index, c.bytes, &slot));
  hy_copy_block(s->cube, m->k, s->op, c.rows, c.at.width,
                hy_substitution_at(s, c.first, c.at.column), s->t->ld, slot->data, c.ld);
  hy_count_read(s->cube, c.rows * c.at.width);
  if (s->tiled && c.at.top) { /* the message gets the inverses of its tiles */
    const struct hy_tiles tiles = tiles_of(m, &c, slot->data);
    hy_tiles_invert(&tiles, slot->data + (tiles.t - slot->data));
  }
  return hy_panels_lend(s->panels, slot);
}

static hyla_status expect_column(const struct travelling *m, int64_t index) {
  if (index < 0) return HYLA_OK;
  struct column c = column_of(m, index);
  return hy_panels_expect(m->s->panels, index, hy_row_root(&m->s->array, index), c.bytes);
}

/* Sends a block column, or prepares to receive it. */
static hyla_status look_ahead(const struct travelling *m, int64_t index) {
  TRY(send_column(m, index));
  return expect_column(m, index);
}

/* Block k of X, on every rank of the rank column: the local columns that its step works on.  For an
 * inverse also, on q_k, its own diagonal block, width x width. */
struct block {
  int64_t first, count; /* the columns */
  const char *rows;
  int64_t ld;
  const char *diagonal;
};

/* The number of X's columns that begin with this block or before it. */
static int64_t begun(const struct travelling *m, const struct hy_diagonal_block *at) {
  const int64_t *begins = m->s->begins;
  int64_t low = 0, high = m->x.local_cols;
  while (begins != NULL && low < high) {
    int64_t middle = low + (high - low) / 2;
    if (begins[middle] < at->first + at->width)
      low = middle + 1;
    else
      high = middle;
  }
  return high;
}

/* For an inverse: the columns left of this block (for an upper triangle: right of it), which are
 * not zero. */
static struct block block_of(const struct travelling *m, const struct column *c) {
  const struct hy_diagonal_block *at = &c->at;
  struct block block = {.count = begun(m, at)};
  if (!m->s->inverse) return block;
  block.count = hy_columns_behind(&m->s->array, at);
  block.first = m->x.local_cols - block.count;
  if (hy_substitution_lower(m->s)) block = (struct block){.count = at->column};
  return block;
}

/* Inverts the diagonal block of T, which is here.  `inverse' becomes a copy with zeros in the other
 * triangle and, for a unit triangle, ones on the diagonal. */
static void invert_diagonal(const struct travelling *m, const struct hy_diagonal_block *at,
                            char *inverse) {
  const struct hy_substitution *s = m->s;
  const struct hy_kernels *k = m->k;
  char *t = hy_at(&m->x, at->row, at->column);
  int64_t w = at->width, unit = s->diagonal == HYLA_UNIT_DIAGONAL;
  bool lower = s->triangle == HYLA_LOWER;
  hy_compute(s->cube, unit ? w * (w - 1) * (w - 2) / 3 : w * (w * w + 2) / 3, k->size,
             k->complex_type);
  hy_count_copied(s->cube, w * w);
  if (k->dry) return;
  k->trtri(s->triangle, s->diagonal, at->width, t, (int)m->x.ld);
  memset(inverse, 0, (size_t)(w * w) * k->size);
  for (int64_t j = 0; j < w; j++) {
    int64_t from = lower ? j + unit : 0, to = lower ? w : j + 1 - unit;
    hy_copy_entries(k, inverse + (size_t)(from + j * w) * k->size,
                    hy_at(&m->x, at->row + from, at->column + j), to - from);
    if (unit) k->set(inverse, j + j * w, 1);
  }
}

/* Solves for block k of X in its place.  room: a copy of the block, for tiles. */
static void solve_diagonal(const struct travelling *m, const struct column *c, const char *data,
                           int columns, char *here, char *room) {
  const struct hy_substitution *s = m->s;
  const struct hy_diagonal_block *at = &c->at;
  if (!s->tiled) {
    int64_t w = at->width, ones = s->diagonal == HYLA_UNIT_DIAGONAL;
    m->k->trsm(HYLA_LEFT, triangle_of(s), HYLA_NONE, s->diagonal, at->width, columns, 1,
               row_in(m, c, data, at->row), (int)c->ld, here, (int)m->x.ld);
    hy_compute(s->cube, w * (w - ones) * columns, m->k->size, m->k->complex_type);
    return;
  }
  const struct hy_tiles tiles = tiles_of(m, c, data);
  hy_tiles_solve(&tiles, HYLA_NONE, columns, here, (int)m->x.ld, room, at->width);
  hy_compute(s->cube, hy_tiles_solve_flops(at->width) * columns, m->k->size, m->k->complex_type);
  hy_copy_block(s->cube, m->k, HYLA_NONE, at->width, columns, room, at->width, here, m->x.ld);
}

static hyla_status solve_block(const struct travelling *m, const struct column *c, const char *data,
                               struct block *block) {
  const struct hy_substitution *s = m->s;
  const struct hy_diagonal_block *at = &c->at;
  int columns = (int)block->count;
  bool apart = s->array.row.parts > 1;
  char *here = hy_at(&m->x, at->row, block->first);
  if (at->top) solve_diagonal(m, c, data, columns, here, s->solved);
  block->rows = apart ? s->solved : here;
  block->ld = apart ? at->width : m->x.ld;
  int64_t words = apart ? (int64_t)at->width * columns : 0;
  if (at->top && apart && !s->tiled) {
    hy_copy_block(s->cube, m->k, HYLA_NONE, at->width, columns, here, m->x.ld, s->solved,
                  at->width);
  }
  /* Pivots decide which columns have begun, but the message has all columns. */
  if (apart && s->begins != NULL) words = (int64_t)at->width * m->x.local_cols;
  if (s->inverse && at->mine) {
    char *inverse = s->solved + words * (int64_t)m->k->size;
    block->diagonal = inverse;
    if (at->top) invert_diagonal(m, at, inverse);
    words += (int64_t)at->width * at->width;
  }
  if (!apart) return HYLA_OK;
  return hy_subcube_broadcast(s->spreads, hy_column_root(&s->array, at->index), s->solved, words);
}

/* X := beta X - (block k's contribution), in local columns and in rows still to be solved for. */
static void subtract_from(const struct travelling *m, const struct column *c, const char *data,
                          const struct hy_row_range *rows, const char *block, int64_t ld,
                          int64_t first, int64_t count, double beta) {
  if (rows->count == 0) return;
  m->k->gemm(HYLA_NONE, HYLA_NONE, (int)rows->count, (int)count, c->at.width, -1,
             row_in(m, c, data, rows->first), (int)c->ld, block, (int)ld, beta,
             hy_at(&m->x, rows->first, first), (int)m->x.ld);
  hy_compute(m->s->cube, 2 * rows->count * c->at.width * count, m->k->size, m->k->complex_type);
  hy_count_touched(m->s->cube, rows->count * count);
}

static void subtract(const struct travelling *m, const struct column *c, const char *data,
                     const char *block, int64_t ld, int64_t first, int64_t count, double beta) {
  subtract_from(m, c, data, &c->after, block, ld, first, count, beta);
}

/* ------------------------------------------------------------- in strips -- */

/* A step's columns, in strips that the team shares.  The rows behind the diagonal block are packed.
 * For larger triangles and narrower strips the kernels call BLAS. */
enum { STRIP = 32, STRIP_LEAST = 8, STRIP_ORDER = 128 };
struct strips {
  const struct travelling *m;
  const struct column *c;
  const char *data;
  int64_t first, count; /* columns */
  struct hy_work work;
};

bool hy_substitution_strips(const struct hy_substitution *s) {
  return s->array.row.parts == 1 && !s->inverse && !s->tiled && s->array.block <= STRIP_ORDER;
}

/* The last strip takes a remainder smaller than STRIP_LEAST too. */
static void solve_strip(void *arg, int64_t index, int thread) {
  const struct strips *strips = arg;
  const struct travelling *m = strips->m;
  const struct hy_substitution *s = m->s;
  const struct hy_diagonal_block *at = &strips->c->at;
  const struct hy_row_range *rows = &strips->c->after;
  const int64_t begin = index * STRIP,
                end = index + 1 < strips->work.count ? begin + STRIP : strips->count;
  const int columns = (int)(end - begin);
  char *here = hy_at(&m->x, at->row, strips->first + begin);
  (void)thread;
  m->k->trsm(HYLA_LEFT, triangle_of(s), HYLA_NONE, s->diagonal, at->width, columns, 1,
             row_in(m, strips->c, strips->data, at->row), (int)strips->c->ld, here, (int)m->x.ld);
  if (rows->count > 0)
    s->packed->products->multiply(
        HYLA_NONE, (int)rows->count, columns, at->width, s->packed->entries, 0, here, (int)m->x.ld,
        hy_at(&m->x, rows->first, strips->first + begin), (int)m->x.ld, NULL);
}

/* Does the whole step in strips; false: strips do not apply, and nothing is done. */
static bool solve_in_strips(const struct travelling *m, const struct column *c, const char *data,
                            const struct block *block) {
  const struct hy_substitution *s = m->s;
  const int64_t w = c->at.width, ones = s->diagonal == HYLA_UNIT_DIAGONAL;
  struct strips strips = {
      .m = m, .c = c, .data = data, .first = block->first, .count = block->count};
  if (s->packed == NULL || block->count < 2 * STRIP) return false;
  strips.work = (struct hy_work){.piece = solve_strip,
                                 .arg = &strips,
                                 .count = (block->count - STRIP_LEAST) / STRIP + 1,
                                 .threads = hy_team_threads(s->cube->session.team)};
  if (c->after.count > 0)
    hy_packed_rows_of(s->packed, s->cube->session.team, c->at.index, (int)c->after.count, (int)w,
                      row_in(m, c, data, c->after.first), (int)c->ld);
  hy_team_do(s->cube->session.team, &strips.work);
  hy_compute(s->cube, w * (w - ones + 2 * c->after.count) * block->count, m->k->size,
             m->k->complex_type);
  return true;
}

/* The column of a step after it has arrived. */
struct arrived {
  struct column column;
  struct hy_panel_slot *slot;
};

static hyla_status receive_column(const struct travelling *m, int64_t step, struct arrived *here) {
  const int64_t index = hy_substitution_block(m->s, step);
  here->column = column_of(m, index);
  return hy_panels_receive(m->s->panels, index, &here->slot);
}

/* On lines of more than two ranks block columns leave two steps before they are used, and a rank
 * that passes one on does so before it works: else those behind it would wait for its work in every
 * step.  A broadcast that the user asked for is at work once at a time. */
static bool leaves_early(const struct hy_substitution *s) {
  return s->rows == NULL && s->array.col.parts > 2 && hy_panels_lent(s->panels);
}

/* Before a step's work: the next column is passed on, and that of two steps later leaves.  In this
 * order, because the same rank may be waiting for both. */
static hyla_status pass_on(const struct travelling *m, int64_t step, struct arrived *next,
                           bool *passed) {
  const int64_t index = hy_substitution_block(m->s, step + 1);
  *passed = index >= 0 && hy_panels_pass(m->s->panels, index);
  if (*passed) TRY(receive_column(m, step + 1, next));
  return look_ahead(m, hy_substitution_block(m->s, step + 2));
}

static hyla_status solve(const struct travelling *m) {
  const struct hy_substitution *s = m->s;
  const bool early = leaves_early(s);
  bool passed = false;
  struct arrived next;
  if (s->packed != NULL) s->packed->panel = -1;
  TRY(look_ahead(m, hy_substitution_block(s, 0)));
  if (early) TRY(pass_on(m, -1, &next, &passed));
  for (int64_t step = 0; step < s->array.count; step++) {
    struct arrived here = next;
    if (!passed) TRY(receive_column(m, step, &here));
    if (early) TRY(pass_on(m, step, &next, &passed));
    if (!early && s->rows == NULL) TRY(look_ahead(m, hy_substitution_block(s, step + 1)));
    const struct column c = here.column;
    struct hy_panel_slot *slot = here.slot;
    struct block block = block_of(m, &c);
    if (solve_in_strips(m, &c, slot->seen, &block)) {
      TRY(hy_panels_close(s->panels, slot));
      continue;
    }
    TRY(solve_block(m, &c, slot->seen, &block));
    const struct hy_inverse_row row = {&c.at, block.rows, block.ld, block.diagonal};
    if (s->rows != NULL) {
      TRY(s->rows->pass(s->rows->arg, &row));
      TRY(look_ahead(m, hy_substitution_block(s, step + 1)));
    }
    subtract(m, &c, slot->seen, block.rows, block.ld, block.first, block.count, 1);
    if (block.diagonal != NULL)
      subtract(m, &c, slot->seen, block.diagonal, c.at.width, c.at.column, c.at.width, 0);
    TRY(hy_panels_close(s->panels, slot));
    if (s->rows != NULL) TRY(s->rows->use(s->rows->arg, &row));
  }
  return hy_panels_finish(s->panels);
}

/* --------------------------------------------------------- a block ahead -- */

/* On p_k, solves for this column's block of X and sends it; elsewhere prepares to receive it. */
static hyla_status make_block(const struct travelling *m, const struct column *c,
                              const char *data) {
  const struct hy_substitution *s = m->s;
  const struct hy_diagonal_block *at = &c->at;
  const int64_t words = at->width * m->x.local_cols, bytes = words * (int64_t)m->k->size;
  const int columns = (int)m->x.local_cols;
  struct hy_panel_slot *slot = NULL;
  if (!at->top)
    return hy_panels_expect(s->ahead, at->index, hy_column_root(&s->array, at->index), bytes);
  char *here = hy_at(&m->x, at->row, 0);
  TRY(hy_panels_open(s->ahead, at->index, bytes, &slot));
  solve_diagonal(m, c, data, columns, here, slot->data);
  if (!s->tiled) {
    hy_copy_block(s->cube, m->k, HYLA_NONE, at->width, columns, here, m->x.ld, slot->data,
                  at->width);
  }
  return hy_panels_lend(s->ahead, slot);
}

/* Before a step's work: receives the next column where it is passed on or its block is solved for,
 * and lets that of two steps later leave. */
static hyla_status take_early(const struct travelling *m, int64_t step, struct arrived *next,
                              bool *came) {
  TRY(pass_on(m, step, next, came));
  next->column = column_of(m, hy_substitution_block(m->s, step + 1));
  if (*came || !next->column.at.top) return HYLA_OK;
  *came = true;
  return receive_column(m, step + 1, next);
}

/* Subtracts the contribution of a step's block.  The next step's block leaves before the rest is
 * done. */
static hyla_status contribute(const struct travelling *m, const struct arrived *here, int64_t step,
                              struct arrived *next) {
  const struct hy_substitution *s = m->s;
  const struct column *c = &here->column;
  const int64_t columns = m->x.local_cols;
  struct hy_panel_slot *block = NULL;
  struct hy_row_range rest = c->after;
  TRY(hy_panels_receive(s->ahead, c->at.index, &block));
  bool came = false;
  if (step + 1 < s->array.count) {
    TRY(take_early(m, step, next, &came));
    const struct hy_diagonal_block *at = &next->column.at;
    const struct hy_row_range soon = {at->row, at->top ? at->width : 0};
    subtract_from(m, c, here->slot->seen, &soon, block->seen, c->at.width, 0, columns, 1);
    TRY(make_block(m, &next->column, came ? next->slot->seen : NULL));
    rest = next->column.after;
  }
  subtract_from(m, c, here->slot->seen, &rest, block->seen, c->at.width, 0, columns, 1);
  TRY(hy_panels_close(s->ahead, block));
  TRY(hy_panels_close(s->panels, here->slot));
  return came || step + 1 == s->array.count ? HYLA_OK : receive_column(m, step + 1, next);
}

static hyla_status solve_ahead(const struct travelling *m) {
  struct arrived here, next;
  if (m->s->array.count == 0) return HYLA_OK;
  TRY(look_ahead(m, hy_substitution_block(m->s, 0)));
  TRY(receive_column(m, 0, &here));
  TRY(look_ahead(m, hy_substitution_block(m->s, 1)));
  TRY(make_block(m, &here.column, here.slot->seen));
  for (int64_t step = 0; step < m->s->array.count; step++) {
    TRY(contribute(m, &here, step, &next));
    here = next;
  }
  TRY(hy_panels_finish(m->s->ahead));
  return hy_panels_finish(m->s->panels);
}

/* Copies between the user's X and the transposed one. */
static void turn(const struct travelling *m, int64_t rows, int64_t cols, const char *from,
                 int64_t ld_from, char *to, int64_t ld_to) {
  hy_copy_block(m->s->cube, m->k, m->s->turn, rows, cols, from, ld_from, to, ld_to);
}

hyla_status hy_substitute_travelling(const struct hy_substitution *s, const hyla_matrix *x) {
  if (s->cube->address < 0) return HYLA_OK;
  struct travelling m = {.s = s, .k = s->k, .x = hy_substitution_x(s, x)};
  hyla_status (*way)(const struct travelling *m) = s->ahead != NULL ? solve_ahead : solve;
  if (s->turn == HYLA_NONE) return way(&m);
  m.x.local = s->transposed;
  turn(&m, m.x.local_rows, m.x.local_cols, x->local, x->ld, m.x.local, m.x.ld);
  TRY(way(&m));
  turn(&m, x->local_rows, x->local_cols, m.x.local, m.x.ld, x->local, x->ld);
  return HYLA_OK;
}
