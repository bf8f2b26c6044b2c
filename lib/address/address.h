/* Door of the room address: addresses and codes.  Integers only: nothing here
 * communicates, allocates or fails. */
#ifndef HY_ADDRESS_H
#define HY_ADDRESS_H 1

#include "base/base.h"

/* The binary-reflected Gray code G(i) and its inverse. (Johnsson 1987, 3.1) */
uint32_t hy_gray(uint32_t i);
uint32_t hy_gray_inverse(uint32_t code);

/* How many bits are 1; the place of the highest 1 (-1 for 0); the place of the
 * lowest 1 (-1 for 0). */
static inline int hy_popcount(uint32_t bits) { return __builtin_popcount(bits); }
static inline int hy_log2_floor(uint32_t bits) { return bits == 0 ? -1 : 31 - __builtin_clz(bits); }
static inline int hy_lowest(uint32_t bits) { return bits == 0 ? -1 : __builtin_ctz(bits); }

/* Subcubes.  `dims` is a set of cube dimensions as a bit mask; the subcube of a
 * node is the nodes that agree with it outside dims.  Member x of the subcube,
 * 0 <= x < 2^popcount(dims), has x's bits at the places of dims, lowest first:
 *   hy_deposit(5, 0b10110) = 0b10010       hy_extract is its inverse. */
uint32_t hy_deposit(uint32_t member, uint32_t dims);
uint32_t hy_extract(uint32_t address, uint32_t dims);

/* The Binary-Gray assignment of columns to nodes (Varvarigos 1992, 2.5), 0 <= b < dims:
 * the low b bits of the column, in binary, are the node's high ones, the high bits,
 * in the Gray code, its low ones.  Its inverse. */
uint32_t hy_banded_node(int dims, int b, uint32_t column);
uint32_t hy_banded_column(int dims, int b, uint32_t node);

/* The bit in which G(i) and G(i + 1) differ. */
int hy_gray_transition(uint32_t i);

/* Loops (Johnsson 1987, 3.1.2).  A loop of any length from 1 lies on a cube of
 * hy_loop_dims dimensions, its i-th node at hy_loop_node: all its edges have
 * length 1, but for one of length 2 when the length is odd and above 1. */
int hy_loop_dims(uint32_t length);
uint32_t hy_loop_node(uint32_t length, uint32_t i);
/* Its inverse; length or more: none of the loop lies there. */
uint32_t hy_loop_point(uint32_t length, uint32_t node);

/* Meshes and tori (Johnsson 1987, 3.2).
 *   NAIVE        a Gray code an axis; a loop an axis for tori
 *   FOLD         the axes two by two, from the last one on, on a host mesh whose second side is a
 *                power of two M2, where the own one is between M2 and 2 M2: what does not fit is
 *                folded back between the rows
 *   STEP         the same, rows turn into columns where they do not fit
 *   COMPRESSION  the same, blocks of a rows and b columns become b rows and a columns
 * Pairs that a kind does not serve, and a first axis that is left over, are as in NAIVE. */
enum { HY_MESH_AXES = HYLA_DIMS_MAX };
enum hy_mesh_kind { HY_MESH_NAIVE, HY_MESH_FOLD, HY_MESH_STEP, HY_MESH_COMPRESSION };

/* The host of a pair of axes; all 0: it has none. */
struct hy_mesh_pair {
  uint32_t rows, cols;
  uint32_t a, b; /* of COMPRESSION: b = a + 1 or 2 a - 1 */
};

struct hy_mesh {
  enum hy_mesh_kind kind;
  bool torus;
  int axes;
  uint32_t side[HY_MESH_AXES];
  uint32_t host[HY_MESH_AXES];
  struct hy_mesh_pair pair[HY_MESH_AXES]; /* by the second axis */
  int dims;                               /* of the cube */
};

/* Returns NULL, or the reason why the kind does not serve these sides (each >= 1). */
const char *hy_mesh_make(struct hy_mesh *mesh, enum hy_mesh_kind kind, bool torus, int axes,
                         const uint32_t *side);
/* The cube node of a mesh point; the point of a node, false: there is none. */
uint32_t hy_mesh_node(const struct hy_mesh *mesh, const uint32_t *point);
bool hy_mesh_point(const struct hy_mesh *mesh, uint32_t node, uint32_t *point);

