/* Ill-conditioned matrices from interpolation and approximation, and their inverses: Hilbert,
 * Cauchy, Vandermonde, Pascal and others. */
#include "gallery/gallery.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double hilbert(int64_t i, int64_t j) { return 1 / (double)(i + j + 1); }

static double _Complex inverse_hilbert(const struct hy_generated *g, int64_t i, int64_t j) {
  double middle = hy_binomial(i + j, i);
  double sides = hy_binomial(g->n + i, g->n - 1 - j) * hy_binomial(g->n + j, g->n - 1 - i);
  double size = (double)(i + j + 1) * sides * (middle * middle);
  return (i + j) % 2 == 0 ? size : -size;
}

static double lotkin(int64_t i, int64_t j) { return i == 0 ? 1 : 1 / (double)(i + j + 1); }
static double cauchy(int64_t i, int64_t j) { return 1 / (double)(i + j + 2); }
static double parter(int64_t i, int64_t j) { return 1 / ((double)(i - j) + 0.5); }

static double _Complex ris(const struct hy_generated *g, int64_t i, int64_t j) {
  return 0.5 / ((double)(g->n - i - j) - 0.5);
}

static double _Complex vandermonde(const struct hy_generated *g, int64_t i, int64_t j) {
  return pow((double)(j + 1) / (double)g->n, (double)i);
}

static double _Complex chebyshev_vandermonde(const struct hy_generated *g, int64_t i, int64_t j) {
  return cos((double)i * acos((double)j / (double)hy_max(g->n - 1, 1)));
}

/* Differentiation on the points cos(pi k / n), k = 1 ... n, with boundary condition 0 at k = 0. */
static double _Complex chebyshev_spectral(const struct hy_generated *g, int64_t i, int64_t j) {
  int64_t n = g->n, k = i + 1, l = j + 1;
  if (k == l && k == n) return -(2 * (double)n * (double)n + 1) / 6;
  if (k == l) return -hy_cosine(k, n) / (2 * hy_sine(k, n) * hy_sine(k, n));
  double weight = (k == n ? 2.0 : 1.0) / (l == n ? 2.0 : 1.0);
  double difference = 2 * hy_sine(k + l, 2 * n) * hy_sine(l - k, 2 * n);
  return ((k + l) % 2 == 0 ? weight : -weight) / difference;
}

/* The entry is sin(2 pi w k) / (pi k) for k = i - j, w = 1/4. */
static double prolate(int64_t i, int64_t j) {
  int64_t k = i < j ? j - i : i - j;
  if (k == 0) return 0.5;
  return k % 2 == 0 ? 0 : (k % 4 == 1 ? 1 : -1) / (PI * (double)k);
}

static double pascal(int64_t i, int64_t j) { return hy_binomial(i + j, i); }

static double pascal_triangle(int64_t i, int64_t j) {
  double size = hy_binomial(i, j);
  return j % 2 == 0 ? size : -size;
}

static double _Complex involutory(const struct hy_generated *g, int64_t i, int64_t j) {
  double n = (double)g->n, scale = -n;
  for (int64_t k = 1; k <= i && fabs(scale) < INFINITY; k++) {
    double d = (double)k;
    scale *= -(n + d) * (n - d) / (d * d);
  }
  double column = j == 0 ? -n : 1;
  return (i == 0 ? 1 : scale) * column / (double)(i + j + 1);
}

static double kahan(int64_t i, int64_t j) {
  const double angle = 1.2;
  if (i > j) return 0;
  double scale = pow(sin(angle), (double)i);
  return i == j ? scale : -cos(angle) * scale;
}

static int64_t third(int64_t n) {
  int64_t l = n >= 3 ? 1 : 0;
  while (6 * l <= n && l > 0) l *= 2;
  return l;
}

/* S [I, -H/2, 0; 0, I, H/2; 0, 0, I/c], S the powers of s = 3^(1/2) / 2 from 1 down, H Hadamard's
 * matrix of order l, the largest power of two with 3 l <= n.  What is left of the diagonal is S. */
static double _Complex kahan_extended(const struct hy_generated *g, int64_t i, int64_t j) {
  const int64_t l = third(g->n);
  const double scale = pow(sqrt(.75), (double)i);
  if (i == j) return i >= 2 * l && i < 3 * l ? scale / hy_gallery_condition(g->k) : scale;
  if (i >= 2 * l || j >= 3 * l || i / l + 1 != j / l) return 0;
  bool negative = i < l;
  for (int64_t both = (i % l) & (j % l); both > 0; both &= both - 1) negative = !negative;
  return negative ? -scale / 2 : scale / 2;
}

