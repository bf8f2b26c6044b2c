/* Draws layouts; all ranks draw the same, as with harness_draw. */
#ifndef DRAW_H
#define DRAW_H 1

#include "cube/cube.h"
#include "hyla.h"

/* A layout for a cube of cube_dims dimensions, on an array over `used' of them in any order; codes
 * and storage of each axis are drawn, blocks up to 5. */
hyla_layout draw_array_layout(int cube_dims, int used);
/* The same; sometimes the array leaves dimensions unused. */
hyla_layout draw_layout(int cube_dims);
/* The same for nodes that are an array with these sides and address dimensions: an axis takes a
 * side that is no power of two whole or not at all.  NULL: a cube.  whole: no side is left unused.
 */
hyla_layout draw_sides_layout(const struct hy_sides *sides, int dims, bool whole);
/* The same on a cube's nodes, whatever their array is; whole_on: no side is left unused. */
hyla_layout draw_on(const hyla_cube *cube);
hyla_layout draw_whole_on(const hyla_cube *cube);

/* Nodes on paper: a cube of 2^dims, or a drawn array about as large with a side that is no power of
 * two.  nodes_array: their array for hyla_simulation; "" for a cube. */
enum { DRAW_ARRAY = 24 };
hyla_cube draw_nodes(int dims, bool array);
void draw_nodes_array(const hyla_cube *nodes, char array[DRAW_ARRAY]);

#endif
