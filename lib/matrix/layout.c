/* Layouts: the default layout and the check of a layout against a cube; where the entries of
 * op(matrix) lie, for those who count and choose. */
#include "matrix/matrix.h"

hyla_axis hy_layout_axis(hyla_code code, hyla_storage storage, int64_t block, int low, int dims) {
  hyla_axis axis = {.dims = dims, .code = code, .storage = storage, .block = block};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(low + i);
  return axis;
}

hyla_axis hy_layout_side(const hyla_cube *cube, int64_t block, bool rows) {
  const struct hy_sides *sides = &cube->sides;
  const int parts = (int)(rows ? sides->rows : sides->cols);
  int low = 0, bits = cube->dims - cube->dims / 2;
  if (parts > 0) bits = hy_sides_bits(sides->cols);
  if (rows) {
    low = bits;
    bits = cube->dims - low;
  }
  hyla_axis axis = hy_layout_axis(HYLA_BINARY, HYLA_CYCLIC, block, low, bits);
  hy_axis_on_sides(sides, &axis);
  return axis;
}

void hy_axis_on_sides(const struct hy_sides *sides, hyla_axis *axis) {
  const uint32_t mask = hy_axis_mask(axis);
  axis->parts = axis->inner = 0;
  if (hy_sides_even(sides, mask)) return;
  axis->parts = (int)hy_sides_members(sides, mask);
  /* Below other bits a side leaves out codes. */
  uint32_t below = 0;
  for (int i = 0; i + 1 < axis->dims && axis->inner == 0; i++) {
    below |= UINT32_C(1) << axis->dim[i];
    for (int s = 0; s < sides->count; s++)
      if ((sides->side[s].mask >> axis->dim[i] & 1) != 0 && (sides->side[s].mask & ~below) == 0)
        axis->inner = (int)hy_sides_members(sides, below);
  }
}

/* Do the dimensions of each side stand side by side in an axis, in their order? */
static bool keeps_sides(const struct hy_sides *sides, const hyla_axis *axis) {
  for (int s = 0; s < sides->count; s++) {
    const uint32_t mask = sides->side[s].mask;
    for (int i = 0; i < axis->dims; i++) {
      const int next = axis->dim[i] + 1;
      const bool goes_on = (mask >> axis->dim[i] & 1) != 0 && (mask >> next & 1) != 0;
      if (goes_on && (i + 1 == axis->dims || axis->dim[i + 1] != next)) return false;
    }
  }
  return true;
}

bool hy_axis_from(const hyla_cube *cube, int low, int64_t parts, hyla_axis *axis) {
  for (int bits = 0; low + bits <= cube->dims; bits++) {
    axis->dims = bits;
    for (int i = 0; i < bits; i++) axis->dim[i] = (uint8_t)(low + i);
    hy_axis_on_sides(&cube->sides, axis);
    if (hy_axis_parts(axis) == parts && hy_sides_cut(&cube->sides, hy_axis_mask(axis)) == NULL)
      return true;
  }
  return false;
}

int hy_layout_across(const hyla_cube *cube) {
  const uint32_t cols = cube->sides.cols;
  return (cols & (cols - 1)) == 0 ? 0 : (int)cols;
}

/* A node's public number, its rank, from its address, and back; see hyla_layout, across. */
static int rank_of(const hyla_layout *layout, int address) {
  const int cols = layout->across, bits = hy_sides_bits((uint32_t)cols);
  return cols == 0 ? address : (address >> bits) * cols + (address & ((1 << bits) - 1));
}
static int address_of(const hyla_layout *layout, int rank) {
  const int cols = layout->across;
  return cols == 0 ? rank : rank / cols << hy_sides_bits((uint32_t)cols) | rank % cols;
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
  hyla_axis row = hy_layout_side(cube, 1, true), col = hy_layout_side(cube, 1, false);
  const int64_t parts = hy_max(hy_axis_parts(&row), hy_axis_parts(&col));
  row.block = even_block(rows, parts);
  col.block = even_block(cols, parts);
  *layout = (hyla_layout){.row = row, .col = col, .across = hy_layout_across(cube)};
  return HYLA_OK;
}

/* An axis takes a side that is no power of two whole, or not at all.  sides: NULL where no cube is
 * known. */
