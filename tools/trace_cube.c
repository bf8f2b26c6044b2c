/* hyla simulate --cube-svg: draws the cube with the load of each link, and its messages step by
 * step.
 *
 * A link is thicker and darker the more bytes it carries, so that the picture can be read in grey
 * too.  A step is everything that starts at one time; SMIL shows each for a second. */
#include "layout.h"
#include "trace.h"

#include <math.h>
#include <stdlib.h>

enum { DIMS_MOST = 5, STEPS_MOST = 60, MARGIN = 70, NODE = 13 };

struct picture {
  const struct trace *t;
  FILE *file;
  double left, top; /* of node 0 */
  double *times;    /* of the steps, ascending */
  int steps;
  int64_t most; /* bytes over one link */
  int64_t load[1 << DIMS_MOST][DIMS_MOST];
};

const char *trace_cube_too_much(const struct trace *t) {
  if (t->network) return "--cube-svg draws cubes; --svg and --trace take any network";
  return t->dims <= DIMS_MOST ? NULL : "a cube is drawn to 5 dimensions; --trace takes more";
}

/* ----------------------------------------------------------------- counting -- */

/* Adds a message's bytes to each link on its way; the link's lower end keeps both directions. */
static void add_load(struct picture *p, const hyla_event *e) {
  int at = e->node;
  for (int dim = 0; dim < p->t->dims; dim++) {
    if (((e->node ^ e->peer) >> dim & 1) == 0) continue;
    int64_t *load = &p->load[at & ~(1 << dim)][dim];
    *load += e->bytes;
    if (*load > p->most) p->most = *load;
    at ^= 1 << dim;
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Finds loads and times; false: no memory. */
static bool survey(struct picture *p) {
  const struct trace *t = p->t;
  int64_t count = 0;
  p->times = malloc((size_t)(t->count + 1) * sizeof *p->times);
  if (!p->times) return false;
  for (int64_t i = 0; i < t->count; i++) {
    if (t->events[i].kind != HYLA_EVENT_MESSAGE) continue;
    add_load(p, &t->events[i]);
    p->times[count++] = t->events[i].begin;
  }
  qsort(p->times, (size_t)count, sizeof *p->times, by_value);
  for (int64_t i = 0; i < count && p->steps < STEPS_MOST; i++)
    if (p->steps == 0 || p->times[i] != p->times[p->steps - 1]) p->times[p->steps++] = p->times[i];
  return true;
}

/* ------------------------------------------------------------------ drawing -- */

static void point(const struct picture *p, int node, double *x, double *y) {
  layout_place(node, p->t->dims, x, y);
  *x += p->left;
  *y += p->top;
}

static void draw_text(const struct picture *p, double x, double y, int size, const char *anchor,
                      const char *text) {
  fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\">%s</text>\n", x,
          y, size, anchor, text);
}

/* Draws a line in a blue from light to dark. */
static void draw_line(const struct picture *p, double x, double y, double to_x, double to_y,
                      double part) {
  int red = (int)(205 - 197 * part), green = (int)(213 - 165 * part),
      blue = (int)(222 - 115 * part);
  fprintf(p->file,
          "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#%02x%02x%02x\" stroke-width=\"%.1f\"/>\n", x,
          y, to_x, to_y, (unsigned)red, (unsigned)green, (unsigned)blue, 1.5 + 7.5 * part);
}

static void draw_links(const struct picture *p) {
  for (int node = 0; node < 1 << p->t->dims; node++)
    for (int dim = 0; dim < p->t->dims; dim++) {
      double x, y, to_x, to_y;
      if (node >> dim & 1) continue;
      point(p, node, &x, &y);
      point(p, node | 1 << dim, &to_x, &to_y);
      draw_line(p, x, y, to_x, to_y,
                p->most > 0 ? (double)p->load[node][dim] / (double)p->most : 0);
    }
}

static void draw_nodes(const struct picture *p) {
  for (int node = 0; node < 1 << p->t->dims; node++) {
    char name[16];
    double x, y;
    point(p, node, &x, &y);
    snprintf(name, sizeof name, "%d", node);
    fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"#fff\" stroke=\"#333\"/>\n",
            x, y, NODE);
    draw_text(p, x, y + 4, 12, "middle", name);
  }
}

