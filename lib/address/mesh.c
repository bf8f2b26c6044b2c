/* Meshes and tori on the cube.  Johnsson 1987, section 3.2; the step and the
 * compression technique are due to Aleliunas and Rosenberg.
 *
 * Each kind maps a guest point to a point of a host mesh, whose coordinates
 * are then Gray-coded, the last axis in the lowest dimensions.
 *
 * Compression, with a + 1 = b: a block of a rows and b columns becomes one of b
 * rows and a columns.  Guest row i runs along host row i + 1 up to column i,
 * where it holds both host rows i and i + 1, and goes on along host row i.
 * In the column that it holds twice, the first and the last row of a block take
 * the lower host row first, the others the upper one: then no edge is longer
 * than 2, within blocks and between a block and the next below.  For a = 2 the
 * first row is also the last but one, and one edge has length 3.  Blocks side
 * by side mirror each other. */
#include "address/address.h"

struct place {
  uint32_t row, col;
};

/* Guest row i, column j of a block that mirrors nothing. */
static struct place compress_in_block(uint32_t a, uint32_t i, uint32_t j) {
  bool lower_first = i == 0 || i == a - 1;
  if (j < i) return (struct place){i + 1, j};
  if (j == i) return (struct place){lower_first ? i + 1 : i, i};
  if (j == i + 1) return (struct place){lower_first ? i : i + 1, i};
  return (struct place){i, j - 1};
}

static struct place compress(uint32_t a, uint32_t i, uint32_t j) {
  uint32_t b = a + 1, band = i / a, strip = j / b;
  bool mirrored = strip % 2 == 1;
  uint32_t column = mirrored ? b - 1 - j % b : j % b;
  struct place place = compress_in_block(a, i % a, column);
  if (mirrored) place.col = a - 1 - place.col;
  return (struct place){band * b + place.row, strip * a + place.col};
}

/* Row i turns down at column M2 - 1 - i and back N2 - M2 rows below. */
static struct place step(uint32_t m2, uint32_t n2, uint32_t i, uint32_t j) {
  uint32_t turn = m2 - 1 - i, down = n2 - m2;
  if (j <= turn) return (struct place){i, j};
  if (j <= turn + down) return (struct place){i + (j - turn), turn};
  return (struct place){i + down, j - down};
}

/* The folded part of row i stands beside the row: at 2i + 1, for odd i at 2i. Then the fold
 * is one bit in Gray code, and rows stay neighbours. */
static struct place fold(uint32_t m2, uint32_t i, uint32_t j) {
  bool folded = j >= m2;
  return (struct place){2 * i + ((uint32_t)folded ^ (i & 1)), folded ? 2 * m2 - 1 - j : j};
}

static uint32_t host_dims(uint32_t side) { return (uint32_t)hy_loop_dims(side); }

static void set_host(struct hy_mesh *mesh, uint32_t rows, uint32_t cols) {
  mesh->host[0] = rows;
  mesh->host[1] = cols;
}

/* The largest a whose compression fits N2 columns in M2, or 0. */
static uint32_t compression_of(uint32_t n2, uint32_t m2) {
  for (uint32_t a = m2; a > 0; a--)
    if (a * (uint32_t)hy_ceil_div(n2, a + 1) <= m2) return a;
  return 0;
}

static const char *make_folded(struct hy_mesh *mesh) {
  if (mesh->torus) return "only the naive embedding closes a torus";
  if (mesh->axes != 2) return "it is for two axes";
  uint32_t n1 = mesh->side[0], n2 = mesh->side[1];
  uint32_t m2 = UINT32_C(1) << hy_log2_floor(n2);
  if (m2 == n2) return "the second side is a power of two already";
  if (mesh->kind == HY_MESH_FOLD) {
    set_host(mesh, 2 * n1, m2);
  } else if (mesh->kind == HY_MESH_STEP) {
    if (n1 > m2) return "the rows outnumber the columns of the host at which they could turn";
    set_host(mesh, n1 + n2 - m2, m2);
  } else {
    mesh->a = compression_of(n2, m2);
    if (mesh->a == 0) return "no whole number of columns compresses into the host";
    set_host(mesh, (mesh->a + 1) * (uint32_t)hy_ceil_div(n1, mesh->a), m2);
  }
  return NULL;
}

const char *hy_mesh_make(struct hy_mesh *mesh, enum hy_mesh_kind kind, bool torus, int axes,
                         const uint32_t *side) {
  *mesh = (struct hy_mesh){.kind = kind, .torus = torus, .axes = axes};
  for (int i = 0; i < axes; i++) mesh->host[i] = mesh->side[i] = side[i];
  if (kind != HY_MESH_NAIVE) {
    const char *reason = make_folded(mesh);
    if (reason != NULL) return reason;
  }
  uint32_t dims = 0;
  for (int i = 0; i < axes; i++) dims += host_dims(mesh->host[i]);
  if (dims > HYLA_DIMS_MAX) return "the cube would have more than 2^20 nodes";
  mesh->dims = (int)dims;
  return NULL;
}

static struct place host_place(const struct hy_mesh *mesh, uint32_t i, uint32_t j) {
  switch (mesh->kind) {
  case HY_MESH_FOLD: return fold(mesh->host[1], i, j);
  case HY_MESH_STEP: return step(mesh->host[1], mesh->side[1], i, j);
  case HY_MESH_COMPRESSION: return compress(mesh->a, i, j);
  case HY_MESH_NAIVE: break;
  }
  return (struct place){i, j};
}

uint32_t hy_mesh_node(const struct hy_mesh *mesh, const uint32_t *point) {
  if (mesh->kind != HY_MESH_NAIVE) {
    struct place place = host_place(mesh, point[0], point[1]);
    return hy_gray(place.row) << host_dims(mesh->host[1]) | hy_gray(place.col);
  }
  uint32_t node = 0;
  for (int i = 0; i < mesh->axes; i++) {
    uint32_t code = mesh->torus ? hy_loop_node(mesh->side[i], point[i]) : hy_gray(point[i]);
    node = node << host_dims(mesh->side[i]) | code;
  }
  return node;
}

/* Steps to the next point in row-major order; false after the last. */
static bool next_point(const struct hy_mesh *mesh, uint32_t *point) {
  for (int i = mesh->axes - 1; i >= 0; i--) {
    if (++point[i] < mesh->side[i]) return true;
    point[i] = 0;
  }
  return false;
}

struct hy_mesh_quality hy_mesh_measure(const struct hy_mesh *mesh) {
  struct hy_mesh_quality quality = {.nodes = UINT64_C(1) << mesh->dims};
  uint32_t point[HY_MESH_AXES] = {0};
  do {
    uint32_t node = hy_mesh_node(mesh, point);
    quality.points++;
    for (int i = 0; i < mesh->axes; i++) {
      uint32_t next[HY_MESH_AXES];
      for (int k = 0; k < mesh->axes; k++) next[k] = point[k];
      next[i]++;
      if (next[i] == mesh->side[i] && !mesh->torus) continue;
      next[i] %= mesh->side[i];
      int length = hy_popcount(node ^ hy_mesh_node(mesh, next));
      if (length > quality.dilation) quality.dilation = length;
    }
  } while (next_point(mesh, point));
  return quality;
}
