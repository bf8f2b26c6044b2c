/* Private to lib/gemm: the state of a variant with two factors and a result. */
#ifndef HY_GEMM_PRODUCT_H
#define HY_GEMM_PRODUCT_H 1

#include "gemm/result.h"
#include "gemm/split_operand.h"

/* The state of such a variant begins with this. */
struct hy_product {
  const struct hy_gemm_task *task;
  struct hy_split_operand *a, *b; /* op(A) along the row of the array, op(B) along the column */
  struct hy_result c;             /* C's own block */
};

/* Local.  Makes a state of `size' bytes for a task.  The variant then gives the factors their uses,
 * unless this rank is a guest, which has no factors. */
hyla_status hy_product_create(const void *task, size_t size, void **state);
static inline bool hy_product_is_guest(const struct hy_product *product) {
  return product->task->problem.cube->address < 0;
}
/* A variant's allocate. */
hyla_status hy_product_allocate(void *state);

/* Before and after the loop. */
hyla_status hy_product_begin(struct hy_product *product);
hyla_status hy_product_end(struct hy_product *product);
/* C += alpha A(:, k) B(k, :), and the count of the entries that it touches. */
void hy_product_add(struct hy_product *product, const struct hy_panel *a, const struct hy_panel *b,
                    const struct hy_indices *k);
/* Says how the panels called `a' and `b' travel, and the sums; a and b may be NULL. */
void hy_product_explain(const struct hy_product *product, const char *a, const char *b,
                        struct hy_text *text);

#endif
