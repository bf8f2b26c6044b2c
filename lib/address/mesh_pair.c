/* Two axes of a mesh on a host whose columns are a power of two, fewer than the mesh has.
 *
 * Reference: Johnsson 1987, section 3.2; the step and the compression technique are due to
 * Aleliunas and Rosenberg.
 *
 * Compression: a block of a rows and b columns becomes one of b rows and a columns, where
 * b = (a - 1) d1 + d2.  Guest row i takes d1 places in every host column except column i, where it
 * takes d2.  So all rows of a block together take b places in each column.  Neighbouring blocks
 * mirror each other, side by side and one below the other.
 *
 * The order in which a row takes its places in a column, up or down, is chosen so that the row's
 * next place and the next row's place are at most 2 away:
 *   d1 = 1, d2 = 2  Only column i has two places.  Upwards: the last row of a block and, in a block
 *                   mirrored from top to bottom, all but the first row counted from the far end.
 *                   Downwards: all others.
 *   d1 = 2, d2 = 1  Upwards before the row's own column, downwards behind it. */
#include "address/address.h"

struct place {
  uint32_t row, col;
};

/* ----------------------------------------------------------- compression -- */

static uint32_t each_of(const struct hy_mesh_pair *pair) { return pair->b == pair->a + 1 ? 1 : 2; }

/* The places of row i of a block in host column c: from .row on, .col of them. */
static struct place span_of(const struct hy_mesh_pair *pair, uint32_t i, uint32_t c, bool flipped) {
  uint32_t d1 = each_of(pair), d2 = 3 - d1;
  uint32_t size = c == i ? d2 : d1, start = i * d1;
  if (c < i) start = start + d2 - d1;
  return (struct place){flipped ? pair->b - start - size : start, size};
}

static bool upwards(const struct hy_mesh_pair *pair, uint32_t i, uint32_t c, bool flipped) {
  if (each_of(pair) == 2) return c < i;
  return i == pair->a - 1 || (flipped && i > 0);
}

/* The place of guest row i, column j in its block.  flipped: the block is mirrored from top to
 * bottom. */
static struct place in_block(const struct hy_mesh_pair *pair, uint32_t i, uint32_t j,
                             bool flipped) {
  uint32_t d1 = each_of(pair), d2 = 3 - d1;
  if (flipped) i = pair->a - 1 - i;
  uint32_t c = i, k = j - i * d1;
  if (j < i * d1) {
    c = j / d1;
    k = j % d1;
  } else if (j >= i * d1 + d2) {
    c = i + 1 + (j - i * d1 - d2) / d1;
    k = (j - i * d1 - d2) % d1;
  }
  struct place span = span_of(pair, i, c, flipped);
  return (struct place){span.row + (upwards(pair, i, c, flipped) ? span.col - 1 - k : k), c};
}

static struct place compress(const struct hy_mesh_pair *pair, uint32_t i, uint32_t j) {
  uint32_t band = i / pair->a, strip = j / pair->b;
  bool mirrored = strip % 2 == 1;
  uint32_t column = mirrored ? pair->b - 1 - j % pair->b : j % pair->b;
  struct place place = in_block(pair, i % pair->a, column, band % 2 == 1);
  if (mirrored) place.col = pair->a - 1 - place.col;
  return (struct place){band * pair->b + place.row, strip * pair->a + place.col};
}

/* Chooses the a and b that fit n2 columns into those of the host on the fewest rows.  Among equals
 * it takes the largest a, then b = a + 1 before b = 2 a - 1. */
static const char *choose_blocks(struct hy_mesh_pair *pair, uint32_t n1, uint32_t n2) {
  pair->rows = 0;
  for (uint32_t a = pair->cols; a > 0; a--)
    for (int d1 = 1; d1 <= 2; d1++) {
      uint32_t b = d1 == 1 ? a + 1 : 2 * a - 1;
      if (a < 3 && d1 == 2) continue;
      if (a * (uint64_t)hy_ceil_div(n2, b) > pair->cols) continue;
      uint64_t rows = b * (uint64_t)hy_ceil_div(n1, a);
      if (rows > 1u << HYLA_DIMS_MAX || (pair->rows > 0 && rows >= pair->rows)) continue;
      pair->rows = (uint32_t)rows;
      pair->a = a;
      pair->b = b;
    }
  return pair->rows > 0 ? NULL : "no whole number of columns compresses into the host";
}

/* --------------------------------------------------------- step and fold -- */

/* Row i turns down at column M2 - 1 - i, and turns back N2 - M2 rows further down. */
static struct place step(uint32_t m2, uint32_t n2, uint32_t i, uint32_t j) {
  uint32_t turn = m2 - 1 - i, down = n2 - m2;
  if (j <= turn) return (struct place){i, j};
  if (j <= turn + down) return (struct place){i + (j - turn), turn};
  return (struct place){i + down, j - down};
}

