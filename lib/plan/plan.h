/* Door of the room plan: the choice between variants, and the plan object. */
#ifndef HY_PLAN_H
#define HY_PLAN_H 1

#include "cube/cube.h"

/* ------------------------------------------------------------- families -- */

/* A way of doing an operation.  A family's front end says what a problem is; the state is
 * the variant's own, NULL before create.  What is not there (NULL) is marked so. */
struct hy_variant {
  const char *name;
  const char *reference; /* key in doc/references.bib, and section */
  const void *traits;    /* what sets it apart, of a type that its family knows, or NULL */
  /* Why it is taken only when it is asked for, in words; NULL: it is chosen as others are. */
  const char *asked;
  /* Its result has the same bits on any number of ranks, however the matrices lie. */
  bool fixed;
  /* NULL when it applies, else the reason, in words.  May not be there: it always applies. */
  const char *(*applies)(const void *problem);
  /* Makes its state: what is to be done, as data.  variant: the row itself, for those that
   * share a create and differ in their traits.  The problem must outlive the state.
   * Local or collective as the family says; destroy also after a failure. */
  hyla_status (*create)(const struct hy_variant *variant, const void *problem, void **state);
  /* Exact, of this node.  May not be there: the front end prices its rows. */
  hyla_cost (*cost)(const void *state);
  /* Takes the memory of a run.  Local or collective as the family says. */
  hyla_status (*take)(void *state);
  /* Collective over the nodes; guests return at once.  Allocates nothing. */
  hyla_status (*run)(void *state);
  /* How it goes about it, for people: lines that begin with two blanks.  May not be there. */
  void (*explain)(const void *state, struct hy_text *text);
  void (*destroy)(void **state); /* NULL inside is fine */
};

/* The members of a row that are functions of these names. */
#define HY_OPERATIONS                                                                              \
  .create = create, .cost = cost, .take = take, .run = run, .explain = explain, .destroy = destroy

/* All variants of an operation. */
struct hy_family {
  const char *name;                     /* of the operation, as people force its variants */
  const struct hy_variant *const *rows; /* NULL-terminated; of equally fast ones the first is
                                           chosen */
  bool exact; /* they bring entries from place to place, and all give the same bits */
};
int hy_family_count(const struct hy_family *family);
/* The row of that name, NULL when there is none. */
const struct hy_variant *hy_family_find(const struct hy_family *family, const char *name);

/* ----------------------------------------------------------- candidates -- */

/* One candidate among the variants of an operation, as the chooser sees it. */
struct hy_candidate {
  const char *name;
  const char *reason; /* why it does not apply; NULL when it does */
  bool unpriced;      /* another one was asked for: its cost and seconds are not known */
  hyla_cost cost;     /* of this node; then, of each count, that of the busiest one */
  hyla_cost mine;     /* of this node */
  double seconds;     /* predicted */
  bool rehearsed;     /* they are those of a rehearsal */
  int64_t limit;      /* of memory, when its cost is above it; set by hy_choose, else 0 */
  double measured;    /* seconds; 0: not measured */
};

/* Is it out of question, by its reason or its limit? */
bool hy_refused(const struct hy_candidate *candidate);
/* Does it keep to the limit of memory, if there is one? */
bool hy_within_memory(const struct hy_base *base, const struct hy_candidate *candidate);

/* Why one was chosen. */
enum hy_why { HY_PREDICTED, HY_ASKED, HY_MEASURED, HY_REMEMBERED };

/* The variant that `forced` ("gemm:cannon,lu:partial" or with "="; may be NULL) names for an
 * operation, copied to name[capacity]; "" when it names none, the last when
 * it names several. */
void hy_forced_variant(const char *forced, const char *operation, char *name, size_t capacity);

/* Picks the candidate called `wanted` or, when that is NULL or "", the fastest
 * that applies and keeps to base's memory limit; the first among equals.
 * UNSUPPORTED with every reason when
 * none applies or the wanted one does not; ARGUMENT with the list of names
 * when there is no such variant. */
hyla_status hy_choose(struct hy_base *base, const char *operation, struct hy_candidate *candidates,
                      int count, const char *wanted, int *choice);

/* A candidate as the public sees it. */
hyla_candidate hy_candidate_shown(const struct hy_candidate *candidates, int i, int choice,
                                  enum hy_why why);

/* Adds the choice, the machine it was made for and its reasons to a text, a line a
 * candidate. */
void hy_choice_explain(struct hy_text *text, const char *operation, const hyla_machine *machine,
                       const struct hy_candidate *candidates, int count, int choice,
                       enum hy_why why);

/* -------------------------------------------------------------- choices -- */

/* A choice among the rows of a family. */
struct hy_choice {
  const struct hy_family *family;
  struct hy_base *base;            /* whose memory it takes */
  int count;                       /* of rows */
  struct hy_candidate *candidates; /* one a row, owned */
  void **states;                   /* one a row, owned; once it is made, of the chosen row alone */
  int chosen;                      /* row; -1 before */
  enum hy_why why;
  const char *wanted; /* the name that was asked for, "" for none */
  char forced[HY_NAME_MAX];
};

/* Says what a row costs this node, all included, and may leave its state.  Local, or
 * collective with one outcome on all ranks, as the family's create is. */
typedef hyla_status hy_price(void *arg, const struct hy_variant *variant, void **state,
                             hyla_cost *cost);

