/* One axis of a matrix: which part holds which index, and at which local position.
 *
 * Consecutive, cyclic and block-cyclic storage are one rule with different block lengths:
 * part = (index / block) mod parts (Johnsson 1987, 3.3).  With 4 parts and block 2, part 1 holds
 * the indices 2 3 10 11 18 19 ...
 * A view is an interval of the owner's indices.  Its local indices count from the first index
 * inside the interval that the part holds; a mirrored view counts back from the last one. */
#include "matrix/matrix.h"

struct hy_axis hy_axis_make(const hyla_axis *code, int64_t total) {
  struct hy_axis axis = {.code = *code, .n = total, .total = total, .parts = hy_axis_parts(code)};
  int64_t block = code->storage == HYLA_CONSECUTIVE ? hy_ceil_div(total, axis.parts) : code->block;
  /* A block longer than the axis maps like one of its length, and cannot overflow. */
  axis.block = hy_max(1, hy_min(block, total));
  return axis;
}

struct hy_axis hy_axis_whole(int64_t n) {
  const hyla_axis code = {.storage = HYLA_CYCLIC, .block = hy_max(1, n)};
  return hy_axis_make(&code, n);
}

struct hy_axis hy_axis_dealt(const hyla_cube *cube, int64_t block, int64_t n) {
  const int dims = cube != NULL ? cube->dims : 0;
  hyla_axis code = hy_layout_axis(HYLA_BINARY, HYLA_CYCLIC, block, 0, dims);
  if (cube != NULL) hy_axis_on_sides(&cube->sides, &code);
  return hy_axis_make(&code, n);
}

int64_t hy_fixed_width(int64_t n) {
  enum { SHARES = 16, STEP = 8, MOST = 128 };
  return hy_max(STEP, hy_min(MOST, hy_ceil_div(n, SHARES * STEP) * STEP));
}

struct hy_axis hy_axis_range(const struct hy_axis *axis, int64_t first, int64_t n) {
  struct hy_axis range = *axis;
  range.first += axis->mirrored ? axis->n - first - n : first;
  range.n = n;
  return range;
}

/* A block's round over the parts, and its part.  On a cube a shift and a mask divide. */
static int64_t round_of(const struct hy_axis *axis, int64_t block) {
  return axis->code.parts > 0 ? block / axis->parts : block >> axis->code.dims;
}
static int64_t part_of(const struct hy_axis *axis, int64_t block) {
  return axis->code.parts > 0 ? block % axis->parts : block & (axis->parts - 1);
}

/* The number of the owner's indices below `index` that the part holds. */
static int64_t held_below(const struct hy_axis *axis, int part, int64_t index) {
  int64_t block = index / axis->block;
  int64_t rounds = round_of(axis, block);
  int64_t open = part_of(axis, block); /* the part that index itself is in */
  int64_t more = part < open ? axis->block : part == open ? index - block * axis->block : 0;
  return rounds * axis->block + more;
}

/* The owner's index of the view's index i. */
static int64_t owners(const struct hy_axis *axis, int64_t i) {
  return axis->first + (axis->mirrored ? axis->n - 1 - i : i);
}

int hy_axis_owner(const struct hy_axis *axis, int64_t i) {
  return (int)part_of(axis, owners(axis, i) / axis->block);
}

int64_t hy_axis_before(const struct hy_axis *axis, int part, int64_t i) {
  if (part < 0) return 0; /* a guest has no part */
  if (axis->mirrored) {
    int64_t last = axis->first + axis->n;
    return held_below(axis, part, last) - held_below(axis, part, last - i);
  }
  int64_t skipped = axis->first == 0 ? 0 : held_below(axis, part, axis->first);
  return held_below(axis, part, axis->first + i) - skipped;
}

int64_t hy_axis_index(const struct hy_axis *axis, int part, int64_t l) {
  int64_t held = axis->mirrored ? held_below(axis, part, axis->first + axis->n) - 1 - l
                                : held_below(axis, part, axis->first) + l;
  int64_t block = held / axis->block * axis->parts + part;
  int64_t index = block * axis->block + held % axis->block - axis->first;
  return axis->mirrored ? axis->n - 1 - index : index;
}

int64_t hy_axis_place(const struct hy_axis *axis, int64_t i) {
  int part = hy_axis_owner(axis, i);
  return held_below(axis, part, owners(axis, i)) - held_below(axis, part, axis->first);
}

int64_t hy_axis_run(const struct hy_axis *axis, int64_t i) {
  int64_t left = axis->n - i;
  if (axis->parts == 1) return left;
  int64_t inside = owners(axis, i) % axis->block;
  return hy_min(left, axis->mirrored ? inside + 1 : axis->block - inside);
}

int64_t hy_axis_most(const struct hy_axis *axis) {
  int64_t most = 0;
  for (int part = 0; part < axis->parts; part++) most = hy_max(most, hy_held(axis, part));
  return most;
}

static uint32_t address_of(const struct hy_axis *axis, int64_t i) {
  return hy_axis_address(&axis->code, (uint32_t)hy_axis_owner(axis, i));
}

bool hy_axis_equal(const struct hy_axis *a, const struct hy_axis *b) {
  if (a->n != b->n || hy_axis_mask(&a->code) != hy_axis_mask(&b->code)) return false;
  if (a->mirrored != b->mirrored && a->n > 1) return false;
  if (a->parts == 1) return true;
  /* If the axes agree on one round over the parts, they agree everywhere.  Their blocks coincide
   * as long as they agree; where only one of them begins a new block, they differ at once. */
  int64_t i = 0;
  for (int run = 0; i < a->n && run <= 2 * a->parts; run++) {
    if (address_of(a, i) != address_of(b, i)) return false;
    i += hy_min(hy_axis_run(a, i), hy_axis_run(b, i));
  }
  return true;
}
