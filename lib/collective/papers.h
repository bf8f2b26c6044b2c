/* Shared by variants of the papers' wing (doc/layers.md).  Private to this room and its tests. */
#ifndef HY_COLLECTIVE_PAPERS_H
#define HY_COLLECTIVE_PAPERS_H 1

#include "collective/variant.h"

/* -------------------------------------------------------------- routings -- */

/* Permutations along given paths (routing.c).
 *
 * A routing tells for every part of every node's words which links it crosses, and when.  From that
 * a generator makes any node's schedule: the parts that leave the node, those that come for it, and
 * those that pass through and wait there meanwhile. */

/* A link of a path: over dimension `bit' (a mask of one bit) in a step. */
struct hy_leg {
  int step;
  uint32_t bit;
};

/* The pairs of dimensions that a transposition swaps: in a square array a bit of the column and one
 * of the row. */
struct hy_pairs {
  int count;
  uint8_t low[HYLA_DIMS_MAX / 2]; /* ascending */
  uint8_t high[HYLA_DIMS_MAX / 2];
};

struct hy_routing {
  int dims;
  int parts; /* equal parts of a node's words, each with its own path; the most, with parts_of */
  /* The number of parts of the source's words; NULL: `parts' for every source. */
  int (*parts_of)(const struct hy_routing *routing, uint32_t source);
  int steps;   /* steps of the whole routing */
  int longest; /* most legs of a path; 0: dims */
  bool direct; /* all paths of a source cross the same dimensions, each of them once */
  bool batch;  /* parts of several nodes on one link in a step are one packet */
  int shapes;  /* a source's part p crosses the same dimensions as its part p % shapes, in other
                * steps; 0: nothing like that is known */
  /* Writes the legs of a part of source's words, in the order of their steps; returns their
   * number. */
  int (*path)(const struct hy_routing *routing, uint32_t source, int part, struct hy_leg *legs);
  struct hy_pairs pairs;              /* transpositions and turns */
  uint32_t flips;                     /* turns: bits that change besides */
  int packets[HYLA_DIMS_MAX / 2 + 1]; /* packets on a path, by the number of pairs that differ */
  uint32_t places;                    /* rotations */
  const uint8_t *order;               /* rotations with paths that were searched for */
};

/* Gives a routing over the collective's dimensions to the recipe. */
hyla_status hy_push_routing(const struct hy_collective *c, struct hy_recipe *recipe,
                            struct hy_routing routing);

/* Node (b, a) for node (a, b); with an odd number of dimensions the middle one stays. */
uint32_t hy_transposed(int dims, uint32_t node);
/* is: NULL if the collective swaps pairs of dimensions, as the transposition
 * of a square array of nodes does; otherwise the reason why not.  of: these pairs. */
const char *hy_is_transposition(const struct hy_collective *c);
struct hy_pairs hy_pairs_of(const struct hy_collective *c);
/* The pairs in which a node's two bits differ, one bit for each pair. */
uint32_t hy_pairs_differ(const struct hy_pairs *pairs, uint32_t node);
/* describe: the pairs of dimensions that change places and the bits that flip besides.  False: the
 * permutation is of another kind.  target: where a node then sends. */
bool hy_turn_describe(const struct hy_collective *c, struct hy_routing *routing);
uint32_t hy_turn_target(const struct hy_routing *routing, uint32_t node);

/* -------------------------------------- whole messages on shortest paths -- */

/* Whole messages on shortest paths.  Their links are chosen step by step (matching.c), or
 * negotiated for all steps at once (negotiate.c, negotiate_trees.c).
 *
 * Matched: in each step as many of a node's waiting messages as possible leave over different
 * links, those with the farthest to go first.  That is a matching of messages and dimensions
 * (Varvarigos 1992, 2.4 and 2.5, for tasks that look the same from all nodes).  Negotiated: see
 * negotiate.c, and negotiate_trees.c for blocks that several nodes want. */

/* Block `from' of the source becomes block `to' of the target.  No two letters have the same target
 * and the same `to'. */
struct hy_block_move {
  uint32_t source, target, from, to;
};

/* A crossing of a dimension, as a mask of one bit, in a step. */
struct hy_link_use {
  int32_t step;
  uint32_t across;
};

/* A node's action on one of its blocks in a step.  across: as in a packet. */
struct hy_transfer {
  int64_t next; /* the next transfer of the same node; -1: none */
  uint32_t across;
  uint32_t block;
  int32_t step;
  enum hy_action action;
};

/* The transfers of all nodes. */
struct hy_matching {
  struct hy_found found;
  uint32_t scratch; /* blocks that pass through the fullest node */
  int64_t count;
  struct hy_transfer transfer[]; /* 2 n, 2 n + 1: `next' is node n's first, last */
};

