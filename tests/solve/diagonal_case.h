/* Systems for the variants named `diagonal', whose pivots stand on the diagonal, element by
 * element. */
#ifndef DIAGONAL_CASE_H
#define DIAGONAL_CASE_H 1

#include "lu_case.h"

/* A factorization and its system, in the layouts that the variant wants. */
struct diagonal_case {
  hyla_matrix *a, *b, *x;
  hyla_factor *factor;
};

/* Collective.  For n unknowns and nrhs right-hand sides; free it also after a failure. */
hyla_status diagonal_case_make(hyla_cube *cube, hyla_method method, hyla_type type, int64_t n,
                               int64_t nrhs, const hyla_layout *layout, struct diagonal_case *m);
void diagonal_case_free(struct diagonal_case *m);

/* Collective.  Asserts that a method takes the variant only when asked, and not for blocks. */
void diagonal_case_is_asked_for(hyla_cube *cube, hyla_method method);

#endif
