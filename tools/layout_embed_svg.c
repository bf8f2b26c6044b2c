/* Draws the picture of `hyla layout --embed`: a mesh in planes of its last two axes, a tree in
 * levels, each point with its node's number.  An edge has the colour of the dimension that it
 * crosses; an edge with a longer image is heavy and has its length beside it.  With three axes a
 * line above each plane says what the edges from the plane before cross. */
#include "layout.h"

#include <stdlib.h>

/* Lengths in pixels. */
enum { MARGIN = 24, HEAD = 90, STEP = 52, RADIUS = 17, PLANE_LEAST = 210, KEY = 22 };

static const char *const colours[] = {"#b03a2e", "#1f618d", "#1e8449", "#9a7d0a", "#6c3483",
                                      "#117a65", "#a04000", "#2e4053", "#b9770e", "#7b7d7d"};
enum { COLOURS = sizeof colours / sizeof *colours };

const char *embed_colour(int i) { return colours[i % COLOURS]; }

/* The position of a point in the drawing. */
struct spot {
  double x, y;
};

static int level_of(const hyla_embedding *e, int64_t v) {
  int level = 0;
  for (int64_t above; (above = hyla_embed_parent(e, v)) >= 0; v = above) level++;
  return level;
}

/* A tree's nodes are drawn over the middle of the nodes below them.  In in-order trees their
 * numbers give that; in heaps the bits of their numbers do. */
static struct spot spot_of_tree(const hyla_embedding *e, int64_t v) {
  const int level = level_of(e, v);
  double across = (double)v;
  if (e->kind >= HYLA_TREE_HEAP) {
    const double width = (double)(INT64_C(1) << (e->side[0] - level));
    across = ((double)(v - (INT64_C(1) << level)) + 0.5) * width - 1;
  }
  double close = e->kind == HYLA_TREE_CONTRACTED ? 0.5 : 1;
  return (struct spot){across * close * 0.75 * STEP, level * 1.4 * STEP};
}

/* The distance from the left of one plane to the left of the next. */
static double plane_step(const hyla_embedding *e) {
  const double width = (double)(e->side[e->axes - 1] + 1) * STEP;
  return width > PLANE_LEAST ? width : PLANE_LEAST;
}

static struct spot spot_of(const hyla_embedding *e, const int64_t *point) {
  const int last = e->axes - 1;
  if (embed_is_tree(e)) return spot_of_tree(e, point[0]);
  const int64_t row = last > 0 ? point[last - 1] : 0;
  int64_t plane = 0;
  for (int i = 0; i < last - 1; i++) plane = plane * e->side[i] + point[i];
  return (struct spot){(double)plane * plane_step(e) + (double)point[last] * STEP,
                       (double)row * STEP};
}

/* Draws one edge of the guest; an edge that closes a side is a bow beside the others. */
static void draw_edge(const hyla_embedding *e, struct spot a, struct spot b, int from, int to,
                      FILE *file) {
  const unsigned crossed = (unsigned)(from ^ to);
  const int length = __builtin_popcount(crossed);
  const double x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
  const double away = abs((int)(a.x - b.x)) + abs((int)(a.y - b.y)) > 1.5 * STEP ? 0.45 * STEP : 0;
  const bool bent = !embed_is_tree(e) && away > 0, upright = a.x == b.x;
  const char *colour = length == 1 ? embed_colour(__builtin_ctz(crossed)) : "#17202a";
  const double at_x = x + (bent && upright ? away : 0), at_y = y + (bent && !upright ? away : 0);
  fprintf(file,
          "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" "
          "stroke-width=\"%s\"/>\n",
          a.x, a.y, x + 2 * (at_x - x), y + 2 * (at_y - y), b.x, b.y, colour,
          length > 1 ? "4" : "2");
  if (length < 2) return;
  char text[16];
  snprintf(text, sizeof text, "%d", length);
  layout_label(file, at_x + 4, bent && !upright ? at_y + 14 : at_y - 4, 12, "start", "#17202a",
               text);
}

/* Draws the edges to the neighbours that follow a point. */
static void draw_edges(const hyla_embedding *e, const int64_t *point, FILE *file) {
  const bool closed = e->closed || e->kind == HYLA_TORUS;
  const int node = hyla_embed_node(e, point);
  int64_t other[HYLA_EMBED_AXES];
  if (embed_is_tree(e)) {
    other[0] = hyla_embed_parent(e, point[0]);
    if (other[0] >= 0)
      draw_edge(e, spot_of(e, point), spot_of(e, other), node, hyla_embed_node(e, other), file);
    return;
  }
  for (int i = e->axes > 2 ? e->axes - 2 : 0; i < e->axes; i++) {
    for (int j = 0; j < e->axes; j++) other[j] = point[j];
    other[i]++;
    if (other[i] == e->side[i] && closed && e->side[i] > 2) other[i] = 0;
    if (other[i] < e->side[i])
      draw_edge(e, spot_of(e, point), spot_of(e, other), node, hyla_embed_node(e, other), file);
  }
}

