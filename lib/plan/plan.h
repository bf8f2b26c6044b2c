/* Door of the room plan: the choice between variants, and the plan object. */
#ifndef HY_PLAN_H
#define HY_PLAN_H 1

#include "cube/cube.h"

/* ------------------------------------------------------------- families -- */

/* A way of doing an operation.  The family's front end defines what a problem is.  The state
 * belongs to the variant; it is NULL before create.  Members that may be NULL say so. */
struct hy_variant {
  const char *name;
  const char *reference; /* a key in doc/references.bib, and the section */
  const void *traits;    /* the row's features, of a type that its family knows, or NULL */
  /* Why the row is taken only when it is asked for, in words; NULL: it is chosen like others. */
  const char *asked;
  /* Results have the same bits on any number of ranks and for any layout of the matrices. */
  bool fixed;
  /* It runs on arrays whose sides are any numbers; otherwise on cubes alone. */
  bool arrays;
  /* Returns NULL if the row applies, otherwise the reason in words.  NULL member: it always
   * applies. */
  const char *(*applies)(const void *problem);
  /* Makes the state: the work to be done, as data.  variant: the row itself, for rows that share a
   * create and differ in their traits.  The problem must outlive the state.  Local or collective,
   * as the family says; destroy the state also after a failure. */
  hyla_status (*create)(const struct hy_variant *variant, const void *problem, void **state);
  /* The exact cost on this node.  NULL member: the front end prices its rows. */
  hyla_cost (*cost)(const void *state);
  /* Takes the memory for runs.  Local or collective, as the family says. */
  hyla_status (*allocate)(void *state);
  /* Collective over the nodes; guests return at once.  Allocates nothing. */
  hyla_status (*run)(void *state);
  /* Says how the row works, for people: lines that begin with two blanks.  May be NULL. */
  void (*explain)(const void *state, struct hy_text *text);
  /* Frees the state; *state may be NULL.  NULL member: the state is a block that owns all it has
   * (hy_alloc_for), and hy_free does. */
  void (*destroy)(void **state);
};

/* Frees a row's state, which may be NULL or half made.  base: where its memory is counted. */
void hy_variant_destroy(const struct hy_variant *variant, struct hy_base *base, void **state);

/* Sets the members of a row to the functions of the same names. */
#define HY_OPERATIONS .create = create, .allocate = allocate, .run = run, .explain = explain

/* All variants of an operation. */
struct hy_family {
  const char *name;                     /* of the operation; users force variants by it */
  const struct hy_variant *const *rows; /* ends with NULL; earlier rows win ties */
  bool exact;                           /* all rows only move entries, so all give the same bits */
};
int hy_family_count(const struct hy_family *family);
/* The row of that name, or NULL. */
const struct hy_variant *hy_family_find(const struct hy_family *family, const char *name);

/* ----------------------------------------------------------- candidates -- */

/* A candidate in a choice among the variants of an operation. */
struct hy_candidate {
  const char *name;
  const char *reason; /* why it does not apply; NULL if it does */
  bool unpriced;      /* another row was asked for: cost and seconds are not known */
  hyla_cost cost;     /* of this node; later each count is the busiest node's */
  hyla_cost mine;     /* of this node */
  double seconds;     /* predicted */
  bool rehearsed;     /* the seconds come from a rehearsal */
  int64_t limit;      /* the memory limit that its cost exceeds; otherwise 0; set by hy_choose */
  double measured;    /* seconds; 0: not measured */
};

/* Is it refused, by its reason or by the memory limit? */
bool hy_refused(const struct hy_candidate *candidate);
/* Does it respect the memory limit, if there is one? */
bool hy_within_memory(const struct hy_base *base, const struct hy_candidate *candidate);

/* Why a candidate was chosen. */
enum hy_why { HY_PREDICTED, HY_ASKED, HY_MEASURED, HY_REMEMBERED };

/* The variant that `forced' ("gemm:cannon,lu:partial" or with "="; may be NULL) names for an
 * operation, copied to name[capacity].  name is "" if it names none; if it names several, the last
 * counts. */