/* Messages that wait at nodes and pass through them, each in a block of its own, and the transfers
 * that bring them there.
 * create  blocks: the task's, in a node's buffer; hops: links that all messages cross together.
 *         The owner keeps all but `out', which the caller frees
 * fill    before the start: a message that will leave lies in a block of the task's
 * leave   a message goes out of a block
 * enter   a message comes in; returns its block: its last one, `to', if it stays, and that is not
 *         taken by a message that has yet to leave
 * settle  after found.steps is set, for all messages with out and then without: in the last step
 *         messages that stay elsewhere take their place */
struct hy_free_block;
struct hy_rooms {
  uint32_t blocks;
  uint8_t *taken;   /* [node][block]: holds a message that has yet to leave */
  uint32_t *passes; /* [node]: blocks behind the task's that were ever used */
  int64_t *free;    /* [node]: the block freed last; -1: none */
  struct hy_free_block *freed;
  int64_t freed_count;
  struct hy_matching *out;
};
hyla_status hy_rooms_create(struct hy_base *base, void *owner, uint32_t nodes, uint32_t blocks,
                            int64_t messages, int64_t hops, struct hy_rooms *rooms);
void hy_rooms_fill(struct hy_rooms *rooms, uint32_t node, uint32_t block);
void hy_rooms_leave(struct hy_rooms *rooms, uint32_t node, int step, uint32_t across,
                    uint32_t block);
uint32_t hy_rooms_enter(struct hy_rooms *rooms, uint32_t node, int step, uint32_t across,
                        bool stays, uint32_t to);
void hy_rooms_settle(struct hy_rooms *rooms, uint32_t node, bool out, uint32_t block, uint32_t to);

/* blocks: in a node's buffer.  crossings: NULL, or the crossings of each letter, one letter after
 * the other; no two may meet.  The caller frees *matching. */
hyla_status hy_matching_create(struct hy_base *base, int dims, uint32_t blocks,
                               const struct hy_block_move *block_moves, int64_t count,
                               const struct hy_link_use *crossings, struct hy_matching **matching);
/* The same with negotiated crossings, if these take fewer steps (negotiate.c). */
hyla_status hy_matching_negotiate(struct hy_base *base, int dims, uint32_t blocks,
                                  const struct hy_block_move *block_moves, int64_t count,
                                  struct hy_matching **matching);

/* Block `block' of the source goes to the same block of targets[first] ... targets[first + count -
 * 1]; the source is none of them. */
struct hy_demand {
  uint32_t source, block;
  int64_t first, count;
};

/* A block that a node receives over a dimension, as a mask of one bit: from block `from' of the
 * neighbour, into its own block `to'. */
struct hy_coming {
  uint32_t node, across, from, to;
  int32_t step;
};
struct hy_comings {
  struct hy_found found;
  uint32_t scratch; /* blocks that the fullest node only passes on */
  int64_t count;
  struct hy_coming coming[];
};

/* Trees whose links are negotiated, in `least' steps, then one more, and so on below `most'.
 * blocks: in a node's buffer.  *comings: NULL if no links were agreed on; the caller frees it. */
struct hy_demands {
  int dims;
  uint32_t blocks;
  const struct hy_demand *demand;
  int64_t count;
  const uint32_t *targets;
  int least, most;
};
hyla_status hy_trees_negotiate(struct hy_base *base, const struct hy_demands *demands,
                               struct hy_comings **comings);

/* The generator whose table is a matching (rooms.c). */
hyla_status hy_matching_schedule(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out);

/* ----------------------------------------------------------- negotiation -- */

/* The common part of both kinds of negotiation. */

enum {
  HY_UNIT = 64,     /* cost of a link that nobody wants */
  HY_HISTORY = 20,  /* cost that each conflict adds to a link for good */
  HY_PRESSURE = 32, /* cost of a present conflict at first; it grows by a tenth in each round */
  HY_PRESSURE_MOST = 1000 * HY_UNIT,
  HY_IDLE_ROUNDS = 20, /* usual limit of rounds without progress; of all rounds four times that */
};

/* The links of all steps. */
struct hy_link_costs {
  int dims, steps;
  uint32_t nodes;
  int32_t *wanted;  /* [step][node][dimension]: messages that want the link */
  int32_t *history; /* likewise: by how much past conflicts raise its cost */
  int32_t pressure;
};

static inline int64_t hy_link_costs_slot(const struct hy_link_costs *m, int step, uint32_t node,
                                         int dim) {
  return ((int64_t)step * m->nodes + node) * m->dims + dim;
}

static inline int64_t hy_link_costs_price(const struct hy_link_costs *m, int64_t slot) {
  return (int64_t)(HY_UNIT + m->history[slot]) * (HY_UNIT + (int64_t)m->pressure * m->wanted[slot]);
}

