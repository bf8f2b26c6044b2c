/* The list of factorizations: one row a variant. */
#include "solve/solve.h"

static const struct hy_variant *const LIST[] = {&hy_solve_lu.row, NULL};

const struct hy_family hy_solve_family = {"solve", LIST};
