/* Draws for the tests of several layers; see draw.h. */
#include "draw.h"

#include <string.h>

#include "harness.h"

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
  hyla_axis *axes[] = {&layout.row, &layout.col};
  for (int i = 0; i < 2; i++) {
    axes[i]->code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
    axes[i]->binary = harness_draw(0, 3) ? 0 : 1;
    axes[i]->storage = harness_draw(0, 1) ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
    axes[i]->block = harness_draw(0, 5);
  }
  return layout;
}

hyla_layout draw_layout(int cube_dims) {
  int used = harness_draw(0, 3) ? cube_dims : (int)harness_draw(0, cube_dims);
  return draw_array_layout(cube_dims, used);
}
