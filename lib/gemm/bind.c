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

hyla_status hy_bind_cost(hyla_cube *cube, const struct hy_bind_need *needs, int count, size_t size,
                         hyla_cost *cost) {
  struct hy_move_ends in[3], out[3];
  int ins = 0, outs = 0;
  for (int x = 0; x < count; x++) {
    const struct hy_operand *given = needs[x].given, *wanted = needs[x].wanted;
    if (needs[x].in) in[ins++] = (struct hy_move_ends){given, wanted, size};
    if (needs[x].out) out[outs++] = (struct hy_move_ends){wanted, given, size};
    cost->memory += workspace_entries(wanted, cube->address) * (int64_t)size;
  }
  TRY(hy_move_cost(&cube->base, cube->dims, in, ins, cube->address, cost));
  return hy_move_cost(&cube->base, cube->dims, out, outs, cube->address, cost);
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

hyla_status hy_bind_in(hyla_cube *cube, struct hy_binding *const bindings[], int count,
                       struct hy_move **in) {
  hyla_transfer transfers[3];
  int moved = 0;
  for (int x = 0; x < count; x++)
    if (bindings[x]->brought)
      transfers[moved++] =
          (hyla_transfer){bindings[x]->op, 1, bindings[x]->given, bindings[x]->view};
  return moved == 0 ? HYLA_OK : hy_move_create(cube, transfers, moved, in);
}

hyla_status hy_bind_out(hyla_cube *cube, const struct hy_binding *binding, hyla_matrix *to,
                        struct hy_move **out) {
  const hyla_transfer back = {HYLA_NONE, 1, binding->view, to};
  return hy_move_create(cube, &back, 1, out);
}

void hy_bind_release(struct hy_binding *binding) {
  hyla_matrix_destroy(&binding->view);
  hyla_matrix_destroy(&binding->owner);
}
