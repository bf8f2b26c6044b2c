/* Collectives on users' buffers, and trials of collectives: the common part of plans and runs.
 * Private to this room and its tests. */
#ifndef HY_PLANNED_H
#define HY_PLANNED_H 1

#include "collective/variant.h"
#include "hyla_collective.h"
#include "hyla_lab.h"

/* A type of numbers; NULL for a number that is no type.  A combination of two numbers; NULL: there
 * is no such combination. */
struct hy_number {
  const char *name;
  size_t size;
  bool complex_type;
};
const struct hy_number *hy_number_of(hyla_number number);
hyla_combine *hy_combine_of(hyla_number number, hyla_combination by);

/* Which argument a call has besides those of its task. */
enum hy_extra { HY_NO_EXTRA, HY_NEAR, HY_TAGS, HY_BAND, HY_BANDS, HY_TARGETS };

/* The request of a call.  Fields that an operation does not have are 0. */
struct hy_request {
  const char *call;
  const hyla_message *message;
  struct hy_collective what; /* as asked for: without the message; `band' is b; its arrays are the
                              * caller's */
  const hyla_reduction *reduction;
  enum hy_extra extra;
  const int *phases; /* what.phase_count of them */
  hyla_code code;    /* rotations: the circle, and by how many places */
  int64_t places;
};

/* Local.  The dimensions of the subcubes; where a collective runs: on these or, where all ranks
 * take part, on the cube or on a network of all ranks, whichever; their number of ranks, and this
 * rank's number, -1 if it has none: all ranks have one where all take part; the bytes of an
 * element; this rank's verdict; the fingerprint of a sound request; for a permutation the check of
 * `to', which takes memory. */
uint32_t hy_request_dims(const hyla_cube *cube, uint32_t apart);
void hy_request_place(const hyla_cube *cube, uint32_t apart, struct hy_collective *what);
uint32_t hy_request_members(const hyla_cube *cube, uint32_t apart);
int hy_request_number(const hyla_cube *cube, uint32_t apart);
size_t hy_request_size(const struct hy_request *r);
hyla_status hy_request_check(hyla_cube *cube, const struct hy_request *r, hyla_plan *const *plan);
uint64_t hy_request_fingerprint(const hyla_cube *cube, const struct hy_request *r);
hyla_status hy_request_targets(struct hy_base *base, const struct hy_request *r, uint32_t members);

/* The place of a run's data, on which the variants work: the caller's send buffer, its receive
 * buffer, or memory of the plan. */
enum hy_data_place { HY_GIVEN, HY_GOTTEN, HY_OWN };

/* The state of a plan; it owns all memory. */
struct hy_planned {
  struct hy_subcube_op op; /* the operation that runs */
  enum hy_task asked;      /* the user's task; the operation's may be another */
  bool takes_part;         /* false on a guest that has no number */
  bool combines;           /* an ordered reduction of all ranks: what all give is gathered and then
                            * combined where it is wanted */
  uint32_t me;             /* this rank's number; the number of ranks */
  uint32_t members;
  int64_t count;    /* elements of a message, as the user gave it */
  int64_t *offsets; /* for unequal blocks: where each begins, and the end; otherwise NULL */
  int64_t gives;    /* elements that this rank gives, and gets */
  int64_t gets;
  enum hy_data_place place;
  int64_t beside;   /* elements of extra memory, the same on all ranks */
  void *own;        /* that memory; NULL if it is not needed */
  int32_t *to;      /* each rank's target: as given, then completed */
  uint8_t *sent_to; /* does some rank send to it? */
};

/* The element where a rank's block begins; for rank = members, where the last block ends. */
static inline int64_t hy_planned_start(const struct hy_planned *t, uint32_t rank) {
  return t->offsets != NULL ? t->offsets[rank] : rank * t->count;
}

extern const struct hy_plan_kind hy_planned_kind;

/* Collective: the common part of all calls that plan. */
hyla_status hy_plan_request(hyla_cube *cube, const struct hy_request *r, hyla_plan **plan);

/* ---------------------------------------------------------------- trials -- */

/* Local.  The task of that name; false if no task has it. */
bool hy_trial_task(const char *name, enum hy_task *task);
/* Local.  check: this rank's verdict on the arguments; place: where the result goes.  ARGUMENT.
 * fingerprint: for sound arguments. */
hyla_status hy_trial_check(hyla_cube *cube, const hyla_collective *collective, const void *place);
uint64_t hy_trial_fingerprint(const hyla_collective *collective);
/* Local.  A time of the collective as a whole number; only the ratio of alpha and beta counts. */
int64_t hy_trial_whole_time(const hyla_collective *collective, double time);
/* Local.  Turns sound arguments into a collective.  Its arrays belong to `owner'.  MEMORY, ARGUMENT
 * (a number is given twice). */
hyla_status hy_trial_describe(hyla_cube *cube, const hyla_collective *collective, void *owner,
                              struct hy_collective *what);

#endif
