/* The counts of Johnsson 1987, section 5.  See theorem.h. */
#include "gemm/theorem.h"

void hy_theorem_explain(const struct hy_theorem *theorem, const struct hy_gemm_problem *problem,
                        struct hy_text *text) {
  int64_t parts = problem->c.row.parts, m = problem->m, n = problem->n, k = problem->k;
  bool square = parts == problem->c.col.parts && parts > 1;
  if (!square || m % parts != 0 || n % parts != 0 || k % parts != 0) return;
  int64_t q = m / parts * (n / parts) * (k / parts), s = hy_max(m, n) / parts * (k / parts);
  int dims = hy_log2_floor((uint32_t)parts);
  hy_text_add(text,
              "  published: %lld = %s (johnsson-1987, theorem %s) steps of one element; each sent "
              "once a block step: %lld = %s, k = %d, q = %lld, s = %lld\n",
              (long long)theorem->count(q, s, dims), theorem->formula, theorem->number,
              (long long)theorem->count(s, s, dims), theorem->once, dims, (long long)q,
              (long long)s);
}
