/* The collectives of the door: recursive doubling, its schedule made on the
 * stack at every call.  They stand on the hot path of the factorizations:
 * nothing is allocated and the schedule costs less than one message's start. */
#include "collective/collective.h"

/* All-reductions of at least so many bytes go by halving, which has twice the
 * steps and, on three dimensions and more, clearly fewer words.  The same on
 * every rank, so it depends on nothing that is measured.  Both give equal bits. */
enum { HALVING_FROM = 32768, HALVING_DIMS = 2 };

/* A generator of recursive doubling over the dimensions of a mask. */
static struct hy_generator over(uint32_t dims) {
  return (struct hy_generator){.dims = hy_popcount(dims)};
}

hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes) {
  if (cube->address < 0 || bytes == 0) return HYLA_OK;
  struct hy_small_schedule room;
  struct hy_schedule *schedule = hy_schedule_in(&room, &cube->base);
  struct hy_generator generator = over(dims);
  uint32_t node = hy_extract((uint32_t)(cube->address ^ root), dims);
  TRY(hy_doubling_broadcast(&generator, node, schedule));
  struct hy_run run = {.dims = dims, .blocks = {.words = bytes}, .size = 1, .data = data};
  return hy_schedule_run(cube, schedule, &run);
}

hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work) {
  if (cube->address < 0 || count == 0) return HYLA_OK;
  struct hy_small_schedule room;
  struct hy_schedule *schedule = hy_schedule_in(&room, &cube->base);
  struct hy_generator generator = over(dims);
  uint32_t node = hy_extract((uint32_t)(cube->address ^ root), dims);
  TRY(hy_doubling_broadcast(&generator, node, schedule));
  hy_schedule_reverse(schedule, HY_ADD);
  struct hy_run run = {.dims = dims,
                       .blocks = {.words = count},
                       .size = size,
                       .data = data,
                       .work = work,
                       .combine = combine,
                       .arg = arg};
  return hy_schedule_run(cube, schedule, &run);
}

hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work) {
  if (cube->address < 0 || count == 0) return HYLA_OK;
  struct hy_small_schedule room;
  struct hy_schedule *schedule = hy_schedule_in(&room, &cube->base);
  struct hy_generator generator = over(dims);
  uint32_t node = hy_extract((uint32_t)cube->address, dims);
  bool cuts = generator.dims >= HALVING_DIMS && count >= INT64_C(1) << generator.dims;
  if (cuts && count >= (int64_t)(HALVING_FROM / size))
    TRY(hy_halving_allreduce(&generator, node, schedule));
  else
    TRY(hy_doubling_allreduce(&generator, node, schedule));
  struct hy_run run = {.dims = dims,
                       .blocks = {.words = count},
                       .size = size,
                       .data = data,
                       .work = work,
                       .combine = combine,
                       .arg = arg};
  return hy_schedule_run(cube, schedule, &run);
}

hyla_status hy_allgather(hyla_cube *cube, uint32_t dims, void *data, const int64_t *offsets) {
  if (cube->address < 0) return HYLA_OK;
  struct hy_small_schedule room;
  struct hy_schedule *schedule = hy_schedule_in(&room, &cube->base);
  struct hy_generator generator = over(dims);
  TRY(hy_doubling_allgather(&generator, hy_extract((uint32_t)cube->address, dims), schedule));
  struct hy_run run = {.dims = dims, .blocks = {.offsets = offsets}, .size = 1, .data = data};
  return hy_schedule_run(cube, schedule, &run);
}
