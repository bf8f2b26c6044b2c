/* Draws the picture of `hyla layout`: the matrix with each entry in its owner's colour, and beside
 * it the cube in the same colours, each node with the address bits of its row and column parts. */
#include "layout.h"

#include <math.h>
#include <string.h>

/* Lengths in pixels. */
enum {
  MARGIN = 24,
  TITLE = 44,
  MATRIX = 540, /* the longer side of the matrix, about */
  CELL_MOST = 34,
  INDEX = 11, /* size of the letters left of and above the matrix */
  ROW = 15,   /* distance of their lines */
  GAP = 56
};

/* The largest width of a digit and of a letter of size 1 in the fonts used. */
static const double digit = 0.65, letter = 0.6;

static const char row_colour[] = "#b03a2e", col_colour[] = "#1f618d", rest_colour[] = "#909497";

/* --------------------------------------------------------------- colours -- */

/* A colour from Oklab's lightness, chroma and hue (Ottosson 2020), so that equal steps look
 * equal. */
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

/* A part's lightness and colour: the hue shows the column part, the lightness the row part.  If
 * only one axis is split, neighbouring hues differ in lightness too. */
static double colour_of_part(const struct ownership *o, int p, int q, char text[8]) {
  int rows = ownership_split(&o->layout.row), cols = ownership_split(&o->layout.col);
  int hues = cols > 1 ? cols : rows, hue = cols > 1 ? q : p;
  double lightness = 0.88 - (hues > 4 ? 0.26 * (hue % 3) / 2 : 0);
  if (cols > 1 && rows > 1) lightness = 0.9 - 0.38 * p / (rows - 1);
  colour_of(lightness, 0.115, 0.07 + (double)hue / hues, text);
  return lightness;
}

bool layout_colours(const struct ownership *o, int node, char fill[8], const char **ink) {
  int p, q;
  ownership_parts(o, node, &p, &q);
  if (p < 0) {
    snprintf(fill, 8, "#ffffff");
    *ink = rest_colour;
  } else {
    *ink = colour_of_part(o, p, q, fill) > 0.66 ? "#111" : "#fff";
  }
  return p >= 0;
}

/* ---------------------------------------------------------------- matrix -- */

/* The place of the matrix in the drawing, and its labels. */
struct frame {
  double x, y, cell;
  bool named;   /* cells have room for the owner's number */
  bool upright; /* the columns' codes are written upwards, being wider than the columns */
  int64_t row_step, col_step;
  double code_x; /* right end of the rows' codes */
};

static double digits_width(int64_t most, double size) {
  int digits = 1;
  while (most >= 10) {
    most /= 10;
    digits++;
  }
  return digit * size * digits;
}

/* Every step-th index gets a label, if a label takes `room`. */
static int64_t step_of(double cell, double room) {
  int64_t step = 1;
  while ((double)step * cell < room) step *= 2;
  return step;
}

/* The size of the numbers in cells of this width. */
static double name_size(double cell) { return cell < 24 ? 9 : 12; }

static struct frame frame_of(const struct ownership *o) {
  int64_t longer = o->rows > o->cols ? o->rows : o->cols;
  double cell = fmin(CELL_MOST, (double)MATRIX / (double)longer);
  double name = digits_width(o->nodes - 1, name_size(cell));
  double index = digits_width(o->rows - 1, INDEX), code = digit * INDEX * o->layout.col.dims;
  struct frame frame = {.cell = cell, .named = cell >= ROW && name < cell};
  frame.row_step = step_of(cell, ROW);
  frame.col_step = step_of(cell, fmax(ROW, digits_width(o->cols - 1, INDEX) + 4));
  frame.upright = code + 4 > (double)frame.col_step * cell;
  frame.code_x = MARGIN + digit * INDEX * o->layout.row.dims;
  frame.x = frame.code_x + 8 + index + 6;
  frame.y = TITLE + 8 + 2 * ROW + (frame.upright ? code - INDEX : 0);
  return frame;
}

