/* Multiplication whose bits depend neither on the number of ranks nor on the layout.
 *
 * Reference: Demmel and Nguyen 2015, section 1, on reductions in a fixed order; the tiles are ours.
 * Layout: columns are dealt to all ranks in blocks of a fixed width, and each column is whole on
 *   one rank.  A's blocks are as wide as the panels; the width of B's and C's blocks depends on n
 *   (hy_fixed_width).
 * Method: k is cut into panels of a fixed width.  Each panel of A in turn is broadcast to all
 *   ranks, and a rank computes C(:, J) += A(:, K) B(K, J) for each of its block columns J of C, one
 *   product a block.  So the shapes and the order of the products that make an entry of C depend on
 *   m, n and k alone, and each sum is made on one rank.  op() of a factor is applied before, on one
 *   rank too, because products of other forms may add in another order.
 * Steps: for each panel a node takes one step for each packet that it sends or receives in a
 *   broadcast by recursive doubling.
 * Memory: one panel of A, m times its width.
 * In place: if the nodes can read one another's blocks, nothing is broadcast.
 * Restriction: none. */
#include "gemm/product.h"

/* BLAS packs at least this much of k at a time, for every type. */
enum { WIDTH = 256 };

struct fixed {
  struct hy_product product;
  struct hy_panelling panelling; /* of k: on A's columns, on B's rows */
  int64_t across;                /* columns of a block of C */
};

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  const hyla_cube *cube = given->cube;
  const struct hy_axis across = hy_axis_dealt(cube, hy_fixed_width(given->n), given->n);
  wanted->a.row = wanted->c.row = hy_axis_whole(given->m);
  wanted->a.col = hy_axis_dealt(cube, WIDTH, given->k);
  wanted->b.row = hy_axis_whole(given->k);
  wanted->b.col = wanted->c.col = across;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  TRY(hy_product_create(given, sizeof(struct fixed), state));
  struct fixed *f = *state;
  const struct hy_gemm_problem *problem = &f->product.task->problem;
  struct hy_base *base = &problem->cube->base;
  f->across = hy_fixed_width(problem->n);
  TRY(hy_panelling_create_even(base, f, &problem->a.col, &problem->b.row, WIDTH, &f->panelling));
  if (!hy_gemm_is_full(problem)) TRY(hy_panelling_list(base, f, &f->panelling));
  if (hy_product_is_guest(&f->product)) return HYLA_OK;
  hy_split_operand_in_panels(f->product.a, &f->panelling, 0);
  hy_split_operand_in_panels(f->product.b, &f->panelling, 1);
  return HYLA_OK;
}

/* C += A(:, panel) B(panel, :), a product for each block column of C. */
static hyla_status multiply(struct fixed *f, const struct hy_index_panel *panel) {
  struct hy_product *p = &f->product;
  const struct hy_indices k = hy_panelling_indices(&f->panelling, panel);
  int64_t rows = p->c.rows.count, cols = p->c.cols.count;
  struct hy_panel a, b;
  TRY(hy_split_operand_broadcast(p->a, panel, &a));
  TRY(hy_split_operand_broadcast(p->b, panel, &b));
  if (cols == 0) return HYLA_OK;
  hy_count_touched(p->task->problem.cube, hy_gemm_touched(rows, cols, k.count, 1));
  for (int64_t from = 0; from < cols; from += f->across) {
    hy_result_add_columns(&p->c, from, hy_min(cols, from + f->across), &a, &b, &k);
    TRY(hy_link_poll(p->task->problem.cube));
  }
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct fixed *f = state;
  if (hy_product_is_guest(&f->product)) return HYLA_OK;
  TRY(hy_product_begin(&f->product));
  for (int64_t x = 0; x < f->panelling.panel_count; x++) TRY(multiply(f, &f->panelling.panels[x]));
  return hy_product_end(&f->product);
}

static void explain(const void *state, struct hy_text *text) {
  const struct fixed *f = state;
  hy_text_add(text,
              "  the same bits on any number of ranks: columns of C in blocks of %lld, k in "
              "panels of %d\n",
              (long long)f->across, WIDTH);
  hy_product_explain(&f->product, "panels of op(A)", NULL, text);
}

const struct hy_variant hy_gemm_fixed = {
    .name = "fixed",
    .arrays = true,
    .reference = "demmel-2015, section 1",
    .traits = &(const struct hy_gemm_traits){.layouts = layouts, .plain = true},
    .asked = HY_FIXED_ASKED,
    .fixed = true,
    .create = create,
    .allocate = hy_product_allocate,
    .run = run,
    .explain = explain,
};
