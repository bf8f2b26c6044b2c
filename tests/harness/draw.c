/* Draws for the tests of several layers; see draw.h. */
#include "draw.h"

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "matrix/matrix.h"

static void draw_axis(hyla_axis *axis) {
  axis->code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
  axis->binary = harness_draw(0, 3) ? 0 : 1;
  axis->storage = harness_draw(0, 1) ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
  axis->block = harness_draw(0, 5);
}

hyla_layout draw_array_layout(int cube_dims, int used) {
  hyla_layout layout = {.rest = harness_draw(0, 1) ? HYLA_FACE : HYLA_REPLICATED};
  uint8_t dims[HYLA_DIMS_MAX];
  for (int i = 0; i < cube_dims; i++) dims[i] = (uint8_t)i;
  for (int i = cube_dims - 1; i > 0; i--) {
    int other = (int)harness_draw(0, i);
    uint8_t dim = dims[i];
    dims[i] = dims[other];
    dims[other] = dim;
  }
  layout.row.dims = (int)harness_draw(0, used);
  layout.col.dims = used - layout.row.dims;
  memcpy(layout.row.dim, dims, (size_t)layout.row.dims);
  memcpy(layout.col.dim, dims + layout.row.dims, (size_t)layout.col.dims);
  draw_axis(&layout.row);
  draw_axis(&layout.col);
  return layout;
}

hyla_layout draw_layout(int cube_dims) {
  int used = harness_draw(0, 3) ? cube_dims : (int)harness_draw(0, cube_dims);
  return draw_array_layout(cube_dims, used);
}

/* Puts an axis on dimensions from low to below high.  Along an odd side the code is binary. */
static void put_on(const struct hy_sides *sides, int low, int high, hyla_axis *axis) {
  draw_axis(axis);
  axis->dims = high - low;
  for (int i = low; i < high; i++) axis->dim[i - low] = (uint8_t)i;
  hy_axis_on_sides(sides, axis);
  if (axis->parts > 0) axis->code = HYLA_BINARY;
}

/* A dimension from low to high at which no odd side is cut. */
static int draw_cut(const struct hy_sides *sides, int low, int high) {
  int cut = (int)harness_draw(low, high);
  for (int i = 0; i < sides->count; i++) {
    const uint32_t mask = sides->side[i].mask, below = mask & ((1u << cut) - 1);
    if (below != 0 && below != mask) cut = hy_log2_floor(mask) + 1;
  }
  return cut;
}

hyla_layout draw_sides_layout(const struct hy_sides *sides, int dims, bool whole) {
  if (sides == NULL || sides->count == 0)
    return whole ? draw_array_layout(dims, dims) : draw_layout(dims);
  hyla_layout layout = {.rest = harness_draw(0, 1) ? HYLA_FACE : HYLA_REPLICATED};
  const bool below = harness_draw(0, 1);
  whole = whole || harness_draw(0, 3) > 0;
  const int high = whole ? dims : draw_cut(sides, 0, dims), cut = draw_cut(sides, 0, high);
  put_on(sides, cut, high, below ? &layout.col : &layout.row);
  put_on(sides, 0, cut, below ? &layout.row : &layout.col);
  return layout;
}

hyla_layout draw_on(const hyla_cube *cube) {
  return draw_sides_layout(&cube->sides, cube->dims, false);
}

hyla_layout draw_whole_on(const hyla_cube *cube) {
  return draw_sides_layout(&cube->sides, cube->dims, true);
}

/* The arrays, by the dimensions of a cube about as large. */
static const struct {
  int dims;
  uint32_t rows, cols;
} ARRAYS[DRAW_ARRAYS] = {{0, 1, 1}, {0, 1, 3}, {1, 1, 2}, {1, 2, 1}, {1, 3, 1},  {2, 1, 5},
                         {2, 5, 1}, {2, 1, 6}, {2, 6, 1}, {2, 2, 3}, {2, 3, 2},  {3, 1, 7},
                         {3, 7, 1}, {3, 1, 9}, {3, 9, 1}, {3, 3, 3}, {4, 1, 12}, {4, 12, 1},
                         {4, 2, 6}, {4, 6, 2}, {4, 3, 4}, {4, 4, 3}, {4, 5, 2},  {5, 4, 6},
                         {5, 5, 5}, {6, 6, 6}, {6, 12, 4}};

static hyla_cube array_of(uint32_t rows, uint32_t cols) {
  hyla_cube nodes = {.base.message = ""};
  hy_array_put(&nodes, rows, cols);
  return nodes;
}

hyla_cube draw_nodes_at(int index) { return array_of(ARRAYS[index].rows, ARRAYS[index].cols); }

hyla_cube draw_nodes_of_count(int index) {
  static const int counts[] = {24, 36, 48, 96};
  const int nodes = index < 16 ? index + 1 : counts[index - 16];
  int rows = (int)harness_draw(1, nodes);
  while (nodes % rows != 0) rows--;
  return array_of((uint32_t)rows, (uint32_t)(nodes / rows));
}

hyla_cube draw_nodes(int dims, bool array) {
  if (!array) return (hyla_cube){.dims = dims, .nodes = 1 << dims};
  int first = 0, count = 0;
  while (ARRAYS[first].dims != dims) first++;
  while (first + count < DRAW_ARRAYS && ARRAYS[first + count].dims == dims) count++;
  return draw_nodes_at(first + (int)harness_draw(0, count - 1));
}

void draw_nodes_array(const hyla_cube *nodes, char array[DRAW_ARRAY]) {
  array[0] = '\0';
  if (nodes->sides.rows > 0)
    snprintf(array, DRAW_ARRAY, "%ux%u", nodes->sides.rows, nodes->sides.cols);
}
