/* Two all-gathers at the same time: a step of both is started before either is waited for. */
#include "solve/papers/two_gathers.h"

/* The number of advances after which all blocks of a group's all-gather have arrived. */
static int steps_of(const struct hy_subcube_op *group) {
  uint32_t members = hy_members(&group->what);
  int steps = 0;
  for (uint32_t x = 0; x < members && members > 1; x++)
    steps = (int)hy_max(steps, hy_subcube_arrival(group, x));
  return steps;
}

hyla_status hy_gather_two(const struct hy_gathering gathering[2]) {
  const int steps[] = {steps_of(gathering[0].group), steps_of(gathering[1].group)};
  for (int i = 0; i < 2; i++)
    if (steps[i] > 0)
      TRY(hy_subcube_allgather_start(gathering[i].group, gathering[i].data, gathering[i].offsets));
  for (int step = 1; step <= hy_max(steps[0], steps[1]); step++)
    for (int i = 0; i < 2; i++)
      if (step <= steps[i]) TRY(hy_subcube_advance(gathering[i].group));
  for (int i = 0; i < 2; i++)
    if (steps[i] > 0) TRY(hy_subcube_complete(gathering[i].group));
  return HYLA_OK;
}
