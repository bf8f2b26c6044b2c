/* LAPACK on whole matrices; results are compared with it. */
#include "peer_lapack.h"

#include "harness.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *need(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  assert_non_null(memory);
  return memory;
}

void lapack_singular_values(hyla_type type, int n, void *a, double *values) {
  float *single = need((size_t)n, sizeof *single);
  double *work = need((size_t)n, sizeof *work);
  const int by = LAPACK_COL_MAJOR;
  int info = 0;
  if (n == 0)
    info = 0;
  else if (type == HYLA_FLOAT)
    info = LAPACKE_sgesvd(by, 'N', 'N', n, n, a, n, single, NULL, 1, NULL, 1, (float *)work);
  else if (type == HYLA_DOUBLE)
    info = LAPACKE_dgesvd(by, 'N', 'N', n, n, a, n, values, NULL, 1, NULL, 1, work);
  else if (type == HYLA_COMPLEX)
    info = LAPACKE_cgesvd(by, 'N', 'N', n, n, a, n, single, NULL, 1, NULL, 1, (float *)work);
  else
    info = LAPACKE_zgesvd(by, 'N', 'N', n, n, a, n, values, NULL, 1, NULL, 1, work);
  if (type == HYLA_FLOAT || type == HYLA_COMPLEX)
    for (int i = 0; i < n; i++) values[i] = single[i];
  free(work);
  free(single);
  assert_int_equal(info, 0);
}

int lapack_cholesky(hyla_type type, int n, void *a) {
  const int by = LAPACK_COL_MAJOR, ld = n > 0 ? n : 1;
  switch (type) {
  case HYLA_FLOAT: return LAPACKE_spotrf(by, 'L', n, a, ld);
  case HYLA_DOUBLE: return LAPACKE_dpotrf(by, 'L', n, a, ld);
  case HYLA_COMPLEX: return LAPACKE_cpotrf(by, 'L', n, a, ld);
  default: return LAPACKE_zpotrf(by, 'L', n, a, ld);
  }
}

/* The magnitude of entry i of an array. */
static double magnitude(hyla_type type, const void *a, int i) {
  switch (type) {
  case HYLA_FLOAT: return fabs((double)((const float *)a)[i]);
  case HYLA_DOUBLE: return fabs(((const double *)a)[i]);
  case HYLA_COMPLEX: {
    double _Complex entry = ((const float _Complex *)a)[i];
    return fabs(creal(entry)) + fabs(cimag(entry));
  }
  default: {
    double _Complex entry = ((const double _Complex *)a)[i];
    return fabs(creal(entry)) + fabs(cimag(entry));
  }
  }
}

int lapack_lu(hyla_type type, int m, int n, void *a) {
  const int by = LAPACK_COL_MAJOR, ld = m > 0 ? m : 1;
  int *swaps = need((size_t)n, sizeof *swaps), info = 0;
  switch (type) {
  case HYLA_FLOAT: info = LAPACKE_sgetrf(by, m, n, a, ld, swaps); break;
  case HYLA_DOUBLE: info = LAPACKE_dgetrf(by, m, n, a, ld, swaps); break;
  case HYLA_COMPLEX: info = LAPACKE_cgetrf(by, m, n, a, ld, swaps); break;
  default: info = LAPACKE_zgetrf(by, m, n, a, ld, swaps);
  }
  free(swaps);
  assert_true(info >= 0);
  return info;
}

void lapack_pivoted(hyla_type type, int m, int n, void *a, int64_t *columns) {
  const int by = LAPACK_COL_MAJOR, ld = m > 0 ? m : 1;
  int *pivots = need((size_t)n, sizeof *pivots), info = 0;
  void *tau = need((size_t)n, sizeof(double _Complex));
  switch (type) {
  case HYLA_FLOAT: info = LAPACKE_sgeqp3(by, m, n, a, ld, pivots, tau); break;
  case HYLA_DOUBLE: info = LAPACKE_dgeqp3(by, m, n, a, ld, pivots, tau); break;
  case HYLA_COMPLEX: info = LAPACKE_cgeqp3(by, m, n, a, ld, pivots, tau); break;
  default: info = LAPACKE_zgeqp3(by, m, n, a, ld, pivots, tau);
  }
  for (int j = 0; j < n; j++) columns[j] = pivots[j] - 1;
  free(tau);
  free(pivots);
  assert_int_equal(info, 0);
}

double lapack_largest_pivoted(hyla_type type, int n, void *a) {
  (void)lapack_lu(type, n, n, a);
  double most = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) most = fmax(most, magnitude(type, a, i + j * n));
  return most;
}

/* The largest column sum of magnitudes; NaN if one is NaN. */
static double one_norm(int n, const double _Complex *a) {
  double norm = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += cabs(a[i + j * n]);
    if (!isnan(norm) && !(sum <= norm)) norm = sum;
  }
  return norm;
}