static void kahan_extended_facts(int64_t n, hyla_properties *known) {
  known->upper = 2 * third(n) - 1;
}

static double _Complex frank(const struct hy_generated *g, int64_t i, int64_t j) {
  return i > j + 1 ? 0 : (double)(g->n - hy_max(i, j));
}

static double _Complex lauchli(const struct hy_generated *g, int64_t i, int64_t j) {
  return i == 0 ? 1 : i == j + 1 ? 1 / hy_gallery_condition(g->k) : 0;
}

enum { POSITIVE = HY_REAL_SYMMETRIC | HY_DEFINITE };

const struct hy_kind hy_inverse_kinds[] = {
    HY_FORMULA("hilbert", "1 / (i + j + 1)", "higham-2002, section 28.1", HY_RECTANGULAR | POSITIVE,
               NULL, hilbert),
    HY_KIND("invhilb", "the inverse of hilbert, whole numbers", "higham-2002, section 28.1",
            POSITIVE, NULL, inverse_hilbert),
    HY_FORMULA("lotkin", "hilbert with a first row of ones", "higham-1995, lotkin",
               HY_RECTANGULAR | HY_NONSINGULAR, NULL, lotkin),
    HY_FORMULA("cauchy", "1 / (i + j + 2)", "higham-2002, section 28.1", HY_RECTANGULAR | POSITIVE,
               NULL, cauchy),
    HY_FORMULA("parter", "1 / (i - j + 1/2)", "higham-1995, parter",
               HY_RECTANGULAR | HY_NONSINGULAR, NULL, parter),
    HY_KIND("ris", "1/2 / (n - i - j - 1/2)", "higham-1995, ris",
            HY_REAL_SYMMETRIC | HY_NONSINGULAR, NULL, ris),
    HY_KIND("vandermonde", "((j + 1) / n)^i", "higham-2002, chapter 22",
            HY_RECTANGULAR | HY_NONSINGULAR, NULL, vandermonde),
    HY_KIND("chebvand", "Chebyshev's T_i at j / (n - 1)", "higham-1995, chebvand",
            HY_RECTANGULAR | HY_NONSINGULAR, NULL, chebyshev_vandermonde),
    HY_KIND("chebspec", "differentiates at cos(pi k / n), k = 1 ... n", "higham-1995, chebspec",
            HY_NONSINGULAR, NULL, chebyshev_spectral),
    HY_FORMULA("prolate", "sin(pi (i - j) / 2) / (pi (i - j))", "higham-1995, prolate",
               HY_RECTANGULAR | POSITIVE, NULL, prolate),
    HY_FORMULA("pascal", "i + j choose i", "higham-2002, section 28.4", HY_RECTANGULAR | POSITIVE,
               NULL, pascal),
    HY_FORMULA("pascal-triangle", "(-1)^j (i choose j), its own inverse",
               "higham-2002, section 28.4", HY_RECTANGULAR | HY_LOWER | HY_NONSINGULAR, NULL,
               pascal_triangle),
    HY_KIND("invol", "hilbert scaled to be its own inverse", "higham-1995, invol", HY_NONSINGULAR,
            NULL, involutory),
    HY_FORMULA("kahan", "s^i if i = j, -c s^i if i < j; s, c of 1.2", "higham-2002, section 8.3",
               HY_RECTANGULAR | HY_UPPER | HY_NONSINGULAR, NULL, kahan),
    HY_KIND("kahan-extended", "s^i R, R's blocks I, -H/2; I, H/2; I/c; H of Hadamard",
            "gu-1996, section 6", HY_UPPER | HY_NONSINGULAR, kahan_extended_facts, kahan_extended),
    HY_KIND("frank", "n - max(i, j) if i <= j + 1", "higham-1995, frank",
            HY_HESSENBERG | HY_NONSINGULAR, NULL, frank),
    HY_KIND("lauchli", "1 if i = 0, 1/c if i = j + 1", "higham-1995, lauchli",
            HY_RECTANGULAR | HY_HESSENBERG | HY_NONSINGULAR, NULL, lauchli),
    {.entry = NULL}};
