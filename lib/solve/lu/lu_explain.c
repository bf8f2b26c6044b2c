/* LU: explanations for people. */
#include "solve/lu/lu.h"

/* Explains a group if the user asked for its variant. */
static void explain_asked(const struct hy_subcube_op *group, const char *what,
                          struct hy_text *text) {
  if (group->choice.why == HY_ASKED) hy_subcube_explain(group, what, text);
}

void hy_lu_explain_elimination(const struct hy_lu *lu, struct hy_text *text) {
  if (lu->shares.schedules == NULL)
    hy_text_add(text, "  panels: broadcast by doubling, lent one ahead (the default)\n");
  else
    explain_asked(&lu->shares, "panels", text);
  explain_asked(&lu->searches, "pivot searches", text);
  explain_asked(&lu->rows, "rows that move", text);
}

void hy_lu_explain_least(const struct hy_factorization *problem, const struct hy_variant *variant,
                         struct hy_text *text) {
  hyla_cost least;
  if (hy_factor_least(problem, variant, &least) != HYLA_OK)
    hy_text_add(text,
                "  the pivots decide the cost: this is the most; there is no memory to find the "
                "least\n");
  else
    hy_text_add(text,
                "  the pivots decide the cost: this is the most, the least is %lld steps, %lld "
                "messages, %lld words\n",
                (long long)least.steps, (long long)least.messages, (long long)least.words);
}

void hy_lu_explain(const void *state, struct hy_text *text) {
  const struct hy_lu *lu = state;
  hy_lu_explain_elimination(lu, text);
  explain_asked(&lu->adds, "sums of right-hand sides", text);
  explain_asked(&lu->blocks, "blocks of the solution", text);
  hy_lu_explain_least(lu->problem, lu->variant, text);
}
