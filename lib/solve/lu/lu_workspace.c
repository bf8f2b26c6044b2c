/* LU: the workspace of a factorization, its collectives, the substitutions with its factors, and
 * explanations for people. */
#include "solve/lu/lu.h"

/* --------------------------------------------------------------- create -- */

int64_t hy_lu_numbers(int64_t block, int64_t members) {
  return (13 * block + 4 * members + 3) * (int64_t)sizeof(int64_t);
}

void hy_lu_carve(struct hy_lu *lu) {
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
              {&swap->packed, 2 * lu->array.block},
              {&swap->touched, 2 * lu->array.block}};
  int64_t *next = lu->numbers;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].array = next;
    next += part[i].length;
  }
}

/* The most columns of A or of right-hand sides that are gathered at a time, by numbers of columns.
 */
static int64_t widest(const struct hy_lu *lu, int64_t cols, int64_t x_cols) {
  return hy_max(cols, hy_max(x_cols, hy_min(lu->problem->nrhs, HY_STATIONARY_NRHS)));
}

static hyla_status allocate_arrays(struct hy_lu *lu) {
  const struct hy_factorization *problem = lu->problem;
  const int64_t size = (int64_t)lu->k->size, block = lu->array.block, members = problem->row.parts;
  const int64_t rows = lu->a->local_rows, few = hy_min(problem->nrhs, HY_STATIONARY_NRHS);
  const int q = lu->a->col_part;
  const int64_t in_panels = hy_axis_before(&problem->col, q, hy_factor_order(problem));
  const int64_t x_cols = hy_axis_before(&problem->x_col, q, problem->nrhs);
  const int64_t most = widest(lu, lu->a->local_cols, x_cols);
  /* Back substitution with few right-hand sides keeps two of their blocks in the strip. */
  const int64_t strip = hy_min(HY_LU_STRIP, hy_max(most, 2 * few));
  const struct hy_owned arrays[] = {
      {&lu->search, lu->pivoting->room(rows, block, size)},
      {&lu->diagonals, hy_ceil_div(in_panels, block) * block * block * size},
      {&lu->gathered, members > 1 ? 2 * block * most * size : 0},
      {&lu->strip, block * strip * size},
      {&lu->packed.entries, hy_packed_entries(rows, block) * size},
      {&lu->sums, hy_max(rows, block) * few * size},
      {0}};
  struct hy_subcube_op *const groups[] = {&lu->shares, &lu->adds, &lu->blocks, &lu->rows, NULL};
  TRY(hy_alloc_control_for(&lu->cube->base, lu, hy_lu_numbers(block, members), 1, &lu->numbers));
  TRY(hy_take_arrays(&lu->cube->base, lu, arrays));
  TRY(hy_allocate_groups(groups));
  hy_lu_carve(lu);
  return HYLA_OK;
}

static hyla_status make_groups(struct hy_lu *lu) {
  const struct hy_factorization *problem = lu->problem;
  const uint32_t row_dims = lu->array.row_dims, col_dims = lu->array.col_dims;
  const size_t size = lu->k->size;
  const int64_t block = lu->array.block, few = hy_min(problem->nrhs, HY_STATIONARY_NRHS);
  const int64_t rows = hy_axis_most(&problem->row), x_cols = hy_axis_most(&problem->x_col);
  const int64_t most = widest(lu, hy_axis_most(&problem->col), x_cols);
  const int64_t panel = hy_lu_header_bytes(block) / (int64_t)size + (rows + block) * block;
  const size_t search = (size_t)lu->pivoting->bytes(block, (int64_t)size);
  const struct hy_group groups[] = {
      {&lu->shares, col_dims, HY_TASK_BROADCAST, panel, size},
      {&lu->adds, col_dims, HY_TASK_REDUCE, hy_max(rows, block) * few, size},
      {&lu->blocks, row_dims, HY_TASK_BROADCAST, block * most, size},
      {&lu->rows, row_dims, HY_TASK_ALLGATHER, 2 * block * most, size},
      {&lu->searches, row_dims, HY_TASK_ALLREDUCE, 1, search},
      {0}};
  TRY(hy_make_groups(lu, lu->cube, groups));
  return hy_lu_set_gathering(lu);
}

hyla_status hy_lu_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_lu *lu = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *lu, &lu));
  *state = lu;
  lu->problem = problem;
  lu->variant = variant;
  lu->pivoting = variant->traits;
  lu->cube = cube;
  lu->k = problem->k;
  lu->array = hy_factor_array(problem);
  return make_groups(lu);
}

