/* Products with few columns: one body for four types and two sets of instructions. */
#include "local/narrow.h"

#include <complex.h>

#define FUSED_BODY "local/narrow_body.h"
#include "local/fused.h"

hy_narrow_product *hy_narrow_multiplier(hyla_type type, int bytes) {
#ifdef HY_FUSED
  static hy_narrow_product *const table[2][4] = FUSED_TABLE(multiply);
  const int row = fused_row(bytes);
  if (row >= 0) return table[row][type];
#else
  (void)type, (void)bytes;
#endif
  return NULL;
}

hy_narrow_product *hy_narrow_best(hyla_type type) {
  hy_narrow_product *best = hy_narrow_multiplier(type, 64);
  return best != NULL ? best : hy_narrow_multiplier(type, 32);
}
