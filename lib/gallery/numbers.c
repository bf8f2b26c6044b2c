/* Functions that compute entries. */
#include "gallery/gallery.h"

#include <math.h>

double hy_binomial(int64_t a, int64_t b) {
  const double exact = 0x1p52; /* r (a - b + k) / k below it is an integer without rounding */
  double r = 1;
  for (int64_t k = 1; k <= hy_min(b, a - b) && r < INFINITY; k++) {
    double up = (double)(hy_max(b, a - b) + k), down = (double)k;
    r = r * up < exact ? r * up / down : r * (up / down);
  }
  return b < 0 || b > a ? 0 : r;
}

double hy_sine(int64_t k, int64_t n) {
  k %= 2 * n;
  if (k < 0) k += 2 * n;
  if (k >= n) return k == n ? 0 : -hy_sine(k - n, n);
  if (2 * k > n) k = n - k;
  const double pi = 3.14159265358979323846;
  return 4 * k < n ? sin(pi * (double)k / (double)n)
                   : cos(pi * (double)(n - 2 * k) / (double)(2 * n));
}

double hy_cosine(int64_t k, int64_t n) { return hy_sine(2 * k + n, 2 * n); }
