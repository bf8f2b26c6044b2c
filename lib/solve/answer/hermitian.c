/* How far a square matrix is from Hermitian: hyla_matrix_asymmetry.
 *
 * Method: A^H is brought to where A lies and compared.  A few entries and their mirror images,
 * drawn within the band, show before whether that is worth while: in a matrix that is Hermitian up
 * to rounding, all of them are equal up to rounding. */
#include "solve/answer/answer.h"

#include <complex.h>
#include <math.h>

/* ------------------------------------------------------------ comparison -- */

/* The results of a comparison: the largest difference (NaN counts as largest), and the largest
 * entry. */
struct seen {
  double largest, size;
  int64_t place;        /* of that difference, counted by columns; the first one of its size */
  int64_t not_positive; /* diagonal entries without a positive real part */
};

static double order_of(double size) { return isnan(size) ? INFINITY : size; }

static void take_larger(struct seen *a, const struct seen *b) {
  double one = order_of(a->largest), other = order_of(b->largest);
  if (isnan(a->largest) == isnan(b->largest) ? one < other || (one == other && b->place < a->place)
                                             : isnan(b->largest)) {
    a->largest = b->largest;
    a->place = b->place;
  }
}

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  struct seen *a = into;
  const struct seen *b = from;
  (void)arg, (void)count; /* count is 1 */
  take_larger(a, b);
  a->size = fmax(a->size, b->size);
  a->not_positive += b->not_positive;
}

/* The larger one of the two parts; a root would take most of the time of a pass. */
static double magnitude(double _Complex entry) {
  double re = fabs(creal(entry)), im = fabs(cimag(entry));
  return isnan(re) || isnan(im) ? NAN : fmax(re, im);
}

static void see(struct seen *seen, double _Complex entry, double _Complex mirror, int64_t row,
                int64_t col, int64_t n) {
  /* The difference of equal infinities is not a number. */
  double difference = entry == mirror ? 0 : magnitude(entry - mirror);
  const struct seen one = {.largest = difference, .place = col * n + row};
  if (row >= col) take_larger(seen, &one);
  seen->size = fmax(seen->size, magnitude(entry));
  seen->not_positive += row == col && !(creal(entry) > 0);
}

static struct seen compare_here(const hyla_matrix *a, const hyla_matrix *other) {
  const struct hy_kernels *k = a->k;
  struct seen seen = {.place = INT64_MAX};
  for (int64_t m = 0; m < a->local_cols; m++) {
    int64_t col = hyla_matrix_col(a, m);
    for (int64_t l = 0; l < a->local_rows; l++)
      see(&seen, k->get(hy_at(a, 0, m), l), k->get(hy_at(other, 0, m), l), hyla_matrix_row(a, l),
          col, a->row.n);
  }
  return seen;
}

static hyla_status compare(const hyla_matrix *a, hyla_matrix *other, struct seen *seen) {
  hyla_cube *cube = a->cube;
  const hyla_transfer transfer = {HYLA_CONJUGATE, 1, a, other};
  struct seen work;
  uint32_t all = hy_all_dims(cube);
  TRY(hy_redistribute_once(cube, &transfer, NULL));
  *seen = compare_here(a, other);
  TRY(hy_agree(cube, hy_allreduce(cube, all, seen, 1, sizeof *seen, combine, NULL, &work)));
  return hy_agree(cube, hy_tell_guests(cube, seen, sizeof *seen));
}

/* Is the difference no larger than that of two sums of n products? */
static bool is_rounding(const hyla_matrix *a, const struct seen *seen) {
  double may = 2 * (double)(a->row.n + 8) * a->k->epsilon * seen->size;
  return isfinite(may) && seen->largest <= may;
}

