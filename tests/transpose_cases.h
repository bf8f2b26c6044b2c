/* Layouts for the papers' transposes. */
#ifndef TRANSPOSE_CASES_H
#define TRANSPOSE_CASES_H 1

#include "redistribute_case.h"

/* The variants for square arrays of nodes, and those between rows and columns. */
static const char *const square_variants[] = {"transpose-recursive", "transpose-paths",
                                              "transpose-torus", "transpose-torus-paths",
                                              "transpose-mesh"};
static const char *const line_variants[] = {"transpose-rows", "transpose-pipelined"};
enum { SQUARE_VARIANTS = 5, LINE_VARIANTS = 2 };

/* Rows of kind i and columns of kind j on a square array become columns and rows. */
static inline void square_layouts(int dims, int i, int j, struct redistribute_side *side) {
  int half = dims / 2;
  side->from = (hyla_layout){.row = case_axis(i, half, half), .col = case_axis(j, 0, half)};
  side->to = (hyla_layout){.row = case_axis(j, half, half), .col = case_axis(i, 0, half)};
}

/* Rows (or, turned about, columns) of kind i on all nodes to what the operation
 * makes the other axis, of kind j, the dimensions in descending order. */
static inline void line_layouts(int dims, int i, int j, bool columns,
                                struct redistribute_side *side) {
  hyla_axis split = case_axis(i, 0, dims), other = case_axis(j, 0, dims);
  hyla_axis whole = case_axis(i, 0, 0);
  for (int x = 0; x < dims; x++) other.dim[x] = (uint8_t)(dims - 1 - x);
  side->from = columns ? (hyla_layout){.row = whole, .col = split}
                       : (hyla_layout){.row = split, .col = whole};
  bool to_rows = (side->op == HYLA_NONE) == columns;
  side->to = to_rows ? (hyla_layout){.row = other, .col = whole}
                     : (hyla_layout){.row = whole, .col = other};
}

/* A matrix of which sizes, kinds, operation and factor are drawn. */
static inline struct redistribute_side drawn_side(int dims, bool square, bool complex_type) {
  static const double alphas[] = {1, 1, -2};
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(1 << dims, sizes);
  struct redistribute_side side = {.op = (hyla_operation)harness_draw(square, 2),
                                   .alpha = alphas[harness_draw(0, 2)],
                                   .rows = sizes[harness_draw(0, choices - 1)],
                                   .cols = sizes[harness_draw(0, choices - 1)]};
  if (complex_type && harness_draw(0, 2) == 0) side.alpha *= I;
  int i = (int)harness_draw(0, 5), j = (int)harness_draw(0, 5);
  if (square)
    square_layouts(dims, i, j, &side);
  else
    line_layouts(dims, i, j, harness_draw(0, 1) == 1, &side);
  return side;
}

static inline struct redistribute_case drawn_case(int dims, const char *variant, bool square) {
  struct redistribute_case x = {
      .type = (hyla_type)harness_draw(0, TYPES - 1), .variant = variant, .whole = true};
  x.count = square ? (int)harness_draw(1, REDISTRIBUTE_SIDES) : 1;
  for (int i = 0; i < x.count; i++)
    x.side[i] = drawn_side(dims, square, hy_kernels_of(x.type)->complex_type);
  return x;
}

/* Rows or columns in the Binary-Gray assignment: the b binary bits on the highest
 * dimensions; cyclic storage where that makes one column a node. */
static inline struct redistribute_case banded_case(int dims, int b, int64_t n, int64_t width) {
  hyla_axis split = case_axis(n == 1 << dims ? 4 : (int)harness_draw(3, 5), 0, dims);
  split.binary = b;
  for (int i = 0; i < dims; i++) split.dim[i] = (uint8_t)(i < b ? dims - b + i : i - b);
  hyla_layout by_rows = {.row = split}, by_cols = {.col = split};
  hyla_layout layout = harness_draw(0, 1) ? by_rows : by_cols;
  struct redistribute_case x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                                .count = 1,
                                .variant = "transpose-band",
                                .whole = true,
                                .banded = true,
                                .width = width};
  x.side[0] = (struct redistribute_side){.op = harness_draw(0, 1) ? HYLA_TRANSPOSE : HYLA_CONJUGATE,
                                         .alpha = harness_draw(0, 2) ? 1 : -2,
                                         .rows = n,
                                         .cols = n,
                                         .from = layout,
                                         .to = layout};
  return x;
}

#endif
