/* hyla_lab: experiments with communication, for those who study it.
 *
 * It includes hyla.h, whose conventions hold here too; programs that compute need hyla.h alone.
 *   collective  broadcasts, exchanges and others, as the papers compare them, in
 *               hyla_lab_collective.h
 *   simulate    any program of the library on a virtual cube
 *   embedding   meshes, tori and trees on the cube, with dilation and expansion
 *   text        files of what was found, whole or not at all
 */
#ifndef HYLA_LAB_H
#define HYLA_LAB_H 1

#include <hyla.h>
#include <hyla_lab_collective.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------- partitions -- */

/* Phases of the exchange by `multiphase': their dimensions, which sum up to the cube's.
 *   from        bytes of a message from which on they are the best
 *   empty, byte seconds of an exchange of empty messages, and what each byte of them adds */
typedef struct hyla_phases {
  double from;
  double empty, byte;
  int count;
  int phase[HYLA_DIMS_MAX];
} hyla_phases;

/* Local; needs no MPI.  The best phases on 2^dims nodes over circuits by the length of a message,
 * with the machine's alpha, beta, rho and, for each dimension of the cube, delta and omega (Nicol
 * and Bokhari 1994, (1), (2) and theorem 1).  best: room for dims entries; returns how many, -1 for
 * NULL and where there is no such cube. */
HYLA_API int hyla_exchange_envelope(const hyla_machine *machine, int dims, hyla_phases *best);

/* Local; needs no MPI.  All partitions of the cube's dimensions into phases, the larger phases
 * first, from the direct exchange to the standard one, with empty and byte (from is 0): the first
 * `room` of them.  Returns how many there are, 627 on the largest cube; -1 as above, or where all
 * is NULL and room is not 0. */
HYLA_API int64_t hyla_exchange_partitions(const hyla_machine *machine, int dims, hyla_phases *all,
                                          int64_t room);

/* For one length.
 *   best, seconds              of all partitions, each of which is tried
 *   partitions                 how many there are
 *   searched, searched_seconds those that theorem 3 finds
 *   tried                      how many it compares, at most 2 (sqrt(dims) + 1)
 *   split                      s*, the dimensions of a phase from which on its two halves cost
 *                              less; -1: the direct exchange is the best, -2: the standard one */
typedef struct hyla_phase_search {
  hyla_phases best;
  double seconds;
  int64_t partitions;
  hyla_phases searched;
  double searched_seconds;
  int tried;
  double split;
} hyla_phase_search;

/* Local; needs no MPI.  bytes: of a message, from 0.  ARGUMENT. */
HYLA_API hyla_status hyla_exchange_search(const hyla_machine *machine, int dims, double bytes,
                                          hyla_phase_search *found);

/* ------------------------------------------------------------- simulate -- */

/* The machine on which a program is simulated.  Its clocks are virtual: a message of n bytes takes
 * alpha + beta n over each link it crosses, a link carries one message at a time in each
 * direction.  To a node further away it crosses the dimensions in which the two differ, the lowest
 * first, and waits where a link is taken, or for all of them with circuits.  Variants are chosen
 * for alpha, beta and gamma, unless all are 0.
 *   gamma     seconds of one real double operation, which other types scale; 0: none
 *   machine   NULL, or what is simulated in place of ports, switching, alpha, beta and gamma, with
 *             delta for the cube's dimensions.  Variants are chosen for it; with its rho, which
 *             takes no time in a run, what is predicted has the busiest node's copies too
 *   limit     a message that comes later than this after its receiver began to
 *             wait is TIMEOUT; 0: none
 *   dry       counts and times without data, for cubes of many nodes: matrices take
 *             no memory and must not be touched (hyla_matrix_local lends addresses that fault),
 *             filling them does nothing, messages carry no bytes.  What decides or answers by data
 *             (factorizations that look for pivots, which can be planned; LU draws them; norms,
 *             single entries, files) is UNSUPPORTED, all else runs as ever, without checks
 *   options   that the nodes' cubes are made with; NULL: the defaults
 *   rehearsed what would send more messages in rehearsals, a choice's candidates together, is
 *             counted and not rehearsed; 0: all is rehearsed
 *   observer  is told of each event, in this call's thread; it must not call the library.  NULL:
 *             nobody is
 *   fault_at  message number fault_at, counted from 1 in the order they are
 *             sent, meets the fault; later messages are sound */
