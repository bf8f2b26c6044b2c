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

#define FOR(name) name##_plain
#define TARGET
#include "local/secular_body.h"
#undef FOR
#undef TARGET

#if defined(__x86_64__) && defined(__GNUC__)
#define HY_VECTORS
#define FOR(name) name##_32
#define TARGET __attribute__((target("avx2")))
#include "local/secular_body.h"
#undef FOR
#undef TARGET
#define FOR(name) name##_64
#define TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#include "local/secular_body.h"
#undef FOR
#undef TARGET
#endif

const struct hy_secular_kernels *hy_secular_of(int bytes) {
#ifdef HY_VECTORS
  if (bytes == 64) return __builtin_cpu_supports("avx512f") ? &kernels_64 : NULL;
  if (bytes == 32) return __builtin_cpu_supports("avx2") ? &kernels_32 : NULL;
#else
  if (bytes != 0) return NULL;
#endif
  return &kernels_plain;
}

const struct hy_secular_kernels *hy_secular_best(void) {
  const struct hy_secular_kernels *best = hy_secular_of(64);
  if (best == NULL) best = hy_secular_of(32);
  return best != NULL ? best : &kernels_plain;
}
