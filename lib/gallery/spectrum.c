/* Kinds with given singular values (randsvd) or eigenvalues (spd, indefinite): reflect.c multiplies
 * these diagonals by reflectors.  Their `count' values go from 1 down to 1 / condition. */
#include "gallery/gallery.h"

#include <complex.h>
#include <math.h>

enum {
  SVD = HY_RECTANGULAR | HY_RANDOM | HY_NONSINGULAR | HY_CHOSEN,
  SPD = HY_RANDOM | HY_IS_HERMITIAN | HY_DEFINITE | HY_CHOSEN
};

static double least(const struct hy_generated *g) { return 1 / hy_gallery_condition(g->k); }

static double one_large(const struct hy_generated *g, int64_t k, int64_t count) {
  (void)count;
  return k == 0 ? 1 : least(g);
}

static double one_small(const struct hy_generated *g, int64_t k, int64_t count) {
  return k == 0 || k < count - 1 ? 1 : least(g);
}

static double geometric(const struct hy_generated *g, int64_t k, int64_t count) {
  return k == 0 ? 1 : pow(least(g), (double)k / (double)(count - 1));
}

static double arithmetic(const struct hy_generated *g, int64_t k, int64_t count) {
  return k == 0 ? 1 : 1 - (double)k / (double)(count - 1) * (1 - least(g));
}

/* The logarithms are uniform; the first and the last value are the ends of the range. */
static double log_random(const struct hy_generated *g, int64_t k, int64_t count) {
  if (k == 0) return 1;
  return k == count - 1 ? least(g) : pow(least(g), 0.5 + creal(hy_random_entry(g, k, -100)));
}

/* Steps of 20 equal values. */
static double stairs(const struct hy_generated *g, int64_t k, int64_t count) {
  enum { STEP = 20 };
  (void)count;
  return fmax(least(g), pow(10, -.6 * (double)(k / STEP)));
}

static double alternating(const struct hy_generated *g, int64_t k, int64_t count) {
  return k % 2 == 0 ? geometric(g, k, count) : -geometric(g, k, count);
}

static double half(const struct hy_generated *g, int64_t k, int64_t count) {
  (void)g;
  return 2 * k < count ? 1 : 0;
}

static double all_one(const struct hy_generated *g, int64_t k, int64_t count) {
  (void)g, (void)k, (void)count;
  return 1;
}

static void half_facts(int64_t n, hyla_properties *known) {
  known->rank = hy_ceil_div(n, 2);
  known->condition = 1;
}

#define REFLECTED(name, text, reference, known, dependent, k_of_count, count)                      \
  {                                                                                                \
    .is = {name, text, reference}, .traits = known, .facts = dependent, .entry = hy_reflect_entry, \
    .diagonal = k_of_count, .reflectors = count                                                    \
  }

const struct hy_kind hy_spectrum_kinds[] = {
    REFLECTED("randsvd-large", "singular values 1, 1/c, ..., 1/c", "demmel-1989, mode 1", SVD, NULL,
              one_large, 4),
    REFLECTED("randsvd-small", "singular values 1, ..., 1, 1/c", "demmel-1989, mode 2", SVD, NULL,
              one_small, 4),
    REFLECTED("randsvd-geometric", "singular values c^(-k / (n - 1))", "demmel-1989, mode 3", SVD,
              NULL, geometric, 4),
    REFLECTED("randsvd-arithmetic", "singular values 1 - k (1 - 1/c) / (n - 1)",
              "demmel-1989, mode 4", SVD, NULL, arithmetic, 4),
    REFLECTED("randsvd-log", "singular values with random logarithms, ends 1 and 1/c",
              "demmel-1989, mode 5", SVD, NULL, log_random, 4),
    REFLECTED("staircase", "singular values 10^(-.6 floor(k / 20)), from 1/c on",
              "stewart-1999, devil's stairs", HY_RECTANGULAR | HY_RANDOM | HY_NONSINGULAR, NULL,
              stairs, 4),
    REFLECTED("spd-large", "eigenvalues 1, 1/c, ..., 1/c", "demmel-1989, mode 1", SPD, NULL,
              one_large, 4),
    REFLECTED("spd-small", "eigenvalues 1, ..., 1, 1/c", "demmel-1989, mode 2", SPD, NULL,
              one_small, 4),
    REFLECTED("spd-geometric", "eigenvalues c^(-k / (n - 1))", "demmel-1989, mode 3", SPD, NULL,
              geometric, 4),
    REFLECTED("spd-arithmetic", "eigenvalues 1 - k (1 - 1/c) / (n - 1)", "demmel-1989, mode 4", SPD,
              NULL, arithmetic, 4),
    REFLECTED("spd-log", "eigenvalues with random logarithms, ends 1 and 1/c",
              "demmel-1989, mode 5", SPD, NULL, log_random, 4),
    REFLECTED("indefinite", "eigenvalues (-1)^k c^(-k / (n - 1))", "demmel-1989, mode 3",
              HY_RANDOM | HY_IS_HERMITIAN | HY_NONSINGULAR | HY_CHOSEN, NULL, alternating, 4),
    REFLECTED("deficient", "singular values 1, ..., 1, 0, ..., 0, half of them 0",
              "demmel-1989, rank", HY_RECTANGULAR | HY_RANDOM, half_facts, half, 4),
    REFLECTED("random-unitary", "a product of four reflectors", "demmel-1989, xLAROR",
              HY_RANDOM | HY_UNITARY, NULL, all_one, 4),
    REFLECTED("householder", "I - 2 w w^H / (w^H w), w random", "golub-2013, section 5.1",
              HY_RANDOM | HY_IS_HERMITIAN | HY_UNITARY, NULL, all_one, 1),
    {.entry = NULL}};
