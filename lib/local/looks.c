/* Looks at each entry of a block, in the instructions that this processor has: one body, for each
 * type twice.  Both round alike: nothing is fused. */
#include "local/kernels.h"
#include "local/lines.h"

#include <math.h>

/* Squares in between neither overflow nor lose bits. */
static const double LEAST_SQUARE = 1e-280, MOST_SQUARE = 1e280;

#define ABSOLUTE(x) _Generic((x), float : fabsf, double : fabs)(x)

/* A NaN, once met, stays: no number compares below it. */
static inline double larger_of(double largest, double other) {
  return !(other <= largest) && !isnan(largest) ? other : largest;
}

/* x_i := its root. */
static void roots_plain(int m, double *x) {
  for (int i = 0; i < m; i++) x[i] = sqrt(x[i]);
}

#define SUFFIX _plain
#define TARGET
#define TYPE_BODY "local/looks_body.h"
#include "local/types.h"
static const struct hy_looks looks_plain = {BY_TYPE(largest), BY_TYPE(pass), BY_TYPE(magnitudes),
                                            BY_TYPE(squares)};
#undef SUFFIX
#undef TARGET

#ifdef HY_WIDE
static __attribute__((target("avx2"))) void roots_wide(int m, double *x) {
  int i = 0;
  for (; i + 4 <= m; i += 4) _mm256_storeu_pd(x + i, _mm256_sqrt_pd(_mm256_loadu_pd(x + i)));
  for (; i < m; i++) x[i] = sqrt(x[i]);
}

#define SUFFIX _wide
#define TARGET __attribute__((target("avx2")))
#define TYPE_BODY "local/looks_body.h"
#include "local/types.h"
static const struct hy_looks looks_wide = {BY_TYPE(largest), BY_TYPE(pass), BY_TYPE(magnitudes),
                                           BY_TYPE(squares)};
#endif

const struct hy_looks *hy_looks_of(bool wide) {
#ifdef HY_WIDE
  if (wide) return __builtin_cpu_supports("avx2") ? &looks_wide : NULL;
#else
  if (wide) return NULL;
#endif
  return &looks_plain;
}

const struct hy_looks *hy_looks_best(void) {
  const struct hy_looks *wide = hy_looks_of(true);
  return wide != NULL ? wide : &looks_plain;
}
