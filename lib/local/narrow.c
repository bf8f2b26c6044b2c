/* Products with few columns: one body for four types and two sets of instructions. */
#include "local/narrow.h"

#include <complex.h>
#include <string.h>

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

const struct hy_packed *hy_packed_multiplier(hyla_type type, int bytes) {
#ifdef HY_FUSED
#define PACKED_ENTRY(type, bytes)                                                                  \
  { pack_##type##_##bytes, multiply_packed_##type##_##bytes, multiply_##type##_##bytes }
#define PACKED_ROW(bytes)                                                                          \
  { PACKED_ENTRY(s, bytes), PACKED_ENTRY(d, bytes), PACKED_ENTRY(c, bytes), PACKED_ENTRY(z, bytes) }
  static const struct hy_packed table[2][4] = {PACKED_ROW(32), PACKED_ROW(64)};
  const int row = fused_row(bytes);
  if (row >= 0) return &table[row][type];
#else
  (void)type, (void)bytes;
#endif
  return NULL;
}

const struct hy_packed *hy_packed_best(const struct hy_kernels *k, const struct hy_team *team) {
  if (k->dry || (hy_blas_threads() > 1 && team == NULL)) return NULL;
  const struct hy_packed *best = hy_packed_multiplier(k->type, 64);
  return best != NULL ? best : hy_packed_multiplier(k->type, 32);
}

int64_t hy_packed_entries(int64_t rows, int64_t columns) {
  return hy_ceil_div(rows, HY_PACKED_ROWS) * HY_PACKED_ROWS * columns;
}
