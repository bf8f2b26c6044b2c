/* The table of methods: their list (hyla_methods.h) and, here, the variants of each.  The first of
 * equally fast variants is chosen. */
#include "solve/solve.h"

#define LU_ROWS(ROW)                                                                               \
  ROW(hy_lu_partial) ROW(hy_lu_tournament) ROW(hy_lu_on_diagonal) ROW(hy_lu_fixed)
#define CHOLESKY_ROWS(ROW) ROW(hy_cholesky_right) ROW(hy_cholesky_fixed)
#define LDL_ROWS(ROW) ROW(hy_ldl_partial)
#define GAUSS_JORDAN_ROWS(ROW) ROW(hy_gauss_jordan_blocked) ROW(hy_gauss_jordan_on_diagonal)
#define QR_ROWS(ROW) ROW(hy_qr_householder) ROW(hy_qr_tsqr) ROW(hy_qr_by_givens)

#define DECLARE(row) extern const struct hy_variant row;
#define DECLARE_ALL(NAME, ...) NAME##_ROWS(DECLARE)
HYLA_METHODS(DECLARE_ALL)

#define POINT(row) &row,
#define METHOD(NAME, word, text, sample, flops, needs_data, rectangular)                           \
  {.is = {word, text, sample, flops, needs_data, rectangular},                                     \
   .variants = {.name = word,                                                                      \
                .rows = (const struct hy_variant *const[]){NAME##_ROWS(POINT) NULL}}},

const struct hy_method hy_methods[] = {HYLA_METHODS(METHOD)};

const int hy_method_count = sizeof hy_methods / sizeof *hy_methods;

const hyla_method_traits *hyla_method_at(int i) {
  return i >= 0 && i < hy_method_count ? &hy_methods[i].is : NULL;
}
