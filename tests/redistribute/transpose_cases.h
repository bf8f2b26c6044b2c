/* Layouts for the papers' transposes. */
#ifndef TRANSPOSE_CASES_H
#define TRANSPOSE_CASES_H 1

#include "redistribute_case.h"
#include "tests/harness/draw.h"

/* The variants for blocks that stay whole, and those between rows and columns. */
static const char *const block_variants[] = {"transpose-recursive", "transpose-paths",
                                             "transpose-torus", "transpose-torus-paths",
                                             "transpose-mesh"};
static const char *const line_variants[] = {"transpose-rows", "transpose-pipelined"};
enum { BLOCK_VARIANTS = 5, LINE_VARIANTS = 2 };

/* Rows of kind i and columns of kind j on a square array become columns and rows. */
static inline void square_layouts(int dims, int i, int j, struct redistribute_side *side) {
  int half = dims / 2;
  side->from = (hyla_layout){.row = case_axis(i, half, half), .col = case_axis(j, 0, half)};
  side->to = (hyla_layout){.row = case_axis(j, half, half), .col = case_axis(i, 0, half)};
}

/* Draws the dimensions that change places: pairs, at least one if there are two dimensions. */
static inline void draw_images(int dims, uint8_t image[HYLA_DIMS_MAX]) {
  for (int dim = 0; dim < dims; dim++) image[dim] = (uint8_t)dim;
  for (int trial = 0; trial < dims || (dims > 1 && trial == dims); trial++) {
    uint8_t a = (uint8_t)harness_draw(0, dims - 1), b = (uint8_t)harness_draw(0, dims - 1);
    if (trial == dims) a = 0, b = (uint8_t)(dims - 1);
    if (image[a] != a || image[b] != b) continue;
    image[a] = b;
    image[b] = a;
  }
}

/* Rows of kind i and columns of kind j on a drawn array of 2^r x 2^c nodes become columns and
 * rows over the dimensions' images. */
static inline void paired_layouts(int dims, const uint8_t image[HYLA_DIMS_MAX], int i, int j,
                                  struct redistribute_side *side) {
  hyla_layout layout = draw_array_layout(dims, dims);
  hyla_axis row = case_axis(i, 0, layout.row.dims), col = case_axis(j, 0, layout.col.dims);
  memcpy(row.dim, layout.row.dim, sizeof row.dim);
  memcpy(col.dim, layout.col.dim, sizeof col.dim);
  side->from = (hyla_layout){.row = row, .col = col};
  for (int x = 0; x < row.dims; x++) row.dim[x] = image[row.dim[x]];
  for (int x = 0; x < col.dims; x++) col.dim[x] = image[col.dim[x]];
  side->to = (hyla_layout){.row = col, .col = row};
}

/* Rows of kind i and columns of kind j on a drawn array become columns and rows on any other, in
 * any code, so that at least one block leaves its node. */
static inline void permuted_layouts(int dims, int i, int j, struct redistribute_side *side) {
  hyla_layout before = draw_array_layout(dims, dims), after = draw_array_layout(dims, dims);
  uint8_t dim[HYLA_DIMS_MAX];
  hyla_axis row = case_axis(i, 0, before.row.dims), col = case_axis(j, 0, before.col.dims);
  memcpy(row.dim, before.row.dim, sizeof row.dim);
  memcpy(col.dim, before.col.dim, sizeof col.dim);
  side->from = (hyla_layout){.row = row, .col = col};
  memcpy(dim, after.row.dim, (size_t)after.row.dims);
  memcpy(dim + after.row.dims, after.col.dim, (size_t)after.col.dims);
  for (int x = 0; x < row.dims; x++) row.dim[x] = dim[col.dims + x];
  for (int x = 0; x < col.dims; x++) col.dim[x] = dim[x];
  row.code = after.row.code;
  col.code = after.col.code;
  side->to = (hyla_layout){.row = col, .col = row};
}

/* Rows (or columns, if `columns') of kind i on all nodes become the other axis, of kind j, with the
 * dimensions in descending order. */
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

