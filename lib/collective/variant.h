/* The variants of the collectives, and their common parts.  Private to this room, its tests, and
 * code that lists, explains or simulates collectives. */
#ifndef HY_COLLECTIVE_VARIANT_H
#define HY_COLLECTIVE_VARIANT_H 1

#include "collective/collective.h"
#include "schedule/contract.h"

struct hy_ratio {
  int64_t num;
  int64_t den;
};

/* A closed form: steps beta + words tau, exact when the block length m is a multiple of `divisor'.
 * `words' is for m = 1; multiply it by m. */
struct hy_form {
  int64_t steps;
  struct hy_ratio words;
  int64_t packets; /* transmissions in the whole cube; 0 if no form is known */
  int64_t divisor;
};

/* A table that was searched for begins with this.  packets: as in a form. */
struct hy_found {
  int steps;
  int64_t packets;
};

/* The steps of whole messages that a paper claims, the formula, and its source; steps -1: the paper
 * claims nothing for this task. */
struct hy_claim {
  int64_t steps;
  const char *formula, *reference;
};

/* Generators and tables that are made for one collective.  A recipe must keep its place in memory,
 * because the generators point at each other. */
struct hy_recipe {
  struct hy_base *base;
  struct hy_generator stage[6];
  int stages;
  void *tables[4]; /* owned */
  int table_count;
  const struct hy_found *found; /* one of the tables, or NULL: the row searches for none */
};

/* Sets of kinds of networks. */
enum {
  HY_ON_TORI = 1 << HY_TORUS,
  HY_ON_MESHES = 1 << HY_ARRAY | HY_ON_TORI,
  HY_ON_FOLDED = 1 << HY_FOLDED
};

/* A row of a family.  In `base' name and reference are set.  All else in `base' would be the same
 * for all rows, which differ in their generators: subcube_op.c prices and plans the schedules that
 * these make. */
struct hy_collective_variant {
  struct hy_variant base; /* first */
  /* Returns NULL if the row applies, otherwise the reason.  NULL member: it always applies. */
  const char *(*applies)(const struct hy_collective *c);
  enum hy_task task;   /* broadcast, scatter, all-gather, ...; their duals are these reversed */
  uint32_t networks;   /* the kinds of networks that it serves; 0: cubes alone */
  const char *formula; /* the time of the form, as a text; NULL: it is counted */
  const char *formula_near; /* exchanges: the same between some distances, and by some tags */
  const char *formula_tags;
  struct hy_paper_machine machine;
  bool banded;       /* exchanges within a band */
  bool ragged;       /* blocks may be rooms that are not full */
  bool detours;      /* it goes round lost links */
  bool ordered;      /* itself, or reversed, it combines in the order of the members */
  bool asynchronous; /* packets leave as soon as they can, without steps */
  bool folds;        /* its generator is for the torus; on an array it is folded */
  bool by_message;   /* exchanges: each message has packets of its own */
  bool common;       /* its tables take long and depend only on task, dims, active, band and
                      * matrices, so all nodes of a simulated cube share them */
  /* Permutations of one kind: an example, the node that a node sends to. */
  uint32_t (*sends)(int dims, uint32_t node);
  /* The node that node 0 of the generators stands for.  NULL: the collective's root, which
   * permutations do not have.  On networks that are no cubes the generators have the root. */
  uint32_t (*root)(const struct hy_collective *c);
  /* The generator for root 0 of the forward task; or build, which pushes generators for it. */
  hy_make_schedule *make;
  hyla_status (*build)(const struct hy_collective *c, struct hy_recipe *recipe);
  struct hy_form (*form)(const struct hy_collective *c); /* for dims > 0 */
  /* Instead of form: searches for a table, which without build is that of `make'.  The caller frees
   * it. */
  hyla_status (*find)(struct hy_base *base, const struct hy_collective *c, struct hy_found **found);
  /* Adds letters of the text that hy_variant_letters does not know, with their values, for example
   * ", c = 3".  NULL: the text has no such letters. */
  void (*letters)(const struct hy_collective *c, struct hy_text *text);
  /* A paper's claim for this task that differs from the row's time; NULL: no paper makes one. */
  struct hy_claim (*claim)(const struct hy_collective *c);
  /* Is tau m / beta large enough for the form to be exact (tau m >= c beta in its text)?  NULL:
   * always. */
  bool (*holds)(const struct hy_collective *c);
  /* The schedules of `make' fit the stack and come in order, with packets of one piece each, or of
   * two on any number of members. */
  bool on_stack;
  /* On the stack of a cube: the same as lines; NULL: there is no short cut. */
  hy_write_lines *lines;
  bool any; /* it serves any number of members */
  /* Of a row's copy in the choice of a plan for all ranks: the network, and the row.  NULL: this is
   * no such copy. */
  const struct hy_network *on;
  const struct hy_collective_variant *row;
};

