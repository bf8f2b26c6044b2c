/* A leaf of the tree: a small tridiagonal matrix by implicit QL steps.
 *
 * Reference: Bowdler, Martin, Reinsch, Wilkinson 1968; Dubrulle 1970, for the implicit shift.
 * Each step turns pairs of columns of the vectors, whose roundings add up; at the end one step of
 * Newton's method for V^T V = I (Bjorck and Bowie 1971), with sums as if in twice the precision,
 * leaves those of the entries.  All nodes that share a leaf make all of it, with and without
 * vectors, and find the same bits, as nothing here depends on the processor: all operations round
 * once. */
#include "solve/divide/divide_state.h"

#include <float.h>
#include <string.h>

/* gcc fuses nothing with -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { LEAF = HY_DIVIDE_LEAF };

/* v: the vectors, v[j] the j-th. */
struct leaf {
  int n;
  double d[LEAF], e[LEAF];
  double v[LEAF][LEAF];
};

/* a^2 - b, for a below 2, as if in twice the precision (Dekker 1971). */
static double square_less(double a, double b) {
  const double much = 0x8000001p0 * a, high = much - (much - a), low = a - high, square = a * a;
  return (square - b) + (((high * high - square) + 2 * high * low) + low * low);
}

/* c and s as quotients leave c^2 + s^2 wrong by a few roundings, often the same way in all turns of
 * a column; the correction leaves their own roundings. */
struct rotation {
  double c, s;
};
static struct rotation corrected(double c, double s) {
  const double more = square_less(s, -square_less(c, 1)) / 2;
  return (struct rotation){c - c * more, s - s * more};
}

/* Columns i and i + 1 of the vectors. */
static void turn(struct leaf *t, int i, struct rotation by) {
  double *restrict x = t->v[i], *restrict y = t->v[i + 1];
  for (int r = 0; r < t->n; r++) {
    const double before = y[r];
    y[r] = by.s * x[r] + by.c * before;
    x[r] = by.c * x[r] - by.s * before;
  }
}

/* The end of the block that begins at row `from': its last off-diagonal entry is negligible. */
static int block_end(const struct leaf *t, int from) {
  int end = from;
  for (; end + 1 < t->n; end++)
    if (fabs(t->e[end]) <= DBL_EPSILON / 2 * (fabs(t->d[end]) + fabs(t->d[end + 1]))) break;
  return end;
}

/* A block of two rows, by one rotation (Jacobi 1846): fewer roundings than steps. */
static void solve_pair(struct leaf *t, int from) {
  const double half = (t->d[from + 1] - t->d[from]) / 2, e = t->e[from];
  const double tangent = e / (half + copysign(hy_divide_length(half, e), half));
  const double c = 1 / sqrt(1 + tangent * tangent);
  t->d[from] -= tangent * e;
  t->d[from + 1] += tangent * e;
  t->e[from] = 0;
  turn(t, from, corrected(c, tangent * c));
}

/* One QL step on rows from ... end, with Wilkinson's shift. */
static void step(struct leaf *t, int from, int end) {
  double *d = t->d, *e = t->e;
  const double half = (d[from + 1] - d[from]) / 2, r = hy_divide_length(half, e[from]);
  const double shift = d[from] - e[from] * (e[from] / (half + copysign(r, half)));
  struct rotation by = {1, 1};
  double g = d[end] - shift, p = 0;
  for (int i = end - 1; i >= from; i--) {
    const double f = by.s * e[i], b = by.c * e[i], size = hy_divide_length(f, g);
    e[i + 1] = size;
    if (size == 0) { /* the block falls apart here */
      d[i + 1] -= p;
      e[end] = 0;
      return;
    }
    by = corrected(g / size, f / size);
    g = d[i + 1] - p;
    const double moved = (d[i] - g) * by.s + 2 * by.c * b;
    p = by.s * moved;
    d[i + 1] = g + p;
    g = by.c * moved - b;
    turn(t, i, by);
  }
  d[from] -= p;
  e[from] = g;
  e[end] = 0;
}

