/* QR: matrices of few rows, with sums in long double.
 *
 * Q^H Q - I of as many reflections as rows is mostly what was rounded in V^H V, from which S is
 * made, on S's diagonal, v^H v / 2, which makes a reflection unitary to 4 units of rounding, and in
 * S^-1 times the columns.  In a large matrix such errors are small beside its number of rows; in a
 * small one they are not, and longer sums cost little there.  S's diagonal is then found again, to
 * more digits than S has, where Q is formed; it comes with the sums over the rank column. */
#include "solve/qr/qr.h"

#include <complex.h>
#include <math.h>

bool hy_qr_few(const struct hy_qr *q, int64_t most) {
  return q->tau == NULL && q->problem->m <= most;
}

/* (c - x^H y) / divisor */
static double _Complex minus(bool complex_type, int count, double _Complex c,
                             const double _Complex *x, const double _Complex *y,
                             long double divisor) {
  long double re = creal(c), im = cimag(c);
  for (int i = 0; i < count; i++) re -= (long double)creal(x[i]) * creal(y[i]);
  for (int i = 0; i < count && complex_type; i++) {
    re -= (long double)cimag(x[i]) * cimag(y[i]);
    im -= (long double)creal(x[i]) * cimag(y[i]) - (long double)cimag(x[i]) * creal(y[i]);
  }
  return hy_complex((double)(re / divisor), (double)(im / divisor));
}

void hy_qr_few_products(const struct hy_qr *q, const struct hy_diagonal_block *at, int begin,
                        int end, const char *v, int ldv) {
  const struct hy_kernels *k = q->k;
  double _Complex column[HY_QR_FEW][HY_QR_FEW];
  if (k->dry) return;
  for (int j = 0; j < end; j++)
    for (int i = 0; i < at->rows; i++) column[j][i] = -k->get(v, (int64_t)j * ldv + i);
  for (int j = begin; j < end; j++)
    for (int i = 0; i <= j; i++) {
      const int first = !at->top ? 0 : i < j ? j : j + 1; /* zeros are above, and the one */
      const double _Complex y =
          minus(k->complex_type, at->rows - first, 0, &column[i][first], &column[j][first], 1);
      k->set(q->products, (int64_t)(j - begin) * end + i, -y);
    }
}

/* A number is sent as a multiple of GRID, so that sums of such are exact, and the rest. */
static double grid_of(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 0x1p-20 : 0x1p-48; }

void hy_qr_few_squares(const struct hy_qr *q, const char *v, char *squares) {
  const struct hy_kernels *k = q->k;
  const struct hy_diagonal_block *at = &q->panel.at;
  const double grid = grid_of(k);
  for (int j = 0; j < at->width && !k->dry; j++) {
    long double sum = 0;
    for (int i = 0; i < at->rows; i++) {
      const double _Complex x = k->get(v, (int64_t)j * q->panel.ld + i);
      sum += (long double)creal(x) * creal(x) + (long double)cimag(x) * cimag(x);
    }
    const double coarse = rint((double)sum / grid) * grid;
    k->set(squares, 2 * j, coarse);
    k->set(squares, 2 * j + 1, (double)(sum - coarse));
  }
}

void hy_qr_few_solve(const struct hy_qr *q, int columns, const char *s) {
  const struct hy_kernels *k = q->k;
  const int w = q->panel.at.width;
  const char *squares = q->products + (int64_t)w * columns * (int64_t)k->size;
  double _Complex of_s[HY_QR_FEW][HY_QR_FEW], x[HY_QR_FEW];
  long double diagonal[HY_QR_FEW];
  for (int i = 0; i < w && !k->dry; i++) {
    diagonal[i] =
        ((long double)creal(k->get(squares, 2 * i)) + creal(k->get(squares, 2 * i + 1))) / 2;
    for (int l = i + 1; l < w; l++) of_s[i][l] = conj(k->get(s, (int64_t)l * w + i));
  }
  for (int j = 0; j < columns && !k->dry; j++) {
    char *column = q->products + (int64_t)j * w * (int64_t)k->size;
    for (int l = 0; l < w; l++) x[l] = k->get(column, l);
    for (int i = w - 1; i >= 0; i--) {
      const int behind = i + 1;
      x[i] = minus(k->complex_type, w - behind, x[i], &of_s[i][behind], &x[behind], diagonal[i]);
      k->set(column, i, x[i]);
    }
  }
}

void hy_qr_few_subtract(const struct hy_qr *q, int columns, const char *v, char *m, int64_t ldm) {
  const struct hy_kernels *k = q->k;
  const int w = q->panel.at.width, rows = q->panel.at.rows;
  double _Complex of_v[HY_QR_FEWER][HY_QR_FEWER], x[HY_QR_FEWER];
  for (int i = 0; i < rows && !k->dry; i++)
    for (int l = 0; l < w; l++) of_v[i][l] = conj(k->get(v, (int64_t)l * q->panel.ld + i));
  for (int j = 0; j < columns && !k->dry; j++) {
    char *column = m + j * ldm * (int64_t)k->size;
    for (int l = 0; l < w; l++) x[l] = k->get(q->products, (int64_t)j * w + l);
    for (int i = 0; i < rows; i++)
      k->set(column, i, minus(k->complex_type, w, k->get(column, i), of_v[i], x, 1));
  }
}
