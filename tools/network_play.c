/* hyla explain collective --network: --schedule writes the packets of one variant, and --svg draws
 * the way of one node's block. */
#include "network.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- gathering ---- */

void packets_take(const hyla_network_packet *packet, void *arg) {
  struct packets *p = arg;
  if (p->count == p->capacity && !p->full) {
    const int64_t capacity = p->capacity > 0 ? 2 * p->capacity : 1024;
    hyla_network_packet *larger = realloc(p->packet, (size_t)capacity * sizeof *larger);
    p->full = larger == NULL;
    if (larger) p->packet = larger;
    if (larger) p->capacity = capacity;
  }
  if (!p->full) p->packet[p->count++] = *packet;
}

const char *network_variant(const char *network, const char *name, int i,
                            hyla_network_variant *room) {
  const hyla_collective c = {.name = name, .variant = ""}; /* none is counted */
  if (!network) return hyla_variant_name(name, i);
  if (hyla_network_variant_at(network, &c, NULL, i, room) != HYLA_OK) return NULL;
  return *room->variant ? room->variant : NULL;
}

/* ---- the text ---- */

/* The messages of a node's steps since its last line. */
struct waits {
  int64_t *message;
  int64_t count, capacity;
};

static bool add_wait(struct waits *waits, int64_t message) {
  if (waits->count == waits->capacity) {
    const int64_t capacity = waits->capacity > 0 ? 2 * waits->capacity : 8;
    int64_t *larger = realloc(waits->message, (size_t)capacity * sizeof *larger);
    if (!larger) return false;
    waits->message = larger;
    waits->capacity = capacity;
  }
  waits->message[waits->count++] = message;
  return true;
}

static void end_line(struct waits *waits, FILE *file) {
  if (waits->count > 0) fputs(" after", file);
  for (int64_t i = 0; i < waits->count; i++) fprintf(file, " %lld", (long long)waits->message[i]);
  fputc('\n', file);
  waits->count = 0;
}

static void write_head(const struct packets *p, FILE *file) {
  fprintf(file,
          "hyla schedule 1\n# %s by %s on %s\nnetwork %s\nports all\nswitching store\nalpha %.17g\n"
          "beta %.17g\ngamma 0\nbegin 0\n",
          p->name, p->variant, p->network, p->network, p->alpha, p->beta / sizeof(double));
}

/* Writes one step: what goes out, what comes in, and for what each node then waits. */
static bool write_step(const struct packets *p, int64_t first, int64_t last, struct waits *waits,
                       FILE *file) {
  bool room = true;
  for (int64_t i = first; i < last; i++) {
    const hyla_network_packet *packet = &p->packet[i];
    fprintf(file, "send %lld %d %d %d %lld", (long long)i + 1, packet->node, packet->peer,
            packet->port, (long long)(packet->words * (int64_t)sizeof(double)));
    end_line(&waits[packet->node], file);
  }
  for (int64_t i = first; i < last; i++) {
    const hyla_network_packet *packet = &p->packet[i];
    fprintf(file, "recv %lld %d\n", (long long)i + 1, packet->peer);
    room = room && add_wait(&waits[packet->node], i + 1) && add_wait(&waits[packet->peer], i + 1);
  }
  return room;
}

static bool write_schedule(const void *arg, FILE *file) {
  const struct packets *p = arg;
  struct waits *waits = calloc((size_t)p->nodes, sizeof *waits);
  bool room = waits != NULL;
  if (room) write_head(p, file);
  for (int64_t first = 0, last = 0; first < p->count && room; first = last) {
    while (last < p->count && p->packet[last].step == p->packet[first].step) last++;
    room = write_step(p, first, last, waits, file);
  }
  for (int node = 0; node < p->nodes && room; node++) {
    if (waits[node].count == 0) continue;
    fprintf(file, "wait %d", node);
    end_line(&waits[node], file);
  }
  if (room) fprintf(file, "time %.17g\n", p->time);
  for (int node = 0; node < p->nodes && waits; node++) free(waits[node].message);
  free(waits);
  return room;
}

/* ---- the picture ---- */

enum { CELL = 72, MARGIN = 64, TITLE = 56, RADIUS = 14, LETTER = 11 };

/* A point of the drawing; nodes of one axis stand in a row. */
struct point {
  double x, y;
};

static struct point point_of(const struct packets *p, int node) {
  const int cols = p->axes == 1 ? p->side[0] : p->side[1];
  return (struct point){MARGIN + CELL * (node % cols), TITLE + MARGIN + CELL * (node / cols)};
}

/* An arrow from the edge of one node to that of another, with the step beside it. */
static void arrow(struct point a, struct point b, int step, FILE *file) {
  const double length = hypot(b.x - a.x, b.y - a.y), dx = (b.x - a.x) / length,
               dy = (b.y - a.y) / length;
  const double from = RADIUS + 2, to = length - RADIUS - 5;
  fprintf(file,
          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#1f618d\" "
          "stroke-width=\"1.6\" marker-end=\"url(#a)\"/>\n",
          a.x + from * dx, a.y + from * dy, a.x + to * dx, a.y + to * dy);
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#b03a2e\">%d</text>\n",
          a.x + length / 2 * dx - 9 * dy, a.y + length / 2 * dy + 9 * dx + 4, step);
}

