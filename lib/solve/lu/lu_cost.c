/* LU: its cost, rank by rank.
 *
 * The substitutions are counted as they run, on a counting cube; the elimination by the
 * formulas below, which go through its panels.  Only the gathering of swapped rows depends on
 * the entries: which ranks hold the pivots.  `least` counts it for a matrix that needs no
 * swaps; `most` is a bound for any: all rows that move, to everybody in every step.  Where no
 * rows can come from outside a panel, and where r = 0, the two are equal. */
#include "solve/lu/lu.h"

struct hy_lu_sizes hy_lu_sizes(const struct hy_lu *lu, int p, int q) {
  const struct hy_factorization *problem = lu->problem;
  struct hy_lu_sizes sizes = {0};
  int64_t size = (int64_t)problem->k->size, block = hy_factor_block(problem),
          members = problem->row.parts;
  int64_t rows = hy_held(&problem->row, p), cols = hy_held(&problem->col, q);
  int64_t in_panels = hy_axis_before(&problem->col, q, hy_factor_order(problem));
  int64_t x_cols = hy_axis_before(&problem->x_col, q, problem->nrhs);
  int64_t few = hy_min(problem->nrhs, HY_STATIONARY_NRHS);
  int64_t widest = hy_max(cols, hy_max(x_cols, few));
  int64_t slot = hy_lu_header_bytes(block) + (rows + block) * block * size;
  sizes.slot = hy_ceil_div(slot, 64) * 64;
  sizes.numbers = hy_lu_numbers(block, members);
  sizes.search = lu->pivoting->room(rows, block, size);
  sizes.diagonals = hy_ceil_div(in_panels, block) * block * block * size;
  sizes.gathered = members > 1 ? 2 * block * widest * size : 0;
  /* Back substitution with few right-hand sides keeps two of their blocks there. */
  sizes.strip = block * hy_min(HY_LU_STRIP, hy_max(widest, 2 * few)) * size;
  sizes.packed = hy_packed_entries(rows, block) * size;
  sizes.sums = hy_max(rows, block) * few * size;
  return sizes;
}

static void add(hyla_cost *cost, int64_t steps, int64_t messages, int64_t words) {
  cost->steps += steps;
  cost->messages += messages;
  cost->words += messages * words;
}

void hy_lu_spend(struct hy_lu_tally *t, hyla_cost cost) {
  hy_cost_add(&t->least, cost);
  hy_cost_add(&t->most, cost);
}

static void work(struct hy_lu_tally *t, int64_t flops) {
  hy_lu_spend(t, (hyla_cost){.flops = flops});
}

static void copy(struct hy_lu_tally *t, int64_t entries) {
  hy_lu_spend(t, (hyla_cost){.copied = entries});
}

/* This rank's number in its rank column, in its rank row, counted from the one with the panel. */
static uint32_t from_top(const struct hy_lu_tally *t, const struct hy_diagonal_block *at) {
  return hy_extract((uint32_t)(t->node ^ hy_column_root(&t->array, at->index)), t->array.row_dims);
}
static uint32_t from_maker(const struct hy_lu_tally *t, const struct hy_diagonal_block *at) {
  return hy_extract((uint32_t)(t->node ^ hy_row_root(&t->array, at->index)), t->array.col_dims);
}

/* Counts loading a panel and sending it to all ranks. */
static void share(struct hy_lu_tally *t, const struct hy_diagonal_block *at) {
  int64_t rows = hy_rows_behind(at) + at->width; /* all have the diagonal block */
  int64_t words = hy_lu_header_bytes(t->array.block) / t->size + rows * at->width;
  if (at->mine) copy(t, rows * at->width);
  hy_lu_spend(t, hy_panels_cost(&t->lu->shares, from_maker(t, at), words,
                                hy_in_place_expected(t->lu->cube)));
}

/* The most rows of this rank that a panel can move. */
static int64_t moved(const struct hy_diagonal_block *at) {
  return hy_min(at->width, hy_rows_behind(at));
}

/* Counts gathering the rows that a panel moves. */
static void gather(struct hy_lu_tally *t, const struct hy_diagonal_block *at, int64_t columns) {
  int r = t->array.row.code.dims;
  if (r == 0 || columns == 0) return;
  if (at->top) copy(t, at->width * columns);
  t->most.copied += moved(at) * columns;
  int64_t outside = hy_min(at->width, t->array.row.n - at->first - at->width);
  if (t->lu->rows.schedules != NULL) {
    const hyla_cost *most = &t->lu->gathering;
    t->most.steps += most->steps;
    t->most.messages += most->messages;
    t->most.words += most->words * hy_ceil_div((at->width + outside) * columns, r) * r;
    return;
  }
  /* All-gather by doubling, lowest dimension first: p_k's rows are forwarded once received. */
  uint32_t from = from_top(t, at);
  int sent = r - 1 - hy_log2_floor(from);
  add(&t->least, sent + (from != 0), sent, at->width * columns);
  if (outside == 0)
    add(&t->most, sent + (from != 0), sent, at->width * columns);
  else
    add(&t->most, r, r, (at->width + outside) * columns);
}

