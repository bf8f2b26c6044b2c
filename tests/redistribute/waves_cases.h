/* Conversions that run in waves, on virtual cubes and on ranks. */
#ifndef WAVES_CASES_H
#define WAVES_CASES_H 1

#include "redistribute_case.h"

/* An axis of b 2^n indices on 2^k parts, on dimensions in any order. */
struct side {
  int n, k;
  int64_t block;
  hyla_axis from, to;
};

static inline struct side draw_side(int n, int k, bool to_cyclic, const uint8_t *dims) {
  struct side side = {.n = n, .k = k, .block = harness_draw(1, 3)};
  side.from = (hyla_axis){.dims = k, .code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY};
  for (int i = 0; i < k; i++) side.from.dim[i] = dims[i];
  side.from.block = side.block;
  side.to = side.from;
  side.from.storage = to_cyclic ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  side.to.storage = to_cyclic ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
  return side;
}

/* The dimensions of a cube in any order. */
static inline void draw_order(int count, uint8_t *dims) {
  for (int i = 0; i < count; i++) {
    int other = (int)harness_draw(0, i);
    dims[i] = dims[other];
    dims[other] = (uint8_t)i;
  }
}

static inline int64_t length(const struct side *side) { return side->block << side->n; }

static inline struct redistribute_case draw_case(void) {
  struct redistribute_case x = {
      .type = (hyla_type)harness_draw(0, TYPES - 1), .count = 1, .variant = "waves", .whole = true};
  x.side[0].alpha = 1;
  return x;
}

/* A conversion of one axis on k dimensions; the other axis has any length and the other
 * dimensions. */
static inline struct redistribute_case draw_one_axis(int dims, int k, int n) {
  uint8_t order[HYLA_DIMS_MAX];
  draw_order(dims, order);
  struct redistribute_case x = draw_case();
  struct side side = draw_side(n, k, harness_draw(0, 1), order);
  hyla_axis other = {.dims = dims - k, .storage = HYLA_CYCLIC, .block = harness_draw(1, 3)};
  for (int i = k; i < dims; i++) other.dim[i - k] = order[i];
  int64_t others = harness_draw(0, 9);
  bool rows = harness_draw(0, 1);
  x.side[0].rows = rows ? length(&side) : others;
  x.side[0].cols = rows ? others : length(&side);
  x.side[0].from = (hyla_layout){.row = rows ? side.from : other, .col = rows ? other : side.from};
  x.side[0].to = (hyla_layout){.row = rows ? side.to : other, .col = rows ? other : side.to};
  return x;
}

/* A conversion of 2^n row indices on 2^rows parts, and 2^n_cols column indices on 2^cols. */
static inline struct redistribute_case draw_both_axes(int rows, int cols, int n, int n_cols) {
  uint8_t order[HYLA_DIMS_MAX];
  draw_order(rows + cols, order);
  struct redistribute_case x = draw_case();
  bool to_cyclic = harness_draw(0, 1);
  struct side row = draw_side(n, rows, to_cyclic, order);
  struct side col = draw_side(n_cols, cols, to_cyclic, order + rows);
  x.side[0].rows = length(&row);
  x.side[0].cols = length(&col);
  x.side[0].from = (hyla_layout){.row = row.from, .col = col.from};
  x.side[0].to = (hyla_layout){.row = row.to, .col = col.to};
  return x;
}

#endif
