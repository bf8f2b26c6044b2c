/* QR: a panel of w columns by a tree of small QR, on the ranks of its rank column.
 *
 * All triangles meet in one step.  R and the rows X below it become R' by reflections that have a
 * column of I above:
 *
 *   [R; X] = (I - [I; V] S^-1 [I; V]^H) [R'; 0]
 *
 * with S the upper triangle of I + V^H V, with 1 / tau on its diagonal (Puglisi 1992).  A rank
 * factors its first rows by themselves, and lets the others meet R a chunk at a time, which stays
 * in the caches.  Then members of the rank column exchange their R's over one dimension after the
 * other, and both let them meet, that of the lower number first; so all have the last R, with the
 * same bits.  Each knows all the steps on its own way, so it makes its rows of Q without messages:
 * M := I, and, the last step first, the rows of V have -V S^-1 M, and M := M - S^-1 M goes on with
 * R.  Members beyond a power of two give their R to a member before, and get M and R back.  Where a
 * member has fewer than w rows, at the end of the matrix, or w is below NARROW, the panel is made
 * by columns.
 *
 * From Q the panel's reflections are reconstructed.  The rank with the diagonal block factors
 * Q1 - D = L U without pivots, D's entries of modulus 1 and opposite to each pivot, so that no
 * pivot is below 1.  L, U and D go to all, and V = [L; Q2 U^-1], S = -L^H D U^-1, R := D R' are
 * those that Householder's reflections have, column by column, up to rounding.
 *
 * Reference: Demmel, Grigori, Hoemmen and Langou 2012; Ballard et al. 2015, for the reconstruction.
 * theory.md, qr:tsqr.  Messages a panel over a rank column of 2^d ranks: d of w (w + 1) / 2 words,
 * then a broadcast of w (w + 1); each member beyond 2^d sends one of these, and gets one with w^2
 * words more.  Flops: 6 w^2 for each row; 3 w^2 by columns; 7 w^3 for each R that is met.
 * Workspace: S of each chunk and dimension. */
#include "solve/qr/qr_tree.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Rows that meet R at a time. */
enum { CHUNK = 512 };
/* Panels of fewer columns are made by columns: a tree saves them few messages, and reflections that
 * are made anew from Q have more rounding than their own. */
enum { NARROW = 4 };

static int64_t triangle(int64_t w) { return w * (w + 1) / 2; }
static int levels_of(int members) {
  int levels = 0;
  while (2 << levels <= members) levels++;
  return levels;
}
static int members_of(const struct hy_qr *q) { return q->array.row.parts; }
static int chunk_of(int64_t w) { return (int)hy_max(CHUNK, w); }
static int64_t chunks_of(int64_t rows, int64_t w) { return hy_ceil_div(rows, chunk_of(w)); }

int64_t hy_qr_tree_bytes(const struct hy_qr *q) {
  const int64_t w = hy_min(q->array.block, q->problem->n), size = (int64_t)q->k->size;
  const int64_t steps = levels_of(members_of(q)) + 1;
  const int64_t words = (w + hy_max(CHUNK, w)) * w + hy_qr_room(w) + w + 3 * w * w +
                        2 * (w * w + triangle(w)) + w * (w + 1) +
                        (chunks_of(q->array.rows, w) + 2 * steps) * w * w;
  return words * size;
}

static char *carve(const struct hy_qr_tree *t, char **next, int64_t words) {
  char *here = *next;
  *next += words * (int64_t)t->k->size;
  return here;
}

struct hy_qr_tree hy_qr_tree_open(struct hy_qr *q, const struct hy_diagonal_block *at) {
  struct hy_qr_tree t = {.q = q, .k = q->k, .w = at->width, .members = members_of(q)};
  const int64_t w = t.w, square = w * w;
  char *next = q->tree;
  t.number = (int)hy_member(q->cube, q->array.row_dims, q->cube->address);
  t.levels = levels_of(t.members);
  t.stack = carve(&t, &next, (w + hy_max(CHUNK, w)) * w);
  t.room = carve(&t, &next, hy_qr_room(w));
  t.tau = carve(&t, &next, w);
  t.r = carve(&t, &next, square);
  t.m = carve(&t, &next, square);
  t.work = carve(&t, &next, square);
  t.out = carve(&t, &next, square + triangle(w));
  t.in = carve(&t, &next, square + triangle(w));
  t.lu = carve(&t, &next, square + w);
  t.v = carve(&t, &next, (t.levels + 1) * square);
  t.s = next;
  return t;
}

