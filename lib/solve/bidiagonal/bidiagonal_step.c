/* A step: the reflections of a column and of a row, and what follows for the next column.
 *
 * The message of step j, for r rows below it and t steps of the panel before it:
 *
 *   p   r        A0 s
 *   b   r        column j + 1 of A0, from row j + 1 on
 *   h   2 t + 1  (y^H s, u^H s) for each step of the panel; y^H s for this one
 *   w   2 t + 1  row j + 1 of (Y, U), likewise
 *   q   1        |s|^2 without s' first entry
 *   l   1        s' first entry
 *
 * Each rank gives its part of each, and all get the sums.  The reflections, x and the next column
 * are found from these by every rank alike, so all have the same bits. */
#include "solve/bidiagonal/bidiagonal.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* The parts of a message, in entries; p begins with 0. */
struct parts {
  int64_t b, h, w, q, l, end;
};

static struct parts parts_of(const struct hy_bidiagonal_step *at) {
  struct parts p = {.b = at->rows - 1};
  p.h = 2 * p.b;
  p.w = p.h + 2 * at->done + 1;
  p.q = p.w + 2 * at->done + 1;
  p.l = p.q + 1;
  p.end = p.l + 1;
  return p;
}

static char *part(const struct hy_bidiagonal *t, int64_t entry) {
  return t->message + entry * (int64_t)t->k->size;
}

static bool has_column(const struct hy_bidiagonal *t, int64_t j) {
  return hy_axis_owner(&t->col, j) == t->part;
}

/* Column j of A0 from row `row' on, if this rank has it; otherwise zeros. */
static void put_column(const struct hy_bidiagonal *t, int64_t j, int64_t row, char *to) {
  const int64_t local = hy_axis_before(&t->col, t->part, j);
  const size_t bytes = (size_t)(t->m - row) * t->k->size;
  hy_count_copied(t->cube, t->m - row);
  if (t->k->dry) return;
  if (has_column(t, j))
    memcpy(to, hy_at(t->a, row, local), bytes);
  else
    memset(to, 0, bytes);
}

hyla_status hy_bidiagonal_bring(struct hy_bidiagonal *t) {
  put_column(t, 0, 0, t->column);
  return hy_subcube_allreduce(&t->sums, t->column, t->m, hy_solve_sum, t->k);
}

/* -------------------------------------------------------------- reflection -- */

/* The reflection of a vector with this first entry, and this sum of squares behind it.  A vector
 * far below A's rounding counts as 0, so that squares of others are within the range. */
static struct hy_bidiagonal_reflection reflection_of(const struct hy_kernels *k,
                                                     double _Complex leading, double squares) {
  const double least = k->epsilon > 1e-10 ? 0x1p-55 : 0x1p-480;
  const double below = sqrt(squares), norm = hypot(below, cabs(leading));
  struct hy_bidiagonal_reflection r = {0};
  if (norm < least) return r;
  r.beta = creal(leading);
  if (below == 0 && cimag(leading) == 0) return r;
  r.beta = creal(leading) >= 0 ? -norm : norm;
  r.tau = hy_complex((r.beta - creal(leading)) / r.beta, -cimag(leading) / r.beta);
  r.pivot = leading - r.beta;
  return r;
}

/* v := x / pivot, or 0 without a reflection.  leads: v's first entry, 1, is here. */
static void make_vector(const struct hy_kernels *k, const struct hy_bidiagonal_reflection *r,
                        int count, const char *x, bool leads, char *v) {
  if (count == 0) return;
  if (r->tau == 0) {
    memset(v, 0, (size_t)count * k->size);
    return;
  }
  memcpy(v, x, (size_t)count * k->size);
  k->divide(count, r->pivot, v, 1);
  if (leads) k->set(v, 0, 1);
}

void hy_bidiagonal_left(struct hy_bidiagonal *t) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t j = at->column, size = (int64_t)k->size;
  const char *x = t->column + j * size;
  char *v = hy_entry_of(k, t->of_rows, t->m, j, 2 * at->done);
  double _Complex squares = 0;
  hy_compute(t->cube, 3 * at->rows, k->size, k->complex_type);
  hy_count_copied(t->cube, 2 * at->rows);
  if (k->dry) return;
  char sum[sizeof squares] = {0};
  if (at->rows > 1) k->dots(at->rows - 1, 1, x + size, at->rows - 1, x + size, sum);
  const struct hy_bidiagonal_reflection r = reflection_of(k, k->get(x, 0), creal(k->get(sum, 0)));
  make_vector(k, &r, at->rows, x, true, v);
  t->d[j] = r.beta;
  t->tau[0][j] = creal(r.tau);
  t->tau[1][j] = cimag(r.tau);
  if (has_column(t, j)) memcpy(hy_at(t->a, j, at->col - 1), v, (size_t)(at->rows * size));
}

