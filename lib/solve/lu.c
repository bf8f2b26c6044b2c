/* LU: PA = LU with partial pivoting, right-looking, blocked.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * For k = 0, 1, ...: panel k is factored on rank column q_k (lu_panel.c), lent
 * along the rank rows (panel.c), and every rank swaps, solves and updates its
 * columns on the right (lu_swap.c, lu_update.c).  Panel k + 1 is brought up to
 * date, factored and lent before the rest of update k, so that its factorization
 * and its way overlap with the others' products (look-ahead of one panel).
 * Johnsson 1987, section 6 eliminates on the same layout; pivoting, blocks, the
 * look-ahead and rectangular arrays are ours.
 *
 * Steps: n r in the panels, and per panel at most c for the panel and 2 r for
 * the swaps.  Words: lu_cost.c.  Workspace: three panels, the diagonal blocks of
 * the rank column, and, for r > 0, two block rows. */
#include "solve/lu.h"

#include <string.h>

/* No larger block is of use, and sizes cannot overflow. */
enum { BLOCK_MAX = 1 << 20 };

/* --------------------------------------------------------------- create -- */

int64_t hy_lu_block(const struct hy_factorization *problem) {
  if (problem->row.parts == 1 && problem->col.parts == 1 &&
      problem->layout.col.storage != HYLA_CYCLIC)
    return hy_factor_layout(problem->cube, problem->n).col.block;
  if (problem->row.parts == 1) return problem->col.block;
  if (problem->col.parts == 1 || problem->row.block == problem->col.block)
    return problem->row.block;
  return 0;
}

static const char *applies(const void *given) {
  const struct hy_factorization *problem = given;
  if (hy_layout_others(problem->cube->dims, &problem->layout) != 0)
    return "the layout leaves cube dimensions over, and factors lie on all";
  if ((problem->row.parts > 1 && problem->layout.row.storage != HYLA_CYCLIC) ||
      (problem->col.parts > 1 && problem->layout.col.storage != HYLA_CYCLIC))
    return "the layout is not cyclic";
  if (hy_lu_block(problem) == 0) return "the blocks of rows and columns differ";
  if (hy_lu_block(problem) > BLOCK_MAX) return "the block is larger than 2^20";
  return NULL;
}

struct hy_lu_sizes hy_lu_sizes(const struct hy_factorization *problem, int p, int q) {
  struct hy_lu_sizes sizes = {0};
  int64_t size = (int64_t)problem->k->size, block = hy_lu_block(problem),
          members = problem->row.parts;
  int64_t rows = hy_axis_before(&problem->row, p, problem->n);
  int64_t cols = hy_axis_before(&problem->col, q, problem->n);
  int64_t x_cols = hy_axis_before(&problem->x_col, q, problem->nrhs);
  int64_t few = hy_min(problem->nrhs, HY_LU_FEW);
  int64_t widest = hy_max(cols, hy_max(x_cols, few));
  int64_t slot = hy_lu_header_bytes(block) + (rows + block) * block * size;
  sizes.slot = hy_ceil_div(slot, 64) * 64;
  sizes.numbers = (11 * block + 4 * members + 3) * (int64_t)sizeof(int64_t);
  sizes.search = 2 * hy_lu_search_bytes(block, size);
  sizes.diagonals = hy_ceil_div(cols, block) * block * block * size;
  sizes.gathered = members > 1 ? 2 * block * widest * size : 0;
  /* Back substitution with few right-hand sides keeps two blocks of theirs there. */
  sizes.strip = block * hy_min(HY_LU_STRIP, hy_max(widest, 2 * few)) * size;
  sizes.inverses = block * HY_TILE * size;
  sizes.sums = hy_max(rows, block) * few * size;
  return sizes;
}

