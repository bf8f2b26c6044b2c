/* Door of the room plan: the choice between variants, and the plan object. */
#ifndef HY_PLAN_H
#define HY_PLAN_H 1

#include "cube/cube.h"

/* One candidate among the variants of an operation, as the chooser sees it. */
struct hy_candidate {
  const char *name;
  const char *reason; /* why it does not apply; NULL when it does */
  bool unpriced;      /* another one was asked for: its cost and seconds are not known */
  hyla_cost cost;     /* of this node; then, of each count, that of the busiest one */
  hyla_cost mine;     /* of this node */
  double seconds;     /* predicted */
  int64_t limit;      /* of memory, when its cost is above it; set by hy_choose, else 0 */
  double measured;    /* seconds; 0: not measured */
};

/* Is it out of question, by its reason or its limit? */
bool hy_refused(const struct hy_candidate *candidate);

/* Why one was chosen. */
enum hy_why { HY_PREDICTED, HY_ASKED, HY_MEASURED, HY_REMEMBERED };

/* The variant that `forced` ("gemm:cannon,solve:lu"; may be NULL) names for an
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

/* Adds the choice, the machine it was made for and its reasons to a text, a line a
 * candidate. */
void hy_choice_explain(struct hy_text *text, const char *operation, const hyla_machine *machine,
                       const struct hy_candidate *candidates, int count, int choice,
                       enum hy_why why);

/* ---------------------------------------------------------------- plans -- */

/* What a kind of plan (of a multiplication, of a redistribution) does; `state`
 * is its own, zeroed by hy_plan_create. */
struct hy_plan_kind {
  size_t size; /* of the state */
  /* Collective over the cube; the status is this rank's.  Allocates nothing. */
  hyla_status (*run)(void *state);
  const char *(*variant)(const void *state);
  hyla_cost (*cost)(const void *state);
  void (*explain)(const void *state, struct hy_text *text);
  /* Frees what the state holds, not the state itself; also of one half made. */
  void (*destroy)(void *state);
  double (*seconds)(const void *state); /* predicted */
};

struct hyla_plan {
  hyla_cube *cube;
  const struct hy_plan_kind *kind;
  uint64_t fingerprint; /* of what it does and by which variant, for hyla_plan_run */
  void *state;
};

/* Local: the maker agrees on the status and gives the fingerprint. */
hyla_status hy_plan_create(hyla_cube *cube, const struct hy_plan_kind *kind, hyla_plan **plan);

/* Collective.  Of each count of each candidate that applies the largest over the
 * nodes, on all ranks, and the seconds that the cube's machine takes for it. */
hyla_status hy_plan_busiest(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_candidate *candidates, int count);

#endif
