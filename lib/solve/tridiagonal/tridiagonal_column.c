/* A column: its reflection, and what follows for the next one.
 *
 * The message of column j, for m rows behind it and t columns of the panel before it:
 *
 *   b   m     column j + 1 of A0, from its diagonal entry down
 *   y   m     A0 v
 *   h   2 t   (V^H v, W^H v) for each column of the panel
 *   r   2 t   row j + 1 of (V, W)
 *   c   1     v^H y
 *   s   1     v^H v without v's first entry, 1
 *
 * Each rank gives its part of each, and all get the sums.  For h and s a rank row shares out its
 * rows.  tau is set from s, so that H is unitary for v as it was rounded; a sum that begins with 1
 * would round as coarsely as 1 does.
 *
 * Ranks that find an entry of w or of the next column each for themselves must find the same bits.
 * A difference that is small beside A may be large beside a column in which A's entries have
 * cancelled, and reflections whose rows and columns differ are not unitary.  So every entry is made
 * by operations whose order does not depend on its place. */
#include "solve/tridiagonal/tridiagonal.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* The parts of a message, in entries. */
struct parts {
  int64_t b, y, h, r, c, s, end;
};

static struct parts parts_of(const struct hy_tridiagonal_step *at) {
  struct parts p = {.y = at->order};
  p.h = p.y + at->order;
  p.r = p.h + 2 * at->done;
  p.c = p.r + 2 * at->done;
  p.s = p.c + 1;
  p.end = p.s + 1;
  return p;
}

static char *part(const struct hy_tridiagonal *t, int64_t entry) {
  return t->message + entry * (int64_t)t->k->size;
}

/* Local entries of an axis from `first' on go to the places of their indices in a part of the
 * message, which begins with index `base'; added, or copied if `set'. */
static void put(const struct hy_tridiagonal *t, const struct hy_axis *axis, int number,
                int64_t first, int64_t end, const char *from, int64_t base, char *to, bool set) {
  const struct hy_kernels *k = t->k;
  const int64_t size = (int64_t)k->size;
  struct hy_stretch run = {.local = first};
  while (hy_stretch_next(axis, number, end, &run)) {
    const char *here = from + run.local * size;
    char *there = to + (run.index - base) * size;
    if (set)
      memcpy(there, here, (size_t)(run.count * size));
    else
      k->add(run.count, 1, here, run.count, there, run.count);
  }
}

/* The other way. */
static void get(const struct hy_tridiagonal *t, const struct hy_axis *axis, int number,
                int64_t first, int64_t end, const char *from, int64_t base, char *to) {
  const int64_t size = (int64_t)t->k->size;
  struct hy_stretch run = {.local = first};
  while (hy_stretch_next(axis, number, end, &run))
    memcpy(to + run.local * size, from + (run.index - base) * size, (size_t)(run.count * size));
}

static void put_rows(const struct hy_tridiagonal *t, const char *from, char *to, bool set) {
  put(t, &t->array.row, t->array.row_part, t->at.row, t->array.rows, from, t->at.column + 1, to,
      set);
}
static void get_rows(const struct hy_tridiagonal *t, const char *from, char *to) {
  get(t, &t->array.row, t->array.row_part, t->at.row, t->array.rows, from, t->at.column + 1, to);
}
static void get_cols(const struct hy_tridiagonal *t, const char *from, char *to) {
  get(t, &t->array.col, t->array.col_part, t->at.col, t->array.cols, from, t->at.column + 1, to);
}

/* Does this rank have all rows?  Then its columns' entries are copied from the rows'. */
static bool has_rows(const struct hy_tridiagonal *t) { return t->array.row.parts == 1; }

/* Copies the rows' entries, all of them here, to the columns'. */
static void copy_to_cols(const struct hy_tridiagonal *t, const char *rows, char *cols) {
  get(t, &t->array.col, t->array.col_part, t->at.col, t->array.cols, rows, 0, cols);
}

static bool has_column(const struct hy_tridiagonal *t, int64_t j) {
  return hy_axis_owner(&t->array.col, j) == t->array.col_part;
}
static bool has_row(const struct hy_tridiagonal *t, int64_t i) {
  return hy_axis_owner(&t->array.row, i) == t->array.row_part;
}

/* Puts a column of A0 that this rank has into the message. */
static void put_column(const struct hy_tridiagonal *t, int64_t column) {
  const int64_t local = hy_axis_before(&t->array.col, t->array.col_part, column);
  hy_count_copied(t->cube, t->at.rows);
  if (!t->k->dry && has_column(t, column)) put_rows(t, hy_at(t->a, 0, local), part(t, 0), true);
}

