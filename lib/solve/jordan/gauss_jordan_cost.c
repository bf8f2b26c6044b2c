/* Gauss-Jordan: its cost, rank by rank.
 *
 * The elimination's cost comes from formulas, those of LU (lu_cost.c) for panels and swaps; the
 * ranks that hold the pivots decide how much the swaps move.  The product with the inverse is
 * counted as it runs, on a counting cube. */
#include "solve/jordan/jordan.h"

struct hy_gauss_jordan_sizes hy_gauss_jordan_sizes(const struct hy_gauss_jordan *g, int p, int q) {
  const struct hy_factorization *problem = g->problem;
  struct hy_gauss_jordan_sizes sizes = {0};
  int64_t size = (int64_t)g->k->size, block = hy_factor_block(problem);
  int64_t rows = hy_held(&problem->row, p), cols = hy_held(&problem->col, q);
  int64_t strip = hy_gauss_jordan_strip(rows), members = problem->col.parts;
  sizes.numbers = hy_lu_numbers(block, members);
  sizes.gathered = members > 1 ? 2 * block * strip * size : 0;
  sizes.top = block * strip * size;
  sizes.strip = cols * strip * size;
  sizes.sides = hy_max(rows, cols) * problem->nrhs * size;
  return sizes;
}

/* Panel k: made on q_k, and sent. */
static void share(const struct hy_gauss_jordan *g, struct hy_lu_tally *t,
                  const struct hy_diagonal_block *at) {
  int64_t w = at->width, all = hy_held(&t->array.row, t->array.row_part);
  int64_t above = at->row, top = at->top ? w : 0;
  int64_t words = hy_lu_header_bytes(t->array.block) / t->size + all * w;
  if (at->mine) {
    hy_lu_panel_cost(t, at);
    hy_lu_spend(t, (hyla_cost){.flops = ((above + top) * w + all * (w - 1)) * w,
                               .copied = (2 * above + at->rows) * w});
  }
  uint32_t from_maker =
      hy_extract((uint32_t)(t->node ^ hy_row_root(&t->array, at->index)), t->array.col_dims);
  hy_lu_spend(t, hy_panels_cost(&g->lu->shares, from_maker, words, hy_in_place_expected(g->cube)));
}

static void update(struct hy_lu_tally *t, const struct hy_diagonal_block *at, int64_t columns) {
  int64_t rows = hy_held(&t->array.row, t->array.row_part);
  hy_lu_swap_cost(t, at, columns);
  hy_lu_spend(t, (hyla_cost){.flops = 2 * rows * at->width * columns});
}

static void eliminate(const struct hy_gauss_jordan *g, struct hy_lu_tally *t) {
  for (int64_t index = 0; index < t->array.count; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
    int64_t behind = hy_columns_behind(&t->array, &at), ahead = 0;
    if (index + 1 < t->array.count) {
      struct hy_diagonal_block next = hy_diagonal_block(&t->array, index + 1);
      if (next.mine) ahead = next.width;
    }
    share(g, t, &at);
    update(t, &at, ahead);
    update(t, &at, at.column);
    update(t, &at, behind - ahead);
  }
}

/* All strips of rows: transposed there and back, and swapped. */
static void swap_columns(const struct hy_gauss_jordan *g, struct hy_lu_tally *t) {
  int64_t rows = hy_held(&t->array.row, t->array.row_part);
  int64_t cols = hy_held(&t->array.col, t->array.col_part);
  int64_t step = hy_gauss_jordan_strip(rows);
  struct hy_lu_tally turned = {.lu = &g->turned, .size = t->size, .node = t->node};
  turned.array = hy_block_cyclic_at(&t->array.col, &t->array.row, t->array.block, t->node);
  for (int64_t first = 0; first < rows; first += step)
    for (int64_t index = 0; index < turned.array.count; index++) {
      struct hy_diagonal_block at = hy_diagonal_block(&turned.array, index);
      int64_t columns = hy_min(step, rows - first);
      hy_lu_swap_cost(&turned, &at, columns);
      if (at.top) hy_lu_spend(&turned, (hyla_cost){.copied = at.width * columns});
    }
  hy_lu_spend(t, (hyla_cost){.copied = 2 * rows * cols});
  hy_cost_add(&t->least, turned.least);
  hy_cost_add(&t->most, turned.most);
}