static bool diagonalize(struct leaf *t, int sweeps) {
  for (int from = 0, count = 0; from < t->n;) {
    const int end = block_end(t, from);
    if (end == from) {
      from++, count = 0;
      continue;
    }
    if (count++ == sweeps) return false;
    if (end == from + 1)
      solve_pair(t, from);
    else
      step(t, from, end);
  }
  return true;
}

/* ------------------------------------------------------------- orthogonality -- */

/* x in two parts of half the digits (Dekker 1971). */
struct halves {
  double x, high, low;
};
static struct halves halves_of(double x) {
  const double much = 0x8000001p0 * x, high = much - (much - x);
  return (struct halves){x, high, x - high};
}

/* x^T y - start, as if in twice the precision (Ogita, Rump, Oishi 2005). */
static double product_less(int n, const struct halves *x, const struct halves *y, double start) {
  double sum = -start, rest = 0;
  for (int i = 0; i < n; i++) {
    const double p = x[i].x * y[i].x, next = sum + p, part = next - sum;
    rest += (sum - (next - part)) + (p - part);
    rest += ((x[i].high * y[i].high - p) + x[i].high * y[i].low + x[i].low * y[i].high) +
            x[i].low * y[i].low;
    sum = next;
  }
  return sum + rest;
}

/* V := V - V (V^T V - I) / 2. */
static void polish(struct leaf *t) {
  struct halves v[LEAF][LEAF];
  double half[LEAF][LEAF];
  const int n = t->n;
  for (int j = 0; j < n; j++)
    for (int r = 0; r < n; r++) v[j][r] = halves_of(t->v[j][r]);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) half[i][j] = half[j][i] = product_less(n, v[i], v[j], i == j) / 2;
  for (int j = 0; j < n; j++)
    for (int r = 0; r < n; r++) {
      double change = 0;
      for (int i = 0; i < n; i++) change += v[i][r].x * half[j][i];
      t->v[j][r] -= change;
    }
}

/* rank[i]: the number of the i-th value in ascending order. */
static void sort(const struct leaf *t, int *order) {
  for (int i = 0; i < t->n; i++) {
    int j = i;
    for (; j > 0 && t->d[order[j - 1]] > t->d[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

/* This node's rows of the vectors to Z. */
static void put(const struct hy_divide_tree *s, const struct leaf *t, const int *order, int64_t lo,
                const struct hy_divide_rows *rows) {
  const struct hy_divide_side *side = &s->side[HY_RIGHT];
  const int64_t first = s->row + rows->first - lo;
  for (int i = 0; i < t->n && rows->count > 0; i++) {
    const double *from = t->v[order[i]] + first;
    char *to = side->z + (rows->first + (lo + i) * side->ld) * (int64_t)s->k->size;
    if (s->k->type == HYLA_DOUBLE)
      memcpy(to, from, (size_t)rows->count * sizeof *from);
    else
      for (int64_t r = 0; r < rows->count; r++) ((float *)(void *)to)[r] = (float)from[r];
  }
}

bool hy_divide_leaf(const struct hy_divide *divide, int64_t lo, int64_t hi) {
  const struct hy_divide_tree *s = &divide->tree;
  struct leaf t = {.n = (int)(hi - lo)};
  int order[LEAF];
  const struct hy_divide_rows rows = hy_divide_rows(s, lo, hi);
  int exponent = 0;
  double largest = 0;
  for (int i = 0; i < t.n; i++) {
    largest = fmax(largest, fabs(s->d[lo + i]));
    if (i + 1 < t.n) largest = fmax(largest, fabs(s->e[lo + i]));
  }
  frexp(largest, &exponent);
  for (int i = 0; i < t.n; i++) {
    t.d[i] = ldexp(s->d[lo + i], -exponent);
    t.e[i] = i + 1 < t.n ? ldexp(s->e[lo + i], -exponent) : 0;
    t.v[i][i] = 1;
  }
  if (!diagonalize(&t, divide->sweeps)) return false;
  polish(&t);
  sort(&t, order);
  for (int i = 0; i < t.n; i++) {
    s->d[lo + i] = ldexp(t.d[order[i]], exponent);
    s->first[lo + i] = t.v[order[i]][0];
    s->last[lo + i] = t.v[order[i]][t.n - 1];
  }
  if (s->side[HY_RIGHT].wanted) put(s, &t, order, lo, &rows);
  return true;
}
