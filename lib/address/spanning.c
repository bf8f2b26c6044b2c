/* Spanning trees on which collectives use all links of a node at once.
 *
 * Disjoint trees: d trees rooted at 0 that share no directed link, of height d + 1, in closed form.
 * (Stout and Wagar 1990, BROADCAST 3A)
 *
 * Rotation classes: the nodes are ordered by weight, and within a weight by orbits under rotation,
 * so that d consecutive nodes are reached over d different dimensions.  d = 3: 000; 001 010 100;
 * 011 110 101; 111.  (Bertsekas et al. 1991, sections 2 and 3) */
#include "address/address.h"

uint32_t hy_disjoint_parent(int dims, int tree, uint32_t node) {
  if ((node >> tree & 1u) == 0) return node | 1u << tree;
  int below = tree;
  do below = (below + dims - 1) % dims;
  while ((node >> below & 1u) == 0);
  return node ^ 1u << below;
}

int hy_disjoint_stage(int tree, uint32_t node) {
  int weight = hy_popcount(node);
  return (node >> tree & 1u) == 0 ? weight + 1 : weight - 1;
}

/* Is the node the smallest of its rotation class?  *size: the size of the class. */
static bool leads_class(int dims, uint32_t node, int *size) {
  uint32_t other = node;
  *size = 0;
  do {
    other = hy_rotate(other, 1, dims);
    ++*size;
    if (other < node) return false;
  } while (other != node);
  return true;
}

/* Is the node the smallest number of its weight?  Its class then consists of one run of ones. */
static bool is_run(uint32_t node) { return (node & (node + 1)) == 0; }

void hy_rotation_order(int dims, uint32_t *order) {
  uint32_t last = (1u << dims) - 1;
  uint32_t n = 1;
  order[0] = 0;
  for (int weight = 1; weight < dims; weight++)
    for (uint32_t leader = 1; leader < last; leader++) {
      int size = 0;
      if (hy_popcount(leader) != weight || !leads_class(dims, leader, &size)) continue;
      int bit = (int)((n - 1) % (uint32_t)dims);
      int under = (bit + dims - 1) % dims;
      uint32_t node = leader;
      /* The first node of the class has its new bit set.  In a run the new bit is the lowest of the
       * ones. */
      while ((node >> bit & 1u) == 0 || (is_run(leader) && (node >> under & 1u) != 0))
        node = hy_rotate(node, 1, dims);
      for (int i = 0; i < size; i++, node = hy_rotate(node, 1, dims)) order[n++] = node;
    }
  if (dims > 0) order[n] = last;
}

/* Clears the 1 just below a longest run of zeros.  The node's lowest bit is 1, its highest 0. */
static uint32_t clear_below_gap(int dims, uint32_t node) {
  int longest = 0;
  int place = 0;
  for (int bit = 0; bit < dims;) {
    int start = bit;
    while (bit < dims && (node >> bit & 1u) == 0) bit++;
    if (bit - start > longest) {
      longest = bit - start;
      place = start - 1;
    }
    bit++;
  }
  return node & ~(1u << place);
}

void hy_balanced_tree(int dims, uint32_t *parent, uint8_t *subtree) {
  uint32_t last = (1u << dims) - 1;
  uint32_t n = 1;
  parent[0] = 0;
  subtree[0] = 0;
  for (int weight = 1; weight < dims; weight++)
    for (uint32_t leader = 1; leader < last; leader++) {
      int size = 0;
      if (hy_popcount(leader) != weight || !leads_class(dims, leader, &size)) continue;
      uint32_t child = leader; /* the smallest of its class: lowest bit 1, highest 0 */
      uint32_t above = clear_below_gap(dims, child);
      uint32_t wanted = (n - 1) % (uint32_t)dims;
      while (weight > 1 && subtree[above] != wanted) {
        child = hy_rotate(child, 1, dims);
        above = hy_rotate(above, 1, dims);
      }
      for (int i = 0; i < size; i++, n++) {
        parent[child] = above;
        subtree[child] = (uint8_t)((n - 1) % (uint32_t)dims);
        child = hy_rotate(child, 1, dims);
        above = hy_rotate(above, 1, dims);
      }
    }
  if (dims == 0) return;
  subtree[last] = (uint8_t)((n - 1) % (uint32_t)dims);
  parent[last] = last & ~1u;
  while (parent[last] != 0 && subtree[parent[last]] != subtree[last])
    parent[last] = hy_rotate(parent[last], 1, dims);
}
