/* Door of the room schedule: communication as data.
 *
 * A schedule says what ONE node of a network does in a collective.  It is a list of packets, each
 * with its step, the link it crosses, its direction, and the pieces of the node's buffer that
 * travel in it.  It knows blocks and parts of blocks, not lengths.  struct hy_blocks gives the
 * lengths when the schedule is run, counted or verified, so one schedule serves messages of any
 * length.
 *
 * The network is a subcube of d dimensions, or another one (struct hy_network).  Nodes are numbered
 * from 0 inside the network on which the collective runs; the runner translates the numbers to cube
 * addresses.  All packets of a step go at once: a node sends what it held before the step.
 *
 * A generator makes the schedule of any node.  The toolbox of Stout and Wagar (1990, 1) is a set of
 * generators that take another generator:
 *   reroot      from root 0 to any root, by XOR of all numbers
 *   symmetrize  d rotated copies at once, each on 1/d of every block
 *   pipeline    g copies one step apart, each on 1/g of every block
 *   complete    all 2^d roots at once; with `batch', packets of one step on one link are joined,
 *               without it no two packets may share a link in a step
 *   reverse     time runs backwards: broadcast becomes reduction, scatter gather
 * Pipelines and reversals serve any network, the others a cube. */
#ifndef HY_SCHEDULE_H
#define HY_SCHEDULE_H 1

#include "address/address.h"
#include "cube/cube.h"

/* -------------------------------------------------------- collectives -- */

/* A collective, by the words at its start and their places at its end; x and s are members. */
enum hy_task {
  HY_TASK_BROADCAST,        /* root's words on every member */
  HY_TASK_REDUCE,           /* the combination of all members' words on root */
  HY_TASK_ALLREDUCE,        /* the same on every member; hy_allreduce alone */
  HY_TASK_SCATTER,          /* root's block x on x */
  HY_TASK_GATHER,           /* x's block x on root */
  HY_TASK_ALLGATHER,        /* x's block x on every member */
  HY_TASK_REDUCE_SCATTER,   /* block x of the combination on x */
  HY_TASK_PARTIAL,          /* active x's block x on every member */
  HY_TASK_EXCHANGE,         /* s's block x becomes x's block s */
  HY_TASK_PERMUTE,          /* s's words on to[s] */
  HY_TASK_PARTIAL_EXCHANGE, /* active s's block x becomes x's block s */
  HY_TASK_PARTIAL_GATHER,   /* s's block x becomes active x's block s */
  HY_TASK_WINDOW,           /* x's block x on every member of the window */
  HY_TASK_BAND_EXCHANGE,    /* the exchange, of several matrices within their bands */
  HY_TASK_BAND_BROADCAST,   /* x's block x of each matrix on every member within its band */
};

/* How blocks lie in the buffer, in words: block b from offsets[b] to offsets[b + 1] or, if offsets
 * is NULL, from b * words to (b + 1) * words.  Broadcast, reductions and permutations have one
 * block; other collectives have one for each member, or for each member of the window.
 *
 * In permutations and exchanges `words' may be the room for a block that is not full; offsets is
 * NULL then.  Member s has sources[s] words, in exchanges sources[s] targets[x] words for member x.
 * They stand at the start of the block. */
struct hy_blocks {
  int64_t words;
  const int64_t *offsets;
  const int64_t *sources; /* NULL: all blocks are full; must outlive an operation */
  const int64_t *targets; /* NULL in permutations */
};

/* into := into combined with from, `count' entries.  If the order matters, `from' comes from the
 * member with the larger number.  Dry simulations call it too, to count operations; then it must
 * not touch the data. */
typedef void hy_combine(void *into, const void *from, int64_t count, const void *arg);

/* The combination of words, and the cost of a word: `flops' operations on entries of `entry' bytes.
 */
struct hy_combining {
  hy_combine *combine;
  const void *arg;
  int flops;
  size_t entry;
  bool complex_type;
};

/* The link of a member over a dimension, as a mask of one bit, that carries nothing either way. */
struct hy_lost_link {
  uint32_t node;
  uint32_t across;
};

