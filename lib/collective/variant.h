/* The variants of the collectives.  Private to this room, its tests, and code that lists, explains
 * or simulates collectives. */
#ifndef HY_COLLECTIVE_VARIANT_H
#define HY_COLLECTIVE_VARIANT_H 1

#include "collective/collective.h"
#include "schedule/verify.h"

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

/* The steps of whole messages that a paper claims, the formula, and its source; steps -1: the paper
 * claims nothing for this task. */
struct hy_claim {
  int64_t steps;
  const char *formula, *reference;
};

/* Generators and tables that are made for one collective.  A recipe must keep its place in memory,
 * because the generators point at each other. */
enum { HY_TABLES = 4 };
struct hy_recipe {
  struct hy_base *base;
  struct hy_generator stage[6];
  int stages;
  void *tables[HY_TABLES]; /* owned; NULL where there is no table */
};

/* A row of a family.  In `base' name, reference and applies are set; the problem of applies is a
 * struct hy_collective.  All else in `base' would be the same for all rows, which differ in their
 * generators: perform.c prices, plans and runs the schedules that these make. */
struct hy_collective_variant {
  struct hy_variant base; /* first */
  enum hy_task task;      /* broadcast, scatter, all-gather, ...; their duals are these reversed */
  const char *formula;    /* the time that form() gives, as a text; NULL: form() counts */
  const char *formula_near; /* exchanges: the same between some distances, and by some tags */
  const char *formula_tags;
  struct hy_network network;
  bool banded;       /* exchanges within a band */
  bool ragged;       /* blocks may be rooms that are not full */
  bool ordered;      /* itself, or reversed, it combines in the order of the members */
  bool asynchronous; /* packets leave as soon as they can, without steps */
  bool common;       /* its tables take long and depend only on task, dims, active, band and
                      * matrices, so all nodes of a simulated cube share them */
  /* Permutations of one kind: an example, the node that a node sends to. */
  uint32_t (*sends)(int dims, uint32_t node);
  /* The node that node 0 of the generators stands for.  NULL: the collective's root, which
   * permutations do not have. */
  uint32_t (*root)(const struct hy_collective *collective);
  /* The generator for root 0 of the forward task; or build, which pushes generators for it. */
  hyla_status (*make)(const struct hy_generator *generator, uint32_t node, struct hy_schedule *out);
  hyla_status (*build)(const struct hy_collective *collective, struct hy_recipe *recipe);
  struct hy_form (*form)(const struct hy_collective *collective);
  /* Adds letters of the text that hy_variant_letters does not know, with their values, for example
   * ", c = 3".  NULL: the text has no such letters. */
  void (*letters)(const struct hy_collective *collective, struct hy_text *text);
  /* A paper's claim for this task that differs from the row's time; NULL: no paper makes one. */
  struct hy_claim (*claim)(const struct hy_collective *collective);
  /* Is tau m / beta large enough for the form to be exact (tau m >= c beta in its text)?  NULL:
   * always. */
  bool (*holds)(const struct hy_collective *collective);
  /* The schedules of `make' fit the stack and come in order, with packets of one piece each. */
  bool on_stack;
};

/* The variant that begins with this row. */
static inline const struct hy_collective_variant *
hy_collective_variant_of(const struct hy_variant *row) {
  return (const struct hy_collective_variant *)row;
}

/* at: row `index' of all families one after the other; NULL behind the last.  Tasks that are
 * another task reversed have no rows of their own.  find: the row of that name for a task; NULL if
 * there is no such row. */
const struct hy_collective_variant *hy_variant_at(int index);
const struct hy_collective_variant *hy_variant_find(enum hy_task task, const char *name);
/* NULL if the row serves the collective, otherwise the reason why not. */
const char *hy_variant_refuses(const struct hy_collective_variant *variant,
                               const struct hy_collective *collective);
/* The text of the time that form() gives for this collective; NULL if it has no text. */
const char *hy_variant_closed_form(const struct hy_collective_variant *variant,
                                   const struct hy_collective *collective);
/* Adds the letters of that text and of a claim's, with their values: "d = 4, m = 60, g = 3";
 * nothing without texts.  claim: may be NULL.  tau, beta: the times of a word and of a packet's
 * start. */
void hy_variant_letters(const struct hy_collective_variant *variant,
                        const struct hy_collective *collective, const char *claim, double tau,
                        double beta, struct hy_text *text);
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
                           const struct hy_collective *collective);
const struct hy_generator *hy_recipe_top(const struct hy_recipe *recipe);
const struct hy_generator *hy_recipe_push(struct hy_recipe *recipe, struct hy_generator generator);
/* Pushes the generator `make' over the collective's dimensions, for its blocks.  table: may be
 * NULL. */
const struct hy_generator *
hy_recipe_make_by(struct hy_recipe *recipe, const struct hy_collective *collective,
                  hyla_status (*make)(const struct hy_generator *, uint32_t, struct hy_schedule *),
                  const void *table);
void hy_recipe_free(struct hy_recipe *recipe);

/* The same for a node of a cube.  *recipe is *own or, if the variant's tables are common and the
 * cube is simulated, the recipe of all nodes.  Free *own also after a failure. */
hyla_status hy_recipe_find(hyla_cube *cube, const struct hy_collective_variant *variant,
                           const struct hy_collective *collective, struct hy_recipe *own,
                           const struct hy_recipe **recipe);