hyla_status hy_tridiagonal_bring(struct hy_tridiagonal *t) {
  const struct hy_kernels *k = t->k;
  t->at = (struct hy_tridiagonal_step){
      .column = -1, .order = (int)t->n, .rows = (int)t->array.rows, .cols = (int)t->array.cols};
  if (!k->dry) memset(t->message, 0, (size_t)t->n * k->size);
  put_column(t, 0);
  TRY(hy_subcube_allreduce(&t->sums, t->message, t->n, hy_solve_sum, k));
  if (k->dry) return HYLA_OK;
  get_rows(t, t->message, t->x_rows);
  get_cols(t, t->message, t->x_cols);
  return HYLA_OK;
}

/* -------------------------------------------------------------- reflection -- */

/* Adds the norms of two ranks' parts of a column. */
static void add_norms(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_tridiagonal_norm *a = into;
  const struct hy_tridiagonal_norm *b = from;
  const struct hy_kernels *k = arg;
  (void)count; /* count is 1 */
  if (k->dry) return;
  const double scale = fmax(a->scale, b->scale);
  if (scale > 0) {
    const double mine = a->scale / scale, others = b->scale / scale;
    a->squares = a->squares * mine * mine + b->squares * others * others;
  }
  a->scale = scale;
  a->leading[0] += b->leading[0];
  a->leading[1] += b->leading[1];
}

/* The norm of some local entries.  The sum of squares is made again, with a scale, if squares may
 * have been lost. */
static struct hy_tridiagonal_norm norm_of(const struct hy_kernels *k, int count, const char *x) {
  const double least = k->epsilon > 1e-10 ? 0x1p-90 : 0x1p-900;
  struct hy_tridiagonal_norm norm = {1, 0, {0, 0}};
  double _Complex sum[1] = {0};
  if (count == 0) return (struct hy_tridiagonal_norm){0, 0, {0, 0}};
  k->dots(count, 1, x, count, x, sum);
  norm.squares = creal(k->get(sum, 0));
  if (norm.squares >= least && isfinite(norm.squares)) return norm;
  norm.scale = k->largest(count, 1, x, count);
  norm.squares = norm.scale > 0 ? k->squares(count, 1, x, count, norm.scale) : 0;
  return norm;
}

/* The norm of column j below row j + 1, and entry j + 1. */
static hyla_status find_norm(struct hy_tridiagonal *t) {
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const bool by_rows = has_rows(t) || t->array.col.parts > 1, sums = by_rows && !has_rows(t);
  const int64_t size = (int64_t)k->size, first = by_rows ? at->row : at->col;
  const int count = by_rows ? at->rows : at->cols;
  if (!k->dry) {
    const char *x = (by_rows ? t->x_rows : t->x_cols) + first * size;
    const bool leads = !sums || has_row(t, at->column + 1);
    t->norm = norm_of(k, count - leads, x + leads * size);
    if (leads) t->norm.leading[0] = creal(k->get(x, 0));
    if (leads) t->norm.leading[1] = cimag(k->get(x, 0));
  }
  hy_compute(t->cube, 2 * count, k->size, k->complex_type);
  return sums ? hy_subcube_allreduce(&t->norms, &t->norm, 1, add_norms, k) : HYLA_OK;
}

/* v := x / pivot from entry j + 1 on, which becomes 1.  leads: it is here. */
static void make_vector(const struct hy_kernels *k, int count, const char *x, int shift,
                        double _Complex pivot, bool leads, char *v) {
  if (count == 0) return;
  memcpy(v, x, (size_t)count * k->size);
  if (shift != 0) hy_shift(k, count, shift, v);
  if (pivot != 0)
    k->divide(count, pivot, v, 1);
  else
    memset(v, 0, (size_t)count * k->size);
  if (leads) k->set(v, 0, 1);
}

/* Sets tau and beta, up to rounding, and the vector for this rank's rows and columns.  A column so
 * small that its reflection would be inexact is scaled up, which changes neither tau nor v. */
