/* hyla_factor_hold, hyla_factor_held: factors in files, or in memory, are compared with A.
 *
 * Method: P A t = L (U t) for a vector t of random signs, as in checks of results (Huang and
 *   Abraham 1984, section III; checksum.c), but with L and U as the caller has them in the end, and
 *   with A as it is given again; changes in between do not matter.  Cholesky: L (L^H t), with A's
 *   lower triangle.  LDL: P A P^T t and L (D (L^H t)).  QR, whose Q is not written: A^H (A t) and
 *   R^H (R t).  Rounding is judged as in checksum.c; for QR, whose errors are small by columns, by
 *   the product of the norms of a column and of A.
 * Layout: any.  Steps: a few d.  Memory: vectors, and one factor at a time. */
#include "solve/guard/guard.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The row of the product with the largest error relative to rounding, and that error; 1: all of it
 * may be rounding. */
struct furthest {
  double worst;
  int64_t row;
};

/* The state of one call. */
struct holding {
  const hyla_factor *factor;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const struct hy_factor_traits *steps;
  int64_t m, n, order, most;
  struct hy_row_sums work;
  double _Complex *x; /* the vector that the next factor is multiplied by; owns: */
  double *sizes;
  struct hy_row_sum *rows;
};

static hyla_status allocate(struct holding *h) {
  struct hy_base *base = &h->cube->base;
  if (h->cube->address < 0) return HYLA_OK;
  TRY(hy_row_sums_allocate(h->cube, h->k, h->most, h->most, NULL, &h->work));
  TRY(hy_alloc(base, h->most, sizeof *h->x, &h->x));
  TRY(hy_alloc_for(base, h->x, h->most, sizeof *h->sizes, &h->sizes));
  return hy_alloc_for(base, h->x, h->most, sizeof *h->rows, &h->rows);
}

static struct holding start(const hyla_factor *factor) {
  const struct hy_factorization *problem = &factor->problem;
  return (struct holding){.factor = factor,
                          .cube = problem->cube,
                          .k = problem->k,
                          .steps = hy_factor_traits_of(factor),
                          .m = problem->m,
                          .n = problem->n,
                          .order = hy_factor_order(problem),
                          .most = hy_max(problem->m, problem->n)};
}

static void end(struct holding *h) {
  hy_free(&h->cube->base, &h->x);
  hy_row_sums_free(&h->work);
}

static void set_signs(struct holding *h) {
  for (int64_t j = 0; j < h->n; j++) h->x[j] = hy_row_sign(j);
}

/* x := parts x, with sizes.  sized: by the sizes of x; otherwise by the norms of rows. */
static hyla_status multiply(struct holding *h, const struct hy_summands *parts, int64_t rows,
                            bool sized) {
  const struct hy_row_vector vector = {h->x, sized ? HY_SIZE_WEIGHTED : HY_SIZE_SQUARES,
                                       sized ? h->sizes : NULL};
  TRY(hy_row_sums_find(&h->work, parts, false, &vector, h->rows, rows));
  for (int64_t i = 0; i < rows; i++) {
    h->x[i] = h->rows[i].value;
    h->sizes[i] = sized ? h->rows[i].size : hy_row_size_of(&h->rows[i]);
  }
  return HYLA_OK;
}

static hyla_status multiply_whole(struct holding *h, const hyla_matrix *matrix, hyla_operation op,
                                  int64_t rows, bool sized) {
  const struct hy_summands whole = {1, {{matrix, op, HY_WHOLE, false, false}}};
  return multiply(h, &whole, rows, sized);
}

/* ----------------------------------------------------------------- hold -- */

/* A^H (A t); its size is the norms of A's columns times that of A. */
static hyla_status hold_columns(struct holding *h, const hyla_matrix *a, struct hy_row_sum *due) {
  const struct hy_summands columns = {1, {{a, HYLA_CONJUGATE, HY_WHOLE, false, false}}};
  TRY(multiply_whole(h, a, HYLA_NONE, h->m, false));
  const struct hy_row_vector vector = {h->x, HY_SIZE_SQUARES, NULL};
  TRY(hy_row_sums_find(&h->work, &columns, false, &vector, due, h->n));
  double norm = 0;
  for (int64_t j = 0; j < h->n; j++) norm = hypot(norm, due[j].size);
  for (int64_t j = 0; j < h->n; j++) due[j].size *= norm;
  return HYLA_OK;
}

