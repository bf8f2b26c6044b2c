/* The tables of kernels: one body, compiled for four types. */
#include "local/kernels.h"

#include <cblas.h>
#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static CBLAS_TRANSPOSE blas_operation(hyla_operation op) {
  return op == HYLA_NONE ? CblasNoTrans : op == HYLA_TRANSPOSE ? CblasTrans : CblasConjTrans;
}

static inline uint64_t key_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline double square_of(double x) { return x * x; }

/* Rows and columns of a tile that combine transposes before it adds the tile. */
enum { COMBINE_TILE = 32 };

#define CBLAS(name) JOIN3(cblas_, LETTER, name)
#define LAPACKE(name) JOIN3(LAPACKE_, LETTER, name)
#define EPSILON (sizeof(REAL) == sizeof(float) ? 0x1p-24 : 0x1p-53)
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
#define SUFFIX
#define TYPE_BODY "local/kernels_body.h"
#include "local/types.h"

const struct hy_kernels *hy_kernels_of(hyla_type type) {
  switch (type) {
  case HYLA_FLOAT: return &kernels_s;
  case HYLA_DOUBLE: return &kernels_d;
  case HYLA_COMPLEX: return &kernels_c;
  case HYLA_DOUBLE_COMPLEX: return &kernels_z;
  }
  return NULL;
}
