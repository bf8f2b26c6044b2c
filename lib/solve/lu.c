/* LU: P A = L U, right-looking, blocked; the variants differ in the pivots of a panel.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * For k = 0, 1, ...: panel k is factored on rank column q_k (lu_partial.c, lu_tournament.c), lent
 * along the rank rows (panel.c), and every rank swaps, solves and updates its
 * columns on the right (lu_swap.c, lu_update.c).  Panel k + 1 is brought up to
 * date, factored and lent before the rest of update k, so that its factorization
 * and its way overlap with the others' products (look-ahead of one panel).
 * Johnsson 1987, section 6 eliminates on the same layout; pivoting, blocks, the
 * look-ahead and rectangular arrays are ours.
 *
 * Steps: n r in the panels, and per panel at most c for the panel and 2 r for
 * the swaps.  Words: lu_cost.c.  Workspace: three panels, the diagonal blocks of
 * the rank column, and, for r > 0, two block rows. */
#include "solve/lu.h"

#include <string.h>

/* On q_k: the panel is loaded, factored unless it already is, sent on its way,
 * stored. */
static hyla_status make_panel(struct hy_lu *lu, int64_t index, bool factoring) {
  struct hy_lu_panel panel = hy_lu_panel_at(lu, index);
  TRY(hy_panels_open(&lu->panels, index, panel.bytes, &panel.slot));
  hy_lu_load(lu, &panel);
  if (factoring) TRY(lu->pivoting->factor(lu, &panel));
  TRY(hy_panels_lend(&lu->panels, panel.slot));
  if (factoring) hy_lu_store(lu, &panel);
  return HYLA_OK;
}

static hyla_status expect_panel(struct hy_lu *lu, int64_t index) {
  if (index >= lu->array.count) return HYLA_OK;
  return hy_panels_expect(&lu->panels, index, hy_row_root(&lu->array, index),
                          hy_lu_panel_at(lu, index).bytes);
}

/* What panel k does to the columns behind it, panel k + 1 first. */
static hyla_status advance(struct hy_lu *lu, const struct hy_lu_panel *panel, bool factoring,
                           const struct hyla_matrix *x) {
  const struct hy_diagonal_block *at = &panel->at;
  int64_t column = at->column + (at->mine ? at->width : 0);
  if (at->index + 1 < lu->array.count) {
    struct hy_diagonal_block next = hy_diagonal_block(&lu->array, at->index + 1);
    if (next.mine) {
      if (factoring) TRY(hy_lu_update(lu, panel, lu->a, column, next.width));
      TRY(make_panel(lu, next.index, factoring));
      column += next.width;
    }
  }
  if (factoring) TRY(hy_lu_update(lu, panel, lu->a, column, lu->a->local_cols - column));
  return x == NULL ? HYLA_OK : hy_lu_update(lu, panel, x, 0, x->local_cols);
}

/* Panel k has come: unless it failed, what it does. */
static hyla_status use_panel(struct hy_lu *lu, const struct hy_lu_panel *panel, bool factoring,
                             const struct hyla_matrix *x) {
  const struct hy_diagonal_block *at = &panel->at;
  memcpy(lu->swaps + at->first, hy_lu_header_of(panel)->swaps,
         (size_t)at->width * sizeof *lu->swaps);
  TRY(expect_panel(lu, at->index + 1));
  hy_lu_swap_plan(lu, at, false);
  return advance(lu, panel, factoring, x);
}

/* All panels in turn: with `factoring` over the matrix, in any case over x. */
static hyla_status eliminate(struct hy_lu *lu, bool factoring, const struct hyla_matrix *x,
                             int64_t *failed, hyla_status *verdict) {
  int64_t count = lu->array.count;
  if (count > 0 && hy_diagonal_block(&lu->array, 0).mine) TRY(make_panel(lu, 0, factoring));
  TRY(expect_panel(lu, 0));
  for (int64_t index = 0; index < count && *verdict == HYLA_OK; index++) {
    struct hy_lu_panel panel = hy_lu_panel_at(lu, index);
    TRY(hy_panels_receive(&lu->panels, index, &panel.slot));
    *verdict = (hyla_status)hy_lu_header_of(&panel)->status;
    *failed = hy_lu_header_of(&panel)->column;
    if (*verdict == HYLA_OK) TRY(use_panel(lu, &panel, factoring, x));
    TRY(hy_panels_close(&lu->panels, panel.slot));
  }
  return hy_panels_finish(&lu->panels);
}

hyla_status hy_lu_run(void *state) {
  struct hy_lu *lu = state;
  hyla_status verdict = HYLA_OK;
  int64_t *pivot = &lu->problem->factors->pivot;
  lu->settled = false;
  lu->lower.swaps = &lu->row_swaps;
  TRY(eliminate(lu, true, lu->problem->along, pivot, &verdict));
  TRY(hy_pivot_verdict(&lu->cube->base, verdict, *pivot));
  return lu->problem->inverse == NULL ? HYLA_OK : hy_lu_inverse_run(lu);
}

hyla_status hy_lu_forward(void *state, hyla_matrix *x) {
  struct hy_lu *lu = state;
  int64_t failed = 0;
  hyla_status verdict = HYLA_OK;
  bool few = x->col.n <= HY_FEW_SIDES;
  if (lu->cube->address < 0) return HYLA_OK;
  if (lu->settled) {
    TRY(hy_lu_swap_all(lu, false, x));
    return few ? hy_substitute_few(&lu->lower, x) : hy_substitute_many(&lu->lower, x);
  }
  if (few) return hy_substitute_few(&lu->lower, x);
  return eliminate(lu, false, x, &failed, &verdict);
}

hyla_status hy_lu_backward(void *state, hyla_matrix *x) {
  struct hy_lu *lu = state;
  if (lu->cube->address < 0) return HYLA_OK;
  return x->col.n <= HY_FEW_SIDES ? hy_substitute_few(&lu->upper, x)
                                  : hy_substitute_many(&lu->upper, x);
}

hyla_status hy_lu_settle_copy(void *state, hyla_matrix *l) {
  struct hy_lu *lu = state;
  return lu->cube->address < 0 ? HYLA_OK : hy_lu_settle(lu, l);
}

hyla_cost hy_lu_price(const void *state) { return ((const struct hy_lu *)state)->cost; }

/* A group that was asked for. */
static void explain_asked(const struct hy_group *group, const char *what, struct hy_text *text) {
  if (group->choice.why == HY_ASKED) hy_group_explain(group, what, text);
}

void hy_lu_explain_elimination(const struct hy_lu *lu, struct hy_text *text) {
  if (lu->shares.schedules == NULL)
    hy_text_add(text,
                "  panels: broadcast by doubling, lent one ahead, as no other was asked for\n");
  else
    explain_asked(&lu->shares, "panels", text);
  explain_asked(&lu->searches, "pivot searches", text);
  explain_asked(&lu->rows, "rows that move", text);
}

void hy_lu_explain_least(const hyla_cost *least, struct hy_text *text) {
  hy_text_add(text,
              "  where the pivots decide how much travels, the most: at least %lld steps, %lld "
              "messages, %lld words\n",
              (long long)least->steps, (long long)least->messages, (long long)least->words);
}

void hy_lu_explain(const void *state, struct hy_text *text) {
  const struct hy_lu *lu = state;
  hyla_cost least, most;
  hy_lu_explain_elimination(lu, text);
  explain_asked(&lu->adds, "sums of right-hand sides", text);
  explain_asked(&lu->blocks, "blocks of the solution", text);
  if (hy_lu_cost(lu, &least, &most) == HYLA_OK) hy_lu_explain_least(&least, text);
}
