/* Private to this room: the common part of trials of collectives. */
#ifndef HY_TRIAL_H
#define HY_TRIAL_H 1

#include "collective/variant.h"
#include "hyla_lab.h"

/* A collective with the arrays that it points to; it must keep its place in memory. */
struct hy_trial_task {
  struct hy_collective collective;
  uint8_t *active;
  uint8_t *tags;
  int32_t *to;
  uint8_t phases[HYLA_DIMS_MAX];
};

/* Local.  The task of that name; false if no task has it. */
bool hy_trial_task(const char *name, enum hy_task *task);
/* Local.  check: this rank's verdict on the arguments; place: where the result goes.  ARGUMENT.
 * fingerprint: for sound arguments. */
hyla_status hy_trial_check(hyla_cube *cube, const hyla_collective *collective, const void *place);
uint64_t hy_trial_fingerprint(const hyla_collective *collective);
/* Local.  Turns sound arguments into a task; free it also after a failure.  MEMORY. */
hyla_status hy_trial_describe(hyla_cube *cube, const hyla_collective *collective,
                              struct hy_trial_task *task);
void hy_trial_free(struct hy_base *base, struct hy_trial_task *task);

#endif
