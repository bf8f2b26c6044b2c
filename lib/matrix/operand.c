/* How op(matrix) lies, for those who count and choose. */
#include "matrix/matrix.h"

bool hy_in_place(const hyla_matrix *matrix) {
  const hyla_cube *cube = matrix->cube;
  if (matrix->window == NULL) return false;
  for (int node = 0; node < cube->nodes; node++)
    if (hy_window_peer(matrix->window, node) == NULL) return false;
  return true;
}

struct hy_operand hy_operand_of(const hyla_matrix *matrix, hyla_operation op) {
  hyla_rest rest = matrix->others == 0 ? HYLA_REPLICATED : matrix->layout.rest;
  bool in_place = hy_in_place(matrix);
  return op == HYLA_NONE ? (struct hy_operand){matrix->row, matrix->col, in_place, rest}
                         : (struct hy_operand){matrix->col, matrix->row, in_place, rest};
}

bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b) {
  return hy_axis_equal(&a->row, &b->row) && hy_axis_equal(&a->col, &b->col) && a->rest == b->rest;
}