/* The variant that begins with this row. */
static inline const struct hy_collective_variant *
hy_collective_variant_of(const struct hy_variant *row) {
  return (const struct hy_collective_variant *)row;
}

/* at: row `index' of all families one after the other; NULL behind the last.  Tasks that are
 * another task reversed have no rows of their own.  find: the row of that name for a task; NULL if
 * there is no such row.  The families on a network that is no cube have rows of their own. */
const struct hy_collective_variant *hy_variant_at(int index);
const struct hy_collective_variant *hy_variant_find(enum hy_task task, const char *name);
const struct hy_family *hy_network_family(enum hy_task task);
/* The family of groups: of a cube's, or of any number of members. */
const struct hy_family *hy_family_for(const struct hy_collective *c);
const struct hy_collective_variant *hy_network_variant_at(int index);
const struct hy_collective_variant *hy_network_variant_find(enum hy_task task, const char *name);
/* NULL if the row serves the collective, otherwise the reason why not. */
const char *hy_variant_refuses(const struct hy_collective_variant *variant,
                               const struct hy_collective *c);
/* The row's closed form, or its counts; divisor 0: there was no memory to count. */
struct hy_form hy_variant_form(const struct hy_collective_variant *variant,
                               const struct hy_collective *c);
/* The same for a node of a cube; nodes that are simulated search for a table together.  MEMORY. */
hyla_status hy_variant_form_on(hyla_cube *cube, const struct hy_collective_variant *variant,
                               const struct hy_collective *c, struct hy_form *form);
/* The text of the time of the form for this collective; NULL if it has no text. */
const char *hy_variant_closed_form(const struct hy_collective_variant *variant,
                                   const struct hy_collective *c);
/* Adds the letters of that text and of a claim's, with their values: "d = 4, m = 60, g = 3";
 * nothing without texts.  claim: may be NULL.  tau, beta: the times of a word and of a packet's
 * start. */
void hy_variant_letters(const struct hy_collective_variant *variant, const struct hy_collective *c,
                        const char *claim, double tau, double beta, struct hy_text *text);
/* Does the task start or end at a root? */
bool hy_task_rooted(enum hy_task task);
/* Does the task have active nodes? */
bool hy_task_chooses(enum hy_task task);
/* The task that this one is the reverse of, or itself: broadcast for reduce, and so on. */
enum hy_task hy_task_forward(enum hy_task task);

/* The generator for a collective, with its root and direction; free the recipe also after a
 * failure. */
hyla_status hy_recipe_make(struct hy_recipe *recipe, struct hy_base *base,
                           const struct hy_collective_variant *variant,
                           const struct hy_collective *c);
const struct hy_generator *hy_recipe_top(const struct hy_recipe *recipe);
const struct hy_generator *hy_recipe_push(struct hy_recipe *recipe, struct hy_generator generator);
/* Pushes the generator `make' over the collective's dimensions, for its blocks.  table: may be
 * NULL. */
const struct hy_generator *hy_recipe_add(struct hy_recipe *recipe, const struct hy_collective *c,
                                         hy_make_schedule *make, const void *table);