/* Counts the swaps: new top rows go into the strip, old ones to the places of these. */
void hy_lu_swap_cost(struct hy_lu_tally *t, const struct hy_diagonal_block *at, int64_t columns) {
  gather(t, at, columns);
  copy(t, at->width * columns);
  t->most.copied += moved(at) * columns;
  /* Rows are read for the strip, and others written in their places. */
  t->most.scattered += 2 * hy_ceil_div(moved(at), t->array.row.parts) * columns;
}

/* Counts U12 and the product behind a panel. */
static void update(struct hy_lu_tally *t, const struct hy_diagonal_block *at, int64_t columns) {
  hy_lu_swap_cost(t, at, columns);
  copy(t, (at->top ? 2 : 1) * at->width * columns); /* for the products; into the matrix */
  work(t, at->width * (at->width - 1 + 2 * hy_rows_behind(at)) * columns);
}

void hy_lu_panel_cost(struct hy_lu_tally *t, const struct hy_diagonal_block *at) {
  const struct hy_lu_pivoting *pivoting = t->lu->pivoting;
  int64_t w = at->width, words = pivoting->bytes(w, t->size) / t->size;
  int64_t searches = pivoting->searches(w);
  uint32_t number = hy_extract((uint32_t)t->node, t->array.row_dims);
  hyla_cost search = hy_subcube_cost(&t->lu->searches, number, 1);
  hy_lu_spend(t, (hyla_cost){.steps = searches * search.steps,
                             .messages = searches * search.messages,
                             .words = searches * search.messages * words});
  copy(t, at->rows * w + w * w +
              pivoting->copied(at, t->array.row.code.dims)); /* back, and the diagonal block */
  work(t, hy_rows_behind(at) * w * w + pivoting->flops(at, t->array.row.code.dims));
}

static void factor_matrix(struct hy_lu_tally *t) {
  for (int64_t index = 0; index < t->array.count; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
    if (at.mine) hy_lu_panel_cost(t, &at);
    share(t, &at);
    int64_t ahead = 0, behind = hy_columns_behind(&t->array, &at);
    if (index + 1 < t->array.count) {
      struct hy_diagonal_block next = hy_diagonal_block(&t->array, index + 1);
      if (next.mine) ahead = next.width;
    }
    if (behind > 0) copy(t, hy_rows_behind(&at) * at.width); /* packed for the products */
    update(t, &at, ahead);
    update(t, &at, behind - ahead);
  }
}

/* Does nothing, since swaps are counted apart. */
static hyla_status no_swap(void *arg, const struct hy_diagonal_block *at,
                           const struct hyla_matrix *x, char *block) {
  (void)arg, (void)at, (void)x, (void)block;
  return HYLA_OK;
}
static const char *no_diagonal(void *arg, const struct hy_diagonal_block *at, int *ld) {
  (void)arg, (void)at, (void)ld;
  return NULL;
}

/* One substitution on a counting cube. */
static hyla_status substitute(struct hy_lu_tally *t, hyla_triangle triangle, bool travelling) {
  static const struct hy_row_swaps none = {NULL, no_swap, no_diagonal};
  const struct hy_factorization *problem = t->lu->problem;
  const struct hy_operand factors = {.row = problem->row, .col = problem->col};
  const struct hy_operand sides = {.row = problem->row, .col = problem->x_col};
  hyla_cube counting;
  struct hy_counted_groups groups = {
      .adds = t->lu->adds, .spreads = t->lu->blocks, .shares = t->lu->shares};
  hy_count_begin(problem->cube, t->node, &counting);
  hyla_matrix a = hy_matrix_counted(&counting, problem->k->type, &factors);
  hyla_matrix x = hy_matrix_counted(&counting, problem->k->type, &sides);
  const struct hy_triangular system = {.t = &a,
                                       .block = t->array.block,
                                       .triangle = triangle,
                                       .diagonal = triangle == HYLA_LOWER ? HYLA_UNIT_DIAGONAL
                                                                          : HYLA_ANY_DIAGONAL};
  struct hy_substitution s = hy_substitution_of(&system);
  hy_substitution_counted(&s, &groups);
  if (triangle == HYLA_LOWER) s.swaps = &none;
  hyla_status status =
      travelling ? hy_substitute_travelling(&s, &x) : hy_substitute_stationary(&s, &x);
  hy_lu_spend(t, hy_count_end(problem->cube, &counting, problem->k->size));
  return status;
}

