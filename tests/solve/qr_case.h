/* A random matrix and right-hand sides, factored by QR and solved. */
#ifndef QR_CASE_H
#define QR_CASE_H 1

#include "lu_case.h"

struct qr_case {
  const char *variant; /* NULL: the planner's choice */
  int64_t n, nrhs;
  hyla_type type;
  hyla_layout layout, given; /* of the factors; of the matrix */
  uint64_t seed;
};

/* Collective; x: a case.  Checks that R^H R is A^H A, R has zeros below its diagonal, solutions
 * with A, A^T and A^H have small residuals, solutions during the factorization are the same to the
 * bit, counts are as predicted, and only R is given out. */
hyla_status qr_case_run(hyla_cube *cube, void *x);
/* The same on a virtual cube; fails the test. */
void qr_case_simulate(int dims, const struct qr_case *x);

#endif