static char *square_at(const struct hy_qr_tree *t, char *squares, int64_t i) {
  return squares + i * t->w * t->w * (int64_t)t->k->size;
}
static char *entry(const struct hy_qr_tree *t, char *m, int64_t ld, int row, int column) {
  return m + ((int64_t)column * ld + row) * (int64_t)t->k->size;
}

/* ------------------------------------------------------------------ meeting -- */

/* S's entry for a vector v with a one on top of these rows.  v^H v / 2, which the real part of
 * 1 / tau is but for rounding, makes the reflection unitary. */
static double _Complex diagonal_of(const struct hy_kernels *k, double _Complex tau, int rows,
                                   const char *v) {
  return hy_complex((1 + hy_qr_squares(k, rows, v)) / 2, cimag(1 / tau));
}

/* S from V and the taus.  A column without a reflection gets one that turns a sign. */
static void set_triangle(const struct hy_qr_tree *t, int rows, char *v, int ldv, char *s) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  memset(s, 0, (size_t)w * (size_t)w * k->size);
  if (rows > 0) hy_qr_multiply(t->q, rows, w, v, ldv, w, v, ldv, s);
  for (int j = 0; j < w; j++) {
    const double _Complex tau = k->get(t->tau, j);
    k->set(s, (int64_t)j * (w + 1),
           tau == 0 ? .5 : diagonal_of(k, tau, rows, entry(t, v, ldv, 0, j)));
    if (tau == 0) k->scale(w - j, -1, entry(t, t->r, w, j, j), w);
  }
}

/* R and the rows X meet: X := V. */
static void meet(const struct hy_qr_tree *t, int rows, char *x, int ldx, char *s) {
  const struct hy_kernels *k = t->k;
  const int w = t->w, high = w + rows;
  k->copy(HYLA_NONE, w, w, 1, t->r, w, t->stack, high);
  k->copy(HYLA_NONE, rows, w, 1, x, ldx, entry(t, t->stack, high, w, 0), high);
  k->qr(high, w, t->stack, high, NULL, t->tau, t->room);
  for (int j = 0; j < w; j++)
    memcpy(entry(t, t->r, w, 0, j), entry(t, t->stack, high, 0, j), (size_t)(j + 1) * k->size);
  for (int j = 0; j < w; j++) {
    char *from = entry(t, t->stack, high, w, j), *to = entry(t, x, ldx, 0, j);
    if (k->get(t->tau, j) == 0)
      memset(to, 0, (size_t)rows * k->size);
    else
      memcpy(to, from, (size_t)rows * k->size);
  }
  set_triangle(t, rows, x, ldx, s);
}

/* Rows of Q to another place, unless it is NULL: to := -V S^-1 M; M := M - S^-1 M. */
static void part(const struct hy_qr_tree *t, int rows, char *v, int ldv, const char *s, char *to) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  memcpy(t->work, t->m, (size_t)w * (size_t)w * k->size);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, w, w, 1, s, w, t->work, w);
  if (to != NULL && rows > 0) {
    if (!k->dry) memset(to, 0, (size_t)rows * (size_t)w * k->size);
    hy_qr_subtract(t->q, rows, w, v, ldv, w, t->work, to, rows);
  }
  k->combine(HYLA_NONE, w, w, -1, t->work, w, 1, t->m, w);
}

/* The first rows, w or more, have no R to meet: V := that of their own QR. */
static void meet_first(const struct hy_qr_tree *t, int rows, char *x, int ldx, char *s) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  k->copy(HYLA_NONE, rows, w, 1, x, ldx, t->stack, rows);
  k->qr(rows, w, t->stack, rows, NULL, t->tau, t->room);
  memset(t->r, 0, (size_t)w * (size_t)w * k->size);
  for (int j = 0; j < w; j++) {
    char *from = entry(t, t->stack, rows, 0, j), *to = entry(t, x, ldx, 0, j);
    const bool none = k->get(t->tau, j) == 0;
    memcpy(entry(t, t->r, w, 0, j), from, (size_t)(j + 1) * k->size);
    memcpy(to, from, (size_t)rows * k->size);
    memset(to, 0, (size_t)(none ? rows : j) * k->size);
    if (!none) k->set(to, j, 1);
  }
  hy_qr_multiply(t->q, rows, w, x, ldx, w, x, ldx, s);
  for (int j = 0; j < w; j++) {
    const double _Complex tau = k->get(t->tau, j);
    memset(entry(t, s, w, j, j), 0, (size_t)(w - j) * k->size);
    k->set(s, (int64_t)j * (w + 1),
           tau == 0 ? 1 : diagonal_of(k, tau, rows - j - 1, entry(t, x, ldx, j + 1, j)));
  }
}

