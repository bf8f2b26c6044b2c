/* SUMMA with stationary C: a sum of panel products, the panels broadcast.
 *
 * Reference: van de Geijn and Watts 1997.
 * Layout: any for C.  A's rows lie like C's rows, B's columns like C's columns; k may lie
 *   differently on A's columns and on B's rows.
 * Method: k is cut into panels (panelling.h).  One column of the array holds A's columns of a
 *   panel, and one row of the array holds B's rows.  For each panel its owners broadcast A's part
 *   along the rows of the array and B's part along the columns; every node adds the product to its
 *   block of C.
 * Example on 4 nodes, 2 x 2: for a panel K in A's column j and B's row i, nodes (0, j) and (1, j)
 *   broadcast A(0, K) and A(1, K) along their rows, nodes (i, 0) and (i, 1) broadcast B(K, 0) and
 *   B(K, 1) along their columns, and each node (x, y) adds A(x, K) B(K, y) to C(x, y).
 * Steps: for each panel and factor a node takes one step for each packet that it sends or receives
 *   in a broadcast by recursive doubling.
 * Memory: one panel of A and one of B.
 * In place: if the nodes can read one another's blocks, nothing is broadcast.  All lend their
 *   blocks once, in one step.  Panels are stretches of the blocks of the factor that causes less
 *   work; the other factor's panel is copied together unless it is a stretch too.  On square
 *   arrays, if k lies alike on both factors, blocks are multiplied whole; on one node no entry is
 *   copied or sent.
 * Restriction: none. */
#include "gemm/product.h"

struct summa {
  struct hy_product product;
  struct hy_panelling panelling; /* of k: on A's columns, on B's rows */
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  const struct hy_operand *c = &given->c;
  bool a_stays = hy_axis_equal(&given->a.row, &c->row);
  bool b_stays = hy_axis_equal(&given->b.col, &c->col);
  int panels = hy_inner_panels(c->row.parts, c->col.parts);
  if (!a_stays) {
    wanted->a.row = c->row;
    wanted->a.col = b_stays ? hy_panelling_like(&c->col.code, &given->b.row)
                            : hy_inner_axis(&c->col.code, given->k, panels);
  }
  if (!b_stays) {
    wanted->b.col = c->col;
    wanted->b.row = a_stays ? hy_panelling_like(&c->row.code, &given->a.col)
                            : hy_inner_axis(&c->row.code, given->k, panels);
  }
}

static hyla_status cut(const struct hy_gemm_problem *problem, struct summa *summa) {
  struct hy_base *base = &problem->cube->base;
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  const int64_t across[] = {hy_axis_most(&problem->c.row), hy_axis_most(&problem->c.col)};
  bool a_here = a->in_place || a->col.parts == 1, b_here = b->in_place || b->row.parts == 1;
  if (!a_here || !b_here)
    return hy_panelling_create(base, summa, &a->col, &b->row, &summa->panelling);
  int64_t width = hy_kernels_depth(problem->kernels);
  return hy_panelling_create_in_place(base, summa, &a->col, &b->row, across, width,
                                      &summa->panelling);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  TRY(hy_product_create(given, sizeof(struct summa), state));
  struct summa *summa = *state;
  struct hy_product *p = &summa->product;
  const struct hy_gemm_problem *problem = &p->task->problem;
  TRY(cut(problem, summa));
  if (!hy_gemm_is_full(problem))
    TRY(hy_panelling_list(&problem->cube->base, summa, &summa->panelling));
  if (hy_product_is_guest(p)) return HYLA_OK;
  hy_split_operand_in_panels(p->a, &summa->panelling, 0);
  hy_split_operand_in_panels(p->b, &summa->panelling, 1);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct summa *summa = state;
  struct hy_product *p = &summa->product;
  struct hy_panel a, b;
  if (hy_product_is_guest(p)) return HYLA_OK;
  TRY(hy_product_begin(p));
  for (int64_t x = 0; x < summa->panelling.panel_count; x++) {
    const struct hy_index_panel *panel = &summa->panelling.panels[x];
    const struct hy_indices k = hy_panelling_indices(&summa->panelling, panel);
    TRY(hy_split_operand_broadcast(p->a, panel, &a)); /* A(:, panel) along the rows */
    TRY(hy_split_operand_broadcast(p->b, panel, &b)); /* B(panel, :) along the columns */
    hy_product_add(p, &a, &b, &k);
  }
  return hy_product_end(p);
}

static void explain(const void *state, struct hy_text *text) {
  hy_product_explain(state, "panels of op(A)", "panels of op(B)", text);
}

const struct hy_variant hy_gemm_summa = {
    .name = "summa",
    .arrays = true,
    .reference = "vandegeijn-1997, section 3",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts},
    .create = create,
    .allocate = hy_product_allocate,
    .run = run,
    .explain = explain,
};
