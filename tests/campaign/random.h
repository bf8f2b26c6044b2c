/* Numbers drawn from a seed, for campaigns: the same everywhere (SplitMix64). */
#ifndef CAMPAIGN_RANDOM_H
#define CAMPAIGN_RANDOM_H 1

#include <stddef.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t x = *state;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* From 0 to limit - 1. */
static inline size_t random_below(uint64_t *state, size_t limit) {
  return (size_t)(random_next(state) % limit);
}

#endif