typedef enum hyla_fault {
  HYLA_FAULT_NONE,
  HYLA_FAULT_LOST,
  HYLA_FAULT_DELAYED, /* by fault_delay */
  HYLA_FAULT_CORRUPTED
} hyla_fault;

/* What a node of a virtual cube did, and when in virtual time.  The spans of a node's COMPUTE, WAIT
 * and AGREE follow each other without gaps until it ends; some take no time.
 *   COMPUTE  the library computed; operations: how many, each of gamma
 *   WAIT     the node waited for `message'
 *   AGREE    it waited until all nodes had come to agree
 *   MESSAGE  the peer took `message' of `bytes' bytes from the node, told by the peer: from its
 * first byte's start to its last one's arrival; left: when it had left the node's link; crossed:
 *            when it had crossed all its links, which is earlier than its end where the receiver's
 *            one port was taken then
 *   START    the node started `message', which leaves then; packet: -1, or which one it is of those
 *            that leave as soon as all that they need is there, wherever the node is then.  To the
 *            node itself (such packets alone): it takes no time
 *   FREE     from here on packets may leave so, none earlier than this node's clock says now
 *   NEED     `packet' needs `message': it is taken, or has crossed its links */
typedef enum hyla_event_kind {
  HYLA_EVENT_COMPUTE,
  HYLA_EVENT_WAIT,
  HYLA_EVENT_AGREE,
  HYLA_EVENT_MESSAGE,
  HYLA_EVENT_START,
  HYLA_EVENT_FREE,
  HYLA_EVENT_NEED
} hyla_event_kind;

typedef struct hyla_event {
  hyla_event_kind kind;
  int node;
  int peer;      /* of a MESSAGE and a START; else -1 */
  int64_t bytes; /* likewise; else 0 */
  double begin;
  double left;    /* of a MESSAGE; else 0 */
  double crossed; /* likewise */
  double end;
  int64_t message; /* its number, from 1 in the order of the STARTs; else 0 */
  int64_t packet;
  double operations; /* of a COMPUTE; else 0 */
} hyla_event;

/* Told in the order in which the nodes have their turns, of one node in the order of time; a
 * message when its receiver takes it. */
typedef void hyla_observer(void *arg, const hyla_event *event);

typedef struct hyla_simulation {
  int dims;
  hyla_ports ports;
  hyla_switching switching;
  double alpha;
  double beta;
  double gamma;
  const hyla_machine *machine;
  double limit;
  bool dry;
  const hyla_options *options;
  int64_t rehearsed;
  hyla_fault fault;
  int64_t fault_at;
  double fault_delay;
  hyla_observer *observer;
  void *observer_arg;
} hyla_simulation;

/* A part of an operation that papers count by itself: its name, a static string, and when the last
 * node had ended it, the last time where there were several. */
#define HYLA_PARTS_MAX 8
typedef struct hyla_part {
  const char *name;
  double end;
} hyla_part;

/* What came of it.  time: when the last node ended.  steps: the most of any
 * node; messages, bytes: over all nodes, most_...: of the busiest node, by
 * dimension, as in hyla_ledger.  message: of the failure, "" when there is none.
 * parts, part: of the operations that tell their parts (trsm by sweep, identity and product; the
 * eliminations element by element), in the order in which they came first. */
typedef struct hyla_report {
  hyla_status status;
  int dims;
  double time;
  int64_t steps;
  int64_t messages[HYLA_DIMS_MAX];
  int64_t bytes[HYLA_DIMS_MAX];
  int64_t most_messages[HYLA_DIMS_MAX];
  int64_t most_bytes[HYLA_DIMS_MAX];
  int64_t far_messages;
  int64_t far_bytes;
  char message[512];
  int parts;
  hyla_part part[HYLA_PARTS_MAX];
} hyla_report;

