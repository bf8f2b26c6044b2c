/* The list of methods: a row a method, with the list of its variants.  The first of equally
 * fast ones is chosen. */
#include "solve/solve.h"

static const struct hy_variant *const LU[] = {&hy_lu_partial, NULL};
static const struct hy_variant *const CHOLESKY[] = {&hy_cholesky_right, NULL};

const struct hy_method hy_methods[HY_METHODS] = {
    [HYLA_LU] = {.variants = {"lu", LU}, .needs_data = true, .layout = hy_factor_layout},
    [HYLA_CHOLESKY] = {.variants = {"cholesky", CHOLESKY}, .layout = hy_factor_layout},
};
