/* Shared by the files of `hyla layout`. */
#ifndef TOOL_LAYOUT_H
#define TOOL_LAYOUT_H 1

#include "tool.h"

#include <stdio.h>

/* A matrix without entries: its layout on a cube, or on an array of nodes. */
struct ownership {
  hyla_layout layout;
  char name[HYLA_LAYOUT_TEXT];
  int dims;               /* of the cube; on an array the bits of an address */
  int nodes, down, along; /* the array's rows and columns; 0 on a cube */
  int64_t rows, cols;
};

/* The dimensions of the cube that split neither axis, as a mask. */
uint32_t ownership_others(const struct ownership *o);

/* The number of parts of an axis. */
int ownership_split(const hyla_axis *axis);

/* The node that holds an entry, on the face; the parts of a node, -1 if it holds none. */
int ownership_node(const struct ownership *o, int64_t row, int64_t col);
void ownership_parts(const struct ownership *o, int node, int *row_part, int *col_part);

/* Writes where a node is: its address as 0s and 1s, or on an array its row and column. */
enum { PLACE_TEXT = 24 };
void ownership_place(const struct ownership *o, int node, char place[PLACE_TEXT]);
/* Writes the address of a node as 0s and 1s. */
void format_bits(int node, int dims, char bits[HYLA_DIMS_MAX + 1]);

/* Draws the matrix by owner and, up to CUBE_DIMS dimensions, the cube beside it. */
enum { CUBE_DIMS = 8, STROKE_TEXT = 64 };
void layout_draw(const struct ownership *o, FILE *file);

/* Draws a cube of up to CUBE_DIMS dimensions alone, with this upper left corner; its size. */
void layout_cube_draw(const struct ownership *o, double left, double top, FILE *file);
void layout_cube_size(int dims, double *width, double *height);

/* The same for an array of nodes. */
void layout_array_draw(const struct ownership *o, double left, double top, FILE *file);
void layout_array_size(const struct ownership *o, double *width, double *height);

/* The position of a node in the drawing of a cube of up to PICTURE_DIMS dimensions, in points from
 * node 0. */
enum { PICTURE_DIMS = 5 };
void layout_place(int node, int dims, double *x, double *y);

/* The colours of a node: the fill, and a readable ink on it; false if the node holds nothing. */
bool layout_colours(const struct ownership *o, int node, char fill[8], const char **ink);

/* The attributes of a link of this dimension. */
const char *layout_stroke(const struct ownership *o, int dim, char text[STROKE_TEXT]);

void layout_label(FILE *file, double x, double y, double size, const char *anchor,
                  const char *colour, const char *text);

/* hyla layout --embed KIND: for meshes and trees; for graphs and blocks.  Returns the exit code. */
int layout_embed(const struct run *run);
int layout_sparse(const struct run *run);

/* An embedding, as text and as picture.  text: two lines.  next: goes to the next point in
 * row-major order, or to the next node of a tree; false behind the last. */
struct embedded {
  hyla_embedding e;
  int congestion;
};
enum { GUEST_TEXT = 256 };
void embed_text(const struct embedded *embedded, char parts[2][GUEST_TEXT]);
bool embed_is_tree(const hyla_embedding *e);
bool embed_next(const hyla_embedding *e, int64_t *point);
/* The coordinates before the last two for the plane with this number, the last of them fastest. */
void embed_plane(const hyla_embedding *e, int64_t plane, int64_t *point);
void embed_first(const hyla_embedding *e, int64_t point[HYLA_EMBED_AXES]);
void embed_draw(const struct embedded *embedded, FILE *file);

/* The colour of the links over a dimension or along an axis. */
const char *embed_colour(int i);

/* hyla layout --network NAME, with --distances, --exchanges, --permutations: each returns the exit
 * code.  whole: the ways are those between all nodes. */
struct drawn_topology {
  hyla_topology n;
  hyla_topology_ways ways;
  bool whole;
};
enum { TOPOLOGY_ROUND = 128 }; /* the most nodes of a picture of a network that is no mesh */
int layout_network(const struct run *run);
int topology_distances(const struct run *run, const hyla_topology *last);
int topology_exchanges(const struct run *run, const hyla_topology *last);
int topology_permutations(const struct run *run, const hyla_topology *first);
bool topology_is_torus(const hyla_topology *n);
/* The ways from some nodes, evenly spread.  MEMORY. */
hyla_status topology_measure(const hyla_topology *n, int64_t sources, hyla_topology_ways *ways);
void topology_draw(const struct drawn_topology *d, FILE *file);
/* hyla layout --embed paths:A,B.  Returns the exit code. */
int layout_paths(const struct run *run);

/* hyla layout --codes N. */
void layout_print_codes(int dims);

#endif
