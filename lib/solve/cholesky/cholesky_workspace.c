/* Cholesky: a factorization's workspace, its collectives, and the substitutions with its factor. */
#include "solve/cholesky/cholesky.h"

/* Lists this rank's block columns, since every panel asks where the blocks behind it lie. */
static hyla_status make_blocks(struct hy_cholesky *c) {
  const struct hy_block_cyclic *array = &c->array;
  const struct hy_axis *col = &array->col;
  int64_t count = hy_ceil_div(array->cols, array->block);
  TRY(hy_alloc_for(&c->cube->base, c, count, sizeof *c->blocks, &c->blocks));
  for (int64_t i = 0; i < count; i++) {
    int64_t column = hy_axis_index(col, array->col_part, i * array->block);
    struct hy_diagonal_block at = hy_diagonal_block(array, column / array->block);
    int node = hy_column_root(array, at.index);
    c->blocks[i] = (struct hy_cholesky_block){
        .at = at, .member = (int64_t)hy_member(c->cube, array->row_dims, node)};
  }
  return HYLA_OK;
}

static hyla_status make_groups(struct hy_cholesky *c) {
  const struct hy_block_cyclic *array = &c->array;
  const size_t size = c->k->size;
  const int64_t header = HY_PANEL_HEADER / (int64_t)size, block = array->block;
  const int64_t rows = hy_axis_most(&c->problem->row), cols = hy_axis_most(&c->problem->col);
  const struct hy_group groups[] = {
      {&c->shares, array->col_dims, HY_TASK_BROADCAST, header + rows * block, size},
      {&c->diagonals, array->row_dims, HY_TASK_BROADCAST, header + block * block, size},
      {&c->rows, array->row_dims, HY_TASK_ALLGATHER, cols * block, size},
      {0}};
  return hy_make_groups(c, c->cube, groups);
}

/* L X = B with X's rows along A's; L^H X = B with X's rows along A's columns.  For order 1 only A X
 * = B, because a root and two quotients would be rounded. */
static hyla_status make_systems(struct hy_cholesky *c) {
  struct hy_triangular form = {.block = c->array.block, .triangle = HYLA_LOWER};
  if (c->problem->n != 1) TRY(hy_triangular_of_factors(c, c->problem, form, &c->forward));
  form.op = HYLA_CONJUGATE;
  return hy_triangular_of_factors(c, c->problem, form, &c->backward);
}

hyla_status hy_cholesky_create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  hyla_cube *cube = problem->cube;
  struct hy_cholesky *c = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *c, &c));
  *state = c;
  *c = (struct hy_cholesky){.problem = problem,
                            .steps = variant->traits,
                            .fixed = variant->fixed,
                            .cube = cube,
                            .k = problem->k,
                            .array = hy_factor_array(problem)};
  c->inverts = problem->inverse != NULL && c->steps->inverts;
  TRY(hy_alloc_for(&cube->base, c, 2 * problem->row.parts + 1, sizeof *c->numbers, &c->numbers));
  TRY(make_blocks(c));
  TRY(make_groups(c));
  if (!c->fixed) TRY(make_systems(c));
  return c->inverts ? hy_cholesky_inverse_create(c) : HYLA_OK;
}

/* ------------------------------------------------------------ allocate -- */

static hyla_status allocate_arrays(struct hy_cholesky *c) {
  const struct hy_block_cyclic *array = &c->array;
  const int64_t size = (int64_t)c->k->size, block = array->block;
  const int64_t across = array->cols * block * size;
  const bool rows = array->row.parts > 1, apart = rows || array->col.parts > 1;
  const struct hy_owned arrays[] = {
      {&c->packed.entries, hy_packed_entries(array->rows, block) * size},
      {&c->diagonal, HY_PANEL_HEADER + block * block * size},
      {&c->gathered, apart ? across : 0},
      {&c->across, rows ? across : 0},
      {0}};
  struct hy_subcube_op *const groups[] = {&c->shares, &c->diagonals, &c->rows, NULL};
  TRY(hy_take_arrays(&c->cube->base, c, arrays));
  TRY(hy_allocate_groups(groups));
  return c->inverts ? hy_cholesky_inverse_allocate(c) : HYLA_OK;
}

hyla_status hy_cholesky_allocate(void *state) {
  struct hy_cholesky *c = state;
  const bool guest = c->cube->address < 0;
  const int64_t slot = HY_PANEL_HEADER + c->array.rows * c->array.block * (int64_t)c->k->size;
  c->a = c->problem->factors->a;
  hy_factor_no_swaps(c->problem);
  TRY(hy_agree(c->cube, guest ? HYLA_OK : allocate_arrays(c)));
  TRY(hy_panels_create(c, &c->shares, guest ? 0 : hy_ceil_div(slot, 64) * 64, &c->panels));
  c->packed.products = c->fixed ? NULL : hy_packed_best(c->k, c->cube->session.team);
  c->packed.size = c->k->size;
  c->alone = *c->a;
  c->alone.local = (char *)&c->entry;
  if (c->fixed) return HYLA_OK;
  if (c->problem->n != 1) {
    TRY(hy_triangular_allocate(&c->forward, c->a));
    return hy_triangular_allocate(&c->backward, c->a);
  }
  return hy_triangular_allocate(&c->backward, &c->alone);
}

/* Does nothing, because nothing is kept beside the factor. */
hyla_status hy_cholesky_resume(void *state, int64_t from) {
  (void)state, (void)from;
  return HYLA_OK;
}

/* ----------------------------------------------------------- for people -- */

void hy_cholesky_explain(const void *state, struct hy_text *text) {
  const struct hy_cholesky *c = state;
  if (c->shares.schedules == NULL)
    hy_text_add(text, "  panels: broadcast by doubling, lent one ahead (the default)\n");
  else
    hy_subcube_explain(&c->shares, "panels", text);
  hy_explain_asked(&c->diagonals, "diagonal blocks", text);
  hy_explain_asked(&c->rows, "rows of panels", text);
  hy_explain_asked(&c->inverse.spreads, "rows of the inverse of L", text);
  hy_explain_asked(&c->inverse.crosses, "what of them stands for rows", text);
}
