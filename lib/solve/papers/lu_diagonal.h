/* Private to solve/papers: LU with pivots on the diagonal: an elimination, and the substitutions
 * with its factors. */
#ifndef HY_LU_DIAGONAL_H
#define HY_LU_DIAGONAL_H 1

#include "solve/papers/pipeline.h"

struct hy_diagonal_lu {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  struct hy_elimination elimination;
  /* [with op][U]: L X = B and U X = B; the systems with op(L) and op(U) are made at their first
   * use. */
  struct hy_triangular_system system[2][2];
  char *transposed; /* owns the latter; NULL: they are not made yet */
};

/* lu_diagonal_workspace.c: functions of the variant's row.  allocate_transposed: makes the systems
 * with op(L) and op(U); collective over all ranks, agreed. */
hyla_status hy_diagonal_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_diagonal_allocate(void *state);
#define HY_DIAGONAL_WORKSPACE .create = hy_diagonal_create, .allocate = hy_diagonal_allocate
hyla_status hy_diagonal_allocate_transposed(struct hy_diagonal_lu *d);

#endif
