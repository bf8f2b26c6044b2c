/* The first of two stages: a Hermitian matrix to a band, block column by block column. */
#include "solve/tridiagonal/tridiagonal_band.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static char *entry(const struct hy_stages *b, char *m, int64_t ld, int64_t row, int64_t column) {
  return hy_entry(b->k, m, ld, row, column);
}

static struct hy_stages_step step_at(const struct hy_stages *b, int64_t index) {
  const struct hy_block_cyclic *array = &b->array;
  struct hy_stages_step at = {.index = index, .first = index * b->width};
  at.width = (int)hy_min(b->width, b->n - at.first);
  const int64_t behind = at.first + at.width;
  at.order = (int)(b->n - behind);
  at.pivots = (int)hy_min(at.width, at.order);
  at.row = hy_axis_before(&array->row, array->row_part, behind);
  at.col = hy_axis_before(&array->col, array->col_part, behind);
  at.rows = (int)(array->rows - at.row);
  at.cols = (int)(array->cols - at.col);
  return at;
}

/* ------------------------------------------------------------------- panel -- */

static char *panel_of(const struct hy_stages *b) { return b->q->panels.slot[0].data; }

/* The last panel may have fewer rows than columns.  Then it ends with its square, and the columns
 * behind that are reflected: x := (I - V S^-H V^H) x.  Their rows are on one rank. */
static void reflect_rest(struct hy_stages *b, const struct hy_qr_panel *panel) {
  const struct hy_kernels *k = b->k;
  const struct hy_diagonal_block *at = &panel->at;
  const int w = at->width, columns = b->at.width - w;
  const char *s = panel_of(b) + HY_PANEL_HEADER, *v = panel_of(b) + hy_qr_at_v(at, k->size);
  if (columns == 0 || at->rows == 0) return;
  char *m = hy_at(&b->below, at->row, at->column + w);
  hy_qr_multiply(b->q, at->rows, w, v, panel->ld, columns, m, b->a->ld, b->q->products);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, w, columns, 1, s, w,
          b->q->products, w);
  hy_qr_subtract(b->q, at->rows, w, v, panel->ld, columns, b->q->products, m, b->a->ld);
  hy_compute(b->cube, (4 * (int64_t)at->rows + w) * w * columns, k->size, k->complex_type);
}

/* S, as all ranks get it.  A panel whose norms leave the range of numbers, which scaled matrices do
 * not have, makes T no numbers. */
static void put_s(struct hy_stages *b) {
  const struct hy_panel_header *header = (const struct hy_panel_header *)(void *)panel_of(b);
  const int64_t square = (int64_t)b->at.pivots * b->at.pivots;
  hy_count_copied(b->cube, square);
  if (b->k->dry) return;
  hy_copy_entries(b->k, b->column, panel_of(b) + HY_PANEL_HEADER, square);
  if (header->status != HYLA_OK) b->k->set(b->column, 0, NAN);
}

/* Factors the panel. */
static hyla_status factor(struct hy_stages *b) {
  const struct hy_qr_panel panel = hy_qr_panel_at(b->q, b->at.index, &b->q->panels.slot[0]);
  TRY(hy_qr_factor_panel(b->q, &panel));
  reflect_rest(b, &panel);
  put_s(b);
  return HYLA_OK;
}

/* The rows that a part has of the block column. */
static int64_t rows_of(const struct hy_stages *b, int part) {
  const struct hy_axis *row = &b->array.row;
  return hy_held(row, part) - hy_axis_before(row, part, b->at.first);
}

static int64_t member_of(const struct hy_stages *b, int part) {
  const uint32_t address = hy_axis_address(&b->array.row.code, (uint32_t)part);
  return (int64_t)hy_member(b->cube, b->array.row_dims, (int)address);
}

/* Where each member's rows begin, behind S. */
static void set_offsets(struct hy_stages *b) {
  const int members = b->array.row.parts;
  int64_t *offsets = b->offsets;
  for (int x = 0; x <= members; x++) offsets[x] = 0;
  for (int part = 0; part < members; part++)
    offsets[member_of(b, part) + 1] = rows_of(b, part) * b->at.width;
  for (int x = 0; x < members; x++) offsets[x + 1] += offsets[x];
}

