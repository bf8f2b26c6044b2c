/* Door of the room catalogue: all families by their names, and the cubes that are made with
 * options which use these names. */
#ifndef HY_CATALOGUE_H
#define HY_CATALOGUE_H 1

#include "sim/sim.h"
#include "solve/solve.h"

/* The i-th family of all, from 0: on matrices, methods, collectives; NULL beyond the last. */
const struct hy_family *hy_family_at(int i);

/* Local.  The verdict on options' text of forced variants, "gemm:cannon,lu:partial" (also with
 * "=" for ":"; NULL and "" are fine): every item names an operation and one of its variants.
 * option: its name, for messages; collectives: only these may be named, else none of these.
 * ARGUMENT, with the nearest name. */
hyla_status hy_forced_check(struct hy_base *base, const char *option, const char *text,
                            bool collectives);

#endif
