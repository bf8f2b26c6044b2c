/* The counts of Johnsson 1987, sections 6.1 to 6.3, for explaining plans.  See pipeline.h.
 *
 * Theorem 6.1 is garbled in print.  We read it as the sum of (i + 2) 2^k over i = r + 1 ... n, plus
 * k - 3, which for one block is corollary 6.1 (doc/theory.md). */
#include "solve/papers/pipeline.h"

struct letters {
  long long k, q, n, r;
};

/* Is the elimination element by element on a square array in Gray code? */
static bool is_papers(const struct hy_pipeline *p) {
  const hyla_axis *codes[] = {&p->row.code, &p->col.code};
  for (int i = 0; i < 2; i++)
    if (codes[i]->code != HYLA_GRAY || codes[i]->binary > 0) return false;
  return p->row.parts == p->col.parts && p->row.parts > 1 && p->row.n == p->col.n && p->row.n > 0;
}

static void explain_one_block(const struct letters *l, const char *where, struct hy_text *text) {
  hy_text_add(text,
              "  published: %lld = 3 (2^k - 1) + k (johnsson-1987, %s) steps of one element, k = "
              "%lld",
              3 * ((1LL << l->k) - 1) + l->k, where, l->k);
}

static void explain_lu(const struct letters *l, struct hy_text *text) {
  long long n = l->n, after = l->r + 1;
  hy_text_add(text,
              "  published: %lld = (n^2 - (r+1)^2 + 5n - 3(r+1) + 4)/2 2^k + k - 3 (johnsson-1987, "
              "theorem 6.1, as doc/theory.md reads it) steps of one element, k = %lld, q = %lld, n "
              "= %lld, r = %lld",
              ((n * n - after * after + 5 * n - 3 * after + 4) << l->k) / 2 + l->k - 3, l->k, l->q,
              n, l->r);
}

void hy_pipeline_explain(const struct hy_pipeline *p, int64_t nrhs, struct hy_text *text) {
  int64_t side = p->row.parts, order = p->row.n;
  const struct letters l = {.k = hy_log2_floor((uint32_t)side),
                            .q = hy_ceil_div(order, side),
                            .n = hy_ceil_div(order + nrhs, side),
                            .r = hy_ceil_div(nrhs, side)};
  bool one = l.q == 1 && nrhs == 0;
  hy_text_add(text, "  %lld %s in %lld steps, an element a message\n", (long long)p->row.n,
              hy_rotates(p) ? "rows go round" : "pivots go through", (long long)p->steps);
  if (!is_papers(p)) return;
  if (p->kind == HY_ELIMINATE_BELOW)
    explain_lu(&l, text);
  else if (p->kind == HY_ELIMINATE_ALL && one)
    explain_one_block(&l, "corollary 6.1", text);
  else if (p->kind == HY_ROTATE && one)
    explain_one_block(&l, "section 6.3, as many as for LU", text);
  else
    return;
  hy_text_add(text, "; here %lld\n", (long long)p->steps);
}
