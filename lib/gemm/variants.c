/* The list of multiply variants.  The first of equally fast ones is chosen. */
#include "gemm/gemm.h"

/* One row a variant. */
// clang-format off
static const struct hy_variant *const LIST[] = {
    &hy_gemm_cannon.row,
    &hy_gemm_dekel.row,
    &hy_gemm_reflect.row,
    &hy_gemm_outer.row,
    &hy_gemm_outer_pipelined.row,
    &hy_gemm_summa.row,
    &hy_gemm_summa_a.row,
    &hy_gemm_summa_b.row,
    &hy_gemm_word.row,
    &hy_gemm_berntsen.row,
    &hy_gemm_all3d.row,
    &hy_gemm_dns.row,
    &hy_gemm_hje.row,
    NULL,
};
// clang-format on

const struct hy_family hy_gemm_family = {"gemm", LIST};
