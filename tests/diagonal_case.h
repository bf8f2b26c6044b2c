/* Systems for the variants named `diagonal`, whose pivots stand on the diagonal, element by
 * element: what their tests make. */
#ifndef DIAGONAL_CASE_H
#define DIAGONAL_CASE_H 1

#include "lu_case.h"

/* A factor and its system, where the variant wants them. */
struct diagonal_case {
  hyla_matrix *a, *b, *x;
  hyla_factor *factor;
};

/* Collective.  Of n unknowns and nrhs right-hand sides; to be freed also after a failure. */
hyla_status diagonal_case_make(hyla_cube *cube, hyla_method method, hyla_type type, int64_t n,
                               int64_t nrhs, const hyla_layout *layout, struct diagonal_case *m);
void diagonal_case_free(struct diagonal_case *m);

/* Collective.  Asserts that a method does not take the variant unasked, and not for blocks. */
void diagonal_case_is_asked_for(hyla_cube *cube, hyla_method method);

#endif
