/* Draws the cube beside a matrix in the picture of `hyla layout`.  A cube of up to 5 dimensions is
 * drawn as one.  A larger one is drawn as boxes, each a 4-cube of the lowest dimensions.  The boxes
 * form a grid, in the order of a Gray code along both sides, so that boxes that differ in one bit
 * are in one row or column.  A line between two boxes stands for a link of each node to the node in
 * the same place in the other box. */
#include "layout.h"

#include <math.h>

/* Lengths in pixels. */
enum {
  RADIUS = 20,
  EDGE = 138,
  SMALL_RADIUS = 15, /* of nodes in boxes */
  SMALL_EDGE = 100,
  INNER = 4, /* dimensions of a box */
  PAD = 14,
  HEAD = 24, /* of a box, for its title */
  LANE = 34  /* between and around boxes, for the links from the last to the first */
};

/* The cube's edges as drawn, in units of its edge, y downwards.  They were found by search: no edge
 * comes nearer to another node than 0.15. */
static const double edges[PICTURE_DIMS][2] = {
    {1, 0}, {0, -1}, {0.46, -0.36}, {1.69, 0.34}, {-0.28, 1.76}};

static void place_at(int node, int dims, double edge, double *x, double *y) {
  *x = *y = 0;
  for (int i = 0; i < dims; i++)
    if (node >> i & 1) {
      *x += edge * edges[i][0];
      *y += edge * edges[i][1];
    }
}

void layout_place(int node, int dims, double *x, double *y) { place_at(node, dims, EDGE, x, y); }

/* ------------------------------------------------------------ one cube -- */

/* A drawn cube of `dims` dimensions, whose nodes have these higher bits. */
struct drawn {
  const struct ownership *o;
  int dims, higher;
  double edge, left, top; /* position of node 0 */
  int radius, name, bits; /* size of nodes, of their names and of their bits */
};

struct box {
  double left, top, right, bottom;
};

static struct box box_of(int dims, double edge, int radius) {
  struct box box = {0, 0, 0, 0};
  for (int node = 0; node < 1 << dims; node++) {
    double x, y;
    place_at(node, dims, edge, &x, &y);
    box =
        (struct box){fmin(box.left, x), fmin(box.top, y), fmax(box.right, x), fmax(box.bottom, y)};
  }
  return (struct box){box.left - radius, box.top - radius, box.right + radius, box.bottom + radius};
}

static void draw_edges(const struct drawn *d, FILE *file) {
  for (int node = 0; node < 1 << d->dims; node++)
    for (int dim = 0; dim < d->dims; dim++) {
      if (node >> dim & 1) continue;
      char stroke[STROKE_TEXT];
      double x, y, x2, y2;
      place_at(node, d->dims, d->edge, &x, &y);
      place_at(node | 1 << dim, d->dims, d->edge, &x2, &y2);
      fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", d->left + x, d->top + y,
              d->left + x2, d->top + y2, layout_stroke(d->o, dim, stroke));
    }
}

static void draw_nodes(const struct drawn *d, FILE *file) {
  for (int node = 0; node < 1 << d->dims; node++) {
    char fill[8], name[16], bits[HYLA_DIMS_MAX + 1];
    const char *ink;
    double x, y;
    place_at(node, d->dims, d->edge, &x, &y);
    x += d->left;
    y += d->top;
    bool empty = !layout_colours(d->o, d->higher + node, fill, &ink);
    fprintf(file,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\""
            " stroke-width=\"1.5\"/>\n",
            x, y, d->radius, fill, empty ? ink : "#333");
    snprintf(name, sizeof name, "%d", d->higher + node);
    format_bits(node, d->dims, bits);
    layout_label(file, x, y - 1, d->name, "middle", ink, name);
    if (*bits) layout_label(file, x, y - 1 + d->name, d->bits, "middle", ink, bits);
  }
}

/* --------------------------------------------------------------- boxes -- */

static int gray(int number) { return number ^ number >> 1; }

/* The numbers of boxes beside and above each other, as exponents of 2. */
static int across(int dims) { return (dims - INNER + 1) / 2; }
static int down(int dims) { return (dims - INNER) / 2; }

static void box_size(double *width, double *height) {
  struct box box = box_of(INNER, SMALL_EDGE, SMALL_RADIUS);
  *width = box.right - box.left + 2 * PAD;
  *height = box.bottom - box.top + 2 * PAD + HEAD;
}

/* The upper left corner of the box in this column and row. */
static void box_place(int column, int row, double *x, double *y) {
  double width, height;
  box_size(&width, &height);
  *x = LANE + column * (width + LANE);
  *y = LANE + row * (height + LANE);
}

static int box_number(int dims, int column, int row) {
  return (gray(row) << across(dims) | gray(column)) << INNER;
}

