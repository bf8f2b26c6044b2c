/* Gauss-Jordan: A^-1 in the place of A, with partial pivoting, blocked.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * Method: in the loop over panels (panels/lookahead.c), with A_0 panel k's rows above the diagonal
 *   block, A_1 the diagonal block and A_2 the rows below it:
 *
 *     make:  P [A_1; A_2] = [L_1; L_2] U                        on rank column q_k, as LU's
 *            G := [-A_0 (L_1 U)^-1; (L_1 U)^-1; -L_2 L_1^-1]    replaces the panel
 *     use:   A := P A; B is block row k, which is set to 0 in A
 *            A := A + G B       in all other columns, before the panel and behind it
 *
 *   At the end the columns are swapped back (gauss_jordan_columns.c).
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

/* ----------------------------------------------------------------- make -- */

/* All local rows form the message.  On a rank without rows of the diagonal block, that block is
 * stored behind the message and stays here. */
static struct hy_lu_panel panel_at(const struct hy_gauss_jordan *g, int64_t index,
                                   struct hy_panel_slot *slot) {
  const struct hy_lu *lu = g->lu;
  int64_t size = (int64_t)g->k->size, begin = hy_lu_header_bytes(lu->array.block);
  int64_t rows = hy_held(&lu->array.row, lu->array.row_part);
  struct hy_lu_panel panel = {.at = hy_diagonal_block(&lu->array, index), .slot = slot};
  panel.bytes = begin + rows * panel.at.width * size;
  panel.at_rows = begin + panel.at.row * size;
  panel.ld = (int)hy_max(1, rows);
  panel.at_diagonal = panel.at.top ? panel.at_rows : panel.bytes;
  panel.ld_diagonal = panel.at.top ? panel.ld : panel.at.width;
  return panel;
}

static int64_t bytes_of(const void *state, int64_t index) {
  return panel_at(state, index, NULL).bytes;
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
  hy_count_copied(g->cube, at->row * at->width);
}

/* Turns a factored panel into G = -[A_0 U^-1; -U^-1; L_2] L_1^-1. */
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
    for (int64_t i = 0; i < w && !k->dry; i++) k->set(block, i + i * panel->ld, -1);
  }
  k->trsm(HYLA_RIGHT, HYLA_UPPER, HYLA_NONE, HYLA_ANY_DIAGONAL, above + top, w, 1, lu, ld, rows,
          panel->ld);
  k->trsm(HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, all, w, -1, lu, ld, rows,
          panel->ld);
  hy_compute(g->cube, ((int64_t)(above + top) * w + (int64_t)all * (w - 1)) * w, k->size,
             k->complex_type);
}

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_gauss_jordan *g = state;
  const struct hy_lu_panel panel = panel_at(g, index, slot);
  copy_above(g, &panel, true);
  hy_lu_load(g->lu, &panel);
  hy_count_copied(g->cube, (int64_t)panel.at.rows * panel.at.width);
  TRY(g->lu->pivoting->factor(g->lu, &panel));
  if (g->k->dry || hy_lu_header_of(&panel)->found.status == HYLA_OK) invert_panel(g, &panel);
  return HYLA_OK;
}

static void keep(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_gauss_jordan *g = state;
  const struct hy_lu_panel panel = panel_at(g, index, slot);
  copy_above(g, &panel, false);
  hy_lu_store(g->lu, &panel);
}

/* ------------------------------------------------------------------ use -- */

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  const struct hy_gauss_jordan *g = state;
  struct hy_lu *lu = g->lu;
  lu->panel = panel_at(g, index, slot);
  const struct hy_diagonal_block *at = &lu->panel.at;
  if (!g->k->dry)
    memcpy(lu->swaps + at->first, hy_lu_header_of(&lu->panel)->swaps,
           (size_t)at->width * sizeof *lu->swaps);
  hy_lu_swap_plan(lu, at, false);
  return HYLA_OK;
}

static void use_strip(const struct hy_gauss_jordan *g, const struct hy_columns *x, int64_t begin,
                      int count) {
  const struct hy_kernels *k = g->k;
  struct hy_lu *lu = g->lu;
  const struct hy_diagonal_block *at = &lu->panel.at;
  const char *panel = lu->panel.slot->seen + hy_lu_header_bytes(lu->array.block);
  const int rows = (int)x->m->local_rows, ld = (int)x->m->ld, w = at->width;

  /* A := P A, the top rows, B, in the strip */
  hy_lu_swap_strip(lu, at, x->m, x->first, x->count, begin, count, lu->strip);

  /* A_1 := 0 */
  char *top = hy_at(x->m, at->row, x->first + begin);
  if (at->top) k->combine(HYLA_NONE, w, count, 0, top, ld, 0, top, ld);

  /* A := A + G B */
  k->gemm(HYLA_NONE, HYLA_NONE, rows, count, w, 1, panel, lu->panel.ld, lu->strip, w, 1,
          hy_at(x->m, 0, x->first + begin), ld);
  hy_compute(g->cube, INT64_C(2) * rows * w * count, k->size, k->complex_type);
}

static hyla_status use(void *state, const struct hy_columns *x) {
  const struct hy_gauss_jordan *g = state;
  struct hy_lu *lu = g->lu;
  TRY(hy_lu_swap_gather(lu, x->m, x->first, x->count));
  for (int64_t begin = 0; begin < x->count; begin += lu->strip_columns) {
    use_strip(g, x, begin, (int)hy_min(lu->strip_columns, x->count - begin));
    TRY(hy_link_poll(g->cube));
  }
  return HYLA_OK;
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status run(void *state) {
  struct hy_gauss_jordan *g = state;
  struct hy_panel_header verdict = {HYLA_OK, g->problem->factors->pivot};
  struct hy_lookahead loop = {.panels = &g->lu->panels,
                              .array = &g->lu->array,
                              .end = g->lu->array.count,
                              .a = g->a,
                              .everywhere = true,
                              .verdict = &verdict,
                              .state = g,
                              .bytes = bytes_of,
                              .make = make,
                              .keep = keep,
                              .arrive = arrive,
                              .use = use};
  if (g->cube->address < 0) return HYLA_OK;
  hyla_status status = hy_lookahead_run(&loop);
  g->problem->factors->pivot = verdict.column;
  TRY(status);
  TRY(hy_pivot_fails(&g->cube->base, (hyla_status)verdict.status, verdict.column));
  return hy_gauss_jordan_swap_columns(g);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_gauss_jordan *g = state;
  hy_lu_explain_elimination(g->lu, text);
  if (g->product[0].gather.choice.why == HY_ASKED)
    hy_subcube_explain(&g->product[0].gather, "right-hand sides", text);
  if (g->product[0].adds.choice.why == HY_ASKED)
    hy_subcube_explain(&g->product[0].adds, "sums of right-hand sides", text);
  hy_lu_explain_least(g->problem, g->variant, text);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .form = HY_INVERSE,
    .solve = {{.product = hy_gauss_jordan_multiply, .at = HY_ALONG_COLUMNS}},
    .solve_transposed = {{.product = hy_gauss_jordan_multiply}}};

const struct hy_variant hy_gauss_jordan_blocked = {
    .name = "blocked",
    .reference = "johnsson-1987, section 6.1; quintana-2001",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    .create = hy_gauss_jordan_create,
    .allocate = hy_gauss_jordan_allocate,
    .run = run,
    .explain = explain,
};
