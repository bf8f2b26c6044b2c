/* Door of the room schedule: communication as data.
 *
 * A schedule says what ONE node of a d-cube does in a collective: a list of
 * packets, each with its step, the link it crosses, its direction, and the
 * pieces of the node's buffer that travel in it.  It knows blocks and parts of
 * blocks, not lengths: struct hy_blocks gives those when the schedule is run,
 * counted or verified, so one schedule serves messages of any length.
 *
 * Nodes are numbered 0 ... 2^d-1 inside the subcube on which the collective
 * runs; the runner translates to cube addresses.  All packets of a step go at
 * once: what is sent is what the node held before the step.
 *
 * A generator makes the schedule of any node; the toolbox of Stout and Wagar
 * (1990, 1) is a set of generators that take another generator:
 *   reroot      from root 0 to any root, by XOR of all numbers
 *   symmetrize  d rotated copies at once, each on 1/d of every block
 *   pipeline    g copies one step apart, each on 1/g of every block
 *   complete    all 2^d roots at once; with `batch`, what shares a link in a step
 *               is one packet, without it must not happen
 *   reverse     time runs backwards: broadcast becomes reduction, scatter gather
 */
#ifndef HY_SCHEDULE_H
#define HY_SCHEDULE_H 1

#include "cube/cube.h"

/* -------------------------------------------------------- collectives -- */

/* What a collective starts from and must lead to; x and s are members. */
enum hy_task {
  HY_TASK_BROADCAST,        /* root's words on every member */
  HY_TASK_REDUCE,           /* the members' words combined on root */
  HY_TASK_ALLREDUCE,        /* on every member; hy_allreduce alone */
  HY_TASK_SCATTER,          /* root's block x on x */
  HY_TASK_GATHER,           /* x's block x on root */
  HY_TASK_ALLGATHER,        /* on every member */
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

/* How blocks lie in the buffer, in words: block b from offsets[b] to
 * offsets[b + 1], or, where offsets is NULL, from b * words to (b + 1) * words.
 * One block for broadcast, reductions and permutations, else one a member, or a
 * member of the window.
 *
 * Of permutations and exchanges `words` may be the room for a block, of which not
 * every one is filled (offsets is NULL then): member s has sources[s] words, to
 * exchange sources[s] targets[x] for member x; they stand at the block's start. */
struct hy_blocks {
  int64_t words;
  const int64_t *offsets;
  const int64_t *sources; /* NULL: all blocks are full; must outlive a plan */
  const int64_t *targets; /* NULL in permutations */
};

/* A collective that is asked for: the same on all members of the subcube. */
struct hy_collective {
  enum hy_task task;
  int dims;                /* of the subcube */
  uint32_t root;           /* a member, of broadcast, reduce, scatter, gather */
  struct hy_blocks blocks; /* its arrays must outlive a plan */
  int groups;              /* of pipelined variants; 0: the best for tau and beta */
  int64_t tau;             /* time of a word and of a packet's start; both 0: the machine's */
  int64_t beta;
  const uint8_t *active; /* of partial all-gather, exchange and gather: 2^dims flags */
  const int32_t *to;     /* of the permutation: where a member's words go, -1 nowhere */
  int nearest;           /* of the exchange: only nodes at a distance from nearest to */
  int farthest;          /* farthest exchange; 0: all */
  const uint8_t *tags;   /* of the exchange: 2^dims flags, by source XOR target; NULL: all */
  int band;              /* of the exchange: b + 1, when only columns at most 2^b apart round
                            the circle exchange, each on its hy_banded_node; 0: all */
  int matrices;          /* of band exchange and broadcast: how many; block x of the j-th is
                            block j 2^dims + x, its nodes' numbers rotated left by j b */
  const uint8_t *phases; /* of the multiphase exchange: their dimensions, dims in all; */
  int phase_count;       /* 0: the best equi-partition for tau and beta */
  int window;            /* dimensions, the lowest ones, of the window: its members are those
                            below 2^window */
  bool ordered;          /* of reductions: combined in the order of the members */
};

/* into := into combined with from, count entries.  Where the order matters
 * `from` comes from the member with the larger number.  Called in dry simulations
 * too, for what it computes: there it must not touch the data. */
typedef void hy_combine(void *into, const void *from, int64_t count, const void *arg);

/* ---------------------------------------------------------- schedules -- */

/* Words offset ... offset+length-1 of a node's buffer. */
struct hy_span {
  int64_t offset;
  int64_t length;
};

/* Of the blocks block ... block+run-1 everything between the point from/parts
 * of the first and the point to/parts of the last.  A block of n words is cut
 * at i n / parts, rounded down, so any length can be cut, also 0.  Where blocks
 * are rooms that need not be full, source and target say whose words these are;
 * a piece of such is cut off where they end. */
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
  HY_IN,  /* they are received */
  HY_ADD, /* they are received and combined with what is there */
};

