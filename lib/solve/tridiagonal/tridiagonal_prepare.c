/* A Hermitian matrix before its reduction: are its entries finite, and of a size that squares and
 * their sums can have?  Its triangle is scaled, and loses the mean of its diagonal where that is
 * exact. */
#include "solve/tridiagonal/tridiagonal.h"

#include <complex.h>
#include <math.h>

/* What all ranks find out about the triangle: the largest entry below the diagonal; of the diagonal
 * the real parts' range. */
static struct hy_tridiagonal_look look_here(const struct hy_tridiagonal_triangle *t) {
  const struct hy_block_cyclic *array = t->array;
  const struct hy_kernels *k = t->a->k;
  struct hy_tridiagonal_look look = {{0, 0}, INFINITY, -INFINITY};
  struct hy_stretch run = {0};
  while (!k->dry && hy_stretch_next(&array->col, array->col_part, array->cols, &run))
    for (int64_t c = run.local; c < run.local + run.count; c++) {
      const int64_t index = run.index + c - run.local;
      int64_t row = hy_axis_before(&array->row, array->row_part, index);
      if (hy_axis_owner(&array->row, index) == array->row_part) {
        const double entry = creal(k->get(hy_at(t->a, row, c), 0));
        if (isnan(entry)) look.below = (struct hy_norm){NAN, 0};
        look.low = fmin(look.low, entry);
        look.high = fmax(look.high, entry);
        row++;
      }
      if (row < array->rows)
        look.below = hy_norm_larger(
            look.below, hy_norm_largest(k, array->rows - row, 1, hy_at(t->a, row, c), t->a->ld));
    }
  return look;
}

/* The exponents between which squares of entries and their sums stay in the range. */
static int least_exponent(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? -50 : -484; }
static int most_exponent(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 50 : 484; }

static void join_looks(void *into, const void *from, int64_t count, const void *arg) {
  struct hy_tridiagonal_look *a = into;
  const struct hy_tridiagonal_look *b = from;
  const struct hy_kernels *k = arg;
  (void)count; /* count is 1 */
  if (k->dry) return;
  a->below = hy_norm_larger(a->below, b->below);
  a->low = fmin(a->low, b->low);
  a->high = fmax(a->high, b->high);
}

/* Scales the triangle by a power of two if its entries are too large or too small. */
static void scale(const struct hy_tridiagonal_triangle *t, const struct hy_tridiagonal_look *look,
                  int *exponent) {
  const struct hy_block_cyclic *array = t->array;
  const struct hy_kernels *k = t->a->k;
  const double ends = fmax(fabs(look->low), fabs(look->high));
  const struct hy_norm largest =
      hy_norm_larger(look->below, hy_norm_fraction((struct hy_norm){ends, 0}));
  if (largest.value == 0 ||
      (largest.exponent >= least_exponent(k) && largest.exponent <= most_exponent(k)))
    return;
  *exponent = largest.exponent;
  for (int64_t c = 0; c < array->cols; c++) {
    const int64_t index = hy_axis_index(&array->col, array->col_part, c);
    const int64_t row = hy_axis_before(&array->row, array->row_part, index);
    if (row < array->rows) hy_shift(k, array->rows - row, -*exponent, hy_at(t->a, row, c));
  }
}

/* Where the diagonal's entries differ by a factor of 3 at most, their mean can be subtracted
 * without rounding (Sterbenz 1974).  Where they are larger than half the sum of a column's other
 * entries can be, roundings are then relative to what is left. */
static void subtract_mean(const struct hy_tridiagonal_triangle *t,
                          const struct hy_tridiagonal_look *look, int exponent, double *found) {
  const struct hy_block_cyclic *array = t->array;
  const struct hy_kernels *k = t->a->k;
  const double low = fmin(fabs(look->low), fabs(look->high)),
               high = fmax(fabs(look->low), fabs(look->high));
  const double below = ldexp(look->below.value, (int)hy_min(2000, look->below.exponent));
  double mean = low + (high - low) / 2;
  if (k->epsilon > 1e-10) mean = (double)(float)mean;
  const bool exact = (look->low < 0) == (look->high < 0) && mean <= 2 * low && high <= 2 * mean;
  if (!exact || !(low > below * (double)array->order / 2)) return;
  *found = ldexp(look->low < 0 ? -mean : mean, -exponent);
  for (int64_t c = 0; c < array->cols; c++) {
    const int64_t index = hy_axis_index(&array->col, array->col_part, c);
    if (hy_axis_owner(&array->row, index) != array->row_part) continue;
    char *entry = hy_at(t->a, hy_axis_before(&array->row, array->row_part, index), c);
    k->set(entry, 0, creal(k->get(entry, 0)) - *found);
  }
}

hyla_status hy_tridiagonal_prepare(const struct hy_tridiagonal_triangle *t, int *exponent,
                                   double *mean) {
  const struct hy_kernels *k = t->a->k;
  struct hy_tridiagonal_look look = look_here(t);
  *exponent = 0;
  *mean = 0;
  hy_count_read(t->cube, t->array->rows * t->array->cols / 2);
  TRY(hy_subcube_allreduce(t->looks, &look, 1, join_looks, k));
  if (k->dry) return HYLA_OK;
  CHECK(&t->cube->base, isfinite(look.below.value) && isfinite(look.low) && isfinite(look.high),
        NOT_FINITE, "the triangle has an entry that is not finite");
  scale(t, &look, exponent);
  subtract_mean(t, &look, *exponent, mean);
  return HYLA_OK;
}
