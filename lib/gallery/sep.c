/* The types of matrices with which LAPACK and ScaLAPACK test their symmetric eigensolvers, under
 * the numbers that they have there.
 *
 * Eigenvalues fall from 1 to u, twice the unit roundoff, and types 1 ... 12 have them with random
 * signs.  Where LAPACK takes a random unitary similarity, reflect.c takes two reflectors.  "huge"
 * and "tiny" multiply by a power of two near the square root of the type's largest, or of its
 * smallest normal number.
 * Reference: Demmel and McKenney 1989; LAPACK's dchkst, ScaLAPACK's pdseptst, which numbers 21 and
 * 22 otherwise than dchkst. */
#include "gallery/gallery.h"

#include <complex.h>
#include <math.h>

static double least(const struct hy_generated *g) { return 2 * g->k->epsilon; }

static double even(const struct hy_generated *g, int64_t k, int64_t count) {
  return k == 0 ? 1 : 1 - (double)k / (double)(count - 1) * (1 - least(g));
}

static double geometric(const struct hy_generated *g, int64_t k, int64_t count) {
  return k == 0 ? 1 : pow(least(g), (double)k / (double)(count - 1));
}

static double clustered(const struct hy_generated *g, int64_t k, int64_t count) {
  (void)count;
  return k == 0 ? 1 : least(g);
}

/* The block of index i: of 2^b rows and columns, b = 0, 1, ... */
static int block_of(int64_t i) { return hy_log2_floor((uint32_t)i + 1); }

/* Of 2^i values that differ by u, i = 0, 1, ...; the clusters lie evenly between 1 and 0. */
static double clusters(const struct hy_generated *g, int64_t k, int64_t count) {
  const int which = block_of(k), all = block_of(count - 1) + 1;
  const int64_t within = k + 1 - (INT64_C(1) << which);
  return 1 - (double)which / all + (double)within * least(g);
}

static double sign(const struct hy_generated *g, int64_t k) {
  return creal(hy_random_entry(g, k, -100)) < 0 ? -1 : 1;
}

static bool single(const struct hy_generated *g) { return g->k->epsilon > 0x1p-30; }
static double up(const struct hy_generated *g) { return ldexp(1, single(g) ? 60 : 500); }
static double down(const struct hy_generated *g) { return ldexp(1, single(g) ? -60 : -500); }

/* A law with random signs, times a scale; the same without signs. */
#define SIGNED(name, law, scale)                                                                   \
  static double name(const struct hy_generated *g, int64_t k, int64_t count) {                     \
    return scale * sign(g, k) * law(g, k, count);                                                  \
  }
#define POSITIVE(name, scale)                                                                      \
  static double name(const struct hy_generated *g, int64_t k, int64_t count) {                     \
    return scale * even(g, k, count);                                                              \
  }
SIGNED(signed_even, even, 1)
SIGNED(signed_geometric, geometric, 1)
SIGNED(signed_clustered, clustered, 1)
SIGNED(large_geometric, geometric, up(g))
SIGNED(small_geometric, geometric, down(g))
SIGNED(large_even, even, up(g))
SIGNED(small_even, even, down(g))
POSITIVE(positive_large, up(g))
POSITIVE(positive_small, down(g))

static double _Complex random_large(const struct hy_generated *g, int64_t i, int64_t j) {
  return up(g) * hy_random_hermitian(g, i, j);
}

static double _Complex random_small(const struct hy_generated *g, int64_t i, int64_t j) {
  return down(g) * hy_random_hermitian(g, i, j);
}

static double _Complex graded_blocks(const struct hy_generated *g, int64_t i, int64_t j) {
  const int block = block_of(i);
  return block == block_of(j) ? ldexp(1, -2 * block) * hy_random_hermitian(g, i, j) : 0;
}

/* A matrix whose last block is whole reaches to its corner; any other's band is that of the blocks
 * before, or of the part of the last one. */
static void graded_facts(int64_t n, hyla_properties *known) {
  if (n < 1) return;
  const int64_t last = INT64_C(1) << block_of(n - 1);
  known->lower = known->upper = hy_max(n - last, last / 2 - 1);
}

enum { SYMMETRIC = HY_RANDOM | HY_IS_HERMITIAN, DIAGONAL = HY_RANDOM | HY_DIAGONAL };

#define TYPE(name, text, known, law, count)                                                        \
  {                                                                                                \
    .is = {name, text, "demmel-1989, dchkst"}, .traits = known, .entry = hy_reflect_entry,         \
    .diagonal = law, .reflectors = count                                                           \
  }

/* Their condition, 1 / u, is lost in rounding, so none is told to be nonsingular.
 * Types 1, 2 and 13 are the kinds zero, identity and hermitian. */
const struct hy_kind hy_sep_kinds[] = {
    TYPE("sep-3", "diagonal, +-1 ... u evenly", DIAGONAL, signed_even, 0),
    TYPE("sep-4", "diagonal, +-1 ... u geometrically", DIAGONAL, signed_geometric, 0),
    TYPE("sep-5", "diagonal, +-1, +-u, ..., +-u", DIAGONAL, signed_clustered, 0),
    TYPE("sep-6", "sep-4 near the root of the largest number", DIAGONAL, large_geometric, 0),
    TYPE("sep-7", "sep-4 near the root of the smallest", DIAGONAL, small_geometric, 0),
    TYPE("sep-8", "eigenvalues of sep-3", SYMMETRIC, signed_even, 4),
    TYPE("sep-9", "eigenvalues of sep-4", SYMMETRIC, signed_geometric, 4),
    TYPE("sep-10", "eigenvalues of sep-5", SYMMETRIC, signed_clustered, 4),
    TYPE("sep-11", "sep-8 near the root of the largest number", SYMMETRIC, large_even, 4),
    TYPE("sep-12", "sep-8 near the root of the smallest", SYMMETRIC, small_even, 4),
    HY_KIND("sep-14", "hermitian near the root of the largest number", "demmel-1989, dchkst",
            SYMMETRIC, NULL, random_large),
    HY_KIND("sep-15", "hermitian near the root of the smallest", "demmel-1989, dchkst", SYMMETRIC,
            NULL, random_small),
    TYPE("sep-16", "eigenvalues 1 ... u evenly", SYMMETRIC, even, 4),
    TYPE("sep-17", "eigenvalues 1 ... u geometrically", SYMMETRIC, geometric, 4),
    TYPE("sep-18", "eigenvalues 1, u, ..., u", SYMMETRIC, clustered, 4),
    TYPE("sep-19", "sep-16 near the root of the largest number", SYMMETRIC, positive_large, 4),
    TYPE("sep-20", "sep-16 near the root of the smallest", SYMMETRIC, positive_small, 4),
    HY_KIND("sep-21", "random blocks of 2^b rows, times 4^-b, along the diagonal",
            "blackford-1997, pdseptst", SYMMETRIC, graded_facts, graded_blocks),
    TYPE("sep-22", "eigenvalues in clusters of 2^b, u apart", SYMMETRIC, clusters, 4),
    {.entry = NULL}};