static void draw_box(const struct ownership *o, int column, int row, FILE *file) {
  double x, y, width, height;
  int first = box_number(o->dims, column, row), last = first + (1 << INNER) - 1;
  box_size(&width, &height);
  box_place(column, row, &x, &y);
  char title[80], bits[HYLA_DIMS_MAX + 1];
  format_bits(first >> INNER, o->dims - INNER, bits);
  snprintf(title, sizeof title, "%s....: nodes %d to %d", bits, first, last);
  fprintf(file,
          "<path d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\" fill=\"none\" stroke=\"#909497\" "
          "stroke-width=\"1\"/>\n",
          x, y, width, height, -width);
  layout_label(file, x + PAD, y + 17, 13, "start", "#111", title);
  struct box box = box_of(INNER, SMALL_EDGE, SMALL_RADIUS);
  struct drawn d = {.o = o,
                    .dims = INNER,
                    .higher = first,
                    .edge = SMALL_EDGE,
                    .left = x + PAD - box.left,
                    .top = y + HEAD + PAD - box.top,
                    .radius = SMALL_RADIUS,
                    .name = 10,
                    .bits = 9};
  draw_edges(&d, file);
  fprintf(file, "<g stroke-width=\"0\">\n");
  draw_nodes(&d, file);
  fprintf(file, "</g>\n");
}

/* Draws the links of one row (or column) of boxes, each to the next box, and with four boxes also
 * from the last to the first. */
static void draw_links(const struct ownership *o, bool is_row, int which, FILE *file) {
  int bits = is_row ? across(o->dims) : down(o->dims), count = 1 << bits;
  int lowest = INNER + (is_row ? 0 : across(o->dims));
  char stroke[STROKE_TEXT];
  double x, y, width, height;
  box_size(&width, &height);
  for (int i = 0; i + 1 < count; i++) {
    int dim = lowest + (gray(i) ^ gray(i + 1)) / 2;
    box_place(is_row ? i : which, is_row ? which : i, &x, &y);
    if (is_row)
      fprintf(file, "<path d=\"M%.1f %.1fh%d\" %s/>\n", x + width, y + height / 2, LANE,
              layout_stroke(o, dim, stroke));
    else
      fprintf(file, "<path d=\"M%.1f %.1fv%d\" %s/>\n", x + width / 2, y + height, LANE,
              layout_stroke(o, dim, stroke));
  }
  if (count < 4) return;
  double x2, y2, turn = LANE / 2.0;
  box_place(is_row ? 0 : which, is_row ? which : 0, &x, &y);
  box_place(is_row ? count - 1 : which, is_row ? which : count - 1, &x2, &y2);
  if (is_row)
    fprintf(file, "<path d=\"M%.1f %.1fv%.1fH%.1fv%.1f\" %s fill=\"none\"/>\n", x + width / 4, y,
            -turn, x2 + width * 3 / 4, turn, layout_stroke(o, lowest + 1, stroke));
  else
    fprintf(file, "<path d=\"M%.1f %.1fh%.1fV%.1fh%.1f\" %s fill=\"none\"/>\n", x, y + height / 4,
            -turn, y2 + height * 3 / 4, turn, layout_stroke(o, lowest + 1, stroke));
}

static void draw_boxes(const struct ownership *o, FILE *file) {
  int columns = 1 << across(o->dims), rows = 1 << down(o->dims);
  fprintf(file, "<g stroke-width=\"4\">\n");
  for (int row = 0; row < rows; row++) draw_links(o, true, row, file);
  for (int column = 0; column < columns; column++) draw_links(o, false, column, file);
  fprintf(file, "</g>\n");
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) draw_box(o, column, row, file);
}

/* ---------------------------------------------------------------- both -- */

void layout_cube_size(int dims, double *width, double *height) {
  if (dims > PICTURE_DIMS) {
    box_place(1 << across(dims), 1 << down(dims), width, height);
    return;
  }
  struct box box = box_of(dims, EDGE, RADIUS);
  *width = box.right - box.left;
  *height = box.bottom - box.top;
}

void layout_cube_draw(const struct ownership *o, double left, double top, FILE *file) {
  struct box box = box_of(o->dims > PICTURE_DIMS ? 0 : o->dims, EDGE, RADIUS);
  bool boxes = o->dims > PICTURE_DIMS;
  fprintf(file, "<g transform=\"translate(%.1f %.1f)\" stroke-width=\"1.6\">\n",
          boxes ? left : left - box.left, boxes ? top : top - box.top);
  if (boxes) {
    draw_boxes(o, file);
  } else {
    struct drawn d = {.o = o,
                      .dims = o->dims,
                      .edge = EDGE,
                      .radius = RADIUS,
                      .name = 13,
                      .bits = o->dims > 4 ? 9 : 11};
    draw_edges(&d, file);
    fprintf(file, "<g stroke-width=\"0\">\n");
    draw_nodes(&d, file);
    fprintf(file, "</g>\n");
  }
  fprintf(file, "</g>\n");
}
