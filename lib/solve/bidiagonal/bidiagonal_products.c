/* Products with the matrix and its update; this rank's columns, by its threads.
 *
 * Some columns at a time, which stay in the cache, are multiplied by v, then their part of s is
 * found, and they are multiplied by that: so A is read from memory once.  A thread takes every
 * pieces-th of these blocks, with sums of its own, so that the sums' order does not depend on which
 * thread is faster. */
#include "solve/bidiagonal/bidiagonal.h"

#include <complex.h>
#include <string.h>

/* Bytes of columns that are multiplied twice; columns, at least and at most.  Products that threads
 * share have at least SHARED bytes: they are read in the time of waking a thread. */
enum { CACHED = 128 << 10, LEAST = 8, MOST = 64, SHARED = 256 << 10 };

/* ---------------------------------------------------------------- products -- */

static int step_of(const struct hy_bidiagonal *t) {
  const int64_t fit = CACHED / (hy_max(1, t->at.rows) * (int64_t)t->k->size);
  return (int)hy_max(LEAST, hy_min(fit / LEAST * LEAST, MOST));
}

static void multiply_block(const struct hy_bidiagonal *t, int64_t first, int count, char *p) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t size = (int64_t)k->size, j = at->column;
  const char *v = hy_entry_of(k, t->of_rows, t->m, j, 2 * at->done);
  const int ld = (int)t->a->ld;
  char *y = t->y + first * size, *s = t->s + first * size;
  /* y := tau (A0^H v - ...); s := row j less y */
  k->dots(at->rows, count, hy_at(t->a, j, first), ld, v, y);
  k->scale(count, hy_complex(t->tau[0][j], t->tau[1][j]), y, 1);
  k->combine(HYLA_NONE, count, 1, -1, y, count, 1, s, count);
  /* p := p + A0 s */
  if (at->rows > 1)
    k->both(false, at->rows - 1, count, hy_at(t->a, j + 1, first), ld, s, v + size, p,
            t->unused + first * size);
}

static void multiply_piece(void *arg, int64_t piece, int thread) {
  const struct hy_bidiagonal *t = arg;
  const struct hy_bidiagonal_step *at = &t->at;
  const int64_t rows = at->rows - 1, step = step_of(t);
  char *p = t->products + piece * t->m * (int64_t)t->k->size;
  (void)thread;
  memset(p, 0, (size_t)rows * t->k->size);
  for (int64_t first = at->col + piece * step; first < t->own; first += t->pieces * step)
    multiply_block(t, first, (int)hy_min(step, t->own - first), p);
}

/* y := -(Y, U) (V, X)^H v; s := row j of A0 - V Y^H - X U^H, conjugated. */
static void begin_products(const struct hy_bidiagonal *t) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t size = (int64_t)k->size, j = at->column;
  const int count = 2 * at->done;
  const char *panel = hy_entry_of(k, t->of_rows, t->m, j, 0);
  char *y = t->y + at->col * size, *s = t->s + at->col * size;
  memset(t->factors, 0, (size_t)(count * size));
  k->dots(at->rows, count, panel, hy_distance(t->m),
          hy_entry_of(k, t->of_rows, t->m, j, 2 * at->done), t->factors);
  if (count > 0)
    k->copy(HYLA_CONJUGATE, count, 1, 1, panel, hy_distance(t->m), t->factors + count * size,
            count);
  if (at->cols == 0) return;
  memset(y, 0, (size_t)(at->cols * size));
  k->copy(HYLA_CONJUGATE, at->cols, 1, 1, hy_at(t->a, j, at->col), (int)t->a->ld, s, at->cols);
  k->pair(at->cols, count, t->of_cols + at->col * size, hy_distance(t->own), t->factors, y, s);
}

void hy_bidiagonal_multiply(struct hy_bidiagonal *t) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t size = (int64_t)k->size, read = (int64_t)at->rows * at->cols;
  const int rows = at->rows - 1;
  hy_count_read(t->cube, read);
  hy_count_copied(t->cube, 2 * at->cols);
  hy_compute(t->cube, 4 * read + at->done * (4 * (int64_t)at->rows + 8 * (int64_t)at->cols),
             k->size, k->complex_type);
  if (k->dry) return;
  begin_products(t);
  struct hy_work work = {.piece = multiply_piece,
                         .arg = t,
                         .count = t->pieces,
                         .threads = read * size < SHARED ? 1 : t->pieces};
  hy_team_do(t->cube->session.team, &work);
  memcpy(t->message, t->products, (size_t)(rows * size));
  for (int64_t piece = 1; piece < t->pieces && rows > 0; piece++)
    k->add(rows, 1, t->products + piece * t->m * size, rows, t->message, rows);
  if (at->cols > 0)
    memcpy(hy_entry_of(k, t->of_cols, t->own, at->col, 2 * at->done), t->y + at->col * size,
           (size_t)(at->cols * size));
}

/* ------------------------------------------------------------------ update -- */

struct update {
  const struct hy_bidiagonal *t;
  int64_t step; /* columns of a piece */
};

/* A := A - (V X) (Y U)^H in some columns, below row j. */
static void update_piece(void *arg, int64_t index, int thread) {
  const struct update *u = arg;
  const struct hy_bidiagonal *t = u->t;
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct hy_packed *products = t->packed.products;
  const int64_t first = at->col + index * u->step, row = at->column + 1;
  const int count = (int)hy_min(u->step, t->own - first), inner = 2 * (at->done + 1),
            rows = at->rows - 1;
  const char *b = hy_entry_of(k, t->of_cols, t->own, first, 0);
  (void)thread;
  if (products == NULL)
    k->gemm(HYLA_NONE, HYLA_CONJUGATE, rows, count, inner, -1,
            hy_entry_of(k, t->of_rows, t->m, row, 0), hy_distance(t->m), b, hy_distance(t->own), 1,
            hy_at(t->a, row, first), (int)t->a->ld);
  else
    products->multiply(HYLA_CONJUGATE, rows, count, inner, t->packed.entries, 0, b,
                       hy_distance(t->own), hy_at(t->a, row, first), (int)t->a->ld, NULL);
}

void hy_bidiagonal_update(struct hy_bidiagonal *t) {
  enum { COLUMNS = 64, PLAIN_COLUMNS = 256 };
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int rows = at->rows - 1, inner = 2 * (at->done + 1);
  const bool packed = t->packed.products != NULL;
  struct update update = {.t = t, .step = packed ? COLUMNS : PLAIN_COLUMNS};
  struct hy_team *team = packed ? t->cube->session.team : NULL;
  struct hy_work work = {.piece = update_piece,
                         .arg = &update,
                         .count = hy_ceil_div(at->cols, update.step),
                         .threads = hy_team_threads(team)};
  hy_count_copied(t->cube, (int64_t)rows * inner);
  hy_count_read(t->cube, (int64_t)rows * at->cols);
  hy_compute(t->cube, 2 * (int64_t)rows * at->cols * inner, k->size, k->complex_type);
  if (k->dry || rows == 0 || at->cols == 0) return;
  if (packed) {
    t->packed.panel = -1;
    hy_packed_rows_of(&t->packed, team, at->column, rows, inner,
                      hy_entry_of(k, t->of_rows, t->m, at->column + 1, 0), hy_distance(t->m));
  }
  hy_team_do(team, &work);
}
