/* Layouts drawn at random: the same on all ranks, as harness_draw is. */
#ifndef DRAW_H
#define DRAW_H 1

#include "hyla.h"

/* A layout for a cube of so many dimensions, on an array over `used` of them in any order,
 * with codes and storage of each axis drawn, blocks up to 5. */
hyla_layout draw_array_layout(int cube_dims, int used);
/* The same; now and then dimensions are left over. */
hyla_layout draw_layout(int cube_dims);

#endif