/* Draws an arrow beside the link's middle line, so that both directions are seen, short of the
 * nodes. */
static void draw_hop(const struct picture *p, int from, int to) {
  double x, y, to_x, to_y;
  point(p, from, &x, &y);
  point(p, to, &to_x, &to_y);
  double length = hypot(to_x - x, to_y - y), u = (to_x - x) / length, v = (to_y - y) / length;
  double aside = 5, short_of = NODE + 3;
  fprintf(p->file, "<path d=\"M%.1f %.1fL%.1f %.1f\" marker-end=\"url(#head)\"/>\n",
          x + u * short_of - v * aside, y + v * short_of + u * aside,
          to_x - u * (short_of + 5) - v * aside, to_y - v * (short_of + 5) + u * aside);
}

static void draw_message(const struct picture *p, const hyla_event *e) {
  int at = e->node;
  for (int dim = 0; dim < p->t->dims; dim++) {
    if (((e->node ^ e->peer) >> dim & 1) == 0) continue;
    draw_hop(p, at, at ^ 1 << dim);
    at ^= 1 << dim;
  }
}

/* Draws a step, which is shown for one second of the loop. */
static void draw_step(const struct picture *p, int step, double y) {
  const struct trace *t = p->t;
  char text[96];
  fputs("<g stroke=\"#c0392b\" stroke-width=\"2.2\" visibility=\"hidden\">\n", p->file);
  fprintf(
      p->file,
      "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"%ds\" "
      "repeatCount=\"indefinite\" values=\"hidden;visible;hidden\" keyTimes=\"0;%.6f;%.6f\"/>\n",
      p->steps, (double)step / p->steps, (step + 1.0) / p->steps);
  for (int64_t i = 0; i < t->count; i++)
    if (t->events[i].kind == HYLA_EVENT_MESSAGE && t->events[i].begin == p->times[step])
      draw_message(p, &t->events[i]);
  snprintf(text, sizeof text, "step %d of %d, at %.6g", step + 1, p->steps,
           t->scale * (p->times[step] - t->begin));
  fputs("<g stroke=\"none\" fill=\"#c0392b\">\n", p->file);
  draw_text(p, 20, y, 14, "start", text);
  fputs("</g></g>\n", p->file);
}

static void draw_legend(const struct picture *p, double y) {
  char text[64];
  for (int i = 0; i <= 4; i++) draw_line(p, 22 + 34 * i, y, 50 + 34 * i, y, i / 4.0);
  snprintf(text, sizeof text, "0 to %lld bytes over a link", (long long)p->most);
  draw_text(p, 200, y + 4, 12, "start", text);
}

static void draw(struct picture *p) {
  double right = 0, bottom = 0, low_x = 0, low_y = 0;
  for (int node = 0; node < 1 << p->t->dims; node++) {
    double x, y;
    layout_place(node, p->t->dims, &x, &y);
    low_x = fmin(low_x, x);
    low_y = fmin(low_y, y);
    right = fmax(right, x);
    bottom = fmax(bottom, y);
  }
  p->left = MARGIN - low_x;
  p->top = MARGIN + 20 - low_y;
  double width = fmax(p->left + right + MARGIN, 640), height = p->top + bottom + MARGIN + 50;
  fprintf(
      p->file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
      "%.0f\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#111\">\n"
      "<defs><marker id=\"head\" orient=\"auto\" markerWidth=\"6\" markerHeight=\"6\" refX=\"2\" "
      "refY=\"2.5\"><path d=\"M0 0L5 2.5L0 5z\" fill=\"#c0392b\"/></marker></defs>\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
      width, height, width, height);
  draw_text(p, 20, 26, 13, "start", p->t->title);
  draw_links(p);
  draw_nodes(p);
  draw_legend(p, height - 50);
  for (int step = 0; step < p->steps; step++) draw_step(p, step, height - 18);
  fputs("</svg>\n", p->file);
}

bool trace_cube_draw(const void *trace, FILE *file) {
  struct picture *p = calloc(1, sizeof *p);
  bool done = p != NULL;
  if (done) {
    p->t = trace;
    p->file = file;
    done = survey(p);
    if (done) draw(p);
    free(p->times);
  }
  free(p);
  return done;
}