hyla_status hy_asymmetry_find(const hyla_matrix *a, hyla_asymmetry *asymmetry) {
  hyla_cube *cube = a->cube;
  hyla_matrix other = {0};
  struct seen seen = {0};
  hyla_status status = hy_agree(cube, hy_matrix_like(a, a->k->type, &other));
  if (status == HYLA_OK) status = compare(a, &other, &seen);
  hy_free(&cube->base, &other.local);
  TRY(status);
  int64_t n = hy_max(1, a->row.n), place = seen.largest == 0 ? 0 : seen.place;
  *asymmetry = (hyla_asymmetry){.largest = seen.largest,
                                .row = place % n,
                                .col = place / n,
                                .rounding = is_rounding(a, &seen),
                                .positive_diagonal = seen.not_positive == 0};
  return HYLA_OK;
}

/* ---------------------------------------------------------------- sample -- */

enum { PAIRS = 32 };

/* Entries and their mirror images; 0 for entries on other nodes. */
struct sample {
  _Alignas(16) double _Complex entry[PAIRS], mirror[PAIRS], diagonal[PAIRS];
};

static void add(void *into, const void *from, int64_t count, const void *arg) {
  struct sample *a = into;
  const struct sample *b = from;
  (void)arg, (void)count; /* count is 1 */
  for (int i = 0; i < PAIRS; i++) {
    a->entry[i] += b->entry[i];
    a->mirror[i] += b->mirror[i];
    a->diagonal[i] += b->diagonal[i];
  }
}

static double _Complex entry_here(const hyla_matrix *a, int64_t row, int64_t col) {
  if (a->local_rows == 0 || hy_axis_owner(&a->row, row) != a->row_part ||
      hy_axis_owner(&a->col, col) != a->col_part)
    return 0;
  return a->k->get(hy_at(a, hy_axis_before(&a->row, a->row_part, row),
                         hy_axis_before(&a->col, a->col_part, col)),
                   0);
}

static int64_t draw(int64_t i, int64_t below) {
  return (int64_t)(hy_fingerprint(UINT64_C(0x4e12), &i, sizeof i) >> 1) % hy_max(1, below);
}

static struct sample sample_here(const hyla_matrix *a, int64_t band) {
  struct sample sample = {0};
  for (int i = 0; i < PAIRS; i++) {
    int64_t below = hy_min(a->row.n - 1, 1 + draw(2 * i, band));
    int64_t col = draw(2 * i + 1, a->row.n - below), row = col + below;
    sample.entry[i] = entry_here(a, row, col);
    sample.mirror[i] = entry_here(a, col, row);
    sample.diagonal[i] = entry_here(a, row, row);
  }
  return sample;
}

hyla_status hy_perhaps_hermitian(const hyla_matrix *a, int64_t band, bool *perhaps) {
  hyla_cube *cube = a->cube;
  struct sample work;
  struct seen seen = {.place = INT64_MAX};
  uint32_t all = hy_all_dims(cube);
  *perhaps = false;
  if (a->row.n < 1) return HYLA_OK;
  struct sample sample = sample_here(a, band);
  TRY(hy_agree(cube, hy_allreduce(cube, all, &sample, 1, sizeof sample, add, NULL, &work)));
  TRY(hy_agree(cube, hy_tell_guests(cube, &sample, sizeof sample)));
  for (int i = 0; i < PAIRS; i++) {
    see(&seen, sample.entry[i], conj(sample.mirror[i]), 1, 0, a->row.n);
    seen.size = fmax(seen.size, magnitude(sample.diagonal[i]));
  }
  *perhaps = is_rounding(a, &seen);
  return HYLA_OK;
}

/* ---------------------------------------------------------------- public -- */

hyla_status hyla_matrix_asymmetry(hyla_cube *cube, const hyla_matrix *matrix,
                                  hyla_asymmetry *asymmetry) {
  const struct hy_call call = {.name = "hyla_matrix_asymmetry",
                               .place = {{"asymmetry", asymmetry, 1}},
                               .argument = {{"matrix", matrix, .sizes = "nn"}},
                               .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  return hy_agree(cube, hy_asymmetry_find(matrix, asymmetry));
}