/* to := [M; 0] - V S^-1 V^H [M; 0]. */
static void part_first(const struct hy_qr_tree *t, int rows, const char *v, int ldv, const char *s,
                       char *to) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  hy_qr_multiply(t->q, w, w, v, ldv, w, t->m, w, t->work);
  k->trsm(HYLA_LEFT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, w, w, 1, s, w, t->work, w);
  memset(to, 0, (size_t)rows * (size_t)w * k->size);
  k->copy(HYLA_NONE, w, w, 1, t->m, w, to, rows);
  hy_qr_subtract(t->q, rows, w, v, ldv, w, t->work, to, rows);
}

/* This rank's own rows meet, or part; `rows' of them in v. */
static void meet_rows(const struct hy_qr_tree *t, int rows, char *v, int ld) {
  const int step = chunk_of(t->w);
  meet_first(t, (int)hy_min(step, rows), v, ld, t->s);
  for (int first = step, i = 1; first < rows; first += step, i++)
    meet(t, (int)hy_min(step, rows - first), entry(t, v, ld, first, 0), ld, square_at(t, t->s, i));
}

static void part_rows(const struct hy_qr_tree *t, int rows, char *v, int ld) {
  const int step = chunk_of(t->w);
  for (int64_t i = chunks_of(rows, t->w) - 1; i >= 0; i--) {
    const int first = (int)i * step, some = (int)hy_min(step, rows - first);
    char *here = entry(t, v, ld, first, 0), *s = square_at(t, t->s, i);
    if (i == 0)
      part_first(t, some, here, ld, s, t->stack);
    else
      part(t, some, here, ld, s, t->stack);
    t->k->copy(HYLA_NONE, some, t->w, 1, t->stack, some, here, ld);
  }
}

/* --------------------------------------------------------------- the members -- */

static int peer_of(const struct hy_qr_tree *t, int number) {
  return (int)hy_member_address(t->q->cube, t->q->array.row_dims, (uint32_t)number) |
         (int)((uint32_t)t->q->cube->address & ~t->q->array.row_dims);
}

static void pack(const struct hy_qr_tree *t, const char *r, char *to) {
  for (int j = 0; j < t->w && !t->k->dry; j++, to += (size_t)j * t->k->size)
    memcpy(to, r + (size_t)j * (size_t)t->w * t->k->size, (size_t)(j + 1) * t->k->size);
}

static void unpack(const struct hy_qr_tree *t, const char *from, char *r) {
  if (t->k->dry) return;
  memset(r, 0, (size_t)t->w * (size_t)t->w * t->k->size);
  for (int j = 0; j < t->w; j++, from += (size_t)j * t->k->size)
    memcpy(r + (size_t)j * (size_t)t->w * t->k->size, from, (size_t)(j + 1) * t->k->size);
}

/* R of this member and of another meet, that of the lower number first.  level: where V and S are
 * kept. */
static void meet_other(const struct hy_qr_tree *t, int level, bool lower) {
  char *v = square_at(t, t->v, level);
  if (t->k->dry) return;
  unpack(t, t->in, v);
  if (!lower) {
    memcpy(t->work, v, (size_t)t->w * (size_t)t->w * t->k->size);
    memcpy(v, t->r, (size_t)t->w * (size_t)t->w * t->k->size);
    memcpy(t->r, t->work, (size_t)t->w * (size_t)t->w * t->k->size);
  }
  meet(t, t->w, v, t->w, square_at(t, t->s, chunks_of(t->q->array.rows, t->w) + level));
}

static bool is_extra(const struct hy_qr_tree *t) { return t->number >= 1 << t->levels; }
static bool has_extra(const struct hy_qr_tree *t) {
  return t->number + (1 << t->levels) < t->members;
}

