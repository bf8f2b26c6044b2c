/* Door of the room registry: all families by name, and the creation of cubes, whose options use
 * these names. */
#ifndef HY_REGISTRY_H
#define HY_REGISTRY_H 1

#include "sim/sim.h"
#include "solve/solve.h"

/* The i-th of all families, from 0: first those on matrices, then methods, then collectives; NULL
 * beyond the last. */
const struct hy_family *hy_family_at(int i);

/* Local.  Checks an option's text of forced variants, as "gemm:cannon,lu:partial": every item names
 * an operation and one of its variants.  "=" may stand for ":"; NULL and "" are valid.
 * option: the option's name, for messages.  collectives: the text may name collectives alone;
 * otherwise it may name anything else.  ARGUMENT, with the nearest name. */
hyla_status hy_forced_check(struct hy_base *base, const char *option, const char *text,
                            bool collectives);

/* Local, on one rank of a cube that knows its machine.  The array of rows x cols nodes for the
 * option `array', "auto".  MEMORY, UNSUPPORTED. */
hyla_status hy_array_for_reference(hyla_cube *cube, uint32_t *rows, uint32_t *cols);

#endif