/* ------------------------------------------------------------- next column -- */

/* This rank's part of the message but for p, which is there. */
static void fill_message(struct hy_bidiagonal *t) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int64_t size = (int64_t)k->size;
  const int count = 2 * at->done + 1;
  const bool leads = has_column(t, at->column + 1);
  hy_compute(t->cube, 2 * at->cols * (count + 1), k->size, k->complex_type);
  put_column(t, at->column + 1, at->column + 1, part(t, p.b));
  if (k->dry) return;
  memset(part(t, p.h), 0, (size_t)((p.end - p.h) * size));
  if (at->cols == 0) return;
  const char *s = t->s + at->col * size, *behind = s + leads * size;
  const char *panel = t->of_cols + at->col * size;
  k->dots(at->cols, count, panel, hy_distance(t->own), s, part(t, p.h));
  if (leads) k->copy(HYLA_NONE, 1, count, 1, panel, hy_distance(t->own), part(t, p.w), 1);
  if (at->cols > leads) k->dots(at->cols - leads, 1, behind, at->cols, behind, part(t, p.q));
  if (leads) memcpy(part(t, p.l), s, (size_t)size);
}

/* The factors of V and X: of p, then of column j + 1. */
static void set_factors(const struct hy_bidiagonal *t) {
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(&t->at);
  const int64_t count = 2 * t->at.done + 1;
  for (int64_t i = 0; i < count; i++) {
    k->set(t->factors, i, k->get(part(t, p.h), i));
    k->set(t->factors, count + i, conj(k->get(part(t, p.w), i)));
  }
}

/* x := rho / pivot (A s - e_j A e_1), and the next column, from sums for all rows. */
static void finish_rows(struct hy_bidiagonal *t, const struct hy_bidiagonal_reflection *r) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int rows = at->rows - 1;
  const int64_t first = at->column + 1;
  char *x = hy_entry_of(k, t->of_rows, t->m, first, 2 * at->done + 1);
  char *next = t->column + first * (int64_t)k->size, *b = part(t, p.b);
  k->pair(rows, 2 * at->done + 1, hy_entry_of(k, t->of_rows, t->m, first, 0), hy_distance(t->m),
          t->factors, part(t, 0), b);
  if (r->tau == 0) {
    memset(x, 0, (size_t)rows * k->size);
    memcpy(next, b, (size_t)rows * k->size);
    return;
  }
  const double _Complex factor = r->tau / r->pivot;
  k->copy(HYLA_NONE, rows, 1, factor, part(t, 0), rows, x, rows);
  k->combine(HYLA_NONE, rows, 1, -r->beta * factor, b, rows, 1, x, rows);
  k->copy(HYLA_NONE, rows, 1, -1, x, rows, next, rows);
  k->add(rows, 1, b, rows, next, rows);
}

/* u, for this rank's columns; it takes the place of row j. */
static void finish_columns(struct hy_bidiagonal *t, const struct hy_bidiagonal_reflection *r) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  char *u = hy_entry_of(k, t->of_cols, t->own, at->col, 2 * at->done + 1);
  if (at->cols == 0) return;
  make_vector(k, r, at->cols, t->s + at->col * (int64_t)k->size, has_column(t, at->column + 1), u);
  k->copy(HYLA_TRANSPOSE, 1, at->cols, 1, u, at->cols, hy_at(t->a, at->column, at->col),
          (int)t->a->ld);
}

hyla_status hy_bidiagonal_finish(struct hy_bidiagonal *t) {
  const struct hy_bidiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int64_t j = at->column, rows = at->rows - 1;
  fill_message(t);
  TRY(hy_subcube_allreduce(&t->sums, t->message, p.end, hy_solve_sum, k));
  hy_count_copied(t->cube, 2 * rows + 2 * at->cols);
  hy_compute(t->cube, rows * (8 * at->done + 9) + at->cols, k->size, k->complex_type);
  if (k->dry) return HYLA_OK;
  const struct hy_bidiagonal_reflection r =
      reflection_of(k, k->get(part(t, p.l), 0), creal(k->get(part(t, p.q), 0)));
  t->e[j] = r.beta;
  t->rho[0][j] = creal(r.tau);
  t->rho[1][j] = cimag(r.tau);
  set_factors(t);
  finish_rows(t, &r);
  finish_columns(t, &r);
  return HYLA_OK;
}
