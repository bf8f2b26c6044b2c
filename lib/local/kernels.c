/* The table of kernels: one body, four types. */
#include "local/copies.h"

#include <cblas.h>
#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
  SHORT = 512,     /* a product of up to that many rows is multiplied in strips ... */
  STRIP = 8192,    /* ... that take as many bytes of a row of B; twice that in single precision */
  LARGE = 11 << 20 /* bytes of a C that does not stay in the caches */
};

static CBLAS_TRANSPOSE blas_operation(hyla_operation op) {
  return op == HYLA_NONE ? CblasNoTrans : op == HYLA_TRANSPOSE ? CblasTrans : CblasConjTrans;
}

/* Matrices with m n k up to 10^6 OpenBLAS multiplies without packing them, where it has kernels
 * for that: in double precision those for AVX-512, of matrices that are not transposed.  A short
 * and wide product is made of such tiles, since packing B pays for many rows of A alone. */
enum { TILE_WORK = 1000000, TILE_ROWS = 96, TILE_COLUMNS = 32, TILE_LEAST = 64, TILE_MOST = 512 };

static bool has_small_kernels(void) {
  const char *core = openblas_get_corename();
  return strcmp(core, "SkylakeX") == 0 || strcmp(core, "Cooperlake") == 0 ||
         strcmp(core, "SapphireRapids") == 0;
}

static bool tiles_pay(hyla_operation op_a, hyla_operation op_b, int m, int n, int k) {
  return op_a == HYLA_NONE && op_b == HYLA_NONE && m <= SHORT &&
         n > 2 * STRIP / (int)sizeof(double) && k >= TILE_LEAST && k <= TILE_MOST &&
         hy_blas_threads() == 1 && has_small_kernels();
}

/* C := alpha A B. */
static void multiply_tiles(int m, int n, int k, double alpha, const double *a, int lda,
                           const double *b, int ldb, double *c, int ldc) {
  const int columns = (int)hy_min(TILE_COLUMNS, TILE_WORK / (TILE_ROWS * k) / 8 * 8);
  for (int64_t j = 0; j < n; j += columns)
    for (int64_t i = 0; i < m; i += TILE_ROWS)
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)hy_min(TILE_ROWS, m - i),
                  (int)hy_min(columns, n - j), k, alpha, a + i, lda, b + j * ldb, ldb, 0,
                  c + i + j * ldc, ldc);
}

static inline uint64_t key_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* hypot says infinity of an infinite and a NaN part; a NaN must show. */
static inline double magnitude_of(double re, double im) {
  return isnan(re) || isnan(im) ? NAN : hypot(re, im);
}

#define ENTRY float
#define REAL float
#define COMPLEX_TYPE 0
#define CBLAS(name) JOIN(cblas_s, name)
#define LAPACKE(name) LAPACKE_s##name
#define NAME(name) name##_s
#define LETTER "s"
#define GER ger
#define TYPE HYLA_FLOAT
#define EPSILON 0x1p-24
#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define JOIN_EXPANDED(a, b) a##b
#include "local/kernels_body.h"

#define ENTRY double
#define REAL double
#define COMPLEX_TYPE 0
#define CBLAS(name) JOIN(cblas_d, name)
#define LAPACKE(name) LAPACKE_d##name
#define NAME(name) name##_d
#define LETTER "d"
#define GER ger
#define TYPE HYLA_DOUBLE
#define EPSILON 0x1p-53
#include "local/kernels_body.h"

#define ENTRY float _Complex
#define REAL float
#define COMPLEX_TYPE 1
#define CBLAS(name) JOIN(cblas_c, name)
#define LAPACKE(name) LAPACKE_c##name
#define NAME(name) name##_c
#define LETTER "c"
#define GER geru
#define TYPE HYLA_COMPLEX
#define EPSILON 0x1p-24
#include "local/kernels_body.h"

#define ENTRY double _Complex
#define REAL double
#define COMPLEX_TYPE 1
#define CBLAS(name) JOIN(cblas_z, name)
#define LAPACKE(name) LAPACKE_z##name
#define NAME(name) name##_z
#define LETTER "z"
#define GER geru
#define TYPE HYLA_DOUBLE_COMPLEX
#define EPSILON 0x1p-53
#include "local/kernels_body.h"

const struct hy_kernels *hy_kernels_of(hyla_type type) {
  switch (type) {
  case HYLA_FLOAT: return &kernels_s;
  case HYLA_DOUBLE: return &kernels_d;
  case HYLA_COMPLEX: return &kernels_c;
  case HYLA_DOUBLE_COMPLEX: return &kernels_z;
  }
  return NULL;
}

const char *hy_blas_name(void) { return openblas_get_config(); }

void hy_blas_set_threads(int threads) { openblas_set_num_threads(threads); }

int hy_blas_threads(void) { return openblas_get_num_threads(); }
