/* Singular matrices with an exact zero pivot, matrices of rank one, and badly scaled ones. */
#include "gallery/gallery.h"

#include <complex.h>
#include <math.h>

/* The identity, with row n - 2 the sum of the rows above it: elimination is exact and finds 0 in
 * column n - 2. */
static double _Complex singular(const struct hy_generated *g, int64_t i, int64_t j) {
  int64_t row = hy_max(g->n - 2, 0);
  return i == row ? (j < row ? 1 : 0) : i == j ? 1 : 0;
}

static void singular_facts(int64_t n, hyla_properties *known) {
  known->rank = hy_max(n - 1, 0);
  known->condition = 1;
  known->lower = n - 2;
}

static double _Complex rank_one(const struct hy_generated *g, int64_t i, int64_t j) {
  if (g->k->complex_type) return hy_random_entry(g, i, -1) * hy_random_entry(g, j, -2);
  return creal(hy_random_entry(g, i, -1)) * creal(hy_random_entry(g, j, -2));
}

static void rank_one_facts(int64_t n, hyla_properties *known) {
  known->rank = hy_min(n, 1);
  known->condition = 1;
}

static bool single(const struct hy_generated *g) { return g->k->epsilon > 0x1p-30; }

/* Falls from 1 to 2^-(bits of the type) at the last of `count' values, by powers of two. */
static double graded(const struct hy_generated *g, int64_t k, int64_t count) {
  int64_t bits = single(g) ? 24 : 53;
  return ldexp(1, -(int)(bits * k / hy_max(count - 1, 1)));
}

static double _Complex graded_rows(const struct hy_generated *g, int64_t i, int64_t j) {
  return graded(g, i, g->m) * hy_random_entry(g, i, j);
}

static double _Complex graded_columns(const struct hy_generated *g, int64_t i, int64_t j) {
  return graded(g, j, g->n) * hy_random_entry(g, i, j);
}

/* Bits of the exponent kept free for sums and growth: those of the size squared. */
static int reserve(const struct hy_generated *g) {
  int bits = 0;
  while (INT64_C(1) << bits <= hy_max(g->m, g->n)) bits++;
  return 2 * bits;
}

/* The entries are so small that rounding errors of the largest are barely normal numbers. */
static double _Complex tiny(const struct hy_generated *g, int64_t i, int64_t j) {
  int exponent = (single(g) ? -126 + 24 : -1022 + 53) + reserve(g);
  return ldexp(1, exponent) * hy_random_entry(g, i, j);
}

/* The entries are so large that sums of a row, after some growth, barely do not overflow. */
static double _Complex huge(const struct hy_generated *g, int64_t i, int64_t j) {
  int exponent = (single(g) ? 128 : 1024) - 1 - reserve(g);
  return ldexp(1, exponent) * hy_random_entry(g, i, j);
}

const struct hy_kind hy_scaled_kinds[] = {
    HY_KIND("singular", "1 if i = j, but row n - 2 is the sum of those above",
            "golub-2013, section 3.2", HY_LOWER, singular_facts, singular),
    HY_KIND("rank-one", "u v^T, u and v random", "golub-2013, section 2.1",
            HY_RECTANGULAR | HY_RANDOM, rank_one_facts, rank_one),
    HY_KIND("graded-rows", "r(i, j), rows from 1 down to u", "higham-2002, section 9.7",
            HY_RECTANGULAR | HY_RANDOM, NULL, graded_rows),
    HY_KIND("graded-columns", "r(i, j), columns from 1 down to u", "higham-2002, section 9.7",
            HY_RECTANGULAR | HY_RANDOM, NULL, graded_columns),
    HY_KIND("tiny", "r(i, j) near the smallest normal number", "demmel-1989, scaling",
            HY_RECTANGULAR | HY_RANDOM, NULL, tiny),
    HY_KIND("huge", "r(i, j) near the largest number", "demmel-1989, scaling",
            HY_RECTANGULAR | HY_RANDOM, NULL, huge),
    {.entry = NULL}};