/* Carves swap's arrays out of one. */
static void carve(struct hy_lu *lu) {
  struct hy_lu_swap *swap = &lu->swap;
  struct {
    int64_t **array;
    int64_t length;
  } part[] = {{&swap->row, lu->array.block},
              {&swap->content, 2 * lu->array.block},
              {&swap->place, lu->array.block},
              {&swap->held, lu->array.row.parts},
              {&swap->offset, lu->array.row.parts + 1},
              {&swap->entries, lu->array.row.parts + 1},
              {&swap->begin, lu->array.row.parts + 1},
              {&swap->from, lu->array.block},
              {&swap->to, lu->array.block},
              {&swap->leave, lu->array.block},
              {&swap->target, lu->array.block},
              {&swap->packed, 2 * lu->array.block}};
  int64_t *next = lu->numbers;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].array = next;
    next += part[i].length;
  }
}

static hyla_status take_arrays(struct hy_lu *lu, const struct hy_lu_sizes *sizes) {
  struct hy_base *base = &lu->cube->base;
  TRY(hy_alloc(base, sizes->numbers, 1, &lu->numbers));
  TRY(hy_alloc(base, sizes->search, 1, &lu->search));
  TRY(hy_alloc(base, sizes->diagonals, 1, &lu->diagonals));
  TRY(hy_alloc(base, sizes->gathered, 1, &lu->gathered));
  TRY(hy_alloc(base, sizes->strip, 1, &lu->strip));
  TRY(hy_alloc(base, sizes->strip, 1, &lu->u));
  TRY(hy_alloc(base, sizes->inverses, 1, &lu->inverses));
  TRY(hy_alloc(base, sizes->sums, 1, &lu->sums));
  TRY(hy_group_take(&lu->shares));
  TRY(hy_group_take(&lu->adds));
  TRY(hy_group_take(&lu->blocks));
  TRY(hy_group_take(&lu->rows));
  carve(lu);
  return HYLA_OK;
}

/* What the most costly rank spends on gathering blocks of one entry, as far as packets cut
 * none. */
static hyla_status set_gathering(struct hy_lu *lu) {
  int64_t *offsets = NULL;
  hyla_status status = HYLA_OK;
  if (lu->rows.schedules == NULL) return HYLA_OK;
  TRY(hy_alloc(&lu->cube->base, lu->array.row.parts + 1, sizeof *offsets, &offsets));
  int64_t unit = hy_max(1, hy_popcount(lu->array.row_dims));
  for (int x = 0; x <= lu->array.row.parts; x++) offsets[x] = x * unit;
  for (uint32_t x = 0; x < (uint32_t)lu->array.row.parts && status == HYLA_OK; x++) {
    hyla_cost cost = {0};
    status = hy_group_cost_blocks(&lu->rows, x, offsets, &cost);
    lu->gathering.steps = hy_max(lu->gathering.steps, cost.steps);
    lu->gathering.messages = hy_max(lu->gathering.messages, cost.messages);
    lu->gathering.words = hy_max(lu->gathering.words, hy_ceil_div(cost.words, unit));
  }
  hy_free(&lu->cube->base, &offsets);
  return status;
}

/* The memory of their runs. */
static hyla_status count_groups(struct hy_lu *lu) {
  const struct hy_group *const groups[] = {&lu->shares, &lu->adds, &lu->blocks, &lu->rows};
  for (int i = 0; i < 4; i++) {
    int64_t words = 0;
    TRY(hy_group_work(groups[i], &words));
    lu->group_bytes += words * (int64_t)groups[i]->size;
  }
  return HYLA_OK;
}

