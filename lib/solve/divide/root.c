/* A root of a secular equation, f(x) = 1 / rho + sum_i z_i^2 / (d_i - x) = 0, rho > 0.
 *
 * f grows from -infinity to infinity between two poles.  Root j lies between d_j and d_j+1; the
 * last one below d_k + rho, since z has length 1, and a pole of weight 0 at d_k + 2 rho stands
 * behind it.  The root is counted from the nearer pole, which the sign of f in the middle tells, so
 * that differences from all poles have small relative errors.
 *
 * Reference: Bunch, Nielsen, Sorensen 1978; Li 1994, for the first guess: all terms but those of
 * the two poles are as in the middle; Borges and Gragg 1993, for the steps: c + s / (d_j - x) + S /
 * (d_j+1 - x) has f's value and first two derivatives, so they converge to third order and from one
 * side.  A step that leaves the bracket is replaced by a division of the bracket.  Where far poles
 * of one side outweigh the near ones by the digits of a double, a step is nothing but roundings: so
 * a small step ends the search only if f changes its sign there, and from the 20th on every second
 * step divides.  The number of steps is limited: numbers that are not finite end, too. */
#include "solve/divide/tree.h"

#include <float.h>
#include <math.h>

/* A search: the two poles counted from the nearer one, and their weights; the bracket's ends. */
struct search {
  double left, right, zl, zr, low, high;
};

/* f at a place: the two poles from there, the sums of the other terms, 1 / rho among them, and f; a
 * bound on f's terms. */
struct place {
  double l, r, rest, f, size;
  struct hy_secular_sums others;
};

static struct place place_at(const struct hy_secular_kernels *kernels, const struct hy_secular *f,
                             const struct search *at, double base, int j, double shift, double x) {
  struct place p = {.l = at->left - x, .r = at->right - x};
  kernels->sums(f, j, (int)hy_min(j + 2, f->k), shift, x, &p.others);
  const double below = p.others.below[0] + at->zl / p.l, above = p.others.above[0] + at->zr / p.r;
  p.rest = base + (p.others.below[0] + p.others.above[0]);
  p.f = base + (below + above);
  p.size = base + fabs(below) + fabs(above);
  return p;
}

/* The root of c x^2 - a x + b between the poles. */
static double root_of(double a, double b, double c) {
  const double root = sqrt(fmax(0, a * a - 4 * b * c));
  return a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
}

/* If all terms but those of the two poles stayed as they are: zl / (left - x) + zr / (right - x) +
 * c = 0. */
static double guess(const struct search *at, double c) {
  const double gap = at->right - at->left;
  return at->left == 0 ? root_of(c * gap + at->zl + at->zr, at->zl * gap, c)
                       : root_of(at->zl + at->zr - c * gap, -at->zr * gap, c);
}

/* The step to the root of the function with f's value and derivatives.  The weights of the two
 * poles are their own and what stands for the other terms: so nothing large cancels close to a
 * pole. */
static double step(const struct search *at, const struct place *p) {
  const double l = p->l, r = p->r, gap = at->right - at->left;
  const double *b = p->others.below, *a = p->others.above;
  const double s = l * l * l * ((r * b[2] - b[1]) + (r * a[2] - a[1])) / gap;
  const double t = r * r * r * ((b[1] - l * b[2]) + (a[1] - l * a[2])) / gap;
  const double c = p->rest - s / l - t / r;
  return root_of(c * (l + r) + (at->zl + s) + (at->zr + t), l * r * p->f, c);
}

/* A point well inside the bracket; its ends have one sign, or one is 0. */
static double divided(const struct search *at) {
  const bool below = at->low < 0;
  const double a = fmin(fabs(at->low), fabs(at->high)), b = fmax(fabs(at->low), fabs(at->high));
  const double middle = a == 0 ? b / 64 : b > 4 * a ? sqrt(a) * sqrt(b) : a + (b - a) / 2;
  return below ? -middle : middle;
}

static bool inside(const struct search *at, double x) { return x > at->low && x < at->high; }

void hy_divide_root(const struct hy_secular_kernels *kernels, const struct hy_secular *f,
                    double rho, int j, double *shift, double *mu) {
  enum { MOST = 200, SLOW = 20 };
  const bool last = j + 1 == f->k;
  const double gap = last ? 2 * rho : f->pole[j + 1] - f->pole[j], base = 1 / rho;
  const double tolerance = (2 + f->k / 512.) * DBL_EPSILON;
  struct search at = {.right = gap,
                      .zl = f->square[j],
                      .zr = last ? 0 : f->square[j + 1],
                      .low = 0,
                      .high = gap / 2};

  /* The middle. */
  double x = gap / 2;
  *shift = f->pole[j];
  struct place p = place_at(kernels, f, &at, base, j, *shift, x);
  if (p.f < 0 && last) {
    at.low = x;
    at.high = gap;
  } else if (p.f < 0) {
    *shift = f->pole[j + 1];
    at.left = -gap;
    at.right = at.high = 0;
    at.low = x = -x;
  }
  double next = guess(&at, p.rest);
  if (!inside(&at, next)) next = x + step(&at, &p);

  bool lost = false;
  for (int count = 0; count < MOST; count++) {
    if (!inside(&at, next)) next = divided(&at);
    if (!inside(&at, next)) break; /* the bracket's ends are neighbours */
    x = next;
    p = place_at(kernels, f, &at, base, j, *shift, x);
    if (fabs(p.f) <= tolerance * p.size) break;
    if (p.f < 0)
      at.low = x;
    else
      at.high = x;
    if (at.high - at.low <= 2 * DBL_EPSILON * fabs(x)) break;
    next = x + step(&at, &p);
    const bool small = fabs(next - x) <= DBL_EPSILON / 2 * fabs(x);
    /* Is the root beside x, or is the step lost in roundings? */
    if (small) next = x + copysign(DBL_EPSILON * x, -p.f);
    if ((small && lost) || (count >= SLOW && count % 2 == 0)) next = divided(&at);
    lost = small && !lost;
  }
  *mu = x;
}
