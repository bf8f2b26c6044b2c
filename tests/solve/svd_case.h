/* What tests of singular values share: a problem in drawn layouts, and properties that hold for all
 * methods. */
#ifndef SVD_CASE_H
#define SVD_CASE_H 1

#include "lu_case.h"

#include "solve/small.h"
#include "solve/svd.h"

/* A problem: matrices in drawn layouts.  count: values. */
struct svd_case {
  hyla_cube *cube;
  int64_t m, n, count;
  struct lu_place a, left, right;
  double *values;
  hyla_svd_report report; /* of the latest run */
};

/* open: A is random. */
struct svd_case svd_open(hyla_cube *cube, int type, int64_t m, int64_t n);
void svd_close(struct svd_case *p);
hyla_status svd_decompose(struct svd_case *p, const char *method, double *values, hyla_matrix *left,
                          hyla_matrix *right);
bool svd_rotates(const char *method);

/* All ranks have the same bits of p's values, in descending order. */
void svd_check_values(const struct svd_case *p);
/* Values and vectors are within hyla_svd_check's bounds. */
void svd_check_vectors(const struct svd_case *p);
/* Decomposes, with both checks; values alone have the same bits. */
void svd_check(struct svd_case *p, const char *method);

/* A method for a problem, drawn or always the same. */
typedef const char *svd_method(const struct svd_case *p);
void svd_scales(svd_method *method_of);
void svd_not_finite(svd_method *method_of);

#endif
