/* LU of tall panels: one body, compiled for four types and two sets of instructions. */
#include "local/kernels.h"

#include <complex.h>
#include <math.h>

#define FUSED_BODY "local/tall_body.h"
#include "local/fused.h"

hy_tall_factor *hy_tall_factorer(hyla_type type, int bytes) {
  static hy_tall_factor *const table[2][4] = FUSED_TABLE(factor);
  const int row = fused_row(bytes);
  return row >= 0 ? table[row][type] : NULL;
}
