/* Paths between two nodes that meet nowhere else: as many as the cube has dimensions.
 *
 * From 0 to `target' with k bits: path i < k crosses the k dimensions in a circle, beginning with
 * the i-th.  Each of the other n - k paths crosses a dimension outside, then the k dimensions, then
 * the same dimension back.  A node within one of the first has between 1 and k - 1 of the k bits,
 * and these follow each other on the circle from the i-th on; a node within one of the others has
 * its own bit outside.
 * Reference: Johnsson 1987, section 2: k paths of length k and n - k of length k + 2.
 * Example, n = 3, from 0 to 3: 0 1 3, 0 2 3, and 0 4 5 7 3. */
#include "address/address.h"
#include "hyla_embedding.h"

static int crossing(uint32_t target, int place) {
  return hy_lowest(hy_deposit(1u << place, target));
}

int hy_disjoint_path(int dims, uint32_t target, int path, uint8_t over[HY_PATH_MOST]) {
  const int k = hy_popcount(target);
  int length = 0;
  if (path < k) {
    for (; length < k; length++) over[length] = (uint8_t)crossing(target, (path + length) % k);
    return length;
  }
  const uint8_t outside = (uint8_t)crossing(((1u << dims) - 1) & ~target, path - k);
  over[length++] = outside;
  for (int i = 0; i < k; i++) over[length++] = (uint8_t)crossing(target, i);
  over[length++] = outside;
  return length;
}

int hyla_disjoint_path(int dims, int from, int to, int path, int node[HYLA_PATH_NODES]) {
  uint8_t over[HY_PATH_MOST];
  if (dims < 1 || dims > HYLA_DIMS_MAX || path < 0 || path >= dims || node == NULL) return -1;
  if (from < 0 || from >> dims != 0 || to < 0 || to >> dims != 0 || from == to) return -1;
  const int length = hy_disjoint_path(dims, (uint32_t)(from ^ to), path, over);
  node[0] = from;
  for (int i = 0; i < length; i++) node[i + 1] = node[i] ^ 1 << over[i];
  return length;
}
