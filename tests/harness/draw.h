/* Draws layouts; all ranks draw the same, as with harness_draw. */
#ifndef DRAW_H
#define DRAW_H 1

#include "hyla.h"

/* A layout for a cube of cube_dims dimensions, on an array over `used' of them in any order; codes
 * and storage of each axis are drawn, blocks up to 5. */
hyla_layout draw_array_layout(int cube_dims, int used);
/* The same; sometimes the array leaves dimensions unused. */
hyla_layout draw_layout(int cube_dims);

#endif