void hy_forced_variant(const char *forced, const char *operation, char *name, size_t capacity);

/* -------------------------------------------------------------- choices -- */

/* A choice among the rows of a family. */
struct hy_choice {
  const struct hy_family *family;
  struct hy_family *own;           /* owned: the family, if it was made for this choice; or NULL */
  struct hy_base *base;            /* where its memory is counted */
  int count;                       /* number of rows */
  struct hy_candidate *candidates; /* one for each row, owned */
  void **states;                   /* one for each row, owned; in the end of the chosen row only */
  int chosen;                      /* the chosen row; -1 before */
  size_t entry;                    /* bytes of the entries that costs count */
  enum hy_why why;
  const char *wanted; /* the name that was asked for; "" if none was */
  char forced[HY_NAME_MAX];
};

/* Picks the candidate called `wanted' or, if that is "", the fastest one that applies and respects
 * the memory limit of the choice's base; the first among equals.  UNSUPPORTED, with every reason,
 * if none applies or the wanted one does not.  ARGUMENT, with the list of names, if there is no
 * such variant. */
hyla_status hy_choose(struct hy_choice *choice);
/* The i-th candidate of a choice in the form that users see. */
hyla_candidate hy_candidate_shown(const struct hy_choice *choice, int i);
/* Adds the choice, its machine and its reasons to a text, one line for each candidate. */
void hy_choice_explain(struct hy_text *text, const struct hy_choice *choice,
                       const hyla_machine *machine);

/* Finds the full cost of a row on this node; may leave its state.  Local, or collective with one
 * outcome on all ranks, like the family's create. */
typedef hyla_status hy_price(void *arg, const struct hy_variant *variant, void **state,
                             hyla_cost *cost);

/* The steps of a choice, for families that are not planned by the whole cube.
 * list   lists the rows and which of them apply.  forced: as for hy_forced_variant.  wanted: NULL,
 *        "" or a name, which must outlive the choice's making; then no other row is priced
 * price  price: NULL for create and cost of the row
 * pick   as hy_choose; destroys the states of the other rows
 * Free the choice also after a failure; that destroys its state. */
hyla_status hy_choice_list(struct hy_base *base, const struct hy_family *family,
                           const void *problem, const char *forced, const char *wanted,
                           struct hy_choice *choice);
hyla_status hy_choice_price(struct hy_choice *choice, const void *problem, hy_price *price,
                            void *arg);
hyla_status hy_choice_pick(struct hy_choice *choice);
void hy_choice_free(struct hy_choice *choice);

/* Plans a row on the cube of a rehearsal (hy_rehearsal_begin), runs it once and frees it.
 * Collective; the status is this rank's. */
typedef hyla_status hy_rehearse(void *arg, const struct hy_variant *variant, hyla_cube *rehearsal);

/* How a family's rows are priced.
 * price     NULL for create and cost of the row
 * rehearse  NULL if the rows cannot run without data
 * plays     which rows can; NULL: all
 * problem   a number that stands for everything that the rehearsals' times depend on, the same on
 *           all ranks; 0: none */
struct hy_pricing {
  hy_price *price;
  hy_rehearse *rehearse;
  void *arg;
  bool (*plays)(const void *arg, const struct hy_variant *variant);
  uint64_t problem;
};

/* Collective over the cube, agreed upon.  On a cube that can rehearse, replaces the predicted
 * seconds of all priced candidates by those of their rehearsals. */
hyla_status hy_choice_rehearse(hyla_cube *cube, const struct hy_kernels *k,
                               const struct hy_pricing *pricing, struct hy_choice *choice);

/* Collective over the cube, agreed upon.  Lists and prices the rows and picks the fastest: by the
 * counts of the busiest node on the cube's machine or, on a cube that can rehearse, by rehearsal.
 * k: the kernels of the operation's type.  On a cube for reproducible results it chooses among the
 * fixed rows only: UNSUPPORTED if the family has none. */
