/* Conversion from one type to another.  An entry is one or two real numbers at a regular distance.
 * Numbers are rounded as in C: to nearest, numbers too large to infinity; a NaN stays a NaN. */
#include "local/local.h"

#include <string.h>

/* Each converts `count' numbers that stand `step' apart. */
static void float_to_float(int64_t count, const void *x, int step_x, void *y, int step_y) {
  const float *from = x;
  float *to = y;
  for (int64_t i = 0; i < count; i++) to[i * step_y] = from[i * step_x];
}

static void float_to_double(int64_t count, const void *x, int step_x, void *y, int step_y) {
  const float *from = x;
  double *to = y;
  for (int64_t i = 0; i < count; i++) to[i * step_y] = from[i * step_x];
}

static void double_to_float(int64_t count, const void *x, int step_x, void *y, int step_y) {
  const double *from = x;
  float *to = y;
  for (int64_t i = 0; i < count; i++) to[i * step_y] = (float)from[i * step_x];
}

static void double_to_double(int64_t count, const void *x, int step_x, void *y, int step_y) {
  const double *from = x;
  double *to = y;
  for (int64_t i = 0; i < count; i++) to[i * step_y] = from[i * step_x];
}

typedef void convert_numbers(int64_t count, const void *x, int step_x, void *y, int step_y);

/* numbers: real numbers in an entry.  number_size: bytes of one of them. */
static int numbers(const struct hy_kernels *k) { return k->complex_type ? 2 : 1; }
static size_t number_size(const struct hy_kernels *k) { return k->size / (size_t)numbers(k); }

static convert_numbers *converter(const struct hy_kernels *from, const struct hy_kernels *to) {
  bool wide = number_size(to) == sizeof(double);
  if (number_size(from) == sizeof(float)) return wide ? float_to_double : float_to_float;
  return wide ? double_to_double : double_to_float;
}

void hy_convert(enum hy_component component, int m, int n, const struct hy_kernels *from,
                const void *a, int lda, const struct hy_kernels *to, void *b, int ldb) {
  if (from->dry) return;
  bool whole = from->complex_type && to->complex_type && component == HY_BOTH_PARTS;
  bool none = !from->complex_type && component == HY_IMAGINARY_PART;
  convert_numbers *convert = converter(from, to);
  const size_t skipped = component == HY_IMAGINARY_PART ? number_size(from) : 0;
  for (int64_t j = 0; j < n; j++) {
    const char *x = (const char *)a + (size_t)(j * lda) * from->size;
    char *y = (char *)b + (size_t)(j * ldb) * to->size;
    if (none || (to->complex_type && !whole)) memset(y, 0, (size_t)m * to->size);
    if (whole)
      convert(2 * (int64_t)m, x, 1, y, 1);
    else if (!none)
      convert(m, x + skipped, numbers(from), y, numbers(to));
  }
}