/* A becomes A^-1 = V S^-1 U^H. */
static void invert_complex(int n, double _Complex *a) {
  const size_t order = (size_t)n, room = order * (order + LAPACK_MARGIN);
  const double _Complex one = 1, none = 0;
  double _Complex *u = need(room, sizeof *u), *vt = need(room, sizeof *vt);
  double *values = need(order, sizeof *values);
  assert_int_equal(LAPACKE_zgesdd(LAPACK_COL_MAJOR, 'A', n, n, a, n, values, u, n, vt, n), 0);
  for (size_t k = 0; k < order; k++)
    for (size_t i = 0; i < order; i++) u[i + k * order] /= values[k];
  cblas_zgemm(CblasColMajor, CblasConjTrans, CblasConjTrans, n, n, n, &one, vt, n, u, n, &none, a,
              n);
  free(values);
  free(vt);
  free(u);
}

/* The same in real arithmetic, in a quarter of the time. */
static void invert_real(int n, double _Complex *a) {
  const size_t order = (size_t)n, entries = order * order;
  const size_t room = entries + LAPACK_MARGIN * order;
  double *real = need(room, sizeof *real), *u = need(room, sizeof *u), *vt = need(room, sizeof *vt);
  double *values = need(order, sizeof *values);
  for (size_t i = 0; i < entries; i++) real[i] = creal(a[i]);
  assert_int_equal(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', n, n, real, n, values, u, n, vt, n), 0);
  for (size_t k = 0; k < order; k++)
    for (size_t i = 0; i < order; i++) u[i + k * order] /= values[k];
  cblas_dgemm(CblasColMajor, CblasTrans, CblasTrans, n, n, n, 1, vt, n, u, n, 0, real, n);
  for (size_t i = 0; i < entries; i++) a[i] = real[i];
  free(values);
  free(vt);
  free(u);
  free(real);
}

double lapack_rcond(int n, double _Complex *a) {
  const size_t entries = (size_t)n * (size_t)n;
  double norm = one_norm(n, a);
  bool real = true;
  /* Works on A / |A|, whose numbers neither overflow nor vanish. */
  for (size_t i = 0; i < entries; i++) a[i] /= norm > 0 ? norm : 1;
  for (size_t i = 0; i < entries && real; i++) real = cimag(a[i]) == 0;
  if (real)
    invert_real(n, a);
  else
    invert_complex(n, a);
  double rcond = 1 / one_norm(n, a);
  return rcond > 0 ? rcond : 0;
}

static struct lapack_report expert_real(int n, const double _Complex *a, const double _Complex *b,
                                        double _Complex *x) {
  const size_t order = (size_t)n, entries = order * order;
  double *real = need(2 * entries + 4 * order, sizeof *real);
  double *factors = real + entries, *right = factors + entries, *found = right + order;
  double *rows = found + order, *cols = rows + order;
  int *swaps = need(order, sizeof *swaps);
  struct lapack_report report = {.info = 0};
  char scaled = 'N';
  double growth = 0;
  for (size_t i = 0; i < entries; i++) real[i] = creal(a[i]);
  for (size_t i = 0; i < order; i++) right[i] = creal(b[i]);
  report.info = LAPACKE_dgesvx(LAPACK_COL_MAJOR, 'N', 'N', n, 1, real, n, factors, n, swaps,
                               &scaled, rows, cols, right, n, found, n, &report.rcond,
                               &report.forward, &report.componentwise, &growth);
  for (size_t i = 0; i < order; i++) x[i] = found[i];
  free(swaps);
  free(real);
  return report;
}

static struct lapack_report expert_complex(int n, const double _Complex *a,
                                           const double _Complex *b, double _Complex *x) {
  const size_t order = (size_t)n, entries = order * order;
  double _Complex *copy = need(2 * entries + order, sizeof *copy);
  double _Complex *factors = copy + entries, *right = factors + entries;
  double *scales = need(2 * order, sizeof *scales);
  int *swaps = need(order, sizeof *swaps);
  struct lapack_report report = {.info = 0};
  char scaled = 'N';
  double growth = 0;
  memcpy(copy, a, entries * sizeof *copy);
  memcpy(right, b, order * sizeof *right);
  report.info = LAPACKE_zgesvx(LAPACK_COL_MAJOR, 'N', 'N', n, 1, copy, n, factors, n, swaps,
                               &scaled, scales, scales + order, right, n, x, n, &report.rcond,
                               &report.forward, &report.componentwise, &growth);
  free(swaps);
  free(scales);
  free(copy);
  return report;
}

struct lapack_report lapack_expert(hyla_type type, int n, const double _Complex *a,
                                   const double _Complex *b, double _Complex *x) {
  struct lapack_report report =
      type == HYLA_DOUBLE ? expert_real(n, a, b, x) : expert_complex(n, a, b, x);
  assert_true(report.info == 0 || report.info == n + 1);
  return report;
}
