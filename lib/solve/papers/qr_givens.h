/* Private to solve/papers: QR by Givens' rotations, element by element: an elimination, the same
 * rotations for right-hand sides only, and the substitutions with R. */
#ifndef HY_QR_GIVENS_H
#define HY_QR_GIVENS_H 1

#include "solve/papers/pipeline.h"

struct hy_givens {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  struct hy_elimination elimination;
  struct hy_elimination sides; /* x := Q^H x; only with right-hand sides */
  struct hy_triangular_system backward;
  /* op(R)^-1 and Q; made at their first use. */
  struct hy_triangular_system transposed;
  struct hy_elimination back;
  char *transposed_memory; /* owns these two; NULL: they are not made yet */
};

/* qr_givens_workspace.c: functions of the variant's row.  allocate_transposed: makes the solution
 * with op(A); collective over all ranks, agreed. */
hyla_status hy_givens_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_givens_allocate(void *state);
hyla_status hy_givens_allocate_transposed(struct hy_givens *g);

#endif
