/* Private to this room and its tests: redistribution in phases.
 *
 * Any redistribution is a total exchange with unequal blocks: each node s has entries for each node
 * t.  A phase settles a set of cube dimensions.  Within each subcube of these dimensions all pairs
 * of nodes exchange.  Afterwards an entry is at an address that agrees with its target in these
 * dimensions and in those settled before.
 *
 * A layout treats rows and columns independently, and so does every state between two layouts.
 * After any phase a node holds all combinations of some rows with some columns, and every message
 * is such a product too.  So two lists of indices describe each state.
 *
 * Example: 8 indices on 4 nodes, consecutive to cyclic, one dimension a phase.  Entries after each:
 *   node         0    1    2    3
 *   before       0 1  2 3  4 5  6 7
 *   dimension 0  0 2  1 3  4 6  5 7     node bit 0 is now bit 0 of the index
 *   dimension 1  0 4  1 5  2 6  3 7     node bit 1 is now bit 1 of the index
 *
 * Copies and faces.  A dimension in which the source has copies is tied: an entry comes from the
 * copy whose bit there is that of its target, and nothing crosses the dimension.  In a dimension in
 * which the target has copies, an entry goes both ways in the phase that settles it; before that it
 * travels once. */
#ifndef HY_PHASES_H
#define HY_PHASES_H 1

#include "redistribute/direct.h"

/* Indices first ... first+length-1 of an axis of the target, which have one address before and one
 * address after; both have only the bits of the axes' dimensions. */
struct hy_index_run {
  int64_t first;
  int64_t length;
  uint32_t source;
  uint32_t target;
};

/* An axis of a target with the axis of the source that becomes it. */
struct hy_axis_pair {
  struct hy_axis axis; /* the source's */
  uint32_t source_mask;
  uint32_t target_mask;
  int64_t count;
  struct hy_index_run *runs;
  int64_t *out, *in; /* while a phase is counted: lengths by class, in one allocation */
};

/* A transfer: rows and columns of its target. */
struct hy_transfer_axes {
  const hyla_transfer *transfer;
  struct hy_axis_pair axis[2];
  uint32_t tied;        /* dimensions in which the source has copies */
  uint32_t source_face; /* dimensions in which only nodes with a 0 bit hold the source, ... */
  uint32_t target_face; /* ... the target */
};

/* One axis of one transfer in one phase, for this node.  Peers form classes by their bits in those
 * dimensions of the phase that split this axis. */
struct hy_phase_axis {
  struct hy_intersection out;  /* by the target's bits; here: positions before the phase */
  struct hy_intersection in;   /* by the source's bits; here: positions after it */
  struct hy_intersection keep; /* one class; here: positions before, there: after */
  int64_t held;                /* indices after the phase */
};

struct hy_phase {
  uint32_t done; /* the dimensions settled before */
  uint32_t dims; /* the dimensions that this phase settles */
  struct hy_phase_axis (*axes)[2];
};

struct hy_phases {
  struct hy_redistribution problem;
  struct hy_transfer_axes *transfer_axes; /* one a transfer */
  uint32_t needed;                        /* the dimensions that some entry has to cross */
  int64_t *words; /* while phases are counted: words to and from each peer */
  int count;
  struct hy_phase phase[HYLA_DIMS_MAX];
  hyla_cost cost;
  int64_t *surplus; /* for each transfer: bytes between phases that its target cannot hold */
  int64_t over;     /* their sum */
  int64_t packing;  /* the most bytes that are packed or arriving at one time */
  char *buffer;     /* the packing buffer: room for the surplus, then for messages */
  char *scratch;
};

/* Local.  How many of `cols' columns with `rows' rows, which are between two phases, lie in the
 * target; INT64_MAX: all.  *ld: their leading dimension there. */
int64_t hy_staging_split(const hyla_matrix *to, int64_t rows, int64_t cols, int64_t *ld);

/* The cost of one phase for this node. */
struct hy_phase_count {
  int64_t steps;
  int64_t messages;
  int64_t words;
  int64_t most_in;   /* entries of the longest incoming message */
  int64_t most_both; /* entries of the longest pair of exchanged messages */
  int64_t held;      /* entries after the phase */
};

/* Does the node hold the run's indices once the dimensions `done' are settled?  Inline, because it
 * is asked for every run and every set of dimensions. */
static inline bool hy_phase_here(const struct hy_axis_pair *pair, const struct hy_index_run *run,
                                 uint32_t tied, uint32_t node, uint32_t done) {
  return ((run->source ^ node) & pair->source_mask & ~done) == 0 &&
         ((run->target ^ node) & pair->target_mask & (done | tied)) == 0;
}

/* Does the node hold them before or after a phase that settles `dims'?  It holds few runs. */
static inline bool hy_phase_touches(const struct hy_axis_pair *pair, const struct hy_index_run *run,
                                    uint32_t tied, uint32_t node, uint32_t done, uint32_t dims) {
  return ((run->source ^ node) & pair->source_mask & ~(done | dims)) == 0 &&
         ((run->target ^ node) & pair->target_mask & (done | tied)) == 0;
}

/* Does the node hold any entry of the transfer once `done' is settled?  May it send to a peer,
 * which may be the node itself, when `dims' are settled next? */
bool hy_phase_holds(const struct hy_transfer_axes *axes, uint32_t node, uint32_t done);
bool hy_phase_sends(const struct hy_transfer_axes *axes, uint32_t from, uint32_t to, uint32_t done,
                    uint32_t dims);

/* Local.  Makes the state, still without phases, a block that owns all it has; free it also after a
 * failure.  MEMORY. */
hyla_status hy_phases_create(const struct hy_redistribution *problem, struct hy_phases **phases);
/* Local, on a node: counts the phase that settles `dims' after `done'. */
void hy_phases_count(const struct hy_phases *phases, uint32_t done, uint32_t dims,
                     struct hy_phase_count *count);
/* Local.  Fixes the phases, in this order, and counts them; their dimensions make up `needed'. */
void hy_phases_set(struct hy_phases *phases, const uint32_t *dims, int count);

/* Collective over cube and guests; the status is this rank's.  The seconds that phases take on the
 * cube's machine, each as long as on its slowest node.  Phase i settles dims[i] after done[i];
 * there are at most HY_GROUPS. */
enum { HY_GROUPS = HYLA_DIMS_MAX * (HYLA_DIMS_MAX + 1) / 2 };
hyla_status hy_phases_seconds(const struct hy_phases *phases, const uint32_t *done,
                              const uint32_t *dims, int count, double *seconds);
/* Collective over cube and guests; the status is this rank's.  Puts the needed dimensions, masks of
 * one bit, into a cheap order. */
hyla_status hy_phases_order(const struct hy_phases *phases, uint32_t order[HYLA_DIMS_MAX],
                            int *count);

/* Collective over cube and guests; the status is this rank's.  The beginning of every variant in
 * phases: makes the state and the order.  Free *phases also after a failure. */
hyla_status hy_phases_begin(const struct hy_redistribution *problem, struct hy_phases **phases,
                            uint32_t order[HYLA_DIMS_MAX], int *count);

/* The members that all variants in phases share. */
const char *hy_phases_applies(const void *problem);
hyla_cost hy_phases_cost(const void *state);
hyla_status hy_phases_allocate(void *state);
hyla_status hy_phases_run(void *state);
void hy_phases_explain(const void *state, struct hy_text *text);
#define HY_PHASES_OPERATIONS                                                                       \
  .applies = hy_phases_applies, .cost = hy_phases_cost, .allocate = hy_phases_allocate,            \
  .run = hy_phases_run, .explain = hy_phases_explain

#endif
