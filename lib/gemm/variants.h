/* The list of multiply variants.  Among equally fast variants the first one is chosen. */
#ifndef HY_GEMM_VARIANTS_H
#define HY_GEMM_VARIANTS_H 1

#define HY_GEMM_VARIANTS(ROW)                                                                      \
  ROW(hy_gemm_cannon)                                                                              \
  ROW(hy_gemm_dekel)                                                                               \
  ROW(hy_gemm_reflect)                                                                             \
  ROW(hy_gemm_outer)                                                                               \
  ROW(hy_gemm_outer_pipelined)                                                                     \
  ROW(hy_gemm_fox)                                                                                 \
  ROW(hy_gemm_summa)                                                                               \
  ROW(hy_gemm_summa_a)                                                                             \
  ROW(hy_gemm_summa_b)                                                                             \
  ROW(hy_gemm_word)                                                                                \
  ROW(hy_gemm_berntsen)                                                                            \
  ROW(hy_gemm_cannon25d)                                                                           \
  ROW(hy_gemm_all3d)                                                                               \
  ROW(hy_gemm_dns)                                                                                 \
  ROW(hy_gemm_hje)                                                                                 \
  ROW(hy_gemm_fixed)

#endif