/* The block column with its diagonal block comes to all ranks, and with it S. */
static hyla_status share_column(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  const struct hy_stages_step *at = &b->at;
  const struct hy_block_cyclic *array = &b->array;
  const int64_t square = (int64_t)at->pivots * at->pivots;
  char *rows = b->column + square * (int64_t)k->size;
  set_offsets(b);
  if (hy_axis_owner(&array->col, at->first) == array->col_part) {
    if (at->pivots > 0) TRY(factor(b));
    const int64_t row = hy_axis_before(&array->row, array->row_part, at->first);
    const int64_t col = hy_axis_before(&array->col, array->col_part, at->first);
    const int64_t own = b->offsets[member_of(b, array->row_part)];
    hy_copy_block(b->cube, k, HYLA_NONE, array->rows - row, at->width, hy_at(b->a, row, col),
                  b->a->ld, rows + own * (int64_t)k->size, hy_leading(array->rows - row));
    if (array->row.parts > 1) TRY(hy_subcube_allgather(&b->gathers, rows, b->offsets));
  }
  return hy_subcube_broadcast(&b->shares, hy_row_root(array, at->index), b->column,
                              square + b->offsets[array->row.parts]);
}

/* The block column's rows in their order. */
static void sort_rows(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  const struct hy_stages_step *at = &b->at;
  const struct hy_axis *row = &b->array.row;
  const int64_t all = b->n - at->first, size = (int64_t)k->size;
  const char *from = b->column + (int64_t)at->pivots * at->pivots * size;
  hy_count_copied(b->cube, all * at->width);
  for (int part = 0; part < row->parts && !k->dry; part++) {
    const int64_t rows = rows_of(b, part), end = hy_held(row, part);
    const char *here = from + b->offsets[member_of(b, part)] * size;
    struct hy_stretch run = {.local = end - rows};
    while (hy_stretch_next(row, part, end, &run))
      k->copy(HYLA_NONE, run.count, at->width, 1, here + (run.local - end + rows) * size,
              hy_leading(rows), entry(b, b->block, all, run.index - at->first, 0), hy_leading(all));
  }
}

/* The block column's part of the band.  QR has negated R in the panel's square. */
static void keep_band(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  const struct hy_stages_step *at = &b->at;
  const int64_t all = b->n - at->first;
  hy_count_copied(b->cube, at->width * (b->width + 1));
  for (int c = 0; c < at->width && !k->dry; c++) {
    char *to = b->band + (at->first + c) * b->steps * (int64_t)k->size;
    const int below = (int)hy_min(c + 1, at->order);
    memset(to, 0, (size_t)b->steps * k->size);
    hy_copy_entries(k, to, entry(b, b->block, all, c, c), at->width - c);
    if (below > 0)
      k->copy(HYLA_NONE, below, 1, c < at->pivots ? -1 : 1, entry(b, b->block, all, at->width, c),
              below, to + (at->width - c) * (int64_t)k->size, below);
  }
}

/* V: ones on its diagonal, zeros above. */
static void set_ones(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  const int64_t all = b->n - b->at.first;
  for (int c = 0; c < b->at.pivots && !k->dry; c++) {
    char *column = entry(b, b->block, all, b->at.width, c);
    memset(column, 0, (size_t)c * k->size);
    k->set(column, c, 1);
  }
}

/* ---------------------------------------------------------------- products -- */

/* Rows of a matrix in their order, with `columns' columns, to this rank's own of an axis from
 * `first' on, and back: set with the opposite sign, or added. */
enum way { FETCH, NEGATE, ADD };
static void carry(const struct hy_stages *b, enum way way, const struct hy_axis *axis, int part,
                  int64_t first, char *whole, int64_t ld, char *own, int64_t held) {
  const struct hy_kernels *k = b->k;
  const int64_t behind = b->at.first + b->at.width;
  const int columns = b->at.pivots;
  struct hy_stretch run = {.local = first};
  hy_count_copied(b->cube, (held - first) * columns);
  while (!k->dry && hy_stretch_next(axis, part, held, &run)) {
    char *there = entry(b, whole, ld, run.index - behind, 0),
         *here = entry(b, own, held, run.local, 0);
    if (way == FETCH)
      k->copy(HYLA_NONE, run.count, columns, 1, there, hy_leading(ld), here, hy_leading(held));
    else if (way == NEGATE)
      k->copy(HYLA_NONE, run.count, columns, -1, here, hy_leading(held), there, hy_leading(ld));
    else
      k->add(run.count, columns, here, hy_leading(held), there, hy_leading(ld));
  }
}