/* The schedule of one node under a variant, for the machine's times if none are given; the caller
 * frees it also after a failure. */
hyla_status hy_collective_schedule(hyla_cube *cube, const struct hy_collective_variant *variant,
                                   const struct hy_collective *collective, uint32_t node,
                                   struct hy_schedule *schedule);
/* Adds the tau and beta by which a variant cuts messages: the machine's, if none are given. */
struct hy_collective hy_collective_priced(const hyla_cube *cube,
                                          const struct hy_collective *collective);

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
struct hy_times hy_times_of(const struct hy_collective *collective);
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
int hy_best_groups(const struct hy_collective *collective, int64_t words,
                   const struct hy_stage *stages, int count);

/* A message in g packets, one behind the other over `hops' links: g + hops - 1 steps of m / g
 * words. best: the g that is asked for, or else that of the least time; form: with the
 * transmissions in the whole cube, 0 if they are not known. */
int hy_best_packets(const struct hy_collective *collective, int64_t hops);
struct hy_form hy_form_packets(int64_t g, int64_t hops, int64_t transmissions);
/* The form that takes longer with packets of whole words, m / divisor rounded up; b if both take
 * the same. */
struct hy_form hy_form_slower(const struct hy_collective *collective, struct hy_form a,
                              struct hy_form b);

/* The number of active nodes; the most links between a node and its target in a permutation. */
int64_t hy_active_count(const struct hy_collective *collective);
int hy_farthest(const struct hy_collective *collective);
/* Reasons against an exchange by messages of unequal length, or also by some distances or tags;
 * NULL if it is none. */
const char *hy_equal_blocks(const void *problem);
const char *hy_exchanges_all(const void *problem);

/* The least number that every number 1 ... d divides. */
uint32_t hy_common_multiple(int d);

/* The rows, one line for each. */
extern const struct hy_collective_variant hy_band_broadcast_negotiated;
extern const struct hy_collective_variant hy_band_broadcast_wanted;
extern const struct hy_collective_variant hy_band_exchange_matched;
extern const struct hy_collective_variant hy_band_exchange_negotiated;
extern const struct hy_collective_variant hy_broadcast_doubling;
extern const struct hy_collective_variant hy_broadcast_sw90_2;
extern const struct hy_collective_variant hy_broadcast_sw90_3a;
extern const struct hy_collective_variant hy_broadcast_sw90_3b;
extern const struct hy_collective_variant hy_broadcast_sw90_4;
extern const struct hy_collective_variant hy_allreduce_doubling;
extern const struct hy_collective_variant hy_allreduce_halving;
extern const struct hy_collective_variant hy_scatter_b91;
extern const struct hy_collective_variant hy_scatter_doubling;
extern const struct hy_collective_variant hy_scatter_sw90_1;
extern const struct hy_collective_variant hy_scatter_sw90_2;
extern const struct hy_collective_variant hy_allgather_b91;
extern const struct hy_collective_variant hy_allgather_doubling;
extern const struct hy_collective_variant hy_allgather_sw90;
extern const struct hy_collective_variant hy_allgather_v92;
extern const struct hy_collective_variant hy_allgather_successive;
extern const struct hy_collective_variant hy_partial_exchange_matched;
extern const struct hy_collective_variant hy_partial_exchange_v92;
extern const struct hy_collective_variant hy_partial_v92_1;
extern const struct hy_collective_variant hy_partial_v92_2;
extern const struct hy_collective_variant hy_partial_v92_3;
extern const struct hy_collective_variant hy_exchange_b91;
extern const struct hy_collective_variant hy_exchange_direct;
extern const struct hy_collective_variant hy_exchange_multiphase;
extern const struct hy_collective_variant hy_exchange_pipelined;
extern const struct hy_collective_variant hy_exchange_standard;
extern const struct hy_collective_variant hy_exchange_sw90;
extern const struct hy_collective_variant hy_exchange_sw90_sym;
extern const struct hy_collective_variant hy_exchange_v92;
extern const struct hy_collective_variant hy_exchange_v92_band;
extern const struct hy_collective_variant hy_permute_arbitrary_1;
extern const struct hy_collective_variant hy_permute_arbitrary_2;
extern const struct hy_collective_variant hy_permute_arbitrary_3;
extern const struct hy_collective_variant hy_permute_corner_1;
extern const struct hy_collective_variant hy_permute_corner_2;
extern const struct hy_collective_variant hy_permute_corner_3;
extern const struct hy_collective_variant hy_permute_corner_4;
extern const struct hy_collective_variant hy_permute_gray;
extern const struct hy_collective_variant hy_permute_inversion;
extern const struct hy_collective_variant hy_permute_mesh;
extern const struct hy_collective_variant hy_permute_recursive;
extern const struct hy_collective_variant hy_permute_rotate_disjoint;
extern const struct hy_collective_variant hy_permute_rotate_powers;
extern const struct hy_collective_variant hy_permute_rotate_reflect;
extern const struct hy_collective_variant hy_permute_sw90;
extern const struct hy_collective_variant hy_permute_torus;
extern const struct hy_collective_variant hy_permute_torus_paths;
extern const struct hy_collective_variant hy_permute_transpose;
extern const struct hy_collective_variant hy_permute_turn_pairs;
extern const struct hy_collective_variant hy_permute_turn_rings;
extern const struct hy_collective_variant hy_window_v92;

#endif
