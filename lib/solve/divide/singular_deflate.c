/* Deflation of singular values: which columns of a merge take part in it.
 *
 * Reference: Gu and Eisenstat 1995, section 4; Jessup and Sorensen 1994.  In the bases of the two
 * subproblems' vectors the merged matrix is
 *
 *   M = ( z_0  z_1  z_2 ... )     z_0: of the null vectors, turned so that one alone has a part in
 * z (      d_1          ) (           d_2     )
 *
 * A column with a small z_i is deflated.  Of two columns with close d a rotation from both sides
 * makes one such.  A small d_i is close to the middle column's 0; a rotation from the right gives
 * z_i to that one.  z_0 is kept from vanishing, so that M keeps its rank. */
#include "solve/divide/tree.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static struct hy_divide_column column_at(const struct hy_divide_scan *scan, int64_t at) {
  const struct hy_divide_tree *s = scan->s;
  const struct hy_merge *m = scan->m;
  return hy_scan_column(scan, at, (at < m->mid ? s->diagonal : s->e)[m->mid - 1] * scan->scale);
}

/* The two null vectors become the middle column and the merge's null vector.  Of B's last columns
 * the second one has no part in z. */
static void open_middle(struct hy_divide_scan *scan) {
  const struct hy_merge *m = scan->m;
  scan->middle = column_at(scan, m->lo);
  scan->null = column_at(scan, m->mid);
  struct hy_divide_column *x = &scan->middle, *y = &scan->null;
  x->slot[HY_LEFT] = (int32_t)(m->mid - 1);
  x->half[HY_LEFT] = 0;
  if (y->z == 0) return;
  const double size = hy_divide_length(x->z, y->z);
  hy_scan_turn(scan, x->z / size, y->z / size, true, x, y);
  x->z = size;
  y->z = 0;
}

/* Gives the column's part in z to the middle one. */
static void yield(struct hy_divide_scan *scan, struct hy_divide_column *x) {
  struct hy_divide_column *middle = &scan->middle;
  const double size = copysign(hy_divide_length(middle->z, x->z), middle->z);
  hy_scan_turn(scan, middle->z / size, x->z / size, true, middle, x);
  x->d *= middle->z / size;
  middle->z = size;
  hy_scan_drop(scan, x);
}

static void take(struct hy_divide_scan *scan, struct hy_divide_column x) {
  if (fabs(x.z) <= scan->tolerance) {
    hy_scan_drop(scan, &x);
    return;
  }
  if (x.d <= scan->tolerance) {
    yield(scan, &x);
    return;
  }
  if (!scan->waits) scan->m->k = 1; /* the middle column's place */
  hy_scan_wait(scan, &x);
}

/* The middle column goes to its place; alone it is deflated. */
static void close_middle(struct hy_divide_scan *scan) {
  struct hy_divide_column *middle = &scan->middle;
  struct hy_merge *m = scan->m;
  if (!scan->waits) {
    m->middle = copysign(1, middle->z);
    middle->d = fabs(middle->z);
    hy_scan_drop(scan, middle);
    return;
  }
  hy_scan_keep(scan, &scan->pending);
  const int k = m->k;
  middle->z = copysign(fmax(fabs(middle->z), scan->tolerance), middle->z);
  middle->d = 0;
  m->k = 0;
  hy_scan_keep(scan, middle);
  m->k = k;
}

/* z of length 1. */
static void normalize(const struct hy_divide_scan *scan) {
  const struct hy_divide_tree *s = scan->s;
  struct hy_merge *m = scan->m;
  const double *z = s->side[HY_RIGHT].weight;
  m->rho = 0;
  for (int64_t i = m->lo; i < m->lo + m->k; i++) m->rho += z[i] * z[i];
  for (int64_t i = m->lo; i < m->lo + m->k; i++) s->square[i] = z[i] * (z[i] / m->rho);
}

void hy_singular_deflate(const struct hy_divide_tree *s, struct hy_merge *m) {
  const double largest = fmax(s->d[m->mid - 1], s->d[m->hi - 1]),
               row = fmax(fabs(s->diagonal[m->mid - 1]), fabs(s->e[m->mid - 1]));
  struct hy_divide_scan scan = hy_scan_open(s, m, fmax(largest, row));
  int64_t a = m->lo + 1, b = m->mid + 1;
  open_middle(&scan);
  while (a < m->mid || b < m->hi) {
    const bool upper = b == m->hi || (a < m->mid && s->d[a] <= s->d[b]);
    take(&scan, column_at(&scan, upper ? a++ : b++));
  }
  close_middle(&scan);
  normalize(&scan);
  s->column[m->lo + scan.deflated] = scan.null;
  hy_scan_close(&scan, scan.deflated + 1);
}