static void carry_rows(const struct hy_stages *b, enum way way, char *whole, int64_t ld,
                       char *own) {
  carry(b, way, &b->array.row, b->array.row_part, b->at.row, whole, ld, own, b->array.rows);
}
static void carry_cols(const struct hy_stages *b, enum way way, char *whole, int64_t ld,
                       char *own) {
  carry(b, way, &b->array.col, b->array.col_part, b->at.col, whole, ld, own, b->array.cols);
}

/* V of this rank's rows, of its columns; W of these. */
static char *v_rows(const struct hy_stages *b) { return b->of_rows; }
static char *w_cols(const struct hy_stages *b) { return b->of_cols; }
static char *w_rows(const struct hy_stages *b) {
  return entry(b, b->of_rows, b->array.rows, 0, b->at.pivots);
}
static char *v_cols(const struct hy_stages *b) {
  return entry(b, b->of_cols, b->array.cols, 0, b->at.pivots);
}

/* A V of this rank's rows, with the opposite sign: the part of a piece. */
static char *y_rows(const struct hy_stages *b, int64_t piece) {
  return entry(b, b->y_rows, b->array.rows, 0, piece * b->width);
}

/* Some local columns of the triangle, from the row of the first one's diagonal entry on. */
struct columns {
  int64_t first, row;
  int count;
  bool diagonal; /* this rank has the columns' diagonal entries */
};

/* The next ones, whose diagonal entries are on one rank. */
static bool next_columns(const struct hy_stages *b, struct hy_stretch *run, struct columns *c) {
  const struct hy_block_cyclic *array = &b->array;
  if (!hy_stretch_next(&array->col, array->col_part, array->cols, run)) return false;
  run->count =
      (int)hy_min(HY_STAGES_CHUNK, hy_min(run->count, hy_axis_run(&array->row, run->index)));
  *c = (struct columns){.first = run->local,
                        .row = hy_axis_before(&array->row, array->row_part, run->index),
                        .count = run->count,
                        .diagonal = hy_axis_owner(&array->row, run->index) == array->row_part};
  return true;
}

/* The triangle's block on the diagonal, whole. */
static void mirror(const struct hy_stages *b, const struct columns *c, char *whole) {
  const struct hy_kernels *k = b->k;
  for (int j = 0; j < c->count; j++) {
    const char *column = hy_at(b->a, c->row + j, c->first + j);
    char *to = entry(b, whole, c->count, j, j);
    const int below = c->count - j;
    hy_copy_entries(k, to, column, below);
    k->copy(HYLA_CONJUGATE, 1, below, 1, column, below, to, c->count);
    k->set(to, 0, creal(k->get(column, 0)));
  }
}

/* y := y - A x, m x k, and z := A^H x of the same block; both for w columns. */
struct product {
  const struct hy_kernels *k;
  const struct hy_packed *packed;
  int w;
};

static void subtract(const struct product *p, int m, int k, const char *a, int64_t lda,
                     const char *x, int64_t ldx, char *y, int64_t ldy) {
  if (p->packed != NULL)
    p->packed->plain(HYLA_NONE, m, p->w, k, a, (int)lda, x, hy_leading(ldx), y, hy_leading(ldy));
  else
    p->k->gemm(HYLA_NONE, HYLA_NONE, m, p->w, k, -1, a, (int)lda, x, hy_leading(ldx), 1, y,
               hy_leading(ldy));
}

static void set_inner(const struct product *p, int m, int k, const char *a, int64_t lda,
                      const char *x, int64_t ldx, char *z, int64_t ldz) {
  if (p->packed != NULL)
    p->packed->inner(k, p->w, m, a, (int)lda, x, hy_leading(ldx), z, hy_leading(ldz));
  else
    p->k->gemm(HYLA_CONJUGATE, HYLA_NONE, k, p->w, m, 1, a, (int)lda, x, hy_leading(ldx), 0, z,
               hy_leading(ldz));
}