static void set_reflection(struct hy_tridiagonal *t) {
  struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t rows = t->array.rows, cols = t->array.cols, size = (int64_t)k->size;
  const bool single = k->epsilon > 1e-10;
  double _Complex leading = hy_complex(t->norm.leading[0], t->norm.leading[1]), pivot = 0;
  double below = t->norm.scale * sqrt(t->norm.squares), norm = hypot(below, cabs(leading));
  int shift = 0;
  if (norm < (single ? 0x1p-90 : 0x1p-900)) {
    shift = single ? 100 : 600;
    leading = hy_complex(ldexp(creal(leading), shift), ldexp(cimag(leading), shift));
    below = ldexp(t->norm.scale, shift) * sqrt(t->norm.squares);
    norm = hypot(below, cabs(leading));
  }
  at->beta = creal(leading);
  at->tau = 0;
  if (below != 0 || cimag(leading) != 0) {
    at->beta = creal(leading) >= 0 ? -norm : norm;
    at->tau = hy_complex((at->beta - creal(leading)) / at->beta, -cimag(leading) / at->beta);
    pivot = leading - at->beta;
  }
  at->beta = ldexp(at->beta, -shift);
  char *v = hy_entry(k, t->of_rows, rows, 0, 2 * at->done);
  char *across = hy_entry(k, t->of_cols, cols, at->col, 2 * at->done);
  const char *x = t->x_rows + at->row * size;
  make_vector(k, at->rows, x, shift, pivot, has_row(t, at->column + 1), v + at->row * size);
  if (has_rows(t))
    copy_to_cols(t, v, across - at->col * size);
  else
    make_vector(k, at->cols, t->x_cols + at->col * size, shift, pivot,
                has_column(t, at->column + 1), across);
}

hyla_status hy_tridiagonal_reflect(struct hy_tridiagonal *t) {
  struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t j = at->column, size = (int64_t)k->size;
  const bool diagonal = has_row(t, j) && has_column(t, j);
  if (diagonal && !k->dry) t->d[j] = creal(k->get(t->x_rows + (at->row - 1) * size, 0));
  if (j + 1 == t->n) return HYLA_OK;
  TRY(find_norm(t));
  hy_compute(t->cube, at->rows + at->cols, k->size, k->complex_type);
  if (k->dry) return HYLA_OK;
  set_reflection(t);
  if (diagonal) t->e[j] = at->beta;
  if (!has_column(t, j)) return HYLA_OK;
  const int64_t local = hy_axis_before(&t->array.col, t->array.col_part, j);
  if (at->rows > 0)
    memcpy(hy_at(t->a, at->row, local),
           hy_entry(k, t->of_rows, t->array.rows, at->row, 2 * at->done),
           (size_t)(at->rows * size));
  return HYLA_OK;
}

/* ------------------------------------------------------------- next column -- */

/* This rank's part of the message; y_rows and y_cols hold its products. */
static void fill_message(struct hy_tridiagonal *t) {
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int64_t rows = t->array.rows, cols = t->array.cols, size = (int64_t)k->size;
  const int64_t begin = (int64_t)at->rows * t->array.col_part / t->array.col.parts;
  const int64_t end = (int64_t)at->rows * (t->array.col_part + 1) / t->array.col.parts;
  const char *v = hy_entry(k, t->of_rows, rows, 0, 2 * at->done);
  const char *across = hy_entry(k, t->of_cols, cols, 0, 2 * at->done);
  hy_count_copied(t->cube, at->rows + at->cols);
  hy_compute(t->cube, (4 * at->done + 2) * (end - begin) + 2 * (at->rows + at->cols), k->size,
             k->complex_type);
  if (!k->dry) memset(t->message, 0, (size_t)(p.end * size));
  put_column(t, at->column + 1);
  if (k->dry) return;
  put_rows(t, t->y_rows, part(t, p.y), true);
  put(t, &t->array.col, t->array.col_part, at->col, cols, t->y_cols, at->column + 1, part(t, p.y),
      false);
  if (end > begin) {
    const char *mine = v + (at->row + begin) * size;
    const int64_t first = begin == 0 && has_row(t, at->column + 1);
    k->dots((int)(end - begin), 2 * at->done, t->of_rows + (at->row + begin) * size,
            hy_leading(rows), mine, part(t, p.h));
    k->dots((int)(end - begin - first), 1, mine + first * size, hy_leading(end - begin),
            mine + first * size, part(t, p.s));
  }
  if (has_row(t, at->column + 1) && has_column(t, at->column + 1))
    k->copy(HYLA_NONE, 1, 2 * at->done, 1, t->of_cols + at->col * size, hy_leading(cols),
            part(t, p.r), 1);
  k->dots(at->rows, 1, v + at->row * size, hy_leading(at->rows), t->y_rows + at->row * size,
          part(t, p.c));
  k->dots(at->cols, 1, across + at->col * size, hy_leading(at->cols), t->y_cols + at->col * size,
          part(t, p.c));
}

/* I - tau v v^H is unitary if 1 - tau v^H v has length 1. */
static void set_tau(struct hy_tridiagonal *t) {
  struct hy_tridiagonal_step *at = &t->at;
  const int64_t j = at->column;
  const double rest = creal(t->k->get(part(t, parts_of(at).s), 0));
  const double square = 1 + rest, lost = rest - (square - 1);
  double _Complex turn = 1 - at->tau * square;
  turn /= cabs(turn);
  at->tau = (1 - turn) / square;
  at->tau -= at->tau * (lost / square);
  if (!has_row(t, j) || !has_column(t, j)) return;
  t->tau[0][j] = creal(at->tau);
  t->tau[1][j] = cimag(at->tau);
}

