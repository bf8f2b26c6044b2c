/* Runs of operations, and of recursive doubling without an operation.  They stand on the hot path
 * of the factorizations: nothing is allocated, and making a schedule on the stack costs less than
 * one message's start. */
#include "collective/variant.h"

/* From this number of bytes on, unplanned all-reductions use halving.  The limit is the same on
 * every rank, so it must not depend on measurements.  On cubes both variants give equal bits. */
enum { HALVING_FROM = 32768, HALVING_DIMS = 2 };

uint32_t hy_subcube_number(const struct hy_subcube_op *op, int address, int root) {
  const struct hy_collective *what = &op->what;
  const uint32_t members = what->members;
  if (members == 0) return hy_extract((uint32_t)(address ^ root), what->within);
  return (hy_member(op->cube, what->within, address) + members -
          hy_member(op->cube, what->within, root)) %
         members;
}

int hy_subcube_address(const struct hy_subcube_op *op, int root, uint32_t number) {
  const struct hy_collective *what = &op->what;
  if (what->members == 0) return root ^ (int)hy_deposit(number, what->within);
  number = (number + hy_member(op->cube, what->within, root)) % what->members;
  return (root & ~(int)what->within) | (int)hy_member_address(op->cube, what->within, number);
}

static uint32_t number_of(const struct hy_subcube_op *op, int root) {
  return hy_subcube_number(op, op->cube->address, root);
}

static struct hy_run run_of(const struct hy_subcube_op *op, void *data, hy_combine *combine,
                            const void *arg) {
  return (struct hy_run){.dims = op->what.within,
                         .network = op->what.network,
                         .members = op->what.members,
                         .blocks = op->what.blocks,
                         .size = op->what.size,
                         .data = data,
                         .work = op->work,
                         .words = op->words,
                         .scratch = op->scratch,
                         .combine = combine,
                         .arg = arg};
}

/* The argument of combine_counted. */
struct counted {
  hyla_cube *cube;
  const struct hy_combining *how;
};

/* Counts a combination's operations and, if there are data, combines them. */
static void combine_counted(void *into, const void *from, int64_t count, const void *arg) {
  const struct counted *it = arg;
  const struct hy_combining *how = it->how;
  if (how->flops > 0) hy_compute(it->cube, count * how->flops, how->entry, how->complex_type);
  if (!hy_cube_dry(it->cube)) how->combine(into, from, count, how->arg);
}

void hy_subcube_combine(const struct hy_subcube_op *op, void *into, const void *from,
                        int64_t count) {
  const struct counted counted = {op->cube, &op->what.combining};
  combine_counted(into, from, count, &counted);
}

hyla_status hy_subcube_run(const struct hy_subcube_op *op, void *data) {
  const struct counted counted = {op->cube, &op->what.combining};
  const struct hy_run run = run_of(op, data, combine_counted, &counted);
  if (hy_own_number(op->cube, &op->what) < 0) return HYLA_OK;
  return op->flow != NULL ? hy_flow_run(op->cube, op->flow, &run)
                          : hy_schedule_run(op->cube, op->schedules, &run);
}

/* --------------------------------------------------------------- groups -- */

/* Sets the blocks of a group's run: one of `words' words or, with offsets, one for each member. */
static hyla_status set_blocks(const struct hy_subcube_op *op, int64_t words, const int64_t *offsets,
                              struct hy_run *run) {
  if (offsets != NULL) words = offsets[hy_members(&op->what)];
  CHECK(&op->cube->base, words <= op->words, ARGUMENT, "%s of %lld words, planned for %lld at most",
        hy_task_name(op->what.task), (long long)words, (long long)op->words);
  run->blocks = (struct hy_blocks){.words = offsets != NULL ? 0 : words, .offsets = offsets};
  return HYLA_OK;
}

/* On a cube the numbers relative to any root differ by an XOR, which the packets do not see. */
static void set_root(const struct hy_subcube_op *op, int root, struct hy_run *run) {
  if (run->members > 0) run->root = hy_member(op->cube, run->dims, root);
}

static hyla_status play(const struct hy_subcube_op *op, const struct hy_collective_variant *variant,
                        int root, struct hy_run run, int64_t words, const int64_t *offsets) {
  struct hy_stack_schedule room;
  const struct hy_schedule *schedule = NULL;
  if (op->cube->address < 0 || (words == 0 && offsets == NULL)) return HYLA_OK;
  TRY(set_blocks(op, words, offsets, &run));
  set_root(op, root, &run);
  if (variant->lines != NULL && op->schedules == NULL && run.members == 0) {
    bool played;
    TRY(hy_lines_run(op->cube, variant->lines, &run, &played));
    if (played) return HYLA_OK;
    run.together = false; /* members have come once */
  }
  TRY(hy_subcube_schedule(op, variant, number_of(op, root), &room, &schedule));
  return hy_schedule_run(op->cube, schedule, &run);
}

