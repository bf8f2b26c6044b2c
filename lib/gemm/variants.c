/* The list of multiply variants.  The first of equally fast ones is chosen. */
#include "gemm/gemm.h"

/* One row a variant. */
// clang-format off
static const struct hy_variant *const LIST[] = {
    &hy_gemm_cannon,
    &hy_gemm_dekel,
    &hy_gemm_reflect,
    &hy_gemm_outer,
    &hy_gemm_outer_pipelined,
    &hy_gemm_summa,
    &hy_gemm_summa_a,
    &hy_gemm_summa_b,
    &hy_gemm_word,
    &hy_gemm_berntsen,
    &hy_gemm_all3d,
    &hy_gemm_dns,
    &hy_gemm_hje,
    NULL,
};
// clang-format on

const struct hy_family hy_gemm_family = {"gemm", LIST};