/* y_rows of a piece := its columns' part of -A V; y_cols := that of A^H V. */
static void multiply_piece(void *arg, int64_t piece, int thread) {
  const struct hy_stages *b = arg;
  const struct hy_kernels *k = b->k;
  const struct product p = {k, b->packed.products, b->at.pivots};
  const int64_t rows = b->array.rows, cols = b->array.cols,
                square = HY_STAGES_CHUNK * HY_STAGES_CHUNK;
  char *y = y_rows(b, piece), *whole = b->square + piece * square * (int64_t)k->size;
  struct hy_stretch run = {.local = b->at.col};
  struct columns c;
  (void)thread;
  for (int column = 0; column < p.w; column++)
    memset(entry(b, y, rows, b->at.row, column), 0, (size_t)b->at.rows * k->size);
  for (int64_t turn = 0; next_columns(b, &run, &c); turn++) {
    if (turn % b->pieces != piece) continue;
    const int64_t row = c.row + (c.diagonal ? c.count : 0);
    const int below = (int)(rows - row);
    const char *x = entry(b, v_cols(b), cols, c.first, 0);
    char *z = entry(b, b->y_cols, cols, c.first, 0);
    if (c.diagonal) {
      mirror(b, &c, whole);
      subtract(&p, c.count, c.count, whole, c.count, x, cols, entry(b, y, rows, c.row, 0), rows);
    }
    if (below <= 0) {
      for (int column = 0; column < p.w; column++)
        memset(entry(b, z, cols, 0, column), 0, (size_t)c.count * k->size);
      continue;
    }
    const char *a = hy_at(b->a, row, c.first);
    subtract(&p, below, c.count, a, b->a->ld, x, cols, entry(b, y, rows, row, 0), rows);
    set_inner(&p, below, c.count, a, b->a->ld, entry(b, v_rows(b), rows, row, 0), rows, z, cols);
  }
}

/* y := A V, this rank's part of the triangle, by its threads. */
static int64_t multiply(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  struct hy_team *team = b->packed.products != NULL ? b->cube->session.team : NULL;
  struct hy_stretch run = {.local = b->at.col};
  struct columns c;
  int64_t read = 0;
  while (next_columns(b, &run, &c)) {
    const int64_t below = b->array.rows - c.row - (c.diagonal ? c.count : 0);
    read += below * c.count + (c.diagonal ? (int64_t)c.count * (c.count + 1) / 2 : 0);
  }
  hy_count_read(b->cube, read);
  hy_compute(b->cube, 4 * read * b->at.pivots, k->size, k->complex_type);
  if (k->dry) return read;
  struct hy_work work = {
      .piece = multiply_piece, .arg = b, .count = b->pieces, .threads = hy_team_threads(team)};
  hy_team_do(team, &work);
  for (int64_t piece = 1; piece < b->pieces && b->at.rows > 0; piece++)
    k->add(b->at.rows, b->at.pivots, entry(b, y_rows(b, piece), b->array.rows, b->at.row, 0),
           hy_leading(b->array.rows), entry(b, b->y_rows, b->array.rows, b->at.row, 0),
           hy_leading(b->array.rows));
  return read;
}

/* Y and V^H Y, added up over all ranks. */
static hyla_status add_up(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  const struct hy_stages_step *at = &b->at;
  const int w = at->pivots, rows = (int)b->array.rows, cols = (int)b->array.cols;
  const int64_t order = at->order;
  char *product = entry(b, b->message, order, 0, w);
  if (!k->dry) memset(b->message, 0, (size_t)(order + w) * (size_t)w * k->size);
  carry_rows(b, NEGATE, b->message, order, b->y_rows);
  carry_cols(b, ADD, b->message, order, b->y_cols);
  hy_compute(b->cube, 2 * (int64_t)(at->rows + at->cols) * w * w, k->size, k->complex_type);
  if (at->rows > 0)
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, w, w, at->rows, -1, entry(b, v_rows(b), rows, at->row, 0),
            hy_leading(rows), entry(b, b->y_rows, rows, at->row, 0), hy_leading(rows), 1, product,
            w);
  if (at->cols > 0)
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, w, w, at->cols, 1, entry(b, v_cols(b), cols, at->col, 0),
            hy_leading(cols), entry(b, b->y_cols, cols, at->col, 0), hy_leading(cols), 1, product,
            w);
  return hy_subcube_allreduce(&b->sums, b->message, (order + w) * w, hy_solve_sum, k);
}

/* W := Y S^-1 - V M / 2 of some rows. */
static void finish(const struct hy_stages *b, int count, int ld, const char *v, char *w) {
  const struct hy_kernels *k = b->k;
  const int pivots = b->at.pivots;
  const char *m = entry(b, b->message, b->at.order, 0, pivots);
  hy_compute(b->cube, 3 * (int64_t)count * pivots * pivots, k->size, k->complex_type);
  if (count == 0) return;
  k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, count, pivots, 1, b->column, pivots,
          w, hy_leading(ld));
  k->gemm(HYLA_NONE, HYLA_NONE, count, pivots, pivots, -.5, v, hy_leading(ld), m, pivots, 1, w,
          hy_leading(ld));
}