/* By the longest messages of any rank, so that all choose alike. */
static hyla_status make_groups(struct hy_lu *lu) {
  const struct hy_factorization *problem = lu->problem;
  hyla_cube *cube = lu->cube;
  int64_t block = lu->array.block, few = hy_min(problem->nrhs, HY_LU_FEW);
  int64_t rows = hy_axis_most(&problem->row), cols = hy_axis_most(&problem->col);
  int64_t widest = hy_max(cols, hy_max(hy_axis_most(&problem->x_col), few));
  size_t size = lu->k->size;
  int64_t header = hy_lu_header_bytes(block) / (int64_t)size;
  TRY(hy_group_make(cube, lu->array.col_dims, HY_TASK_BROADCAST, header + (rows + block) * block,
                    size, &lu->shares));
  TRY(hy_group_make(cube, lu->array.col_dims, HY_TASK_REDUCE, hy_max(rows, block) * few, size,
                    &lu->adds));
  TRY(hy_group_make(cube, lu->array.row_dims, HY_TASK_BROADCAST, block * widest, size,
                    &lu->blocks));
  TRY(hy_group_make(cube, lu->array.row_dims, HY_TASK_ALLGATHER, 2 * block * widest, size,
                    &lu->rows));
  TRY(hy_group_make(cube, lu->array.row_dims, HY_TASK_ALLREDUCE, 1,
                    (size_t)hy_lu_search_bytes(block, (int64_t)size), &lu->searches));
  TRY(set_gathering(lu));
  return count_groups(lu);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_lu *lu = NULL;
  hyla_cost least;
  (void)variant;
  TRY(hy_alloc(&cube->base, 1, sizeof *lu, &lu));
  *state = lu;
  lu->problem = problem;
  lu->cube = cube;
  lu->k = problem->k;
  lu->array = hy_block_cyclic_at(&problem->row, &problem->col, hy_lu_block(problem), cube->address);
  TRY(make_groups(lu));
  if (cube->address < 0) return HYLA_OK;
  return hy_lu_cost_at(lu, lu->array.row_part, lu->array.col_part, &least, &lu->cost);
}

/* Block k of x's rows after the swaps of panel k, on all ranks of the rank column. */
static hyla_status swap_rows(void *arg, const struct hy_diagonal_block *at,
                             const struct hyla_matrix *x, char *block) {
  struct hy_lu *lu = arg;
  hy_lu_swap_plan(lu, at);
  TRY(hy_lu_swap_gather(lu, x, 0, x->local_cols));
  hy_lu_swap_strip(lu, at, x, 0, x->local_cols, 0, x->local_cols, block);
  return HYLA_OK;
}

static const char *diagonal_of(void *arg, const struct hy_diagonal_block *at, int *ld) {
  const struct hy_lu *lu = arg;
  *ld = (int)lu->array.block;
  return hy_lu_diagonal(lu, at);
}

static void set_substitutions(struct hy_lu *lu) {
  struct hy_triangular system = {.t = lu->a, .block = lu->array.block};
  system.triangle = HYLA_UPPER;
  lu->upper = hy_substitution_of(&system);
  lu->upper.sums = lu->sums;
  lu->upper.adds = &lu->adds;
  lu->upper.spreads = &lu->blocks;
  lu->upper.blocks = lu->strip;
  lu->upper.panels = &lu->panels;
  lu->upper.solved = lu->gathered;
  system.triangle = HYLA_LOWER;
  system.diagonal = HYLA_UNIT_DIAGONAL;
  lu->lower = hy_substitution_of(&system);
  lu->lower.sums = lu->sums;
  lu->lower.adds = &lu->adds;
  lu->lower.blocks = lu->strip;
  lu->row_swaps = (struct hy_row_swaps){lu, swap_rows, diagonal_of};
  lu->lower.swaps = &lu->row_swaps;
}

static hyla_status take(void *state) {
  struct hy_lu *lu = state;
  struct hy_lu_sizes sizes = {0};
  lu->a = lu->problem->factors->a;
  lu->swaps = lu->problem->factors->swaps;
  bool guest = lu->cube->address < 0;
  if (!guest) sizes = hy_lu_sizes(lu->problem, lu->a->row_part, lu->a->col_part);
  TRY(hy_agree(lu->cube, guest ? HYLA_OK : take_arrays(lu, &sizes)));
  TRY(hy_panels_create(&lu->shares, sizes.slot, &lu->panels));
  lu->strip_columns = hy_panels_travel(&lu->panels) ? HY_LU_SHORT_STRIP : HY_LU_STRIP;
  set_substitutions(lu);
  return HYLA_OK;
}