/* A matrix whose sizes, kinds, operation and factor are drawn. */
static inline struct redistribute_side drawn_side(int dims, const uint8_t *image,
                                                  bool complex_type) {
  static const double alphas[] = {1, 1, -2};
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(1 << dims, sizes);
  struct redistribute_side side = {.op = (hyla_operation)harness_draw(image != NULL, 2),
                                   .alpha = alphas[harness_draw(0, 2)],
                                   .rows = sizes[harness_draw(0, choices - 1)],
                                   .cols = sizes[harness_draw(0, choices - 1)]};
  if (complex_type && harness_draw(0, 2) == 0) side.alpha *= I;
  int i = (int)harness_draw(0, 5), j = (int)harness_draw(0, 5);
  if (image != NULL)
    paired_layouts(dims, image, i, j, &side);
  else
    line_layouts(dims, i, j, harness_draw(0, 1) == 1, &side);
  return side;
}

static inline struct redistribute_case drawn_case(int dims, const char *variant, bool pairs) {
  uint8_t image[HYLA_DIMS_MAX];
  struct redistribute_case x = {
      .type = (hyla_type)harness_draw(0, TYPES - 1), .variant = variant, .whole = true};
  draw_images(dims, image);
  x.count = pairs ? (int)harness_draw(1, REDISTRIBUTE_SIDES) : 1;
  for (int i = 0; i < x.count; i++)
    x.side[i] = drawn_side(dims, pairs ? image : NULL, hy_kernels_of(x.type)->complex_type);
  return x;
}

/* Matrices of any sizes whose blocks go the same way as those of the first one. */
static inline struct redistribute_case permuted_case(int dims) {
  struct redistribute_case x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                                .count = (int)harness_draw(1, REDISTRIBUTE_SIDES),
                                .variant = "transpose-permuted",
                                .whole = true};
  permuted_layouts(dims, (int)harness_draw(0, 5), (int)harness_draw(0, 5), &x.side[0]);
  for (int i = x.count; i-- > 0;) {
    const hyla_layout from = x.side[0].from, to = x.side[0].to;
    x.side[i] =
        drawn_side(dims, (const uint8_t[HYLA_DIMS_MAX]){0}, hy_kernels_of(x.type)->complex_type);
    x.side[i].from = from;
    x.side[i].to = to;
  }
  return x;
}

/* Rows or columns in the Binary-Gray assignment, with the b binary bits on the highest dimensions;
 * in cyclic storage if that gives each node one column. */
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

static inline int draw_numbers(int64_t n, int64_t numbers[REDISTRIBUTE_DENSE]) {
  const int64_t most = n < REDISTRIBUTE_DENSE ? n : REDISTRIBUTE_DENSE;
  const int64_t wanted = harness_draw(0, most);
  int count = 0;
  for (int64_t i = 0; i < n && count < wanted; i++)
    if (harness_draw(1, n - i) <= wanted - count) numbers[count++] = i;
  return count;
}

/* A matrix of order n with some dense columns and rows, by columns or by rows. */
static inline struct redistribute_case dense_case(int dims, int64_t n) {
  const hyla_axis split = case_axis((int)harness_draw(0, 5), 0, dims);
  const hyla_layout by_rows = {.row = split}, by_cols = {.col = split};
  const hyla_layout layout = harness_draw(0, 1) ? by_rows : by_cols;
  struct redistribute_case x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                                .count = 1,
                                .variant = "transpose-dense",
                                .whole = true,
                                .dense = true};
  x.columns = draw_numbers(n, x.column);
  x.rows = draw_numbers(n, x.row);
  x.side[0] = (struct redistribute_side){.op = harness_draw(0, 1) ? HYLA_TRANSPOSE : HYLA_CONJUGATE,
                                         .alpha = harness_draw(0, 2) ? 1 : -2,
                                         .rows = n,
                                         .cols = n,
                                         .from = layout,
                                         .to = layout};
  return x;
}

#endif