/* The product of A^-1 with nrhs right-hand sides, on a counting cube. */
static hyla_status multiply(const struct hy_gauss_jordan *g, struct hy_lu_tally *t) {
  const struct hy_factorization *problem = g->problem;
  const struct hy_operand lies = {.row = problem->row, .col = problem->col},
                          before = {.row = problem->turned_row, .col = problem->turned_col},
                          after = {.row = problem->row, .col = problem->x_col};
  struct hy_gauss_jordan played = *g;
  struct hy_inverse_product *product = &played.product[0];
  struct hy_subcube_op *const groups[] = {&product->gather, &product->adds};
  hyla_cube counting;
  hy_count_begin(g->cube, t->node, &counting);
  hyla_matrix a = hy_matrix_counted(&counting, g->k->type, &lies);
  hyla_matrix b = hy_matrix_counted(&counting, g->k->type, &before);
  hyla_matrix x = hy_matrix_counted(&counting, g->k->type, &after);
  played.cube = &counting;
  played.k = a.k;
  played.a = &a;
  played.sides[0] = played.sides[1] = counting.base.no_data;
  for (int i = 0; i < 2; i++) hy_subcube_counted(groups[i], &counting);
  hyla_status status = hy_gauss_jordan_multiply(&played, HYLA_NONE, &b, &x);
  hy_lu_spend(t, hy_count_end(g->cube, &counting, g->k->size));
  return status;
}

/* Workspace, without lu's, and that of the collectives' runs. */
static hyla_status memory_of(const struct hy_gauss_jordan *g, int p, int q, int64_t *bytes) {
  const struct hy_gauss_jordan_sizes sizes = hy_gauss_jordan_sizes(g, p, q);
  const struct hy_subcube_op *const groups[] = {&g->turned.rows, &g->product[0].gather,
                                                &g->product[0].adds, &g->product[1].gather,
                                                &g->product[1].adds};
  *bytes = sizes.numbers + sizes.gathered + sizes.top + sizes.strip + 2 * sizes.sides;
  return hy_subcube_ops_memory(groups, (int)(sizeof groups / sizeof *groups), bytes);
}

hyla_status hy_gauss_jordan_cost_at(const struct hy_gauss_jordan *g, int p, int q, hyla_cost *least,
                                    hyla_cost *most) {
  const struct hy_factorization *problem = g->problem;
  const struct hy_axis *row = &problem->row, *col = &problem->col;
  hyla_cost lu_least, lu_most;
  int64_t bytes = 0;
  struct hy_lu_tally t = {.lu = g->lu, .size = (int64_t)g->k->size};
  t.node =
      (int)(hy_axis_address(&row->code, (uint32_t)p) | hy_axis_address(&col->code, (uint32_t)q));
  t.array = hy_block_cyclic_at(row, col, g->lu->array.block, t.node);
  eliminate(g, &t);
  swap_columns(g, &t);
  if (problem->nrhs > 0) TRY(multiply(g, &t));
  TRY(memory_of(g, p, q, &bytes));
  TRY(hy_lu_cost_at(g->lu, p, q, &lu_least, &lu_most));
  *least = t.least;
  *most = t.most;
  least->memory = most->memory = lu_most.memory + bytes;
  return HYLA_OK;
}

hyla_status hy_gauss_jordan_cost(const struct hy_gauss_jordan *g, hyla_cost *least,
                                 hyla_cost *most) {
  *least = *most = (hyla_cost){0};
  for (int p = 0; p < g->problem->row.parts; p++)
    for (int q = 0; q < g->problem->col.parts; q++) {
      hyla_cost here_least, here_most;
      TRY(hy_gauss_jordan_cost_at(g, p, q, &here_least, &here_most));
      hy_lu_cost_raise(least, &here_least);
      hy_lu_cost_raise(most, &here_most);
    }
  return HYLA_OK;
}
