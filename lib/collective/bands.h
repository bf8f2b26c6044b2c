/* Several banded matrices at once: the common part of exchanges and broadcasts.  Private to
 * band_matrices.c and band_broadcast.c. */
#ifndef HY_BANDS_H
#define HY_BANDS_H 1

#include "collective/matching.h"

/* Returns NULL if the problem has a band and blocks of equal length, otherwise the reason. */
const char *hy_bands_refuse(const void *problem);

/* The number of columns within the band around one column of one matrix, itself included. */
int64_t hy_bands_width(const struct hy_collective *collective);

/* A form from counted steps; steps -1: there was no memory to count, and there is no form. */
static inline struct hy_form hy_bands_form(int64_t steps, int64_t packets) {
  return (struct hy_form){steps, {steps, 1}, packets, steps < 0 ? 0 : 1};
}

#endif