/* A t; Hermitian methods read A's lower triangle only. */
static hyla_status hold_rows(struct holding *h, const hyla_matrix *a, struct hy_row_sum *due) {
  struct hy_summands parts = {1, {{a, HYLA_NONE, HY_WHOLE, false, false}}};
  if (h->steps->hermitian)
    parts = (struct hy_summands){2,
                                 {{a, HYLA_NONE, HY_LOWER_PART, true, false},
                                  {a, HYLA_CONJUGATE, HY_BELOW_PART, false, false}}};
  TRY(multiply(h, &parts, h->m, false));
  for (int64_t i = 0; i < h->m; i++) due[i] = (struct hy_row_sum){h->x[i], h->sizes[i]};
  return HYLA_OK;
}

static hyla_status hold(struct hyla_factor *factor, const hyla_matrix *a) {
  struct holding h = start(factor);
  hyla_status status = allocate(&h);
  if (status == HYLA_OK && factor->due == NULL && h.cube->address >= 0)
    status = hy_alloc(&h.cube->base, h.most, sizeof *factor->due, &factor->due);
  status = hy_agree(h.cube, status);
  if (status == HYLA_OK && h.cube->address >= 0) {
    set_signs(&h);
    status = h.steps->orthogonal ? hold_columns(&h, a, factor->due) : hold_rows(&h, a, factor->due);
  }
  end(&h);
  factor->holds = status == HYLA_OK;
  return hy_agree(h.cube, status);
}

hyla_status hyla_factor_hold(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a) {
  struct hy_call call = {
      .name = "hyla_factor_hold", .argument = {{"a", a, .sizes = "MN"}}, .needs_data = true};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED | HY_WITH_TRIANGLES, &call);
  TRY(hy_call_enter(cube, &call, mine));
  return hold(factor, a);
}

/* ----------------------------------------------------------------- held -- */

/* A text file does not say that entries are in single precision. */
static hyla_status read_factor(struct holding *h, const char *path, hyla_matrix **matrix) {
  const hyla_layout *layout = &h->factor->problem.layout;
  hyla_matrix *wide = NULL;
  TRY(hyla_matrix_read(h->cube, path, layout, matrix));
  if ((*matrix)->k == h->k) return HYLA_OK;
  wide = *matrix;
  *matrix = NULL;
  hyla_status status =
      hy_matrix_make(h->cube, h->k->type, wide->row.n, wide->col.n, layout, matrix);
  if (status == HYLA_OK) status = hyla_matrix_convert(h->cube, wide, *matrix);
  (void)hyla_matrix_destroy(&wide);
  return status;
}

static hyla_status check_read(const struct holding *h, const hyla_matrix *matrix, int64_t rows,
                              int64_t cols, const char *path) {
  CHECK(&h->cube->base, matrix->row.n == rows && matrix->col.n == cols, ARGUMENT,
        "hyla_factor_held: the matrix in %s is %lld x %lld, and the factor %lld x %lld", path,
        (long long)matrix->row.n, (long long)matrix->col.n, (long long)rows, (long long)cols);
  return HYLA_OK;
}

/* Reads a factor from a file or, without one, takes it as hyla_factor_lower and _upper give it. */
static hyla_status fetch(struct holding *h, const char *path, bool lower, hyla_matrix **matrix) {
  const struct hy_factorization *problem = &h->factor->problem;
  int64_t rows = lower ? h->m : h->order, cols = lower ? h->order : h->n;
  if (path != NULL) {
    TRY(read_factor(h, path, matrix));
    return hy_agree(h->cube, check_read(h, *matrix, rows, cols, path));
  }
  TRY(hy_matrix_make(h->cube, h->k->type, rows, cols, &problem->layout, matrix));
  return lower ? hyla_factor_lower(h->cube, h->factor, *matrix)
               : hyla_factor_upper(h->cube, h->factor, *matrix);
}

/* x := D x, with sizes. */
static void multiply_diagonal(struct holding *h) {
  const struct hy_block_diagonal *d = h->steps->diagonal(hy_factor_state(h->factor));
  for (int64_t i = 0; i < h->n; i++) {
    double _Complex one = h->x[i], below = d->below[i];
    double size = h->sizes[i];
    h->x[i] = d->diagonal[i] * one;
    h->sizes[i] = fabs(d->diagonal[i]) * size;
    if (below == 0) continue;
    double _Complex next = h->x[i + 1];
    double next_size = h->sizes[i + 1];
    h->x[i] += conj(below) * next;
    h->sizes[i] += cabs(below) * next_size;
    h->x[i + 1] = below * one + d->diagonal[i + 1] * next;
    h->sizes[i + 1] = cabs(below) * size + fabs(d->diagonal[i + 1]) * next_size;
    i++;
  }
}