static hyla_status solve(struct hy_lu_tally *t) {
  const struct hy_factorization *problem = t->lu->problem;
  bool fixed = t->lu->pivoting->fixed, travelling = fixed || problem->nrhs > HY_STATIONARY_NRHS;
  int64_t columns = travelling ? hy_held(&problem->x_col, t->array.col_part) : problem->nrhs;
  if (problem->nrhs == 0) return HYLA_OK;
  for (int64_t index = 0; index < t->array.count; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
    if (travelling) share(t, &at);
    if (travelling && at.mine)
      hy_lu_spend(t, (hyla_cost){.read = (hy_rows_behind(&at) + at.width) * at.width});
    if (travelling)
      update(t, &at, columns);
    else
      hy_lu_swap_cost(t, &at, columns);
  }
  if (fixed) return hy_lu_fixed_cost(t);
  if (!travelling) TRY(substitute(t, HYLA_LOWER, false));
  return substitute(t, HYLA_UPPER, travelling);
}

void hy_lu_cost_raise(hyla_cost *most, const hyla_cost *cost) {
  most->steps = hy_max(most->steps, cost->steps);
  most->messages = hy_max(most->messages, cost->messages);
  most->words = hy_max(most->words, cost->words);
  most->flops = hy_max(most->flops, cost->flops);
  most->lent = hy_max(most->lent, cost->lent);
  most->copied = hy_max(most->copied, cost->copied);
  most->streamed = hy_max(most->streamed, cost->streamed);
  most->scattered = hy_max(most->scattered, cost->scattered);
  most->read = hy_max(most->read, cost->read);
  most->memory = hy_max(most->memory, cost->memory);
}

hyla_status hy_lu_cost_at(const struct hy_lu *lu, int p, int q, hyla_cost *least, hyla_cost *most) {
  const struct hy_factorization *problem = lu->problem;
  const struct hy_axis *row = &problem->row, *col = &problem->col;
  struct hy_lu_tally t = {.lu = lu, .size = (int64_t)problem->k->size};
  t.node =
      (int)(hy_axis_address(&row->code, (uint32_t)p) | hy_axis_address(&col->code, (uint32_t)q));
  t.array = hy_block_cyclic_at(row, col, hy_factor_block(problem), t.node);
  factor_matrix(&t);
  TRY(solve(&t));
  struct hy_lu_sizes sizes = hy_lu_sizes(lu, p, q);
  t.least.memory = t.most.memory = HY_PANEL_SLOTS * sizes.slot + sizes.numbers + sizes.search +
                                   sizes.diagonals + sizes.gathered + sizes.strip + sizes.packed +
                                   sizes.sums + lu->group_bytes;
  if (hy_lu_inverts(lu)) TRY(hy_lu_inverse_cost(&t));
  *least = t.least;
  *most = t.most;
  return HYLA_OK;
}

hyla_status hy_lu_cost(const struct hy_lu *lu, hyla_cost *least, hyla_cost *most) {
  const struct hy_factorization *problem = lu->problem;
  *least = *most = (hyla_cost){0};
  for (int p = 0; p < problem->row.parts; p++)
    for (int q = 0; q < problem->col.parts; q++) {
      hyla_cost here_least, here_most;
      TRY(hy_lu_cost_at(lu, p, q, &here_least, &here_most));
      hy_lu_cost_raise(least, &here_least);
      hy_lu_cost_raise(most, &here_most);
    }
  return HYLA_OK;
}

/* ----------------------------------------------------------- for people -- */

hyla_cost hy_lu_price(const void *state) { return ((const struct hy_lu *)state)->cost; }

/* Explains a group if the user asked for its variant. */
static void explain_asked(const struct hy_subcube_op *group, const char *what,
                          struct hy_text *text) {
  if (group->choice.why == HY_ASKED) hy_subcube_explain(group, what, text);
}

void hy_lu_explain_elimination(const struct hy_lu *lu, struct hy_text *text) {
  if (lu->shares.schedules == NULL)
    hy_text_add(text, "  panels: broadcast by doubling, lent one ahead (the default)\n");
  else
    explain_asked(&lu->shares, "panels", text);
  explain_asked(&lu->searches, "pivot searches", text);
  explain_asked(&lu->rows, "rows that move", text);
}

void hy_lu_explain_least(hyla_status found, const hyla_cost *least, struct hy_text *text) {
  if (found != HYLA_OK)
    hy_text_add(text,
                "  the pivots decide the cost: this is the most; there is no memory to find the "
                "least\n");
  else
    hy_text_add(text,
                "  the pivots decide the cost: this is the most, the least is %lld steps, %lld "
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
