/* The variants of the collectives.  Private to this room, its tests and whoever
 * lists, explains or simulates collectives. */
#ifndef HY_COLLECTIVE_VARIANT_H
#define HY_COLLECTIVE_VARIANT_H 1

#include "collective/collective.h"
#include "schedule/verify.h"

struct hy_ratio {
  int64_t num;
  int64_t den;
};

/* A closed form: steps beta + words tau, exact when the block length m is a
 * multiple of `divisor`.  `words` is for m = 1; multiply by m. */
struct hy_form {
  int64_t steps;
  struct hy_ratio words;
  int64_t packets; /* transmissions in the whole cube, 0 where no form is known */
  int64_t divisor;
};

/* The steps of whole messages that a paper claims, the formula, and where it stands; steps -1: it
 * claims nothing of this task. */
struct hy_claim {
  int64_t steps;
  const char *formula, *reference;
};

/* Generators and tables made for one collective; must stay where it is, for the
 * generators point at each other. */
enum { HY_TABLES = 4 };
struct hy_recipe {
  struct hy_base *base;
  struct hy_generator stage[6];
  int stages;
  void *tables[HY_TABLES]; /* owned; NULL where there is none */
};

/* A row of a family.  Of `row` there are name, reference and applies, whose problem is a
 * struct hy_collective; the rest is the same for all rows, which differ in their
 * generators: perform.c prices, plans and runs the schedules that these make. */
struct hy_collective_variant {
  struct hy_variant row; /* first */
  enum hy_task task;     /* broadcast, scatter, all-gather; their duals are the same reversed */
  const char *formula;   /* the time that form() gives, in words; NULL: what it gives is counted */
  const char *formula_near; /* of exchanges: the same at some distances, and by some tags */
  const char *formula_tags;
  struct hy_network network;
  bool banded;       /* exchanges within a band */
  bool rooms;        /* blocks may be rooms that are not full */
  bool ordered;      /* reversed, or itself, it combines in the order of the members */
  bool free_running; /* packets leave as soon as they can, not in steps */
  bool common;       /* its tables take long, and depend on nothing but the task, dims, active, band
                        and matrices: all nodes of a simulated cube share them */
  /* Of permutations of one kind: one such, to whom a node sends. */
  uint32_t (*sends)(int dims, uint32_t node);
  /* What node 0 of the generators stands for; NULL: the collective's root, which
   * permutations do not have. */
  uint32_t (*root)(const struct hy_collective *collective);
  /* Pushes the generators for root 0 of the forward task. */
  hyla_status (*build)(const struct hy_collective *collective, struct hy_recipe *recipe);
  struct hy_form (*form)(const struct hy_collective *collective);
  /* Letters of the text with their values that hy_variant_letters does not know, ", c = 3"; NULL:
   * it has none. */
  void (*letters)(const struct hy_collective *collective, struct hy_text *text);
  /* What a paper says of this task where the row's time is another; NULL: nothing. */
  struct hy_claim (*claim)(const struct hy_collective *collective);
  /* Is tau m / beta large enough for the form to be exact, tau m >= c beta in its text?  NULL: any
   * is. */
  bool (*holds)(const struct hy_collective *collective);
  /* make() of its generator, where its schedules are short enough for the stack and come in
   * order, packets of one piece each; else NULL. */
  hyla_status (*small)(const struct hy_generator *generator, uint32_t node,
                       struct hy_schedule *out);
};

/* The variant of which a row of a family is the beginning. */
static inline const struct hy_collective_variant *
hy_collective_variant_of(const struct hy_variant *row) {
  return (const struct hy_collective_variant *)row;
}

/* Row `index` of all families one after the other, NULL behind the last; tasks that are
 * another one reversed have no rows of their own.  The one for a task by name, NULL when
 * there is none. */
const struct hy_collective_variant *hy_variant_at(int index);
const struct hy_collective_variant *hy_variant_find(enum hy_task task, const char *name);
/* NULL when the row serves the collective, else the reason. */
const char *hy_variant_refuses(const struct hy_collective_variant *variant,
                               const struct hy_collective *collective);
/* The text of the time that form() gives for this collective; NULL: there is none. */
const char *hy_variant_closed_form(const struct hy_collective_variant *variant,
                                   const struct hy_collective *collective);
