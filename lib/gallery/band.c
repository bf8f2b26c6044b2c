/* Banded matrices. */
#include "gallery/gallery.h"

#include <math.h>

static double tridiagonal(int64_t i, int64_t j) {
  return i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
}

/* The eigenvalues are 4 sin^2(k pi / (2n + 2)), k = 1 ... n. */
static void tridiagonal_facts(int64_t n, hyla_properties *known) {
  double ratio = hy_sine(n, 2 * n + 2) / hy_sine(1, 2 * n + 2);
  known->condition = n > 0 ? ratio * ratio : 1;
}

/* The smallest w with w^2 >= n. */
static int64_t width_of(int64_t n) {
  int64_t w = (int64_t)sqrt((double)n);
  while (w * w < n) w++;
  while (w > 0 && (w - 1) * (w - 1) >= n) w--;
  return w;
}

static double _Complex poisson(const struct hy_generated *g, int64_t i, int64_t j) {
  int64_t w = width_of(g->n), apart = i < j ? j - i : i - j;
  if (apart == 0) return 4;
  return apart == w || (apart == 1 && i / w == j / w) ? -1 : 0;
}

/* On a square grid of w x w points the eigenvalues reach from 4 - 4 cos t to 4 + 4 cos t,
 * t = pi / (w + 1).  Other n have an incomplete last row, and no closed form is known. */
static void poisson_facts(int64_t n, hyla_properties *known) {
  int64_t w = width_of(n);
  known->lower = known->upper = w;
  double ratio = hy_cosine(1, 2 * w + 2) / hy_sine(1, 2 * w + 2);
  if (w * w == n) known->condition = n > 0 ? ratio * ratio : 1;
}

static double _Complex clement(const struct hy_generated *g, int64_t i, int64_t j) {
  if (i != j + 1 && j != i + 1) return 0;
  double k = (double)hy_max(i, j);
  return sqrt(k * ((double)g->n - k));
}

/* The eigenvalues are n - 1, n - 3, ..., 1 - n. */
static void clement_facts(int64_t n, hyla_properties *known) {
  known->rank = n - n % 2;
  known->condition = n > 0 ? (double)(n - 1) : 1;
}

static double lesp(int64_t i, int64_t j) {
  if (i == j) return -(double)(2 * i + 5);
  return i == j + 1 ? 1 / (double)(i + 1) : j == i + 1 ? (double)(i + 2) : 0;
}

static double _Complex dorr(const struct hy_generated *g, int64_t i, int64_t j) {
  const double theta = 0.01;
  double n = (double)g->n, h = 1 / (n + 1), term = theta / (h * h);
  double drift = (0.5 - (double)(i + 1) * h) / h;
  bool early = i < (g->n + 1) / 2;
  double below = early ? -term : -term + drift, above = early ? -term - drift : -term;
  if (i == j) return -(below + above);
  return i == j + 1 ? below : j == i + 1 ? above : 0;
}

static double _Complex wilkinson(const struct hy_generated *g, int64_t i, int64_t j) {
  if (i == j) return fabs((double)(g->n - 1) / 2 - (double)i);
  return i == j + 1 || j == i + 1 ? 1 : 0;
}

/* W21+ along the diagonal, two of them joined by one entry. */
static double glued(int64_t i, int64_t j, double glue) {
  enum { ORDER = 21 };
  if (i == j) return fabs((double)(ORDER / 2 - i % ORDER));
  if (i != j + 1 && j != i + 1) return 0;
  return hy_max(i, j) % ORDER == 0 ? glue : 1;
}

static double glued_14(int64_t i, int64_t j) { return glued(i, j, 1e-14); }
static double glued_11(int64_t i, int64_t j) { return glued(i, j, 1e-11); }
static double glued_8(int64_t i, int64_t j) { return glued(i, j, 1e-8); }
static double glued_5(int64_t i, int64_t j) { return glued(i, j, 1e-5); }
static double glued_2(int64_t i, int64_t j) { return glued(i, j, 1e-2); }

static double jordan(int64_t i, int64_t j) { return i == j || j == i + 1 ? 1 : 0; }

/* The singular values are 2 cos(k pi / (2n + 1)), k = 1 ... n. */
static void jordan_facts(int64_t n, hyla_properties *known) {
  known->condition = n > 0 ? hy_cosine(1, 2 * n + 1) / hy_cosine(n, 2 * n + 1) : 1;
}

static double grcar(int64_t i, int64_t j) { return i == j + 1 ? -1 : i <= j && j <= i + 3 ? 1 : 0; }
static void grcar_facts(int64_t n, hyla_properties *known) { known->upper = hy_min(n, 3); }

