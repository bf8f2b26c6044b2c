/* Private to lib/gemm: the counts of Johnsson 1987, section 5, for explaining plans. */
#ifndef HY_GEMM_PUBLISHED_COUNT_H
#define HY_GEMM_PUBLISHED_COUNT_H 1

#include "gemm/gemm.h"

/* On a 2^k x 2^k array, a node has q1 x q2 elements of A and q2 x q3 of B.  q = q1 q2 q3 is the
 * number of their products, and s = max(q1,q3) q2.  The paper sends an element once for each of its
 * products: q slots a block step.  If each element is sent once, a block step takes s slots. */
struct hy_published_count {
  const char *number;
  const char *formula, *once;                        /* in k, q, s */
  int64_t (*count)(int64_t slots, int64_t s, int k); /* with q or s slots a block step */
};

/* Local.  Adds a line with both counts, if the array and the blocks are of that shape. */
void hy_published_count_explain(const struct hy_published_count *published,
                                const struct hy_gemm_problem *problem, struct hy_text *text);

#endif