/* The address bits of an axis' part, highest first; on an array the part's number. */
static void code_of(const struct ownership *o, bool rows, int node, char bits[HYLA_DIMS_MAX + 1]) {
  const hyla_axis *axis = rows ? &o->layout.row : &o->layout.col;
  int part[2];
  ownership_parts(o, node, &part[0], &part[1]);
  bits[0] = '\0';
  if (o->down > 0 && axis->dims > 0) snprintf(bits, HYLA_DIMS_MAX + 1, "%d", part[rows ? 0 : 1]);
  if (o->down > 0) return;
  for (int i = 0; i < axis->dims; i++)
    bits[i] = node >> axis->dim[axis->dims - 1 - i] & 1 ? '1' : '0';
  bits[axis->dims] = 0;
}

void layout_label(FILE *file, double x, double y, double size, const char *anchor,
                  const char *colour, const char *text) {
  fprintf(file,
          "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s"
          "</text>\n",
          x, y, size, anchor, colour, text);
}

static void draw_row_labels(const struct ownership *o, const struct frame *frame, FILE *file) {
  for (int64_t i = 0; i < o->rows; i += frame->row_step) {
    char index[24], code[HYLA_DIMS_MAX + 1];
    double y = frame->y + ((double)i + 0.5) * frame->cell + 4;
    snprintf(index, sizeof index, "%lld", (long long)i);
    code_of(o, true, ownership_node(o, i, 0), code);
    layout_label(file, frame->x - 6, y, INDEX, "end", "#444", index);
    if (*code) layout_label(file, frame->code_x, y, INDEX, "end", row_colour, code);
  }
}

static void draw_col_labels(const struct ownership *o, const struct frame *frame, FILE *file) {
  for (int64_t j = 0; j < o->cols; j += frame->col_step) {
    char index[24], code[HYLA_DIMS_MAX + 1];
    double x = frame->x + ((double)j + 0.5) * frame->cell, y = frame->y - 8 - ROW;
    snprintf(index, sizeof index, "%lld", (long long)j);
    code_of(o, false, ownership_node(o, 0, j), code);
    layout_label(file, x, frame->y - 8, INDEX, "middle", "#444", index);
    if (*code && !frame->upright) layout_label(file, x, y, INDEX, "middle", col_colour, code);
    if (!*code || !frame->upright) continue;
    fprintf(file, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", x + 4, y + 2);
    layout_label(file, 0, 0, INDEX, "start", col_colour, code);
    fprintf(file, "</g>\n");
  }
}

static void draw_cells(const struct ownership *o, const struct frame *frame, FILE *file) {
  for (int64_t i = 0; i < o->rows; i++)
    for (int64_t j = 0; j < o->cols; j++) {
      int node = ownership_node(o, i, j);
      double x = frame->x + (double)j * frame->cell, y = frame->y + (double)i * frame->cell;
      char colour[8], name[16];
      const char *ink;
      layout_colours(o, node, colour, &ink);
      fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x,
              y, frame->cell, frame->cell, colour);
      snprintf(name, sizeof name, "%d", node);
      if (frame->named)
        layout_label(file, x + frame->cell / 2, y + frame->cell / 2 + 4, name_size(frame->cell),
                     "middle", ink, name);
    }
}

/* Draws lines between blocks, where the part changes. */
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

/* ---------------------------------------------------------------- legend -- */

static bool axis_has(const hyla_axis *axis, int dim) {
  for (int i = 0; i < axis->dims; i++)
    if (axis->dim[i] == dim) return true;
  return false;
}

static const char dashed[] = " stroke-dasharray=\"5 4\"";

const char *layout_stroke(const struct ownership *o, int dim, char text[STROKE_TEXT]) {
  bool row = axis_has(&o->layout.row, dim), col = axis_has(&o->layout.col, dim);
  snprintf(text, STROKE_TEXT, "stroke=\"%s\"%s",
           row   ? row_colour
           : col ? col_colour
                 : rest_colour,
           row || col ? "" : dashed);
  return text;
}

/* The meaning of the links' colours, one line each; a line without a colour is a remark. */
struct legend {
  int lines;
  struct {
    const char *colour;
    char text[160];
  } line[5];
};

static double legend_width(const struct legend *legend) {
  size_t longest = 0;
  for (int i = 0; i < legend->lines; i++)
    if (strlen(legend->line[i].text) > longest) longest = strlen(legend->line[i].text);
  return 34 + letter * 13 * (double)longest;
}

