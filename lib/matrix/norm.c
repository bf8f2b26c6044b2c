/* Norms of a matrix.
 *
 * Every sum and every maximum goes through one fixed tree over the cube, so that all ranks hold the
 * same bits.  A NaN wins every maximum.  The Frobenius norm is computed from entries divided by a
 * power of two near the largest one, so that squares neither overflow nor underflow. */
#include "collective/collective.h"
#include "matrix/matrix.h"

#include <math.h>

static double larger(double a, double b) {
  if (isnan(a) || isnan(b)) return NAN;
  return a > b ? a : b;
}

static void combine_max(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  double *a = into;
  const double *b = from;
  for (int64_t i = 0; i < count; i++) a[i] = larger(a[i], b[i]);
}

static void combine_sum(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  double *a = into;
  const double *b = from;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

static hyla_status allreduce(hyla_cube *cube, uint32_t dims, double *value, hy_combine *combine) {
  double work;
  return hy_allreduce(cube, dims, value, 1, sizeof *value, combine, NULL, &work);
}

/* The cube dimensions over which a norm is reduced.  Copies are counted once; nodes off the face
 * contribute 0. */
static uint32_t counted_dims(const hyla_matrix *a) {
  uint32_t all = (UINT32_C(1) << a->cube->dims) - 1;
  return hy_matrix_has_copies(a) ? all & ~a->unused_dims : all;
}

static hyla_status largest_entry(const hyla_matrix *a, double *value) {
  *value = a->k->largest((int)a->local_rows, (int)a->local_cols, a->local, (int)a->ld);
  return allreduce(a->cube, counted_dims(a), value, combine_max);
}

static hyla_status frobenius(const hyla_matrix *a, double *value) {
  double largest = 0;
  TRY(largest_entry(a, &largest));
  *value = largest;
  if (largest == 0 || !isfinite(largest)) return HYLA_OK; /* the same on every rank */
  int exponent = 0;
  frexp(largest, &exponent);
  double scale = ldexp(1, exponent - 1); /* a power of two: dividing by it is exact */
  double sum = a->k->squares((int)a->local_rows, (int)a->local_cols, a->local, (int)a->ld, scale);
  TRY(allreduce(a->cube, counted_dims(a), &sum, combine_sum));
  *value = scale * sqrt(sum);
  return HYLA_OK;
}

/* The column sums (norm ONE) or row sums (norm INF) of this rank. */
struct sums {
  int64_t count; /* of sums on this rank: 0 for other norms */
  double *sum;
  double *work;
};

/* The largest sum along one axis: sums are added over the dimensions that split this axis, and
 * their maximum is taken over the others. */
static hyla_status largest_sum(const hyla_matrix *a, hyla_norm kind, const struct sums *sums,
                               double *value) {
  bool columns = kind == HYLA_NORM_ONE;
  uint32_t along = hy_axis_mask(columns ? &a->layout.row : &a->layout.col);
  uint32_t across = counted_dims(a) & ~along;
  void (*add_up)(int, int, const void *, int, double *) =
      columns ? a->k->column_sums : a->k->row_sums;
  add_up((int)a->local_rows, (int)a->local_cols, a->local, (int)a->ld, sums->sum);
  TRY(hy_allreduce(a->cube, along, sums->sum, sums->count, sizeof(double), combine_sum, NULL,
                   sums->work));
  *value = 0;
  for (int64_t i = 0; i < sums->count; i++) *value = larger(*value, sums->sum[i]);
  return allreduce(a->cube, across, value, combine_max);
}

static hyla_status compute(const hyla_matrix *a, hyla_norm kind, const struct sums *sums,
                           double *value) {
  double result = 0;
  switch (kind) {
  case HYLA_NORM_MAX: TRY(largest_entry(a, &result)); break;
  case HYLA_NORM_FRO: TRY(frobenius(a, &result)); break;
  case HYLA_NORM_ONE:
  case HYLA_NORM_INF: TRY(largest_sum(a, kind, sums, &result)); break;
  }
  if (isnan(result)) result = NAN; /* one NaN for all ranks: its sign and payload have no meaning */
  TRY(hy_tell_guests(a->cube, &result, sizeof result));
  *value = result;
  return HYLA_OK;
}

/* Checks the arguments and allocates the sums. */
static hyla_status prepare(hyla_cube *cube, const hyla_matrix *a, hyla_norm kind,
                           const double *value, struct sums *sums) {
  TRY(hy_matrix_check(cube, a, "hyla_matrix_norm", "matrix"));
  CHECK(&cube->base, (int)kind >= HYLA_NORM_MAX && (int)kind <= HYLA_NORM_FRO, ARGUMENT,
        "hyla_matrix_norm: %d is no norm", (int)kind);
  CHECK(&cube->base, value != NULL, ARGUMENT, "hyla_matrix_norm: value is NULL");
  if (kind == HYLA_NORM_ONE) sums->count = a->local_cols;
  if (kind == HYLA_NORM_INF) sums->count = a->local_rows;
  TRY(hy_alloc(&cube->base, 2 * sums->count, sizeof(double), &sums->sum));
  sums->work = sums->sum + sums->count;
  return HYLA_OK;
}

hyla_status hyla_matrix_norm(hyla_cube *cube, const hyla_matrix *matrix, hyla_norm kind,
                             double *value) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct sums sums = {.count = 0};
  hyla_status mine = prepare(cube, matrix, kind, value, &sums);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_norm");
  const int64_t word = (int64_t)kind;
  uint64_t fingerprint = hy_fingerprint(hy_matrix_fingerprint(0, matrix), &word, sizeof word);
  hyla_status status = hy_enter(cube, mine, fingerprint, "hyla_matrix_norm");
  if (status == HYLA_OK) status = hy_agree(cube, compute(matrix, kind, &sums, value));
  hy_free(&cube->base, &sums.sum);
  return status;
}
