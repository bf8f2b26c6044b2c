/* hyla_embedding.h: meshes, tori, trees and sparse graphs on the cube, and networks that are no
 * cubes, as integers; no MPI is needed.  hyla_lab.h includes this header and places ranks by it. */
#ifndef HYLA_EMBEDDING_H
#define HYLA_EMBEDDING_H 1

#include <hyla_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An embedding of a guest graph in the cube (Johnsson 1987, 3.2 and 3.4).
 *   MESH_NAIVE   a mesh, each axis in a Gray code of its own
 *   TORUS        the same for a mesh whose axes are closed, each as a loop
 *   FOLD         the axes of a mesh in pairs, from the last one on.  The second axis of a pair is
 *                longer than a power of two M, and its rest is folded back between the rows
 *   STEP         the same, with rows that become columns where they do not fit
 *   COMPRESSION  the same, with blocks of a rows and b columns that become b rows and a columns,
 *                b = a + 1 or 2 a - 1, with the a and b that leave the fewest rows
 * Pairs of axes for which a kind does not serve, and a first axis without a partner, are as in
 * NAIVE.
 *   TREE_INORDER    a complete binary tree, nodes numbered from 0 in order, each at the cube node
 *                   of that number
 *   TREE_GRAY       the same, at that number's Gray code
 *   TREE_CONTRACTED the interior nodes of TREE_GRAY, which have odd numbers, in the subcube of odd
 *                   addresses
 *   TREE_HEAP       a complete binary tree with root 1 and children 2 v and 2 v + 1 of v, all edges
 *                   of length 1
 *   TREE_HEAP_COMPLEMENT  the same with each node at the complement of its address: a second
 *                   tree of the cube, which has nodes in common with the first */
typedef enum hyla_embedding_kind {
  HYLA_MESH_NAIVE,
  HYLA_TORUS,
  HYLA_MESH_FOLD,
  HYLA_MESH_STEP,
  HYLA_MESH_COMPRESSION,
  HYLA_TREE_INORDER,
  HYLA_TREE_GRAY,
  HYLA_TREE_CONTRACTED,
  HYLA_TREE_HEAP,
  HYLA_TREE_HEAP_COMPLEMENT
} hyla_embedding_kind;

/* No cube has room for more sides of length 2 or more. */
#define HYLA_EMBED_AXES HYLA_DIMS_MAX

/* An embedding; plain data.
 *   kind, axes, side  given: for a mesh or torus 1 to HYLA_EMBED_AXES sides; for a tree one, the
 *                     number of its levels
 *   closed            given: the axes are closed, whatever the kind of mesh.  The axes of a pair
 *                     are then laid double, out and back, so that no edge is more than twice as
 *                     long as a mesh's
 *   dims, points      found: the cube has 2^dims nodes, the guest `points'.  The expansion is
 *                     2^dims / points
 *   dilation          found: the longest image of an edge of the guest, in links of the cube
 *   message           why the kind does not serve these sides, "" if it does */
typedef struct hyla_embedding {
  hyla_embedding_kind kind;
  int axes;
  int64_t side[HYLA_EMBED_AXES];
  int dims;
  int64_t points;
  int dilation;
  char message[256];
  bool closed;
} hyla_embedding;

/* Local; needs no MPI.  The name of the i-th kind, from 0, and its reference, a key in
 * doc/references.bib with the section.  Static strings; NULL beyond the last. */
HYLA_API const char *hyla_embedding_name(int i);
HYLA_API const char *hyla_embedding_reference(int i);

/* Local; needs no MPI.  Computes the found members of an embedding, from all edges of the guest.
 * ARGUMENT, with embedding->message: the kind does not serve these sides, or the cube would have
 * more than 2^HYLA_DIMS_MAX nodes. */
HYLA_API hyla_status hyla_embed(hyla_embedding *embedding);

/* Local; needs no MPI.  After hyla_embed with success.  node: the cube node of a point.  point has
 * one coordinate for each axis, from 0; for a tree, the number of the tree node.  -1 outside the
 * guest.  parent: the number of a tree node's parent; -1 for the root, outside, and for meshes. */
HYLA_API int hyla_embed_node(const hyla_embedding *embedding, const int64_t *point);
HYLA_API int64_t hyla_embed_parent(const hyla_embedding *embedding, int64_t node);