static void draw_point(const hyla_embedding *e, const int64_t *point, FILE *file) {
  const struct spot spot = spot_of(e, point);
  char text[16];
  snprintf(text, sizeof text, "%d", hyla_embed_node(e, point));
  fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"#fdfefe\" stroke=\"#333\"/>\n",
          spot.x, spot.y, RADIUS);
  layout_label(file, spot.x, spot.y + 4, e->dims > 9 ? 10 : 12, "middle", "#111", text);
}

/* Says what the edges along an axis from the plane before to this one cross: one dimension, or at
 * most this number of links; nothing for the first plane. */
static void add_crossing(const hyla_embedding *e, int axis, const int64_t *plane, char text[48]) {
  const bool closed = (e->closed || e->kind == HYLA_TORUS) && e->side[axis] > 2;
  const int last = e->axes - 1;
  int64_t here[HYLA_EMBED_AXES], there[HYLA_EMBED_AXES];
  unsigned crossed = 0;
  int most = 0;
  text[0] = 0;
  if (plane[axis] == 0 && !closed) return;
  for (int i = 0; i < e->axes; i++) here[i] = there[i] = plane[i];
  there[axis] = (plane[axis] + e->side[axis] - 1) % e->side[axis];
  for (int64_t i = 0; i < e->side[last - 1]; i++)
    for (int64_t j = 0; j < e->side[last]; j++) {
      here[last - 1] = there[last - 1] = i;
      here[last] = there[last] = j;
      const unsigned way = (unsigned)(hyla_embed_node(e, here) ^ hyla_embed_node(e, there));
      const int links = __builtin_popcount(way);
      most = links > most ? links : most;
      crossed |= way;
    }
  const bool one = __builtin_popcount(crossed) == 1;
  snprintf(text, 48, one ? ", from %s: dimension %d" : ", from %s: up to %d links",
           plane[axis] > 0 ? "before" : "the last", one ? __builtin_ctz(crossed) : most);
}

/* Draws a plane with its coordinates before the last two.  With three axes it also says what leads
 * to the plane; with more there are several planes before it. */
static void draw_plane(const hyla_embedding *e, int64_t number, FILE *file) {
  int64_t corner[HYLA_EMBED_AXES] = {0};
  char text[128] = "", edges[48] = "";
  size_t at = 0;
  embed_plane(e, number, corner);
  for (int i = 0; i < e->axes - 2; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i > 0 ? ", " : "",
                           (long long)corner[i]);
  if (e->axes == 3) add_crossing(e, 0, corner, edges);
  snprintf(text + at, sizeof text - at, "%s", edges);
  layout_label(file, spot_of(e, corner).x - RADIUS, -RADIUS - 10, 12, "start", "#111", text);
}

static void draw_keys(const hyla_embedding *e, double y, FILE *file) {
  for (int dim = 0; dim < e->dims; dim++) {
    char text[32];
    snprintf(text, sizeof text, "dimension %d", dim);
    fprintf(file, "<path d=\"M%d %.1fh26\" stroke=\"%s\" stroke-width=\"2\"/>\n", MARGIN,
            y + dim * KEY - 4, embed_colour(dim));
    layout_label(file, MARGIN + 34, y + dim * KEY, 13, "start", "#111", text);
  }
}

void embed_draw(const struct embedded *embedded, FILE *file) {
  const hyla_embedding *e = &embedded->e;
  int64_t point[HYLA_EMBED_AXES];
  double right = 0, bottom = 0, width = 0;
  char parts[2][GUEST_TEXT];
  embed_text(embedded, parts);
  embed_first(e, point);
  do {
    const struct spot spot = spot_of(e, point);
    right = spot.x > right ? spot.x : right;
    bottom = spot.y > bottom ? spot.y : bottom;
  } while (embed_next(e, point));
  width = right + MARGIN + PLANE_LEAST > 640 ? right + MARGIN + PLANE_LEAST : 640;
  const double keys = HEAD + bottom + 2 * STEP, height = keys + e->dims * KEY + MARGIN;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          width, height, width, height);
  layout_label(file, MARGIN, 30, 17, "start", "#111", parts[0]);
  layout_label(file, MARGIN, 52, 13, "start", "#111", parts[1]);
  fprintf(file, "<g transform=\"translate(%d %d)\">\n", MARGIN + RADIUS, HEAD + RADIUS);
  int64_t planes = e->axes > 2 ? 1 : 0;
  for (int i = 0; i < e->axes - 2; i++) planes *= e->side[i];
  for (int64_t plane = 0; plane < planes; plane++) draw_plane(e, plane, file);
  embed_first(e, point);
  do draw_edges(e, point, file);
  while (embed_next(e, point));
  embed_first(e, point);
  do draw_point(e, point, file);
  while (embed_next(e, point));
  fprintf(file, "</g>\n");
  draw_keys(e, keys, file);
  fprintf(file, "</svg>\n");
}
