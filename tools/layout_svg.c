/* The picture of `hyla layout`: the matrix, each entry in its owner's colour, and the
 * cube beside it in the same colours, each node with the address bits that the parts
 * of its rows and columns are coded in. */
#include "layout.h"

#include <math.h>

/* Lengths in pixels. */
enum {
  MARGIN = 24,
  TITLE = 44,
  MATRIX = 540, /* about the longer side of the matrix */
  CELL_MOST = 34,
  LABELS = 54, /* room for indices and codes at the matrix' left and top */
  GAP = 56,
  EDGE = 138, /* of the cube */
  RADIUS = 20
};

static const char row_colour[] = "#b03a2e", col_colour[] = "#1f618d", rest_colour[] = "#909497";

/* --------------------------------------------------------------- colours -- */

/* From Oklab's lightness, chroma and hue (Ottosson 2020), so that equal steps look equal. */
static void colour_of(double lightness, double chroma, double hue, char text[8]) {
  const double turn = 6.283185307179586;
  double a = chroma * cos(turn * hue), b = chroma * sin(turn * hue);
  double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  const double linear[] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                           -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                           -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
  unsigned byte[3];
  for (int i = 0; i < 3; i++) {
    double x = fmin(fmax(linear[i], 0), 1);
    x = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    byte[i] = (unsigned)lround(255 * x);
  }
  snprintf(text, 8, "#%02x%02x%02x", byte[0] & 255u, byte[1] & 255u, byte[2] & 255u);
}

/* A part's lightness and colour: the hue tells the column part, the lightness the row
 * part.  Where one axis alone is split, neighbours in hue differ in lightness too. */
static double colour_of_part(const struct ownership *o, int p, int q, char text[8]) {
  int rows = 1 << o->layout.row.dims, cols = 1 << o->layout.col.dims;
  int hues = cols > 1 ? cols : rows, hue = cols > 1 ? q : p;
  double lightness = 0.88 - (hues > 4 ? 0.26 * (hue % 3) / 2 : 0);
  if (cols > 1 && rows > 1) lightness = 0.9 - 0.38 * p / (rows - 1);
  colour_of(lightness, 0.115, 0.07 + (double)hue / hues, text);
  return lightness;
}

/* Of what a node is drawn in: the fill, and an ink that is read on it. */
static void colours_of_node(const struct ownership *o, int node, char fill[8], const char **ink) {
  int p, q;
  ownership_parts(o, node, &p, &q);
  if (p < 0) {
    snprintf(fill, 8, "#ffffff");
    *ink = rest_colour;
  } else {
    *ink = colour_of_part(o, p, q, fill) > 0.66 ? "#111" : "#fff";
  }
}

/* ---------------------------------------------------------------- matrix -- */

/* Where the matrix is drawn. */
struct frame {
  double x, y, cell;
  bool named; /* cells are large enough for the owner's number */
};

static struct frame frame_of(const struct ownership *o) {
  int64_t longer = o->rows > o->cols ? o->rows : o->cols;
  double cell = fmin(CELL_MOST, (double)MATRIX / (double)longer);
  return (struct frame){MARGIN + LABELS, TITLE + LABELS, cell, cell >= 15};
}

/* The address bits that an axis' part is coded in, highest first. */
static void code_of(const hyla_axis *axis, int node, char bits[HYLA_DIMS_MAX + 1]) {
  for (int i = 0; i < axis->dims; i++)
    bits[i] = node >> axis->dim[axis->dims - 1 - i] & 1 ? '1' : '0';
  bits[axis->dims] = 0;
}

static void draw_label(FILE *file, double x, double y, double size, const char *anchor,
                       const char *colour, const char *text) {
  fprintf(file,
          "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s"
          "</text>\n",
          x, y, size, anchor, colour, text);
}

/* Every step-th index has a label, where one takes `room`. */
static int64_t step_of(const struct frame *frame, double room) {
  int64_t step = 1;
  while ((double)step * frame->cell < room) step *= 2;
  return step;
}

static void draw_row_labels(const struct ownership *o, const struct frame *frame, FILE *file) {
  for (int64_t i = 0; i < o->rows; i += step_of(frame, 15)) {
    char index[24], code[HYLA_DIMS_MAX + 1];
    double y = frame->y + ((double)i + 0.5) * frame->cell + 4;
    snprintf(index, sizeof index, "%lld", (long long)i);
    code_of(&o->layout.row, ownership_node(o, i, 0), code);
    draw_label(file, frame->x - 6, y, 11, "end", "#444", index);
    draw_label(file, frame->x - 28, y, 11, "end", row_colour, code);
  }
}