/* Local; needs no MPI.  The inverse of hyla_embed_node: finds the point on a cube node, as
 * coordinates or, for a tree, a number in point[0].  False, with point unchanged, if there is
 * none. */
HYLA_API bool hyla_embed_point(const hyla_embedding *embedding, int node, int64_t *point);

/* Local; needs no MPI.  After hyla_embed with success: the most messages over one directed link
 * when each edge of the guest carries one in either direction, all at once, each over the lowest
 * dimension first.  work: dims 2^dims numbers.  -1: an argument is NULL or no embedding. */
HYLA_API int hyla_embed_congestion(const hyla_embedding *embedding, int32_t *work);

/* Local; needs no MPI.  One of the `dims' paths between two nodes of a cube that have no other node
 * in common, the shortest first (Johnsson 1987, 2): k paths of k links and dims - k of k + 2, if
 * the nodes' numbers differ in k bits.  path: from 0 to dims - 1.  node: receives the path's nodes,
 * both ends among them.  Returns the number of its links; -1 if there is no such cube, node or
 * path, or from is to. */
#define HYLA_PATH_NODES (HYLA_DIMS_MAX + 3)
HYLA_API int hyla_disjoint_path(int dims, int from, int to, int path, int node[HYLA_PATH_NODES]);

/* A sparse graph on the cube; plain data.
 *   vertices, start, neighbour  given: 1 to 2^HYLA_DIMS_MAX vertices; the neighbours of vertex v
 *                    are neighbour[start[v]] ... neighbour[start[v + 1] - 1]; an edge is listed at
 *                    both ends
 *   given, bandwidth found: the largest difference of neighbours' numbers, as given and as
 *                    renumbered
 *   dims, b          found: the cube has 2^dims nodes; b is the least with 2^b >= bandwidth, below
 *                    dims
 *   dilation         found: the longest image of an edge, in links: at most b + 1 */
typedef struct hyla_graph {
  int32_t vertices;
  const int64_t *start;
  const int32_t *neighbour;
  int64_t given, bandwidth;
  int dims, b;
  int dilation;
} hyla_graph;

/* Local; needs no MPI.  Places vertex v of a sparse graph on cube node node[v].  The vertices are
 * renumbered for a small bandwidth, not always the smallest, and then placed like the columns of a
 * banded matrix of 2^(b+1) + 1 diagonals (hyla_band_rank).  node, work: `vertices' numbers each.
 * ARGUMENT: NULL or no graph.  Varvarigos 1992, 2.8; Cuthill and McKee 1969. */
HYLA_API hyla_status hyla_embed_graph(hyla_graph *graph, int32_t *node, int32_t *work);

/* Local; needs no MPI.  Places the blocks of a block-diagonal matrix on disjoint subcubes: block i
 * on the 2^block_dims[i] nodes from address first[i] on.  Returns the dimensions of the smallest
 * cube that has room for them; -1: an argument is NULL, or they do not fit on 2^HYLA_DIMS_MAX
 * nodes.  Varvarigos 1992, 2.9. */
HYLA_API int hyla_embed_blocks(int count, const int *block_dims, int32_t *first);

/* ------------------------------------------------------------- networks -- */

/* A network of nodes, joined by links from port to port; plain data, found from its name.
 *   name       as it was read, in full: "torus:4x6", "line:7" and "ring:7" (one axis), "array:4x6",
 *              "cube:5", "folded:6", and those of Varvarigos 1992, chapter 7, which are drawn from
 *              a seed behind a slash: "pseudo:8/3", "permutation:8/3", "symmetric:8/3",
 *              "enhanced:8/3", "matched:8/3"
 *   mesh       an array or a torus
 *   drawn      from a seed
 *   two_way    all links lead both ways
 *   kind, axes, side, seed  as in the name; axes: those of a mesh, the dimensions of others
 *   nodes      they are numbered from 0, in a mesh with the last axis fastest
 *   ports      all port numbers are below it.  Port i of a cube flips bit i of the number.  Port
 *              2a of a mesh leads up along axis a, port 2a + 1 down; a torus axis of side 2 has
 *              port 2a alone.  The last port of a folded cube flips all bits.  Port i of a pseudo,
 *              permutation or symmetric cube flips bit i, and draws the lower bits.  The last port
 *              of an enhanced or matched cube leads to a drawn node, or nowhere
 *   degree     the most links that leave a node
 *   links      pairs of a node and a port with a link: a link that leads both ways is two
 *   diameter, distances  the largest distance, and the sum of the distances over all nodes^2 pairs;
 *              -1 if drawn
 *   bisection  the least links, counted as above, between halves of the nodes; -1 if drawn
 *   cut        the links, counted as above, between the halves without and with the highest bit; 0
 *              for a mesh
 *   message    after ARGUMENT: why there is no such network */
