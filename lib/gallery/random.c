/* Random matrices, and the simplest ones.
 *
 * Method: entry (i, j) is a function of seed, i and j alone: Philox 4x32-10 with the seed as key
 * and (i, j) as counter.  Real and imaginary part take 64 random bits each.  The upper 52 bits, k,
 * give (k + 1/2) 2^-52 - 1/2, which is exact, never 0, and symmetric about 0.
 * Reference: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011 (the
 * Random123 library). */
#include "gallery/gallery.h"

#include <Random123/philox.h>
#include <complex.h>
#include <math.h>

static double uniform(uint32_t low, uint32_t high) {
  uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
  return ((double)bits + 0.5) * 0x1p-52 - 0.5;
}

/* Real and imaginary part, exact in double precision. */
static double _Complex draw(uint64_t seed, int64_t i, int64_t j) {
  philox4x32_ctr_t counter = {
      {(uint32_t)i, (uint32_t)((uint64_t)i >> 32), (uint32_t)j, (uint32_t)((uint64_t)j >> 32)}};
  philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  philox4x32_ctr_t bits = philox4x32(counter, key);
  return hy_complex(uniform(bits.v[0], bits.v[1]), uniform(bits.v[2], bits.v[3]));
}

double _Complex hy_random_entry(const struct hy_generated *g, int64_t i, int64_t j) {
  double _Complex drawn = draw(g->seed, i, j);
  return hy_complex(fmin(fmax(creal(drawn), -g->limit), g->limit),
                    fmin(fmax(cimag(drawn), -g->limit), g->limit));
}

double _Complex hy_random_hermitian(const struct hy_generated *g, int64_t i, int64_t j) {
  double _Complex low = hy_random_entry(g, hy_max(i, j), hy_min(i, j));
  return i > j ? low : i < j ? conj(low) : creal(low);
}

static double zero(int64_t i, int64_t j) { return (void)i, (void)j, 0; }
static double ones(int64_t i, int64_t j) { return (void)i, (void)j, 1; }
static double identity(int64_t i, int64_t j) { return i == j ? 1 : 0; }

static double _Complex dominant(const struct hy_generated *g, int64_t i, int64_t j) {
  double _Complex entry = hy_random_entry(g, i, j);
  return i == j ? entry + (double)g->m : entry;
}

static double _Complex definite(const struct hy_generated *g, int64_t i, int64_t j) {
  double _Complex entry = hy_random_hermitian(g, i, j);
  return i == j ? entry + (double)g->n : entry;
}

/* A normal distribution, by the method of Box and Muller. */
static double _Complex normal(const struct hy_generated *g, int64_t i, int64_t j) {
  double _Complex drawn = draw(g->seed, i, j);
  double radius = sqrt(-2 * log(creal(drawn) + 0.5)), angle = 2 * acos(-1.0) * cimag(drawn);
  return hy_complex(radius * cos(angle), radius * sin(angle));
}

static double _Complex signs(const struct hy_generated *g, int64_t i, int64_t j) {
  return creal(draw(g->seed, i, j)) > 0 ? 1 : -1;
}

static double _Complex triangular(const struct hy_generated *g, int64_t i, int64_t j) {
  return i < j ? 0 : i == j ? 1 : hy_random_entry(g, i, j);
}

static double _Complex hessenberg(const struct hy_generated *g, int64_t i, int64_t j) {
  return i > j + 1 ? 0 : hy_random_entry(g, i, j);
}

static double _Complex tridiagonal(const struct hy_generated *g, int64_t i, int64_t j) {
  return i > j + 1 || j > i + 1 ? 0 : hy_random_entry(g, i, j);
}

static double _Complex toeplitz(const struct hy_generated *g, int64_t i, int64_t j) {
  return hy_random_entry(g, i - j, 0);
}

static double _Complex hankel(const struct hy_generated *g, int64_t i, int64_t j) {
  return hy_random_entry(g, i + j, 0);
}

static void zero_facts(int64_t n, hyla_properties *known) {
  (void)n;
  known->rank = 0;
  known->condition = 1;
}

static void ones_facts(int64_t n, hyla_properties *known) {
  known->rank = hy_min(n, 1);
  known->condition = 1;
}

/* The first kinds stand in the order of hyla_generator. */
const struct hy_kind hy_random_kinds[] = {
    HY_FORMULA("zero", "0", "golub-2013, section 1.2", HY_RECTANGULAR | HY_DIAGONAL, zero_facts,
               zero),
    HY_FORMULA("ones", "1", "golub-2013, section 1.2", HY_RECTANGULAR | HY_REAL_SYMMETRIC,
               ones_facts, ones),
    HY_FORMULA("identity", "1 if i = j", "golub-2013, section 1.2",
               HY_RECTANGULAR | HY_DIAGONAL | HY_DEFINITE | HY_UNITARY, NULL, identity),
    HY_KIND("random", "r(i, j), uniform in (-1/2, 1/2), both parts", "higham-2002, section 28.2",
            HY_RECTANGULAR | HY_RANDOM, NULL, hy_random_entry),
    HY_KIND("hermitian", "r(i, j) if i >= j, the rest makes A = A^H", "higham-2002, section 28.2",
            HY_RANDOM | HY_IS_HERMITIAN, NULL, hy_random_hermitian),
    HY_KIND("dominant", "r(i, j), on the diagonal + m", "higham-2002, section 28.2",
            HY_RECTANGULAR | HY_RANDOM | HY_NONSINGULAR, NULL, dominant),
    HY_KIND("definite", "hermitian, on the diagonal + n", "higham-2002, section 28.2",
            HY_RANDOM | HY_IS_HERMITIAN | HY_DEFINITE, NULL, definite),
    HY_KIND("normal", "normally distributed, both parts", "higham-2002, section 28.2",
            HY_RECTANGULAR | HY_RANDOM, NULL, normal),
    HY_KIND("signs", "1 or -1", "higham-2002, section 28.2", HY_RECTANGULAR | HY_RANDOM, NULL,
            signs),
    HY_KIND("random-triangular", "r(i, j) if i > j, 1 if i = j", "higham-2002, section 28.2",
            HY_RECTANGULAR | HY_RANDOM | HY_LOWER | HY_NONSINGULAR, NULL, triangular),
    HY_KIND("random-hessenberg", "r(i, j) if i <= j + 1", "higham-1995, randhess",
            HY_RECTANGULAR | HY_RANDOM | HY_HESSENBERG, NULL, hessenberg),
    HY_KIND("random-tridiagonal", "r(i, j) if |i - j| <= 1", "higham-2002, section 28.5",
            HY_RECTANGULAR | HY_RANDOM | HY_TRIDIAGONAL, NULL, tridiagonal),
    HY_KIND("random-toeplitz", "r(i - j)", "golub-2013, section 4.7", HY_RECTANGULAR | HY_RANDOM,
            NULL, toeplitz),
    HY_KIND("random-hankel", "r(i + j)", "golub-2013, section 4.7",
            HY_RECTANGULAR | HY_RANDOM | HY_IS_SYMMETRIC, NULL, hankel),
    {.entry = NULL}};