/* A collective as it is asked for: the same on all members of the subcube. */
struct hy_collective {
  enum hy_task task;
  int dims;                         /* dimensions of the subcube; of another network its axes */
  const struct hy_network *network; /* NULL: the subcube */
  uint32_t members;                 /* of a subarray that is no cube; 0: 2^dims */
  uint32_t within;         /* the subcube itself, a mask of `dims' cube dimensions; on paper 0 */
  uint32_t root;           /* broadcast, reduce, scatter, gather: a member */
  struct hy_blocks blocks; /* its arrays must outlive an operation */
  size_t size;             /* bytes of a word; on paper 0 */
  int groups;              /* pipelined variants; 0: the best number for tau and beta */
  int64_t tau;             /* time of a word, and of a packet's start; both 0: the machine's */
  int64_t beta;
  const uint8_t *active; /* partial all-gather, exchange, gather: a flag for each member */
  const int32_t *to;     /* permutation: where a member's words go; -1: nowhere */
  int nearest;           /* exchange: only nodes at distances from nearest ... */
  int farthest;          /* ... to farthest exchange; 0: all */
  const uint8_t *tags;   /* exchange: 2^dims flags, by source XOR target; NULL: all */
  int band;              /* exchange: b + 1 if only columns at most 2^b apart on the circle
                          * exchange (column c is on hy_banded_node); 0: all */
  int matrices;          /* band exchange, broadcast: their number; block x of matrix j is block
                          * j 2^dims + x, its nodes' numbers rotated left by j b */
  const uint8_t *phases; /* multiphase exchange: the dimensions of its phases, dims in all */
  int phase_count;       /* 0: the best equi-partition for tau and beta */
  int window;            /* window: its dimensions, the lowest; members below 2^window */
  bool ordered;          /* reductions: combined in the order of the members */
  const struct hy_lost_link *lost; /* links that no message may cross */
  int lost_count;
  struct hy_combining combining;
};

/* ---------------------------------------------------------- schedules -- */

/* Words offset ... offset+length-1 of a node's buffer. */
struct hy_span {
  int64_t offset;
  int64_t length;
};

/* Everything from the point from/parts of block `block' to the point to/parts of block
 * block+run-1.  A block of n words is cut at i n / parts, rounded down, so a block of any length
 * can be cut, also 0.  If blocks are rooms that need not be full, source and target tell whose
 * words they hold, and the piece ends where the words do. */
struct hy_piece {
  uint32_t block;
  uint32_t run;
  uint32_t from;
  uint32_t to;
  uint32_t source;
  uint32_t target;
};

enum hy_action {
  HY_OUT, /* the pieces are sent */
  HY_IN,  /* the pieces are received */
  HY_ADD, /* the pieces are received and combined with the words there */
};

struct hy_packet {
  int32_t step;
  uint32_t across; /* 0: the node itself.  On a cube peer = node XOR across, one bit for a
                    * neighbour; on another network one bit, the node's own port of the link */
  enum hy_action action;
  bool staged;   /* cannot be received in place: it overlaps words sent in the same step */
  int64_t first; /* the pieces are pieces[first] ... pieces[first + count - 1] */
  int64_t count;
};

struct hy_generator;

struct hy_schedule {
  struct hy_base *base;
  int steps;        /* steps of the whole cube, including those in which this node is idle */
  uint32_t parts;   /* the unit of the pieces' from and to; at least 1 */
  uint32_t scratch; /* blocks behind the collective's own, for words that pass through */
  bool fixed;       /* the arrays are the caller's and do not grow */
  bool batch;       /* packets of one step on one link are joined (otherwise they are a fault) */
  struct hy_packet *packets;
  int64_t packet_count, packet_capacity;
  struct hy_piece *pieces;
  int64_t piece_count, piece_capacity;
};

/* Room on the stack for the recursive doubling schedules of any cube, and of any number. */
struct hy_stack_schedule {
  struct hy_schedule schedule;
  struct hy_packet packets[4 * HYLA_DIMS_MAX];
  struct hy_piece pieces[8 * HYLA_DIMS_MAX];
};

/* The number of a network's nodes, and of a collective's members. */
static inline uint32_t hy_network_members(const struct hy_network *network, int dims) {
  return network != NULL ? network->nodes : 1u << dims;
}
static inline uint32_t hy_members(const struct hy_collective *c) {
  return c->members > 0 ? c->members : hy_network_members(c->network, c->dims);
}

/* peer: the node at the other end of a packet's link; -1: there is no such link.  back: `across' of
 * the same packet at that node. */
int64_t hy_packet_peer(const struct hy_network *network, uint32_t node, uint32_t across);
uint32_t hy_packet_back(const struct hy_network *network, uint32_t node, uint32_t across);

/* An empty schedule.  init: it grows; in: it lies in `room' and never allocates. */
void hy_schedule_init(struct hy_schedule *schedule, struct hy_base *base);
struct hy_schedule *hy_schedule_in(struct hy_stack_schedule *room, struct hy_base *base);
void hy_schedule_free(struct hy_schedule *schedule);

/* Adds a piece to the packet (step, across, action): a new one, unless the last piece went to the
 * same packet.  hy_schedule_finish joins repeated packets if the schedule has `batch' set; sender
 * and receiver must add the pieces in the same order.  An empty piece (from = to) is left out. */
hyla_status hy_schedule_add(struct hy_schedule *schedule, int step, uint32_t across,
                            enum hy_action action, struct hy_piece piece);

