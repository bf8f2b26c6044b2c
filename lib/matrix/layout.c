/* Layouts: the default layout and the check of a layout against a cube; where the entries of
 * op(matrix) lie, for those who count and choose. */
#include "matrix/matrix.h"

hyla_axis hy_layout_axis(hyla_code code, hyla_storage storage, int64_t block, int low, int dims) {
  hyla_axis axis = {.dims = dims, .code = code, .storage = storage, .block = block};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(low + i);
  return axis;
}

bool hy_layout_runs_from(const hyla_axis *axis, int low) {
  for (int i = 0; i < axis->dims; i++)
    if (axis->dim[i] != low + i) return false;
  return true;
}

/* The number of n indices that part 0 holds, which is the most that any part holds. */
static int64_t most_held(int64_t n, int64_t block, int64_t parts) {
  int64_t round = block * parts;
  return n / round * block + hy_min(block, n % round);
}

/* The block of the default layout.  Large blocks serve factorizations, blocks of whole cache lines
 * serve copies and products.  So it is the largest multiple of a cache line with which the fullest
 * part holds at most 1 % more than an even share, or else 2 %.  If there is none (few indices), it
 * is the block that divides the indices most evenly. */
static int64_t even_block(int64_t n, int64_t parts) {
  enum { LEAST = 32, MOST = 64, LINE = 8 };
  int64_t share = hy_ceil_div(n, parts);
  for (int percent = 1; percent <= 2; percent++)
    for (int64_t block = MOST; block >= LEAST; block -= LINE)
      if (most_held(n, block, parts) - share <= share / (100 / percent)) return block;
  int64_t least = hy_max(1, hy_min(LEAST, share)), best = MOST;
  for (int64_t block = MOST - 1; block >= least; block--)
    if (most_held(n, block, parts) < most_held(n, best, parts)) best = block;
  return best;
}

hyla_status hyla_layout_default(const hyla_cube *cube, int64_t rows, int64_t cols,
                                hyla_layout *layout) {
  if (cube == NULL || rows < 0 || cols < 0 || layout == NULL) return HYLA_ARGUMENT;
  int r = cube->dims / 2, c = cube->dims - r;
  int64_t row_block = even_block(rows, INT64_C(1) << c);
  int64_t col_block = even_block(cols, INT64_C(1) << c);
  *layout = (hyla_layout){.row = hy_layout_axis(HYLA_BINARY, HYLA_CYCLIC, row_block, c, r),
                          .col = hy_layout_axis(HYLA_BINARY, HYLA_CYCLIC, col_block, 0, c)};
  return HYLA_OK;
}

/* Checks one axis and adds its dimensions to *taken. */
static hyla_status check_axis(struct hy_base *base, int dims, const hyla_axis *axis,
                              const char *name, uint32_t *taken) {
  CHECK(base, axis->code == HYLA_BINARY || axis->code == HYLA_GRAY, ARGUMENT,
        "layout: the code of the %s is %d; use HYLA_BINARY or HYLA_GRAY", name, (int)axis->code);
  CHECK(base, axis->code == HYLA_BINARY || (axis->binary >= 0 && axis->binary <= HYLA_DIMS_MAX),
        ARGUMENT, "layout: %d bits of the %s stay binary; give 0 to %d", axis->binary, name,
        HYLA_DIMS_MAX);
  CHECK(base, axis->storage == HYLA_CONSECUTIVE || axis->storage == HYLA_CYCLIC, ARGUMENT,
        "layout: the storage of the %s is %d; use HYLA_CONSECUTIVE or HYLA_CYCLIC", name,
        (int)axis->storage);
  CHECK(base, axis->storage == HYLA_CONSECUTIVE || axis->block >= 0, ARGUMENT,
        "layout: the block of the %s is %lld; it cannot be negative", name, (long long)axis->block);
  CHECK(base, axis->dims >= 0 && axis->dims <= HYLA_DIMS_MAX, ARGUMENT,
        "layout: the %s lie on %d cube dimensions; the cube has %d", name, axis->dims, dims);
  for (int i = 0; i < axis->dims; i++) {
    CHECK(base, axis->dim[i] < dims, ARGUMENT,
          "layout: the %s use cube dimension %d; the cube has dimensions 0 to %d", name,
          axis->dim[i], dims - 1);
    CHECK(base, (*taken >> axis->dim[i] & 1) == 0, ARGUMENT,
          "layout: the %s use cube dimension %d, which is taken already", name, axis->dim[i]);
    *taken |= UINT32_C(1) << axis->dim[i];
  }
  return HYLA_OK;
}

/* base: receives the messages; NULL drops them. */
static hyla_status check(struct hy_base *base, int dims, const hyla_layout *layout) {
  CHECK(base, layout != NULL, ARGUMENT, "layout is NULL");
  uint32_t taken = 0;
  TRY(check_axis(base, dims, &layout->row, "rows", &taken));
  TRY(check_axis(base, dims, &layout->col, "columns", &taken));
  CHECK(base, layout->rest == HYLA_REPLICATED || layout->rest == HYLA_FACE, ARGUMENT,
        "layout: the meaning of the other dimensions (rest) is %d; use HYLA_REPLICATED or "
        "HYLA_FACE",
        (int)layout->rest);
  return HYLA_OK;
}