static void draw_col_labels(const struct ownership *o, const struct frame *frame, FILE *file) {
  bool fits = 7.0 * o->layout.col.dims <= frame->cell;
  for (int64_t j = 0; j < o->cols; j += step_of(frame, o->cols > 100 ? 26 : 18)) {
    char index[24], code[HYLA_DIMS_MAX + 1];
    double x = frame->x + ((double)j + 0.5) * frame->cell;
    snprintf(index, sizeof index, "%lld", (long long)j);
    code_of(&o->layout.col, ownership_node(o, 0, j), code);
    draw_label(file, x, frame->y - 8, 11, "middle", "#444", index);
    if (fits) draw_label(file, x, frame->y - 24, 11, "middle", col_colour, code);
  }
}

static void draw_cells(const struct ownership *o, const struct frame *frame, FILE *file) {
  for (int64_t i = 0; i < o->rows; i++)
    for (int64_t j = 0; j < o->cols; j++) {
      int node = ownership_node(o, i, j);
      double x = frame->x + (double)j * frame->cell, y = frame->y + (double)i * frame->cell;
      char colour[8], name[16];
      const char *ink;
      colours_of_node(o, node, colour, &ink);
      fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x,
              y, frame->cell, frame->cell, colour);
      snprintf(name, sizeof name, "%d", node);
      if (frame->named)
        draw_label(file, x + frame->cell / 2, y + frame->cell / 2 + 4, frame->cell < 24 ? 9 : 12,
                   "middle", ink, name);
    }
}

/* Lines between blocks: where the part changes. */
static void draw_lines(const struct ownership *o, const struct frame *frame, FILE *file) {
  double width = (double)o->cols * frame->cell, height = (double)o->rows * frame->cell;
  fprintf(file, "<g stroke=\"#333\" stroke-width=\"1\" stroke-opacity=\"0.7\">\n");
  for (int64_t i = 0; i <= o->rows; i++)
    if (i == 0 || i == o->rows || ownership_node(o, i, 0) != ownership_node(o, i - 1, 0))
      fprintf(file, "<path d=\"M%.2f %.2fh%.2f\"/>\n", frame->x, frame->y + (double)i * frame->cell,
              width);
  for (int64_t j = 0; j <= o->cols; j++)
    if (j == 0 || j == o->cols || ownership_node(o, 0, j) != ownership_node(o, 0, j - 1))
      fprintf(file, "<path d=\"M%.2f %.2fv%.2f\"/>\n", frame->x + (double)j * frame->cell, frame->y,
              height);
  fprintf(file, "</g>\n");
}

/* ------------------------------------------------------------------ cube -- */

/* The cube's edges as seen on paper, in units of EDGE, y downwards; found by search: no
 * edge comes nearer to another node than 0.15. */
static const double edges[PICTURE_DIMS][2] = {
    {1, 0}, {0, -1}, {0.46, -0.36}, {1.69, 0.34}, {-0.28, 1.76}};

void layout_place(int node, int dims, double *x, double *y) {
  *x = *y = 0;
  for (int i = 0; i < dims; i++)
    if (node >> i & 1) {
      *x += EDGE * edges[i][0];
      *y += EDGE * edges[i][1];
    }
}

struct box {
  double left, top, right, bottom;
};

static struct box box_of(int dims) {
  struct box box = {0, 0, 0, 0};
  for (int node = 0; node < 1 << dims; node++) {
    double x, y;
    layout_place(node, dims, &x, &y);
    box =
        (struct box){fmin(box.left, x), fmin(box.top, y), fmax(box.right, x), fmax(box.bottom, y)};
  }
  return (struct box){box.left - RADIUS, box.top - RADIUS, box.right + RADIUS, box.bottom + RADIUS};
}

static bool axis_has(const hyla_axis *axis, int dim) {
  for (int i = 0; i < axis->dims; i++)
    if (axis->dim[i] == dim) return true;
  return false;
}

static const char *colour_of_dim(const struct ownership *o, int dim) {
  return axis_has(&o->layout.row, dim)   ? row_colour
         : axis_has(&o->layout.col, dim) ? col_colour
                                         : rest_colour;
}

static void draw_edges(const struct ownership *o, FILE *file) {
  for (int node = 0; node < 1 << o->dims; node++)
    for (int dim = 0; dim < o->dims; dim++) {
      if (node >> dim & 1) continue;
      double x, y, x2, y2;
      layout_place(node, o->dims, &x, &y);
      layout_place(node | 1 << dim, o->dims, &x2, &y2);
      const char *colour = colour_of_dim(o, dim);
      fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"%s/>\n", x, y, x2, y2, colour,
              colour == rest_colour ? " stroke-dasharray=\"5 4\"" : "");
    }
}

