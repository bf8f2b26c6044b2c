/* Private to this room: the common part of trials of collectives. */
#ifndef HY_TRIAL_H
#define HY_TRIAL_H 1

#include "collective/variant.h"
#include "hyla_lab.h"

/* Local.  The task of that name; false if no task has it. */
bool hy_trial_task(const char *name, enum hy_task *task);
/* Local.  check: this rank's verdict on the arguments; place: where the result goes.  ARGUMENT.
 * fingerprint: for sound arguments. */
hyla_status hy_trial_check(hyla_cube *cube, const hyla_collective *collective, const void *place);
uint64_t hy_trial_fingerprint(const hyla_collective *collective);
/* Local.  Turns sound arguments into a collective.  Its arrays belong to `owner'.  MEMORY, ARGUMENT
 * (a number is given twice). */
hyla_status hy_trial_describe(hyla_cube *cube, const hyla_collective *collective, void *owner,
                              struct hy_collective *what);

#endif