/* Begins a new packet, even on the link of the last one. */
hyla_status hy_schedule_open(struct hy_schedule *schedule, int step, uint32_t across,
                             enum hy_action action);

/* Orders the packets (by step, then link, out before in), joins those on one link if the schedule
 * has `batch' set, and finds those that must be staged.  Must come before a run. */
hyla_status hy_schedule_finish(struct hy_schedule *schedule);

/* Runs time backwards: sent packets become received ones with `action' (HY_IN or HY_ADD), and
 * received ones are sent. */
void hy_schedule_reverse(struct hy_schedule *schedule, enum hy_action action);

/* Replaces block b by block place[b], for all b, then finishes as hy_schedule_finish.  The schedule
 * must have no scratch.  The pieces of a packet come in the order of their new places, and
 * adjoining ones are joined. */
hyla_status hy_schedule_place(struct hy_schedule *schedule, const uint32_t *place);

/* How a copy of a schedule differs from it.  Numbers of nodes and blocks are rotated left by
 * `rotate' of `dims' bits, then blocks are XORed with `flip'.  Links are put at the places of the
 * mask `into' (0: no change).  Steps come later by `delay'.  Point i of P parts becomes point
 * offset + i * unit of `parts'. */
struct hy_relabel {
  int dims;
  int rotate;
  uint32_t flip;
  uint32_t into;
  int delay;
  uint32_t offset;
  uint32_t unit;
  uint32_t parts;
};
/* into: adds another generator's schedule of `node' to `out', relabelled.  slice: the same on slice
 * i of n, the i-th of n equal parts of every block. */
hyla_status hy_generate_into(const struct hy_generator *generator, uint32_t node,
                             const struct hy_relabel *relabel, struct hy_schedule *out);
hyla_status hy_generate_slice(const struct hy_generator *generator, uint32_t node,
                              struct hy_relabel relabel, uint32_t slice, uint32_t slices,
                              struct hy_schedule *out);

/* The number of words that member `source' has (for `target'), if blocks are rooms. */
static inline int64_t hy_blocks_filled(const struct hy_blocks *blocks, uint32_t source,
                                       uint32_t target) {
  if (blocks->sources == NULL) return blocks->words;
  return blocks->sources[source] * (blocks->targets != NULL ? blocks->targets[target] : 1);
}

struct hy_span hy_piece_span(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                             const struct hy_piece *piece);
int64_t hy_packet_words(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                        const struct hy_packet *packet);

/* Leaves out the packets that have no words, for a run with blocks of these lengths. */
hyla_status hy_schedule_trim(struct hy_schedule *schedule, const struct hy_blocks *blocks);

/* Words of workspace that a run needs. */
int64_t hy_schedule_work(const struct hy_schedule *schedule, const struct hy_blocks *blocks);

/* The node's cost: steps in which it sends or receives, messages and words that it sends, and as
 * flops the words that it combines. */
hyla_cost hy_schedule_cost(const struct hy_schedule *schedule, const struct hy_blocks *blocks);

/* --------------------------------------------------------------- runs -- */

/* The data of a run.  work: hy_schedule_work words; may be NULL for 0. */
struct hy_run {
  uint32_t dims;                    /* the subcube: a mask of cube dimensions */
  const struct hy_network *network; /* NULL: the subcube; nodes have the numbers of ranks */
  uint32_t members, root; /* of a subarray that is no cube: its members, and the one with number 0
                           * in the schedule; otherwise 0 */
  struct hy_blocks blocks;
  size_t size; /* bytes of a word */
  void *data;
  void *work;
  int64_t words;       /* words of data */
  void *scratch;       /* the words after these: scratch blocks, if the schedule has any */
  hy_combine *combine; /* for schedules that add */
  const void *arg;
  bool together; /* no member can end before all have begun */
  bool silent;   /* combine counts no operations, and is left out where there are no words */
  bool dry;      /* set by the run */
};
hyla_status hy_schedule_run(hyla_cube *cube, const struct hy_schedule *schedule,
                            const struct hy_run *run);

/* Writes the lines of a member's script without a schedule; returns their number.  within: the
 * subcube.  words: of `size' bytes, more than 0. */
typedef int hy_write_lines(uint32_t within, int address, int64_t words, size_t size,
                           struct hy_script_line *lines);
/* Does hy_schedule_run's part where there are no words, with these lines.  *played: it was done. */
hyla_status hy_lines_run(hyla_cube *cube, hy_write_lines *write, const struct hy_run *run,
                         bool *played);

/* At most one packet in and one out over each port, or to a node that is no neighbour. */
enum { HY_PACKETS_MAX = 2 * HY_NETWORK_PORTS + 2 };

/* One packet under way. */
struct hy_packet_place {
  char *data; /* where the link finds or leaves its words */
  const struct hy_packet *packet;
  bool packed; /* data is in the workspace */
};

