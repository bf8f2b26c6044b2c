/* Parts of axes and of blocks.  See panel.h. */
#include "gemm/panel.h"

int hy_node_along(const struct hy_axis *axis, int node, int part) {
  uint32_t others = (uint32_t)node & ~hy_axis_mask(&axis->code);
  return (int)(others | hy_axis_address(&axis->code, (uint32_t)part));
}

struct hy_axis hy_inner_axis(const hyla_axis *carrier, int64_t k, int finest) {
  hyla_axis code = *carrier;
  int parts = hy_axis_parts(&code);
  code.storage = parts == finest ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  code.block = parts == finest ? 0 : hy_max(1, hy_ceil_div(k, finest)) * (finest / parts);
  return hy_axis_make(&code, k);
}

int hy_inner_panels(int parts, int others) {
  int a = parts, b = others;
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return parts / a * others;
}

struct hy_panel hy_panel_at(const struct hy_panel *panel, int64_t row, int64_t col, size_t size) {
  int64_t entries = panel->op == HYLA_NONE ? row + col * panel->ld : col + row * panel->ld;
  struct hy_panel at = *panel;
  if (at.data != NULL) at.data += entries * (int64_t)size; /* NULL: the panel has no data */
  return at;
}

struct hy_panel hy_panel_own(const struct hy_gemm_factor *factor) {
  return (struct hy_panel){factor->matrix->local, factor->matrix->ld, factor->op};
}

struct hy_indices hy_indices_of(const struct hy_axis *axis, int node) {
  return hy_indices_in(axis, hy_part_of(axis, node));
}

int64_t hy_indices_at(const struct hy_indices *list, int64_t x) {
  if (list->number != NULL) return list->number[x];
  return list->axis == NULL ? list->first + x
                            : hy_axis_index(list->axis, list->part, list->first + x);
}

int64_t hy_indices_below(const struct hy_indices *list, int64_t index) {
  int64_t low = 0, high = list->count;
  if (list->number == NULL) {
    int64_t before = list->axis == NULL ? index : hy_axis_before(list->axis, list->part, index);
    return hy_max(0, hy_min(list->count, before - list->first));
  }
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (list->number[middle] < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The length of the gapless run of indices from the x-th on. */
static int64_t run_at(const struct hy_indices *list, int64_t x) {
  int64_t length = 1, left = list->count - x;
  if (list->number != NULL) {
    while (length < left && list->number[x + length] == list->number[x] + length) length++;
    return length;
  }
  return list->axis == NULL ? left : hy_min(left, hy_axis_run(list->axis, hy_indices_at(list, x)));
}

/* The sum of hy_indices_below over i = from ... from+length-1. */
static int64_t below_interval(const struct hy_indices *list, int64_t from, int64_t length) {
  int64_t sum = 0, end = from + length, at = hy_indices_below(list, from);
  while (from < end && at < list->count) {
    int64_t first = hy_indices_at(list, at), run = run_at(list, at);
    /* `at' indices lie below every i up to the run's first index; then one more for each further
     * i. */
    int64_t level = hy_min(end, first + 1) - from, rise = hy_min(end - from - level, run);
    sum += (level + rise) * at + rise * (rise + 1) / 2;
    from += level + rise;
    at += run;
  }
  return sum + (end - from) * list->count;
}

int64_t hy_indices_below_all(const struct hy_indices *list, const struct hy_indices *of,
                             int64_t shift) {
  int64_t sum = 0;
  for (int64_t x = 0, run; x < of->count; x += run) {
    run = run_at(of, x);
    sum += below_interval(list, hy_indices_at(of, x) + shift, run);
  }
  return sum;
}
