/* The loop over panels, with a look-ahead of one.
 *
 * Panel k comes to every rank.  The rank column that holds panel k + 1 uses panel k on those
 * columns first, makes panel k + 1 and lends it; then all ranks use panel k on their other columns.
 * So the making of a panel and its way overlap with the products of the panel before it.
 *
 *   the maker of k + 1:  | use k on its columns | make k + 1 | use k on the others ...
 *   another rank:        | use k on all columns ............................ | panel k + 1 is here
 *
 * If the rank has a team of threads, they work on the other columns while the panel is made.  The
 * look-ahead of one panel is ours; methods: theory.md, lu:partial. */
#include "solve/panels/panels.h"

static int64_t index_of(const struct hy_lookahead *l, int64_t step) {
  return l->backwards ? l->begin + l->end - 1 - step : step;
}

/* Makes a panel, on the ranks that hold it. */
static hyla_status make(struct hy_lookahead *l, int64_t step) {
  const int64_t index = index_of(l, step);
  struct hy_panel_slot *slot = NULL;
  TRY(hy_panels_open(l->panels, step, l->bytes(l->state, index), &slot));
  TRY(l->make(l->state, index, slot));
  TRY(hy_panels_lend(l->panels, slot));
  if (l->keep != NULL) l->keep(l->state, index, slot);
  return HYLA_OK;
}

static hyla_status expect(struct hy_lookahead *l, int64_t step) {
  if (step >= l->end) return HYLA_OK;
  const int64_t index = index_of(l, step);
  return hy_panels_expect(l->panels, step, hy_row_root(l->array, index), l->bytes(l->state, index));
}

hyla_status hy_lookahead_next(const struct hy_columns *columns) {
  return columns->ahead == 0 ? HYLA_OK : make(columns->loop, columns->loop->step + 1);
}

static hyla_status use(struct hy_lookahead *l, const hyla_matrix *m, int64_t first, int64_t count,
                       int64_t ahead) {
  const struct hy_columns columns = {
      .m = m, .first = first, .count = count, .ahead = ahead, .loop = l};
  return count == 0 ? HYLA_OK : l->use(l->state, &columns);
}

/* Uses panel k on a's columns, first on those of panel k + 1, and then makes that panel. */
static hyla_status advance(struct hy_lookahead *l, const struct hy_diagonal_block *at) {
  int64_t behind = l->a == NULL ? 0 : hy_columns_behind(l->array, at);
  if (l->step + 1 < l->end) {
    const struct hy_diagonal_block next = hy_diagonal_block(l->array, index_of(l, l->step + 1));
    const int64_t ahead = l->a == NULL ? 0 : next.width;
    if (next.mine && l->shares != NULL && l->a != NULL && l->shares(l->state, behind))
      return use(l, l->a, l->a->local_cols - behind, behind, ahead);
    if (next.mine) {
      if (l->a != NULL) TRY(use(l, l->a, l->a->local_cols - behind, ahead, 0));
      TRY(make(l, l->step + 1));
      behind -= ahead;
    }
  }
  if (l->a == NULL) return HYLA_OK;
  if (l->everywhere) TRY(use(l, l->a, 0, at->column, 0));
  return use(l, l->a, l->a->local_cols - behind, behind, 0);
}

/* Uses panel k, which has come. */
static hyla_status use_panel(struct hy_lookahead *l, struct hy_panel_slot *slot) {
  const struct hy_diagonal_block at = hy_diagonal_block(l->array, index_of(l, l->step));
  TRY(expect(l, l->step + 1));
  TRY(l->arrive(l->state, at.index, slot));
  TRY(advance(l, &at));
  return l->x == NULL ? HYLA_OK : use(l, l->x, 0, l->x->local_cols, 0);
}

/* Did its maker fail? */
static bool failed(struct hy_lookahead *l, const struct hy_panel_slot *slot) {
  if (l->verdict == NULL) return false;
  if (!hy_cube_dry(l->panels->cube))
    *l->verdict = *(const struct hy_panel_header *)(const void *)slot->seen;
  return l->verdict->status != HYLA_OK;
}

hyla_status hy_lookahead_run(struct hy_lookahead *l) {
  bool stop = false;
  l->panels->chained = l->a != NULL && !l->backwards;
  if (l->begin < l->end && hy_diagonal_block(l->array, index_of(l, l->begin)).mine)
    TRY(make(l, l->begin));
  TRY(expect(l, l->begin));
  for (l->step = l->begin; l->step < l->end && !stop; l->step++) {
    struct hy_panel_slot *slot = NULL;
    TRY(hy_panels_receive(l->panels, l->step, &slot));
    stop = failed(l, slot);
    if (!stop) TRY(use_panel(l, slot));
    TRY(hy_panels_close(l->panels, slot));
  }
  return hy_panels_finish(l->panels);
}
