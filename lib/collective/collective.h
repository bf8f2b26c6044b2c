/* Door of the room collective: the papers' operations over the cube or a subcube, each by
 * one of several variants. */
#ifndef HY_COLLECTIVE_H
#define HY_COLLECTIVE_H 1

#include "plan/plan.h"
#include "schedule/schedule.h"

/* ----------------------------------------------------------- families -- */

/* The variants of a task, enum hy_task; NULL behind the last task. */
const struct hy_family *hy_collective_family(int task);
/* As people name it, its family's name. */
const char *hy_task_name(enum hy_task task);

/* ------------------------------------------------------------- groups -- */

/* A collective over the subcube of this rank that is spanned by the dimensions in the mask
 * `dims`, by one variant, for any root and for messages up to the length that it was
 * made for.  It stays where it is in memory; free it also after a failure. */
struct hy_collective_variant;
struct hy_group {
  hyla_cube *cube; /* NULL: none was made */
  uint32_t dims;
  enum hy_task task;
  int64_t words; /* at most, of one message; of an all-gather or reduce-scatter, of all blocks */
  size_t size;   /* bytes of a word */
  const struct hy_collective_variant *variant;
  uint32_t *place;               /* owned: whose block is the how-manieth; NULL: in member order */
  struct hy_choice choice;       /* empty where nothing was compared */
  struct hy_schedule *schedules; /* owned; NULL where they are made on the stack */
  uint32_t schedule_count;
  void *work; /* for what does not travel from and to its place */
  void *owned;
  struct hy_pending *pending; /* owned; where there are schedules */
};

/* Local; all arguments global.  make: for broadcast, reduce, all-reduce, all-gather and
 * reduce-scatter; chooses by length and machine, or as the option `collective` asks, and
 * makes the schedules.  take: the memory of a run, of which work says how many words.
 * MEMORY; ARGUMENT for a name that is no variant's. */
hyla_status hy_group_make(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                          size_t size, struct hy_group *group);
hyla_status hy_group_take(struct hy_group *group);
hyla_status hy_group_work(const struct hy_group *group, int64_t *words);
/* Local; all arguments global.  An all-gather or reduce-scatter in which the block of member x is
 * the place[x]-th: 2^|dims| different places, copied.  Its schedule is kept, so that it can be run
 * step by step.  take_blocks: the memory of runs with these offsets, exactly. */
hyla_status hy_group_make_placed(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                                 size_t size, const uint32_t *place, struct hy_group *group);
hyla_status hy_group_take_blocks(struct hy_group *group, const int64_t *offsets);
/* Collective over cube and guests.  For messages that are not planned: recursive doubling,
 * or as the option asks; agreed upon where that takes memory, else no message is sent.
 * work: words of an all-reduction, else NULL. */
hyla_status hy_group_once(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                          size_t size, void *work, struct hy_group *group);
/* Local.  On a counting cube: a copy of a group of the cube that it stands in for.  memory: adds
 * the bytes of runs of so many groups. */
void hy_group_counted(struct hy_group *group, hyla_cube *counting);
hyla_status hy_groups_memory(const struct hy_group *const groups[], int count, int64_t *bytes);
void hy_group_free(struct hy_group *group);

/* Collective over the subcube; guests return at once.  Nothing is allocated.
 * root: an address; its bits outside dims do not count.
 *   broadcast  data on root goes to every member
 *   reduce     data on root := the members' data combined; the others' data is used up.
 *              By recursive doubling in a fixed tree, the same for every root
 *   allreduce  the same result, bit for bit, on every member
 *   allgather  data holds the members' blocks in member order, or in that of their places;
 *              the x-th starts at offsets[x] and ends at offsets[x + 1] (words; 2^|dims| + 1
 *              offsets, the same on all).  On entry each holds its own block, afterwards all
 *   reduce_scatter  data holds all blocks, as above; each member's own := the members' blocks
 *              combined, the others are used up */
