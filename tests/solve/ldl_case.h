/* Draws Hermitian indefinite systems of several kinds. */
#ifndef LDL_CASE_H
#define LDL_CASE_H 1

#include "lu_case.h"

enum { SIDES_MOST = 70 };

/* INERTIA  M S M^H, M unit lower triangular, S of signs: as many eigenvalues of each sign
 * HOLLOW   random with a zero diagonal: the first pivot cannot be of order 1
 * SADDLE   [S B; B^H 0], S diagonal and positive, B of full rank: the order of S is the number of
 *          positive eigenvalues
 * PAIRS    blocks [0 t; t 0] on the diagonal, and a 1 if n is odd: all other pivots are of order 2
 * GRADED   random, row and column i times 10^(-8 i / n) */
enum kind { INERTIA, HOLLOW, SADDLE, PAIRS, GRADED, KINDS };
/* Hermitian A, whole, and its lower triangle with NaN on the other side and in the imaginary parts
 * of the diagonal, which nobody may read. */
struct indefinite {
  int64_t n;
  enum kind kind;
  int64_t positive; /* number of positive eigenvalues; -1: unknown */
  double _Complex *a, *lower, *b;
};

/* All ranks draw the same. */
struct indefinite draw_indefinite(int64_t n, enum kind kind, bool complex_type);
void free_indefinite(struct indefinite *s);

#endif
