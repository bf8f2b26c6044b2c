/* Door of the room address: addresses and codes.  Integers only: nothing here communicates,
 * allocates or fails. */
#ifndef HY_ADDRESS_H
#define HY_ADDRESS_H 1

#include "base/base.h"

/* The binary-reflected Gray code G(i) and its inverse. (Johnsson 1987, 3.1) */
uint32_t hy_gray(uint32_t i);
uint32_t hy_gray_inverse(uint32_t code);

/* The number of bits that are 1; the place of the highest 1; the place of the lowest 1.  A place is
 * -1 if no bit is 1. */
static inline int hy_popcount(uint32_t bits) { return __builtin_popcount(bits); }
static inline int hy_log2_floor(uint32_t bits) { return bits == 0 ? -1 : 31 - __builtin_clz(bits); }
static inline int hy_lowest(uint32_t bits) { return bits == 0 ? -1 : __builtin_ctz(bits); }

/* The lowest `dims' bits rotated left, `places' >= 0; the others are 0. */
static inline uint32_t hy_rotate(uint32_t bits, int places, int dims) {
  if (dims == 0 || places % dims == 0) return bits;
  places %= dims;
  return (bits << places | bits >> (dims - places)) & ((1u << dims) - 1);
}

/* Subcubes.  `dims' is a set of cube dimensions, as a bit mask.  The subcube of a node consists of
 * the nodes that agree with it outside dims.  Member x of the subcube, 0 <= x < 2^popcount(dims),
 * has the bits of x at the places of dims, lowest first:
 *   hy_deposit(5, 0b10110) = 0b10010       hy_extract(0b10010, 0b10110) = 5 */
uint32_t hy_deposit(uint32_t member, uint32_t dims);
uint32_t hy_extract(uint32_t address, uint32_t dims);

/* Arrays of rows x cols nodes whose sides are any numbers (sides.c).  The columns' bits of an
 * address are the lowest, the rows' come next.  Only sides that are no powers of two are listed: an
 * array without them is a cube.  `dims', a mask as above, takes all bits of a listed side or none.
 *   make     the sides of rows x cols nodes; returns the number of address bits
 *   bits     the number of bits for one side
 *   members  the number of nodes in a subcube, or subarray
 *   number   a node's number among them, and the bits of the member with a number: in subcubes
 *   address  hy_extract and hy_deposit
 *   has      is there a node with this address?
 *   even     is this subarray a cube?
 *   cut      the side that a mask cuts: it takes some of its bits, not all; NULL if there is none
 *   digit    the bits of the side, or the single bit, to which bit `at' of an address belongs */
enum { HY_SIDES_MOST = 2 };
struct hy_side {
  uint32_t mask, parts;
};
struct hy_sides {
  uint32_t rows, cols; /* 0: no array was asked for */
  int count;
  struct hy_side side[HY_SIDES_MOST];
};
int hy_sides_make(struct hy_sides *sides, uint32_t rows, uint32_t cols);
int hy_sides_bits(uint32_t parts);
uint32_t hy_sides_members(const struct hy_sides *sides, uint32_t dims);
uint32_t hy_sides_number(const struct hy_sides *sides, uint32_t dims, uint32_t address);
uint32_t hy_sides_address(const struct hy_sides *sides, uint32_t dims, uint32_t number);
bool hy_sides_has(const struct hy_sides *sides, uint32_t address);
bool hy_sides_even(const struct hy_sides *sides, uint32_t dims);
const struct hy_side *hy_sides_cut(const struct hy_sides *sides, uint32_t mask);
uint32_t hy_sides_digit(const struct hy_sides *sides, int at);

/* The Binary-Gray assignment of columns to nodes (Varvarigos 1992, 2.5), 0 <= b < dims.  The low b
 * bits of the column, in binary, are the node's high bits; the column's other bits, in Gray code,
 * are the node's low bits.  hy_banded_column is the inverse. */
uint32_t hy_banded_node(int dims, int b, uint32_t column);
uint32_t hy_banded_column(int dims, int b, uint32_t node);

/* The bit in which G(i) and G(i + 1) differ. */
int hy_gray_transition(uint32_t i);

/* Paths from node 0 to `target', which is not 0, that have no other node in common (Johnsson 1987,
 * 2; paths.c): path 0 ... dims - 1, the shortest first.  Writes the dimensions that it crosses, in
 * their order; returns their number. */
