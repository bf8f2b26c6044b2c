/* The list of matrix-vector variants.  Among equally fast variants the first one is chosen. */
#ifndef HY_GEMM_GEMV_VARIANTS_H
#define HY_GEMM_GEMV_VARIANTS_H 1

#define HY_GEMV_VARIANTS(ROW)                                                                      \
  ROW(hy_gemv_rows)                                                                                \
  ROW(hy_gemv_columns)                                                                             \
  ROW(hy_gemv_blocks)                                                                              \
  ROW(hy_gemv_tree)                                                                                \
  ROW(hy_gemv_copies)                                                                              \
  ROW(hy_gemv_sweep)

#endif
