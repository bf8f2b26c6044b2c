/* Deflation of eigenvalues: which columns of a merge take part in it.
 *
 * Reference: Cuppen 1981; Dongarra and Sorensen 1987.  The merged matrix is D + rho z z^T, z of
 * length 1.  A column with a small z_i is a vector already.  Of two columns with close d a rotation
 * makes one such. */
#include "solve/divide/tree.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static void take(struct hy_divide_scan *scan, struct hy_divide_column x) {
  if (scan->m->rho * fabs(x.z) <= scan->tolerance)
    hy_scan_drop(scan, &x);
  else
    hy_scan_wait(scan, &x);
}

void hy_divide_deflate(const struct hy_divide_tree *s, struct hy_merge *m) {
  const double *d = s->d, off = s->e[m->mid - 1], row = sqrt(.5), sign = copysign(row, off);
  const double ends = fmax(fabs(d[m->lo]), fabs(d[m->hi - 1])),
               inner = fmax(fabs(d[m->mid - 1]), fabs(d[m->mid]));
  struct hy_divide_scan scan = hy_scan_open(s, m, fmax(fmax(ends, inner), 2 * fabs(off)));
  int64_t a = m->lo, b = m->mid;
  m->rho = 2 * fabs(off) * scan.scale;
  while (a < m->mid || b < m->hi) {
    const bool upper = b == m->hi || (a < m->mid && d[a] <= d[b]);
    take(&scan, hy_scan_column(&scan, upper ? a : b, upper ? row : sign));
    *(upper ? &a : &b) += 1;
  }
  if (scan.waits) hy_scan_keep(&scan, &scan.pending);
  hy_scan_close(&scan, scan.deflated);
}
