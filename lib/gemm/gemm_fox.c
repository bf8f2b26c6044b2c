/* Fox, Otto and Hey's algorithm: broadcast, multiply, roll.
 *
 * Reference: Fox, Otto and Hey 1987, section 3.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c array; along a side
 *   that is no power of two in their order, on a ring.
 * Method: k is cut into K = max(2^r, 2^c) panels, the integers modulo K; a block of B holds s = K /
 *   2^r of them.  At step t row i of the array multiplies panel i s + t.  The owner of that panel
 *   of A broadcasts it along the row.  B's blocks roll one place upwards, to neighbours, when the
 *   next panel is in another block.  A panel wider than 256 is broadcast in pieces.
 * Example on 4 nodes: at t = 0 node (0, 0) broadcasts A(0, 0) along row 0 and (1, 1) A(1, 1) along
 *   row 1, and node (i, j) adds A(i, i) B(i, j).  B then rolls up, (0, 1) and (1, 0) broadcast, and
 *   node (i, j) adds A(i, 1-i) B(1-i, j).
 * Steps: K broadcasts over r or fewer dimensions each; 2^r - 1 rotations of B.
 * Words: all of a row's A, which summa sends too; (1 - 2^-r) of a column's B, each block once.
 * Memory: one panel of A, two blocks of B.
 * In place: nothing travels; both factors are read where they lie, in the same order.
 * Restriction: one side of the array is a multiple of the other. */
#include "gemm/product.h"

struct fox {
  struct hy_product product;
  int panels;                    /* K */
  struct hy_panelling panelling; /* cut of k for A's panels; no panel is in two of the K panels */
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hy_gemm_blocks(given, HYLA_GRAY, wanted);
}

/* On other arrays a block of A and one of B may share a part of a panel. */
static const char *applies(const void *given) {
  struct hy_gemm_problem wanted = ((const struct hy_gemm_task *)given)->problem;
  const struct hy_gemm_problem problem = wanted;
  hy_gemm_blocks(&problem, HYLA_GRAY, &wanted);
  const int rows = wanted.c.row.parts, cols = wanted.c.col.parts;
  return rows % cols == 0 || cols % rows == 0
             ? NULL
             : "neither side of the array of nodes is a multiple of the other";
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  TRY(hy_product_create(given, sizeof(struct fox), state));
  struct fox *fox = *state;
  const struct hy_gemm_problem *problem = &fox->product.task->problem;
  const struct hy_axis *a = &problem->a.col, *b = &problem->b.row;
  struct hy_base *base = &problem->cube->base;
  fox->panels = hy_inner_panels(a->parts, b->parts);
  TRY(hy_panelling_create(base, fox, a, b, &fox->panelling));
  TRY(hy_panelling_list(base, fox, &fox->panelling));
  if (hy_product_is_guest(&fox->product)) return HYLA_OK;
  hy_split_operand_in_panels(fox->product.a, &fox->panelling, 0);
  hy_split_operand_on_ring(fox->product.b, b->parts, fox->panels);
  return HYLA_OK;
}

/* C += A(:, k) B(k, :) for the panel of B that is here; A's panel comes in pieces. */
static hyla_status multiply(struct fox *fox) {
  struct hy_product *p = &fox->product;
  const struct hy_indices here = hy_split_operand_indices(p->b);
  struct hy_panel a, b;
  for (int64_t x = 0; x < fox->panelling.panel_count; x++) {
    const struct hy_index_panel *piece = &fox->panelling.panels[x];
    const struct hy_indices k = hy_panelling_indices(&fox->panelling, piece);
    int64_t skip = hy_indices_at(&k, 0) - here.first;
    if (skip < 0 || skip >= here.count) continue;
    TRY(hy_split_operand_broadcast(p->a, piece, &a)); /* along the row */
    TRY(hy_split_operand_here(p->b, &b));
    b = hy_panel_at(&b, skip, 0, p->task->problem.kernels->size);
    hy_product_add(p, &a, &b, &k);
  }
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct fox *fox = state;
  struct hy_product *p = &fox->product;
  struct hy_step step;
  if (hy_product_is_guest(p)) return HYLA_OK;
  hy_step_make(p->task->problem.cube, &step);
  TRY(hy_product_begin(p));
  for (int t = 0; t < fox->panels; t++) {
    TRY(multiply(fox));
    if (t + 1 < fox->panels) hy_split_operand_rotate(p->b, 1, &step); /* up */
    TRY(hy_step_run(&step));
  }
  return hy_product_end(p);
}

static void explain(const void *state, struct hy_text *text) {
  hy_product_explain(state, "panels of op(A)", NULL, text);
}

const struct hy_variant hy_gemm_fox = {
    .name = "fox",
    .arrays = true,
    .reference = "fox-1987, broadcast, multiply, roll",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts},
    .applies = applies,
    .create = create,
    .allocate = hy_product_allocate,
    .run = run,
    .explain = explain,
};
