/* The family of matrix-vector variants, from its list. */
#include "gemm/gemv_variants.h"
#include "gemm/gemv.h"

#define DECLARE(row) extern const struct hy_variant row;
HY_GEMV_VARIANTS(DECLARE)
#undef DECLARE

#define POINTER(row) &row,
static const struct hy_variant *const LIST[] = {HY_GEMV_VARIANTS(POINTER) NULL};
#undef POINTER

const struct hy_family hy_gemv_family = {.name = "gemv", .rows = LIST};
