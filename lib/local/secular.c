/* Sums over the terms of a secular equation: one body, compiled for three sets of instructions.
 *
 * Terms go to eight lanes in turn, whose sums are added at the end, and nothing is fused: so all
 * sets of instructions give the same bits.  Divisions take most of the time, eight of them 10
 * cycles on Zen 4. */
#include "local/kernels.h"

#include <math.h>
#include <string.h>

/* gcc fuses nothing with -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { EIGHT = 8 };
typedef double lanes __attribute__((vector_size(EIGHT * sizeof(double))));
typedef float floats __attribute__((vector_size(EIGHT * sizeof(float))));
struct eight {
  union {
    lanes lanes;
    double x[EIGHT];
  };
};
#define ALWAYS inline __attribute__((always_inline))

/* Copies up to eight numbers, and `rest' behind the last of `count'. */
static inline void tail(double to[EIGHT], const double *from, int count, double rest) {
  for (int i = 0; i < EIGHT; i++) to[i] = i < count ? from[i] : rest;
}

static ALWAYS double sum_of(const struct eight *a) {
  return ((a->x[0] + a->x[1]) + (a->x[2] + a->x[3])) + ((a->x[4] + a->x[5]) + (a->x[6] + a->x[7]));
}

#define BODY "local/secular_body.h"
#include "local/widths.h"

const struct hy_secular_kernels *hy_secular_of(int bytes) { return HY_WIDTH(kernels, bytes); }

const struct hy_secular_kernels *hy_secular_best(void) { return HY_WIDEST(kernels); }
