/* What the files of `hyla layout` share. */
#ifndef TOOL_LAYOUT_H
#define TOOL_LAYOUT_H 1

#include "tool.h"

#include <stdio.h>

/* A matrix on a cube, on paper. */
struct ownership {
  hyla_layout layout;
  char name[HYLA_LAYOUT_TEXT];
  int dims; /* of the cube */
  int64_t rows, cols;
};

/* The dimensions of the cube that split neither axis, as a mask. */
uint32_t ownership_others(const struct ownership *o);

/* The node of an entry, on the face; the parts of a node, -1 where it holds nothing. */
int ownership_node(const struct ownership *o, int64_t row, int64_t col);
void ownership_parts(const struct ownership *o, int node, int *row_part, int *col_part);

/* The address of a node as a text of 0 and 1. */
void format_bits(int node, int dims, char bits[HYLA_DIMS_MAX + 1]);

/* Draws the matrix by owner and, up to CUBE_DIMS dimensions, the cube beside it. */
enum { CUBE_DIMS = 8, STROKE_TEXT = 64 };
void layout_draw(const struct ownership *o, FILE *file);

/* The cube of up to CUBE_DIMS dimensions alone, from this corner on; how large it is. */
void layout_cube_draw(const struct ownership *o, double left, double top, FILE *file);
void layout_cube_size(int dims, double *width, double *height);

/* Where a node of a cube of up to PICTURE_DIMS dimensions stands on paper, in points from node 0.
 */
enum { PICTURE_DIMS = 5 };
void layout_place(int node, int dims, double *x, double *y);

/* Of what a node is drawn in: the fill, and an ink that is read on it; false: it holds nothing. */
bool layout_colours(const struct ownership *o, int node, char fill[8], const char **ink);

/* The attributes of a link of this dimension. */
const char *layout_stroke(const struct ownership *o, int dim, char text[STROKE_TEXT]);

void layout_label(FILE *file, double x, double y, double size, const char *anchor,
                  const char *colour, const char *text);

/* hyla layout --embed KIND, of meshes and trees, and of graphs and blocks; returns the exit code.
 */
int layout_embed(const struct run *run);
int layout_sparse(const struct run *run);

/* An embedding that has been made, as a text and as a picture.  next: to the next point in
 * row-major order, or the next node of a tree; false behind the last.  parts: two lines. */
struct embedded {
  hyla_embedding e;
  int congestion;
};
enum { GUEST_TEXT = 256 };
void embed_text(const struct embedded *embedded, char parts[2][GUEST_TEXT]);
bool embed_is_tree(const hyla_embedding *e);
bool embed_next(const hyla_embedding *e, int64_t *point);
/* The coordinates before the last two of a plane by its number, the last of them fastest. */
void embed_plane(const hyla_embedding *e, int64_t plane, int64_t *point);
void embed_first(const hyla_embedding *e, int64_t point[HYLA_EMBED_AXES]);
void embed_draw(const struct embedded *embedded, FILE *file);

/* hyla layout --codes N. */
void layout_print_codes(int dims);

#endif
