/* Matrices that are constant along their diagonals, or nearly so. */
#include "gallery/gallery.h"

#include <math.h>

static double kms(int64_t i, int64_t j) { return pow(0.5, (double)(i < j ? j - i : i - j)); }
static double chow(int64_t i, int64_t j) { return j <= i + 1 ? 1 : 0; }

/* The last two rows are equal, so the matrix is singular. */
static void chow_facts(int64_t n, hyla_properties *known) {
  known->upper = 1;
  known->rank = n > 1 ? n - 1 : n;
  known->condition = 1;
}

static double dramadah(int64_t i, int64_t j) {
  if (i < j) return j - i == 1 || j - i == 3 ? 1 : 0;
  return (i - j) % 4 == 1 || (i - j) % 4 == 2 ? 0 : 1;
}

static void dramadah_facts(int64_t n, hyla_properties *known) { known->upper = hy_min(n, 3); }
static double triw(int64_t i, int64_t j) { return i > j ? 0 : i == j ? 1 : -1; }

static double _Complex circulant(const struct hy_generated *g, int64_t i, int64_t j) {
  return (double)((j - i + g->n) % g->n + 1);
}

/* The singular values are n (n + 1) / 2 and n / (2 sin(k pi / n)), k = 1 ... n - 1. */
static void circulant_facts(int64_t n, hyla_properties *known) {
  double order = (double)n, least = n > 1 ? order / (2 * hy_sine(n / 2, n)) : 1;
  double most = n > 1 ? fmax(order * (order + 1) / 2, order / (2 * hy_sine(1, n))) : 1;
  known->condition = most / least;
}

static double _Complex forsythe(const struct hy_generated *g, int64_t i, int64_t j) {
  if (i == g->n - 1 && j == 0) return 1 / hy_gallery_condition(g->k);
  return j == i + 1 ? 1 : 0;
}

static void forsythe_facts(int64_t n, hyla_properties *known) { known->upper = hy_min(n, 1); }
static double companion(int64_t i, int64_t j) { return i == 0 || i == j + 1 ? 1 : 0; }

/* The singular values are s, 1, ..., 1, 1/s with s^2 + 1/s^2 = n + 1. */
static void companion_facts(int64_t n, hyla_properties *known) {
  double sum = (double)(n + 1);
  known->condition = n > 1 ? (sum + sqrt(sum * sum - 4)) / 2 : 1;
}

static double _Complex gear(const struct hy_generated *g, int64_t i, int64_t j) {
  double corner = 0;
  if (i == 0 && j == g->n - 1) corner = 1;
  if (j == 0 && i == g->n - 1) corner = -1;
  return corner != 0 ? corner : i == j + 1 || j == i + 1 ? 1 : 0;
}

/* m = n / 2 blocks (-1, -k; k, -1), one entry of each in every quarter; an odd n adds a -1. */
static double _Complex hanowa(const struct hy_generated *g, int64_t i, int64_t j) {
  int64_t m = g->n / 2;
  if (i == j) return -1;
  return j == i + m && j < 2 * m ? -(double)(i + 1) : i == j + m && i < 2 * m ? (double)(j + 1) : 0;
}

static void hanowa_facts(int64_t n, hyla_properties *known) {
  double m = (double)(n / 2), least = n % 2 == 0 && n > 0 ? 2 : 1;
  known->lower = known->upper = n / 2;
  known->condition = sqrt((1 + m * m) / least);
}

const struct hy_kind hy_toeplitz_kinds[] = {
    HY_FORMULA("kms", "(1/2)^|i - j|", "higham-1995, kms",
               HY_RECTANGULAR | HY_REAL_SYMMETRIC | HY_DEFINITE, NULL, kms),
    HY_FORMULA("chow", "1 if j <= i + 1", "higham-1995, chow", 0, chow_facts, chow),
    HY_FORMULA("dramadah", "of zeros and ones, with a large inverse", "higham-1995, dramadah",
               HY_RECTANGULAR | HY_NONSINGULAR, dramadah_facts, dramadah),
    HY_FORMULA("triw", "1 if i = j, -1 if i < j", "higham-1995, triw",
               HY_RECTANGULAR | HY_UPPER | HY_NONSINGULAR, NULL, triw),
    HY_KIND("circulant", "(j - i mod n) + 1", "golub-2013, section 4.8", HY_NONSINGULAR,
            circulant_facts, circulant),
    HY_KIND("forsythe", "1 if i + 1 = j, 1/c in the corner", "higham-1995, forsythe",
            HY_NONSINGULAR | HY_CHOSEN, forsythe_facts, forsythe),
    HY_FORMULA("companion", "1 if i = 0 or i = j + 1", "higham-2002, section 28.6",
               HY_HESSENBERG | HY_NONSINGULAR, companion_facts, companion),
    HY_KIND("gearmat", "1 if |i - j| = 1, 1 and -1 in the corners", "higham-1995, gearmat", 0, NULL,
            gear),
    HY_KIND("hanowa", "eigenvalues -1 +- k sqrt(-1)", "higham-1995, hanowa", HY_NONSINGULAR,
            hanowa_facts, hanowa),
    {.entry = NULL}};