static hyla_status multiply_factor(struct holding *h, const hyla_matrix *factor, bool lower) {
  if (h->cube->address < 0) return HYLA_OK;
  if (!lower) return multiply_whole(h, factor, HYLA_NONE, h->order, false);
  if (h->steps->diagonal != NULL) multiply_diagonal(h);
  return multiply_whole(h, factor, HYLA_NONE, h->m, true);
}

/* Multiplies by the factors; the product is in x and sizes. */
static hyla_status multiply_factors(struct holding *h, const char *lower, const char *upper) {
  hyla_matrix *u = NULL, *l = NULL;
  hyla_status status = fetch(h, upper, false, &u);
  if (status == HYLA_OK) status = hy_agree(h->cube, multiply_factor(h, u, false));
  if (status == HYLA_OK && h->steps->orthogonal && h->cube->address >= 0)
    status = multiply_whole(h, u, HYLA_CONJUGATE, h->n, true);
  (void)hyla_matrix_destroy(&u);
  TRY(hy_agree(h->cube, status));
  if (h->steps->orthogonal) return HYLA_OK;
  status = fetch(h, lower, true, &l);
  if (status == HYLA_OK) status = hy_agree(h->cube, multiply_factor(h, l, true));
  (void)hyla_matrix_destroy(&l);
  return status;
}

/* The difference in row i of the product, relative to rounding; 0 if the expected value is not
 * finite, because then nothing can be said. */
static double excess(const struct holding *h, const struct hy_row_sum *due, int64_t i) {
  double least = (double)(h->n + h->m) * (h->k->epsilon > 1e-10 ? FLT_MIN : DBL_MIN);
  double size = (isfinite(h->sizes[i]) ? fmax(due->size, h->sizes[i]) : due->size) + least;
  double difference = cabs(due->value - h->x[i]);
  if (!isfinite(cabs(due->value)) || !isfinite(size)) return 0;
  double tolerance = hy_row_tolerance(h->k, h->order, h->n);
  return isnan(difference) ? INFINITY : difference / tolerance / size;
}

/* Finds the worst row, which is the same on all nodes. */
static void compare(const struct holding *h, const int64_t *rows, struct furthest *held) {
  int64_t count = h->steps->orthogonal ? h->n : h->m;
  for (int64_t i = 0; i < count; i++) {
    int64_t row = h->steps->orthogonal ? i : rows[i];
    bool known = row >= 0 && row < count; /* the list may have changed too */
    double ratio = known ? excess(h, &h->factor->due[row], i) : INFINITY;
    if (ratio > held->worst || (i == 0 && !(ratio < held->worst))) {
      held->worst = ratio;
      held->row = i;
    }
  }
}

/* Sets t, in the order of LDL's columns. */
static void set_vector(struct holding *h, const int64_t *rows) {
  set_signs(h);
  for (int64_t j = 0; j < h->n && h->steps->diagonal != NULL; j++)
    h->x[j] = rows[j] >= 0 && rows[j] < h->n ? hy_row_sign(rows[j]) : NAN;
}

static hyla_status measure(struct holding *h, const char *lower, const char *upper,
                           const int64_t *rows, struct furthest *held) {
  hyla_cube *cube = h->cube;
  if (cube->address >= 0) set_vector(h, rows);
  TRY(multiply_factors(h, lower, upper));
  if (cube->address >= 0) compare(h, rows, held);
  TRY(hy_agree(cube, hy_tell_guests(cube, held, sizeof *held)));
  CHECK(&cube->base, held->worst <= 1, DAMAGED,
        "row %lld of the product of the factors is not that of A: by %.3g times what rounding may "
        "be; memory, a message or a file has changed, so run it again",
        (long long)held->row, held->worst);
  return HYLA_OK;
}

hyla_status hyla_factor_held(hyla_cube *cube, const hyla_factor *factor, const char *lower,
                             const char *upper, const int64_t *rows, double *worst) {
  struct hy_call call = {.name = "hyla_factor_held",
                         .place = {{"rows", rows, 1}, {"worst", worst, 1}},
                         .text = {lower, upper}};
  hyla_status mine = hy_factor_call(cube, factor, HY_COMPUTED, &call);
  if (mine == HYLA_OK && !factor->holds)
    mine =
        hy_fail(&cube->base, HYLA_ARGUMENT,
                "%s: nothing is known of A; call hyla_factor_hold, with success, first", call.name);
  TRY(hy_call_enter(cube, &call, mine));
  struct holding h = start(factor);
  struct furthest held = {0};
  hyla_status status = hy_agree(cube, allocate(&h));
  if (status == HYLA_OK) status = measure(&h, lower, upper, rows, &held);
  end(&h);
  *worst = held.worst;
  return hy_agree(cube, status);
}
