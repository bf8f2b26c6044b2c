/* Gauss-Jordan: A^-1 in the place of A, with partial pivoting, blocked.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * Method: for k = 0, 1, ..., panel k is factored from its diagonal block down as LU's
 *   (lu_partial.c), P A_k = L U.  Let A_0 be the panel's rows above the diagonal block and L_2 the
 *   rows of L below it.  Rank column q_k computes
 *       G = [-A_0 (L U)^-1; (L U)^-1; -L_2 L^-1]
 *   which replaces the panel and is lent along the rank rows (panel.c).  Every rank swaps rows in
 *   all its other columns, before the panel and behind it, and updates them by one product:
 *       A := A + G B, where B is block row k, which is set to 0 before in A.
 *   Panel k + 1 is brought up to date, made and lent before the other columns (look-ahead of one
 *   panel).  At the end the columns are swapped back (gauss_jordan_columns.c).
 * Reference: Johnsson 1987, section 6.1, has the product form of the inverse in place on one
 *   element a rank; Quintana-Orti and others 2001 the blocks; the array, the look-ahead and the way
 *   of the swaps are ours.
 * Example on 4 nodes, 2 x 2, 2 blocks, without swaps: rank column 0 makes G = [A_00^-1; -A_10
 *   A_00^-1] and lends it.  Rank column 1 has B = A_01 and gets A_01 := A_00^-1 B, A_11 := A_11 -
 *   A_10 A_00^-1 B.  It then makes G of A_11, and rank column 0 updates likewise; both columns then
 *   hold A^-1.
 * Steps: n r in the panels; per panel at most c for the panel, 3 r for the swaps and, for each
 *   strip of rows, c for the columns.
 * Flops: 2 n^3 on all ranks together.  That is three times LU's, but a solution is one product, and
 *   the inverse is there.  The error grows with the condition (Higham 2002, section 14.4), unlike
 *   LU's backward error.
 * Workspace: as LU's; a strip of rows, transposed; two copies of all right-hand sides over the
 *   ranks of one row, or one column. */
#include "solve/jordan/jordan.h"

#include <string.h>

/* --------------------------------------------------------------- panels -- */

/* All local rows form the message.  On a rank without rows of the diagonal block, that block is
 * stored behind the message and stays here. */
static struct hy_lu_panel panel_at(const struct hy_gauss_jordan *g, int64_t index) {
  const struct hy_lu *lu = g->lu;
  int64_t size = (int64_t)g->k->size, begin = hy_lu_header_bytes(lu->array.block);
  int64_t rows = hy_held(&lu->array.row, lu->array.row_part);
  struct hy_lu_panel panel = {.at = hy_diagonal_block(&lu->array, index)};
  panel.bytes = begin + rows * panel.at.width * size;
  panel.at_rows = begin + panel.at.row * size;
  panel.ld = (int)hy_max(1, rows);
  panel.at_diagonal = panel.at.top ? panel.at_rows : panel.bytes;
  panel.ld_diagonal = panel.at.top ? panel.ld : panel.at.width;
  return panel;
}

/* The panel's first local row. */
static char *rows_of(const struct hy_lu *lu, char *message) {
  return message + hy_lu_header_bytes(lu->array.block);
}

/* Copies the rows above the diagonal block between matrix and message. */
static void copy_above(const struct hy_gauss_jordan *g, const struct hy_lu_panel *panel, bool in) {
  const struct hy_diagonal_block *at = &panel->at;
  char *own = hy_at(g->a, 0, at->column), *data = rows_of(g->lu, panel->slot->data);
  int ld = (int)g->a->ld;
  g->k->copy(HYLA_NONE, (int)at->row, at->width, 1, in ? own : data, in ? ld : panel->ld,
             in ? data : own, in ? panel->ld : ld);
}

/* Turns a factored panel into G. */
static void invert_panel(const struct hy_gauss_jordan *g, const struct hy_lu_panel *panel) {
  const struct hy_kernels *k = g->k;
  const struct hy_diagonal_block *at = &panel->at;
  int w = at->width, ld = (int)g->lu->array.block;
  int above = (int)at->row, top = at->top ? w : 0, all = above + at->rows;
  const char *lu = hy_lu_diagonal(g->lu, at);
  char *rows = rows_of(g->lu, panel->slot->data);
  char *block = rows + (size_t)above * k->size;
  if (at->top) {
    k->combine(HYLA_NONE, w, w, 0, block, panel->ld, 0, block, panel->ld);
    for (int64_t i = 0; i < w; i++) k->set(block, i + i * panel->ld, -1);
  }
  k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, above + top, w, 1, lu, ld, rows,
          panel->ld);
  k->trsm(HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, all, w, -1, lu, ld, rows,
          panel->ld);
  hy_compute(g->cube, ((int64_t)(above + top) * w + (int64_t)all * (w - 1)) * w, k->size,
             k->complex_type);
}

/* On q_k: makes the panel in its slot, sends it and stores it. */
static hyla_status make_panel(struct hy_gauss_jordan *g, int64_t index) {
  struct hy_lu *lu = g->lu;
  struct hy_lu_panel panel = panel_at(g, index);
  TRY(hy_panels_open(&lu->panels, index, panel.bytes, &panel.slot));
  copy_above(g, &panel, true);
  hy_lu_load(lu, &panel);
  TRY(lu->pivoting->factor(lu, &panel));
  if (hy_lu_header_of(&panel)->found.status == HYLA_OK) invert_panel(g, &panel);
  TRY(hy_panels_lend(&lu->panels, panel.slot));
  copy_above(g, &panel, false);
  hy_lu_store(lu, &panel);
  return HYLA_OK;
}