static double pentadiagonal(int64_t i, int64_t j) {
  static const double by[] = {1, -10, 0, 10, 1};
  return j - i < -2 || j - i > 2 ? 0 : by[j - i + 2];
}

static void pentadiagonal_facts(int64_t n, hyla_properties *known) {
  known->lower = known->upper = hy_min(n, 2);
}

/* A block has the eigenvalues 0, 1020, 1000 (twice), 510 +- 100 sqrt(26), +- 10 sqrt(10405). */
enum { ROSSER = 8 };

static double rosser(int64_t i, int64_t j) {
  static const double block[ROSSER][ROSSER] = {
      {611, 196, -192, 407, -8, -52, -49, 29}, {196, 899, 113, -192, -71, -43, -8, -44},
      {-192, 113, 899, 196, 61, 49, 8, 52},    {407, -192, 196, 611, 8, 44, 59, -23},
      {-8, -71, 61, 8, 411, -599, 208, 208},   {-52, -43, 49, 44, -599, 411, 208, 208},
      {-49, -8, 8, 59, 208, 208, 99, -911},    {29, -44, 52, -23, 208, 208, -911, 99}};
  return i / ROSSER == j / ROSSER ? block[i % ROSSER][j % ROSSER] : 0;
}

static void rosser_facts(int64_t n, hyla_properties *known) {
  known->lower = known->upper = ROSSER - 1;
  known->rank = n - n / ROSSER;
}

enum { POSITIVE = HY_REAL_SYMMETRIC | HY_DEFINITE };

const struct hy_kind hy_band_kinds[] = {
    HY_FORMULA("tridiagonal", "2, beside the diagonal -1", "higham-2002, section 28.5",
               HY_RECTANGULAR | POSITIVE | HY_TRIDIAGONAL, tridiagonal_facts, tridiagonal),
    HY_KIND("poisson", "4, -1 for neighbours on a grid of n points", "golub-2013, section 4.8",
            POSITIVE, poisson_facts, poisson),
    HY_KIND("clement", "sqrt(k (n - k)), k = max(i, j), if |i - j| = 1", "higham-1995, clement",
            HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, clement_facts, clement),
    HY_FORMULA("lesp", "-(2i + 5), beside it 1 / (i + 1) and i + 2", "higham-1995, lesp",
               HY_RECTANGULAR | HY_TRIDIAGONAL | HY_NONSINGULAR, NULL, lesp),
    HY_KIND("dorr", "of a boundary value problem, dominant by rows", "higham-1995, dorr",
            HY_TRIDIAGONAL | HY_NONSINGULAR, NULL, dorr),
    HY_KIND("wilkinson", "|(n - 1) / 2 - i|, beside it 1", "wilkinson-1965, page 308",
            HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, NULL, wilkinson),
    HY_FORMULA("glued-2", "W21+ along the diagonal, joined by 1e-2", "demmel-2008, section 4",
               HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, NULL, glued_2),
    HY_FORMULA("glued-5", "W21+ along the diagonal, joined by 1e-5", "demmel-2008, section 4",
               HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, NULL, glued_5),
    HY_FORMULA("glued-8", "W21+ along the diagonal, joined by 1e-8", "demmel-2008, section 4",
               HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, NULL, glued_8),
    HY_FORMULA("glued-11", "W21+ along the diagonal, joined by 1e-11", "demmel-2008, section 4",
               HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, NULL, glued_11),
    HY_FORMULA("glued-14", "W21+ along the diagonal, joined by 1e-14", "demmel-2008, section 4",
               HY_REAL_SYMMETRIC | HY_TRIDIAGONAL, NULL, glued_14),
    HY_FORMULA("jordan", "1 if i = j or i + 1 = j", "higham-1995, jordbloc",
               HY_RECTANGULAR | HY_UPPER | HY_TRIDIAGONAL | HY_NONSINGULAR, jordan_facts, jordan),
    HY_FORMULA("grcar", "-1 if i = j + 1, 1 if i <= j <= i + 3", "higham-1995, grcar",
               HY_RECTANGULAR | HY_HESSENBERG | HY_NONSINGULAR, grcar_facts, grcar),
    HY_FORMULA("toeppen", "1, -10, 0, 10, 1 by diagonals", "higham-1995, toeppen", HY_RECTANGULAR,
               pentadiagonal_facts, pentadiagonal),
    HY_FORMULA("rosser", "Rosser's 8 x 8 matrix along the diagonal", "higham-1995, rosser",
               HY_REAL_SYMMETRIC, rosser_facts, rosser),
    {.entry = NULL}};