/* The messages that negotiate.
 * clashes  does message i want a link that others want too?
 * leave    message i no longer wants its links
 * take     message i takes its cheapest way and wants its links; false: it has no way */
struct hy_router {
  struct hy_link_costs *costs;
  void *arg;
  int64_t count;
  int idle_rounds;
  bool (*clashes)(void *arg, int64_t i);
  void (*leave)(void *arg, int64_t i);
  bool (*route)(void *arg, int64_t i);
};

/* Negotiates, from no link wanted, until no two messages want the same link.  *agreed: was that
 * reached in this number of steps? */
hyla_status hy_negotiate(struct hy_base *base, const struct hy_router *router, int steps,
                         bool *agreed);

/* ----------------------------------------------- sends between two nodes -- */

/* Shared by send.c, send_far.c and scatter_waves.c. */

/* Of two nodes that send to each other the one with the lower number is the root, and the other
 * sends the second message.
 * root      the one node that sends, once applies has found it
 * target    the target XOR that node
 * applies   NULL, or the reason that there is no such node
 * messages  1, or 2 of two nodes that send to each other
 * single    NULL, or the reason that there is no such node or that there are two messages */
uint32_t hy_send_root(const struct hy_collective *c);
uint32_t hy_send_target(const struct hy_collective *c);
const char *hy_send_applies(const struct hy_collective *c);
const char *hy_send_single(const struct hy_collective *c);
int hy_send_messages(const struct hy_collective *c);
/* If two nodes send to each other: pushes the recipe's top, which sends from 0 to the target, and
 * with it the same from the target to 0.  They must have no directed link in common. */
void hy_push_mutual(const struct hy_collective *c, struct hy_recipe *recipe);

/* K_n = sum over k <= n of 1 / C(n, k). */
struct hy_ratio hy_inverse_sum(int n);

/* O.C. SEND 3 from 0 to 2^n - 1.  push: its generator, in hy_common_multiple(n) parts.  lists: the
 * tables alone; they serve hy_make_fan with generators of all dims up
 * to n, in as many parts. */
hyla_status hy_make_fan(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out);
hyla_status hy_fan_lists(struct hy_recipe *recipe, int n, struct hy_schedule **lists);
hyla_status hy_push_fan(struct hy_recipe *recipe, int n);

/* fan_groups: the groups that are asked for, or the best number for O.C. SEND 3 over n dimensions
 * after the stage `first'; each of its first packets has one of `shares' equal shares of a group.
 * corner_groups: the same for O.C. SEND 4 with n of these shares.  corner_form: its form for the
 * whole message on n dimensions. */
int hy_fan_groups(const struct hy_collective *c, int n, int64_t shares, struct hy_stage first);
int hy_corner_groups(const struct hy_collective *c, int n, int shares);
struct hy_form hy_corner_form(int n, int64_t g);

/* --------------------------------------------------------- several bands -- */

/* Shared by band_matrices.c and band_broadcast.c. */

/* Returns NULL if the collective has a band and blocks of equal length, otherwise the reason. */
const char *hy_bands_refuse(const struct hy_collective *c);

/* The number of columns within the band around one column of one matrix, itself included. */
int64_t hy_bands_width(const struct hy_collective *c);

/* ---------------------------------------------------------- lower bounds -- */

/* Lower bounds on collectives (bound.c). */

/* words: for m = 1, to be multiplied by tau.  farthest: links of the longest way.  packets:
 * transmissions if messages are whole and nothing is combined; 0 if no bound is known.  The strings
 * are static. */
struct hy_bound {
  struct hy_ratio words;
  int64_t farthest;
  int64_t packets;
  const char *formula;
  const char *reference;
};

/* The bound of a collective on a machine; only its ports and switching count. */
struct hy_bound hy_collective_bound(const struct hy_collective *c,
                                    const struct hy_paper_machine *machine);

/* The bound as a time, for messages of m words; 0 for m = 0. */
double hy_bound_time(const struct hy_bound *bound, const struct hy_paper_machine *machine, double m,
                     double tau, double beta);

/* Bounds that count starts (bound_packets.c), with all ports.
 * scatter   of a scatter or gather on d > 0 dimensions.  packets: the k of tau W + k beta, W the
 *           words over a link of the root; 0 if passing the words on takes longer
 * one_size  for packets that all have one size, from one node to another `hops' links away, over
 *           all its links.  size: the best such size in words; 0 if it is no whole number */
double hy_bound_scatter(int d, double m, double tau, double beta, int *packets);
double hy_bound_one_size(const struct hy_collective *c, int64_t hops, double tau, double beta,
                         int64_t *size);

#endif
