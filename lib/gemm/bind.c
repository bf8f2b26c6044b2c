/* Operands brought to where a variant wants them: workspaces and moves. */
#include "gemm/gemm_plan.h"

#include <complex.h>

void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x) {
  hyla_layout standard;
  if (x->row.code.dims + x->col.code.dims == cube->dims) return;
  (void)hyla_layout_default(cube, x->row.n, x->col.n, &standard); /* never fails on a cube */
  x->row = hy_axis_make(&standard.row, x->row.n);
  x->col = hy_axis_make(&standard.col, x->col.n);
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

static int64_t workspace_entries(const hyla_cube *cube, const struct hy_operand *wanted) {
  int64_t shift_rows, shift_cols;
  int node = cube->address;
  hyla_layout layout = {workspace_axis(&wanted->row, &shift_rows),
                        workspace_axis(&wanted->col, &shift_cols), wanted->rest};
  struct hy_axis row = hy_axis_make(&layout.row, wanted->row.n + shift_rows);
  struct hy_axis col = hy_axis_make(&layout.col, wanted->col.n + shift_cols);
  if (!hy_layout_holds(cube->dims, &layout, node)) return 0;
  return hy_held_at(&row, node) * hy_held_at(&col, node);
}

/* How a matrix comes to its workspace: at most a triangle and its image, of up to three
 * matrices. */
enum { WAYS = 2, MOST = 3 * WAYS };
struct way {
  hyla_operation op;
  enum hy_part part; /* of the workspace */
};

static int ways_of(const struct hy_binding *binding, struct way ways[WAYS]) {
  bool lower = (binding->shape.triangle == HYLA_LOWER) == (binding->op == HYLA_NONE);
  enum hy_part part = lower ? HY_LOWER_PART : HY_UPPER_PART;
  ways[0] = (struct way){binding->op, part};
  ways[1] = (struct way){HYLA_TRANSPOSE, lower ? HY_ABOVE_PART : HY_BELOW_PART};
  switch (binding->shape.form) {
  case HY_GENERAL: ways[0].part = HY_WHOLE; return 1;
  case HY_SYMMETRIC: return 2;
  case HY_HERMITIAN: ways[1].op = HYLA_CONJUGATE; return 2;
  case HY_TRIANGULAR: return 1;
  case HY_UNIT_TRIANGULAR: ways[0].part = lower ? HY_BELOW_PART : HY_ABOVE_PART; return 1;
  }
  return 0;
}

int64_t hy_bind_memory(const hyla_cube *cube, const struct hy_operand *wanted, size_t size) {
  return workspace_entries(cube, wanted) * (int64_t)size;
}

hyla_status hy_bind_cost(hyla_cube *cube, const struct hy_bind_need *needs, int count, size_t size,
                         hyla_cost *cost) {
  struct hy_direct_ends in[MOST], out[MOST];
  struct hy_operand image[MOST];
  struct way ways[WAYS];
  int ins = 0, outs = 0;
  for (int x = 0; x < count; x++) {
    const struct hy_operand *given = needs[x].given, *wanted = needs[x].wanted;
    int number = ways_of(needs[x].binding, ways);
    for (int i = 0; i < number && needs[x].in; i++) {
      image[ins] = *given;
      if (i > 0) image[ins].row = given->col, image[ins].col = given->row;
      in[ins] = (struct hy_direct_ends){&image[ins], wanted, size, ways[i].part};
      ins++;
    }
    if (needs[x].out) out[outs++] = (struct hy_direct_ends){wanted, given, size, ways[0].part};
    cost->memory += hy_bind_memory(cube, wanted, size);
  }
  TRY(hy_direct_cost(&cube->base, cube->dims, in, ins, cube->address, cost));
  return hy_direct_cost(&cube->base, cube->dims, out, outs, cube->address, cost);
}

/* The local entry on the diagonal in a local column; NULL: another node's. */
static char *diagonal_entry(const hyla_matrix *x, int64_t col) {
  int64_t index = hyla_matrix_col(x, col);
  if (index >= x->row.n || hy_axis_owner(&x->row, index) != x->row_part) return NULL;
  return hy_at(x, hy_axis_before(&x->row, x->row_part, index), col);
}

void hy_real_diagonal(hyla_matrix *x) {
  for (int64_t col = 0; col < x->local_cols; col++) {
    char *entry = diagonal_entry(x, col);
    if (entry != NULL) x->k->set(entry, 0, creal(x->k->get(entry, 0)));
  }
}

static void set_diagonal(hyla_matrix *x) {
  for (int64_t col = 0; col < x->local_cols; col++) {
    char *entry = diagonal_entry(x, col);
    if (entry != NULL) x->k->set(entry, 0, 1);
  }
}

hyla_status hy_bind_make(struct hy_binding *binding, const struct hy_operand *wanted) {
  int64_t row, col;
  hyla_layout layout = {workspace_axis(&wanted->row, &row), workspace_axis(&wanted->col, &col),
                        wanted->rest};
  int64_t rows = wanted->row.n, cols = wanted->col.n;
  const hyla_matrix *given = binding->given;
  TRY(hy_matrix_make(given->cube, given->k->type, rows + row, cols + col, &layout,
                     &binding->owner));
  TRY(hyla_matrix_view(binding->owner, row, col, rows, cols, &binding->view));
  if (binding->shape.form == HY_UNIT_TRIANGULAR) set_diagonal(binding->view);
  return HYLA_OK;
}

hyla_status hy_bind_in(hyla_cube *cube, struct hy_binding *const bindings[], int count,
                       hyla_plan **in) {
  hyla_transfer transfers[MOST];
  enum hy_part parts[MOST];
  struct way ways[WAYS];
  int moved = 0;
  for (int x = 0; x < count; x++) {
    int number = ways_of(bindings[x], ways);
    for (int i = 0; i < number && bindings[x]->brought; i++) {
      transfers[moved] = (hyla_transfer){ways[i].op, 1, bindings[x]->given, bindings[x]->view};
      parts[moved++] = ways[i].part;
    }
  }
  return moved == 0 ? HYLA_OK : hy_redistribute_make(cube, moved, transfers, parts, NULL, in);
}

hyla_status hy_bind_out(hyla_cube *cube, const struct hy_binding *binding, hyla_matrix *to,
                        hyla_plan **out) {
  const hyla_transfer back = {HYLA_NONE, 1, binding->view, to};
  struct way ways[WAYS];
  ways_of(binding, ways);
  return hy_redistribute_make(cube, 1, &back, &ways[0].part, NULL, out);
}

void hy_bind_brought(const struct hy_binding *binding) {
  if (binding->brought && binding->shape.form == HY_HERMITIAN) hy_real_diagonal(binding->view);
}

void hy_bind_release(struct hy_binding *binding) {
  hyla_matrix_destroy(&binding->view);
  hyla_matrix_destroy(&binding->owner);
}