static hyla_status check_sides(struct hy_base *base, const struct hy_sides *sides,
                               const hyla_axis *axis, const char *name) {
  const struct hy_side *cut = sides != NULL ? hy_sides_cut(sides, hy_axis_mask(axis)) : NULL;
  hyla_axis right = *axis;
  CHECK(base, cut == NULL, ARGUMENT,
        "layout: the %s lie on some dimensions of a side of %u nodes; give all or none", name,
        cut->parts);
  CHECK(base,
        axis->parts >= 0 && axis->parts <= 1 << axis->dims && axis->inner >= 0 &&
            axis->inner <= axis->parts,
        ARGUMENT, "layout: the %s have %d parts, %d on the inner side, on %d dimensions", name,
        axis->parts, axis->inner, axis->dims);
  if (sides != NULL) hy_axis_on_sides(sides, &right);
  CHECK(base, axis->parts == right.parts && axis->inner == right.inner, ARGUMENT,
        "layout: the %s have %d parts (inner %d); on their dimensions there are %d (inner %d)",
        name, hy_axis_parts(axis), axis->inner, hy_axis_parts(&right), right.inner);
  CHECK(base, axis->parts == 0 || axis->code == HYLA_BINARY, UNSUPPORTED,
        "layout: %d parts of the %s are no power of two, so there is no Gray code; use binary",
        axis->parts, name);
  CHECK(base, sides == NULL || keeps_sides(sides, axis), ARGUMENT,
        "layout: the dimensions of the %s along an array's side must follow each other", name);
  return HYLA_OK;
}

/* Checks one axis and adds its dimensions to *taken. */
static hyla_status check_axis(struct hy_base *base, int dims, const struct hy_sides *sides,
                              const hyla_axis *axis, const char *name, uint32_t *taken) {
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
  return check_sides(base, sides, axis, name);
}

/* base: receives the messages; NULL drops them. */
static hyla_status check(struct hy_base *base, int dims, const struct hy_sides *sides,
                         const hyla_layout *layout) {
  CHECK(base, layout != NULL, ARGUMENT, "layout is NULL");
  uint32_t taken = 0;
  TRY(check_axis(base, dims, sides, &layout->row, "rows", &taken));
  TRY(check_axis(base, dims, sides, &layout->col, "columns", &taken));
  CHECK(base, layout->across >= 0, ARGUMENT, "layout: %d nodes across; give 0 or more",
        layout->across);
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
  return check(&cube->base, cube->dims, &cube->sides, layout);
}

hyla_status hyla_layout_local(const hyla_cube *cube, const hyla_layout *layout, int64_t rows,
                              int64_t cols, int64_t *local_rows, int64_t *local_cols) {
  if (cube == NULL || local_rows == NULL || local_cols == NULL) return HYLA_ARGUMENT;
  if (rows < 0 || cols < 0) return HYLA_ARGUMENT;
  hyla_layout standard;
  TRY(hyla_layout_default(cube, rows, cols, &standard));
  if (layout == NULL) layout = &standard;
  TRY(check(NULL, cube->dims, &cube->sides, layout));
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
  if (check(NULL, HYLA_DIMS_MAX, NULL, layout) != HYLA_OK) return -1;
  if (row < 0 || row >= rows || col < 0 || col >= cols) return -1;
  struct hy_axis row_axis = hy_axis_make(&layout->row, rows);
  struct hy_axis col_axis = hy_axis_make(&layout->col, cols);
  return rank_of(layout,
                 (int)(hy_axis_address(&layout->row, (uint32_t)hy_axis_owner(&row_axis, row)) |
                       hy_axis_address(&layout->col, (uint32_t)hy_axis_owner(&col_axis, col))));
}

hyla_status hyla_layout_part(const hyla_layout *layout, int node, int *row_part, int *col_part) {
  TRY(check(NULL, HYLA_DIMS_MAX, NULL, layout));
  if (node < 0 || row_part == NULL || col_part == NULL) return HYLA_ARGUMENT;
  const int address = address_of(layout, node);
  bool holds = hy_layout_holds(HYLA_DIMS_MAX, layout, address);
  *row_part = holds ? (int)hy_axis_part(&layout->row, (uint32_t)address) : -1;
  *col_part = holds ? (int)hy_axis_part(&layout->col, (uint32_t)address) : -1;
  return HYLA_OK;
}

bool hy_in_place(const hyla_matrix *matrix) {
  const hyla_cube *cube = matrix->cube;
  if (matrix->window == NULL) return false;
  for (int rank = 0; rank < cube->nodes; rank++)
    if (hy_window_peer(matrix->window, hy_address_of(cube, rank)) == NULL) return false;
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