/* Memory that goes with the recipe.  table: takes it.  keep: a block that was taken already. */
hyla_status hy_recipe_table(struct hy_recipe *recipe, int64_t count, size_t size, void *table);
void hy_recipe_keep(struct hy_recipe *recipe, void *table);
void hy_recipe_free(struct hy_recipe *recipe);

/* The same for a node of a cube.  *recipe is *own or, if the variant's tables are common and the
 * cube is simulated, the recipe of all nodes.  Free *own also after a failure.
 * number: for all that such a recipe depends on. */
uint64_t hy_recipe_number(const struct hy_collective_variant *variant,
                          const struct hy_collective *c);
hyla_status hy_recipe_find(hyla_cube *cube, const struct hy_collective_variant *variant,
                           const struct hy_collective *c, struct hy_recipe *own,
                           const struct hy_recipe **recipe);

/* The schedule of one node under a variant, for the machine's times if none are given; the caller
 * frees it also after a failure. */
hyla_status hy_collective_schedule(hyla_cube *cube, const struct hy_collective_variant *variant,
                                   const struct hy_collective *c, uint32_t node,
                                   struct hy_schedule *schedule);
/* Adds the tau and beta by which a variant cuts messages: the machine's, if none are given. */
struct hy_collective hy_collective_priced(const hyla_cube *cube, const struct hy_collective *c);

/* Plans for all ranks (all_ranks.c).
 * takes_all  does the operation, a planned one, take all ranks of its cube (hyla_options.network)?
 *            The cube's own rows then compete only where there are no guests
 * family     the rows of the task on each network of the cube, called NETWORK/NAME.  *wanted: the
 *            name that is asked for, of such a row, or of rows on several networks, which alone are
 *            then listed and *wanted is "".  The caller frees *family.  MEMORY
 * on         the collective as a row of such a family runs it; for other rows it stays as it is
 * plain_name the row's name without the network */
bool hy_takes_all(const struct hy_subcube_op *op);
hyla_status hy_all_family(hyla_cube *cube, enum hy_task task, const char **wanted,
                          struct hy_family **family);
struct hy_collective hy_collective_on(const struct hy_variant *row, const struct hy_collective *c);
const char *hy_plain_name(const struct hy_variant *row);
/* This rank's number among the members; -1: it is none of them. */
int hy_own_number(const hyla_cube *cube, const struct hy_collective *c);

/* Collective over the cube, also on guests, agreed upon.
 * choose   makes the plan's choice for a collective on all subcubes at once.  hy_subcube_plan then
 *          takes the variant by its name.  beside: bytes of memory besides the variant's.
 *          rehearsed: the candidates are rehearsed, if the cube can
 * busiest  sets the costs of the chosen candidate: this rank's, and those of the busiest node */
hyla_status hy_collective_choose(hyla_plan *plan, const struct hy_collective *what,
                                 const char *wanted, int64_t beside, bool rehearsed);
hyla_status hy_collective_busiest(hyla_plan *plan, const struct hy_subcube_op *op, int64_t beside);

/* A group that runs recursive doubling, or an all-reduction that chooses by length.  It takes no
 * memory.  work: as for hy_subcube_once. */
struct hy_subcube_op hy_subcube_plain(hyla_cube *cube, uint32_t dims, enum hy_task task,
                                      size_t size, void *work);
/* A member's schedule under a variant: the operation's, if it keeps schedules.  number: in a group
 * with roots relative to the root, otherwise this rank's.  room: for a schedule that is not kept.
 */
hyla_status hy_subcube_schedule(const struct hy_subcube_op *op,
                                const struct hy_collective_variant *variant, uint32_t number,
                                struct hy_stack_schedule *room,
                                const struct hy_schedule **schedule);

/* From whom and when node != 0 gets packet `tree' of d in BROADCAST 3A or, with a second wave,
 * 3B. */
struct hy_arrival {
  uint32_t parent;
  int stage;
};
struct hy_arrival hy_wave_arrival(int dims, bool second_wave, int tree, uint32_t node);
/* The times of a word and of a packet's start by which a variant cuts messages; both 1 if none are
 * known. */
