/* The counts of Johnsson 1987, section 5.  See published_count.h. */
#include "gemm/published_count.h"

void hy_published_count_explain(const struct hy_published_count *published,
                                const struct hy_gemm_problem *problem, struct hy_text *text) {
  int64_t parts = problem->c.row.parts, m = problem->m, n = problem->n, k = problem->k;
  bool square = parts == problem->c.col.parts && parts > 1 && hy_popcount((uint32_t)parts) == 1;
  if (!square || m % parts != 0 || n % parts != 0 || k % parts != 0) return;
  int64_t q = m / parts * (n / parts) * (k / parts), s = hy_max(m, n) / parts * (k / parts);
  int dims = hy_log2_floor((uint32_t)parts);
  hy_text_add(text,
              "  published: %lld = %s (johnsson-1987, theorem %s) steps of one element; each sent "
              "once a block step: %lld = %s, k = %d, q = %lld, s = %lld\n",
              (long long)published->count(q, s, dims), published->formula, published->number,
              (long long)published->count(s, s, dims), published->once, dims, (long long)q,
              (long long)s);
}