static void draw_nodes(const struct ownership *o, FILE *file) {
  for (int node = 0; node < 1 << o->dims; node++) {
    char fill[8], name[16], bits[PICTURE_DIMS + 1] = "";
    const char *ink;
    double x, y;
    layout_place(node, o->dims, &x, &y);
    colours_of_node(o, node, fill, &ink);
    fprintf(file,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\""
            " stroke-width=\"1.5\"/>\n",
            x, y, RADIUS, fill, ink == rest_colour ? rest_colour : "#333");
    snprintf(name, sizeof name, "%d", node);
    for (int i = 0; i < o->dims; i++) bits[i] = node >> (o->dims - 1 - i) & 1 ? '1' : '0';
    draw_label(file, x, y - 1, 13, "middle", ink, name);
    draw_label(file, x, y + 12, o->dims > 4 ? 9.5 : 11, "middle", ink, bits);
  }
}

/* ---------------------------------------------------------------- legend -- */

/* "what: dimensions 3, 2", y being the line's place; returns the next one's. */
static double draw_key(const char *what, const hyla_axis *axis, const char *colour, double x,
                       double y, FILE *file) {
  char text[160], list[80] = "";
  size_t length = 0;
  for (int i = axis->dims; i-- > 0;)
    length +=
        (size_t)snprintf(list + length, sizeof list - length, i > 0 ? "%d, " : "%d", axis->dim[i]);
  snprintf(text, sizeof text, "%s: %s %s", what,
           axis->dims == 0   ? "not split"
           : axis->dims == 1 ? "dimension"
                             : "dimensions",
           list);
  fprintf(file, "<path d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"2.5\"%s/>\n", x, y - 4,
          colour, colour == rest_colour ? " stroke-dasharray=\"5 4\"" : "");
  draw_label(file, x + 34, y, 13, "start", "#111", text);
  return y + 20;
}

static const char *code_name(const hyla_axis *axis) {
  if (axis->code == HYLA_BINARY) return "binary";
  return axis->binary > 0 ? "binary-Gray" : "Gray";
}

static void draw_legend(const struct ownership *o, double x, double y, FILE *file) {
  const hyla_axis *row = &o->layout.row, *col = &o->layout.col;
  hyla_axis rest = {.dims = 0};
  for (int dim = 0; dim < o->dims; dim++)
    if (ownership_others(o) >> dim & 1) rest.dim[rest.dims++] = (uint8_t)dim;
  char what[40];
  snprintf(what, sizeof what, "rows, %s code", code_name(row));
  y = draw_key(what, row, row_colour, x, y, file);
  snprintf(what, sizeof what, "columns, %s code", code_name(col));
  y = draw_key(what, col, col_colour, x, y, file);
  bool face = o->layout.rest == HYLA_FACE;
  if (rest.dims > 0)
    y = draw_key(face ? "only the 0 side holds entries" : "copies", &rest, rest_colour, x, y, file);
  if (o->dims > PICTURE_DIMS) {
    char text[80];
    snprintf(text, sizeof text, "(cubes are drawn up to %d dimensions, this has %d)", PICTURE_DIMS,
             o->dims);
    draw_label(file, x, y, 13, "start", "#111", text);
  }
}

void layout_draw(const struct ownership *o, FILE *file) {
  enum { LEGEND = 90, LEGEND_WIDTH = 330 };
  struct frame frame = frame_of(o);
  bool cube = o->dims <= PICTURE_DIMS;
  struct box box = cube ? box_of(o->dims) : (struct box){0};
  double left = frame.x + (double)o->cols * frame.cell + GAP;
  double cube_width = fmax(box.right - box.left, LEGEND_WIDTH);
  double cube_height = box.bottom - box.top;
  double width = left + cube_width + MARGIN;
  double height = fmax(frame.y + (double)o->rows * frame.cell, TITLE + cube_height + LEGEND);
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          width, height + MARGIN, width, height + MARGIN);
  char title[HYLA_LAYOUT_TEXT + 80];
  snprintf(title, sizeof title, "%s: %lld x %lld entries on %d nodes", o->name, (long long)o->rows,
           (long long)o->cols, 1 << o->dims);
  draw_label(file, MARGIN, 32, 17, "start", "#111", title);
  draw_cells(o, &frame, file);
  draw_lines(o, &frame, file);
  draw_row_labels(o, &frame, file);
  draw_col_labels(o, &frame, file);
  if (cube) {
    fprintf(file, "<g transform=\"translate(%.1f %.1f)\" stroke-width=\"1.6\">\n", left - box.left,
            TITLE + 12 - box.top);
    draw_edges(o, file);
    fprintf(file, "<g stroke-width=\"0\">\n");
    draw_nodes(o, file);
    fprintf(file, "</g>\n</g>\n");
  }
  draw_legend(o, left, TITLE + 12 + cube_height + 36, file);
  fprintf(file, "</svg>\n");
}
