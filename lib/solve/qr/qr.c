/* QR: A = Q R by Householder's reflections, right-looking, blocked.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * For k = 0, 1, ...: the ranks of rank column q_k factor panel k (qr_panel.c) and lend it along the
 * rank rows (panel.c); every rank column reflects its columns (qr_reflect.c).  Panel k + 1 is
 * brought up to date, factored and lent before the rest of update k, so that its way overlaps with
 * the products (look-ahead of one panel).  A solution is R^-1 Q^H b: the panels go along the rank
 * rows once more.
 * Reference: Householder 1958; Schreiber and Van Loan 1989, for the reflections of a panel in one;
 * Puglisi 1992, for S.
 *
 * Steps a panel of w columns: 2 w r for its columns (of every 16 the last has no products, and all
 * together have one), at most c for the panel, r at least for the products.  Flops: 4 n^3 / 3 on
 * all ranks together.  No pivots: what travels does not depend on the entries. Workspace: three
 * panels, V^H times 512 columns, S of the panels here. */
#include "solve/qr/qr.h"

#include <string.h>

static struct hy_qr_panel panel_at(const struct hy_qr *q, int64_t index) {
  struct hy_qr_panel panel = {.at = hy_diagonal_block(&q->array, index)};
  const struct hy_diagonal_block *at = &panel.at;
  panel.ld = (int)hy_max(1, at->rows);
  panel.bytes = hy_qr_at_v(at, q->k->size) + (int64_t)panel.ld * at->width * (int64_t)q->k->size;
  return panel;
}

/* On q_k: panel `index' is factored, or loaded, and sent on its way, the step-th that is. */
static hyla_status make_panel(struct hy_qr *q, int64_t step, int64_t index, bool factoring) {
  struct hy_qr_panel panel = panel_at(q, index);
  TRY(hy_panels_open(&q->panels, step, panel.bytes, &panel.slot));
  if (factoring)
    TRY(hy_qr_factor_panel(q, &panel));
  else
    hy_qr_load_panel(q, &panel);
  return hy_panels_lend(&q->panels, panel.slot);
}

static hyla_status expect_panel(struct hy_qr *q, int64_t step, int64_t index) {
  return hy_panels_expect(&q->panels, step, hy_row_root(&q->array, index),
                          panel_at(q, index).bytes);
}

/* What panel k does to the columns behind it, those of panel k + 1 first, and to x. */
static hyla_status use_panel(struct hy_qr *q, const struct hy_qr_panel *panel, bool factoring,
                             const hyla_matrix *x) {
  int64_t index = panel->at.index, behind = hy_columns_behind(&q->array, &panel->at);
  int64_t column = q->a->local_cols - behind;
  if (index + 1 < q->array.count) {
    struct hy_diagonal_block next = hy_diagonal_block(&q->array, index + 1);
    TRY(expect_panel(q, index + 1, index + 1));
    if (next.mine) {
      if (factoring) TRY(hy_qr_reflect(q, panel, true, q->a, column, next.width));
      TRY(make_panel(q, index + 1, index + 1, factoring));
      column += next.width;
    }
  }
  if (factoring) TRY(hy_qr_reflect(q, panel, true, q->a, column, q->a->local_cols - column));
  return x == NULL ? HYLA_OK : hy_qr_reflect(q, panel, true, x, 0, x->local_cols);
}

hyla_status hy_qr_eliminate(struct hy_qr *q, bool factoring, const hyla_matrix *x, int64_t *failed,
                            hyla_status *verdict) {
  int64_t count = q->array.count;
  *verdict = HYLA_OK;
  if (count > 0 && hy_diagonal_block(&q->array, 0).mine) TRY(make_panel(q, 0, 0, factoring));
  if (count > 0) TRY(expect_panel(q, 0, 0));
  for (int64_t index = 0; index < count && *verdict == HYLA_OK; index++) {
    struct hy_qr_panel panel = panel_at(q, index);
    TRY(hy_panels_receive(&q->panels, index, &panel.slot));
    if (!q->k->dry) {
      const struct hy_panel_header *header = (const void *)panel.slot->seen;
      *verdict = (hyla_status)header->status;
      *failed = header->column;
    }
    if (*verdict == HYLA_OK) TRY(use_panel(q, &panel, factoring, x));
    TRY(hy_panels_close(&q->panels, panel.slot));
  }
  return hy_panels_finish(&q->panels);
}

