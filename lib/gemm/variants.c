/* The family of multiply variants, from its list. */
#include "gemm/gemm.h"

#define POINTER(row) &row,
static const struct hy_variant *const LIST[] = {HY_GEMM_VARIANTS(POINTER) NULL};
#undef POINTER

const struct hy_family hy_gemm_family = {.name = "gemm", .rows = LIST};
