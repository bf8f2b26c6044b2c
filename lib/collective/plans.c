/* The calls of hyla_collective.h that plan, one for each operation. */
#include "collective/planned.h"

hyla_status hyla_broadcast_plan(hyla_cube *cube, const hyla_message *message, int root,
                                hyla_plan **plan) {
  const struct hy_request r = {__func__, message,
                               .what = {.task = HY_TASK_BROADCAST, .root = (uint32_t)root}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_reduce_plan(hyla_cube *cube, const hyla_message *message,
                             const hyla_reduction *reduction, int root, hyla_plan **plan) {
  const struct hy_request r = {__func__, message,
                               .what = {.task = HY_TASK_REDUCE, .root = (uint32_t)root},
                               .reduction = reduction};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_scatter_plan(hyla_cube *cube, const hyla_message *message, int root,
                              hyla_plan **plan) {
  const struct hy_request r = {__func__, message,
                               .what = {.task = HY_TASK_SCATTER, .root = (uint32_t)root}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_gather_plan(hyla_cube *cube, const hyla_message *message, int root,
                             hyla_plan **plan) {
  const struct hy_request r = {__func__, message,
                               .what = {.task = HY_TASK_GATHER, .root = (uint32_t)root}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_allgather_plan(hyla_cube *cube, const hyla_message *message, hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_ALLGATHER}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_reduce_scatter_plan(hyla_cube *cube, const hyla_message *message,
                                     const hyla_reduction *reduction, hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_REDUCE_SCATTER},
                               .reduction = reduction};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_allreduce_plan(hyla_cube *cube, const hyla_message *message,
                                const hyla_reduction *reduction, hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_ALLREDUCE},
                               .reduction = reduction};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_partial_plan(hyla_cube *cube, const hyla_message *message, const bool *active,
                              hyla_plan **plan) {
  const struct hy_request r = {
      __func__, message, .what = {.task = HY_TASK_PARTIAL, .active = (const uint8_t *)active}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_partial_exchange_plan(hyla_cube *cube, const hyla_message *message,
                                       const bool *active, hyla_plan **plan) {
  const struct hy_request r = {
      __func__, message,
      .what = {.task = HY_TASK_PARTIAL_EXCHANGE, .active = (const uint8_t *)active}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_partial_gather_plan(hyla_cube *cube, const hyla_message *message,
                                     const bool *active, hyla_plan **plan) {
  const struct hy_request r = {
      __func__, message,
      .what = {.task = HY_TASK_PARTIAL_GATHER, .active = (const uint8_t *)active}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_window_plan(hyla_cube *cube, const hyla_message *message, int dims,
                             hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_WINDOW, .window = dims}};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_exchange_plan(hyla_cube *cube, const hyla_message *message, const int *phases,
                               int phase_count, hyla_plan **plan) {
  const struct hy_request r = {__func__, message,
                               .what = {.task = HY_TASK_EXCHANGE, .phase_count = phase_count},
                               .phases = phases};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_exchange_near_plan(hyla_cube *cube, const hyla_message *message, int nearest,
                                    int farthest, hyla_plan **plan) {
  const struct hy_request r = {__func__,
                               message,
                               {.task = HY_TASK_EXCHANGE, .nearest = nearest, .farthest = farthest},
                               .extra = HY_NEAR};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_exchange_tags_plan(hyla_cube *cube, const hyla_message *message, const bool *tags,
                                    hyla_plan **plan) {
  const struct hy_request r = {__func__,
                               message,
                               {.task = HY_TASK_EXCHANGE, .tags = (const uint8_t *)tags},
                               .extra = HY_TAGS};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_exchange_band_plan(hyla_cube *cube, const hyla_message *message, int b,
                                    hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_EXCHANGE, .band = b},
                               .extra = HY_BAND};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_exchange_bands_plan(hyla_cube *cube, const hyla_message *message, int b,
                                     int matrices, hyla_plan **plan) {
  const struct hy_request r = {__func__,
                               message,
                               {.task = HY_TASK_BAND_EXCHANGE, .band = b, .matrices = matrices},
                               .extra = HY_BANDS};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_broadcast_bands_plan(hyla_cube *cube, const hyla_message *message, int b,
                                      int matrices, hyla_plan **plan) {
  const struct hy_request r = {__func__,
                               message,
                               {.task = HY_TASK_BAND_BROADCAST, .band = b, .matrices = matrices},
                               .extra = HY_BANDS};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_permute_plan(hyla_cube *cube, const hyla_message *message, const int *to,
                              hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_PERMUTE, .to = to},
                               .extra = HY_TARGETS};
  return hy_plan_request(cube, &r, plan);
}

hyla_status hyla_rotate_plan(hyla_cube *cube, const hyla_message *message, hyla_code code,
                             int64_t places, hyla_plan **plan) {
  const struct hy_request r = {__func__, message, .what = {.task = HY_TASK_PERMUTE}, .code = code,
                               .places = places};
  return hy_plan_request(cube, &r, plan);
}

static int dims_for(int ranks, int b) {
  bool cube = ranks >= 1 && (ranks & (ranks - 1)) == 0 && ranks >> HYLA_DIMS_MAX <= 1;
  int dims = cube ? hy_log2_floor((uint32_t)ranks) : -1;
  return b >= 0 && b < hy_max(dims, 1) ? dims : -1;
}

int hyla_band_column(int ranks, int b, int rank) {
  int dims = dims_for(ranks, b);
  return dims < 0 || rank < 0 || rank >= ranks ? -1
                                               : (int)hy_banded_column(dims, b, (uint32_t)rank);
}

/* The rank that holds in the first matrix what this rank holds in another one; `back': the
 * reverse. */
static int turned(int ranks, int b, int matrix, int rank, bool back) {
  int dims = dims_for(ranks, b);
  if (dims < 0 || rank < 0 || rank >= ranks || matrix < 0) return -1;
  if (dims == 0) return rank;
  int places = (int)((int64_t)matrix * b % dims);
  return (int)hy_rotate((uint32_t)rank, back ? dims - places : places, dims);
}

int hyla_bands_column(int ranks, int b, int matrix, int rank) {
  return hyla_band_column(ranks, b, turned(ranks, b, matrix, rank, true));
}

int hyla_bands_rank(int ranks, int b, int matrix, int column) {
  return turned(ranks, b, matrix, hyla_band_rank(ranks, b, column), false);
}

int hyla_band_rank(int ranks, int b, int column) {
  int dims = dims_for(ranks, b);
  return dims < 0 || column < 0 || column >= ranks ? -1
                                                   : (int)hy_banded_node(dims, b, (uint32_t)column);
}