/* The same for the axes second - 1 and second alone, which have a host. */
const char *hy_mesh_pair_make(struct hy_mesh_pair *pair, enum hy_mesh_kind kind, uint32_t n1,
                              uint32_t n2);
uint32_t hy_mesh_pair_node(const struct hy_mesh *mesh, int second, uint32_t i, uint32_t j);
bool hy_mesh_pair_point(const struct hy_mesh *mesh, int second, uint32_t node, uint32_t *i,
                        uint32_t *j);

/* The longest image of an edge; the expansion is nodes / points. */
struct hy_mesh_quality {
  int dilation;
  uint64_t nodes;
  uint64_t points;
};
struct hy_mesh_quality hy_mesh_measure(const struct hy_mesh *mesh);

/* The spanning binomial tree rooted at 0 (Johnsson 1987, 3.4.1; XOR the root into
 * every address for another): a node's parent lacks its highest 1. */
uint32_t hy_binomial_parent(uint32_t node);

/* Complete binary trees of 2^n - 1 nodes (Johnsson 1987, 3.4.2), numbered in
 * order from 0.  On the n-cube node i lies at i or at G(i).  The parent is -1
 * for the root, a child -1 for leaves. */
int64_t hy_inorder_root(int n);
int64_t hy_inorder_parent(int n, int64_t i);
int64_t hy_inorder_child(int64_t i, bool right);
/* Where the exchange of theorem 3.6 puts interior node i (i odd): at most one step over
 * dimension 0 from G(i). All lie in the subcube of odd addresses; the other bits are the
 * Gray code of the node's number among the interior nodes. */
uint32_t hy_inorder_contracted(int64_t i);
/* The embedding with dilation 1 on the (n+1)-cube (theorem 3.7).  The tree is
 * numbered as a heap: root 1, children 2v and 2v + 1. */
uint32_t hy_heap_node(uint32_t v);

/* The d disjoint spanning trees of a d-cube (Stout and Wagar 1990): the parent
 * of a node other than the root 0 in tree 0 <= tree < d, and the stage, from 0,
 * in which it receives when the root sends in stage 0.  No two trees share a
 * directed link, and the links of one stage are all different. */
uint32_t hy_disjoint_parent(int dims, int tree, uint32_t node);
int hy_disjoint_stage(int tree, uint32_t node);

/* All nodes of a d-cube, d <= 20, in the order of Bertsekas et al. 1991, 2: node
 * order[n], n >= 1, is reached from its parent, which lacks bit (n - 1) mod d
 * and stands earlier, over that bit; the parents of the d nodes of a group
 * n = 1 + i d ... d + i d stand in earlier groups.  2^d entries. */
void hy_rotation_order(int dims, uint32_t *order);

/* The balanced tree of shortest paths (Bertsekas et al. 1991, 3): parents, and
 * the number of the subtree of the root 0, 0 ... d-1, that a node lies in.  The
 * subtrees' sizes differ by at most one.  2^d entries each. */
void hy_balanced_tree(int dims, uint32_t *parent, uint8_t *subtree);

/* Rotations of an array that lies on the cube by the Gray code (Johnsson 1987,
 * 3.1.4): the node to which the element of `node` goes when element j goes to
 * place j + places modulo 2^dims.
 *
 * A routing along shortest paths is a table of 2^dims rows of `dims` entries:
 * order[node * dims + h] is the dimension that the node's element crosses in its
 * hop h, 0 <= h < popcount(node ^ target).  hy_rotation_disjoint searches for one
 * in which no two elements cross the same directed link, so that elements one
 * behind the other never meet; it returns whether it found one, the same table
 * every time.  It finds one for every number of places up to HY_ROTATION_DIMS
 * dimensions, and says false beyond.  work: 2 dims 2^dims entries. */
enum { HY_ROTATION_DIMS = 9, HY_ROTATION_TRIALS = 1000000 };
uint32_t hy_rotation_target(int dims, uint32_t places, uint32_t node);
bool hy_rotation_disjoint(int dims, uint32_t places, uint8_t *order, int32_t *work);

/* An axis' part number from and to the address bits that hold it; see hyla_axis. */
uint32_t hy_axis_mask(const hyla_axis *axis);
uint32_t hy_axis_address(const hyla_axis *axis, uint32_t part);
uint32_t hy_axis_part(const hyla_axis *axis, uint32_t address);

#endif