/* The panels in the opposite order. */
hyla_status hy_qr_restore(struct hy_qr *q, const hyla_matrix *x) {
  int64_t count = q->array.count;
  for (int64_t step = 0; step < count; step++) {
    int64_t index = count - 1 - step;
    struct hy_qr_panel panel = panel_at(q, index);
    if (panel.at.mine) TRY(make_panel(q, step, index, false));
    TRY(expect_panel(q, step, index));
    TRY(hy_panels_receive(&q->panels, step, &panel.slot));
    TRY(hy_qr_reflect(q, &panel, false, x, 0, x->local_cols));
    TRY(hy_panels_close(&q->panels, panel.slot));
  }
  return hy_panels_finish(&q->panels);
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status forward(void *state, hyla_matrix *x) {
  struct hy_qr *q = state;
  int64_t failed = 0;
  hyla_status verdict = HYLA_OK;
  return q->cube->address < 0 ? HYLA_OK : hy_qr_eliminate(q, false, x, &failed, &verdict);
}

static hyla_status backward(void *state, hyla_matrix *x) {
  const struct hy_qr *q = state;
  return q->cube->address < 0 ? HYLA_OK : hy_triangular_run(&q->backward, x);
}

static hyla_status opposite(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_qr *q = state;
  TRY(hy_qr_take_opposite(q));
  if (q->cube->address < 0) return hy_agree(q->cube, HYLA_OK);
  q->opposite.s.op = op;
  return hy_agree(q->cube, hy_triangular_run(&q->opposite, x));
}

/* Q is unitary: Q^-H is Q, and Q^-T its conjugate. */
static hyla_status unswap(void *state, hyla_operation op, hyla_matrix *x) {
  struct hy_qr *q = state;
  bool conjugated = op == HYLA_TRANSPOSE && q->k->complex_type;
  if (q->cube->address < 0) return HYLA_OK;
  if (conjugated) hy_conjugate_entries(x);
  TRY(hy_qr_restore(q, x));
  if (conjugated) hy_conjugate_entries(x);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct hy_qr *q = state;
  hyla_status verdict = HYLA_OK;
  int64_t *pivot = &q->problem->factors->pivot;
  if (q->cube->address < 0) return HYLA_OK;
  TRY(hy_qr_eliminate(q, true, q->problem->along, pivot, &verdict));
  return hy_pivot_verdict(&q->cube->base, verdict, *pivot);
}

static hyla_cost cost(const void *state) { return ((const struct hy_qr *)state)->cost; }

static void explain(const void *state, struct hy_text *text) {
  const struct hy_qr *q = state;
  if (q->shares.schedules == NULL)
    hy_text_add(text,
                "  panels: broadcast by doubling, lent one ahead, as no other was asked for\n");
  else
    hy_group_explain(&q->shares, "panels", text);
  if (q->sums.choice.why == HY_ASKED) hy_group_explain(&q->sums, "products with columns", text);
}

static void reflections(const void *state, double *tau) { hy_qr_reflections(state, tau); }

static const struct hy_substitutions SUBSTITUTIONS = {.forward = forward,
                                                      .backward = backward,
                                                      .orthogonal = true,
                                                      .reflections = reflections,
                                                      .opposite = opposite,
                                                      .unswap = unswap};

const struct hy_variant hy_qr_householder = {
    .name = "householder",
    .reference = "schreiber-1989, section 2; puglisi-1992; householder-1958",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    .create = hy_qr_create,
    .cost = cost,
    .take = hy_qr_take,
    .run = run,
    .explain = explain,
    .destroy = hy_qr_destroy,
};
