/* Norms of a matrix.
 *
 * Every sum and every maximum goes through one fixed tree over the cube, so that all ranks hold the
 * same bits.  A NaN wins every maximum.  The sum of squares for the Frobenius norm is
 * that of the entries as they are; on a rank where it overflows, or may have lost squares that
 * underflow, the entries are divided by a power of two near the largest one. */
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
  uint32_t all = hy_all_dims(a->cube);
  return hy_matrix_has_copies(a) ? all & ~a->unused_dims : all;
}

static hyla_status largest_entry(const hyla_matrix *a, double *value) {
  *value = a->k->largest((int)a->local_rows, (int)a->local_cols, a->local, (int)a->ld);
  return allreduce(a->cube, counted_dims(a), value, combine_max);
}

/* The exponent of zeros alone, below all others. */
enum { NOTHING = -(1 << 20) };

/* Times 4^exponent; nothing is left where the exponent is far below 0. */
static double shifted(double sum, int64_t exponent) {
  enum { FAR = -4096 };
  return ldexp(sum, exponent < FAR ? FAR : (int)(2 * exponent));
}

void hy_squares_add(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_squares *a = into;
  const struct hy_squares *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) {
    const int64_t most = a[i].exponent > b[i].exponent ? a[i].exponent : b[i].exponent;
    a[i].sum = shifted(a[i].sum, a[i].exponent - most) + shifted(b[i].sum, b[i].exponent - most);
    a[i].exponent = most;
  }
}

struct hy_squares hy_squares_of(const struct hy_kernels *k, int64_t m, int64_t n, const void *a,
                                int64_t lda) {
  const double least = 0x1p-800; /* squares that underflow do not matter beside this */
  struct hy_squares found = {k->squares((int)m, (int)n, a, (int)lda, 1), 0};
  int exponent = 1023; /* the magnitude of a complex entry may overflow where its parts do not */
  if (found.sum >= least && isfinite(found.sum)) return found;
  const double largest = k->largest((int)m, (int)n, a, (int)lda);
  if (largest == 0) return (struct hy_squares){0, NOTHING};
  if (isnan(largest)) return (struct hy_squares){NAN, 0};
  if (isfinite(largest)) frexp(largest, &exponent);
  found.exponent = exponent - 1;
  found.sum = k->squares((int)m, (int)n, a, (int)lda, ldexp(1, exponent - 1));
  return found;
}

static hyla_status frobenius(const hyla_matrix *a, double *value, int *exponent) {
  struct hy_squares work,
      found = hy_squares_of(a->k, a->local_rows, a->local_cols, a->local, a->ld);
  TRY(hy_allreduce(a->cube, counted_dims(a), &found, 1, sizeof found, hy_squares_add, NULL, &work));
  TRY(hy_tell_guests(a->cube, &found, sizeof found));
  *value = sqrt(found.sum);
  *exponent = found.sum > 0 ? (int)found.exponent : 0;
  return HYLA_OK;
}

hyla_status hy_matrix_frobenius(const hyla_matrix *a, double *value, int *exponent) {
  return hy_agree(a->cube, frobenius(a, value, exponent));
}

/* The largest sum along one axis, of columns (norm ONE) or rows (INF): sums are added over the
 * dimensions that split this axis, and their maximum is taken over the others.  sums: the `count'
 * sums of this rank, then workspace for as many. */
static hyla_status largest_sum(const hyla_matrix *a, bool columns, int64_t count, double *sums,
                               double *value) {
  uint32_t along = hy_axis_mask(columns ? &a->layout.row : &a->layout.col);
  (columns ? a->k->column_sums : a->k->row_sums)((int)a->local_rows, (int)a->local_cols, a->local,
                                                 (int)a->ld, sums);
  TRY(hy_allreduce(a->cube, along, sums, count, sizeof *sums, combine_sum, NULL, sums + count));
  *value = 0;
  for (int64_t i = 0; i < count; i++) *value = larger(*value, sums[i]);
  return allreduce(a->cube, counted_dims(a) & ~along, value, combine_max);
}

/* count, sums: as in largest_sum. */
static hyla_status compute(const hyla_matrix *a, hyla_norm kind, int64_t count, double *sums,
                           double *value) {
  double result = 0;
  int exponent = 0;
  switch (kind) {
  case HYLA_NORM_MAX: TRY(largest_entry(a, &result)); break;
  case HYLA_NORM_FRO:
    TRY(frobenius(a, &result, &exponent));
    result = ldexp(result, exponent);
    break;
  case HYLA_NORM_ONE:
  case HYLA_NORM_INF: TRY(largest_sum(a, kind == HYLA_NORM_ONE, count, sums, &result)); break;
  }
  if (isnan(result)) result = NAN; /* one NaN for all ranks: its sign and payload have no meaning */
  TRY(hy_tell_guests(a->cube, &result, sizeof result));
  *value = result;
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, const hyla_matrix *a, hyla_norm kind,
                         const double *value) {
  TRY(hy_matrix_check(cube, a, "hyla_matrix_norm", "matrix"));
  CHECK(&cube->base, (int)kind >= HYLA_NORM_MAX && (int)kind <= HYLA_NORM_FRO, ARGUMENT,
        "hyla_matrix_norm: %d is no norm", (int)kind);
  CHECK(&cube->base, value != NULL, ARGUMENT, "hyla_matrix_norm: value is NULL");
  return hy_cube_counts(cube) ? HYLA_OK : hy_need_data(cube, "hyla_matrix_norm");
}

hyla_status hyla_matrix_norm(hyla_cube *cube, const hyla_matrix *matrix, hyla_norm kind,
                             double *value) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  double *sums = NULL;
  int64_t count = 0;
  hyla_status mine = check(cube, matrix, kind, value);
  if (mine == HYLA_OK && kind == HYLA_NORM_ONE) count = matrix->local_cols;
  if (mine == HYLA_OK && kind == HYLA_NORM_INF) count = matrix->local_rows;
  const bool sums_entries = kind == HYLA_NORM_ONE || kind == HYLA_NORM_INF;
  if (mine == HYLA_OK && sums_entries) mine = hy_alloc(&cube->base, 2 * count, sizeof *sums, &sums);
  const int64_t word = (int64_t)kind;
  uint64_t fingerprint = hy_fingerprint(hy_matrix_fingerprint(0, matrix), &word, sizeof word);
  hyla_status status = hy_enter(cube, mine, fingerprint, "hyla_matrix_norm");
  if (status == HYLA_OK) status = hy_agree(cube, compute(matrix, kind, count, sums, value));
  hy_free(&cube->base, &sums);
  return status;
}
