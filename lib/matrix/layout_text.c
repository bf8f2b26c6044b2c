/* Layouts as text: "gray/cyclic:64,binary/consecutive@2x4", "binary/cyclic@[3,1]x[0]:face". */
#include "matrix/matrix.h"

#include <string.h>

/* A position in the text; everything before it has been read. */
struct cursor {
  struct hy_base *base;
  const char *text;
  const char *at;
};

/* Length of the word at the cursor: letters and digits. */
static size_t word_length(const struct cursor *cursor) {
  return strspn(cursor->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_.");
}

/* Fails, and quotes the word at the cursor. */
static hyla_status refuse(const struct cursor *cursor, const char *reason) {
  size_t length = word_length(cursor);
  if (length == 0 && *cursor->at != 0) length = 1;
  return hy_fail(cursor->base, HYLA_ARGUMENT, "layout \"%s\": \"%.*s\" at character %d %s",
                 cursor->text, (int)length, cursor->at, (int)(cursor->at - cursor->text) + 1,
                 reason);
}

/* Steps over this character if it stands at the cursor. */
static bool skip(struct cursor *cursor, char character) {
  if (*cursor->at != character) return false;
  cursor->at++;
  return true;
}

static bool skip_word(struct cursor *cursor, const char *word) {
  if (word_length(cursor) != strlen(word)) return false;
  if (strncmp(cursor->at, word, strlen(word)) != 0) return false;
  cursor->at += strlen(word);
  return true;
}

/* Reads a whole number from 1 to less than 2^62, in digits alone. */
static hyla_status read_number(struct cursor *cursor, int64_t *number) {
  const char *end = cursor->at;
  int64_t value = 0;
  for (; *end >= '0' && *end <= '9' && value < INT64_MAX / 20; end++)
    value = 10 * value + (*end - '0');
  if (end == cursor->at || value == 0) return refuse(cursor, "is no number from 1");
  if (*end >= '0' && *end <= '9') return refuse(cursor, "is too large");
  *number = value;
  cursor->at = end;
  return HYLA_OK;
}

/* Reads binary, gray or binary-gray:bits. */
static hyla_status read_code(struct cursor *cursor, hyla_axis *axis) {
  axis->code = HYLA_GRAY;
  if (skip_word(cursor, "gray")) return HYLA_OK;
  if (skip_word(cursor, "binary-gray")) {
    if (!skip(cursor, ':')) return refuse(cursor, "stands where : and a number are expected");
    struct cursor start = *cursor;
    int64_t bits = 0;
    TRY(read_number(cursor, &bits));
    if (bits > HYLA_DIMS_MAX) return refuse(&start, "is more than a cube's dimensions");
    axis->binary = (int)bits;
    return HYLA_OK;
  }
  axis->code = HYLA_BINARY;
  return skip_word(cursor, "binary")
             ? HYLA_OK
             : refuse(cursor, "is no code; write binary, gray or binary-gray:bits");
}

/* Reads code/storage[:block]; the dimensions are set later. */
static hyla_status read_axis(struct cursor *cursor, hyla_axis *axis) {
  TRY(read_code(cursor, axis));
  if (!skip(cursor, '/')) return refuse(cursor, "stands where / and the storage are expected");
  if (skip_word(cursor, "consecutive")) {
    axis->storage = HYLA_CONSECUTIVE;
    if (*cursor->at == ':') return refuse(cursor, "stands after consecutive, which has no block");
    return HYLA_OK;
  }
  if (!skip_word(cursor, "cyclic"))
    return refuse(cursor, "is no storage; write consecutive or cyclic");
  axis->storage = HYLA_CYCLIC;
  axis->block = 1;
  return skip(cursor, ':') ? read_number(cursor, &axis->block) : HYLA_OK;
}

/* Reads an extent, a power of two up to 2^most, and gives its exponent. */
static hyla_status read_extent(struct cursor *cursor, int most, int *dims) {
  struct cursor start = *cursor;
  int64_t extent = 0;
  TRY(read_number(cursor, &extent));
  if (extent > INT64_C(1) << most) return refuse(&start, "is more than the cube's nodes");
  *dims = hy_log2_floor((uint32_t)extent);
  if (extent != INT64_C(1) << *dims)
    return refuse(&start,
                  "is no power of two, as a cube's sides are; the option array takes others");
  return HYLA_OK;
}

/* The standard dimensions: the columns' are the lowest, the rows' come next. */
static void set_standard(hyla_layout *layout, int rows, int cols) {
  layout->row.dims = rows;
  layout->col.dims = cols;
  for (int i = 0; i < rows; i++) layout->row.dim[i] = (uint8_t)(cols + i);
  for (int i = 0; i < cols; i++) layout->col.dim[i] = (uint8_t)i;
}

/* Puts an axis on a side of the array of nodes. */
static void set_side(const hyla_cube *cube, bool rows, hyla_axis *axis) {
  const hyla_axis side = hy_layout_side(cube, axis->block, rows);
  axis->dims = side.dims;
  axis->parts = side.parts;
  axis->inner = side.inner;
  memcpy(axis->dim, side.dim, sizeof side.dim);
}

/* Puts the rows behind the columns or, where the dimensions there do not have as many nodes, on
 * their side of the array. */
static bool set_rows(const hyla_cube *cube, int64_t parts, int behind, hyla_axis *axis) {
  if (hy_axis_from(cube, behind, parts, axis)) return true;
  set_side(cube, true, axis);
  return hy_axis_parts(axis) == parts;
}

/* Reads RxC on an array with a side that is no power of two. */
static hyla_status read_sides(struct cursor *cursor, const hyla_cube *cube, hyla_layout *layout) {
  const struct hy_sides *sides = &cube->sides;
  struct cursor start = *cursor;
  int64_t rows = 0, cols = 0;
  TRY(read_number(cursor, &rows));
  if (!skip(cursor, 'x')) return refuse(cursor, "stands where x is expected in @RxC");
  TRY(read_number(cursor, &cols));
  if (hy_axis_from(cube, 0, cols, &layout->col) &&
      set_rows(cube, rows, layout->col.dims, &layout->row))
    return HYLA_OK;
  return hy_fail(cursor->base, HYLA_ARGUMENT,
                 "layout \"%s\": \"@%lldx%lld\" does not lie on the array of %u x %u nodes; give "
                 "@%ux%u, or 1 for a side, or all nodes for one (character %d)",
                 cursor->text, (long long)rows, (long long)cols, sides->rows, sides->cols,
                 sides->rows, sides->cols, (int)(start.at - cursor->text) + 1);
}

/* Reads RxC, the shape of the array of nodes. */
static hyla_status read_shape(struct cursor *cursor, const hyla_cube *cube, hyla_layout *layout) {
  const int dims = cube->dims;
  int rows, cols;
  if (cube->sides.count > 0) return read_sides(cursor, cube, layout);
  TRY(read_extent(cursor, dims, &rows));
  if (!skip(cursor, 'x')) return refuse(cursor, "stands where x is expected in @RxC");
  struct cursor start = *cursor;
  TRY(read_extent(cursor, dims, &cols));
  set_standard(layout, rows, cols);
  if (rows + cols <= dims) return HYLA_OK;
  return hy_fail(cursor->base, HYLA_ARGUMENT,
                 "layout \"%s\": \"@%dx%d\" has %lld nodes; the cube has %d (character %d)",
                 cursor->text, 1 << rows, 1 << cols, 1LL << (rows + cols), 1 << dims,
                 (int)(start.at - cursor->text) + 1);
}

/* The array of the default layout. */
static void set_default(const hyla_cube *cube, hyla_layout *layout) {
  set_side(cube, true, &layout->row);
  set_side(cube, false, &layout->col);
}

/* Reads the dimensions of an axis, as [3,1]; the first one is the highest bit's. */
static hyla_status read_dims(struct cursor *cursor, const hyla_cube *cube, uint32_t *taken,
                             hyla_axis *axis) {
  uint8_t list[HYLA_DIMS_MAX];
  int count = 0, dims = cube->dims;
  if (!skip(cursor, '[')) return refuse(cursor, "stands where [ is expected in @[..]x[..]");
  for (; !skip(cursor, ']'); count++) {
    if (count > 0 && !skip(cursor, ','))
      return refuse(cursor, "stands where , or ] is expected in @[..]x[..]");
    size_t digits = strspn(cursor->at, "0123456789");
    int value = digits == 1   ? cursor->at[0] - '0'
                : digits == 2 ? 10 * (cursor->at[0] - '0') + cursor->at[1] - '0'
                              : HYLA_DIMS_MAX;
    if (digits == 0 || value >= dims) return refuse(cursor, "is no dimension of the cube");
    if (*taken >> value & 1) return refuse(cursor, "is a dimension that is taken already");
    *taken |= UINT32_C(1) << value;
    list[count] = (uint8_t)value;
    cursor->at += digits;
  }
  axis->dims = count;
  for (int i = 0; i < count; i++) axis->dim[i] = list[count - 1 - i];
  hy_axis_on_sides(&cube->sides, axis);
  return HYLA_OK;
}

/* Reads the part behind @. */
static hyla_status read_array(struct cursor *cursor, const hyla_cube *cube, hyla_layout *layout) {
  uint32_t taken = 0;
  if (*cursor->at == '[') {
    TRY(read_dims(cursor, cube, &taken, &layout->row));
    if (!skip(cursor, 'x')) return refuse(cursor, "stands where x is expected in @[..]x[..]");
    TRY(read_dims(cursor, cube, &taken, &layout->col));
  } else {
    TRY(read_shape(cursor, cube, layout));
  }
  if (!skip(cursor, ':')) return HYLA_OK;
  if (!skip_word(cursor, "face")) return refuse(cursor, "stands where only face is known");
  layout->rest = HYLA_FACE;
  return HYLA_OK;
}

hyla_status hyla_layout_parse(hyla_cube *cube, const char *text, hyla_layout *layout) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  CHECK(&cube->base, text != NULL && layout != NULL, ARGUMENT,
        "hyla_layout_parse: text or layout is NULL");
  struct cursor cursor = {.base = &cube->base, .text = text, .at = text};
  hyla_layout read = {.rest = HYLA_REPLICATED};
  TRY(read_axis(&cursor, &read.row));
  read.col = read.row;
  if (skip(&cursor, ',')) {
    read.col = (hyla_axis){.dims = 0};
    TRY(read_axis(&cursor, &read.col));
  }
  if (skip(&cursor, '@'))
    TRY(read_array(&cursor, cube, &read));
  else
    set_default(cube, &read);
  if (*cursor.at != 0) return refuse(&cursor, "is left over at the end");
  TRY(hy_layout_check(cube, &read));
  read.across = hy_layout_across(cube);
  *layout = read;
  return HYLA_OK;
}

