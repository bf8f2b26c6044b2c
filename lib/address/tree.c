/* Trees on the cube.  Johnsson 1987, section 3.4. */
#include "address/address.h"

uint32_t hy_binomial_parent(uint32_t node) { return node ^ (UINT32_C(1) << hy_log2_floor(node)); }

/* In in-order numbering a node with h trailing ones has height h; leaves are even. */
static int height(int64_t i) { return hy_lowest((uint32_t)i + 1); }

int64_t hy_inorder_root(int n) { return (INT64_C(1) << (n - 1)) - 1; }

int64_t hy_inorder_parent(int n, int64_t i) {
  if (i == hy_inorder_root(n)) return -1;
  int h = height(i);
  return (i | INT64_C(1) << h) & ~(INT64_C(1) << (h + 1));
}

int64_t hy_inorder_child(int64_t i, bool right) {
  int h = height(i);
  if (h == 0) return -1;
  int64_t distance = INT64_C(1) << (h - 1);
  return right ? i + distance : i - distance;
}

uint32_t hy_inorder_contracted(int64_t i) { return hy_gray((uint32_t)(i >> 1)) << 1 | 1; }

/* The dimension of the edge from v to its right child: the number of the level below v, where the
 * root is on level 1.  At the root itself it is 1. */
static int right_label(uint32_t v) { return v == 1 ? 1 : hy_log2_floor(v) + 2; }

/* The dimension of the edge to the left child.  At the root it is 2, at its right child 0.  A left
 * child takes its parent's label to the right.  A right child takes the left label of its parent's
 * right neighbour; the last one of a level takes that of the first. */
static int left_label(uint32_t v) {
  if (v == 1) return 2;
  if (v == 3) return 0;
  uint32_t parent = v / 2;
  if (v % 2 == 0) return right_label(parent);
  bool last = ((parent + 1) & parent) == 0;
  return left_label(last ? (parent + 1) / 2 : parent + 1);
}

uint32_t hy_heap_node(uint32_t v) {
  uint32_t node = 0;
  for (; v > 1; v /= 2)
    node ^= UINT32_C(1) << (v % 2 == 0 ? left_label(v / 2) : right_label(v / 2));
  return node;
}
