/* Door of the room collective: the papers' operations over the cube or a subcube, each by
 * one of several variants. */
#ifndef HY_COLLECTIVE_H
#define HY_COLLECTIVE_H 1

#include "plan/plan.h"
#include "schedule/schedule.h"

/* -------------------------------------------------------- collectives -- */

/* Over the subcube of this rank spanned by the dimensions in the mask `dims`.
 * root: an address; its bits outside dims do not count.  Each runs a schedule
 * of recursive doubling, one step a dimension; long all-reductions halve the
 * data first (two steps a dimension, the same bits).  Nothing is allocated. */

/* data on root goes to every member. */
hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes);

/* data on root := the members' data combined, in a fixed tree; the others' data
 * is used up.  work: as large as data.  all: the same result, bit for bit, on
 * every member. */
hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work);
hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work);

/* data holds the members' blocks in member order; member x's starts at
 * offsets[x] and ends at offsets[x + 1] (bytes; 2^|dims| + 1 offsets, the same
 * on all).  On entry each holds its own block, afterwards all. */
hyla_status hy_allgather(hyla_cube *cube, uint32_t dims, void *data, const int64_t *offsets);

/* ----------------------------------------------------------- families -- */

/* The variants of a task, enum hy_task; NULL behind the last task. */
const struct hy_family *hy_collective_family(int task);
/* As people name it, its family's name. */
const char *hy_task_name(enum hy_task task);

/* ------------------------------------------------ planned collectives -- */

/* A collective with its variant chosen and its schedule and memory made.  Every
 * member's buffer has room for all blocks, each in its place.  variant: NULL or
 * "" for the options' one or the fastest on the cube's machine.  size: bytes of
 * a word.  Collective over the subcube `dims`; the status is this rank's own. */
struct hy_collective_plan;
hyla_status hy_collective_create(hyla_cube *cube, uint32_t dims,
                                 const struct hy_collective *collective, size_t size,
                                 const char *variant, struct hy_collective_plan **plan);
/* The two halves of create: all but the memory of a run; that. */
hyla_status hy_collective_make(hyla_cube *cube, uint32_t dims,
                               const struct hy_collective *collective, size_t size,
                               const char *variant, struct hy_collective_plan **plan);
hyla_status hy_collective_take(hyla_cube *cube, struct hy_collective_plan *plan);
hyla_status hy_collective_run(hyla_cube *cube, const struct hy_collective_plan *plan, void *data,
                              hy_combine *combine, const void *arg);
void hy_collective_destroy(hyla_cube *cube, struct hy_collective_plan **plan);
/* Local.  The variant's name; what this rank sends; the seconds predicted for the busiest
 * node; why the variant was chosen. */
const char *hy_collective_variant(const struct hy_collective_plan *plan);
hyla_cost hy_collective_cost(const struct hy_collective_plan *plan);
double hy_collective_seconds(const struct hy_collective_plan *plan);
void hy_collective_explain(const struct hy_collective_plan *plan, struct hy_text *text);

#endif