/* Sets the factors, which all ranks compute alike: of V and W, for y and then for the next column;
 * then tau; -tau conj(tau) / 2 v^H A v, for the matrix A that the panel's columns so far have
 * changed; and the conjugate of w's entry j + 1. */
static void set_factors(const struct hy_tridiagonal *t) {
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int64_t count = 2 * at->done;
  double changed = creal(k->get(part(t, p.c), 0));
  double _Complex w = k->get(part(t, p.y), 0);
  for (int64_t i = 0; i < count; i += 2) {
    const double _Complex h = k->get(part(t, p.h), i), g = k->get(part(t, p.h), i + 1);
    const double _Complex v_r = k->get(part(t, p.r), i), w_r = k->get(part(t, p.r), i + 1);
    changed -= 2 * (creal(h) * creal(g) + cimag(h) * cimag(g));
    w -= v_r * g + w_r * h;
    k->set(t->factors, i, g);
    k->set(t->factors, i + 1, h);
    k->set(t->factors, count + i, conj(w_r));
    k->set(t->factors, count + i + 1, conj(v_r));
  }
  const double size = creal(at->tau) * creal(at->tau) + cimag(at->tau) * cimag(at->tau);
  const double half = -size / 2 * changed;
  k->set(t->factors, 2 * count, at->tau);
  k->set(t->factors, 2 * count + 1, half);
  k->set(t->factors, 2 * count + 2, conj(at->tau * w + half));
}

/* Local rows or columns of the panel: their number and their entries in the panel, v, w and the
 * next column. */
struct share {
  int count, ld;
  const char *panel, *v;
  char *w, *x;
};

/* w := tau (y - V G - W H) + half v; x := x - V W_r^H - W V_r^H - v conj(w_r) - w. */
static void finish_share(const struct hy_tridiagonal *t, const struct share *s) {
  const struct hy_kernels *k = t->k;
  const int count = 2 * t->at.done;
  if (s->count == 0) return;
  k->pair(s->count, count, s->panel, s->ld, t->factors, s->w, s->x);
  k->settle(s->count, hy_entry(k, t->factors, 1, 2 * count, 0), s->v, s->w, s->x);
}

static void finish_rows(const struct hy_tridiagonal *t) {
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int64_t rows = t->array.rows, from = at->row * (int64_t)k->size;
  char *w = hy_entry(k, t->of_rows, rows, 0, 2 * at->done + 1);
  get_rows(t, part(t, p.y), w);
  get_rows(t, part(t, p.b), t->x_rows);
  const struct share share = {.count = at->rows,
                              .ld = hy_leading(rows),
                              .panel = t->of_rows + from,
                              .v = hy_entry(k, t->of_rows, rows, at->row, 2 * at->done),
                              .w = w + from,
                              .x = t->x_rows + from};
  finish_share(t, &share);
}

static void finish_cols(const struct hy_tridiagonal *t) {
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const struct parts p = parts_of(at);
  const int64_t cols = t->array.cols, from = at->col * (int64_t)k->size;
  char *w = hy_entry(k, t->of_cols, cols, 0, 2 * at->done + 1);
  if (has_rows(t)) {
    copy_to_cols(t, hy_entry(k, t->of_rows, t->array.rows, 0, 2 * at->done + 1), w);
    return;
  }
  get_cols(t, part(t, p.y), w);
  get_cols(t, part(t, p.b), t->x_cols);
  const struct share share = {.count = at->cols,
                              .ld = hy_leading(cols),
                              .panel = t->of_cols + from,
                              .v = hy_entry(k, t->of_cols, cols, at->col, 2 * at->done),
                              .w = w + from,
                              .x = t->x_cols + from};
  finish_share(t, &share);
}

hyla_status hy_tridiagonal_finish(struct hy_tridiagonal *t) {
  const struct hy_tridiagonal_step *at = &t->at;
  const struct hy_kernels *k = t->k;
  const int64_t mine = at->rows + (has_rows(t) ? 0 : at->cols);
  fill_message(t);
  TRY(hy_subcube_allreduce(&t->sums, t->message, parts_of(at).end, hy_solve_sum, k));
  hy_count_copied(t->cube, 2 * (at->rows + at->cols));
  hy_compute(t->cube, mine * (8 * at->done + 7), k->size, k->complex_type);
  if (k->dry) return HYLA_OK;
  set_tau(t);
  set_factors(t);
  finish_rows(t);
  finish_cols(t);
  return HYLA_OK;
}
