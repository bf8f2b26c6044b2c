/* Are these the factors of a known system? */
#ifndef FACTORS_CASE_H
#define FACTORS_CASE_H 1

#include "known_case.h"

/* Collective, agreed; FORMAT with a message if not.  All that the factorization gives is compared
 * with the known factors, or multiplied and compared with A, by node 0.  given: a layout for the
 * matrices that it is brought to.  multiplier: the largest entry of L, where LU finds its own
 * pivots. */
hyla_status factors_check(const struct known *s, const hyla_layout *given, double multiplier,
                          hyla_factor *factor);

/* The same for a solution of op(A) X = B: |B - op(A) X| <= 8 n u (|A| |X| + |B|) in the 1-norm. */
hyla_status factors_check_solution(const struct known *s, hyla_operation op, const hyla_matrix *x);

#endif
