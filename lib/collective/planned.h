/* Collectives on users' buffers: what their plans and their runs share.  Private to this room. */
#ifndef HY_PLANNED_H
#define HY_PLANNED_H 1

#include "collective/variant.h"
#include "hyla_collective.h"

/* A type of numbers; NULL for none.  How two are combined; NULL: not at all. */
struct hy_number {
  const char *name;
  size_t size;
  bool complex_type;
};
const struct hy_number *hy_number_of(hyla_number number);
hyla_combine *hy_combine_of(hyla_number number, hyla_combination by);

/* What one of the calls asks for; what an operation has not is 0. */
struct hy_request {
  const char *call;
  enum hy_task task;
  const hyla_message *message;
  int root;
  bool reduces;
  const hyla_reduction *reduction;
  bool chooses; /* active ranks */
  const bool *active;
  const int *phases;
  int phase_count;
  bool near; /* nearest and farthest count */
  int nearest, farthest;
  bool tagged; /* tags count */
  const bool *tags;
  bool banded;
  int b;
  bool several; /* matrices count */
  int matrices;
  int window; /* its dimensions */
  bool permutes; /* by `to'; else, of permutations, it is a rotation */
  const int *to;
  hyla_code code;
  int64_t places;
};

/* Local.  The subcubes' dimensions, an element's bytes, this rank's verdict, the fingerprint of a
 * sound request; of a permutation whether `to' is one, which takes memory. */
uint32_t hy_request_dims(const hyla_cube *cube, uint32_t apart);
size_t hy_request_size(const struct hy_request *r);
hyla_status hy_request_check(hyla_cube *cube, const struct hy_request *r, hyla_plan *const *plan);
uint64_t hy_request_fingerprint(const hyla_cube *cube, const struct hy_request *r);
hyla_status hy_request_targets(struct hy_base *base, const struct hy_request *r, uint32_t members);

/* Where the data of a run are: what the variants work on. */
enum hy_data_place { HY_GIVEN, HY_GOTTEN, HY_OWN };

/* The state of a plan. */
struct hy_planned {
  enum hy_task asked;              /* by the user; what is run may be another */
  struct hy_collective collective; /* that is run */
  uint32_t dims;                   /* of the subcubes */
  uint32_t me;                     /* number of this rank, and how many there are */
  uint32_t members;
  size_t size;
  int64_t count;    /* of a message as the user has it; */
  int64_t *offsets; /* owned; where blocks differ: where each begins, and the end; else NULL */
  int64_t gives;    /* elements that this rank gives and gets */
  int64_t gets;
  enum hy_data_place place;
  int64_t beside;   /* elements of own memory, the same on all ranks */
  void *own;        /* these; NULL where they are not needed */
  int32_t *to;      /* owned, as are the next three: whom each rank sends to, and how the whole */
  uint8_t *sent_to; /* permutation has it; is it sent to? */
  uint8_t *active;  /* or the tags of an exchange */
  uint8_t *phases;
  struct hy_combining combining;
  struct hy_collective_plan *plan; /* NULL on guests */
};

/* Where a rank's block begins among all; of the members' number, where the last one ends. */
static inline int64_t hy_planned_start(const struct hy_planned *t, uint32_t rank) {
  return t->offsets != NULL ? t->offsets[rank] : rank * t->count;
}

extern const struct hy_plan_kind hy_planned_kind;

/* Collective: what every call that plans does. */
hyla_status hy_plan_request(hyla_cube *cube, const struct hy_request *r, hyla_plan **plan);

#endif