/* The folded part of row i stands beside the row: at 2i + 1 for even i, at 2i for odd i.  Then
 * folding changes one bit of the Gray code, and rows stay neighbours. */
static struct place fold(uint32_t m2, uint32_t i, uint32_t j) {
  bool folded = j >= m2;
  return (struct place){2 * i + ((uint32_t)folded ^ (i & 1)), folded ? 2 * m2 - 1 - j : j};
}

/* ------------------------------------------------------------------ both -- */

const char *hy_mesh_pair_make(struct hy_mesh_pair *pair, enum hy_mesh_kind kind, uint32_t n1,
                              uint32_t n2) {
  *pair = (struct hy_mesh_pair){.cols = UINT32_C(1) << hy_log2_floor(n2)};
  if (pair->cols == n2) return "the second side is a power of two already";
  pair->rows = kind == HY_MESH_FOLD ? 2 * n1 : n1 + n2 - pair->cols;
  if (kind == HY_MESH_STEP && n1 > pair->cols)
    return "the rows outnumber the columns of the host at which they could turn";
  return kind == HY_MESH_COMPRESSION ? choose_blocks(pair, n1, n2) : NULL;
}

static struct place place_of(const struct hy_mesh *mesh, const struct hy_mesh_pair *pair,
                             const uint32_t *side, uint32_t i, uint32_t j) {
  switch (mesh->kind) {
  case HY_MESH_FOLD: return fold(pair->cols, i, j);
  case HY_MESH_STEP: return step(pair->cols, side[1], i, j);
  case HY_MESH_COMPRESSION: return compress(pair, i, j);
  case HY_MESH_NAIVE: break;
  }
  return (struct place){i, j};
}

uint32_t hy_mesh_pair_node(const struct hy_mesh *mesh, int second, uint32_t i, uint32_t j) {
  const struct hy_mesh_pair *pair = &mesh->pair[second];
  struct place place = place_of(mesh, pair, &mesh->side[second - 1], i, j);
  return hy_gray(place.row) << hy_loop_dims(pair->cols) | hy_gray(place.col);
}

/* The inverse of compress.  It tries the rows that may have a place in this host column nearby, and
 * for each the guest columns that may lie in this host column. */
static bool decompress(const struct hy_mesh *mesh, int second, struct place place, uint32_t *i,
                       uint32_t *j) {
  const struct hy_mesh_pair *pair = &mesh->pair[second];
  uint32_t band = place.row / pair->b, strip = place.col / pair->a, d1 = each_of(pair);
  uint32_t inside = place.row % pair->b / d1, c = place.col % pair->a;
  if (band % 2 == 1) inside = (pair->b - 1 - place.row % pair->b) / d1;
  if (strip % 2 == 1) c = pair->a - 1 - c;
  for (uint32_t row = inside > 0 ? inside - 1 : 0; row <= inside + 1 && row < pair->a; row++)
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t column = c * d1 + k;
      if (column > 0 && d1 == 2) column--;
      if (column >= pair->b) continue;
      *i = band * pair->a + (band % 2 == 1 ? pair->a - 1 - row : row);
      *j = strip * pair->b + (strip % 2 == 1 ? pair->b - 1 - column : column);
      struct place found = compress(pair, *i, *j);
      if (found.row == place.row && found.col == place.col) return true;
    }
  return false;
}

static bool unstep(uint32_t m2, uint32_t n2, struct place place, uint32_t *i, uint32_t *j) {
  uint32_t down = n2 - m2;
  *i = place.row;
  *j = place.col;
  if (place.row + place.col < m2) return true;
  *i = m2 - 1 - place.col; /* the row that turns down in this column */
  *j = place.col + place.row - *i;
  if (place.row <= *i + down) return true;
  *i = place.row - down;
  *j = place.col + down;
  return true;
}

bool hy_mesh_pair_point(const struct hy_mesh *mesh, int second, uint32_t node, uint32_t *i,
                        uint32_t *j) {
  const struct hy_mesh_pair *pair = &mesh->pair[second];
  const uint32_t *side = &mesh->side[second - 1];
  int dims = hy_loop_dims(pair->cols);
  struct place place = {hy_gray_inverse(node >> dims),
                        hy_gray_inverse(node & ((UINT32_C(1) << dims) - 1))};
  bool found = true;
  if (mesh->kind == HY_MESH_FOLD) {
    *i = place.row / 2;
    *j = ((place.row ^ *i) & 1) != 0 ? 2 * pair->cols - 1 - place.col : place.col;
  } else if (mesh->kind == HY_MESH_STEP) {
    found = unstep(pair->cols, side[1], place, i, j);
  } else {
    found = decompress(mesh, second, place, i, j);
  }
  return found && *i < side[0] && *j < side[1] && hy_mesh_pair_node(mesh, second, *i, *j) == node;
}
