/* Eigenvalues alone, by every variant. */
#ifndef EIGEN_CASE_H
#define EIGEN_CASE_H 1

#include "tests/solve/lu_case.h"

/* A plan of values alone, by the i-th variant; false: it does not apply, or there is none.  name:
 * set, NULL beyond the last. */
bool eigen_plan_alone(hyla_cube *cube, int i, hyla_triangle triangle, const hyla_matrix *a,
                      double *values, const char **name, hyla_plan **plan);
/* Values alone, by each variant, the planner's choice among them, are on all ranks the same bits.
 * Those of the planner's choice are the same as with vectors, others as far from these as n ulp of
 * the largest. */
void eigen_check_alone(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                       const double *values);

#endif
