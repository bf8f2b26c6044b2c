/* Door of the room onecall: systems and eigenproblems in arrays that ranks hold, from a
 * communicator to the answer in one call (hyla_simple.h).  It uses the other rooms as a program
 * does. */
#ifndef HY_ONECALL_H
#define HY_ONECALL_H 1

#include "registry/registry.h"

#include <hyla_simple.h>

/* Local.  The answer of a call that ended with this status and info; its numbers are NaN.  cube:
 * NULL if none could be made.  answer: may be NULL. */
void hy_onecall_tell(const hyla_cube *cube, hyla_status status, int64_t info, hyla_answer *answer);

#endif
