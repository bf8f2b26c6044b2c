/* LU of tall panels: one body, compiled for four types and two sets of instructions. */
#include "local/tall.h"

#include "local/narrow.h"
#include "local/triangle.h"

#include <complex.h>
#include <math.h>

#define FUSED_BODY "local/tall_body.h"
#include "local/fused.h"

hy_tall_factor *hy_tall_factorer(hyla_type type, int bytes) {
#ifdef HY_FUSED
  static hy_tall_factor *const table[2][4] = FUSED_TABLE(factor);
  const int row = fused_row(bytes);
  if (row >= 0) return table[row][type];
#else
  (void)type, (void)bytes;
#endif
  return NULL;
}

hy_tall_factor *hy_tall_best(hyla_type type) {
  hy_tall_factor *best = hy_tall_factorer(type, 64);
  return best != NULL ? best : hy_tall_factorer(type, 32);
}
