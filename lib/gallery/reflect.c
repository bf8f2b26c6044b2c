/* Matrices with given singular values or eigenvalues.
 *
 * Method: A = H_3 H_1 S H_2 H_4 with S diagonal and Householder reflectors H = I - tau w w^H,
 * tau = 2 / (w^H w), w random.  Each of the r reflectors adds one outer product.  So
 * A = S + P Q^H with r columns in P and Q, and an entry takes O(r) operations.  Every rank
 * computes all of P and Q, in O((m + n) r^2) operations, by the same sums in the same order.  A
 * Hermitian A has the same reflectors on both sides: H_2 H_1 S H_1 H_2.
 * Reference: Demmel and McKenney, A test matrix generation suite, LAPACK working note 9, 1989.
 * They take reflectors of all lengths, which leave no closed form of an entry. */
#include "gallery/gallery.h"

#include <complex.h>

/* Entry i of a reflector's w, drawn at column -1 - which, where no matrix has entries. */
static double _Complex direction(const struct hy_generated *g, int which, int64_t i) {
  double _Complex drawn = hy_random_entry(g, i, -1 - which);
  return g->k->complex_type ? drawn : creal(drawn);
}

static double squares(const struct hy_generated *g, int which, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    double _Complex w = direction(g, which, i);
    sum += creal(w) * creal(w) + cimag(w) * cimag(w);
  }
  return sum;
}

/* w^H x; 0 for an empty x. */
static double _Complex product(const struct hy_generated *g, int which, int64_t count,
                               const double _Complex *x) {
  double _Complex sum = 0;
  for (int64_t i = 0; i < count; i++) sum += conj(direction(g, which, i)) * x[i];
  return sum;
}

/* A := H A = A - tau w (w^H A): one more column of P and Q. */
static void reflect_left(struct hy_generated *g, int which) {
  double tau = 2 / squares(g, which, g->m);
  double _Complex *p = g->p + g->terms * g->m, *q = g->q + g->terms * g->n;
  double _Complex share[HY_REFLECTORS_MAX];
  for (int r = 0; r < g->terms; r++) share[r] = product(g, which, g->m, g->p + r * g->m);
  for (int64_t i = 0; i < g->m; i++) p[i] = -tau * direction(g, which, i);
  for (int64_t j = 0; j < g->n; j++) {
    double _Complex sum = j < g->m ? g->s[j] * direction(g, which, j) : 0;
    for (int r = 0; r < g->terms; r++) sum += conj(share[r]) * g->q[j + r * g->n];
    q[j] = sum;
  }
  g->terms++;
}

/* A := A H = A - tau (A w) w^H: one more column of P and Q. */
static void reflect_right(struct hy_generated *g, int which) {
  double tau = 2 / squares(g, which, g->n);
  double _Complex *p = g->p + g->terms * g->m, *q = g->q + g->terms * g->n;
  double _Complex share[HY_REFLECTORS_MAX];
  for (int r = 0; r < g->terms; r++) share[r] = conj(product(g, which, g->n, g->q + r * g->n));
  for (int64_t j = 0; j < g->n; j++) q[j] = direction(g, which, j);
  for (int64_t i = 0; i < g->m; i++) {
    double _Complex sum = i < g->n ? g->s[i] * direction(g, which, i) : 0;
    for (int r = 0; r < g->terms; r++) sum += share[r] * g->p[i + r * g->m];
    p[i] = -tau * sum;
  }
  g->terms++;
}

hyla_status hy_reflect_make(struct hy_base *base, struct hy_generated *g) {
  int64_t count = hy_min(g->m, g->n), reflectors = g->kind->reflectors;
  bool both = (g->kind->traits & HY_IS_HERMITIAN) != 0;
  if (g->kind->diagonal == NULL) return HYLA_OK;
  TRY(hy_alloc(base, count, sizeof *g->s, &g->s));
  TRY(hy_alloc(base, reflectors * g->m, sizeof *g->p, &g->p));
  TRY(hy_alloc(base, reflectors * g->n, sizeof *g->q, &g->q));
  for (int64_t k = 0; k < count; k++) g->s[k] = g->kind->diagonal(g, k, count);
  for (int r = 0; r < reflectors && count > 0; r++) {
    int which = both ? r / 2 : r;
    if (r % 2 == 0)
      reflect_left(g, which);
    else
      reflect_right(g, which);
  }
  return HYLA_OK;
}

void hy_reflect_free(struct hy_base *base, struct hy_generated *g) {
  hy_free(base, &g->q);
  hy_free(base, &g->p);
  hy_free(base, &g->s);
}

static double _Complex entry(const struct hy_generated *g, int64_t i, int64_t j) {
  double _Complex sum = i == j ? g->s[i] : 0;
  for (int r = 0; r < g->terms; r++) sum += g->p[i + r * g->m] * conj(g->q[j + r * g->n]);
  return sum;
}

double _Complex hy_reflect_entry(const struct hy_generated *g, int64_t i, int64_t j) {
  if (!(g->kind->traits & HY_IS_HERMITIAN) || i > j) return entry(g, i, j);
  double _Complex low = entry(g, j, i);
  return i < j ? conj(low) : creal(low);
}