static hyla_status expect_panel(struct hy_gauss_jordan *g, int64_t index) {
  struct hy_lu *lu = g->lu;
  if (index >= lu->array.count) return HYLA_OK;
  return hy_panels_expect(&lu->panels, index, hy_row_root(&lu->array, index),
                          panel_at(g, index).bytes);
}

/* -------------------------------------------------------------- updates -- */

/* A := A + G B in columns whose rows have been swapped; B is in the strip. */
static void update_strip(struct hy_gauss_jordan *g, const struct hy_lu_panel *panel, int64_t column,
                         int count) {
  const struct hy_kernels *k = g->k;
  const struct hy_diagonal_block *at = &panel->at;
  int rows = (int)g->a->local_rows, ld = (int)g->a->ld;
  if (at->top) {
    char *top = hy_at(g->a, at->row, column);
    k->combine(HYLA_NONE, at->width, count, 0, top, ld, 0, top, ld);
  }
  k->gemm(HYLA_NONE, HYLA_NONE, rows, count, at->width, 1,
          panel->slot->seen + hy_lu_header_bytes(g->lu->array.block), panel->ld, g->lu->strip,
          at->width, 1, hy_at(g->a, 0, column), ld);
  hy_compute(g->cube, INT64_C(2) * rows * at->width * count, k->size, k->complex_type);
}

static hyla_status update(struct hy_gauss_jordan *g, const struct hy_lu_panel *panel, int64_t first,
                          int64_t count) {
  struct hy_lu *lu = g->lu;
  if (count == 0) return HYLA_OK;
  TRY(hy_lu_swap_gather(lu, g->a, first, count));
  for (int64_t begin = 0; begin < count; begin += lu->strip_columns) {
    int64_t width = hy_min(lu->strip_columns, count - begin);
    hy_lu_swap_strip(lu, &panel->at, g->a, first, count, begin, width, lu->strip);
    update_strip(g, panel, first + begin, (int)width);
    TRY(hy_link_poll(g->cube));
  }
  return HYLA_OK;
}

/* Updates all other columns with panel k, those of panel k + 1 first. */
static hyla_status use_panel(struct hy_gauss_jordan *g, const struct hy_lu_panel *panel) {
  struct hy_lu *lu = g->lu;
  const struct hy_diagonal_block *at = &panel->at;
  int64_t behind = at->column + (at->mine ? at->width : 0), ahead = 0, all = g->a->local_cols;
  memcpy(lu->swaps + at->first, hy_lu_header_of(panel)->swaps,
         (size_t)at->width * sizeof *lu->swaps);
  TRY(expect_panel(g, at->index + 1));
  hy_lu_swap_plan(lu, at, false);
  if (at->index + 1 < lu->array.count) {
    struct hy_diagonal_block next = hy_diagonal_block(&lu->array, at->index + 1);
    if (next.mine) {
      ahead = next.width;
      TRY(update(g, panel, behind, ahead));
      TRY(make_panel(g, next.index));
    }
  }
  TRY(update(g, panel, 0, at->column));
  return update(g, panel, behind + ahead, all - behind - ahead);
}

static hyla_status eliminate(struct hy_gauss_jordan *g, int64_t *failed, hyla_status *verdict) {
  struct hy_lu *lu = g->lu;
  int64_t count = lu->array.count;
  if (count > 0 && hy_diagonal_block(&lu->array, 0).mine) TRY(make_panel(g, 0));
  TRY(expect_panel(g, 0));
  for (int64_t index = 0; index < count && *verdict == HYLA_OK; index++) {
    struct hy_lu_panel panel = panel_at(g, index);
    TRY(hy_panels_receive(&lu->panels, index, &panel.slot));
    *verdict = (hyla_status)hy_lu_header_of(&panel)->found.status;
    *failed = hy_lu_header_of(&panel)->found.column;
    if (*verdict == HYLA_OK) TRY(use_panel(g, &panel));
    TRY(hy_panels_close(&lu->panels, panel.slot));
  }
  return hy_panels_finish(&lu->panels);
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status run(void *state) {
  struct hy_gauss_jordan *g = state;
  hyla_status verdict = HYLA_OK;
  int64_t *pivot = &g->problem->factors->pivot;
  if (g->cube->address < 0) return HYLA_OK;
  TRY(eliminate(g, pivot, &verdict));
  TRY(hy_pivot_verdict(&g->cube->base, verdict, *pivot));
  return hy_gauss_jordan_swap_columns(g);
}

static hyla_cost cost(const void *state) { return ((const struct hy_gauss_jordan *)state)->cost; }

static void explain(const void *state, struct hy_text *text) {
  const struct hy_gauss_jordan *g = state;
  hyla_cost least, most;
  hy_lu_explain_elimination(g->lu, text);
  if (g->product[0].gather.choice.why == HY_ASKED)
    hy_group_explain(&g->product[0].gather, "right-hand sides", text);
  if (g->product[0].adds.choice.why == HY_ASKED)
    hy_group_explain(&g->product[0].adds, "sums of right-hand sides", text);
  hyla_status found = hy_gauss_jordan_cost(g, &least, &most);
  hy_lu_explain_least(found, &least, text);
}

static const struct hy_substitutions SUBSTITUTIONS = {.multiply = hy_gauss_jordan_multiply};

const struct hy_variant hy_gauss_jordan_blocked = {
    .name = "blocked",
    .reference = "johnsson-1987, section 6.1; quintana-2001",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    .create = hy_gauss_jordan_create,
    .cost = cost,
    .take = hy_gauss_jordan_take,
    .run = run,
    .explain = explain,
    .destroy = hy_gauss_jordan_destroy,
};