enum { HY_PATH_MOST = HYLA_DIMS_MAX + 2 };
int hy_disjoint_path(int dims, uint32_t target, int path, uint8_t over[HY_PATH_MOST]);

/* Loops (Johnsson 1987, 3.1.2).  A loop of any length from 1 lies on a cube of hy_loop_dims
 * dimensions, its i-th node at hy_loop_node.  All its edges have length 1, except one of length 2
 * when the length is odd and above 1. */
int hy_loop_dims(uint32_t length);
uint32_t hy_loop_node(uint32_t length, uint32_t i);
/* The inverse of hy_loop_node; `length' or more if the node is not on the loop. */
uint32_t hy_loop_point(uint32_t length, uint32_t node);

/* Meshes and tori (Johnsson 1987, 3.2).
 *   NAIVE        each axis along a Gray code; for tori along a loop
 *   FOLD         axes in pairs, from the last one on.  The host of a pair has M2 columns, a power
 *                of two, where the mesh has between M2 and 2 M2.  The columns that do not fit are
 *                folded back between the rows
 *   STEP         the same pairs; rows turn into columns where they do not fit
 *   COMPRESSION  the same pairs; blocks of a rows and b columns become b rows and a columns
 * Pairs that a kind does not serve, and a first axis without a partner, are placed as in NAIVE. */
enum { HY_MESH_AXES = HYLA_DIMS_MAX };
enum hy_mesh_kind { HY_MESH_NAIVE, HY_MESH_FOLD, HY_MESH_STEP, HY_MESH_COMPRESSION };

/* The host of a pair of axes; all 0: the pair has no host. */
struct hy_mesh_pair {
  uint32_t rows, cols;
  uint32_t a, b; /* COMPRESSION: b = a + 1 or 2 a - 1 */
};

struct hy_mesh {
  enum hy_mesh_kind kind;
  bool torus;
  int axes;
  uint32_t side[HY_MESH_AXES];
  uint32_t host[HY_MESH_AXES];
  struct hy_mesh_pair pair[HY_MESH_AXES]; /* indexed by the second axis */
  int dims;                               /* dimensions of the cube */
};

/* Returns NULL, or the reason why the kind does not serve these sides (each >= 1). */
const char *hy_mesh_make(struct hy_mesh *mesh, enum hy_mesh_kind kind, bool torus, int axes,
                         const uint32_t *side);
/* The cube node of a mesh point, and the mesh point of a node.  False: no point lies at the
 * node. */
uint32_t hy_mesh_node(const struct hy_mesh *mesh, const uint32_t *point);
bool hy_mesh_point(const struct hy_mesh *mesh, uint32_t node, uint32_t *point);

/* The same for the axes second - 1 and second alone; they must have a host. */
const char *hy_mesh_pair_make(struct hy_mesh_pair *pair, enum hy_mesh_kind kind, uint32_t n1,
                              uint32_t n2);
uint32_t hy_mesh_pair_node(const struct hy_mesh *mesh, int second, uint32_t i, uint32_t j);
bool hy_mesh_pair_point(const struct hy_mesh *mesh, int second, uint32_t node, uint32_t *i,
                        uint32_t *j);

/* dilation: the length of the longest image of an edge.  The expansion is nodes / points. */
struct hy_mesh_quality {
  int dilation;
  uint64_t nodes;
  uint64_t points;
};
struct hy_mesh_quality hy_mesh_measure(const struct hy_mesh *mesh);

/* The spanning binomial tree rooted at 0 (Johnsson 1987, 3.4.1).  The parent of a node is the node
 * without its highest 1.  For another root, XOR the root into every address. */
uint32_t hy_binomial_parent(uint32_t node);

/* Complete binary trees of 2^n - 1 nodes (Johnsson 1987, 3.4.2), numbered in order from 0.  On the
 * n-cube node i lies at i or at G(i).  The root's parent is -1, and so are a leaf's children. */
int64_t hy_inorder_root(int n);
int64_t hy_inorder_parent(int n, int64_t i);
int64_t hy_inorder_child(int64_t i, bool right);
/* The place of interior node i (i odd) after the exchange of theorem 3.6, at most one step over
 * dimension 0 from G(i).  All interior nodes then lie in the subcube of odd addresses; the other
 * bits of the address are the Gray code of the node's number among the interior nodes. */
uint32_t hy_inorder_contracted(int64_t i);
/* The embedding with dilation 1 on the (n+1)-cube (theorem 3.7).  The tree is numbered as a heap:
 * the root is 1, the children of v are 2v and 2v + 1. */