hyla_status hy_choice_make(hyla_cube *cube, const struct hy_family *family, const void *problem,
                           const struct hy_kernels *k, const char *wanted,
                           const struct hy_pricing *pricing, struct hy_choice *choice);

/* Local.  The fixed row that the choice will take; NULL if it takes another row.  It goes by the
 * name that is wanted, then by the name that the cube's options force, then by their wish for
 * reproducible results.  wanted may be NULL. */
const struct hy_variant *hy_choice_fixed(const hyla_cube *cube, const struct hy_family *family,
                                         const char *wanted);
/* The reason for fixed rows that are taken only when asked for. */
#define HY_FIXED_ASKED "only when asked for"

static inline const struct hy_variant *hy_choice_variant(const struct hy_choice *choice) {
  return choice->family->rows[choice->chosen];
}
static inline void *hy_choice_state(const struct hy_choice *choice) {
  return choice->states[choice->chosen];
}

/* ---------------------------------------------------------------- plans -- */

/* The functions of a kind of plan (of products, of factorizations).  The state belongs to the front
 * end; hy_plan_create zeroes it. */
struct hy_plan_kind {
  size_t size; /* of the state */
  /* Collective over the cube; the status is this rank's.  Allocates nothing.  NULL: such plans are
   * run by a call of their own. */
  hyla_status (*run)(hyla_plan *plan);
  const char *runs_by; /* the name of that call, or NULL */
  /* Adds lines that the choice does not explain; they begin with two blanks. */
  void (*explain)(const hyla_plan *plan, struct hy_text *text);
  /* Releases memory that the state, a block, does not own; the state may be half made.  May be
   * NULL. */
  void (*destroy)(hyla_plan *plan);
};

enum { HY_CHILDREN_MAX = 8 };

/* A choice, a front end's state, and the plans that a run uses. */
struct hyla_plan {
  hyla_cube *cube;
  const struct hy_plan_kind *kind;
  hyla_machine machine; /* the machine that the choice was made for */
  struct hy_choice choice;
  void *state;
  const char *runs_by; /* the call that runs it; NULL: hyla_plan_run */
  int children;
  struct {
    const char *what; /* the child's purpose; a static string */
    hyla_plan *plan;  /* owned */
  } child[HY_CHILDREN_MAX];
  uint64_t fingerprint; /* of the work and the variant, for hyla_plan_run */
};

/* Local: the maker agrees on the status and sets the fingerprint. */
hyla_status hy_plan_create(hyla_cube *cube, const struct hy_plan_kind *kind, hyla_plan **plan);
/* Local: the plan owns child from now on, for use in its runs; NULL: none.  An earlier child for
 * the same purpose is destroyed. */
void hy_plan_adopt(hyla_plan *plan, const char *what, hyla_plan *child);
/* Local.  The plan's cost on this node. */
static inline hyla_cost hy_plan_mine(const hyla_plan *plan) {
  return plan->choice.candidates[plan->choice.chosen].mine;
}
/* Collective over the nodes; the status is this rank's. */
static inline hyla_status hy_plan_run(hyla_plan *plan) { return plan->kind->run(plan); }
/* Explains a plan: its choice, its own lines, its children, indented. */
void hy_plan_explain(const hyla_plan *plan, struct hy_text *text);

/* sum := sum + cost, and from := from - cost, count by count. */
void hy_cost_add(hyla_cost *sum, hyla_cost cost);
void hy_cost_subtract(hyla_cost *from, hyla_cost cost);
/* The same cost, counted in entries of `to' bytes instead of `from'; what is sent is rounded down,
 * so costs of several types are added up in bytes. */
hyla_cost hy_cost_in(hyla_cost cost, size_t from, size_t to);

/* Collective.  For each candidate that applies, replaces each count by the largest over the nodes
 * and finds the seconds that the cube's machine takes; the same on all ranks. */
hyla_status hy_plan_busiest(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_candidate *candidates, int count);

#endif
