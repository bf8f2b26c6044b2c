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
 * the swaps.  Words: lu_cost.c.  Workspace: three panels, the packed rows of one, the
 * diagonal blocks of the rank column, and, for r > 0, two block rows. */
#include "solve/lu/lu.h"

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
  if (index >= lu->end) return HYLA_OK;
  return hy_panels_expect(&lu->panels, index, hy_row_root(&lu->array, index),
                          hy_lu_panel_at(lu, index).bytes);
}

/* The columns behind panel k: panel k + 1 is made while the team is at the others. */
static hyla_status advance_together(struct hy_lu *lu, const struct hy_lu_panel *panel,
                                    int64_t column, const struct hy_diagonal_block *next) {
  struct hy_lu_update all = {
      .lu = lu, .panel = panel, .m = lu->a, .first = column, .ahead = next->width};
  all.count = lu->a->local_cols - column;
  TRY(hy_lu_update_start(&all));
  hyla_status status = make_panel(lu, next->index, true), end = hy_lu_update_finish(&all);
  return status != HYLA_OK ? status : end;
}

/* What panel k does to the columns behind it, panel k + 1 first. */
static hyla_status advance(struct hy_lu *lu, const struct hy_lu_panel *panel, bool factoring) {
  const struct hy_diagonal_block *at = &panel->at;
  int64_t column = at->column + (at->mine ? at->width : 0);
  if (at->index + 1 < lu->end) {
    struct hy_diagonal_block next = hy_diagonal_block(&lu->array, at->index + 1);
    if (next.mine) {
      if (factoring && lu->cube->team != NULL && hy_lu_packs(lu, lu->a->local_cols - column))
        return advance_together(lu, panel, column, &next);
      if (factoring) TRY(hy_lu_update(lu, panel, lu->a, column, next.width));
      TRY(make_panel(lu, next.index, factoring));
      column += next.width;
    }
  }
  return factoring ? hy_lu_update(lu, panel, lu->a, column, lu->a->local_cols - column) : HYLA_OK;
}

/* Panel k has come: unless it failed, what it does. */
static hyla_status use_panel(struct hy_lu *lu, const struct hy_lu_panel *panel, bool factoring,
                             const struct hyla_matrix *x) {
  const struct hy_diagonal_block *at = &panel->at;
  if (!lu->k->dry)
    memcpy(lu->swaps + at->first, hy_lu_header_of(panel)->swaps,
           (size_t)at->width * sizeof *lu->swaps);
  TRY(expect_panel(lu, at->index + 1));
  hy_lu_swap_plan(lu, at, false);
  TRY(advance(lu, panel, factoring));
  return x == NULL ? HYLA_OK : hy_lu_update(lu, panel, x, 0, x->local_cols);
}

/* Panels begin ... end-1 in turn: with `factoring` over the matrix, in any case over x. */
static hyla_status eliminate(struct hy_lu *lu, bool factoring, const struct hyla_matrix *x,
                             int64_t *failed, hyla_status *verdict) {
  int64_t begin = lu->begin;
  lu->packed.panel = -1;
  if (begin < lu->end && hy_diagonal_block(&lu->array, begin).mine)
    TRY(make_panel(lu, begin, factoring));
  TRY(expect_panel(lu, begin));
  for (int64_t index = begin; index < lu->end && *verdict == HYLA_OK; index++) {
    struct hy_lu_panel panel = hy_lu_panel_at(lu, index);
    TRY(hy_panels_receive(&lu->panels, index, &panel.slot));
    if (!lu->k->dry) {
      *verdict = (hyla_status)hy_lu_header_of(&panel)->status;
      *failed = hy_lu_header_of(&panel)->column;
    }
    if (*verdict == HYLA_OK) TRY(use_panel(lu, &panel, factoring, x));
    TRY(hy_panels_close(&lu->panels, panel.slot));
  }
  return hy_panels_finish(&lu->panels);
}

/* The panels of columns from ... until-1, the first of them from there on. */
static hyla_status eliminate_columns(struct hy_lu *lu, int64_t from, int64_t until,
                                     hyla_status *verdict) {
  int64_t block = lu->array.block, *pivot = &lu->problem->factors->pivot;
  lu->begin = from / block;
  lu->end = hy_min(hy_ceil_div(until, block), lu->array.count);
  lu->array.start = from;
  hyla_status status = eliminate(lu, true, lu->problem->along, pivot, verdict);
  lu->array.start = 0;
  return status;
}

hyla_status hy_lu_run(void *state) {
  struct hy_lu *lu = state;
  const struct hy_factorization *problem = lu->problem;
  int64_t order = hy_factor_order(problem), until = problem->until == 0 ? order : problem->until;
  hyla_status verdict = HYLA_OK;
  lu->settled = false;
  lu->lower.swaps = &lu->row_swaps;
  TRY(eliminate_columns(lu, problem->from, until, &verdict));
  TRY(hy_pivot_verdict(&lu->cube->base, verdict, problem->factors->pivot));
  if (problem->from % lu->array.block != 0) TRY(hy_lu_mend(lu, problem->from));
  return hy_lu_inverts(lu) ? hy_lu_inverse_run(lu) : HYLA_OK;
}

hyla_status hy_lu_forward_by_panels(struct hy_lu *lu, hyla_matrix *x) {
  int64_t failed = 0;
  hyla_status verdict = HYLA_OK;
  lu->begin = 0;
  lu->end = lu->array.count;
  return eliminate(lu, false, x, &failed, &verdict);
}

hyla_status hy_lu_forward(void *state, hyla_matrix *x) {
  struct hy_lu *lu = state;
  bool few = x->col.n <= HY_FEW_SIDES;
  if (lu->cube->address < 0) return HYLA_OK;
  if (lu->settled) {
    TRY(hy_lu_swap_all(lu, false, x));
    return few ? hy_substitute_few(&lu->lower, x) : hy_substitute_many(&lu->lower, x);
  }
  return few ? hy_substitute_few(&lu->lower, x) : hy_lu_forward_by_panels(lu, x);
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

void hy_lu_explain_least(hyla_status found, const hyla_cost *least, struct hy_text *text) {
  if (found != HYLA_OK)
    hy_text_add(text, "  where the pivots decide how much travels, the most: there is no memory to "
                      "find the least\n");
  else
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
  hyla_status found = hy_lu_cost(lu, &least, &most);
  hy_lu_explain_least(found, &least, text);
}
