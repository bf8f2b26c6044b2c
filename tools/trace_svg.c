/* hyla simulate --svg: draws the space-time diagram, with nodes downwards and time across.  A bar
 * stands for computing.  A line stands for a message, from where and when it leaves to where and
 * when it arrives, in the colour of its dimension.  The critical path is black, and dotted where it
 * continues at the same time on another node: one whose message had to pass first, or with which
 * all agreed. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>

enum {
  WIDTH = 1100,
  LEFT = 96,
  TOP = 64,
  RIGHT = 24,
  BOTTOM = 40,
  LANES = 760, /* height that many nodes share */
  LANE_MOST = 56,
  NODES_MOST = 256,
  MESSAGES_MOST = 20000
};

/* Colours by dimension, distinct in grey too (after Okabe and Ito). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#7f3c8d", "#a5aa99"};
enum { COLOURS = sizeof colours / sizeof *colours };
static const char far_colour[] = "#777";

struct frame {
  const struct trace *t;
  double lane; /* height of a node's lane */
  FILE *file;
};

static double across(const struct frame *f, double time) {
  const struct trace *t = f->t;
  double span = t->end > t->begin ? t->end - t->begin : 1;
  return LEFT + (WIDTH - LEFT - RIGHT) * (time - t->begin) / span;
}
static double down(const struct frame *f, int node) { return TOP + f->lane * (node + 0.5); }

const char *trace_too_much(const struct trace *t) {
  int64_t messages = 0;
  for (int64_t i = 0; i < t->count; i++) messages += t->events[i].kind == HYLA_EVENT_MESSAGE;
  if (trace_nodes(t) > NODES_MOST) return "a picture shows up to 256 nodes; --trace takes more";
  if (messages > MESSAGES_MOST)
    return "a picture shows up to 20000 messages; take a smaller problem, or --trace";
  return NULL;
}

static void draw_text(const struct frame *f, double x, double y, int size, const char *anchor,
                      const char *text) {
  fprintf(f->file,
          "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"#111\">%s"
          "</text>\n",
          x, y, size, anchor, text);
}

/* ------------------------------------------------------------------ frame -- */

static void draw_lanes(const struct frame *f) {
  int nodes = trace_nodes(f->t), every = 1;
  while (f->lane * every < 11) every *= 2;
  fputs("<g stroke=\"#ccc\" stroke-width=\"0.6\">\n", f->file);
  for (int node = 0; node < nodes; node++)
    fprintf(f->file, "<path d=\"M%d %.2fH%d\"/>\n", LEFT, down(f, node), WIDTH - RIGHT);
  fputs("</g>\n", f->file);
  for (int node = 0; node < nodes; node += every) {
    char name[48], bits[HYLA_DIMS_MAX + 1];
    for (int i = 0; i < f->t->dims; i++) bits[i] = node >> (f->t->dims - 1 - i) & 1 ? '1' : '0';
    bits[f->t->dims] = 0;
    snprintf(name, sizeof name, "%d  %s", node, bits);
    draw_text(f, LEFT - 8, down(f, node) + 4, 11, "end", name);
  }
}

/* 1, 2 or 5 times a power of ten, so that there are 4 to 9 ticks. */
static double tick_of(double span) {
  double tick = pow(10, floor(log10(span))), count = span / tick;
  return count < 1.6 ? tick / 5 : count < 4 ? tick / 2 : tick;
}

/* Draws the time axis, in microseconds if a unit of time is a second. */
static void draw_axis(const struct frame *f) {
  const struct trace *t = f->t;
  double y = TOP + f->lane * (trace_nodes(t)) + 8, span = t->scale * (t->end - t->begin);
  double tick = span > 0 ? tick_of(span) : 1;
  fprintf(f->file, "<path d=\"M%d %.1fH%d\" stroke=\"#333\" stroke-width=\"1\"/>\n", LEFT, y,
          WIDTH - RIGHT);
  for (int i = 0; i * tick <= span; i++) {
    char text[32];
    double x = across(f, t->begin + i * tick / t->scale);
    snprintf(text, sizeof text, "%.6g", i * tick);
    fprintf(f->file, "<path d=\"M%.1f %.1fv5\" stroke=\"#333\" stroke-width=\"1\"/>\n", x, y);
    draw_text(f, x, y + 19, 11, "middle", text);
  }
  draw_text(f, LEFT - 8, y + 19, 11, "end", t->scale > 1 ? "microseconds" : "time");
}

static bool any_far(const struct trace *t) {
  for (int64_t i = 0; i < t->count; i++) {
    int way = t->events[i].node ^ t->events[i].peer;
    bool far = !t->network && (way & (way - 1)) != 0;
    if (t->events[i].kind == HYLA_EVENT_MESSAGE && far) return true;
  }
  return false;
}

