/* Door of solve/jordan: A^-1 by Gauss-Jordan elimination with partial pivoting. */
#ifndef HY_SOLVE_JORDAN_H
#define HY_SOLVE_JORDAN_H 1

#include "solve/lu/lu.h"

extern const struct hy_variant hy_gauss_jordan_blocked;

#endif