/* Adds the letters of that text, and of a claim's, with their values, "d = 4, m = 60, g = 3";
 * nothing without texts.  claim: NULL for none; tau, beta: the times of a word and of a packet's
 * start. */
void hy_variant_letters(const struct hy_collective_variant *variant,
                        const struct hy_collective *collective, const char *claim, double tau,
                        double beta, struct hy_text *text);
/* Does it start or end at a root? */
bool hy_task_rooted(enum hy_task task);
/* Has it active nodes? */
bool hy_task_chooses(enum hy_task task);
/* What a task is the reverse of: broadcast for reduce, and so on. */
enum hy_task hy_task_forward(enum hy_task task);

/* The generator for a collective, with its root and direction; free the recipe
 * also after a failure. */
hyla_status hy_recipe_make(struct hy_recipe *recipe, struct hy_base *base,
                           const struct hy_collective_variant *variant,
                           const struct hy_collective *collective);
const struct hy_generator *hy_recipe_top(const struct hy_recipe *recipe);
const struct hy_generator *hy_recipe_push(struct hy_recipe *recipe, struct hy_generator generator);
void hy_recipe_free(struct hy_recipe *recipe);

/* The same for a node of a cube: *recipe is *own or, where the variant's tables are common and the
 * cube is simulated, that of all nodes.  Free *own also after a failure. */
hyla_status hy_recipe_find(hyla_cube *cube, const struct hy_collective_variant *variant,
                           const struct hy_collective *collective, struct hy_recipe *own,
                           const struct hy_recipe **recipe);

/* The schedule of one node under a variant; the caller frees it also after a failure. */
hyla_status hy_collective_schedule(hyla_cube *cube, const struct hy_collective_variant *variant,
                                   const struct hy_collective *collective, uint32_t node,
                                   struct hy_schedule *schedule);
/* With tau and beta, for how a variant cuts messages up: where none are given, the
 * machine's.  size: bytes of a word. */
struct hy_collective hy_collective_priced(const hyla_cube *cube,
                                          const struct hy_collective *collective, size_t size);

/* A group that is recursive doubling, or an all-reduction as its length wants it; nothing
 * is taken.  work: as hy_group_once has it. */
struct hy_group hy_group_plain(hyla_cube *cube, uint32_t dims, enum hy_task task, size_t size,
                               void *work);
/* A member's schedule under a variant, the group's if that keeps schedules: where there is a
 * root its number is relative to that, else it is this rank's.  room: for one that is not
 * kept. */
hyla_status hy_group_schedule(const struct hy_group *group,
                              const struct hy_collective_variant *variant, uint32_t number,
                              struct hy_small_schedule *room, const struct hy_schedule **schedule);

/* From whom and when node != 0 gets packet `tree` of d in BROADCAST 3A or, with a
 * second wave, 3B. */
struct hy_arrival {
  uint32_t parent;
  int stage;
};
struct hy_arrival hy_wave_arrival(int dims, bool second_wave, int tree, uint32_t node);
/* The times of a word and of a packet's start that a variant cuts messages up for; where none are
 * known, both 1. */
struct hy_times {
  double tau;
  double beta;
};
struct hy_times hy_times_of(const struct hy_collective *collective);
/* Of a pipeline of g groups: each g + once packets one behind the other, each of one of parts g
 * equal parts of a message.  Only the first stage has `each`; its packets keep the pace of the
 * longest of all stages. */
struct hy_stage {
  int64_t each;
  int64_t once;
  int64_t parts;
  int64_t pieces;  /* of a packet, at most, where divisor g does not divide the message; */
  int64_t divisor; /* below 2: packets are of one piece */
};
/* The groups that are asked for, else the number, at most HY_GROUPS_MAX, for which a message of
 * `words` words takes the least time in all stages, packets having whole words; of several the
 * smallest, and never more than words / parts of the first stage, rounded up. */
enum { HY_GROUPS_MAX = 4096 };
int hy_best_groups(const struct hy_collective *collective, int64_t words,
                   const struct hy_stage *stages, int count);

/* What every number 1 ... d divides. */
uint32_t hy_common_multiple(int d);

/* The rows, one line each. */
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
