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

/* Nodes on paper: a cube of 2^dims, or a drawn array about as large.  nodes_at: an array by number;
 * the first DRAW_FEW are all rows x columns of 1, 2, 3, 5, 6, 7, 9 and 12 nodes, the others have up
 * to 48.  nodes_array: their array for hyla_simulation; "" for a cube. */
enum { DRAW_ARRAY = 24, DRAW_FEW = 22, DRAW_ARRAYS = 27 };
hyla_cube draw_nodes(int dims, bool array);
hyla_cube draw_nodes_at(int index);
/* A drawn array of 1 to 16, 24, 36, 48 or 96 nodes; index: below DRAW_COUNTS. */
enum { DRAW_COUNTS = 20 };
hyla_cube draw_nodes_of_count(int index);
void draw_nodes_array(const hyla_cube *nodes, char array[DRAW_ARRAY]);

#endif