struct hy_times {
  double tau;
  double beta;
};
struct hy_times hy_times_of(const struct hy_collective *c);
/* A stage of a pipeline of g groups: each g + once packets one behind the other.  A packet is one
 * of parts g equal parts of a message.  Only the first stage has `each'; its packets keep the pace
 * of the longest packet of all stages. */
struct hy_stage {
  int64_t each;
  int64_t once;
  int64_t parts;
  int64_t pieces;  /* most pieces of a packet, if divisor g does not divide the message; */
  int64_t divisor; /* pieces below 2: packets have one piece */
};
/* The number of groups that is asked for, or else the number, at most HY_GROUPS_MAX, for which a
 * message of `words' words takes the least time in all stages with packets of whole words.  Among
 * equals it is the smallest; it is never more than words / parts of the first stage, rounded up. */
enum { HY_GROUPS_MAX = 4096 };
int hy_best_groups(const struct hy_collective *c, int64_t words, const struct hy_stage *stages,
                   int count);

/* A message in g packets, one behind the other over `hops' links: g + hops - 1 steps of m / g
 * words. best: the g that is asked for, or else that of the least time; form: with the
 * transmissions in the whole cube, 0 if they are not known. */
int hy_best_packets(const struct hy_collective *c, int64_t hops);
struct hy_form hy_form_packets(int64_t g, int64_t hops, int64_t transmissions);
/* The form that takes longer with packets of whole words, m / divisor rounded up; b if both take
 * the same. */
struct hy_form hy_form_slower(const struct hy_collective *c, struct hy_form a, struct hy_form b);

/* The number of active nodes; the most links between a node and its target in a permutation. */
int64_t hy_active_count(const struct hy_collective *c);
int hy_farthest(const struct hy_collective *c);
/* Reasons against an exchange by messages of unequal length, or also by some distances or tags;
 * NULL if it is none. */
const char *hy_equal_blocks(const struct hy_collective *c);
const char *hy_exchanges_all(const struct hy_collective *c);

/* A node's links in one step, and the items that they carry.
 * links    the dimensions, or ports, over which item i may go, as a mask
 * carried  for each of them 1 + the item; 0: none */
struct hy_links {
  uint32_t (*links)(const void *arg, int64_t i);
  const void *arg;
  int64_t carried[HY_NETWORK_PORTS];
};
/* Finds a link for item i by an augmenting path, which may give other items other links. */
bool hy_links_carry(struct hy_links *links, int64_t i);

/* The least number that every number 1 ... d divides. */
uint32_t hy_common_multiple(int d);

/* --------------------------------------------------- isotropic exchanges -- */

/* Exchanges that look the same from every node (Varvarigos 1992, chapter 2; isotropic.c).
 *
 * Every node starts with a message for each of a set of tags.  A message's tag is its source XOR
 * its destination.  In each step all nodes do the same with their messages of the same tag.  So a
 * node always holds one message of each tag, and that message has a fixed place: slot x of node s,
 * which is block x of its buffer, starts with the message for x and ends with the message from x.
 * A message that leaves the slot makes room for the one that comes.
 *
 * 4 nodes, tag 3, first over dimension 0: node 0 sends slot 3, its message for 3, to node 1 and
 * receives node 1's message for 2 into slot 3.  Over dimension 1 it sends that on to node 2 and
 * receives node 3's message for 0. */

/* In a step the parts from ... to of all messages whose tags agree with `tag' outside the mask
 * `free' cross the dimensions `across', which `tag' has. */
struct hy_hop {
  int step;
  uint32_t across;
  uint32_t tag;
  uint32_t free;
  uint32_t from;
  uint32_t to;
  uint32_t done; /* dimensions that these parts have crossed, where rooms need it */
};

/* The whole exchange, the same for every node. */
struct hy_hops {
  struct hy_found found; /* first */
  uint32_t parts;
  bool batch;
  bool ragged; /* blocks are not full; the pieces tell whose words they hold, by `done' */
  int64_t count;
  int64_t capacity;
  struct hy_hop hops[];
};