/* The steps of a choice, for families that are not planned by the whole cube.
 * list   the rows and which of them apply.  forced: as hy_forced_variant takes it; wanted:
 *        NULL or "" for none, must outlive the choice's making.  When a name is asked for no
 *        other row is priced.
 * price  price: NULL for create and cost of the row
 * pick   as hy_choose; destroys the states of the others
 * Free the choice also after a failure; that destroys its state. */
hyla_status hy_choice_list(struct hy_base *base, const struct hy_family *family,
                           const void *problem, const char *forced, const char *wanted,
                           struct hy_choice *choice);
hyla_status hy_choice_price(struct hy_choice *choice, const void *problem, hy_price *price,
                            void *arg);
hyla_status hy_choice_pick(struct hy_choice *choice);
void hy_choice_free(struct hy_choice *choice);

/* Plans a row on a stage (hy_rehearsal_begin), runs it once and frees it.  Collective; the status
 * is this rank's. */
typedef hyla_status hy_rehearse(void *arg, const struct hy_variant *variant, hyla_cube *stage);

/* How a family's rows are priced.  price: NULL for create and cost of the row; rehearse: NULL when
 * its rows cannot run without data; plays: which of them can, NULL for all; problem: a number for
 * all that the rehearsals' times depend on, the same on all ranks, 0: none. */
struct hy_pricing {
  hy_price *price;
  hy_rehearse *rehearse;
  void *arg;
  bool (*plays)(const void *arg, const struct hy_variant *variant);
  uint64_t problem;
};

/* Collective over the cube, agreed upon.  On a cube that can rehearse: what the candidates that
 * are priced take is what their rehearsals took. */
hyla_status hy_choice_rehearse(hyla_cube *cube, const struct hy_kernels *k,
                               const struct hy_pricing *pricing, struct hy_choice *choice);

/* Collective over the cube, agreed upon: lists, prices, compares what is busiest on the
 * cube's machine or, on a cube that can rehearse, what the rehearsals took, picks.  k: of the
 * operation's type.  On a cube for reproducible results among the fixed rows alone: UNSUPPORTED
 * where there are none. */
hyla_status hy_choice_make(hyla_cube *cube, const struct hy_family *family, const void *problem,
                           const struct hy_kernels *k, const char *wanted,
                           const struct hy_pricing *pricing, struct hy_choice *choice);

/* Local.  The fixed row that the choice will be of; NULL: of others.  By the name that is wanted,
 * else by the one that the cube's options force, else as these ask for reproducible results; wanted
 * may be NULL. */
const struct hy_variant *hy_choice_fixed(const hyla_cube *cube, const struct hy_family *family,
                                         const char *wanted);
/* Local.  Is a row asked for, by the name that is wanted or by the cube's options? */
bool hy_choice_asked(const hyla_cube *cube, const struct hy_family *family, const char *wanted);
/* Why a fixed row is taken only when it is asked for. */
#define HY_FIXED_ASKED "only when asked for"

static inline const struct hy_variant *hy_choice_variant(const struct hy_choice *choice) {
  return choice->family->rows[choice->chosen];
}
static inline void *hy_choice_state(const struct hy_choice *choice) {
  return choice->states[choice->chosen];
}

/* ---------------------------------------------------------------- plans -- */

/* What a kind of plan (of a multiplication, of a factorization) does; `state` is its front
 * end's own, zeroed by hy_plan_create. */
struct hy_plan_kind {
  size_t size; /* of the state */
  /* Collective over the cube; the status is this rank's.  Allocates nothing.  May not be
   * there: it is run by a call of its own, of which `runs_by` is the name. */
  hyla_status (*run)(hyla_plan *plan);
  const char *runs_by;
  /* What there is to say beside the choice, lines that begin with two blanks. */
  void (*explain)(const hyla_plan *plan, struct hy_text *text);
  /* Frees what the state holds, not the state itself; also of one half made. */
  void (*destroy)(hyla_plan *plan);
};

enum { HY_CHILDREN_MAX = 6 };

/* A choice, a front end's state, and plans that it runs on its way. */
struct hyla_plan {
  hyla_cube *cube;
  const struct hy_plan_kind *kind;
  hyla_machine machine; /* that the choice was made for */
  struct hy_choice choice;
  void *state;
  int children;
  struct {
    const char *what; /* it is for; static */
    hyla_plan *plan;  /* owned */
  } child[HY_CHILDREN_MAX];
  uint64_t fingerprint; /* of what it does and by which variant, for hyla_plan_run */
};

/* Local: the maker agrees on the status and gives the fingerprint. */
hyla_status hy_plan_create(hyla_cube *cube, const struct hy_plan_kind *kind, hyla_plan **plan);
/* Local: a plan that this one runs on its way and owns from now on; NULL: none.  An earlier
 * one for the same is destroyed. */
void hy_plan_adopt(hyla_plan *plan, const char *what, hyla_plan *child);
/* Local.  What the plan costs this node. */
static inline hyla_cost hy_plan_mine(const hyla_plan *plan) {
  return plan->choice.candidates[plan->choice.chosen].mine;
}
/* Collective over the nodes; the status is this rank's. */
static inline hyla_status hy_plan_run(hyla_plan *plan) { return plan->kind->run(plan); }
/* The rows: a plan by its choice, its own words, its children, indented. */
void hy_plan_explain(const hyla_plan *plan, struct hy_text *text);

/* sum := sum + cost, count by count. */
void hy_cost_add(hyla_cost *sum, hyla_cost cost);

/* Collective.  Of each count of each candidate that applies the largest over the
 * nodes, on all ranks, and the seconds that the cube's machine takes for it. */
hyla_status hy_plan_busiest(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_candidate *candidates, int count);

#endif