static void destroy(void **state) {
  struct hy_lu *lu = *state;
  if (lu == NULL) return;
  struct hy_base *base = &lu->cube->base;
  hy_panels_destroy(&lu->panels);
  hy_free(base, &lu->numbers);
  hy_free(base, &lu->search);
  hy_free(base, &lu->diagonals);
  hy_free(base, &lu->gathered);
  hy_free(base, &lu->strip);
  hy_free(base, &lu->u);
  hy_free(base, &lu->inverses);
  hy_free(base, &lu->sums);
  hy_group_free(&lu->shares);
  hy_group_free(&lu->adds);
  hy_group_free(&lu->blocks);
  hy_group_free(&lu->rows);
  hy_group_free(&lu->searches);
  hy_free(base, state);
}

/* ------------------------------------------------------------------ run -- */

/* On q_k: the panel is loaded, factored unless it already is, sent on its way,
 * stored. */
static hyla_status make_panel(struct hy_lu *lu, int64_t index, bool factoring) {
  struct hy_lu_panel panel = hy_lu_panel_at(lu, index);
  TRY(hy_panels_open(&lu->panels, index, panel.bytes, &panel.slot));
  hy_lu_load(lu, &panel);
  if (factoring) TRY(hy_lu_factor_panel(lu, &panel));
  TRY(hy_panels_lend(&lu->panels, panel.slot));
  if (factoring) hy_lu_store(lu, &panel);
  return HYLA_OK;
}

static hyla_status expect_panel(struct hy_lu *lu, int64_t index) {
  if (index >= lu->array.count) return HYLA_OK;
  return hy_panels_expect(&lu->panels, index, hy_row_root(&lu->array, index),
                          hy_lu_panel_at(lu, index).bytes);
}

/* What panel k does to the columns behind it, panel k + 1 first. */
static hyla_status advance(struct hy_lu *lu, const struct hy_lu_panel *panel, bool factoring,
                           const struct hyla_matrix *x) {
  const struct hy_diagonal_block *at = &panel->at;
  int64_t column = at->column + (at->mine ? at->width : 0);
  if (at->index + 1 < lu->array.count) {
    struct hy_diagonal_block next = hy_diagonal_block(&lu->array, at->index + 1);
    if (next.mine) {
      if (factoring) TRY(hy_lu_update(lu, panel, lu->a, column, next.width));
      TRY(make_panel(lu, next.index, factoring));
      column += next.width;
    }
  }
  if (factoring) TRY(hy_lu_update(lu, panel, lu->a, column, lu->a->local_cols - column));
  return x == NULL ? HYLA_OK : hy_lu_update(lu, panel, x, 0, x->local_cols);
}

/* Panel k has come: unless it failed, what it does. */
static hyla_status use_panel(struct hy_lu *lu, const struct hy_lu_panel *panel, bool factoring,
                             const struct hyla_matrix *x) {
  const struct hy_diagonal_block *at = &panel->at;
  memcpy(lu->swaps + at->first, hy_lu_header_of(panel)->swaps,
         (size_t)at->width * sizeof *lu->swaps);
  TRY(expect_panel(lu, at->index + 1));
  hy_lu_swap_plan(lu, at);
  hy_lu_invert(lu, panel);
  return advance(lu, panel, factoring, x);
}

