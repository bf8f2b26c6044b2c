/* Rotations that make columns orthogonal, found from their Gram matrix: hy_gram_rotate.
 *
 * Method: the columns are sorted by their length, the longest first (de Rijk 1989); then Jacobi's
 * rotations on G = Y^H Y, cyclic by rows.  Columns may differ in size by any power of two: x_i =
 * 2^e_i y_i, and Y's columns are about 1 long.  With r = 2^(e_j - e_i) a rotation of x_i and x_j by
 * the tangent t is
 *
 *     y_i := c (y_i - t r w y_j)      y_j := c (t / r conj(w) y_i + y_j)
 *
 * Both t r and t / r are found without dividing by r, so that small columns keep the digits that
 * they have relative to their own size (Demmel and Veselic 1992).  One body is compiled for three
 * sets of instructions; nothing is fused, so all give the same bits. */
#include "local/kernels.h"

#include <math.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { EIGHT = 8 };
typedef double lanes __attribute__((vector_size(EIGHT * sizeof(double)), aligned(8), may_alias));

struct loops {
  void (*real)(int n, double c, double a, double b, double *x, double *y);
  void (*complex)(int n, double c, double a, double b, const double w[2], double *const x[2],
                  double *const y[2]);
};

#define BODY "local/gram_body.h"
#include "local/widths.h"

/* A column of G or of W, a part of it. */
static double *column(const struct hy_gram *s, double *m, int j) {
  return m + (size_t)j * (size_t)s->ld;
}

/* Row j of G := the conjugate of column j, without the diagonal. */
static void mirror(const struct hy_gram *s, int j) {
  const double *re = column(s, s->g[0], j);
  for (int i = 0; i < s->order; i++) column(s, s->g[0], i)[j] = re[i];
  if (s->g[1] == NULL) return;
  const double *im = column(s, s->g[1], j);
  for (int i = 0; i < s->order; i++) column(s, s->g[1], i)[j] = -im[i];
  column(s, s->g[1], j)[j] = 0;
}

/* 2^exponent, 0 or infinite if that is out of range. */
static inline double power(int32_t exponent) { return exponent == 0 ? 1 : ldexp(1, exponent); }

/* Is column i longer than column j? */
static bool longer(const struct hy_gram *s, int i, int j) {
  const double a = column(s, s->g[0], i)[i], b = column(s, s->g[0], j)[j];
  if (s->exponent[i] == s->exponent[j]) return a > b;
  return sqrt(fmax(0, a)) > sqrt(fmax(0, b)) * power(s->exponent[j] - s->exponent[i]);
}

/* The same by more than rounding makes of it.  Columns of one length keep their places: else they
 * would change them for ever. */
static bool clearly_longer(const struct hy_gram *s, int i, int j) {
  const double margin = 1 + 0x1p-10;
  const double a = column(s, s->g[0], i)[i], b = column(s, s->g[0], j)[j];
  if (s->exponent[i] == s->exponent[j]) return a > margin * b;
  return sqrt(fmax(0, a)) > margin * sqrt(fmax(0, b)) * power(s->exponent[j] - s->exponent[i]);
}

/* Puts the columns in the order of their length, the longest first: G and the exponents; uses W as
 * workspace, and clears it. */
static void sort(const struct hy_gram *s) {
  const int parts = s->g[1] == NULL ? 1 : 2;
  bool sorted = true;
  for (int i = 0; i < s->order; i++) {
    int at = i;
    for (; at > 0 && clearly_longer(s, i, s->from[at - 1]); at--) s->from[at] = s->from[at - 1];
    s->from[at] = i;
    sorted &= at == i;
  }
  for (int part = 0; part < parts && !sorted; part++) {
    memcpy(s->w[part], s->g[part], (size_t)s->ld * (size_t)s->order * sizeof(double));
    for (int c = 0; c < s->order; c++)
      for (int i = 0; i < s->order; i++)
        column(s, s->g[part], c)[i] = column(s, s->w[part], s->from[c])[s->from[i]];
  }
  int32_t *const held = s->before;
  memcpy(held, s->exponent, (size_t)s->order * sizeof *held);
  for (int i = 0; i < s->order; i++) s->exponent[i] = held[s->from[i]];
  for (int part = 0; part < parts; part++)
    memset(s->w[part], 0, (size_t)s->ld * (size_t)s->order * sizeof(double));
}

/* Columns x and y of G, of W, and G's rows, after the rotation; x is the longer one.  h: |g_xy|;
 * tau: t / r.  The cosine is 1 + less: so a small rotation leaves columns almost as they are, and
 * rounding changes their lengths by little. */
