/* Private to this room and its tests: redistribution in phases.
 *
 * Any redistribution is a total exchange with unequal blocks: what node s holds of what
 * node t shall have. A phase settles a set of cube dimensions. Within each subcube of these
 * dimensions all pairs of nodes exchange; afterwards an entry is at an address that agrees
 * with its target in these dimensions and in those settled before.
 *
 * A layout treats rows and columns apart, and so does everything between two layouts. After
 * any phase a node holds all combinations of some rows with some columns, and every message
 * is such a product too. So two lists of indices a stage are all there is to know.
 *
 * Copies and faces. A dimension in which the source has copies is tied: an entry comes from
 * the copy that agrees with its target there, and nothing crosses. In a dimension in which
 * the target has copies an entry goes both ways when it is settled; before that it travels
 * once. */
#ifndef HY_PHASES_H
#define HY_PHASES_H 1

#include "redistribute/direct.h"

/* Indices first ... first+length-1 of an axis of the target, with one address
 * each before and after: only the bits of the axes' dimensions. */
struct hy_index_run {
  int64_t first;
  int64_t length;
  uint32_t source;
  uint32_t target;
};

/* An axis of a target, and the axis of the source that it was. */
struct hy_crossing {
  struct hy_axis axis; /* the source's */
  uint32_t source_mask;
  uint32_t target_mask;
  int64_t count;
  struct hy_index_run *runs;
  int64_t *out, *in; /* while a phase is counted: lengths by class; one piece of memory */
};

/* A transfer: rows and columns of its target. */
struct hy_passage {
  const hyla_transfer *transfer;
  struct hy_crossing row, col;
  uint32_t tied;        /* dimensions in which the source has copies */
  uint32_t source_face; /* in which only address bits of 0 hold the source, ... */
  uint32_t target_face; /* ... the target */
};

/* One axis of one transfer in one phase, for this node. Peers fall into classes by their
 * bits in the dimensions of the phase that split this axis. */
struct hy_phase_axis {
  struct hy_intersection out;  /* by the target's bits; here: places before the phase */
  struct hy_intersection in;   /* by the source's bits; here: places after it */
  struct hy_intersection keep; /* one class: from here, before, to there, after */
  int64_t held;                /* indices after the phase */
};

struct hy_phase {
  uint32_t done; /* the dimensions settled before */
  uint32_t dims; /* and now */
  struct hy_phase_axis (*axes)[2];
};

struct hy_phases {
  struct hy_redistribution problem;
  struct hy_passage *passages; /* one a transfer */
  uint32_t needed;             /* dimensions that anything has to cross */
  int64_t *words;              /* while phases are counted: to and from each peer */
  int count;
  struct hy_phase phase[HYLA_DIMS_MAX];
  hyla_cost cost;
  int64_t *surplus; /* bytes for which a transfer's target has no room between phases, ... */
  int64_t over;     /* of all transfers; */
  int64_t packing;  /* the most that is packed and comes in at a time */
  char *buffer;     /* the packing buffer: room for the surplus, then for messages */
  char *scratch;
};

/* Where a node's entries of a transfer are at a stage: a matrix of which the columns from
 * `split` on are in an array of their own. */
struct hy_staging {
  char *data;
  int64_t ld;
  int64_t split; /* INT64_MAX: all in one */
  char *rest;
  int64_t rest_ld;
};

/* Between two phases: rows x cols entries in the target and, where it has no room, from
 * `surplus` on. */
struct hy_staging hy_staging_make(const hyla_matrix *to, int64_t rows, int64_t cols, char *surplus);
/* hy_copy_places between such arrays. */
void hy_staging_copy(const struct hy_copy *copy, const struct hy_places *rows,
                     const struct hy_places *cols, const struct hy_staging *from,
                     const struct hy_staging *to);
/* The same from here to there between stagings in one target and surplus, whatever overlaps.
 * copy: plain, with room for hy_staging_scratch entries. */
