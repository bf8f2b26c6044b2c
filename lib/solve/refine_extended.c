/* Refinement with residuals in twice the precision.  x then has little more error than its own
 * rounding, for every condition of A, as long as A's factors have one correct digit.
 *
 * Reference: Demmel et al. 2006, section 3; here x is kept in one word, and 1-norms are used.
 * Method: r = b - A x is exact except for rounding it once.  So d = A^-1 r is the error of x, to as
 *   many digits as the factors have correct, and x := x + d divides the error by about 1 / (cond(A)
 *   u).  Each column of x is treated by itself.  It ends when d is at most u relative to x, which
 *   is rounding; or when d does not halve, and then x is restored.  The largest quotient q of two
 *   corrections bounds the error by d / (1 - q); no error below max(10, sqrt(n)) u is promised.
 * Steps: each costs as much as a step of fixed refinement, except that products with A take about
 *   three times as long and their sums travel in two words an entry; and a sum of 2 words a
 *   column. */
#include "solve/refine.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* A correction larger than this part of the one before ends the steps. */
static const double HALVED = .5;
/* More steps than are needed to halve a correction as large as x down to u. */
enum { ROUNDS = 60 };

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  long double *a = into;
  const long double *b = from;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

static void add_columns(const hyla_matrix *m, long double *sizes) {
  for (int64_t j = 0; j < m->local_cols; j++)
    for (int64_t i = 0; i < m->local_rows; i++)
      sizes[hy_axis_index(&m->col, m->col_part, j)] +=
          cabsl((long double _Complex)m->k->get(hy_at(m, i, j), 0));
}

/* Finds the 1-norms of the columns of the correction and of `next', on all ranks, in a type that
 * holds sums of all entries. */
static hyla_status find_sizes(struct hy_refining *c) {
  const struct hy_residual *r = &c->residual;
  int64_t nrhs = r->nrhs;
  hyla_status status = HYLA_OK;
  memset(c->sizes, 0, (size_t)(2 * nrhs) * sizeof *c->sizes);
  if (c->cube->address >= 0) {
    add_columns(r->b, c->sizes);
    add_columns(c->next, c->sizes + nrhs);
    status = hy_allreduce(c->cube, r->row_dims | r->col_dims, c->sizes, 2 * nrhs, sizeof *c->sizes,
                          add, NULL, c->sizes + 2 * nrhs);
  }
  TRY(hy_agree(c->cube, status));
  int64_t bytes = 2 * nrhs * (int64_t)sizeof *c->sizes;
  return hy_agree(c->cube, hy_tell_guests(c->cube, c->sizes, bytes));
}

bool hy_course_advance(struct hy_course *course, double size, double roundoff) {
  if (course->ended) return false;
  double ratio = isinf(course->last) ? 0 : size / course->last;
  bool forward = isfinite(size) && (isinf(course->last) || ratio <= HALVED);
  course->ended = !forward || size <= roundoff;
  course->last = isfinite(size) ? size : INFINITY;
  if (forward) course->ratio = fmax(course->ratio, ratio);
  return forward;
}

/* Restores a column of `next' that is no better than that of `now'. */
static void take_back(struct hy_refining *c, int64_t column) {
  hyla_matrix *next = c->next;
  for (int64_t j = 0; j < next->local_cols; j++)
    if (hy_axis_index(&next->col, next->col_part, j) == column)
      hy_copy_entries(next->k, hy_at(next, 0, j), hy_at(c->now, 0, j), next->local_rows);
}

/* Checks each column; returns whether any has become better. */
static bool compare(struct hy_refining *c) {
  bool better = false;
  int64_t nrhs = c->residual.nrhs;
  for (int64_t j = 0; j < nrhs; j++) {
    long double correction = c->sizes[j], x = c->sizes[nrhs + j];
    double size = correction == 0 ? 0 : (double)(correction / x);
    if (hy_course_advance(&c->courses[j], size, c->residual.k->epsilon))
      better = true;
    else
      take_back(c, j);
  }
  return better;
}

static bool all_ended(const struct hy_refining *c) {
  for (int64_t j = 0; j < c->residual.nrhs; j++)
    if (!c->courses[j].ended) return false;
  return true;
}

double hy_refining_good(const struct hy_refining *c) {
  return fmax(10, sqrt((double)c->residual.n)) * c->residual.k->epsilon;
}

/* The largest bound on a column's error; infinite if its last correction is more than rounding. */
static double bound(const struct hy_refining *c) {
  const struct hy_residual *r = &c->residual;
  double largest = 0, good = hy_refining_good(c);
  for (int64_t j = 0; j < r->nrhs; j++) {
    const struct hy_course *course = &c->courses[j];
    largest = fmax(largest, course->last <= good ? fmax(good, course->last / (1 - course->ratio))
                                                 : INFINITY);
  }
  return largest;
}

hyla_status hy_refining_extend(struct hy_refining *c, int *steps) {
  for (int64_t j = 0; j < c->residual.nrhs; j++)
    c->courses[j] = (struct hy_course){.last = INFINITY};
  while (*steps < ROUNDS && !all_ended(c)) {
    TRY(hy_refining_correct(c));
    TRY(find_sizes(c));
    ++*steps;
    if (!compare(c)) break;
    hyla_matrix *former = c->now;
    c->now = c->next;
    c->next = former;
    TRY(hy_residual_find(&c->residual, c->a, c->now, c->b, &c->errors));
  }
  c->forward = bound(c);
  return HYLA_OK;
}