hyla_status hy_hops_create(struct hy_base *base, int64_t capacity, uint32_t parts, bool batch,
                           struct hy_hops **hops);
void hy_hops_add(struct hy_hops *hops, int step, uint32_t across, uint32_t tag, uint32_t free,
                 uint32_t from, uint32_t to);
/* The generator whose table is the hops; gives both to the recipe. */
hyla_status hy_hops_schedule(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out);
hyla_status hy_push_hops(const struct hy_collective *c, struct hy_recipe *recipe,
                         struct hy_hops *hops);

/* The table with the fewest steps, by colouring the bipartite graph of tags and dimensions. */
hyla_status hy_hops_colour(struct hy_base *base, int dims, const uint32_t *tags, int64_t count,
                           struct hy_hops **hops);
/* The same on a network whose nodes have `ports' ports: the message of tags[i] crosses the ports
 * ways[i]. */
hyla_status hy_hops_colour_ways(struct hy_base *base, int ports, const uint32_t *ways,
                                const uint32_t *tags, int64_t count, struct hy_hops **hops);

/* The same where the message of tags[i] crosses port j times[i ports + j] times. */
hyla_status hy_hops_colour_times(struct hy_base *base, int ports, const uint32_t *times,
                                 const uint32_t *tags, int64_t count, struct hy_hops **hops);

/* The same without a colouring: in each step each port in turn takes the first message that has to
 * cross it and is not on another port.  At most the largest sums of a port's messages and of a
 * message's ports, less 1. */
hyla_status hy_hops_greedy_ways(struct hy_base *base, int ports, const uint32_t *ways,
                                const uint32_t *tags, int64_t count, struct hy_hops **hops);

/* ---------------------------------------------------- partial broadcasts -- */

/* Partial multinode broadcast: M of the nodes broadcast to all (Varvarigos 1992, 3.6; partial.c).
 *
 * Every node knows which nodes are active, so all know the rank of an active node: the number of
 * active nodes before it.  (If they do not know, hyla_active_ranks finds it in d exchanges of a
 * number; the times below are without that.) */

/* Algorithms II (split) and III.  active: 2^dims flags; NULL: all nodes are active. */
hyla_status hy_push_partial(const struct hy_collective *c, struct hy_recipe *recipe,
                            const uint8_t *active, bool split);
/* Exact times, in units of a packet's time (II: of a d-th of it), without the prefix. */
struct hy_ratio hy_partial_time(int dims, int algorithm, uint32_t count);

/* -------------------------------------------------- multiphase exchanges -- */

/* The best partition of the multiphase exchange on a circuit-switched machine (Nicol and Bokhari
 * 1994; multiphase.c).
 *
 * One phase that exchanges directly in subcubes of x of the d dimensions costs
 *   P(x) = (2^x - 1)(lambda + delta + 2^(d-x) m tau) + 2^d m rho + omega
 * where m is the length of one message.  A partition writes d as a sum of phases. */

struct hy_circuits {
  double lambda; /* start of a message */
  double tau;    /* a word (in Nicol and Bokhari's tables: a byte) */
  double delta;  /* the path of a message, on average */
  double rho;    /* moving a word inside a node, once in each phase */
  double omega;  /* a barrier, once in each phase */
};

/* P(x), also for real x, and the cost of the equi-partition of d into k phases. */
double hy_phase_cost(int d, double x, double m, const struct hy_circuits *machine);
double hy_partition_cost(int d, int k, double m, const struct hy_circuits *machine);
/* Writes d as k phases that differ by at most one, the smaller ones first. */
void hy_partition_equal(int d, int k, uint8_t *phases);

/* s*, the size from which two halves are better than one phase.  HY_ALWAYS_DIRECT: the direct
 * exchange is best (lemma 1, m below its lower bound); HY_ALWAYS_STANDARD: the standard exchange
 * is. */
double hy_split_point(int d, double m, const struct hy_circuits *machine);
enum { HY_ALWAYS_DIRECT = -1, HY_ALWAYS_STANDARD = -2 };

