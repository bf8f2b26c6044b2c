/* Draws the picture of `hyla layout --network`: a mesh in planes of its last two axes, a cube of up
 * to 5 dimensions as cubes are drawn, a larger one round a circle.  A link has the colour of its
 * axis or dimension; a drawn one, and that to all other bits, is broken; one that leads one way has
 * an arrow. */
#include "layout.h"

#include <math.h>

/* Lengths in pixels. */
enum { MARGIN = 24, HEAD = 96, STEP = 56, RADIUS = 17, PLANE_LEAST = 210, KEY = 22 };

struct spot {
  double x, y;
};

static double plane_step(const hyla_topology *n) {
  const double width = (double)(n->side[n->axes - 1] + 1) * STEP;
  return width > PLANE_LEAST ? width : PLANE_LEAST;
}

static struct spot spot_of(const hyla_topology *n, int node) {
  struct spot spot = {0, 0};
  if (n->mesh) {
    const int64_t across = n->side[n->axes - 1], rows = n->axes > 1 ? n->side[n->axes - 2] : 1;
    spot.x = (double)(node / (across * rows)) * plane_step(n) + (double)(node % across) * STEP;
    spot.y = (double)(node / across % rows) * STEP;
  } else if (n->axes <= PICTURE_DIMS) {
    layout_place(node, n->axes, &spot.x, &spot.y);
  } else {
    const double turn = 6.283185307179586, nodes = (double)n->nodes, round = 2.6 * RADIUS * nodes;
    spot.x = round / turn * sin(turn * node / nodes);
    spot.y = -round / turn * cos(turn * node / nodes);
  }
  return spot;
}

/* Is the link broken, as one that is not the cube's? */
static bool is_far(const hyla_topology *n, int port) { return !n->mesh && port == n->axes; }

static int colour_of(const hyla_topology *n, int port) { return n->mesh ? port / 2 : port; }

static void draw_link(const hyla_topology *n, int node, int port, FILE *file) {
  const int peer = hyla_topology_peer(n, node, port), back = hyla_topology_back(n, node, port);
  if (peer < 0 || (back >= 0 && (peer < node || (peer == node && back < port)))) return;
  if (n->mesh && port / 2 < n->axes - 2) return; /* between planes */
  const struct spot a = spot_of(n, node), b = spot_of(n, peer);
  const double length = hypot(b.x - a.x, b.y - a.y), cut = RADIUS / length;
  const double bend = n->mesh && length > 1.5 * STEP ? 0.45 * STEP : 0;
  const struct spot from = {a.x + (b.x - a.x) * cut, a.y + (b.y - a.y) * cut};
  const struct spot to = {b.x - (b.x - a.x) * cut, b.y - (b.y - a.y) * cut};
  const double x = (a.x + b.x) / 2 + (a.x == b.x ? 2 * bend : 0);
  const double y = (a.y + b.y) / 2 + (a.x == b.x ? 0 : 2 * bend);
  fprintf(file,
          "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" "
          "stroke-width=\"2\"%s%s/>\n",
          from.x, from.y, x, y, to.x, to.y, embed_colour(colour_of(n, port)),
          is_far(n, port) ? " stroke-dasharray=\"5 4\"" : "",
          back < 0 ? " marker-end=\"url(#arrow)\"" : "");
}

static void draw_node(const hyla_topology *n, int node, FILE *file) {
  const struct spot spot = spot_of(n, node);
  char text[16];
  snprintf(text, sizeof text, "%d", node);
  fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"#fdfefe\" stroke=\"#333\"/>\n",
          spot.x, spot.y, RADIUS);
  layout_label(file, spot.x, spot.y + 4, n->nodes > 1000 ? 10 : 12, "middle", "#111", text);
}

static void draw_planes(const hyla_topology *n, FILE *file) {
  const int64_t plane = n->axes > 1 ? n->side[n->axes - 1] * n->side[n->axes - 2] : n->nodes;
  for (int64_t node = 0; n->axes > 2 && node < n->nodes; node += plane) {
    char text[80];
    size_t at = 0;
    int64_t rest = n->nodes, place = node;
    for (int a = 0; a < n->axes - 2; a++) {
      rest /= n->side[a];
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", a > 0 ? ", " : "",
                             (long long)(place / rest));
      place %= rest;
    }
    layout_label(file, spot_of(n, (int)node).x - RADIUS, -RADIUS - 10, 12, "start", "#111", text);
  }
}

static void draw_keys(const hyla_topology *n, double y, FILE *file) {
  const int keys = n->mesh ? n->axes : n->ports;
  for (int i = 0; i < keys; i++) {
    const bool between = n->mesh && i < n->axes - 2;
    char text[64];
    snprintf(text, sizeof text, "%s %d%s",
             n->mesh        ? "axis"
             : is_far(n, i) ? "port"
                            : "dimension",
             i, between ? ", from plane to plane: not drawn" : "");
    fprintf(file, "<path d=\"M%d %.1fh26\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", MARGIN,
            y + i * KEY - 4, embed_colour(i), is_far(n, i) ? " stroke-dasharray=\"5 4\"" : "");
    layout_label(file, MARGIN + 34, y + i * KEY, 13, "start", "#111", text);
  }
}

/* The corners of all nodes' places. */
static void find_corners(const hyla_topology *n, struct spot *low, struct spot *high) {
  *low = *high = spot_of(n, 0);
  for (int node = 1; node < n->nodes; node++) {
    const struct spot spot = spot_of(n, node);
    *low = (struct spot){fmin(low->x, spot.x), fmin(low->y, spot.y)};
    *high = (struct spot){fmax(high->x, spot.x), fmax(high->y, spot.y)};
  }
}

void topology_draw(const struct drawn_topology *d, FILE *file) {
  const hyla_topology *n = &d->n;
  struct spot low, high;
  char text[160];
  find_corners(n, &low, &high);
  const double width = fmax(high.x - low.x + 2 * (MARGIN + RADIUS) + STEP, 640);
  const double keys = HEAD + high.y - low.y + 2 * RADIUS + 1.5 * STEP;
  const double height = keys + (n->mesh ? n->axes : n->ports) * KEY + MARGIN;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"5\" "
          "markerHeight=\"5\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker>"
          "</defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          width, height, width, height);
  snprintf(text, sizeof text, "%s: %lld nodes", n->name, (long long)n->nodes);
  layout_label(file, MARGIN, 30, 17, "start", "#111", text);
  snprintf(text, sizeof text, "%lld links %s, diameter %d, mean distance %.4g, bisection %s%lld",
           (long long)n->links / (n->two_way ? 2 : 1), n->two_way ? "both ways" : "counted one way",
           d->ways.farthest, (double)d->ways.shortest / (double)d->ways.pairs,
           n->bisection < 0 ? "at most " : "",
           (long long)(n->bisection < 0 ? n->cut : n->bisection) / (n->two_way ? 2 : 1));
  layout_label(file, MARGIN, 52, 13, "start", "#111", text);
  fprintf(file, "<g transform=\"translate(%.1f %.1f)\">\n", MARGIN + RADIUS - low.x,
          HEAD + RADIUS - low.y);
  if (n->mesh) draw_planes(n, file);
  for (int node = 0; node < n->nodes; node++)
    for (int port = 0; port < n->ports; port++) draw_link(n, node, port, file);
  for (int node = 0; node < n->nodes; node++) draw_node(n, node, file);
  fprintf(file, "</g>\n");
  draw_keys(n, keys, file);
  fprintf(file, "</svg>\n");
}