/* All members' R's meet. */
static hyla_status climb(const struct hy_qr_tree *t) {
  hyla_cube *cube = t->q->cube;
  const int64_t bytes = triangle(t->w) * (int64_t)t->k->size;
  const int end = 1 << t->levels;
  pack(t, t->r, t->out);
  if (is_extra(t)) return hy_exchange(cube, peer_of(t, t->number - end), t->out, bytes, NULL, 0);
  if (has_extra(t)) {
    TRY(hy_exchange(cube, peer_of(t, t->number + end), NULL, 0, t->in, bytes));
    meet_other(t, t->levels, true);
  }
  for (int level = 0; level < t->levels; level++) {
    const int other = t->number ^ 1 << level;
    pack(t, t->r, t->out);
    TRY(hy_exchange(cube, peer_of(t, other), t->out, bytes, t->in, bytes));
    meet_other(t, level, t->number < other);
  }
  return HYLA_OK;
}

/* M becomes that of this member's rows. */
static hyla_status descend(const struct hy_qr_tree *t) {
  hyla_cube *cube = t->q->cube;
  const struct hy_kernels *k = t->k;
  const int w = t->w, end = 1 << t->levels;
  const size_t square = (size_t)w * (size_t)w * k->size;
  const int64_t bytes = (int64_t)square + triangle(w) * (int64_t)k->size;
  const int64_t first = chunks_of(t->q->array.rows, t->w);
  if (is_extra(t)) {
    TRY(hy_exchange(cube, peer_of(t, t->number - end), NULL, 0, t->in, bytes));
    if (k->dry) return HYLA_OK;
    memcpy(t->m, t->in, square);
    unpack(t, t->in + square, t->r);
    return HYLA_OK;
  }
  for (int j = 0; j < w && !k->dry; j++) {
    memset(entry(t, t->m, w, 0, j), 0, (size_t)w * k->size);
    k->set(t->m, (int64_t)j * (w + 1), 1);
  }
  for (int level = t->levels - 1; level >= 0 && !k->dry; level--) {
    const bool lower = (t->number >> level & 1) == 0;
    part(t, w, square_at(t, t->v, level), w, square_at(t, t->s, first + level),
         lower ? NULL : t->stack);
    if (!lower) memcpy(t->m, t->stack, square);
  }
  if (!has_extra(t)) return HYLA_OK;
  if (!k->dry)
    part(t, w, square_at(t, t->v, t->levels), w, square_at(t, t->s, first + t->levels), t->out);
  pack(t, t->r, t->out + square);
  return hy_exchange(cube, peer_of(t, t->number + end), t->out, bytes, NULL, 0);
}

/* ----------------------------------------------------------- reconstruction -- */

/* Q1 - D = L U in t->lu, and D behind it. */
static void factor_top(const struct hy_qr_tree *t, const char *q1, int ld) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  char *d = entry(t, t->lu, w, 0, w);
  k->copy(HYLA_NONE, w, w, 1, q1, ld, t->lu, w);
  for (int j = 0; j < w; j++) {
    const double _Complex pivot = k->get(entry(t, t->lu, w, j, j), 0);
    const double size = cabs(pivot);
    const double _Complex sign = size == 0 ? -1 : -pivot / size;
    k->set(d, j, sign);
    k->set(entry(t, t->lu, w, j, j), 0, pivot - sign);
    if (j + 1 == w) break;
    char *below = entry(t, t->lu, w, j + 1, j), *right = entry(t, t->lu, w, j, j + 1);
    k->divide(w - j - 1, pivot - sign, below, 1);
    k->ger(w - j - 1, w - j - 1, -1, below, 1, right, w, entry(t, t->lu, w, j + 1, j + 1), w);
  }
}

/* S := -L^H D U^-1. */
static void set_s(const struct hy_qr_tree *t, char *s) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  const char *d = entry(t, t->lu, w, 0, w);
  memset(s, 0, (size_t)w * (size_t)w * k->size);
  for (int j = 0; j < w; j++)
    for (int i = 0; i <= j; i++) {
      const double _Complex l = i == j ? 1 : k->get(entry(t, t->lu, w, j, i), 0);
      k->set(entry(t, s, w, i, j), 0, -conj(l) * k->get(d, j));
    }
  k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, w, w, 1, t->lu, w, s, w);
  for (int j = 0; j < w; j++) { /* real up to rounding */
    char *diagonal = entry(t, s, w, j, j);
    k->set(diagonal, 0, creal(k->get(diagonal, 0)));
  }
}

/* The panel's rows of R, negated: -D R. */
static void set_upper(const struct hy_qr_tree *t) {
  const struct hy_kernels *k = t->k;
  const int w = t->w;
  const char *d = entry(t, t->lu, w, 0, w);
  for (int j = 0; j < w; j++)
    for (int i = 0; i <= j; i++)
      k->set(entry(t, t->q->upper, w, i, j), 0, -k->get(d, i) * k->get(entry(t, t->r, w, i, j), 0));
}