uint32_t hy_heap_node(uint32_t v);

/* The d disjoint spanning trees of a d-cube (Stout and Wagar 1990), rooted at 0, 0 <= tree < d.
 * parent: for a node other than the root.  stage: when the node receives, if the root sends in
 * stage 0.  No two trees share a directed link, and the links of one stage are all different. */
uint32_t hy_disjoint_parent(int dims, int tree, uint32_t node);
int hy_disjoint_stage(int tree, uint32_t node);

/* All nodes of a d-cube, d <= 20, in the order of Bertsekas et al. 1991, section 2.  Node order[n],
 * n >= 1, is reached over bit (n - 1) mod d from its parent, which lacks that bit and stands
 * earlier.  The d nodes n = 1 + i d ... d + i d form a group; their parents stand in earlier
 * groups.  order: 2^d entries. */
void hy_rotation_order(int dims, uint32_t *order);

/* The balanced tree of shortest paths (Bertsekas et al. 1991, section 3).  parent: of each node.
 * subtree: the number, 0 ... d-1, of the root's subtree that the node lies in.  The sizes of the
 * subtrees differ by at most one.  The root is 0; 2^d entries each. */
void hy_balanced_tree(int dims, uint32_t *parent, uint8_t *subtree);

/* Rotations of an array that lies on the cube by the Gray code (Johnsson 1987, 3.1.4).  Element j
 * goes to place j + places modulo 2^dims.  hy_rotation_target is the node to which the element at
 * `node' goes.
 *
 * A routing along shortest paths is a table of 2^dims rows of `dims' entries.
 * order[node * dims + h] is the dimension that the node's element crosses in its hop h,
 * 0 <= h < popcount(node ^ target).  hy_rotation_disjoint searches for a routing in which no two
 * elements cross the same directed link, so that pipelined elements never meet.  It returns whether
 * it found one; the result is the same every time.  It finds one for every number of places up to
 * HY_ROTATION_DIMS dimensions, and returns false beyond.  work: 2 dims 2^dims entries. */
enum { HY_ROTATION_DIMS = 9, HY_ROTATION_TRIALS = 1000000 };
uint32_t hy_rotation_target(int dims, uint32_t places, uint32_t node);
bool hy_rotation_disjoint(int dims, uint32_t places, uint8_t *order, int32_t *work);

/* Networks.  A node has ports; a link leads from a node's port to a peer.  Port numbers:
 *   CUBE          port i flips bit i of the node's number
 *   ARRAY, TORUS  port 2a goes up along axis a, port 2a + 1 down.  An array has no link at its
 *                 rims.  A torus axis of side 2 has its port 2a alone, one of side 1 has none.  The
 *                 last axis is the fastest: node (x0, x1, x2) is (x0 side1 + x1) side2 + x2
 *   FOLDED        port i < d flips bit i, port d flips all bits
 *
 * The others are drawn from a seed (Varvarigos 1992, 7.1; network_drawn.c says how):
 *   PSEUDO          port i flips bit i, keeps the higher bits and draws the lower ones
 *   PERMUTATION     the same, and one port i leads to each node
 *   SYMMETRIC_CUBE  the same, and port i of the peer leads back
 *   ENHANCED        port i < d flips bit i, port d leads to any node
 *   MATCHED         the same, and port d of the peer leads back
 *
 * A link of PSEUDO or PERMUTATION, and port d of ENHANCED, goes one way; all other links go both.
 * A port d that was drawn to lead to its own node has no link. */
enum hy_network_kind {
  HY_CUBE,
  HY_ARRAY,
  HY_TORUS,
  HY_FOLDED,
  HY_PSEUDO,
  HY_PERMUTATION,
  HY_SYMMETRIC_CUBE,
  HY_ENHANCED,
  HY_MATCHED,
  HY_NETWORK_KINDS
};
enum {
  HY_NETWORK_AXES = HYLA_DIMS_MAX,
  HY_NETWORK_PORTS = 32, /* a set of ports is a mask of 32 bits */
  HY_NETWORK_TEXT = 160
};
struct hy_network {
  enum hy_network_kind kind;
  int axes;                       /* of an array or torus; the dimensions of others */
  uint32_t side[HY_NETWORK_AXES]; /* of an array or torus; 2 in others */
  uint64_t seed;                  /* of what is drawn; 0 in others */
  uint32_t nodes;
  int ports; /* all port numbers are below it */
};

