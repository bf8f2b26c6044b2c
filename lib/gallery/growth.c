/* Matrices on which Gaussian elimination with partial pivoting fails: it swaps no rows, and the
 * entries of U grow exponentially with n.  The entries of A are at most 1.  `growth' is exact for
 * the first kind and a lower bound for the others. */
#include "gallery/gallery.h"

#include <math.h>

static double _Complex wilkinson(const struct hy_generated *g, int64_t i, int64_t j) {
  return i == j || j == g->n - 1 ? 1 : i > j ? -1 : 0;
}

static void wilkinson_facts(int64_t n, hyla_properties *known) {
  known->growth = ldexp(1, (int)hy_min(n - 1, 1023));
}

/* A Volterra integral equation by the trapezoidal rule.  The step times the kernel is 5/8, so the
 * multipliers are -10/11 and pivots never tie.  The last column is -1/6. */
static const double foster_step = 0.625, foster_last = 1.0 / 6;

static double _Complex foster(const struct hy_generated *g, int64_t i, int64_t j) {
  double entry = 0;
  if (j == 0)
    entry = i == 0 ? 1 : -foster_step / 2;
  else if (i >= j)
    entry = i == j ? 1 - foster_step / 2 : -foster_step;
  return j == g->n - 1 && j > 0 ? entry - foster_last : entry;
}

/* U's last diagonal entry gives the growth. */
static void foster_facts(int64_t n, hyla_properties *known) {
  double diagonal = 1 - foster_step / 2, first = foster_last * (1 + foster_step / 2);
  double last = first * pow(1 + foster_step / diagonal, (double)n - 2) - diagonal;
  known->growth = n > 2 ? fmax(last, 1) : 1;
}

/* The boundary value problem y' = M y by multiple shooting, M = (-1/6, 1; 1, -1/6), step 3/10.  The
 * diagonal blocks are identities, -exp(M h) stands below them, and an identity in the corner. */
static const double wright_step = 0.3;

static double _Complex wright(const struct hy_generated *g, int64_t i, int64_t j) {
  int64_t blocks = hy_ceil_div(g->n, 2), row = i / 2, col = j / 2;
  bool same = i % 2 == j % 2;
  if (row == col || (row == 0 && col == blocks - 1)) return same ? 1 : 0;
  double part = same ? cosh(wright_step) : sinh(wright_step);
  return row == col + 1 ? -exp(-wright_step / 6) * part : 0;
}

/* U's last diagonal block, I + exp(M h)^(blocks - 1), gives the growth. */
static void wright_facts(int64_t n, hyla_properties *known) {
  double time = wright_step * (double)(hy_ceil_div(n, 2) - 1);
  known->growth = n > 2 ? 1 + (exp(time * 5 / 6) + exp(-time * 7 / 6)) / 2 : 1;
  known->lower = 3;
}

const struct hy_kind hy_growth_kinds[] = {
    HY_KIND("gfpp", "1 if i = j or j = n - 1, -1 if i > j: growth 2^(n - 1)",
            "higham-2002, section 9.4", HY_NONSINGULAR | HY_GROWS, wilkinson_facts, wilkinson),
    HY_KIND("foster", "a Volterra equation by the trapezoidal rule: growth 1.9^n",
            "foster-1994, quadrature", HY_GROWS, foster_facts, foster),
    HY_KIND("wright", "a boundary value problem by multiple shooting: growth exp(n / 8)",
            "wright-1993, multiple shooting", HY_GROWS, wright_facts, wright),
    {.entry = NULL}};
