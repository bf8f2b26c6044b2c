/* Products with few columns: one body, compiled for four types and two sets of instructions. */
#include "local/kernels.h"
#include "local/lines.h"

#include <complex.h>
#include <string.h>

/* Entries that are prefetched again, LINES of them with each tile.  With more in one tile the
 * processor would wait for them. */
enum { LINES = 12 };
struct again {
  const char *column;
  int64_t step, size; /* bytes of a column, of an entry */
  const struct hy_next *next;
  int columns, at;     /* columns left; the index in next->row */
  int64_t tiles, wait; /* tiles that the prefetch takes; tiles until it begins */
};

static struct again begin_again(const struct hy_next *next, const char *column, int ld,
                                size_t size) {
  return (struct again){.column = column,
                        .step = ld * (int64_t)size,
                        .size = (int64_t)size,
                        .next = next,
                        .columns = next->rows > 0 ? next->columns : 0,
                        .tiles = hy_ceil_div((int64_t)next->columns * next->rows, LINES)};
}

static inline void fetch_again(struct again *again) {
  if (--again->wait >= 0) return;
  for (int line = 0; line < LINES && again->columns > 0; line++) {
    prefetch_line(again->column, again->next->row[again->at] * again->size);
    if (++again->at < again->next->rows) continue;
    again->at = 0;
    again->columns--;
    again->column += again->step;
  }
}

#define FUSED_BODY "local/narrow_body.h"
#include "local/fused.h"

hy_narrow_product *hy_narrow_multiplier(hyla_type type, int bytes) {
  static hy_narrow_product *const table[2][4] = FUSED_TABLE(multiply);
  const int row = fused_row(bytes);
  return row >= 0 ? table[row][type] : NULL;
}

const struct hy_packed *hy_packed_multiplier(hyla_type type, int bytes) {
  static const struct hy_packed *const table[2][4] = FUSED_TABLE(&packed);
  const int row = fused_row(bytes);
  return row >= 0 ? table[row][type] : NULL;
}

const struct hy_packed *hy_packed_best(const struct hy_kernels *k, const struct hy_team *team) {
  const bool shared = hy_blas_threads() > 1 && team == NULL;
  return k->dry || shared ? NULL : hy_packed_multiplier(k->type, 0);
}

int64_t hy_packed_entries(int64_t rows, int64_t columns) {
  return hy_ceil_div(rows, HY_PACKED_ROWS) * HY_PACKED_ROWS * columns;
}