/* All panels in turn: with `factoring` over the matrix, in any case over x. */
static hyla_status eliminate(struct hy_lu *lu, bool factoring, const struct hyla_matrix *x,
                             int64_t *failed, hyla_status *verdict) {
  int64_t count = lu->array.count;
  if (count > 0 && hy_diagonal_block(&lu->array, 0).mine) TRY(make_panel(lu, 0, factoring));
  TRY(expect_panel(lu, 0));
  for (int64_t index = 0; index < count && *verdict == HYLA_OK; index++) {
    struct hy_lu_panel panel = hy_lu_panel_at(lu, index);
    TRY(hy_panels_receive(&lu->panels, index, &panel.slot));
    *verdict = (hyla_status)hy_lu_header_of(&panel)->status;
    *failed = hy_lu_header_of(&panel)->column;
    if (*verdict == HYLA_OK) TRY(use_panel(lu, &panel, factoring, x));
    TRY(hy_panels_close(&lu->panels, panel.slot));
  }
  return hy_panels_finish(&lu->panels);
}

static hyla_status run(void *state) {
  struct hy_lu *lu = state;
  hyla_status verdict = HYLA_OK;
  int64_t *pivot = &lu->problem->factors->pivot;
  TRY(eliminate(lu, true, lu->problem->along, pivot, &verdict));
  struct hy_base *base = &lu->cube->base;
  CHECK(base, verdict != HYLA_SINGULAR, SINGULAR,
        "the matrix is singular: pivot %lld is exactly zero", (long long)*pivot);
  CHECK(base, verdict != HYLA_NOT_FINITE, NOT_FINITE,
        "pivot %lld is infinite or not a number; look for such entries in the matrix",
        (long long)*pivot);
  return HYLA_OK;
}

static hyla_status forward(void *state, hyla_matrix *x) {
  struct hy_lu *lu = state;
  int64_t failed = 0;
  hyla_status verdict = HYLA_OK;
  if (lu->cube->address < 0) return HYLA_OK;
  if (x->col.n <= HY_LU_FEW) return hy_substitute_few(&lu->lower, x);
  return eliminate(lu, false, x, &failed, &verdict);
}

static hyla_status backward(void *state, hyla_matrix *x) {
  struct hy_lu *lu = state;
  if (lu->cube->address < 0) return HYLA_OK;
  return x->col.n <= HY_LU_FEW ? hy_substitute_few(&lu->upper, x)
                               : hy_substitute_many(&lu->upper, x);
}

static hyla_status settle(void *state, hyla_matrix *l) {
  struct hy_lu *lu = state;
  return lu->cube->address < 0 ? HYLA_OK : hy_lu_settle(lu, l);
}

static hyla_cost cost(const void *state) { return ((const struct hy_lu *)state)->cost; }

/* How panels travel, and what else was asked for. */
static void explain_groups(const struct hy_lu *lu, struct hy_text *text) {
  const struct {
    const char *what;
    const struct hy_group *group;
  } parts[] = {{"panels", &lu->shares},
               {"pivot searches", &lu->searches},
               {"rows that move", &lu->rows},
               {"sums of right-hand sides", &lu->adds},
               {"blocks of the solution", &lu->blocks}};
  if (lu->shares.schedules == NULL)
    hy_text_add(text,
                "  panels: broadcast by doubling, lent one ahead, as no other was asked for\n");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].group->choice.why == HY_ASKED && (i > 0 || lu->shares.schedules != NULL))
      hy_group_explain(parts[i].group, parts[i].what, text);
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_lu *lu = state;
  hyla_cost least, most;
  explain_groups(lu, text);
  if (hy_lu_cost(lu, &least, &most) != HYLA_OK) return;
  hy_text_add(text,
              "  where the pivots decide how much travels, the most: at least %lld steps, %lld "
              "messages, %lld words\n",
              (long long)least.steps, (long long)least.messages, (long long)least.words);
}

static const struct hy_substitutions SUBSTITUTIONS = {forward, backward, settle};

const struct hy_variant hy_lu_partial = {
    .name = "partial",
    .reference = "johnsson-1987, section 6",
    .traits = &SUBSTITUTIONS,
    .applies = applies,
    .create = create,
    .cost = cost,
    .take = take,
    .run = run,
    .explain = explain,
    .destroy = destroy,
};
