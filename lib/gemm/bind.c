/* Operands brought to where a variant wants them: workspaces and moves. */
#include "gemm/gemm_plan.h"

bool hy_in_place_expected(const hyla_cube *cube) {
  return !cube->private_memory && cube->members == cube->nodes;
}

/* The axis for n indices, in blocks that leave no part empty where n is small. */
static struct hy_axis spread_axis(const hyla_axis *standard, int64_t n) {
  hyla_axis code = *standard;
  code.block = hy_max(1, hy_min(code.block, hy_ceil_div(n, INT64_C(1) << code.dims)));
  return hy_axis_make(&code, n);
}

void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x) {
  hyla_layout standard;
  if (x->row.code.dims + x->col.code.dims == cube->dims) return;
  (void)hyla_layout_default(cube, &standard); /* fails for NULL only */
  x->row = spread_axis(&standard.row, x->row.n);
  x->col = spread_axis(&standard.col, x->col.n);
  x->rest = HYLA_REPLICATED;
}

/* The axis of a matrix of which the wanted axis is a range, and where it begins.
 * A wanted axis that follows a view need not begin with a whole block on part 0:
 * the workspace then begins with the indices since the last round did. */
static hyla_axis workspace_axis(const struct hy_axis *wanted, int64_t *shift) {
  hyla_axis code = wanted->code;
  *shift = wanted->n == 0 ? 0 : wanted->first % (wanted->block * wanted->parts);
  if (*shift == 0 && wanted->total == wanted->n) return code;
  code.storage = HYLA_CYCLIC;
  code.block = wanted->block;
  return code;
}

static int64_t workspace_entries(const struct hy_operand *wanted, int node) {
  int64_t shift_rows, shift_cols;
  hyla_axis row_code = workspace_axis(&wanted->row, &shift_rows);
  hyla_axis col_code = workspace_axis(&wanted->col, &shift_cols);
  struct hy_axis row = hy_axis_make(&row_code, wanted->row.n + shift_rows);
  struct hy_axis col = hy_axis_make(&col_code, wanted->col.n + shift_cols);
  return hy_held(&row, hy_part_of(&row, node)) * hy_held(&col, hy_part_of(&col, node));
}

hyla_status hy_bind_cost(hyla_cube *cube, const struct hy_operand *given,
                         const struct hy_operand *wanted, bool in, bool out, size_t size,
                         hyla_cost *cost) {
  const struct hy_move_ends there = {given, wanted, size}, back = {wanted, given, size};
  struct hy_base *base = &cube->base;
  if (in) TRY(hy_move_cost(base, cube->dims, &there, 1, cube->address, cost));
  if (out) TRY(hy_move_cost(base, cube->dims, &back, 1, cube->address, cost));
  cost->memory += workspace_entries(wanted, cube->address) * (int64_t)size;
  return HYLA_OK;
}

hyla_status hy_bind_make(struct hy_binding *binding, const struct hy_operand *wanted) {
  int64_t row, col;
  hyla_layout layout = {workspace_axis(&wanted->row, &row), workspace_axis(&wanted->col, &col),
                        wanted->rest};
  int64_t rows = wanted->row.n, cols = wanted->col.n;
  const hyla_matrix *given = binding->given;
  TRY(hy_matrix_make(given->cube, given->k->type, rows + row, cols + col, &layout,
                     &binding->owner));
  return hyla_matrix_view(binding->owner, row, col, rows, cols, &binding->view);
}

hyla_status hy_bind_moves(struct hy_binding *binding, bool in, hyla_matrix *to) {
  hyla_cube *cube = binding->given->cube;
  const hyla_transfer there = {binding->op, 1, binding->given, binding->view};
  const hyla_transfer back = {HYLA_NONE, 1, binding->view, to};
  if (in) TRY(hy_move_create(cube, &there, 1, &binding->in));
  return to == NULL ? HYLA_OK : hy_move_create(cube, &back, 1, &binding->out);
}

void hy_bind_release(struct hy_binding *binding) {
  hy_move_destroy(&binding->in);
  hy_move_destroy(&binding->out);
  hyla_matrix_destroy(&binding->view);
  hyla_matrix_destroy(&binding->owner);
}
