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

#define ENTRY float
#define REAL float
#define COMPLEX_TYPE 0
#define CBLAS(name) JOIN(cblas_s, name)
#define LAPACKE(name) LAPACKE_s##name
#define NAME(name) name##_s
#define LETTER "s"
#define GER ger
#define GERC ger
#define HEMV symv
#define HERK syrk
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
#define GERC ger
#define HEMV symv
#define HERK syrk
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
#define GERC gerc
#define HEMV hemv
#define HERK herk
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
#define GERC gerc
#define HEMV hemv
#define HERK herk
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
