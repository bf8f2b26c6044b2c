/* hyla_embedding.h: meshes, tori, trees and sparse graphs on the cube, as integers; no MPI is
 * needed.  hyla_lab.h includes this header and places ranks by it. */
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
 *                   of length 1 */
typedef enum hyla_embedding_kind {
  HYLA_MESH_NAIVE,
  HYLA_TORUS,
  HYLA_MESH_FOLD,
  HYLA_MESH_STEP,
  HYLA_MESH_COMPRESSION,
  HYLA_TREE_INORDER,
  HYLA_TREE_GRAY,
  HYLA_TREE_CONTRACTED,
  HYLA_TREE_HEAP
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

#ifdef __cplusplus
}
#endif

#endif
