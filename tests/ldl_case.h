/* Hermitian indefinite systems of several kinds, drawn. */
#ifndef LDL_CASE_H
#define LDL_CASE_H 1

#include "lu_case.h"

enum { SIDES_MOST = 70 };

/* INERTIA  M S M^H, M unit lower triangular, S of signs: as many eigenvalues of each sign
 * HOLLOW   random with a zero diagonal: no pivot of order 1 to begin with
 * SADDLE   [S B; B^H 0], S diagonal and positive, B of full rank: the order of S is the number of
 *          positive eigenvalues
 * PAIRS    blocks [0 t; t 0] on the diagonal, and a 1 where n is odd: pivots of order 2 alone
 * GRADED   random, row and column i times 10^(-8 i / n) */
enum kind { INERTIA, HOLLOW, SADDLE, PAIRS, GRADED, KINDS };
/* Hermitian A, all of it, and its lower triangle with NaN on the other side and beside the real
 * parts of the diagonal: nobody may read these. */
struct indefinite {
  int64_t n;
  enum kind kind;
  int64_t positive; /* eigenvalues; -1: not known */
  double _Complex *a, *lower, *b;
};

/* The same on all ranks. */
struct indefinite draw_indefinite(int64_t n, enum kind kind, bool complex_type);
void free_indefinite(struct indefinite *s);

#endif