/* A link that wraps round: it leaves one rim and comes in at the other. */
static void draw_packet(const struct packets *p, const hyla_network_packet *packet, FILE *file) {
  struct point a = point_of(p, packet->node), b = point_of(p, packet->peer);
  const double dx = b.x - a.x, dy = b.y - a.y, away = fabs(dx) + fabs(dy);
  if (away < 1.5 * CELL) {
    arrow(a, b, packet->step + 1, file);
    return;
  }
  const struct point out = {a.x - CELL * .75 * dx / away, a.y - CELL * .75 * dy / away};
  const struct point in = {b.x + CELL * .75 * dx / away, b.y + CELL * .75 * dy / away};
  fprintf(file,
          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#1f618d\" "
          "stroke-width=\"1.6\" stroke-dasharray=\"4 3\"/>\n",
          a.x - RADIUS * dx / away, a.y - RADIUS * dy / away, out.x, out.y);
  arrow(in, b, packet->step + 1, file);
}

static bool draw(const void *arg, FILE *file) {
  const struct packets *p = arg;
  const int cols = p->axes == 1 ? p->side[0] : p->side[1], rows = p->nodes / cols;
  fprintf(
      file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
      "font-size=\"%d\" text-anchor=\"middle\">\n<rect width=\"100%%\" height=\"100%%\" "
      "fill=\"#fff\"/>\n<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" "
      "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" "
      "fill=\"#1f618d\"/></marker></defs>\n",
      2 * MARGIN + CELL * (cols - 1), TITLE + 2 * MARGIN + CELL * (rows - 1), LETTER);
  fprintf(file,
          "<g font-size=\"14\" text-anchor=\"start\"><text x=\"16\" y=\"26\">%s by %s on "
          "%s</text>\n<text x=\"16\" y=\"46\">the way of node %d&#8217;s block, with its steps"
          "</text></g>\n",
          p->name, p->variant, p->network, p->root);
  for (int node = 0; node < p->nodes; node++) {
    const struct point at = point_of(p, node);
    fprintf(file,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"#34495e\"/>\n<text "
            "x=\"%.1f\" y=\"%.1f\">%d</text>\n",
            at.x, at.y, RADIUS, node == p->root ? "#f9e79f" : "#eaf2f8", at.x, at.y + 4, node);
  }
  for (int64_t i = 0; i < p->count; i++)
    if (p->packet[i].block == p->root) draw_packet(p, &p->packet[i], file);
  fputs("</svg>\n", file);
  return true;
}

/* ---- files ---- */

/* Reads "4x6" into the sides of an array or torus; false: it is another network. */
static bool read_sides(struct packets *p) {
  const char *at = strchr(p->network, ':');
  if (!at || strncmp(p->network, "folded", 6) == 0) return false;
  for (p->axes = 0; p->axes < 2 && *at; p->axes++) {
    char *end = NULL;
    p->side[p->axes] = (int)strtol(at + 1, &end, 10);
    at = end;
  }
  return *at == '\0';
}

bool network_drawn(const char *network) {
  struct packets p = {.network = network};
  return read_sides(&p);
}

static int write_one(const struct run *run, const char *path, hyla_text_writer *write,
                     const struct packets *p) {
  if (strcmp(path, "-") != 0) return write_whole(run, path, write, p);
  if (write(p, stdout)) return EXIT_DONE;
  tell(run, "%s", hyla_status_text(HYLA_MEMORY));
  return EXIT_USE;
}

int network_write(const struct run *run, const hyla_collective *collective, const int64_t *counts,
                  const char *variant, int nodes) {
  const struct options *options = &run->options;
  hyla_collective c = *collective;
  struct packets p = {.network = options->network,
                      .name = c.name,
                      .variant = variant,
                      .nodes = nodes,
                      .root = c.root,
                      .alpha = c.alpha,
                      .beta = c.beta};
  char reason[256];
  c.variant = variant;
  (void)read_sides(&p);
  hyla_status status = hyla_network_play(options->network, &c, counts, packets_take, &p, &p.time,
                                         reason, sizeof reason);
  if (status == HYLA_OK && p.full) status = HYLA_MEMORY;
  int code = EXIT_DONE;
  if (status != HYLA_OK) {
    tell(run, "%s", *reason ? reason : hyla_status_text(status));
    code = EXIT_USE;
  }
  if (code == EXIT_DONE && options->schedule)
    code = write_one(run, options->schedule, write_schedule, &p);
  if (code == EXIT_DONE && options->svg) code = write_one(run, options->svg, draw, &p);
  free(p.packet);
  return code;
}
