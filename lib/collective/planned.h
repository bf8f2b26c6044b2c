/* Collectives on users' buffers: what their plans and their runs share.  Private to this room. */
#ifndef HY_PLANNED_H
#define HY_PLANNED_H 1

#include "collective/variant.h"
#include "hyla_collective.h"

/* A type of numbers; NULL for a number that is no type.  A combination of two numbers; NULL: there
 * is no such combination. */
struct hy_number {
  const char *name;
  size_t size;
  bool complex_type;
};
const struct hy_number *hy_number_of(hyla_number number);
hyla_combine *hy_combine_of(hyla_number number, hyla_combination by);

/* The request of a call.  Fields that an operation does not have are 0. */
struct hy_request {
  const char *call;
  enum hy_task task;
  const hyla_message *message;
  int root;
  bool reduces;
  const hyla_reduction *reduction;
  bool chooses; /* only some ranks are active */
  const bool *active;
  const int *phases;
  int phase_count;
  bool near; /* nearest and farthest are given */
  int nearest, farthest;
  bool tagged; /* tags are given */
  const bool *tags;
  bool banded;
  int b;
  bool several; /* matrices are given */
  int matrices;
  int window; /* dimensions of the window */
  bool permutes; /* a permutation by `to'; otherwise permutations are rotations */
  const int *to;
  hyla_code code;
  int64_t places;
};

/* Local.  The dimensions of the subcubes; the bytes of an element; this rank's verdict; the
 * fingerprint of a sound request; for a permutation the check of `to', which takes memory. */
uint32_t hy_request_dims(const hyla_cube *cube, uint32_t apart);
size_t hy_request_size(const struct hy_request *r);
hyla_status hy_request_check(hyla_cube *cube, const struct hy_request *r, hyla_plan *const *plan);
uint64_t hy_request_fingerprint(const hyla_cube *cube, const struct hy_request *r);
hyla_status hy_request_targets(struct hy_base *base, const struct hy_request *r, uint32_t members);

/* The place of a run's data, on which the variants work: the caller's send buffer, its receive
 * buffer, or memory of the plan. */
enum hy_data_place { HY_GIVEN, HY_GOTTEN, HY_OWN };

/* The state of a plan. */
struct hy_planned {
  enum hy_task asked;              /* the user's task; the task that runs may be another */
  struct hy_collective collective; /* the collective that runs */
  uint32_t dims;                   /* of the subcubes */
  uint32_t me;                     /* this rank's number; the number of ranks */
  uint32_t members;
  size_t size;
  int64_t count;    /* elements of a message, as the user gave it */
  int64_t *offsets; /* owned; for unequal blocks: where each begins, and the end; otherwise NULL */
  int64_t gives;    /* elements that this rank gives, and gets */
  int64_t gets;
  enum hy_data_place place;
  int64_t beside;   /* elements of extra memory, the same on all ranks */
  void *own;        /* that memory; NULL if it is not needed */
  int32_t *to;      /* owned, as are the next three; each rank's target: as given, then completed */
  uint8_t *sent_to; /* does some rank send to it? */
  uint8_t *active;  /* or the tags of an exchange */
  uint8_t *phases;
  struct hy_combining combining;
  struct hy_collective_plan *plan; /* NULL on guests */
};

/* The element where a rank's block begins; for rank = members, where the last block ends. */
static inline int64_t hy_planned_start(const struct hy_planned *t, uint32_t rank) {
  return t->offsets != NULL ? t->offsets[rank] : rank * t->count;
}

extern const struct hy_plan_kind hy_planned_kind;

/* Collective: the common part of all calls that plan. */
hyla_status hy_plan_request(hyla_cube *cube, const struct hy_request *r, hyla_plan **plan);

#endif
