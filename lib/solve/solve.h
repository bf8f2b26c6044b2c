/* Door of layer 7, solve: factorizations and linear systems, one file a variant. */
#ifndef HY_SOLVE_H
#define HY_SOLVE_H 1

#include "gemm/gemm.h"

struct hyla_factor {
  hyla_cube *cube;
  const struct hy_solve_variant *variant;
  int64_t n;
  int64_t nrhs;
  hyla_matrix *a; /* becomes L and U */
  hyla_matrix *x; /* n x nrhs, conformal with a's rows */
  int64_t *swaps; /* row i was swapped with row swaps[i] at step i; n, on all ranks */
  int64_t pivot;  /* first failing column, from 1; 0: none */
  bool computed;
  void *workspace; /* of the variant */
};

struct hy_solve_variant {
  const char *name;
  const char *reference;
  const char *(*applies)(const struct hyla_factor *factor);
  hyla_cost (*cost)(const struct hyla_factor *factor);
  hyla_status (*prepare)(struct hyla_factor *factor);
  hyla_status (*factor)(struct hyla_factor *factor);                    /* factor->a in place */
  hyla_status (*solve)(const struct hyla_factor *factor, int64_t nrhs); /* factor->x in place */
  void (*release)(struct hyla_factor *factor);
};

extern const struct hy_solve_variant hy_solve_lu;

const struct hy_solve_variant *const *hy_solve_variants(void);

#endif
