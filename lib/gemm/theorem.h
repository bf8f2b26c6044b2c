/* Private to lib/gemm: the counts of Johnsson 1987, section 5, for whoever explains a plan. */
#ifndef HY_GEMM_THEOREM_H
#define HY_GEMM_THEOREM_H 1

#include "gemm/gemm.h"

/* On a 2^k x 2^k array, with q1 x q2, q2 x q3 elements of A and B on a node, q = q1 q2 q3 products
 * of them and s = max(q1,q3) q2.  In the paper an element is sent for each of its products, q of
 * them a block step; when each is sent once, s. */
struct hy_theorem {
  const char *number;
  const char *formula, *once;                        /* in k, q, s */
  int64_t (*count)(int64_t slots, int64_t s, int k); /* with q or s slots a block step */
};

/* Local.  Adds a line with both counts, where the array and the blocks are such. */
void hy_theorem_explain(const struct hy_theorem *theorem, const struct hy_gemm_problem *problem,
                        struct hy_text *text);

#endif
