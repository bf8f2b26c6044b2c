/* Private to lib/solve: how far a square matrix is from Hermitian. */
#ifndef HY_HERMITIAN_H
#define HY_HERMITIAN_H 1

#include "solve/solve.h"

/* Collective, agreed upon; of a square matrix with data.
 * find     hyla_matrix_asymmetry; takes the memory of one more matrix
 * perhaps  may it be Hermitian but for rounding?  By a few entries within the band, of which none
 *          moves.  Where the answer is no it is not */
hyla_status hy_asymmetry_find(const hyla_matrix *a, hyla_asymmetry *asymmetry);
hyla_status hy_perhaps_hermitian(const hyla_matrix *a, int64_t band, bool *perhaps);

#endif
