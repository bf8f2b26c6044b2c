/* Door of layer 6, gemm: C := alpha op(A) op(B) + beta C, one file a variant.
 *
 * A variant works on operands that lie as it asks (layouts()); the front end
 * redistributes the user's matrices where they lie otherwise, at a cost that is
 * part of the choice, and transposes on the way.
 */
#ifndef HY_GEMM_H
#define HY_GEMM_H 1

#include "matrix/matrix.h"

/* What is to be computed: C (m x n) := alpha A (m x k) B (k x n) + beta C, after
 * op() has been taken care of. */
struct hy_gemm_problem {
  hyla_cube *cube;
  const struct hy_kernels *kernels;
  int64_t m, n, k;
};

/* The operands of one run, in the layouts that the variant asked for. */
struct hy_gemm_run {
  double _Complex alpha, beta;
  const hyla_matrix *a;
  const hyla_matrix *b;
  hyla_matrix *c;
  void *workspace; /* of the variant, from prepare */
};

struct hy_gemm_variant {
  const char *name;
  const char *reference; /* key in doc/references.bib, and section */
  /* The layouts it wants; *fixed = false: any layouts in which A and C share the row
   * axis, B and C the column axis and A's columns and B's rows... are given by the
   * user's own C (see the variant's file). */
  void (*layouts)(const struct hy_gemm_problem *problem, const hyla_layout *c_given, hyla_layout *a,
                  hyla_layout *b, hyla_layout *c);
  /* NULL when it applies, else the reason, in words. */
  const char *(*applies)(const struct hy_gemm_problem *problem);
  /* Exact, of the busiest rank, for operands in the layouts it asked for. */
  hyla_cost (*cost)(const struct hy_gemm_problem *problem, const hyla_layout *a,
                    const hyla_layout *b, const hyla_layout *c);
  hyla_status (*prepare)(const struct hy_gemm_problem *problem, const hyla_layout *a,
                         const hyla_layout *b, const hyla_layout *c, void **workspace);
  hyla_status (*run)(const struct hy_gemm_problem *problem, const struct hy_gemm_run *run);
  void (*release)(const struct hy_gemm_problem *problem, void **workspace);
};

/* The list: one row a variant. */
extern const struct hy_gemm_variant hy_gemm_cannon;
extern const struct hy_gemm_variant hy_gemm_summa;

/* All variants, NULL-terminated. */
const struct hy_gemm_variant *const *hy_gemm_variants(void);

#endif