/* Gives all ranks of the rank column block k of x's rows, after the swaps of panel k. */
static hyla_status swap_rows(void *arg, const struct hy_diagonal_block *at,
                             const struct hyla_matrix *x, char *block) {
  struct hy_lu *lu = arg;
  hy_lu_swap_plan(lu, at, false);
  TRY(hy_lu_swap_gather(lu, x, 0, x->local_cols));
  hy_lu_swap_strip(lu, at, x, 0, x->local_cols, 0, x->local_cols, block);
  return HYLA_OK;
}

static const char *diagonal_of(void *arg, const struct hy_diagonal_block *at, int *ld) {
  const struct hy_lu *lu = arg;
  *ld = (int)lu->array.block;
  return hy_lu_diagonal(lu, at);
}

static struct hy_substitution substitution(struct hy_lu *lu, hyla_triangle triangle,
                                           hyla_diagonal diagonal) {
  const struct hy_triangular system = {
      .t = lu->a, .block = lu->array.block, .triangle = triangle, .diagonal = diagonal};
  struct hy_substitution s = hy_substitution_of(&system);
  s.sums = lu->sums;
  s.adds = &lu->adds;
  s.spreads = &lu->blocks;
  s.blocks = lu->strip;
  s.panels = &lu->panels;
  s.solved = lu->gathered;
  return s;
}

hyla_status hy_lu_allocate(void *state) {
  struct hy_lu *lu = state;
  lu->a = lu->problem->factors->a;
  lu->swaps = lu->problem->factors->swaps;
  const bool guest = lu->cube->address < 0;
  const int64_t block = lu->array.block, size = (int64_t)lu->k->size;
  const int64_t slot = hy_lu_header_bytes(block) + (lu->array.rows + block) * block * size;
  TRY(hy_agree(lu->cube, guest ? HYLA_OK : allocate_arrays(lu)));
  TRY(hy_panels_create(lu, &lu->shares, guest ? 0 : hy_ceil_div(slot, 64) * 64, &lu->panels));
  lu->strip_columns = hy_panels_travel(&lu->panels) ? HY_LU_SHORT_STRIP : HY_LU_STRIP;
  lu->packed.products = lu->pivoting->fixed ? NULL : hy_packed_best(lu->k, lu->cube->session.team);
  lu->packed.size = lu->k->size;
  lu->upper = substitution(lu, HYLA_UPPER, HYLA_ANY_DIAGONAL);
  lu->lower = substitution(lu, HYLA_LOWER, HYLA_UNIT_DIAGONAL);
  lu->row_swaps = (struct hy_row_swaps){lu, swap_rows, diagonal_of};
  lu->lower.swaps = &lu->row_swaps;
  return hy_lu_inverts(lu) ? hy_lu_inverse_allocate(lu) : HYLA_OK;
}

void hy_lu_destroy(void **state) {
  struct hy_lu *lu = *state;
  if (lu != NULL) (void)hyla_matrix_destroy(&lu->inverse.x);
}

/* ----------------------------------------------------------- for people -- */

void hy_lu_explain_elimination(const struct hy_lu *lu, struct hy_text *text) {
  if (lu->shares.schedules == NULL)
    hy_text_add(text, "  panels: broadcast by doubling, lent one ahead (the default)\n");
  else
    hy_explain_asked(&lu->shares, "panels", text);
  hy_explain_asked(&lu->searches, "pivot searches", text);
  hy_explain_asked(&lu->rows, "rows that move", text);
}

void hy_lu_explain_least(const struct hy_factorization *problem, const struct hy_variant *variant,
                         struct hy_text *text) {
  hyla_cost least;
  if (hy_factor_least(problem, variant, &least) != HYLA_OK)
    hy_text_add(text,
                "  the pivots decide the cost: this is the most; there is no memory to find the "
                "least\n");
  else
    hy_text_add(text,
                "  the pivots decide the cost: this is the most, the least is %lld steps, %lld "
                "messages, %lld words\n",
                (long long)least.steps, (long long)least.messages, (long long)least.words);
}

void hy_lu_explain(const void *state, struct hy_text *text) {
  const struct hy_lu *lu = state;
  hy_lu_explain_elimination(lu, text);
  hy_explain_asked(&lu->adds, "sums of right-hand sides", text);
  hy_explain_asked(&lu->blocks, "blocks of the solution", text);
  hy_lu_explain_least(lu->problem, lu->variant, text);
}