/* best: the number of phases of the best equi-partition; ties go to the fewest phases.  search: the
 * same by theorem 3, which tries only a few partitions; *tried: their number. */
int hy_partition_best(int d, double m, const struct hy_circuits *machine);
int hy_partition_search(int d, double m, const struct hy_circuits *machine, int *tried);

/* The next partition of the same number, larger phases first, from one phase down to phases of 1.
 * Room for d phases.  Returns the number of phases; 0 behind the last partition. */
int hy_partition_next(uint8_t *phases, int count);
/* The cheapest of all partitions, larger phases first, its cost, and the number of partitions.
 * Room for d phases.  Returns the number of phases. */
int hy_partition_of_all(int d, double m, const struct hy_circuits *machine, uint8_t *phases,
                        double *cost, int64_t *partitions);

/* The lower envelope over m: phases[i] phases are best from m = from[i] to from[i + 1].  Room for d
 * entries.  Returns the number of entries. */
int hy_partition_envelope(int d, const struct hy_circuits *machine, double *from, int *phases);

/* ------------------------------------------------------------------ rows -- */

/* The rows. */
/* Of groups of any number of members. */
extern const struct hy_collective_variant hy_any_allgather_doubling, hy_any_allreduce_doubling,
    hy_any_allreduce_halving, hy_any_broadcast_chain, hy_any_broadcast_doubling;
extern const struct hy_collective_variant hy_band_broadcast_negotiated, hy_band_broadcast_wanted,
    hy_band_exchange_matched, hy_band_exchange_negotiated, hy_broadcast_doubling,
    hy_broadcast_sw90_2, hy_broadcast_sw90_3a, hy_broadcast_sw90_3b, hy_broadcast_sw90_4,
    hy_allreduce_doubling, hy_allreduce_halving, hy_scatter_b91, hy_scatter_b91_cut,
    hy_scatter_doubling, hy_scatter_sw90_1, hy_scatter_sw90_2, hy_allgather_b91,
    hy_allgather_doubling, hy_allgather_sw90, hy_allgather_v92, hy_allgather_successive,
    hy_partial_exchange_corners, hy_partial_exchange_matched, hy_partial_exchange_v92,
    hy_partial_v92_1, hy_partial_v92_2, hy_partial_v92_3, hy_exchange_b91, hy_exchange_b91_older,
    hy_exchange_direct, hy_exchange_multiphase, hy_exchange_pipelined, hy_exchange_standard,
    hy_exchange_sw90, hy_exchange_sw90_sym, hy_exchange_v92, hy_exchange_v92_band,
    hy_permute_arbitrary_1, hy_permute_arbitrary_2, hy_permute_arbitrary_2b, hy_permute_arbitrary_3,
    hy_permute_corner_1, hy_permute_corner_2, hy_permute_corner_3, hy_permute_corner_4,
    hy_permute_gray, hy_permute_inversion, hy_permute_mesh, hy_permute_paths, hy_permute_recursive,
    hy_permute_rotate_disjoint, hy_permute_rotate_powers, hy_permute_rotate_reflect,
    hy_permute_sw90, hy_permute_torus, hy_permute_torus_paths, hy_permute_transpose,
    hy_permute_transpose_stages, hy_permute_turn_pairs, hy_permute_turn_rings, hy_window_v92;

/* The rows on other networks. */
extern const struct hy_collective_variant hy_allgather_axes, hy_allgather_folded, hy_allgather_line,
    hy_allgather_split, hy_allgather_translated, hy_allgather_whole, hy_allreduce_halves,
    hy_allreduce_tree, hy_broadcast_tree, hy_exchange_axes, hy_exchange_folded,
    hy_exchange_folded_greedy, hy_exchange_isotropic, hy_exchange_queued, hy_partial_axes,
    hy_partial_exchange_queued, hy_partial_full, hy_partial_split, hy_partial_whole,
    hy_permute_monotone, hy_permute_queued, hy_scatter_balanced;

#endif
