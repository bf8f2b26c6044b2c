/* The list of methods: a row a method, with the list of its variants.  The first of equally
 * fast ones is chosen. */
#include "solve/solve.h"

extern const struct hy_variant hy_lu_partial;
extern const struct hy_variant hy_lu_tournament;
extern const struct hy_variant hy_cholesky_right;
extern const struct hy_variant hy_ldl_partial;
extern const struct hy_variant hy_gauss_jordan_blocked;

static const struct hy_variant *const LU[] = {&hy_lu_partial, &hy_lu_tournament, NULL};
static const struct hy_variant *const CHOLESKY[] = {&hy_cholesky_right, NULL};
static const struct hy_variant *const LDL[] = {&hy_ldl_partial, NULL};
static const struct hy_variant *const GAUSS_JORDAN[] = {&hy_gauss_jordan_blocked, NULL};

const struct hy_method hy_methods[] = {
    [HYLA_LU] = {.is = {.name = "lu",
                        .text = "with partial pivoting, for any A",
                        .sample = "random",
                        .flops = 2.0 / 3,
                        .needs_data = true},
                 .variants = {"lu", LU},
                 .layout = hy_factor_layout},
    [HYLA_CHOLESKY] = {.is = {.name = "cholesky",
                              .text = "in half the operations, reads the lower triangle of a "
                                      "Hermitian positive definite A",
                              .sample = "definite",
                              .flops = 1.0 / 3},
                       .variants = {"cholesky", CHOLESKY},
                       .layout = hy_factor_layout},
    [HYLA_LDL] = {.is = {.name = "ldl",
                         .text = "with symmetric pivoting, reads the lower triangle of a Hermitian "
                                 "indefinite A",
                         .sample = "hermitian",
                         .flops = 1.0 / 3,
                         .needs_data = true},
                  .variants = {"ldl", LDL},
                  .layout = hy_factor_layout},
    [HYLA_GAUSS_JORDAN] = {.is = {.name = "gauss-jordan",
                                  .text = "makes the inverse, with partial pivoting, for any A",
                                  .sample = "random",
                                  .flops = 2,
                                  .needs_data = true},
                           .variants = {"gauss-jordan", GAUSS_JORDAN},
                           .layout = hy_factor_layout},
};

const int hy_method_count = sizeof hy_methods / sizeof *hy_methods;

const hyla_method_traits *hyla_method_at(int i) {
  return i >= 0 && i < hy_method_count ? &hy_methods[i].is : NULL;
}
