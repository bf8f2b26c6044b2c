/* Door of the room collective: the papers' operations over the cube or a subcube, each by one of
 * several variants. */
#ifndef HY_COLLECTIVE_H
#define HY_COLLECTIVE_H 1

#include "plan/plan.h"
#include "schedule/schedule.h"

/* ----------------------------------------------------------- families -- */

/* The variants of a task (enum hy_task); NULL behind the last task. */
const struct hy_family *hy_collective_family(int task);
/* Has the task a variant of that name on networks that are no cubes? */
bool hy_collective_on_networks(int task, const char *name);
/* The task's name for users, which is its family's name. */
const char *hy_task_name(enum hy_task task);

/* --------------------------------------------------------- operations -- */

/* A collective over this rank's subcube: the description, the chosen variant, its schedules and its
 * memory.  A group serves any root, and messages up to the length that it was made for.  A planned
 * operation serves exactly its description.  The object must keep its place in memory; free it also
 * after a failure. */
struct hy_collective_variant;
struct hy_subcube_op {
  struct hy_release release;
  hyla_cube *cube;           /* NULL: there is no operation */
  struct hy_collective what; /* a group: its longest message */
  bool varies;               /* it is a group */
  bool silent;               /* set by the caller: combinations count no operations, see hy_run */
  int64_t words; /* of data, at most; all-gather, reduce-scatter: in all blocks together */
  const struct hy_collective_variant *variant;
  int64_t halved_from; /* all-reductions of any number of members: shorter messages go by recursive
                        * doubling; 0: all messages go by `variant' */
  uint32_t *place;               /* owned; place[x]: position of member x's block; NULL: x */
  struct hy_choice choice;       /* empty if nothing was compared */
  struct hy_schedule *schedules; /* owned; NULL if they are made on the stack */
  uint32_t schedule_count;
  struct hy_flow *flow; /* owned; the run's state if the schedule runs without steps */
  void *work;           /* workspace for words that do not travel from and to their place */
  void *owned;
  void *scratch;              /* owned; for words that pass through */
  struct hy_pending *pending; /* owned; groups with schedules */
};

/* Local; all arguments are global.
 * make   a group for broadcast, reduce, all-reduce, all-gather and reduce-scatter.  Chooses by
 *        length and machine, or as the option `collective' asks, and makes the schedules
 * make_for  the same for an owner, a block of memory that is freed after the group; NULL: no owner.
 *        In an all-gather or reduce-scatter the block of member x may have position place[x]: place
 *        holds 2^|dims| different positions and is copied, and the schedule is kept, so that it can
 *        be run step by step.  NULL: x
 * plan   a planned operation for an owner; `what' may be its own member.  Every member's buffer has
 *        room for all blocks, each in its place.  variant: a name; NULL or "" for the options' one,
 *        or else the fastest on the cube's machine
 * allocate   takes the memory of a run
 * allocate_blocks  takes exactly the memory of a group's runs with these offsets
 * work   the words of workspace
 * MEMORY; ARGUMENT for a name that is no variant's; UNSUPPORTED for a variant that does not apply.
 */
hyla_status hy_subcube_make(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                            size_t size, struct hy_subcube_op *op);
hyla_status hy_subcube_make_for(void *owner, hyla_cube *cube, uint32_t dims, enum hy_task task,
                                int64_t words, size_t size, const uint32_t *place,
                                struct hy_subcube_op *op);
hyla_status hy_subcube_plan(void *owner, hyla_cube *cube, const struct hy_collective *what,
                            const char *variant, struct hy_subcube_op *op);
hyla_status hy_subcube_allocate(struct hy_subcube_op *op);
hyla_status hy_subcube_allocate_blocks(struct hy_subcube_op *op, const int64_t *offsets);
hyla_status hy_subcube_work(const struct hy_subcube_op *op, int64_t *words);
/* Collective over cube and guests.  A group for messages that were not planned: recursive doubling,
 * or as the option asks.  If that takes memory, ranks agree on it; otherwise no message is sent.
 * work: words for an all-reduction, otherwise NULL. */