/* V from Q. */
static void set_vectors(const struct hy_qr_tree *t, const struct hy_diagonal_block *at, char *v,
                        int ld) {
  const struct hy_kernels *k = t->k;
  const int w = t->w, top = at->top ? w : 0, rows = at->rows - top;
  for (int j = 0; j < top; j++) {
    char *column = entry(t, v, ld, 0, j);
    memset(column, 0, (size_t)j * k->size);
    memcpy(column + (size_t)j * k->size, entry(t, t->lu, w, j, j), (size_t)(w - j) * k->size);
    k->set(column, j, 1);
  }
  if (rows > 0)
    k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, rows, w, 1, t->lu, w,
            entry(t, v, ld, top, 0), ld);
}

/* The first column that has no norm, or one that is not finite. */
static void judge(const struct hy_qr_tree *t, const struct hy_diagonal_block *at,
                  struct hy_panel_header *header) {
  for (int j = 0; j < t->w && header->status == HYLA_OK; j++) {
    const double size = cabs(t->k->get(entry(t, t->r, t->w, j, j), 0));
    if (isfinite(size) && (size != 0 || t->q->problem->through)) continue;
    header->status = isfinite(size) ? HYLA_SINGULAR : HYLA_NOT_FINITE;
    header->column = at->first + j + 1;
  }
}

hyla_status hy_qr_tree_finish(const struct hy_qr_tree *t, const struct hy_diagonal_block *at,
                              struct hy_panel_header *header, char *s, char *v, int ld) {
  const int root = hy_column_root(&t->q->array, at->index);
  const int64_t w = t->w;
  hy_compute(t->q->cube, at->rows * w * w + 2 * w * w * w, t->k->size, t->k->complex_type);
  if (!t->k->dry) judge(t, at, header);
  if (!t->k->dry && header->status != HYLA_OK) return HYLA_OK;
  if (!t->k->dry && at->top) factor_top(t, v, ld);
  TRY(hy_subcube_broadcast(&t->q->tops, root, t->lu, w * (w + 1)));
  if (t->k->dry) return HYLA_OK;
  set_vectors(t, at, v, ld);
  set_s(t, s);
  if (at->top) set_upper(t);
  return HYLA_OK;
}

/* Own rows, and each meeting with another R. */
static void count(const struct hy_qr_tree *t, const struct hy_diagonal_block *at) {
  const int64_t w = t->w, squares = w * w * w;
  const int64_t meetings = is_extra(t) ? 0 : t->levels + (has_extra(t) ? 1 : 0);
  hy_compute(t->q->cube, 5 * at->rows * w * w + (meetings + 1) * 7 * squares, t->k->size,
             t->k->complex_type);
  hy_count_copied(t->q->cube, 4 * (at->rows + w) * w);
}

/* Is the panel wide enough for a tree, and has every member w rows or more?  With fewer, R would
 * begin with zeros that are no rows of the panel, and where columns depend on each other Q would
 * lie in those.  Are there 2 w rows in all?  Reflections of fewer that are made anew from Q have
 * twice the rounding of their own. */
static bool is_tall(const struct hy_qr *q, const struct hy_diagonal_block *at) {
  const struct hy_axis *row = &q->array.row;
  const int64_t rows = q->problem->m - at->first;
  if (at->width < NARROW || rows < 2 * (int64_t)at->width || hy_qr_few(q, HY_QR_FEW)) return false;
  for (int p = 0; p < row->parts; p++)
    if (hy_held(row, p) - hy_axis_before(row, p, at->first) < at->width) return false;
  return true;
}

hyla_status hy_qr_factor_tree(struct hy_qr *q, const struct hy_diagonal_block *at,
                              struct hy_panel_header *header, char *s, char *v, int ld) {
  if (!is_tall(q, at)) return hy_qr_factor_columns(q, at, header, s, v, ld);
  const struct hy_qr_tree t = hy_qr_tree_open(q, at);
  if (!q->k->dry) meet_rows(&t, at->rows, v, ld);
  TRY(climb(&t));
  TRY(descend(&t));
  count(&t, at);
  if (!q->k->dry) part_rows(&t, at->rows, v, ld);
  return hy_qr_tree_finish(&t, at, header, s, v, ld);
}