uint32_t hy_layout_others(int dims, const hyla_layout *layout) {
  uint32_t all = (UINT32_C(1) << dims) - 1;
  return all & ~hy_axis_mask(&layout->row) & ~hy_axis_mask(&layout->col);
}

bool hy_layout_holds(int dims, const hyla_layout *layout, int node) {
  if (node < 0) return false; /* a guest has no part */
  return layout->rest == HYLA_REPLICATED || ((uint32_t)node & hy_layout_others(dims, layout)) == 0;
}

hyla_status hy_layout_check(hyla_cube *cube, const hyla_layout *layout) {
  return check(&cube->base, cube->dims, layout);
}

hyla_status hyla_layout_local(const hyla_cube *cube, const hyla_layout *layout, int64_t rows,
                              int64_t cols, int64_t *local_rows, int64_t *local_cols) {
  if (cube == NULL || local_rows == NULL || local_cols == NULL) return HYLA_ARGUMENT;
  if (rows < 0 || cols < 0) return HYLA_ARGUMENT;
  hyla_layout standard;
  TRY(hyla_layout_default(cube, rows, cols, &standard));
  if (layout == NULL) layout = &standard;
  TRY(check(NULL, cube->dims, layout));
  *local_rows = 0;
  *local_cols = 0;
  if (!hy_layout_holds(cube->dims, layout, cube->address)) return HYLA_OK;
  uint32_t address = (uint32_t)cube->address;
  struct hy_axis row = hy_axis_make(&layout->row, rows);
  struct hy_axis col = hy_axis_make(&layout->col, cols);
  *local_rows = hy_axis_before(&row, (int)hy_axis_part(&layout->row, address), rows);
  *local_cols = hy_axis_before(&col, (int)hy_axis_part(&layout->col, address), cols);
  return HYLA_OK;
}

int hyla_layout_owner(const hyla_layout *layout, int64_t rows, int64_t cols, int64_t row,
                      int64_t col) {
  if (check(NULL, HYLA_DIMS_MAX, layout) != HYLA_OK) return -1;
  if (row < 0 || row >= rows || col < 0 || col >= cols) return -1;
  struct hy_axis row_axis = hy_axis_make(&layout->row, rows);
  struct hy_axis col_axis = hy_axis_make(&layout->col, cols);
  return (int)(hy_axis_address(&layout->row, (uint32_t)hy_axis_owner(&row_axis, row)) |
               hy_axis_address(&layout->col, (uint32_t)hy_axis_owner(&col_axis, col)));
}

hyla_status hyla_layout_part(const hyla_layout *layout, int node, int *row_part, int *col_part) {
  TRY(check(NULL, HYLA_DIMS_MAX, layout));
  if (node < 0 || row_part == NULL || col_part == NULL) return HYLA_ARGUMENT;
  bool holds = hy_layout_holds(HYLA_DIMS_MAX, layout, node);
  *row_part = holds ? (int)hy_axis_part(&layout->row, (uint32_t)node) : -1;
  *col_part = holds ? (int)hy_axis_part(&layout->col, (uint32_t)node) : -1;
  return HYLA_OK;
}

bool hy_in_place(const hyla_matrix *matrix) {
  const hyla_cube *cube = matrix->cube;
  if (matrix->window == NULL) return false;
  for (int node = 0; node < cube->nodes; node++)
    if (hy_window_peer(matrix->window, node) == NULL) return false;
  return true;
}

bool hy_transposes(hyla_operation op) { return op != HYLA_NONE && op != HYLA_TURN_HALF; }

hyla_operation hy_without_turn(hyla_operation op) {
  if (op <= HYLA_CONJUGATE) return op;
  return op == HYLA_TURN_HALF ? HYLA_NONE : HYLA_TRANSPOSE;
}

/* A quarter turn is a transposition that also reverses the order of the rows or of the columns. */
struct hy_operand hy_operand_of(const hyla_matrix *matrix, hyla_operation op) {
  hyla_rest rest = matrix->unused_dims == 0 ? HYLA_REPLICATED : matrix->layout.rest;
  struct hy_operand x = {matrix->row, matrix->col, hy_in_place(matrix), rest};
  if (hy_transposes(op)) {
    x.row = matrix->col;
    x.col = matrix->row;
  }
  x.row.mirrored = op == HYLA_TURN_LEFT || op == HYLA_TURN_HALF;
  x.col.mirrored = op == HYLA_TURN_RIGHT || op == HYLA_TURN_HALF;
  return x;
}

uint32_t hy_operand_others(int dims, const struct hy_operand *x) {
  const hyla_layout lies = hy_operand_layout(x);
  return hy_layout_others(dims, &lies);
}

bool hy_operand_holds(int dims, const struct hy_operand *x, int node) {
  const hyla_layout lies = hy_operand_layout(x);
  return hy_layout_holds(dims, &lies, node);
}

bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b) {
  return hy_axis_equal(&a->row, &b->row) && hy_axis_equal(&a->col, &b->col) && a->rest == b->rest;
}