hyla_status hy_subcube_once(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                            size_t size, void *work, struct hy_subcube_op *op);
void hy_subcube_free(struct hy_subcube_op *op);
/* Local.  The number that a group's schedules give to the member with an address, counted from a
 * root's address; and the address of the member with a number. */
uint32_t hy_subcube_number(const struct hy_subcube_op *group, int address, int root);
int hy_subcube_address(const struct hy_subcube_op *group, int root, uint32_t number);

/* Collective over the subcube; guests return at once.  Runs a planned operation in place.  Words
 * are combined as `what' says. */
hyla_status hy_subcube_run(const struct hy_subcube_op *op, void *data);
/* Local.  Combines words of a planned operation as its runs do. */
void hy_subcube_combine(const struct hy_subcube_op *op, void *into, const void *from,
                        int64_t count);

/* The same by groups; nothing is allocated.  root: an address; its
 * bits outside dims do not count.
 *   broadcast  data on root goes to every member
 *   reduce     data on root := the members' data combined; the others' data is used up.
 *              By recursive doubling in a fixed tree, the same for every root
 *   allreduce  the same result, bit for bit, on every member
 *   allgather  data holds the members' blocks in member order, or in the order of their places;
 *              the x-th starts at offsets[x] and ends at offsets[x + 1] (words; 2^|dims| + 1
 *              offsets, the same on all).  On entry each member holds its own block, afterwards all
 *   reduce_scatter  data holds all blocks, as above; each member's own := the members' blocks
 *              combined, the others are used up */
hyla_status hy_subcube_broadcast(const struct hy_subcube_op *group, int root, void *data,
                                 int64_t words);
hyla_status hy_subcube_reduce(const struct hy_subcube_op *group, int root, void *data,
                              int64_t words, hy_combine *combine, const void *arg);
hyla_status hy_subcube_allreduce(const struct hy_subcube_op *group, void *data, int64_t words,
                                 hy_combine *combine, const void *arg);
hyla_status hy_subcube_allgather(const struct hy_subcube_op *group, void *data,
                                 const int64_t *offsets);
hyla_status hy_subcube_reduce_scatter(const struct hy_subcube_op *group, void *data,
                                      const int64_t *offsets, hy_combine *combine, const void *arg);

/* The halves of a broadcast of a group with schedules.  start: returns at once; data must not be
 * touched before complete.  One broadcast may be under way at a time. */
hyla_status hy_subcube_start(const struct hy_subcube_op *group, int root, void *data,
                             int64_t words);
hyla_status hy_subcube_complete(const struct hy_subcube_op *group);

/* An all-gather of a group with places, step by step.
 * start     starts the first step
 * advance   waits for the step under way and starts the next one; at the end call complete
 * arrival   local; after how many advances the block at a place has arrived; 0 for the own
 *           block.  This rank must be a member
 * Before complete, blocks that have arrived may be read, and nothing may be written. */
hyla_status hy_subcube_allgather_start(const struct hy_subcube_op *group, void *data,
                                       const int64_t *offsets);
hyla_status hy_subcube_advance(const struct hy_subcube_op *group);
int hy_subcube_arrival(const struct hy_subcube_op *group, uint32_t place);

/* Local.  A member's exact cost for one message of a group; flops: words that it combines.  number:
 * the member's number, relative to the root if there is one.  _blocks: for an all-gather; MEMORY.
 * _mine: this rank's cost of a planned operation, with its memory. */
hyla_cost hy_subcube_cost(const struct hy_subcube_op *op, uint32_t number, int64_t words);
hyla_status hy_subcube_cost_blocks(const struct hy_subcube_op *op, uint32_t number,
                                   const int64_t *offsets, hyla_cost *cost);
hyla_cost hy_subcube_cost_mine(const struct hy_subcube_op *op);
/* Adds a line: the purpose `what', the variant, and why it was chosen. */
void hy_subcube_explain(const struct hy_subcube_op *group, const char *what, struct hy_text *text);

/* -------------------------------------------------- recursive doubling -- */

/* The same by recursive doubling, with lengths in bytes if no size is given.  In long
 * all-reductions halves are combined and then gathered (two steps a dimension, on cubes the same
 * bits), unless the option asks for one of the two.  work: as large as data. */
hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes);
hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work);
hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work);

#endif
