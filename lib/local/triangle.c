/* Triangular systems of small order: one body, compiled for four types and two sets of
 * instructions. */
#include "local/kernels.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define FUSED_BODY "local/triangle_body.h"
#include "local/fused.h"

/* A lower M is walked backwards from its last entry, which makes it an upper one. */
struct hy_triangle hy_triangle_of(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                  hyla_diagonal diagonal, int order, int nrhs, size_t size,
                                  const void *t, int ldt) {
  bool transposed = side == HYLA_LEFT, as_stored = transposed == (op != HYLA_NONE);
  bool upper = as_stored == (triangle == HYLA_UPPER);
  struct hy_triangle m = {.order = order,
                          .t = t,
                          .down = as_stored ? 1 : ldt,
                          .across = as_stored ? ldt : 1,
                          .unit = diagonal == HYLA_UNIT_DIAGONAL,
                          .conjugate = op == HYLA_CONJUGATE,
                          .backward = !upper,
                          .transposed = transposed,
                          .nrhs = nrhs};
  if (upper) return m;
  m.t = (const char *)t + (order - 1) * (1 + (int64_t)ldt) * (int64_t)size;
  m.down = -m.down;
  m.across = -m.across;
  return m;
}

hy_triangle_solve *hy_triangle_solver(hyla_type type, int bytes) {
  static hy_triangle_solve *const table[2][4] = FUSED_TABLE(solve);
  const int row = fused_row(bytes);
  return row >= 0 ? table[row][type] : NULL;
}
