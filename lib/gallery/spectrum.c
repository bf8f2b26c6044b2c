/* Kinds with given singular values (randsvd) and eigenvalues (spd, indefinite): the diagonals that
 * reflect.c surrounds with reflectors.  `count` values from 1 down to 1 / condition. */
#include "gallery/gallery.h"

#include <complex.h>
#include <math.h>

enum {
  SVD = HY_RECTANGULAR | HY_RANDOM | HY_NONSINGULAR,
  SPD = HY_RANDOM | HY_HERMITIAN | HY_DEFINITE
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

/* Logarithms uniform; the first and the last value are the ends. */
static double log_random(const struct hy_generated *g, int64_t k, int64_t count) {
  if (k == 0) return 1;
  return k == count - 1 ? least(g) : pow(least(g), 0.5 + creal(hy_random_entry(g, k, -100)));
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

static void chosen(int64_t n, double condition, hyla_properties *known) {
  known->condition = n > 1 ? condition : 1;
}

static void half_facts(int64_t n, double condition, hyla_properties *known) {
  (void)condition;
  known->rank = hy_ceil_div(n, 2);
  known->condition = n > 1 ? INFINITY : 1;
}

const struct hy_kind hy_spectrum_kinds[] = {
    {.is = {"randsvd-large", "singular values 1, 1/c, ..., 1/c", "demmel-1989, mode 1"},
     .traits = SVD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = one_large,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"randsvd-small", "singular values 1, ..., 1, 1/c", "demmel-1989, mode 2"},
     .traits = SVD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = one_small,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"randsvd-geometric", "singular values c^(-k / (n - 1))", "demmel-1989, mode 3"},
     .traits = SVD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = geometric,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"randsvd-arithmetic", "singular values 1 - k (1 - 1/c) / (n - 1)",
            "demmel-1989, mode 4"},
     .traits = SVD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = arithmetic,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"randsvd-log", "singular values with random logarithms, ends 1 and 1/c",
            "demmel-1989, mode 5"},
     .traits = SVD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = log_random,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"spd-large", "eigenvalues 1, 1/c, ..., 1/c", "demmel-1989, mode 1"},
     .traits = SPD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = one_large,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"spd-small", "eigenvalues 1, ..., 1, 1/c", "demmel-1989, mode 2"},
     .traits = SPD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = one_small,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"spd-geometric", "eigenvalues c^(-k / (n - 1))", "demmel-1989, mode 3"},
     .traits = SPD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = geometric,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"spd-arithmetic", "eigenvalues 1 - k (1 - 1/c) / (n - 1)", "demmel-1989, mode 4"},
     .traits = SPD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = arithmetic,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"spd-log", "eigenvalues with random logarithms, ends 1 and 1/c", "demmel-1989, mode 5"},
     .traits = SPD,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = log_random,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"indefinite", "eigenvalues (-1)^k c^(-k / (n - 1))", "demmel-1989, mode 3"},
     .traits = HY_RANDOM | HY_HERMITIAN | HY_NONSINGULAR,
     .facts = chosen,
     .entry = hy_reflect_entry,
     .diagonal = alternating,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"deficient", "singular values 1, ..., 1, 0, ..., 0, half of them 0",
            "demmel-1989, rank"},
     .traits = HY_RECTANGULAR | HY_RANDOM,
     .facts = half_facts,
     .entry = hy_reflect_entry,
     .diagonal = half,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"random-unitary", "a product of four reflectors", "demmel-1989, xLAROR"},
     .traits = HY_RANDOM | HY_UNITARY,
     .entry = hy_reflect_entry,
     .diagonal = all_one,
     .reflectors = HY_REFLECTORS_MAX},
    {.is = {"householder", "I - 2 w w^H / (w^H w), w random", "golub-2013, section 5.1"},
     .traits = HY_RANDOM | HY_HERMITIAN | HY_UNITARY,
     .entry = hy_reflect_entry,
     .diagonal = all_one,
     .reflectors = 1},
    {.entry = NULL}};
