/* Several banded matrices at once: what exchanges and broadcasts have in common.  Private to
 * band_matrices.c and band_broadcast.c. */
#ifndef HY_BANDS_H
#define HY_BANDS_H 1

#include "collective/matching.h"

/* NULL where the problem has a band and blocks of equal length, else the reason. */
const char *hy_bands_refuse(const void *problem);

/* Columns within the band of one matrix, its own too. */
int64_t hy_bands_width(const struct hy_collective *collective);

/* What was counted; steps -1: there was no memory for it, and there is no form. */
static inline struct hy_form hy_bands_form(int64_t steps, int64_t packets) {
  return (struct hy_form){steps, {steps, 1}, packets, steps < 0 ? 0 : 1};
}

#endif
