/* The collectives of the door: runs of groups, and of recursive doubling without a group.  They
 * stand on the hot path of the factorizations: nothing is allocated, and making a schedule on the
 * stack costs less than one message's start. */
#include "collective/variant.h"

/* From this number of bytes on, unplanned all-reductions use halving.  The limit is the same on
 * every rank, so it must not depend on measurements.  Both variants give equal bits. */
enum { HALVING_FROM = 32768, HALVING_DIMS = 2 };

static uint32_t number_of(const struct hy_subcube_op *group, int root) {
  return hy_extract((uint32_t)(group->cube->address ^ root), group->dims);
}

static struct hy_run run_of(const struct hy_subcube_op *group, void *data) {
  return (struct hy_run){
      .dims = group->dims, .size = group->size, .data = data, .work = group->work};
}

static hyla_status check(const struct hy_subcube_op *group, int64_t words) {
  CHECK(&group->cube->base, words <= group->words, ARGUMENT,
        "%s of %lld words, planned for %lld at most", hy_task_name(group->task), (long long)words,
        (long long)group->words);
  return HYLA_OK;
}

static hyla_status play(const struct hy_subcube_op *group,
                        const struct hy_collective_variant *variant, int root,
                        const struct hy_run *run) {
  struct hy_stack_schedule room;
  const struct hy_schedule *schedule = NULL;
  TRY(hy_subcube_schedule(group, variant, number_of(group, root), &room, &schedule));
  return hy_schedule_run(group->cube, schedule, run);
}

/* Runs a group on a message of one block. */
static hyla_status play_block(const struct hy_subcube_op *group,
                              const struct hy_collective_variant *variant, int root,
                              struct hy_run *run, int64_t words) {
  if (group->cube->address < 0 || words == 0) return HYLA_OK;
  run->blocks.words = words;
  TRY(check(group, words));
  return play(group, variant, root, run);
}

hyla_status hy_subcube_broadcast(const struct hy_subcube_op *group, int root, void *data,
                                 int64_t words) {
  struct hy_run run = run_of(group, data);
  return play_block(group, group->variant, root, &run, words);
}

hyla_status hy_subcube_start(const struct hy_subcube_op *group, int root, void *data,
                             int64_t words) {
  struct hy_run run = run_of(group, data);
  run.blocks.words = words;
  TRY(check(group, words));
  return hy_schedule_start(group->cube, &group->schedules[number_of(group, root)], &run,
                           group->pending);
}

hyla_status hy_subcube_complete(const struct hy_subcube_op *group) {
  return hy_schedule_complete(group->cube, group->pending);
}

hyla_status hy_subcube_reduce(const struct hy_subcube_op *group, int root, void *data,
                              int64_t words, hy_combine *combine, const void *arg) {
  struct hy_run run = run_of(group, data);
  run.combine = combine;
  run.arg = arg;
  return play_block(group, group->variant, root, &run, words);
}

/* The variant of an unplanned all-reduction, by its length. */
static const struct hy_collective_variant *by_length(const struct hy_subcube_op *group,
                                                     int64_t words) {
  int dims = hy_popcount(group->dims);
  bool cuts = dims >= HALVING_DIMS && words >= INT64_C(1) << dims;
  return cuts && words >= (int64_t)(HALVING_FROM / group->size) ? &hy_allreduce_halving
                                                                : &hy_allreduce_doubling;
}

hyla_status hy_subcube_allreduce(const struct hy_subcube_op *group, void *data, int64_t words,
                                 hy_combine *combine, const void *arg) {
  struct hy_run run = run_of(group, data);
  run.combine = combine;
  run.arg = arg;
  return play_block(group, group->variant != NULL ? group->variant : by_length(group, words), 0,
                    &run, words);
}

/* Runs a group on a message of one block for each member. */
static hyla_status play_blocks(const struct hy_subcube_op *group, const int64_t *offsets,
                               struct hy_run *run) {
  if (group->cube->address < 0) return HYLA_OK;
  run->blocks.offsets = offsets;
  TRY(check(group, offsets[INT64_C(1) << hy_popcount(group->dims)]));
  return play(group, group->variant, 0, run);
}

hyla_status hy_subcube_allgather(const struct hy_subcube_op *group, void *data,
                                 const int64_t *offsets) {
  struct hy_run run = run_of(group, data);
  return play_blocks(group, offsets, &run);
}

hyla_status hy_subcube_reduce_scatter(const struct hy_subcube_op *group, void *data,
                                      const int64_t *offsets, hy_combine *combine,
                                      const void *arg) {
  struct hy_run run = run_of(group, data);
  run.combine = combine;
  run.arg = arg;
  return play_blocks(group, offsets, &run);
}

hyla_status hy_subcube_allgather_start(const struct hy_subcube_op *group, void *data,
                                       const int64_t *offsets) {
  struct hy_run run = run_of(group, data);
  run.blocks.offsets = offsets;
  TRY(check(group, offsets[INT64_C(1) << hy_popcount(group->dims)]));
  return hy_schedule_start(group->cube, &group->schedules[0], &run, group->pending);
}

hyla_status hy_subcube_advance(const struct hy_subcube_op *group) {
  return hy_schedule_advance(group->cube, group->pending);
}

int hy_subcube_arrival(const struct hy_subcube_op *group, uint32_t place) {
  const struct hy_schedule *schedule = &group->schedules[0];
  int steps = 0, arrival = 0;
  for (int64_t i = 0; i < schedule->packet_count; i++) {
    const struct hy_packet *packet = &schedule->packets[i];
    steps += i == 0 || packet[-1].step != packet->step;
    for (int64_t j = 0; j < packet->count && packet->action == HY_IN; j++) {
      const struct hy_piece *piece = &schedule->pieces[packet->first + j];
      if (place - piece->block < piece->run) arrival = steps;
    }
  }
  return arrival;
}

hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes) {
  const struct hy_subcube_op group = hy_subcube_plain(cube, dims, HY_TASK_BROADCAST, 1, NULL);
  return hy_subcube_broadcast(&group, root, data, bytes);
}

hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work) {
  const struct hy_subcube_op group = hy_subcube_plain(cube, dims, HY_TASK_REDUCE, size, work);
  return hy_subcube_reduce(&group, root, data, count, combine, arg);
}

hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work) {
  struct hy_subcube_op group;
  TRY(hy_subcube_once(cube, dims, HY_TASK_ALLREDUCE, count, size, work, &group));
  return hy_subcube_allreduce(&group, data, count, combine, arg);
}
