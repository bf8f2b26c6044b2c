/* The list of factorizations: one row a variant. */
#include "solve/solve.h"

const struct hy_solve_variant *const *hy_solve_variants(void) {
  static const struct hy_solve_variant *const list[] = {&hy_solve_lu, NULL};
  return list;
}
