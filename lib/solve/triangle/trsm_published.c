/* The counts of Johnsson 1987, section 6.4, for explaining plans.  See triangle.h.
 *
 * The paper's systems: a 2^k x 2^k array in Gray code, N = q 2^k unknowns and R right-hand sides, r
 * 2^k of them if they are cyclic; everything is element-cyclic, and a link carries one element a
 * step.  The paper counts from the right-hand sides to the solution on the diagonal; theorems 6.4
 * and 6.5 count from identities on the diagonal.  The library's own counts are those of the same
 * parts of a run.  They are exact if starts take no time, and a run on a virtual cube reports them
 * (hy_part).
 *
 * The bracket of theorem 6.5 is lost in print.  max((q-1)/2, r) q approximates the sum of max(j, r)
 * over j = 1 ... q-1, the elements of block columns and of block rows that start; with the bracket
 * behind k - 1 it would not. */
#include "solve/triangle/triangle.h"

struct letters {
  int64_t k, q, n, nrhs, r;
};

/* Is the system element-cyclic on a square array in Gray code, and lower in the left form? */
static bool is_papers(const struct hy_triangular_problem *p) {
  const struct hy_axis *axes[] = {&p->t_row, &p->t_col};
  const struct hy_triangular *form = &p->form;
  bool plain = (form->op == HYLA_NONE) == (form->side == HYLA_LEFT);
  for (int i = 0; i < 2; i++) {
    const hyla_axis *code = &axes[i]->code;
    if (code->code != HYLA_GRAY || code->binary > 0 || axes[i]->block != 1) return false;
  }
  return p->t_row.parts == p->t_col.parts && p->t_row.parts > 1 && p->t_row.n > 0 &&
         (form->triangle == HYLA_LOWER) == plain;
}

static const struct hy_axis *across(const struct hy_triangular_problem *p) {
  return p->form.side == HYLA_LEFT ? &p->x_col : &p->x_row;
}

static struct letters letters_of(const struct hy_triangular_problem *p) {
  int64_t parts = p->t_row.parts, nrhs = across(p)->n;
  return (struct letters){.k = hy_log2_floor((uint32_t)parts),
                          .q = hy_ceil_div(p->t_row.n, parts),
                          .n = p->t_row.n,
                          .nrhs = nrhs,
                          .r = hy_ceil_div(nrhs, parts)};
}

/* Are all right-hand sides on the first rank column?  Are they cyclic? */
static bool on_first(const struct hy_triangular_problem *p) {
  return hy_held(across(p), 0) == across(p)->n;
}
static bool is_cyclic(const struct hy_triangular_problem *p) { return across(p)->block == 1; }

static void explain_sweep(const struct letters *l, bool exact, struct hy_text *text) {
  long long side = 1LL << l->k, q = l->q, nrhs = l->nrhs;
  if (nrhs == 1)
    hy_text_add(text, "  published: %lld = 2 (q 2^k - 1) (johnsson-1987, theorem 6.2)",
                2 * (q * side - 1));
  else
    hy_text_add(text,
                "  published: %lld = max(2 2^k, 2R) (q - 1) + 2 2^k + R - 3 (johnsson-1987, "
                "theorem 6.3)",
                hy_max(2 * side, 2 * nrhs) * (q - 1) + 2 * side + nrhs - 3);
  hy_text_add(text, " steps of one element to the solution on the diagonal, k = %lld, q = %lld",
              (long long)l->k, q);
  if (nrhs > 1) hy_text_add(text, ", R = %lld", nrhs);
  if (exact)
    hy_text_add(text, "; here %lld = max(2 2^k, R) (q - 1) + 2 2^k + R - 3",
                hy_max(2 * side, nrhs) * (q - 1) + 2 * side + nrhs - 3);
  hy_text_add(text, "\n");
}

static void explain_identity(const struct letters *l, bool exact, struct hy_text *text) {
  long long k = l->k, q = l->q, nrhs = l->nrhs;
  hy_text_add(text,
              "  published: %lld = (q - 1) (2k + R - 1) + k (johnsson-1987, theorem 6.4) steps of "
              "one element from identities to the solution on the diagonal, k = %lld, q = %lld, R "
              "= %lld",
              (q - 1) * (2 * k + nrhs - 1) + k, k, q, nrhs);
  if (exact && q > 1)
    hy_text_add(text, "; here %lld = (q - 2) max(2k, R) + 3k + R - 1",
                (q - 2) * hy_max(2 * k, nrhs) + 3 * k + nrhs - 1);
  if (exact && q == 1) hy_text_add(text, "; here 0: they are the solution");
  hy_text_add(text, "\n");
}

static void explain_product(const struct letters *l, bool exact, struct hy_text *text) {
  long long k = l->k, q = l->q, r = l->r, side = 1LL << k, words = 0;
  for (long long later = 1; later < q; later++) words += hy_max(later, r);
  hy_text_add(
      text,
      "  published: %lld = q (q - 1) r 2^(k-1) + max((q - 1)/2, r) q + k - 1 "
      "(johnsson-1987, theorem 6.5) steps of one element from identities to the solution, k "
      "= %lld, q = %lld, r = %lld",
      q * (q - 1) * r * side / 2 + hy_max(q - 1, 2 * r) * q / 2 + k - 1, k, q, r);
  if (exact)
    hy_text_add(text, "; here %lld = sum(j = 1 ... q-1: max(j, r)) (2^k - 1)", words * (side - 1));
  hy_text_add(text, "\n");
}

void hy_trsm_published(const struct hy_triangular_problem *p, enum hy_trsm_way way, int64_t groups,
                       struct hy_text *text) {
  if (!is_papers(p) || across(p)->n == 0) return;
  const struct letters l = letters_of(p);
  bool whole = l.n == l.q << l.k, one_by_one = groups == l.nrhs;
  if (way == HY_TRSM_BY_SWEEP) explain_sweep(&l, whole && one_by_one && on_first(p), text);
  if (way == HY_TRSM_BY_TREES) explain_identity(&l, whole && one_by_one && is_cyclic(p), text);
  if (way == HY_TRSM_BY_PRODUCT) explain_product(&l, whole && is_cyclic(p), text);
}
