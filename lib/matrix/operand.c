/* Where the entries of op(matrix) lie, for those who count and choose. */
#include "matrix/matrix.h"

bool hy_in_place(const hyla_matrix *matrix) {
  const hyla_cube *cube = matrix->cube;
  if (matrix->window == NULL) return false;
  for (int node = 0; node < cube->nodes; node++)
    if (hy_window_peer(matrix->window, node) == NULL) return false;
  return true;
}

bool hy_transposes(hyla_operation op) { return op != HYLA_NONE && op != HYLA_TURN_HALF; }

hyla_operation hy_without_turn(hyla_operation op) {
  if (op <= HYLA_CONJUGATE) return op;
  return op == HYLA_TURN_HALF ? HYLA_NONE : HYLA_TRANSPOSE;
}

/* A quarter turn is a transposition that also reverses the order of the rows or of the columns. */
struct hy_operand hy_operand_of(const hyla_matrix *matrix, hyla_operation op) {
  hyla_rest rest = matrix->unused_dims == 0 ? HYLA_REPLICATED : matrix->layout.rest;
  struct hy_operand x = {matrix->row, matrix->col, hy_in_place(matrix), rest};
  if (hy_transposes(op)) {
    x.row = matrix->col;
    x.col = matrix->row;
  }
  x.row.mirrored = op == HYLA_TURN_LEFT || op == HYLA_TURN_HALF;
  x.col.mirrored = op == HYLA_TURN_RIGHT || op == HYLA_TURN_HALF;
  return x;
}

bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b) {
  return hy_axis_equal(&a->row, &b->row) && hy_axis_equal(&a->col, &b->col) && a->rest == b->rest;
}