/* A program, run by every node of the cube.  The nodes take turns in the
 * caller's thread: what they share through arg needs no lock, but must not be
 * changed between two collective calls as if the other nodes had seen it. */
typedef hyla_status hyla_body(hyla_cube *cube, void *arg);

/* Local; needs no MPI.  Runs body on a virtual cube of 2^dims nodes, the same way every time.
 * Returns the first failing node's status; when all nodes wait for each other that is
 * COMMUNICATION, at once, and the message says who waits for whom.  ARGUMENT, MEMORY. */
HYLA_API hyla_status hyla_simulate(const hyla_simulation *simulation, hyla_body *body, void *arg,
                                   hyla_report *report);

/* ------------------------------------------------------------ embedding -- */

/* How a guest lies on the cube (Johnsson 1987, 3.2 and 3.4).
 *   MESH_NAIVE   a mesh, each axis in a Gray code of its own
 *   TORUS        the same for a mesh whose axes are closed, each as a loop
 *   FOLD         the axes of a mesh two by two, from the last one on; the second one longer than
 *                a power of two M: what does not fit is folded back between the rows
 *   STEP         the same, rows turn into columns where they do not fit
 *   COMPRESSION  the same, blocks of a rows and b columns become b rows and a columns, of a + 1
 *                or 2 a - 1 for b and any a those that leave the fewest rows
 * Pairs of axes that a kind does not serve, and a first axis that is left over, are as in NAIVE.
 *   TREE_INORDER    a complete binary tree, nodes numbered from 0 in order, at the node of
 *                   that number
 *   TREE_GRAY       the same, at that number's Gray code
 *   TREE_CONTRACTED the interior nodes of the last one, which have odd numbers, in the
 *                   subcube of odd addresses
 *   TREE_HEAP       a complete binary tree, the root 1, children 2 v and 2 v + 1 of v, with
 *                   all edges of length 1 */
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

/* A cube has no room for more sides of 2 and longer. */
#define HYLA_EMBED_AXES HYLA_DIMS_MAX

/* An embedding; plain data.
 *   kind, axes, side  given: of a mesh or torus 1 to HYLA_EMBED_AXES sides; of a tree one,
 *                     the number of its levels
 *   closed            given: the axes are closed, whatever the kind of mesh.  The axes of a pair
 *                     are then laid double, out and back, so that no edge is more than twice as
 *                     long as a mesh's
 *   dims, points      found: of the cube, 2^dims nodes; of the guest.  The expansion is
 *                     2^dims / points
 *   dilation          the longest image of an edge of the guest, in links of the cube
 *   message           why the kind does not serve these sides, "" when it does */
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

/* Local; needs no MPI.  Finds what is to be found of an embedding, going over all edges of
 * the guest.  ARGUMENT, with embedding->message: the kind does not serve these sides, or the
 * cube would have more than 2^HYLA_DIMS_MAX nodes. */
HYLA_API hyla_status hyla_embed(hyla_embedding *embedding);

/* Local; needs no MPI.  After hyla_embed, with success: the cube node of a point, whose
 * coordinates count from 0, one an axis; of a tree, of the node of that number; -1 outside of
 * the guest.  The number of a tree node's parent; -1 of the root, outside and of meshes. */
HYLA_API int hyla_embed_node(const hyla_embedding *embedding, const int64_t *point);
HYLA_API int64_t hyla_embed_parent(const hyla_embedding *embedding, int64_t node);

/* Local; needs no MPI.  The inverse of hyla_embed_node: the point that lies on a cube node, its
 * coordinates or a tree node's number in point[0].  False, point being as it was: none does. */
HYLA_API bool hyla_embed_point(const hyla_embedding *embedding, int node, int64_t *point);

/* Local; needs no MPI.  After hyla_embed, with success: the most messages over one directed link
 * when each edge of the guest carries one in either direction, all at once, each over the lowest
 * dimension first.  work: dims 2^dims numbers.  -1: an argument is NULL or no embedding. */
