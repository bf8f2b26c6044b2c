/* Draws the array of nodes beside a matrix in the picture of `hyla layout', each node in the colour
 * of its entries, with its number and its place.  Lines join neighbours in a row and in a column.
 */
#include "layout.h"

#include <math.h>

/* Lengths in pixels: a node's radius, and the most distance of two; many nodes stand closer. */
enum { RADIUS = 20, APART = 74, WIDEST = 900 };

static double distance(const struct ownership *o) {
  const int longer = o->down > o->along ? o->down : o->along;
  return fmin(APART, (double)WIDEST / longer);
}

static double radius(const struct ownership *o) { return fmin(RADIUS, 0.4 * distance(o)); }

void layout_array_size(const struct ownership *o, double *width, double *height) {
  *width = (o->along - 1) * distance(o) + 2 * radius(o);
  *height = (o->down - 1) * distance(o) + 2 * radius(o);
}

static void draw_line(const struct ownership *o, int row, int col, bool down, FILE *file) {
  char stroke[STROKE_TEXT];
  const double step = distance(o);
  int bits = 0;
  while (1 << bits < o->along) bits++; /* the columns' dimensions are the lowest */
  fprintf(file, "<path d=\"M%.1f %.1f%s%.1f\" %s/>\n", col * step, row * step, down ? "v" : "h",
          step, layout_stroke(o, down ? bits : 0, stroke));
}

static void draw_node(const struct ownership *o, int node, FILE *file) {
  char fill[8], name[16], place[PLACE_TEXT];
  const char *ink;
  const double x = node % o->along * distance(o), y = node / o->along * distance(o), r = radius(o);
  const bool empty = !layout_colours(o, node, fill, &ink);
  fprintf(file,
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\" "
          "stroke-width=\"1\"/>\n",
          x, y, r, fill, empty ? "#909497" : "#333");
  snprintf(name, sizeof name, "%d", node);
  ownership_place(o, node, place);
  layout_label(file, x, y - 0.05 * r, 0.65 * r, "middle", ink, name);
  layout_label(file, x, y + 0.55 * r, 0.5 * r, "middle", ink, place);
}

void layout_array_draw(const struct ownership *o, double left, double top, FILE *file) {
  fprintf(file, "<g transform=\"translate(%.1f %.1f)\" stroke-width=\"1.6\">\n", left + radius(o),
          top + radius(o));
  for (int node = 0; node < o->nodes; node++) {
    const int row = node / o->along, col = node % o->along;
    if (col + 1 < o->along) draw_line(o, row, col, false, file);
    if (row + 1 < o->down) draw_line(o, row, col, true, file);
  }
  fprintf(file, "<g stroke-width=\"0\">\n");
  for (int node = 0; node < o->nodes; node++) draw_node(o, node, file);
  fprintf(file, "</g>\n</g>\n");
}
