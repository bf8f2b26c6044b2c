/* Products with the stored triangle of a Hermitian matrix: one body, compiled for four types and
 * two sets of instructions. */
#include "local/kernels.h"

#define FUSED_BODY "local/mirror_body.h"
#include "local/fused.h"

const struct hy_mirror *hy_mirror_products(hyla_type type, int bytes) {
  static const struct hy_mirror *const table[2][4] = FUSED_TABLE(&mirror);
  const int row = fused_row(bytes);
  return row >= 0 ? table[row][type] : NULL;
}