static void set_w(struct hy_stages *b) {
  const struct hy_kernels *k = b->k;
  const struct hy_stages_step *at = &b->at;
  const int w = at->pivots, rows = (int)b->array.rows, cols = (int)b->array.cols;
  char *m = entry(b, b->message, at->order, 0, w);
  hy_compute(b->cube, 2 * (int64_t)w * w * w, k->size, k->complex_type);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, w, w, 1, b->column, w, m, w);
  k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, w, w, 1, b->column, w, m, w);
  carry_rows(b, FETCH, b->message, at->order, w_rows(b));
  carry_cols(b, FETCH, b->message, at->order, w_cols(b));
  finish(b, at->rows, rows, entry(b, v_rows(b), rows, at->row, 0),
         entry(b, w_rows(b), rows, at->row, 0));
  finish(b, at->cols, cols, entry(b, v_cols(b), cols, at->col, 0),
         entry(b, w_cols(b), cols, at->col, 0));
}

/* ------------------------------------------------------------------ update -- */

/* Columns of a piece. */
enum { COLUMNS = 64 };

/* A := A - (V W) (W V)^H in some columns, from the block of the first one's diagonal entry on. */
static void update_piece(void *arg, int64_t index, int thread) {
  const struct hy_stages *b = arg;
  const struct hy_stages_step *at = &b->at;
  const struct hy_kernels *k = b->k;
  const struct hy_packed *products = b->packed.products;
  const int64_t first = at->col + index * COLUMNS, rows = b->array.rows, cols = b->array.cols;
  const int count = (int)hy_min(COLUMNS, cols - first), inner = 2 * at->pivots;
  const int64_t global = hy_axis_index(&b->array.col, b->array.col_part, first);
  int64_t row = hy_axis_before(&b->array.row, b->array.row_part, global);
  const char *right = entry(b, b->of_cols, cols, first, 0);
  (void)thread;
  if (row >= rows || count <= 0) return;
  if (products == NULL) {
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)(rows - row), count, inner, -1,
            entry(b, b->of_rows, rows, row, 0), hy_leading(rows), right, hy_leading(cols), 1,
            hy_at(b->a, row, first), (int)b->a->ld);
    return;
  }
  row -= (row - at->row) % products->tile;
  products->multiply(HYLA_CONJUGATE, at->rows, count, inner, b->packed.entries,
                     (int)(row - at->row), right, hy_leading(cols), hy_at(b->a, row, first),
                     (int)b->a->ld, NULL);
}

static void update(struct hy_stages *b, int64_t read) {
  const struct hy_stages_step *at = &b->at;
  const struct hy_kernels *k = b->k;
  const int64_t rows = b->array.rows, inner = 2 * at->pivots;
  struct hy_team *team = b->packed.products != NULL ? b->cube->session.team : NULL;
  struct hy_work work = {.piece = update_piece,
                         .arg = b,
                         .count = hy_ceil_div(at->cols, COLUMNS),
                         .threads = hy_team_threads(team)};
  hy_count_copied(b->cube, at->rows * inner);
  hy_count_read(b->cube, read);
  hy_compute(b->cube, 2 * read * inner, k->size, k->complex_type);
  if (k->dry || at->rows == 0 || at->cols == 0) return;
  if (b->packed.products != NULL) {
    b->packed.panel = -1;
    hy_packed_rows_of(&b->packed, team, at->index, at->rows, (int)inner,
                      entry(b, b->of_rows, rows, at->row, 0), hy_leading(rows));
  }
  hy_team_do(team, &work);
}

hyla_status hy_stages_reduce(struct hy_stages *b) {
  for (int64_t index = 0; index * b->width < b->n; index++) {
    b->at = step_at(b, index);
    TRY(share_column(b));
    sort_rows(b);
    keep_band(b);
    if (b->at.pivots == 0) break;
    set_ones(b);
    char *v = entry(b, b->block, b->n - b->at.first, b->at.width, 0);
    carry_rows(b, FETCH, v, b->n - b->at.first, v_rows(b));
    carry_cols(b, FETCH, v, b->n - b->at.first, v_cols(b));
    const int64_t read = multiply(b);
    TRY(add_up(b));
    set_w(b);
    update(b, read);
    TRY(hy_link_poll(b->cube));
  }
  return HYLA_OK;
}