struct hy_packet {
  int32_t step;
  uint32_t across; /* peer = node XOR across: one bit for a neighbour, 0 for the node itself */
  enum hy_action action;
  bool staged;   /* cannot be received in place: overlaps what goes out in the same step */
  int64_t first; /* its pieces: pieces[first] ... pieces[first + count - 1] */
  int64_t count;
};

struct hy_generator;

struct hy_schedule {
  struct hy_base *base;
  int steps;        /* of the whole cube, also those in which this node is idle */
  uint32_t parts;   /* what the pieces' from and to are fractions of; at least 1 */
  uint32_t scratch; /* blocks behind the collective's, for words that pass through */
  bool fixed;       /* the arrays are the caller's and do not grow */
  bool batch;       /* what shares a link in a step is one packet (else it is a fault) */
  struct hy_packet *packets;
  int64_t packet_count, packet_capacity;
  struct hy_piece *pieces;
  int64_t piece_count, piece_capacity;
};

/* Room for the recursive doubling schedules of any cube, on the stack. */
struct hy_small_schedule {
  struct hy_schedule schedule;
  struct hy_packet packets[4 * HYLA_DIMS_MAX];
  struct hy_piece pieces[4 * HYLA_DIMS_MAX];
};

/* An empty schedule: one that grows, one that stands in `room` and never allocates. */
void hy_schedule_init(struct hy_schedule *schedule, struct hy_base *base);
struct hy_schedule *hy_schedule_in(struct hy_small_schedule *room, struct hy_base *base);
void hy_schedule_free(struct hy_schedule *schedule);

/* Adds a piece to the packet (step, across, action), a new one unless the last
 * piece went to the same.  Packets that come up again are joined by
 * hy_schedule_finish if the schedule has `batch` set; sender and receiver must
 * add the pieces in the same order.  An empty piece (from = to) is left out. */
hyla_status hy_schedule_add(struct hy_schedule *schedule, int step, uint32_t across,
                            enum hy_action action, struct hy_piece piece);

/* Begins a new packet, also where the last one was on the same link. */
hyla_status hy_schedule_open(struct hy_schedule *schedule, int step, uint32_t across,
                             enum hy_action action);

/* Puts the packets in order (step, then link, out before in), joins those on one
 * link if the schedule says so and sees which must be staged.  Must come before a run. */
hyla_status hy_schedule_finish(struct hy_schedule *schedule);

/* Time backwards: what was sent is received with `action` (HY_IN or HY_ADD),
 * what was received is sent. */
void hy_schedule_reverse(struct hy_schedule *schedule, enum hy_action action);

/* Of a schedule without scratch: block place[b] in the stead of block b, for all; then as
 * hy_schedule_finish.  The pieces of a packet come in the order of their places, and those that
 * adjoin there are one. */
hyla_status hy_schedule_place(struct hy_schedule *schedule, const uint32_t *place);

/* How a copy of a schedule differs from it: numbers of nodes and blocks rotated
 * left by `rotate` of `dims` bits, then blocks XORed with `flip`; links put at the
 * places of the mask `into` (0: no change); steps later by `delay`; the point i
 * of P parts becomes the point offset + i * unit of `parts`. */
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
/* Another generator's schedule of `node`, relabelled, added to `out`.  Slice i of n:
 * every block's i-th part of n equal ones. */
hyla_status hy_generate_into(const struct hy_generator *generator, uint32_t node,
                             const struct hy_relabel *relabel, struct hy_schedule *out);
hyla_status hy_generate_slice(const struct hy_generator *generator, uint32_t node,
                              struct hy_relabel relabel, uint32_t slice, uint32_t slices,
                              struct hy_schedule *out);

/* The words that member `source` has (for `target`), where blocks are rooms. */
static inline int64_t hy_blocks_filled(const struct hy_blocks *blocks, uint32_t source,
                                       uint32_t target) {
  if (blocks->sources == NULL) return blocks->words;
  return blocks->sources[source] * (blocks->targets != NULL ? blocks->targets[target] : 1);
}

struct hy_span hy_piece_span(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                             const struct hy_piece *piece);
int64_t hy_packet_words(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                        const struct hy_packet *packet);

/* Words of workspace that a run needs. */
int64_t hy_schedule_work(const struct hy_schedule *schedule, const struct hy_blocks *blocks);

/* What the node sends: messages and words over each dimension, and to nodes
 * that are no neighbours.  Packets of no words are not sent. */
struct hy_count {
  int64_t messages[HYLA_DIMS_MAX];
  int64_t words[HYLA_DIMS_MAX];
  int64_t far_messages;
  int64_t far_words;
};
void hy_schedule_count(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                       struct hy_count *count);

/* What the node spends: steps in which it sends or receives, messages and words that it
 * sends, and for flops the words that it combines. */
hyla_cost hy_schedule_cost(const struct hy_schedule *schedule, const struct hy_blocks *blocks);

/* Counts one packet of some words. */
void hy_count_add(struct hy_count *count, uint32_t across, int64_t words);

/* One line a packet. */
void hy_schedule_print(const struct hy_schedule *schedule, uint32_t node, struct hy_text *text);

