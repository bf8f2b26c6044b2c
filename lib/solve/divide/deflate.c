/* Deflation: which columns of a merge take part in it.
 *
 * Reference: Cuppen 1981; Dongarra and Sorensen 1987.  The merged matrix is D + rho z z^T, z of
 * length 1.  A column with a small z_i is a vector already.  Of two columns with close d a rotation
 * makes one such.  Small is what changes the matrix by no more than rounding, relative to this
 * merge's own size: parts of T that are small keep their digits.
 *
 * All nodes that know of a merge decide from the same bits. */
#include "solve/divide/divide_state.h"

#include <float.h>
#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

struct scan {
  const struct hy_divide *s;
  struct hy_merge *m;
  double scale, sign, tolerance;
  int deflated;
  struct hy_divide_column
      pending; /* has the largest d so far and stays, unless the next is close */
  bool waits;
};

/* D and rho are scaled by a power of 2 near their largest magnitude, so that products of a few
 * differences are within range. */
static struct scan scan_of(const struct hy_divide *s, struct hy_merge *m) {
  enum { LEAST = -1000 };
  const double *d = s->d, off = s->e[m->mid - 1];
  const double ends = fmax(fabs(d[m->lo]), fabs(d[m->hi - 1])),
               inner = fmax(fabs(d[m->mid - 1]), fabs(d[m->mid]));
  const double size = fmax(fmax(ends, inner), 2 * fabs(off));
  frexp(size, &m->exponent);
  m->exponent = (int)hy_max(LEAST, m->exponent);
  m->k = m->rotations = 0;
  const double scale = ldexp(1, -m->exponent);
  m->rho = 2 * fabs(off) * scale;
  return (struct scan){.s = s,
                       .m = m,
                       .scale = scale,
                       .sign = copysign(sqrt(.5), off),
                       .tolerance = DBL_EPSILON * size * scale};
}

static struct hy_divide_column column_at(const struct scan *scan, int64_t at) {
  const struct hy_divide *s = scan->s;
  const bool upper = at < scan->m->mid;
  return (struct hy_divide_column){.d = s->d[at] * scan->scale,
                                   .z = upper ? s->last[at] * sqrt(.5) : s->first[at] * scan->sign,
                                   .head = upper ? s->first[at] : 0,
                                   .tail = upper ? 0 : s->last[at],
                                   .slot = s->place[at],
                                   .half = upper ? HY_UPPER_HALF : HY_LOWER_HALF};
}

static void keep(struct scan *scan) {
  const struct hy_divide *s = scan->s;
  const struct hy_divide_column *x = &scan->pending;
  const int64_t at = scan->m->lo + scan->m->k++;
  s->pole[at] = x->d;
  s->weight[at] = x->z;
  s->square[at] = x->z * x->z;
  s->head[at] = x->head;
  s->tail[at] = x->tail;
  s->slot[at] = x->slot;
  s->half[at] = x->half;
}

/* Into the list of deflated columns, which is ascending. */
static void drop(struct scan *scan, const struct hy_divide_column *x) {
  struct hy_divide_column *list = scan->s->column + scan->m->lo;
  int at = scan->deflated++;
  for (; at > 0 && list[at - 1].d > x->d; at--) list[at] = list[at - 1];
  list[at] = *x;
}

/* A mean of two poles, which rounding must not take out of their range: poles that stay are apart.
 */
static double between(double low, double mean, double high) { return fmin(fmax(low, mean), high); }

/* If the columns are close, turns them so that the pending one has no part in z. */
static bool turn(struct scan *scan, struct hy_divide_column *x) {
  struct hy_divide_column *p = &scan->pending;
  const double size = sqrt(p->z * p->z + x->z * x->z), c = x->z / size, s = -p->z / size;
  const double head = p->head, tail = p->tail, d = p->d;
  if (!(fabs((x->d - d) * c * s) <= scan->tolerance)) return false;
  scan->s->rotation[scan->m->lo + scan->m->rotations++] =
      (struct hy_divide_rotation){c, s, p->slot, x->slot, p->half, x->half};
  const double above = x->d;
  p->d = between(d, d * (c * c) + above * (s * s), above);
  x->d = between(d, d * (s * s) + above * (c * c), above);
  p->head = c * head + s * x->head;
  x->head = c * x->head - s * head;
  p->tail = c * tail + s * x->tail;
  x->tail = c * x->tail - s * tail;
  p->half = x->half = p->half | x->half;
  p->z = 0;
  x->z = size;
  return true;
}

static void take(struct scan *scan, struct hy_divide_column x) {
  if (scan->m->rho * fabs(x.z) <= scan->tolerance) {
    drop(scan, &x);
    return;
  }
  if (scan->waits) {
    if (turn(scan, &x))
      drop(scan, &scan->pending);
    else
      keep(scan);
  }
  scan->pending = x;
  scan->waits = true;
}

/* The lists of the columns that stay and have entries in one of the halves. */
static void list_halves(const struct hy_divide *s, struct hy_merge *m) {
  for (int h = 0; h < 2; h++) {
    const struct hy_divide_half *half = &s->halves[h];
    int count = 0;
    for (int i = 0; i < m->k; i++) {
      if ((s->half[m->lo + i] >> h & 1) == 0) continue;
      half->pole[m->lo + count] = s->pole[m->lo + i];
      half->slot[m->lo + count] = s->slot[m->lo + i];
      half->index[m->lo + count++] = i;
    }
    m->held[h] = count;
  }
}

void hy_divide_deflate(const struct hy_divide *s, struct hy_merge *m) {
  struct scan scan = scan_of(s, m);
  int64_t a = m->lo, b = m->mid;
  while (a < m->mid || b < m->hi) {
    const bool upper = b == m->hi || (a < m->mid && s->d[a] <= s->d[b]);
    take(&scan, column_at(&scan, upper ? a++ : b++));
  }
  if (scan.waits) keep(&scan);
  for (int i = 0; i < scan.deflated; i++) {
    const struct hy_divide_column *x = &s->column[m->lo + i];
    const int64_t at = m->lo + m->k + i;
    s->pole[at] = x->d;
    s->head[at] = x->head;
    s->tail[at] = x->tail;
    s->slot[at] = x->slot;
    s->half[at] = x->half;
  }
  list_halves(s, m);
}
