/* Matrices of integers and of their quotients: min and max, divisors, magic squares. */
#include "gallery/gallery.h"

#include <math.h>

static double minij(int64_t i, int64_t j) { return (double)(hy_min(i, j) + 1); }

/* The eigenvalues are 1 / (4 sin^2((2k - 1) pi / (4n + 2))), k = 1 ... n. */
static void minij_facts(int64_t n, hyla_properties *known) {
  double ratio = hy_sine(2 * n - 1, 4 * n + 2) / hy_sine(1, 4 * n + 2);
  known->condition = n > 0 ? ratio * ratio : 1;
}

static double lehmer(int64_t i, int64_t j) {
  return (double)(hy_min(i, j) + 1) / (double)(hy_max(i, j) + 1);
}

static double moler(int64_t i, int64_t j) { return (double)(i == j ? i + 1 : hy_min(i, j) - 1); }
static double pei(int64_t i, int64_t j) { return i == j ? 2 : 1; }

static void pei_facts(int64_t n, hyla_properties *known) {
  known->condition = n > 1 ? (double)(n + 1) : 1;
}

static double fiedler(int64_t i, int64_t j) { return (double)(i < j ? j - i : i - j); }
static void fiedler_facts(int64_t n, hyla_properties *known) { known->rank = n == 1 ? 0 : n; }

static double gcd(int64_t i, int64_t j) {
  int64_t a = hy_max(i, j) + 1, b = hy_min(i, j) + 1;
  while (b > 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return (double)a;
}

static double redheffer(int64_t i, int64_t j) { return j == 0 || (j + 1) % (i + 1) == 0 ? 1 : 0; }

static double riemann(int64_t i, int64_t j) {
  return (j + 2) % (i + 2) == 0 ? (double)(i + 1) : -1;
}

static double inverse_hessenberg(int64_t i, int64_t j) {
  return i < j ? -(double)(i + 1) : (double)(j + 1);
}

/* ---------------------------------------------------------------- magic -- */

/* A magic square of odd order n, filled along the diagonals with numbers from 1. */
static int64_t magic_odd(int64_t n, int64_t i, int64_t j) {
  int64_t high = (i + j + (n + 1) / 2) % n, low = (i + 2 * j + 1) % n;
  return n * high + low + 1;
}

/* A magic square whose order is divisible by 4: half of the cells count from the first cell, the
 * others from the last. */
static int64_t magic_even(int64_t n, int64_t i, int64_t j) {
  bool middle_row = i % 4 == 1 || i % 4 == 2, middle_col = j % 4 == 1 || j % 4 == 2;
  int64_t number = n * i + j + 1;
  return middle_row == middle_col ? n * n + 1 - number : number;
}

/* A magic square of order 2p, p odd, by Strachey's method: four squares of order p, then some cells
 * of the upper half are exchanged with those of the lower half. */
static int64_t magic_strachey(int64_t n, int64_t i, int64_t j) {
  int64_t p = n / 2, k = (n - 2) / 4, row = i % p;
  bool lower = i >= p;
  bool left = row == k ? j >= 1 && j <= k : j < k;
  if (left || j > n - k) lower = !lower;
  int64_t quarter = j < p ? (lower ? 3 : 0) : (lower ? 1 : 2);
  return magic_odd(p, row, j % p) + quarter * p * p;
}

static double _Complex magic(const struct hy_generated *g, int64_t i, int64_t j) {
  if (g->n == 2) return (double)(i == 0 ? 1 + 2 * j : 4 - 2 * j);
  return (double)(g->n % 2 == 1   ? magic_odd(g->n, i, j)
                  : g->n % 4 == 0 ? magic_even(g->n, i, j)
                                  : magic_strachey(g->n, i, j));
}

static void magic_facts(int64_t n, hyla_properties *known) {
  known->rank = n % 2 == 1 || n <= 2 ? n : n % 4 == 0 ? 3 : n / 2 + 2;
}

enum { POSITIVE = HY_REAL_SYMMETRIC | HY_DEFINITE };

const struct hy_kind hy_integer_kinds[] = {
    HY_FORMULA("minij", "min(i, j) + 1", "higham-1995, minij", POSITIVE, minij_facts, minij),
    HY_FORMULA("lehmer", "(min(i, j) + 1) / (max(i, j) + 1)", "higham-1995, lehmer",
               HY_RECTANGULAR | POSITIVE, NULL, lehmer),
    HY_FORMULA("moler", "min(i, j) - 1, on the diagonal i + 1", "higham-1995, moler", POSITIVE,
               NULL, moler),
    HY_FORMULA("pei", "1, on the diagonal 2", "higham-1995, pei", POSITIVE, pei_facts, pei),
    HY_FORMULA("fiedler", "|i - j|", "higham-1995, fiedler", HY_REAL_SYMMETRIC, fiedler_facts,
               fiedler),
    HY_FORMULA("gcdmat", "gcd(i + 1, j + 1)", "beslin-1989, theorem 2", HY_RECTANGULAR | POSITIVE,
               NULL, gcd),
    HY_FORMULA("redheffer", "1 if j = 0 or i + 1 divides j + 1", "higham-1995, redheff", 0, NULL,
               redheffer),
    HY_FORMULA("riemann", "i + 1 if i + 2 divides j + 2, else -1", "higham-1995, riemann", 0, NULL,
               riemann),
    HY_FORMULA("invhess", "j + 1 if i >= j, else -(i + 1)", "higham-1995, invhess", HY_NONSINGULAR,
               NULL, inverse_hessenberg),
    HY_KIND("magic", "a magic square of 1 ... n^2", "higham-1995, magic", 0, magic_facts, magic),
    {.entry = NULL}};