/* --------------------------------------------------------------- runs -- */

/* The data of a run.  `work`: hy_schedule_work words, may be NULL for 0. */
struct hy_run {
  uint32_t dims; /* the subcube: a mask of cube dimensions */
  struct hy_blocks blocks;
  size_t size; /* bytes of a word */
  void *data;
  void *work;
  int64_t words;       /* of data, for schedules with scratch blocks: */
  void *scratch;       /* these */
  hy_combine *combine; /* for schedules that add */
  const void *arg;
  bool dry; /* set when the run starts */
};
hyla_status hy_schedule_run(hyla_cube *cube, const struct hy_schedule *schedule,
                            const struct hy_run *run);

/* At most one packet in and one out over each dimension, or to a far node. */
enum { HY_PACKETS_MAX = 2 * HYLA_DIMS_MAX + 2 };

/* One packet under way. */
struct hy_packet_place {
  char *data; /* where the link finds or leaves it */
  const struct hy_packet *packet;
  bool packed; /* place is workspace */
};

/* A run whose node is in the middle of a step.  It stays where it is in memory, and the
 * schedule, data and workspace of the run as they are, until it is finished. */
struct hy_pending {
  const struct hy_schedule *schedule;
  struct hy_run run;
  int64_t first; /* packet of the step; behind the last: nothing is left to do */
  int count;     /* of its packets */
  int started;   /* of them messages */
  struct hy_message messages[HY_PACKETS_MAX];
  struct hy_packet_place places[HY_PACKETS_MAX];
};
/* A run in pieces.  start: the node's first step goes on its way; returns at once.
 * advance: waits for the step that is on its way, starts the next one; nothing behind the last.
 * complete: waits for it, takes the other steps. */
hyla_status hy_schedule_start(hyla_cube *cube, const struct hy_schedule *schedule,
                              const struct hy_run *run, struct hy_pending *pending);
hyla_status hy_schedule_advance(hyla_cube *cube, struct hy_pending *pending);
hyla_status hy_schedule_complete(hyla_cube *cube, struct hy_pending *pending);

/* A schedule that is run without steps: each packet leaves as soon as its words are there and its
 * link is free; those over one link in one direction keep their order.  For packets to neighbours
 * that are not added.  The steps, messages and words are counted as in a run in steps.
 * create: local; for blocks of these lengths; the schedule stays as it is, until destroy.  MEMORY,
 * UNSUPPORTED.  work: words of workspace.  run: as hy_schedule_run; nothing is allocated. */
struct hy_flow;
hyla_status hy_flow_create(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                           struct hy_flow **flow);
void hy_flow_destroy(struct hy_flow **flow);
int64_t hy_flow_work(const struct hy_schedule *schedule, const struct hy_blocks *blocks);
hyla_status hy_flow_run(hyla_cube *cube, struct hy_flow *flow, const struct hy_run *run);

/* --------------------------------------------------------- generators -- */

/* Makes the schedule of any node: make() adds to the empty schedule `out`,
 * which the caller finishes. */
struct hy_generator {
  hyla_status (*make)(const struct hy_generator *generator, uint32_t node, struct hy_schedule *out);
  int dims;
  bool numbered; /* blocks bear the numbers of nodes; else there is one, the root's */
  const struct hy_generator *inner; /* of a transformer */
  uint32_t root;                    /* reroot */
  int groups;                       /* pipeline */
  const struct hy_generator *last;  /* pipeline */
  const void *table;                /* of a base that reads one */
  enum hy_action action;            /* reverse: HY_IN or HY_ADD */
  bool batch;                       /* complete */
};

/* make and finish; the caller frees *schedule also after a failure. */
hyla_status hy_generate(const struct hy_generator *generator, uint32_t node, struct hy_base *base,
                        struct hy_schedule *schedule);

/* The transformers: generators made from a generator, which must outlive them. */
struct hy_generator hy_reroot(const struct hy_generator *inner, uint32_t root);
struct hy_generator hy_symmetrize(const struct hy_generator *inner);
/* last: what the last group runs instead; NULL for the same. */
struct hy_generator hy_pipeline(const struct hy_generator *inner, int groups,
                                const struct hy_generator *last);
struct hy_generator hy_complete(const struct hy_generator *inner, bool batch);
struct hy_generator hy_reverse(const struct hy_generator *inner, enum hy_action action);

/* Recursive doubling, root 0 (doubling.c). */
hyla_status hy_doubling_broadcast(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out);
hyla_status hy_doubling_allgather(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out);
hyla_status hy_doubling_allreduce(const struct hy_generator *generator, uint32_t node,
                                  struct hy_schedule *out);
hyla_status hy_halving_allreduce(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out);

static inline uint32_t hy_rotate(uint32_t bits, int places, int dims) {
  if (dims == 0 || places % dims == 0) return bits;
  places %= dims;
  return (bits << places | bits >> (dims - places)) & ((1u << dims) - 1);
}

#endif