HYLA_API int hyla_embed_congestion(const hyla_embedding *embedding, int32_t *work);

/* A sparse graph on the cube; plain data.
 *   vertices, start, neighbour  given: from 1 to 2^HYLA_DIMS_MAX; the neighbours of vertex v are
 *                    neighbour[start[v]] ... neighbour[start[v + 1] - 1], an edge with both ends
 *   given, bandwidth found: the most that neighbours' numbers differ by, as given and numbered anew
 *   dims, b          of the cube, 2^dims nodes; the least b with 2^b >= bandwidth, below dims
 *   dilation         the longest image of an edge, in links: at most b + 1 */
typedef struct hyla_graph {
  int32_t vertices;
  const int64_t *start;
  const int32_t *neighbour;
  int64_t given, bandwidth;
  int dims, b;
  int dilation;
} hyla_graph;

/* Local; needs no MPI.  Vertex v of a sparse graph on cube node node[v]: numbered anew for a small
 * bandwidth, not always the smallest, then as the columns of a banded matrix of 2^(b+1) + 1
 * diagonals (hyla_band_rank).  node, work: `vertices' numbers each.  ARGUMENT: NULL or no graph.
 * Varvarigos 1992, 2.8; Cuthill and McKee 1969. */
HYLA_API hyla_status hyla_embed_graph(hyla_graph *graph, int32_t *node, int32_t *work);

/* Local; needs no MPI.  The blocks of a block-diagonal matrix on subcubes that are disjoint: block
 * i on the 2^block_dims[i] nodes from the address first[i] on.  Returns the dimensions of the
 * smallest cube that has them; -1: something is NULL, or they do not fit on 2^HYLA_DIMS_MAX nodes.
 * Varvarigos 1992, 2.9. */
HYLA_API int hyla_embed_blocks(int count, const int *block_dims, int32_t *first);

/* Collective; embedding, what is given of it: global.  The ranks of the cube, numbered anew, so
 * that neighbours on the mesh, torus or tree are near each other on the cube: *comm is a
 * communicator of those on which a point lies, of meshes numbered with the last axis fastest, of
 * trees in the order of the nodes' numbers.  It has a topology of MPI's: of a mesh or torus a
 * Cartesian one (a rank's coordinates by MPI_Cart_coords, its neighbours by MPI_Cart_shift), of a
 * tree a distributed graph (MPI_Dist_graph_neighbors: the parent first, then the children); MPI's
 * neighbourhood collectives go along it.  Where the guest wants fewer dimensions than the cube has
 * it lies on the nodes with the lowest addresses.  On all other ranks, guests too, *comm is
 * MPI_COMM_NULL. The caller owns *comm and frees it by MPI_Comm_free; it outlives the cube.  Only
 * MPI's own calls go over it, with MPI's default error handler. ARGUMENT (with the reason why the
 * kind does not serve the sides; the cube is too small), MISMATCH, UNSUPPORTED on a virtual cube,
 * COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_embed_comm(hyla_cube *cube, const hyla_embedding *embedding,
                                     MPI_Comm *comm);

/* The same for other languages.  *comm: the communicator's handle in Fortran (an `integer` of
 * module mpi, MPI_VAL of one of mpi_f08, what f2py() of mpi4py takes). */
HYLA_API hyla_status hyla_embed_comm_f(hyla_cube *cube, const hyla_embedding *embedding,
                                       MPI_Fint *comm);

/* ----------------------------------------------------------------- text -- */

/* Writes a text to a stream, from arg; false: there was no memory for some of it.  What the stream
 * itself does not take need not be told. */
typedef bool hyla_text_writer(const void *arg, FILE *stream);

/* Local; the message is the cube's.  A file of what write gives, whole or not at all: it gets its
 * name, or takes the place of a file that has it, whose mode stays, when it is complete and on the
 * disk.  A symbolic link is followed.  ARGUMENT, FILE, MEMORY. */
HYLA_API hyla_status hyla_text_write(hyla_cube *cube, const char *path, hyla_text_writer *write,
                                     const void *arg);

#ifdef __cplusplus
}
#endif

#endif
