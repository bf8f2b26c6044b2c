/* Blocks of a triangular factor: what of them is in the triangle, and how that alone
 * travels. */
#include "gemm/gemm.h"

#include <string.h>

static bool is_lower(const struct hy_wedge *wedge) { return wedge->part == HY_LOWER_PART; }

/* The first row of a column in a lower triangle, the first row behind an upper one. */
static int64_t edge(const void *arg, int64_t col) {
  const struct hy_wedge *wedge = arg;
  return hy_indices_below(&wedge->rows, hy_indices_at(&wedge->cols, col) + !is_lower(wedge));
}

int64_t hy_wedge_entries(const struct hy_wedge *wedge) {
  int64_t all = wedge->rows.count * wedge->cols.count;
  if (wedge->part == HY_WHOLE) return all;
  int64_t above = hy_indices_below_all(&wedge->rows, &wedge->cols, !is_lower(wedge));
  return is_lower(wedge) ? all - above : above;
}

/* Of a column, or a row, list the indices that stand on the triangle's side of `index`. */
static struct hy_reach beside(const struct hy_indices *list, int64_t index, bool from_on) {
  int64_t at = hy_indices_below(list, index + !from_on);
  return from_on ? (struct hy_reach){at, list->count - at} : (struct hy_reach){0, at};
}

struct hy_reach hy_wedge_rows(const struct hy_wedge *wedge) {
  int64_t cols = wedge->cols.count;
  if (wedge->part == HY_WHOLE) return (struct hy_reach){0, wedge->rows.count};
  if (cols == 0) return (struct hy_reach){0, 0};
  return beside(&wedge->rows, hy_indices_at(&wedge->cols, is_lower(wedge) ? 0 : cols - 1),
                is_lower(wedge));
}

struct hy_reach hy_wedge_cols(const struct hy_wedge *wedge) {
  int64_t rows = wedge->rows.count;
  if (wedge->part == HY_WHOLE) return (struct hy_reach){0, wedge->cols.count};
  if (rows == 0) return (struct hy_reach){0, 0};
  return beside(&wedge->cols, hy_indices_at(&wedge->rows, is_lower(wedge) ? rows - 1 : 0),
                !is_lower(wedge));
}

/* Of a column: from which row on, how many. */
static struct hy_reach column(const struct hy_wedge *wedge, int64_t col) {
  int64_t at = edge(wedge, col), rows = wedge->rows.count;
  return is_lower(wedge) ? (struct hy_reach){at, rows - at} : (struct hy_reach){0, at};
}

/* A column never goes behind where it stands, so none is overwritten that is yet to go. */
void hy_wedge_pack(const struct hy_wedge *wedge, const struct hy_kernels *k, char *data) {
  int64_t rows = wedge->rows.count, done = 0;
  size_t size = k->size;
  if (wedge->part == HY_WHOLE || k->dry) return;
  for (int64_t col = 0; col < wedge->cols.count; col++) {
    struct hy_reach in = column(wedge, col);
    memmove(data + (size_t)done * size, data + (size_t)(col * rows + in.from) * size,
            (size_t)in.count * size);
    done += in.count;
  }
}

/* From the last column on, for the same reason. */
void hy_wedge_unpack(const struct hy_wedge *wedge, const struct hy_kernels *k, char *data) {
  int64_t rows = wedge->rows.count, left = hy_wedge_entries(wedge);
  size_t size = k->size;
  if (wedge->part == HY_WHOLE || k->dry) return;
  for (int64_t col = wedge->cols.count - 1; col >= 0; col--) {
    struct hy_reach in = column(wedge, col);
    char *top = data + (size_t)(col * rows) * size;
    left -= in.count;
    memmove(top + (size_t)in.from * size, data + (size_t)left * size, (size_t)in.count * size);
    memset(top, 0, (size_t)in.from * size);
    memset(top + (size_t)(in.from + in.count) * size, 0,
           (size_t)(rows - in.from - in.count) * size);
  }
}