/* Return NULL, or the reason why there is no such network, with what to do.  make: side is read
 * for arrays and tori.  read: "torus:4x6", "line:7", "ring:7", "cube:5", "enhanced:8/3" with seed
 * 3, "enhanced:8" with seed 1. */
const char *hy_network_make(struct hy_network *network, enum hy_network_kind kind, int axes,
                            const uint32_t *side, uint64_t seed);
const char *hy_network_read(struct hy_network *network, const char *text);
void hy_network_name(const struct hy_network *network, struct hy_text *text);
static inline bool hy_network_is_drawn(const struct hy_network *n) { return n->kind >= HY_PSEUDO; }
static inline bool hy_network_is_mesh(const struct hy_network *n) {
  return n->kind == HY_ARRAY || n->kind == HY_TORUS;
}
/* Do all links go both ways? */
bool hy_network_is_two_way(const struct hy_network *network);
/* The most links that leave a node. */
int hy_network_degree(const struct hy_network *network);

/* The coordinates of a node of an array or torus, and the node at coordinates. */
void hy_network_point(const struct hy_network *network, uint32_t node, uint32_t *point);
uint32_t hy_network_node(const struct hy_network *network, const uint32_t *point);

/* The node that a port leads to; -1: the port has no link.  back: the peer's port of the same link;
 * -1: the port has no link, or its link goes one way. */
int64_t hy_network_peer(const struct hy_network *network, uint32_t node, int port);
int hy_network_back(const struct hy_network *network, uint32_t node, int port);
/* The peers of all nodes: that of `port' of `node' goes to peer[node * ports + port]. */
void hy_network_peers(const struct hy_network *network, int32_t *peer);

/* Self-routing: the port of `from' that a message for `to' takes; -1: it is there.
 *   CUBE, FOLDED  the lowest bit that differs; in FOLDED port d first where that way is shorter
 *   ARRAY, TORUS  the last axis first, on the shorter way.  Where a torus has two alike, a point
 *                 with an even coordinate goes up, one with an odd coordinate down
 *   PSEUDO, PERMUTATION, SYMMETRIC_CUBE  the highest bit that differs, at most d links
 *   ENHANCED, MATCHED  port d where it leaves fewer bits to flip than any other port, else the
 *                 lowest bit that differs
 * distance: the links of a shortest way, which self-routing is where nothing is drawn; -1 where
 * what was drawn decides. */
int hy_network_port(const struct hy_network *network, uint32_t from, uint32_t to);
/* The same where the peer over port d is known already, -1 if there is none; ENHANCED and MATCHED
 * alone look at it. */
int hy_network_port_by(const struct hy_network *network, uint32_t from, uint32_t to, int64_t far);
int hy_network_distance(const struct hy_network *network, uint32_t from, uint32_t to);
/* Searches the distances of all nodes from one, in any network.  distance, queue: a number for each
 * node.  Returns the largest. */
int hy_network_search(const struct hy_network *network, uint32_t from, int32_t *distance,
                      uint32_t *queue);

/* Figures of the whole network.
 *   links      pairs of a node and a port with a link; a link that goes both ways is two
 *   diameter   the largest distance
 *   distances  the sum of the distances over all nodes^2 pairs, a node with itself too
 *   bisection  the links, counted as above, between two halves of the nodes that are equal up to
 *              one node, least over all halves
 *   cut        the links, counted as above, between the nodes without and with the highest bit, in
 *              networks on a cube; a bisection is at most that
 *
 * Diameter, distances and bisection of drawn networks are -1.  Links of ENHANCED, and the cut of
 * ENHANCED and MATCHED, are counted node by node; the other figures are closed forms. */
int64_t hy_network_links(const struct hy_network *network);
int hy_network_diameter(const struct hy_network *network);
int64_t hy_network_distances(const struct hy_network *network);
int64_t hy_network_bisection(const struct hy_network *network);
int64_t hy_network_cut(const struct hy_network *network);

/* The peer over a port whose peer is drawn; for network.c. */
uint32_t hy_network_draw(const struct hy_network *network, uint32_t node, int port);

/* The part number of an axis, to and from the address bits that hold it; see hyla_axis. */
uint32_t hy_axis_mask(const hyla_axis *axis);
static inline int hy_axis_parts(const hyla_axis *axis) {
  return axis->parts > 0 ? axis->parts : 1 << axis->dims;
}
uint32_t hy_axis_address(const hyla_axis *axis, uint32_t part);
uint32_t hy_axis_part(const hyla_axis *axis, uint32_t address);

#endif
