/* Orthogonal matrices in closed form.
 *
 * A unitary matrix whose largest entry is a has a growth factor of at least 1 / a^2 under every
 * pivoting strategy.  Reference: Higham and Higham, Large growth factors in Gaussian elimination
 * with pivoting, SIAM Journal on Matrix Analysis 10, 1989. */
#include "gallery/gallery.h"

#include <math.h>

static double _Complex sine(const struct hy_generated *g, int64_t i, int64_t j) {
  return sqrt(2 / (double)(g->n + 1)) * hy_sine((i + 1) * (j + 1), g->n + 1);
}

static void sine_facts(int64_t n, hyla_properties *known) { known->growth = (double)(n + 1) / 2; }

static double _Complex sine_odd(const struct hy_generated *g, int64_t i, int64_t j) {
  return 2 / sqrt((double)(2 * g->n + 1)) * hy_sine(2 * (i + 1) * (j + 1), 2 * g->n + 1);
}

static void sine_odd_facts(int64_t n, hyla_properties *known) {
  known->growth = (double)(2 * n + 1) / 4;
}

static double _Complex cosine(const struct hy_generated *g, int64_t i, int64_t j) {
  return sqrt(2 / (double)g->n) * hy_cosine((2 * i + 1) * (2 * j + 1), 4 * g->n);
}

static double _Complex cosine_transform(const struct hy_generated *g, int64_t i, int64_t j) {
  double scale = sqrt((i == 0 ? 1 : 2) / (double)g->n);
  return scale * hy_cosine(i * (2 * j + 1), 2 * g->n);
}

static double _Complex hartley(const struct hy_generated *g, int64_t i, int64_t j) {
  return (hy_cosine(2 * i * j, g->n) + hy_sine(2 * i * j, g->n)) / sqrt((double)g->n);
}

static void half_facts(int64_t n, hyla_properties *known) { known->growth = (double)n / 2; }

static double _Complex helmert(const struct hy_generated *g, int64_t i, int64_t j) {
  if (i == 0) return 1 / sqrt((double)g->n);
  double d = (double)i, scale = sqrt(d * (d + 1));
  return j < i ? 1 / scale : j == i ? -d / scale : 0;
}

/* Sylvester's matrix; it is a multiple of an orthogonal one if n is a power of two. */
static double hadamard(int64_t i, int64_t j) {
  return __builtin_popcountll((unsigned long long)(i & j)) % 2 == 0 ? 1 : -1;
}

static void hadamard_facts(int64_t n, hyla_properties *known) {
  if (n == 0 || (n & (n - 1)) != 0) return;
  known->rank = n;
  known->condition = 1;
  known->growth = (double)n;
}

enum { SYMMETRIC = HY_REAL_SYMMETRIC | HY_UNITARY };

const struct hy_kind hy_unitary_kinds[] = {
    HY_KIND("sine", "sqrt(2 / (n + 1)) sin(pi (i + 1) (j + 1) / (n + 1))",
            "higham-1989, orthogonal matrices", SYMMETRIC, sine_facts, sine),
    HY_KIND("sine-odd", "2 / sqrt(2n + 1) sin(2 pi (i + 1) (j + 1) / (2n + 1))",
            "higham-1995, orthog", SYMMETRIC, sine_odd_facts, sine_odd),
    HY_KIND("cosine", "sqrt(2 / n) cos(pi (i + 1/2) (j + 1/2) / n)", "higham-1995, orthog",
            SYMMETRIC, half_facts, cosine),
    HY_KIND("cosine-transform", "sqrt(2 / n) cos(pi i (j + 1/2) / n), first row 1 / sqrt(n)",
            "golub-2013, section 1.4", HY_UNITARY, half_facts, cosine_transform),
    HY_KIND("hartley", "(cos t + sin t) / sqrt(n), t = 2 pi i j / n", "higham-1995, orthog",
            SYMMETRIC, half_facts, hartley),
    HY_KIND("helmert", "Helmert's, below the first row lower Hessenberg", "higham-1995, orthog",
            HY_UNITARY, NULL, helmert),
    HY_FORMULA("hadamard", "(-1)^(common bits of i and j), Sylvester's", "higham-2002, section 9.4",
               HY_RECTANGULAR | HY_REAL_SYMMETRIC, hadamard_facts, hadamard),
    {.entry = NULL}};
