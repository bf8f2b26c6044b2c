/* Deflation, as far as eigenvalues and singular values share it.
 *
 * Reference: Dongarra and Sorensen 1987; Gu and Eisenstat 1995, section 4.  Columns are taken in
 * ascending order.  One that stays waits for the next: of two columns with close d a rotation makes
 * one without a part in z.  Small is what changes the matrix by no more than rounding, relative to
 * this merge's own size: parts of a matrix that are small keep their digits. */
#include "solve/divide/tree.h"

#include <float.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Products of a few differences, of squares too, are within range then. */
struct hy_divide_scan hy_scan_open(const struct hy_divide_tree *s, struct hy_merge *m,
                                   double size) {
  enum { LEAST = -1000 };
  frexp(size, &m->exponent);
  m->exponent = (int)hy_max(LEAST, m->exponent);
  m->k = m->rotations = 0;
  m->middle = 0;
  const double scale = ldexp(1, -m->exponent);
  return (struct hy_divide_scan){
      .s = s, .m = m, .scale = scale, .tolerance = DBL_EPSILON * size * scale};
}

struct hy_divide_column hy_scan_column(const struct hy_divide_scan *scan, int64_t at, double row) {
  const struct hy_divide_tree *s = scan->s;
  const bool upper = at < scan->m->mid;
  const uint8_t half = upper ? HY_UPPER_HALF : HY_LOWER_HALF;
  struct hy_divide_column column = {.d = s->d[at] * scan->scale,
                                    .z = row * (upper ? s->last[at] : s->first[at]),
                                    .head = upper ? s->first[at] : 0,
                                    .tail = upper ? 0 : s->last[at]};
  for (int side = 0; side < s->kind->sides; side++) {
    column.slot[side] = s->side[side].place[at];
    column.half[side] = half;
  }
  return column;
}

/* Where the vectors of a column stand, and its entries. */
static void put(const struct hy_divide_scan *scan, int64_t at, const struct hy_divide_column *x) {
  const struct hy_divide_tree *s = scan->s;
  s->sigma[at] = x->d;
  s->head[at] = x->head;
  s->tail[at] = x->tail;
  for (int side = 0; side < s->kind->sides; side++) {
    s->side[side].slot[at] = x->slot[side];
    s->side[side].half[at] = x->half[side];
  }
}

int64_t hy_scan_keep(struct hy_divide_scan *scan, const struct hy_divide_column *x) {
  const struct hy_divide_tree *s = scan->s;
  const int64_t at = scan->m->lo + scan->m->k++;
  put(scan, at, x);
  s->pole[at] = s->kind->sides == 2 ? x->d * x->d : x->d;
  s->side[HY_RIGHT].weight[at] = x->z;
  s->square[at] = x->z * x->z;
  return at;
}

void hy_scan_drop(struct hy_divide_scan *scan, const struct hy_divide_column *x) {
  struct hy_divide_column *list = scan->s->column + scan->m->lo;
  int at = scan->deflated++;
  for (; at > 0 && list[at - 1].d > x->d; at--) list[at] = list[at - 1];
  list[at] = *x;
}

void hy_scan_turn(struct hy_divide_scan *scan, double c, double s, bool right,
                  struct hy_divide_column *x, struct hy_divide_column *y) {
  struct hy_divide_rotation *rotation = &scan->s->rotation[scan->m->lo + scan->m->rotations++];
  *rotation = (struct hy_divide_rotation){.c = c, .s = s, .right = right};
  for (int side = 0; side < (right ? 1 : scan->s->kind->sides); side++) {
    rotation->x[side] = x->slot[side];
    rotation->y[side] = y->slot[side];
    rotation->half_x[side] = x->half[side];
    rotation->half_y[side] = y->half[side];
    x->half[side] = y->half[side] = x->half[side] | y->half[side];
  }
  const double head = x->head, tail = x->tail;
  x->head = c * head + s * y->head;
  y->head = c * y->head - s * head;
  x->tail = c * tail + s * y->tail;
  y->tail = c * y->tail - s * tail;
}

/* A mean of two poles, which rounding must not take out of their range: poles that stay are apart.
 */
static double between(double low, double mean, double high) { return fmin(fmax(low, mean), high); }

/* If the columns are close, turns them so that the pending one has no part in z. */
static bool join(struct hy_divide_scan *scan, struct hy_divide_column *x) {
  struct hy_divide_column *p = &scan->pending;
  const double size = hy_divide_length(p->z, x->z), c = x->z / size, s = -p->z / size, d = p->d,
               above = x->d;
  if (!(fabs((above - d) * c * s) <= scan->tolerance)) return false;
  hy_scan_turn(scan, c, s, false, p, x);
  p->d = between(d, d * (c * c) + above * (s * s), above);
  x->d = between(d, d * (s * s) + above * (c * c), above);
  p->z = 0;
  x->z = size;
  return true;
}

void hy_scan_wait(struct hy_divide_scan *scan, struct hy_divide_column *x) {
  if (scan->waits && join(scan, x))
    hy_scan_drop(scan, &scan->pending);
  else if (scan->waits)
    hy_scan_keep(scan, &scan->pending);
  scan->pending = *x;
  scan->waits = true;
}

/* The lists of the columns that stay and have entries in one of the halves. */
static void list_halves(const struct hy_divide_tree *s, struct hy_merge *m, int number) {
  const struct hy_divide_side *side = &s->side[number];
  for (int h = 0; h < 2; h++) {
    const struct hy_divide_half *half = &side->halves[h];
    int count = 0;
    for (int i = 0; i < m->k; i++) {
      if ((side->half[m->lo + i] >> h & 1) == 0) continue;
      half->pole[m->lo + count] = s->pole[m->lo + i];
      half->slot[m->lo + count] = side->slot[m->lo + i];
      half->index[m->lo + count++] = i;
    }
    m->held[number][h] = count;
  }
}

void hy_scan_close(const struct hy_divide_scan *scan, int count) {
  const struct hy_divide_tree *s = scan->s;
  struct hy_merge *m = scan->m;
  for (int i = 0; i < count; i++) put(scan, m->lo + m->k + i, &s->column[m->lo + i]);
  for (int side = 0; side < s->kind->sides; side++) list_halves(s, m, side);
}
