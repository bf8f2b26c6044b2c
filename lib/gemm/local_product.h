/* Private to lib/gemm: the product of two panels on one node. */
#ifndef HY_GEMM_LOCAL_PRODUCT_H
#define HY_GEMM_LOCAL_PRODUCT_H 1

#include "gemm/triangle_block.h"

/* The rows x cols entries at `data' := alpha A B + beta times their old values.  If a factor is
 * triangular, its zeros are skipped.  If a triangle of C is wanted, the rest of C is neither read
 * nor written. */
struct hy_local_product {
  struct hy_indices rows, cols, inner; /* rows and columns of C, numbers of k */
  const struct hy_panel *a, *b;
  double _Complex beta;
  int64_t wanted; /* entries of C that are computed, if they have been counted; otherwise 0 */
  char *data;
  int64_t ld;
};
void hy_local_product_run(const struct hy_gemm_task *task, const struct hy_local_product *product);
/* C := beta C; a, b and inner are ignored. */
void hy_local_product_scale(const struct hy_gemm_task *task,
                            const struct hy_local_product *product);

/* The entries that `products' products touch: in all rows x inner of A and inner x cols of B, and
 * the whole result once for each product. */
static inline int64_t hy_gemm_touched(int64_t rows, int64_t cols, int64_t inner, int64_t products) {
  if (rows == 0 || cols == 0 || inner == 0) return 0;
  return (rows + cols) * inner + products * rows * cols;
}

#endif
