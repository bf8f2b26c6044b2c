/* Door of the room onecall: systems in arrays that ranks hold, from a communicator to the answer in
 * one call (hyla_simple.h).  It uses the other rooms as a program does. */
#ifndef HY_ONECALL_H
#define HY_ONECALL_H 1

#include "registry/registry.h"

#include <hyla_simple.h>

#endif