hyla_status hy_group_broadcast(const struct hy_group *group, int root, void *data, int64_t words);
hyla_status hy_group_reduce(const struct hy_group *group, int root, void *data, int64_t words,
                            hy_combine *combine, const void *arg);
hyla_status hy_group_allreduce(const struct hy_group *group, void *data, int64_t words,
                               hy_combine *combine, const void *arg);
hyla_status hy_group_allgather(const struct hy_group *group, void *data, const int64_t *offsets);
hyla_status hy_group_reduce_scatter(const struct hy_group *group, void *data,
                                    const int64_t *offsets, hy_combine *combine, const void *arg);

/* The halves of a broadcast of a group that has schedules.  start: returns at once; data
 * must not be touched before complete.  One is under way at a time. */
hyla_status hy_group_start(const struct hy_group *group, int root, void *data, int64_t words);
hyla_status hy_group_complete(const struct hy_group *group);

/* An all-gather of a group with places, step by step.  start: the first step goes on its way;
 * advance: waits for it and starts the next one; then complete.  Blocks that are here may be read,
 * nothing may be written, before complete.  arrival: after how many advances the block at a place
 * is here; of the own block 0.  Local; this rank is a member. */
hyla_status hy_group_allgather_start(const struct hy_group *group, void *data,
                                     const int64_t *offsets);
hyla_status hy_group_advance(const struct hy_group *group);
int hy_group_arrival(const struct hy_group *group, uint32_t place);

/* Local.  What a member spends on one message: exact; flops: words that it combines.
 * number: of the member, relative to the root where there is one.  _blocks: on an
 * all-gather; MEMORY. */
hyla_cost hy_group_cost(const struct hy_group *group, uint32_t number, int64_t words);
hyla_status hy_group_cost_blocks(const struct hy_group *group, uint32_t number,
                                 const int64_t *offsets, hyla_cost *cost);
/* Adds a line: what it is for, by which variant and why. */
void hy_group_explain(const struct hy_group *group, const char *what, struct hy_text *text);

/* -------------------------------------------------- recursive doubling -- */

/* The same by recursive doubling, with lengths in bytes where no size is given; of long
 * all-reductions halves are combined and gathered (two steps a dimension, the same bits), unless
 * the option asks for one of the two.  work: as large as data. */
hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes);
hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work);
hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work);

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
/* What combines words, on which cube, and what one of them is to that cube's clock: `flops'
 * operations on entries of `entry' bytes.  hy_combine_counted, with one of these for its arg,
 * counts them and, where there are data, combines them. */
struct hy_combining {
  hyla_cube *cube;
  hy_combine *combine;
  const void *arg;
  int flops;
  size_t entry;
  bool complex_type;
};
void hy_combine_counted(void *into, const void *from, int64_t count, const void *arg);
/* A collective that is to be planned on all subcubes at once.  beside: bytes that are taken for it
 * beside the variant's; rehearsed: where the cube can, the candidates are rehearsed. */
struct hy_wish {
  uint32_t dims;
  const struct hy_collective *collective;
  size_t size;
  const char *variant;
  struct hy_combining combining;
  int64_t beside;
  bool rehearsed;
};
/* Collective over the cube, agreed upon, also on guests.  The choice, which hy_collective_create
 * then takes by name.  Free it also after a failure. */
hyla_status hy_collective_choose(hyla_cube *cube, const struct hy_wish *wish,
                                 struct hy_choice *choice);
/* Collective over the cube, also on guests.  The busiest node's cost, on all ranks. */
hyla_status hy_collective_busiest(hyla_cube *cube, const struct hy_collective_plan *plan,
                                  hyla_cost *cost);
/* Local.  The variant's name; what this rank sends; the seconds predicted for the busiest node; why
 * the variant was chosen. */
const char *hy_collective_variant(const struct hy_collective_plan *plan);
hyla_cost hy_collective_cost(const struct hy_collective_plan *plan);
double hy_collective_seconds(const struct hy_collective_plan *plan);
void hy_collective_explain(const struct hy_collective_plan *plan, struct hy_text *text);

#endif