typedef struct hyla_topology {
  char name[160];
  bool mesh, drawn, two_way;
  int kind, axes;
  int64_t side[HYLA_EMBED_AXES];
  uint64_t seed;
  int64_t nodes;
  int ports, degree, diameter;
  int64_t links, distances, bisection, cut;
  char message[256];
} hyla_topology;

/* Local; needs no MPI.  Reads a network's name.  ARGUMENT, with network->message: there is no such
 * network, or text is NULL. */
HYLA_API hyla_status hyla_topology_read(hyla_topology *network, const char *text);

/* Local; needs no MPI.  After hyla_topology_read with success.  peer: the node that a node's port
 * leads to.  back: the port by which the same link leads back.  port: the port that a message for
 * `to' takes at `from': in a mesh that of the last axis that differs, in a pseudo, permutation or
 * symmetric cube that of the highest bit that differs, in others that of the lowest bit, but the
 * last port of an enhanced, matched or folded cube where it leaves fewer bits.  -1: there is
 * none. */
HYLA_API int hyla_topology_peer(const hyla_topology *network, int node, int port);
HYLA_API int hyla_topology_back(const hyla_topology *network, int node, int port);
HYLA_API int hyla_topology_port(const hyla_topology *network, int from, int to);

/* The ways from some nodes to all: sums and largest numbers of links, on shortest ways and on those
 * of hyla_topology_port. */
typedef struct hyla_topology_ways {
  int64_t pairs;
  int64_t shortest, routed;
  int farthest, longest;
} hyla_topology_ways;

/* Local; needs no MPI.  Searches the ways from `sources' nodes, 1 to `nodes' of them, evenly
 * spread.  work: nodes (ports + 2) numbers.  ARGUMENT: NULL, or no network or number of nodes. */
HYLA_API hyla_status hyla_topology_measure(const hyla_topology *network, int64_t sources,
                                           int32_t *work, hyla_topology_ways *ways);

/* How packets travel.  SELF: by hyla_topology_port.  CUBE: over the bits that differ, the lowest
 * first, in plain, folded, enhanced and matched cubes.  FAR: over the last port first, then as
 * CUBE, in the latter three. */
typedef enum hyla_topology_way { HYLA_WAY_SELF, HYLA_WAY_CUBE, HYLA_WAY_FAR } hyla_topology_way;

/* Local; needs no MPI.  The slots until all packets have come from the nodes `from' to the nodes
 * `to'.  In a slot each port sends one of the packets that wait for it: the one that came first, or
 * with last_first the one that came last.  Packets that come in one slot count as come in the order
 * of the nodes and ports that sent them.  work: packets + 4 nodes ports numbers.  -1: an argument
 * is NULL or wrong. */
HYLA_API int64_t hyla_topology_play(const hyla_topology *network, hyla_topology_way way,
                                    bool last_first, int64_t packets, const int32_t *from,
                                    const int32_t *to, int32_t *work);

/* Local; needs no MPI.  The mean number of links from a node to any node of an enhanced cube by
 * hyla_topology_port, over all cubes that can be drawn with this many dimensions d, 0 to
 * HYLA_DIMS_MAX: the mean, by P, of E(h) over the numbers h of bits that differ, where E(0) = 0,
 * E(h) = 1 + sum(k < h-1: P(k) E(k)) + P(k >= h-1) E(h-1), P(k) = C(d,k) / 2^d.  It takes the drawn
 * nodes on a way as independent of each other.  -1: other dimensions.  Varvarigos 1992, figure
 * 7.3. */
HYLA_API double hyla_topology_greedy(int dims);

#ifdef __cplusplus
}
#endif

#endif