hyla_status hy_subcube_broadcast(const struct hy_subcube_op *op, int root, void *data,
                                 int64_t words) {
  return play(op, op->variant, root, run_of(op, data, NULL, NULL), words, NULL);
}

hyla_status hy_subcube_reduce(const struct hy_subcube_op *op, int root, void *data, int64_t words,
                              hy_combine *combine, const void *arg) {
  return play(op, op->variant, root, run_of(op, data, combine, arg), words, NULL);
}

/* The variant of an unplanned all-reduction, by its length. */
static const struct hy_collective_variant *by_length(const struct hy_subcube_op *op,
                                                     int64_t words) {
  const int dims = op->what.dims;
  if (op->what.members > 0)
    return words >= op->what.members && words >= (int64_t)(HALVING_FROM / op->what.size)
               ? &hy_any_allreduce_halving
               : &hy_any_allreduce_doubling;
  bool cuts = dims >= HALVING_DIMS && words >= INT64_C(1) << dims;
  return cuts && words >= (int64_t)(HALVING_FROM / op->what.size) ? &hy_allreduce_halving
                                                                  : &hy_allreduce_doubling;
}

hyla_status hy_subcube_allreduce(const struct hy_subcube_op *op, void *data, int64_t words,
                                 hy_combine *combine, const void *arg) {
  struct hy_run run = run_of(op, data, combine, arg);
  run.together = true;
  run.silent = op->silent;
  const struct hy_collective_variant *variant =
      op->variant != NULL ? op->variant : by_length(op, words);
  if (words < op->halved_from) variant = &hy_any_allreduce_doubling;
  return play(op, variant, 0, run, words, NULL);
}

hyla_status hy_subcube_allgather(const struct hy_subcube_op *op, void *data,
                                 const int64_t *offsets) {
  return play(op, op->variant, 0, run_of(op, data, NULL, NULL), 0, offsets);
}

hyla_status hy_subcube_reduce_scatter(const struct hy_subcube_op *op, void *data,
                                      const int64_t *offsets, hy_combine *combine,
                                      const void *arg) {
  return play(op, op->variant, 0, run_of(op, data, combine, arg), 0, offsets);
}

/* -------------------------------------------------------- runs in pieces -- */

hyla_status hy_subcube_start(const struct hy_subcube_op *op, int root, void *data, int64_t words) {
  struct hy_run run = run_of(op, data, NULL, NULL);
  TRY(set_blocks(op, words, NULL, &run));
  set_root(op, root, &run);
  return hy_schedule_start(op->cube, &op->schedules[number_of(op, root)], &run, op->pending);
}

hyla_status hy_subcube_allgather_start(const struct hy_subcube_op *op, void *data,
                                       const int64_t *offsets) {
  struct hy_run run = run_of(op, data, NULL, NULL);
  TRY(set_blocks(op, 0, offsets, &run));
  return hy_schedule_start(op->cube, &op->schedules[0], &run, op->pending);
}

hyla_status hy_subcube_advance(const struct hy_subcube_op *op) {
  return hy_schedule_advance(op->cube, op->pending);
}

hyla_status hy_subcube_complete(const struct hy_subcube_op *op) {
  return hy_schedule_complete(op->cube, op->pending);
}

int hy_subcube_arrival(const struct hy_subcube_op *op, uint32_t place) {
  const struct hy_schedule *schedule = &op->schedules[0];
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

/* --------------------------------------------------- recursive doubling -- */

hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes) {
  const struct hy_subcube_op op = hy_subcube_plain(cube, dims, HY_TASK_BROADCAST, 1, NULL);
  return hy_subcube_broadcast(&op, root, data, bytes);
}

hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work) {
  const struct hy_subcube_op op = hy_subcube_plain(cube, dims, HY_TASK_REDUCE, size, work);
  return hy_subcube_reduce(&op, root, data, count, combine, arg);
}

hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work) {
  struct hy_subcube_op op;
  TRY(hy_subcube_once(cube, dims, HY_TASK_ALLREDUCE, count, size, work, &op));
  return hy_subcube_allreduce(&op, data, count, combine, arg);
}