void hy_staging_keep(const struct hy_copy *copy, const struct hy_places *rows,
                     const struct hy_places *cols, const struct hy_staging *before,
                     const struct hy_staging *after);
int64_t hy_staging_scratch(const struct hy_kernels *k);

/* What one phase costs this node. */
struct hy_phase_count {
  int64_t steps;
  int64_t messages;
  int64_t words;
  int64_t most_in;   /* entries of a message that comes */
  int64_t most_both; /* of two that are exchanged */
  int64_t held;      /* entries after it */
};

/* Is an index of the run on the node once the dimensions `done` are settled?  Here, since it is
 * asked of every run for every set of dimensions. */
static inline bool hy_phase_here(const struct hy_crossing *crossing, const struct hy_index_run *run,
                                 uint32_t tied, uint32_t node, uint32_t done) {
  return ((run->source ^ node) & crossing->source_mask & ~done) == 0 &&
         ((run->target ^ node) & crossing->target_mask & (done | tied)) == 0;
}

/* Is it there before or after a phase that settles `dims`?  Few are. */
static inline bool hy_phase_touches(const struct hy_crossing *crossing,
                                    const struct hy_index_run *run, uint32_t tied, uint32_t node,
                                    uint32_t done, uint32_t dims) {
  return ((run->source ^ node) & crossing->source_mask & ~(done | dims)) == 0 &&
         ((run->target ^ node) & crossing->target_mask & (done | tied)) == 0;
}

/* Does the node then hold anything of the transfer? May it send to a peer, which may be the node
 * itself, when `dims` are settled next? */
bool hy_phase_holds(const struct hy_passage *passage, uint32_t node, uint32_t done);
bool hy_phase_sends(const struct hy_passage *passage, uint32_t from, uint32_t to, uint32_t done,
                    uint32_t dims);

/* Local.  Without phases yet; destroy also after a failure. */
hyla_status hy_phases_create(const struct hy_redistribution *problem, struct hy_phases **phases);
void hy_phases_destroy(struct hy_phases **phases);
/* Local, on a node: the phase that settles `dims` after `done`. */
void hy_phases_count(const struct hy_phases *phases, uint32_t done, uint32_t dims,
                     struct hy_phase_count *count);
/* Local.  Fixes the phases, in this order, whose dimensions make up `needed`; and counts. */
void hy_phases_set(struct hy_phases *phases, const uint32_t *dims, int count);

/* Collective over cube and guests; the status is this rank's.  Seconds that the
 * cube's machine takes for phases, each as long as on its slowest node: phase i
 * settles dims[i] after done[i]; at most HY_GROUPS of them. */
enum { HY_GROUPS = HYLA_DIMS_MAX * (HYLA_DIMS_MAX + 1) / 2 };
hyla_status hy_phases_seconds(const struct hy_phases *phases, const uint32_t *done,
                              const uint32_t *dims, int count, double *seconds);
/* The same.  The needed dimensions one after the other, masks of one bit, in a cheap
 * order. */
hyla_status hy_phases_order(const struct hy_phases *phases, uint32_t order[HYLA_DIMS_MAX],
                            int *count);

/* The same.  What all variants in phases begin with: makes them, with the order; *phases
 * is to be destroyed also after a failure. */
hyla_status hy_phases_begin(const struct hy_redistribution *problem, struct hy_phases **phases,
                            uint32_t order[HYLA_DIMS_MAX], int *count);

/* The members of a variant that all variants in phases share. */
const char *hy_phases_applies(const void *problem);
hyla_cost hy_phases_cost(const void *state);
hyla_status hy_phases_take(void *state);
hyla_status hy_phases_run(void *state);
void hy_phases_explain(const void *state, struct hy_text *text);
void hy_phases_release(void **state);
#define HY_PHASES_OPERATIONS                                                                       \
  .applies = hy_phases_applies, .cost = hy_phases_cost, .take = hy_phases_take,                    \
  .run = hy_phases_run, .explain = hy_phases_explain, .destroy = hy_phases_release

#endif
