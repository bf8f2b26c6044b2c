/* The tests' table of methods: properties of each that the library's list does not have.  A method
 * without a row fails the tests. */
#ifndef TEST_METHODS_H
#define TEST_METHODS_H 1

#include "hyla.h"
#include "solve/solve.h"

#include <string.h>

struct method {
  bool triangle;     /* reads the lower triangle only */
  bool definite;     /* solves positive definite systems only */
  hyla_status stops; /* its status for a zero matrix */
  bool exact;        /* a column of small integers that depends on others leaves an exact zero */
  bool by_inverse;   /* solves by an inverse: the error is multiplied by A's condition */
};

static const struct method METHODS[] = {
    [HYLA_LU] = {.stops = HYLA_SINGULAR, .exact = true},
    [HYLA_CHOLESKY] = {.triangle = true, .definite = true, .stops = HYLA_INDEFINITE, .exact = true},
    [HYLA_LDL] = {.triangle = true, .stops = HYLA_SINGULAR, .exact = true},
    [HYLA_GAUSS_JORDAN] = {.stops = HYLA_SINGULAR, .exact = true, .by_inverse = true},
    [HYLA_QR] = {.stops = HYLA_SINGULAR},
};

/* The index-th of a method's variants that may be chosen without being asked for; NULL after the
 * last. */
static inline const char *method_variant(const char *method, int index) {
  for (int m = 0; m < hy_method_count; m++) {
    if (strcmp(hy_methods[m].is.name, method) != 0) continue;
    for (const struct hy_variant *const *row = hy_methods[m].variants.rows; *row != NULL; row++)
      if ((*row)->asked == NULL && index-- == 0) return (*row)->name;
  }
  return NULL;
}

static inline const struct method *method_row(hyla_method method) {
  assert_in_range(method, 0, sizeof METHODS / sizeof *METHODS - 1);
  return &METHODS[method];
}

#endif
