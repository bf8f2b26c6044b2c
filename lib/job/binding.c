/* Moves operands to the layouts that a variant wants, into workspaces and back. */
#include "job/job.h"

#include <complex.h>
#include <math.h>

struct hy_binding hy_binding_of(const struct hy_argument *argument) {
  return (struct hy_binding){.matrix = argument->matrix,
                             .result = argument->result,
                             .op = argument->op,
                             .shape = argument->shape,
                             .given = hy_operand_of(argument->matrix, argument->op),
                             .scale = 1,
                             .copied = argument->replaced,
                             .read = true};
}

void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x) {
  hyla_layout standard;
  if (x->row.code.dims + x->col.code.dims == cube->dims) return;
  (void)hyla_layout_default(cube, x->row.n, x->col.n, &standard); /* never fails on a cube */
  x->row = hy_axis_make(&standard.row, x->row.n);
  x->col = hy_axis_make(&standard.col, x->col.n);
  x->rest = HYLA_REPLICATED;
}

/* ------------------------------------------------------------- workspaces -- */

/* The axis of a workspace that has the wanted axis as a range, and where that range begins.  A
 * wanted axis that follows a view need not begin with a whole block on part 0: the workspace then
 * begins with the indices since the last round did. */
static hyla_axis workspace_axis(const struct hy_axis *wanted, int64_t *shift) {
  hyla_axis code = wanted->code;
  *shift = wanted->n == 0 ? 0 : wanted->first % (wanted->block * wanted->parts);
  if (*shift == 0 && wanted->total == wanted->n) return code;
  code.storage = HYLA_CYCLIC;
  code.block = wanted->block;
  return code;
}

int64_t hy_binding_memory(hyla_cube *cube, const struct hy_operand *wanted, hyla_type type) {
  int64_t shift_rows, shift_cols;
  const hyla_axis row = workspace_axis(&wanted->row, &shift_rows);
  const hyla_axis col = workspace_axis(&wanted->col, &shift_cols);
  const struct hy_operand lies = {.row = hy_axis_make(&row, wanted->row.n + shift_rows),
                                  .col = hy_axis_make(&col, wanted->col.n + shift_cols),
                                  .rest = wanted->rest};
  const hyla_matrix m = hy_matrix_counted(cube, type, &lies);
  const double bytes = (double)m.ld * (double)m.local_cols * (double)m.k->size;
  return m.local_rows > 0 ? (int64_t)fmin(bytes, 0x1p60) : 0;
}

/* The diagonal entry in a local column; NULL if another node has it. */
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

static hyla_status see(struct hy_binding *binding, int64_t row, int64_t col) {
  const struct hy_operand *wanted = &binding->wanted;
  TRY(hyla_matrix_view(binding->owner, row, col, wanted->row.n, wanted->col.n, &binding->view));
  if (binding->shape.form == HY_UNIT_TRIANGULAR) set_diagonal(binding->view);
  return HYLA_OK;
}

hyla_status hy_binding_make(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_binding *binding) {
  int64_t row, col;
  struct hy_operand *wanted = &binding->wanted;
  const hyla_layout layout = {.row = workspace_axis(&wanted->row, &row),
                              .col = workspace_axis(&wanted->col, &col),
                              .rest = wanted->rest};
  const int64_t rows = wanted->row.n + row, cols = wanted->col.n + col;
  TRY(binding->unshared
          ? hy_matrix_make_private(cube, k->type, rows, cols, &layout, &binding->owner)
          : hy_matrix_make(cube, k->type, rows, cols, &layout, &binding->owner));
  if (binding->matrix == NULL)
    binding->view = binding->owner;
  else
    TRY(hy_agree(cube, see(binding, row, col)));
  wanted->in_place = hy_in_place(binding->view);
  return HYLA_OK;
}

void hy_binding_release(struct hy_binding *binding) {
  if (binding->view != binding->owner) (void)hyla_matrix_destroy(&binding->view);
  (void)hyla_matrix_destroy(&binding->owner);
  binding->view = NULL;
}

/* ------------------------------------------------------------------ moves -- */

/* How a matrix comes to its workspace: at most a triangle and its image. */
enum { WAYS = 2, MOST = HY_OPERANDS * WAYS };
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

hyla_status hy_bindings_cost(hyla_cube *cube, const struct hy_binding *bindings,
                             const struct hy_operand *wanted, const bool *stands_in, int count,
                             const struct hy_kernels *k, hyla_cost *cost) {
  struct hy_direct_ends in[MOST], out[MOST];
  struct hy_operand image[MOST];
  struct way ways[WAYS];
  int ins = 0, outs = 0;
  for (int x = 0; x < count; x++) {
    if (!stands_in[x]) continue;
    const struct hy_operand *given = &bindings[x].given;
    int number = ways_of(&bindings[x], ways);
    for (int i = 0; i < number && bindings[x].read; i++) {
      image[ins] = *given;
      if (i > 0) image[ins].row = given->col, image[ins].col = given->row;
      in[ins] = (struct hy_direct_ends){&image[ins], &wanted[x], k->size, ways[i].part};
      ins++;
    }
    if (bindings[x].result != NULL)
      out[outs++] = (struct hy_direct_ends){&wanted[x], given, k->size, ways[0].part};
    cost->memory += hy_binding_memory(cube, &wanted[x], k->type);
  }
  TRY(hy_direct_cost(cube, in, ins, cost));
  return hy_direct_cost(cube, out, outs, cost);
}

hyla_status hy_bindings_moved(hyla_cube *cube, const struct hy_binding *bindings, int count,
                              bool back, hyla_plan **moves) {
  hyla_transfer transfers[MOST];
  enum hy_part parts[MOST];
  struct way ways[WAYS];
  int moved = 0;
  for (const struct hy_binding *x = bindings; x < bindings + count; x++) {
    const int number = ways_of(x, ways);
    for (int i = 0; i < number && !back && hy_binding_brought(x); i++) {
      transfers[moved] = (hyla_transfer){ways[i].op, x->scale, x->matrix, x->view};
      parts[moved++] = ways[i].part;
    }
    if (!back || x->view == NULL || x->result == NULL) continue;
    /* A result is never turned, so its op is its own inverse. */
    transfers[moved] = (hyla_transfer){x->op, 1, x->view, x->result};
    parts[moved++] = ways[0].part;
  }
  return moved == 0 ? HYLA_OK : hy_redistribute_make(cube, moved, transfers, parts, NULL, moves);
}

void hy_bindings_arrived(const struct hy_binding *bindings, int count) {
  for (int x = 0; x < count; x++)
    if (hy_binding_brought(&bindings[x]) && bindings[x].shape.form == HY_HERMITIAN)
      hy_real_diagonal(bindings[x].view);
}
