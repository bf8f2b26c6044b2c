/* The list of variants of triangular systems, in order: of equally fast variants the first is
 * chosen. */
#ifndef HY_TRSM_VARIANTS_H
#define HY_TRSM_VARIANTS_H 1

#define HY_TRSM_VARIANTS(ROW)                                                                      \
  ROW(hy_trsm_panels)                                                                              \
  ROW(hy_trsm_inverted)                                                                            \
  ROW(hy_trsm_stationary)                                                                          \
  ROW(hy_trsm_sweep)                                                                               \
  ROW(hy_trsm_brought)                                                                             \
  ROW(hy_trsm_gathered)                                                                            \
  ROW(hy_trsm_fan_in)                                                                              \
  ROW(hy_trsm_span_tree)                                                                           \
  ROW(hy_trsm_span_gather)                                                                         \
  ROW(hy_trsm_fixed)

#endif
