/* Systems whose answer is known, one kind for each way of eliminating. */
#ifndef KNOWN_CASE_H
#define KNOWN_CASE_H 1

#include "ldl_case.h"
#include "lu_case.h"
#include "methods.h"

/* In the first three kinds and in PRODUCT all arithmetic is exact, in every type.
 *   SWAPPED     L U with its rows swapped; partial pivoting finds these factors
 *   SETTLED     L U, whose pivots are good where they are
 *   DEFINITE    L L^H
 *   PRODUCT     pivots on the diagonal, and A^-1 = J^(n-1) ... J^0 (jordan_case.h)
 *   DOMINANT    small integers, and one large entry in each row and each column: the condition is
 *               below 4.  X is known, and found up to rounding
 *   BALANCED    the same with the large entries on the diagonal, and Hermitian
 *   INDEFINITE  Hermitian, of the kinds in ldl_case.h; X is not known
 *   RANDOM      X is not known */
enum known_kind { SWAPPED, SETTLED, DEFINITE, PRODUCT, DOMINANT, BALANCED, INDEFINITE, RANDOM };

/* Every rank has all arrays, stored by columns. */
struct known {
  enum known_kind kind;
  int64_t n, nrhs;
  bool complex_type;
  double _Complex *a;     /* n x n */
  double _Complex *given; /* A as the method gets it: NaN where a Hermitian method may not read */
  double _Complex *x;     /* n x nrhs; NULL: not known */
  double _Complex *b[3];  /* op(A) X by op; the same for all if X is not known */
  double _Complex *l, *u; /* the factors, J of PRODUCT in u; NULL: not known */
  int64_t *rows;          /* row i of P A is row rows[i] of A; NULL: not known */
  enum kind signs;        /* of INDEFINITE; KINDS: another kind */
  int64_t positive;       /* number of positive eigenvalues; -1: not known */
};

/* All ranks draw the same.  stop: the column, from 0, where the elimination meets a pivot of zero,
 * or for DEFINITE maybe a negative one; -1: nowhere. */
struct known known_draw(enum known_kind kind, int64_t n, int64_t nrhs, bool complex_type,
                        int64_t stop);
void known_free(struct known *s);

/* a b; without the search for infinities that the language asks for, which takes longer. */
static inline double _Complex known_times(double _Complex a, double _Complex b) {
  return hy_complex(creal(a) * creal(b) - cimag(a) * cimag(b),
                    creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* The largest error of an entry of X: |A| |A^-1| is below 4 where the arithmetic is not exact. */
double known_error(const struct known *s, double unit);

#endif