/* The number of bits of a Gray code that stay binary. */
static int binary_bits(const hyla_axis *axis) { return axis->code == HYLA_GRAY ? axis->binary : 0; }

static void format_axis(struct hy_text *text, const hyla_axis *axis) {
  if (binary_bits(axis) > 0)
    hy_text_add(text, "binary-gray:%d", axis->binary);
  else
    hy_text_add(text, "%s", axis->code == HYLA_GRAY ? "gray" : "binary");
  hy_text_add(text, "/%s", axis->storage == HYLA_CYCLIC ? "cyclic" : "consecutive");
  if (axis->storage == HYLA_CYCLIC && axis->block > 1)
    hy_text_add(text, ":%lld", (long long)axis->block);
}

/* Have both axes the same text? */
static bool alike(const hyla_axis *a, const hyla_axis *b) {
  if (a->code != b->code || binary_bits(a) != binary_bits(b)) return false;
  if (a->storage != b->storage) return false;
  return a->storage == HYLA_CONSECUTIVE || hy_max(1, a->block) == hy_max(1, b->block);
}

static void format_dims(struct hy_text *text, const hyla_axis *axis) {
  hy_text_add(text, "[");
  for (int i = axis->dims; i-- > 0;) hy_text_add(text, i > 0 ? "%d," : "%d", axis->dim[i]);
  hy_text_add(text, "]");
}

size_t hyla_layout_format(const hyla_layout *layout, char *text, size_t capacity) {
  if (text != NULL && capacity > 0) text[0] = 0;
  if (layout == NULL) return 0;
  const hyla_axis *row = &layout->row, *col = &layout->col;
  if (row->dims < 0 || row->dims > HYLA_DIMS_MAX) return 0;
  if (col->dims < 0 || col->dims > HYLA_DIMS_MAX) return 0;
  struct hy_text out = {.text = text, .capacity = text == NULL ? 0 : capacity};
  format_axis(&out, row);
  if (!alike(row, col)) {
    hy_text_add(&out, ",");
    format_axis(&out, col);
  }
  if (hy_layout_runs_from(col, 0) && hy_layout_runs_from(row, col->dims)) {
    hy_text_add(&out, "@%dx%d", hy_axis_parts(row), hy_axis_parts(col));
  } else {
    hy_text_add(&out, "@");
    format_dims(&out, row);
    hy_text_add(&out, "x");
    format_dims(&out, col);
  }
  if (layout->rest == HYLA_FACE) hy_text_add(&out, ":face");
  return out.length;
}
