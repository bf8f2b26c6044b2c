/* Products with the triangle and its update; this rank's part, by its threads.
 *
 * A thread takes every pieces-th block column, with sums of its own, so that the sums' order does
 * not depend on which thread is faster. */
#include "solve/tridiagonal/tridiagonal.h"

#include <string.h>

/* Products that threads share have at least this number of bytes: they are read in the time of
 * waking a thread. */
enum { SHARED = 256 << 10 };

/* Some local columns of the triangle, from the row of the first one's diagonal entry on.  diagonal:
 * this rank has that entry, and those of the other columns. */
struct columns {
  int64_t first, row;
  int count;
  bool diagonal;
};

static struct columns columns_of(const struct hy_tridiagonal *t, const struct hy_stretch *run) {
  const struct hy_axis *row = &t->array.row;
  return (struct columns){.first = run->local,
                          .row = hy_axis_before(row, t->array.row_part, run->index),
                          .count = run->count,
                          .diagonal = hy_axis_owner(row, run->index) == t->array.row_part};
}

/* The next run of columns within one block; with one part an axis' runs go on to its end. */
static bool next_columns(const struct hy_tridiagonal *t, struct hy_stretch *run) {
  if (!hy_stretch_next(&t->array.col, t->array.col_part, t->array.cols, run)) return false;
  const int64_t block = t->array.block;
  run->count = (int)hy_min(run->count, block - run->index % block);
  return true;
}

/* Entries that a product reads. */
static int64_t entries_of(const struct hy_tridiagonal *t, const struct columns *c) {
  const int64_t above = c->diagonal ? (int64_t)c->count * (c->count - 1) / 2 : 0;
  return (t->array.rows - c->row) * c->count - above;
}

/* -------------------------------------------------------------- products -- */

static void multiply_piece(void *arg, int64_t piece, int thread) {
  const struct hy_tridiagonal *t = arg;
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t rows = t->array.rows, size = (int64_t)k->size;
  char *y = t->y_rows + piece * rows * size;
  const char *of_rows = hy_entry(k, t->of_rows, rows, 0, 2 * at->done);
  const char *of_cols = hy_entry(k, t->of_cols, t->array.cols, 0, 2 * at->done);
  struct hy_stretch run = {.local = at->col};
  (void)thread;
  memset(y + at->row * size, 0, (size_t)(at->rows * size));
  for (int64_t turn = 0; next_columns(t, &run); turn++) {
    if (turn % t->pieces != piece) continue;
    const struct columns c = columns_of(t, &run);
    if (c.row < rows)
      k->both(c.diagonal, (int)(rows - c.row), c.count, hy_at(t->a, c.row, c.first), (int)t->a->ld,
              of_cols + c.first * size, of_rows + c.row * size, y + c.row * size,
              t->y_cols + c.first * size);
  }
}

void hy_tridiagonal_multiply(struct hy_tridiagonal *t) {
  struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t size = (int64_t)k->size;
  struct hy_stretch run = {.local = at->col};
  at->read = 0;
  while (next_columns(t, &run)) {
    const struct columns c = columns_of(t, &run);
    at->read += entries_of(t, &c);
  }
  hy_count_read(t->cube, at->read);
  hy_compute(t->cube, 4 * at->read, k->size, k->complex_type);
  if (k->dry) return;
  memset(t->y_cols + at->col * size, 0, (size_t)(at->cols * size));
  struct hy_work work = {.piece = multiply_piece,
                         .arg = t,
                         .count = t->pieces,
                         .threads = at->read * size < SHARED ? 1 : t->pieces};
  hy_team_do(t->cube->session.team, &work);
  char *y = hy_entry(k, t->y_rows, 1, at->row, 0);
  for (int64_t piece = 1; piece < t->pieces; piece++)
    k->add(at->rows, 1, y + piece * t->array.rows * size, hy_leading(at->rows), y,
           hy_leading(at->rows));
}

/* ---------------------------------------------------------------- update -- */

struct update {
  const struct hy_tridiagonal *t;
  int64_t step; /* columns of a piece */
};

/* A := A - (V W) (W V)^H in some columns, from the block of the first one's diagonal entry on. */
static void update_piece(void *arg, int64_t index, int thread) {
  const struct update *u = arg;
  const struct hy_tridiagonal *t = u->t;
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct hy_packed *products = t->packed.products;
  const int64_t first = at->col + index * u->step, rows = t->array.rows, cols = t->array.cols;
  const int count = (int)hy_min(u->step, cols - first), inner = 2 * (at->done + 1);
  const int64_t global = hy_axis_index(&t->array.col, t->array.col_part, first);
  int64_t row = hy_axis_before(&t->array.row, t->array.row_part, global);
  const char *b = hy_entry(k, t->swapped, cols, first, 0);
  (void)thread;
  if (row >= rows || count <= 0) return;
  if (products == NULL) {
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)(rows - row), count, inner, -1,
            hy_entry(k, t->of_rows, rows, row, 0), hy_leading(rows), b, hy_leading(cols), 1,
            hy_at(t->a, row, first), (int)t->a->ld);
    return;
  }
  row -= (row - at->row) % products->tile;
  products->multiply(HYLA_CONJUGATE, at->rows, count, inner, t->packed.entries,
                     (int)(row - at->row), b, hy_leading(cols), hy_at(t->a, row, first),
                     (int)t->a->ld, NULL);
}

void hy_tridiagonal_update(struct hy_tridiagonal *t) {
  enum { COLUMNS = 64, PLAIN_COLUMNS = 256 };
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t inner = 2 * (at->done + 1);
  struct update update = {.t = t, .step = t->packed.products != NULL ? COLUMNS : PLAIN_COLUMNS};
  struct hy_team *team = t->packed.products != NULL ? t->cube->session.team : NULL;
  struct hy_work work = {.piece = update_piece,
                         .arg = &update,
                         .count = hy_ceil_div(at->cols, update.step),
                         .threads = hy_team_threads(team)};
  hy_count_copied(t->cube, (at->rows + at->cols) * inner);
  hy_count_read(t->cube, at->read);
  hy_compute(t->cube, 2 * at->read * inner, k->size, k->complex_type);
  if (k->dry || at->rows == 0 || at->cols == 0) return;
  for (int64_t c = 0; c < inner; c++)
    memcpy(hy_entry(k, t->swapped, t->array.cols, at->col, c),
           hy_entry(k, t->of_cols, t->array.cols, at->col, c ^ 1), (size_t)at->cols * k->size);
  if (t->packed.products != NULL) {
    t->packed.panel = -1;
    hy_packed_rows_of(&t->packed, team, at->column, at->rows, (int)inner,
                      hy_entry(k, t->of_rows, t->array.rows, at->row, 0),
                      hy_leading(t->array.rows));
  }
  hy_team_do(team, &work);
}
