/* Meshes and tori on the cube.  Johnsson 1987, section 3.2.
 *
 * NAIVE gives each axis a Gray code of its own, or a loop for a torus.  The other kinds take the
 * axes in pairs, from the last one on.  If the second side of a pair is no power of two, the pair
 * goes on a host of fewer columns (mesh_pair.c); all other axes have Gray codes.  A node's address
 * holds the bits of the axes one after the other, those of the last axis lowest.
 *
 * In a torus each axis of a hosted pair goes out and back: point i of n is laid at 2i on the way
 * out and at 2 (n - 1 - i) + 1 on the way back.  n = 5: points 0 1 2 3 4 are laid at 0 2 4 3 1.  So
 * neighbours, the last and the first point too, are at most 2 apart, and edges are at most twice as
 * long as in a mesh. */
#include "address/address.h"

/* Is the axis the second one of a pair that has a host? */
static bool is_hosted(const struct hy_mesh *mesh, int axis) {
  return mesh->kind != HY_MESH_NAIVE && axis > 0 && mesh->pair[axis].cols > 0;
}

static uint32_t host_dims(uint32_t side) { return (uint32_t)hy_loop_dims(side); }

static const char *make_pairs(struct hy_mesh *mesh) {
  const char *first = "it is for two axes";
  bool any = false;
  for (int second = mesh->axes - 1; second > 0; second -= 2) {
    const char *reason = hy_mesh_pair_make(&mesh->pair[second], mesh->kind, mesh->side[second - 1],
                                           mesh->side[second]);
    if (second == mesh->axes - 1) first = reason;
    if (reason != NULL) {
      mesh->pair[second] = (struct hy_mesh_pair){0};
      continue;
    }
    any = true;
    mesh->host[second - 1] = mesh->pair[second].rows;
    mesh->host[second] = mesh->pair[second].cols;
  }
  return any ? NULL : first;
}

const char *hy_mesh_make(struct hy_mesh *mesh, enum hy_mesh_kind kind, bool torus, int axes,
                         const uint32_t *side) {
  *mesh = (struct hy_mesh){.kind = kind, .torus = torus, .axes = axes};
  for (int i = 0; i < axes; i++) mesh->host[i] = mesh->side[i] = side[i];
  if (kind != HY_MESH_NAIVE) {
    const char *reason = make_pairs(mesh);
    if (reason != NULL) return reason;
  }
  uint32_t dims = 0;
  for (int i = 0; i < axes; i++) dims += host_dims(mesh->host[i]);
  if (dims > HYLA_DIMS_MAX) return "the cube would have more than 2^20 nodes";
  mesh->dims = (int)dims;
  return NULL;
}

/* The place of point i of an axis in its pair; unlaid is the inverse. */
static uint32_t laid(const struct hy_mesh *mesh, int axis, uint32_t i) {
  uint32_t n = mesh->side[axis];
  if (!mesh->torus) return i;
  return 2 * i < n ? 2 * i : 2 * (n - 1 - i) + 1;
}

static uint32_t unlaid(const struct hy_mesh *mesh, int axis, uint32_t place) {
  if (!mesh->torus) return place;
  return place % 2 == 0 ? place / 2 : mesh->side[axis] - 1 - place / 2;
}

static uint32_t axis_node(const struct hy_mesh *mesh, int axis, uint32_t i) {
  return mesh->torus ? hy_loop_node(mesh->side[axis], i) : hy_gray(i);
}

uint32_t hy_mesh_node(const struct hy_mesh *mesh, const uint32_t *point) {
  uint32_t node = 0, shift = 0;
  for (int i = mesh->axes - 1; i >= 0; i--) {
    if (is_hosted(mesh, i)) {
      uint32_t row = laid(mesh, i - 1, point[i - 1]), col = laid(mesh, i, point[i]);
      node |= hy_mesh_pair_node(mesh, i, row, col) << shift;
      shift += host_dims(mesh->host[i]);
      i--;
    } else {
      node |= axis_node(mesh, i, point[i]) << shift;
    }
    shift += host_dims(mesh->host[i]);
  }
  return node;
}

/* The point of an unpaired axis at a code; false if no point lies there. */
static bool axis_point(const struct hy_mesh *mesh, int axis, uint32_t code, uint32_t *point) {
  uint32_t length = mesh->side[axis];
  *point = mesh->torus ? hy_loop_point(length, code) : hy_gray_inverse(code);
  return *point < length;
}

bool hy_mesh_point(const struct hy_mesh *mesh, uint32_t node, uint32_t *point) {
  for (int i = mesh->axes - 1; i >= 0; i--) {
    bool pair = is_hosted(mesh, i);
    uint32_t dims = host_dims(mesh->host[i]) + (pair ? host_dims(mesh->host[i - 1]) : 0);
    uint32_t code = node & ((UINT32_C(1) << dims) - 1), row = 0, col = 0;
    node >>= dims;
    if (pair) {
      if (!hy_mesh_pair_point(mesh, i, code, &row, &col)) return false;
      point[i] = unlaid(mesh, i, col);
      point[i - 1] = unlaid(mesh, i - 1, row);
      i--;
    } else if (!axis_point(mesh, i, code, &point[i])) {
      return false;
    }
  }
  return node == 0;
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
