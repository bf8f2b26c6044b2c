/* Systems whose inverse is known as a product, and whose elimination with pivots on the diagonal is
 * exact in every type. */
#ifndef JORDAN_CASE_H
#define JORDAN_CASE_H 1

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

/* A^-1 = J^(n-1) ... J^0, where column j of J^j is that of f, and op(A) X = B.  Every rank has all
 * arrays, stored by columns. */
struct jordan_case {
  int64_t n, nrhs;
  bool complex_type;
  bool exact; /* all intermediate results have few bits and are exact in every type */
  double _Complex *f, *a, *x, *b[3];
};

/* Pivot j is 1 / f_jj: of size 1, except for two of 1/2 and 2. */
struct jordan_case jordan_case_draw(int64_t n, int64_t nrhs, bool complex_type);
void jordan_case_free(struct jordan_case *s);

/* 1, -1 and, for complex types, i and -i: products and quotients are exact. */
double _Complex jordan_case_unit(bool complex_type);

#endif
