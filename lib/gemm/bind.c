/* Operands brought to where a variant wants them: workspaces and moves. */
#include "gemm/gemm_plan.h"

bool hy_in_place(const hyla_matrix *matrix) {
  const hyla_cube *cube = matrix->cube;
  if (matrix->window == NULL) return false;
  for (int node = 0; node < cube->nodes; node++)
    if (hy_window_peer(matrix->window, node) == NULL) return false;
  return true;
}

bool hy_in_place_expected(const hyla_cube *cube) {
  return !cube->private_memory && cube->members == cube->nodes;
}

struct hy_operand hy_operand_of(const hyla_matrix *matrix, hyla_operation op) {
  hyla_rest rest = matrix->others == 0 ? HYLA_REPLICATED : matrix->layout.rest;
  bool in_place = hy_in_place(matrix);
  return op == HYLA_NONE ? (struct hy_operand){matrix->row, matrix->col, in_place, rest}
                         : (struct hy_operand){matrix->col, matrix->row, in_place, rest};
}

void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x) {
  hyla_layout standard;
  if (x->row.code.dims + x->col.code.dims == cube->dims) return;
  (void)hyla_layout_default(cube, &standard); /* fails for NULL only */
  x->row = hy_axis_make(&standard.row, x->row.n);
  x->col = hy_axis_make(&standard.col, x->col.n);
  x->rest = HYLA_REPLICATED;
}

bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b) {
  return hy_axis_equal(&a->row, &b->row) && hy_axis_equal(&a->col, &b->col) && a->rest == b->rest;
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

static hyla_status move_cost(struct hy_base *base, const struct hy_operand *from,
                             const struct hy_operand *to, size_t size, int node, hyla_cost *cost) {
  const struct hy_axis *const axes[] = {&from->row, &from->col, &to->row, &to->col};
  return hy_move_cost(base, axes, from->in_place, size, node, cost);
}

hyla_status hy_bind_cost(struct hy_base *base, const struct hy_operand *given,
                         const struct hy_operand *wanted, bool in, bool out, size_t size, int node,
                         hyla_cost *cost) {
  if (in) TRY(move_cost(base, given, wanted, size, node, cost));
  if (out) TRY(move_cost(base, wanted, given, size, node, cost));
  cost->memory += workspace_entries(wanted, node) * (int64_t)size;
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
  if (in) TRY(hy_move_create(binding->op, binding->given, binding->view, &binding->in));
  return to == NULL ? HYLA_OK : hy_move_create(HYLA_NONE, binding->view, to, &binding->out);
}

void hy_bind_release(struct hy_binding *binding) {
  hy_move_destroy(&binding->in);
  hy_move_destroy(&binding->out);
  hyla_matrix_destroy(&binding->view);
  hyla_matrix_destroy(&binding->owner);
}