static void draw_legend(const struct frame *f) {
  double x = LEFT;
  for (int dim = 0, links = trace_links(f->t); dim < links; dim++) {
    char text[24];
    fprintf(f->file, "<path d=\"M%.1f 46h22\" stroke=\"%s\" stroke-width=\"3\"/>\n", x,
            colours[dim % COLOURS]);
    snprintf(text, sizeof text, "%s%d", dim > 0 ? "" : f->t->network ? "port " : "dimension ", dim);
    draw_text(f, x + 27, 50, 11, "start", text);
    x += dim == 0 ? 108 : 50;
  }
  if (any_far(f->t)) {
    fprintf(f->file, "<path d=\"M%.1f 46h22\" stroke=\"%s\" stroke-width=\"3\"/>\n", x, far_colour);
    draw_text(f, x + 27, 50, 11, "start", "several");
    x += 82;
  }
  fprintf(f->file, "<rect x=\"%.1f\" y=\"41\" width=\"22\" height=\"9\" fill=\"#bbb\"/>\n", x);
  draw_text(f, x + 27, 50, 11, "start", "computing");
  fprintf(f->file, "<path d=\"M%.1f 46h22\" stroke=\"#000\" stroke-width=\"2\"/>\n", x + 100);
  draw_text(f, x + 127, 50, 11, "start", "critical path");
}

/* ----------------------------------------------------------------- events -- */

static const char *colour_of(const struct trace *t, const hyla_event *e) {
  if (t->network) return colours[e->port % COLOURS];
  int way = e->node ^ e->peer, dim = 0;
  if ((way & (way - 1)) != 0) return far_colour;
  while (way >> dim != 1) dim++;
  return colours[dim % COLOURS];
}

static void draw_bars(const struct frame *f) {
  double height = f->lane * 0.4;
  fputs("<g fill=\"#bbb\">\n", f->file);
  for (int64_t i = 0; i < f->t->count; i++) {
    const hyla_event *e = &f->t->events[i];
    if (e->kind != HYLA_EVENT_COMPUTE) continue;
    double x = across(f, e->begin);
    fprintf(f->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", x,
            down(f, e->node) - height / 2, across(f, e->end) - x, height);
  }
  fputs("</g>\n", f->file);
}

static void draw_messages(const struct frame *f) {
  fputs("<g stroke-width=\"1.1\" stroke-opacity=\"0.85\">\n", f->file);
  for (int64_t i = 0; i < f->t->count; i++) {
    const hyla_event *e = &f->t->events[i];
    if (e->kind != HYLA_EVENT_MESSAGE) continue;
    fprintf(f->file,
            "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\"><title>%d to %d, %lld bytes, %g to %g"
            "</title></path>\n",
            across(f, e->begin), down(f, e->node), across(f, e->end), down(f, e->peer),
            colour_of(f->t, e), e->node, e->peer, (long long)e->bytes, e->begin, e->end);
  }
  fputs("</g>\n", f->file);
}

static int end_of(const struct trace_step *step) {
  return step->kind == HYLA_EVENT_MESSAGE ? step->peer : step->node;
}

/* Draws the critical path; false: no memory. */
static bool draw_path(const struct frame *f) {
  struct trace_step *steps = malloc((size_t)(f->t->count + 1) * sizeof *steps);
  int64_t count = steps ? trace_path(f->t, steps, f->t->count + 1) : -1;
  fputs("<g stroke=\"#000\" stroke-width=\"2\" fill=\"none\" id=\"critical-path\">\n", f->file);
  for (int64_t i = 0; i < count; i++) {
    double x = across(f, steps[i].begin), y = down(f, steps[i].node);
    fprintf(f->file, "<path d=\"M%.2f %.2fL%.2f %.2f\"/>\n", x, y, across(f, steps[i].end),
            down(f, end_of(&steps[i])));
    if (i + 1 == count || end_of(&steps[i + 1]) == steps[i].node) continue;
    fprintf(f->file, "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke-dasharray=\"2 3\"/>\n", x,
            down(f, end_of(&steps[i + 1])), x, y);
  }
  fputs("</g>\n", f->file);
  free(steps);
  return count >= 0;
}

bool trace_draw(const void *arg, FILE *file) {
  const struct trace *t = arg;
  int nodes = trace_nodes(t);
  double lane = (double)LANES / nodes;
  struct frame f = {t, lane < LANE_MOST ? lane : LANE_MOST, file};
  double height = TOP + f.lane * nodes + BOTTOM;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d "
          "%.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          WIDTH, height, WIDTH, height);
  draw_text(&f, LEFT, 26, 16, "start", t->title);
  draw_lanes(&f);
  draw_legend(&f);
  draw_bars(&f);
  draw_messages(&f);
  bool drawn = draw_path(&f);
  draw_axis(&f);
  fputs("</svg>\n", file);
  return drawn;
}