/* A run whose node is in the middle of a step.  It must keep its place in memory, and the run's
 * schedule, data and workspace must stay as they are, until it is finished. */
struct hy_pending {
  const struct hy_schedule *schedule;
  struct hy_run run;
  int64_t first;           /* first packet of the step; packet_count: nothing is left to do */
  int count;               /* packets of the step */
  int started;             /* messages of the step */
  struct hy_light *lights; /* the messages, if they are light; NULL: they are not */
  struct hy_packet_place places[HY_PACKETS_MAX];
  struct hy_message messages[HY_PACKETS_MAX];
};
/* A run in pieces.
 * start     starts the node's first step; returns at once
 * advance   waits for the step under way and starts the next one, if there is one
 * complete  waits for the step under way and does the others */
hyla_status hy_schedule_start(hyla_cube *cube, const struct hy_schedule *schedule,
                              const struct hy_run *run, struct hy_pending *pending);
hyla_status hy_schedule_advance(hyla_cube *cube, struct hy_pending *pending);
hyla_status hy_schedule_complete(hyla_cube *cube, struct hy_pending *pending);

/* A schedule that is run without steps: each packet leaves as soon as its words are there and its
 * link is free; packets over one link in one direction keep their order.  It serves packets to
 * neighbours that are not added.  Steps, messages and words are counted as in a run in steps.
 * create  local; for blocks of these lengths.  The schedule must stay as it is until destroy.
 *         MEMORY, UNSUPPORTED
 * work    words of workspace
 * run     as hy_schedule_run; nothing is allocated */
struct hy_flow;
hyla_status hy_flow_create(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                           struct hy_flow **flow);
void hy_flow_destroy(struct hy_flow **flow);
int64_t hy_flow_work(const struct hy_schedule *schedule, const struct hy_blocks *blocks);
hyla_status hy_flow_run(hyla_cube *cube, struct hy_flow *flow, const struct hy_run *run);

/* --------------------------------------------------------- generators -- */

/* Makes the schedule of any node: adds to the empty schedule `out', which the caller finishes. */
typedef hyla_status hy_make_schedule(const struct hy_generator *generator, uint32_t node,
                                     struct hy_schedule *out);
struct hy_generator {
  hy_make_schedule *make;
  int dims;
  bool numbered; /* blocks have the numbers of nodes; otherwise there is one block, the root's */
  const struct hy_generator *inner; /* transformers */
  uint32_t root;                    /* reroot */
  int groups;                       /* pipeline */
  const struct hy_generator *last;  /* pipeline */
  const void *table;                /* for generators that read a table */
  enum hy_action action;            /* reverse: HY_IN or HY_ADD */
  bool batch;                       /* complete */
  const struct hy_network *network; /* NULL: the cube of `dims' */
  uint32_t members;                 /* of a subarray that is no cube; 0: 2^dims */
};

/* Runs make and finish; the caller frees *schedule also after a failure. */
hyla_status hy_generate(const struct hy_generator *generator, uint32_t node, struct hy_base *base,
                        struct hy_schedule *schedule);

/* The transformers: generators made from a generator, which must outlive them. */
struct hy_generator hy_reroot(const struct hy_generator *inner, uint32_t root);
struct hy_generator hy_symmetrize(const struct hy_generator *inner);
/* last: replaces the generator for the last group; NULL: no replacement. */
struct hy_generator hy_pipeline(const struct hy_generator *inner, int groups,
                                const struct hy_generator *last);
struct hy_generator hy_complete(const struct hy_generator *inner, bool batch);
struct hy_generator hy_reverse(const struct hy_generator *inner, enum hy_action action);

/* The schedule of a torus, which inner->network is, on the array with the same sides: two steps for
 * each one (fold.c).  Blocks must be of equal length.  node: the array's node that plays a node of
 * the torus; back: the torus' node that it plays. */
struct hy_generator hy_fold(const struct hy_generator *inner, const struct hy_network *array);
uint32_t hy_fold_node(const struct hy_network *array, uint32_t node, bool back);

/* Recursive doubling, root 0 (doubling.c). */
hyla_status hy_doubling_broadcast(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out);
hyla_status hy_doubling_allgather(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out);
hyla_status hy_doubling_allreduce(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out);
hyla_status hy_halving_allreduce(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out);

/* The lines of the two all-reductions. */
hy_write_lines hy_doubling_lines, hy_halving_lines;

/* The same for any number of members, root 0 (any_number.c). */
hyla_status hy_any_broadcast(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out);
hyla_status hy_any_chain(const struct hy_generator *generator, uint32_t node,
                         struct hy_schedule *out);
hyla_status hy_any_allreduce(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out);
hyla_status hy_any_halving(const struct hy_generator *generator, uint32_t node,
                           struct hy_schedule *out);
hyla_status hy_any_allgather(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out);

#endif