/* Adds "what: dimensions 3, 2". */
static void add_key(struct legend *legend, const char *what, const hyla_axis *axis,
                    const char *colour) {
  char list[80] = "";
  size_t length = 0;
  for (int i = axis->dims; i-- > 0;)
    length +=
        (size_t)snprintf(list + length, sizeof list - length, i > 0 ? "%d, " : "%d", axis->dim[i]);
  legend->line[legend->lines].colour = colour;
  snprintf(legend->line[legend->lines].text, sizeof legend->line->text, "%s: %s%s", what,
           axis->dims == 0   ? "not split"
           : axis->dims == 1 ? "dimension "
                             : "dimensions ",
           list);
  legend->lines++;
}

static void add_remark(struct legend *legend, const char *text) {
  legend->line[legend->lines].colour = NULL;
  snprintf(legend->line[legend->lines++].text, sizeof legend->line->text, "%s", text);
}

static const char *code_name(const hyla_axis *axis) {
  if (axis->code == HYLA_BINARY) return "binary";
  return axis->binary > 0 ? "binary-Gray" : "Gray";
}

static struct legend legend_of(const struct ownership *o) {
  const hyla_axis *row = &o->layout.row, *col = &o->layout.col;
  struct legend legend = {.lines = 0};
  hyla_axis rest = {.dims = 0};
  for (int dim = 0; dim < o->dims; dim++)
    if (ownership_others(o) >> dim & 1) rest.dim[rest.dims++] = (uint8_t)dim;
  char what[80];
  snprintf(what, sizeof what, "rows, %s code", code_name(row));
  add_key(&legend, what, row, row_colour);
  snprintf(what, sizeof what, "columns, %s code", code_name(col));
  add_key(&legend, what, col, col_colour);
  bool face = o->layout.rest == HYLA_FACE;
  if (rest.dims > 0)
    add_key(&legend, face ? "only the 0 side holds entries" : "copies", &rest, rest_colour);
  if (o->down > 0) return legend;
  if (o->dims > CUBE_DIMS) {
    snprintf(what, sizeof what, "(cubes are drawn up to %d dimensions, this has %d)", CUBE_DIMS,
             o->dims);
    add_remark(&legend, what);
  } else if (o->dims > PICTURE_DIMS) {
    add_remark(&legend, "between boxes: each node to the one in its place");
  }
  return legend;
}

static void draw_legend(const struct legend *legend, double x, double y, FILE *file) {
  for (int i = 0; i < legend->lines; i++, y += 20) {
    const char *colour = legend->line[i].colour;
    if (colour)
      fprintf(file, "<path d=\"M%.1f %.1fh26\" stroke=\"%s\" stroke-width=\"2.5\"%s/>\n", x, y - 4,
              colour, colour == rest_colour ? dashed : "");
    layout_label(file, colour ? x + 34 : x, y, 13, "start", "#111", legend->line[i].text);
  }
}

void layout_draw(const struct ownership *o, FILE *file) {
  enum { HEAD = TITLE + 12, KEYS = 24, KEY = 20 };
  struct frame frame = frame_of(o);
  struct legend legend = legend_of(o);
  char title[HYLA_LAYOUT_TEXT + 80];
  snprintf(title, sizeof title, "%s: %lld x %lld entries on %d nodes", o->name, (long long)o->rows,
           (long long)o->cols, o->nodes);
  double cube_width = 0, cube_height = 0;
  if (o->down > 0)
    layout_array_size(o, &cube_width, &cube_height);
  else if (o->dims <= CUBE_DIMS)
    layout_cube_size(o->dims, &cube_width, &cube_height);
  double left = frame.x + (double)o->cols * frame.cell + GAP;
  double width = left + fmax(cube_width, legend_width(&legend));
  width = fmax(width, MARGIN + letter * 17 * (double)strlen(title)) + MARGIN;
  double height =
      fmax(frame.y + (double)o->rows * frame.cell, HEAD + cube_height + KEYS + KEY * legend.lines);
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          width, height + MARGIN, width, height + MARGIN);
  layout_label(file, MARGIN, 32, 17, "start", "#111", title);
  draw_cells(o, &frame, file);
  draw_lines(o, &frame, file);
  draw_row_labels(o, &frame, file);
  draw_col_labels(o, &frame, file);
  if (o->down > 0)
    layout_array_draw(o, left, HEAD, file);
  else if (o->dims <= CUBE_DIMS)
    layout_cube_draw(o, left, HEAD, file);
  draw_legend(&legend, left, HEAD + cube_height + KEYS + 12, file);
  fprintf(file, "</svg>\n");
}