static void rotate(const struct hy_gram *s, const struct loops *loops, int x, int y, double h,
                   double tau, double r) {
  const double t = tau * r, secant = sqrt(1 + t * t), less = -t * t / (secant * (1 + secant));
  const double a = -t * r / secant, b = tau / secant;
  const int parts = s->g[1] == NULL ? 1 : 2;
  const double w[2] = {column(s, s->g[0], y)[x] / h,
                       parts == 1 ? 0 : -column(s, s->g[1], y)[x] / h};
  const double large = column(s, s->g[0], x)[x] - tau * r * r * h;
  const double small = column(s, s->g[0], y)[y], rest = small + tau * h;
  for (int matrix = 0; matrix < 2; matrix++) {
    double *const *m = matrix == 0 ? s->g : s->w;
    double *one[2] = {column(s, m[0], x), NULL}, *other[2] = {column(s, m[0], y), NULL};
    if (parts == 2) {
      one[1] = column(s, m[1], x);
      other[1] = column(s, m[1], y);
      loops->complex(s->ld, less, a, b, w, one, other);
    } else {
      loops->real(s->ld, less, a * w[0], b * w[0], one[0], other[0]);
    }
    /* W has the identity beside it. */
    if (matrix == 0) continue;
    one[0][x] += less;
    other[0][y] += less;
    for (int part = 0; part < parts; part++) {
      one[part][y] += a * w[part];
      other[part][x] += part == 0 ? b * w[0] : -b * w[1];
    }
  }
  for (int part = 0; part < parts; part++)
    column(s, s->g[part], y)[x] = column(s, s->g[part], x)[y] = 0;
  column(s, s->g[0], x)[x] = large;
  /* What is left of a column by cancellation alone has no digits in G; it waits for a new G. */
  column(s, s->g[0], y)[y] = rest > s->trusted * small ? rest : 0;
  mirror(s, x);
  mirror(s, y);
}

/* The pair i < j, if it has lengths that are known. */
static void meet(const struct hy_gram *s, const struct loops *loops, double tolerance, bool first,
                 int i, int j, struct hy_gram_found *found) {
  if (!(column(s, s->g[0], i)[i] > 0 && column(s, s->g[0], j)[j] > 0)) return;
  const bool turned = longer(s, j, i);
  const int x = turned ? j : i, y = turned ? i : j;
  const double large = column(s, s->g[0], x)[x], small = column(s, s->g[0], y)[y];
  const double re = column(s, s->g[0], y)[x];
  const double h = s->g[1] == NULL ? fabs(re) : hypot(re, column(s, s->g[1], y)[x]);
  const double cosine = h / sqrt(large * small);
  if (first) found->cosine = fmax(found->cosine, cosine);
  if (!(cosine > tolerance)) return;
  const double r = power(s->exponent[y] - s->exponent[x]);
  const double q = (small * r * r - large) / (2 * h);
  const double tau = (q > 0 ? 1 : -1) / (fabs(q) + sqrt(r * r + q * q));
  rotate(s, loops, x, y, h, tau, r);
  if (first) found->tangent = fmax(found->tangent, fabs(tau));
  found->rotations++;
}

/* ------------------------------------------------------- all pairs at once -- */

/* Rotations by tangents below this differ from 1 + W, with W their sum, by less than rounding. */
static const double SMALL = 0x1p-30;

/* All pairs x < y of sorted columns: notes the largest cosine and tangent, and writes W = sum of
 * (t r, t / r) to W if `write'.  Returns the number of pairs that are worth a rotation. */
static int64_t look(const struct hy_gram *s, double tolerance, bool write,
                    struct hy_gram_found *found) {
  int64_t pairs = 0;
  for (int y = 1; y < s->order; y++)
    for (int x = 0; x < y; x++) {
      const double large = column(s, s->g[0], x)[x], small = column(s, s->g[0], y)[y];
      if (!(large > 0 && small > 0)) continue;
      const double re = column(s, s->g[0], y)[x];
      const double im = s->g[1] == NULL ? 0 : column(s, s->g[1], y)[x];
      const double h = s->g[1] == NULL ? fabs(re) : hypot(re, im), cosine = h / sqrt(large * small);
      found->cosine = fmax(found->cosine, cosine);
      if (!(cosine > tolerance)) continue;
      const double r = power(s->exponent[y] - s->exponent[x]);
      const double q = (small * r * r - large) / (2 * h);
      const double tau = (q > 0 ? 1 : -1) / (fabs(q) + sqrt(r * r + q * q));
      found->tangent = fmax(found->tangent, fabs(tau));
      pairs++;
      if (!write) continue;
      column(s, s->w[0], y)[x] = tau * (re / h);
      column(s, s->w[0], x)[y] = -tau * r * r * (re / h);
      if (s->g[1] == NULL) continue;
      column(s, s->w[1], y)[x] = tau * (im / h);
      column(s, s->w[1], x)[y] = tau * r * r * (im / h);
    }
  return pairs;
}

/* True if all rotations are small ones, and W is their sum. */
static bool settle(const struct hy_gram *s, double tolerance, struct hy_gram_found *found) {
  struct hy_gram_found now = {0};
  const int64_t pairs = look(s, tolerance, false, &now);
  if (now.cosine > SMALL || now.tangent > SMALL) return false;
  if (pairs > 0) (void)look(s, tolerance, true, &now);
  found->cosine = fmax(found->cosine, now.cosine);
  found->tangent = fmax(found->tangent, now.tangent);
  found->rotations += pairs;
  return true;
}

void hy_gram_rotate(const struct hy_gram *s, double tolerance, int turns,
                    struct hy_gram_found *found) {
  const struct loops *loops = HY_WIDEST(loops);
  sort(s);
  if (settle(s, tolerance, found)) return;
  for (int turn = 0; turn < turns; turn++)
    for (int i = 0; i < s->order; i++)
      for (int j = i + 1; j < s->order; j++) meet(s, loops, tolerance, turn == 0, i, j, found);
}
