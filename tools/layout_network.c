/* hyla layout --network NAME: prints a network of other kinds than a cube, too: its nodes, ports
 * and links, and the figures of the whole.  --distances, --exchanges and --permutations are in
 * layout_network_tables.c. */
#include "layout.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

/* The most nodes in each form, in a row of the text, and for ways between all. */
enum { TEXT_MOST = 1024, SIDE_MOST = 32, JSON_MOST = 65536, ALL_PAIRS = 4096 };

/* The nodes from which ways are searched: all of a small network, else a part, evenly spread. */
static int64_t sources_of(const hyla_topology *n) {
  const int64_t some = INT64_C(1) << 22;
  if (n->nodes <= ALL_PAIRS) return n->nodes;
  return some / n->nodes > 1 ? some / n->nodes : 1;
}

hyla_status topology_measure(const hyla_topology *n, int64_t sources, hyla_topology_ways *ways) {
  int32_t *work = malloc((size_t)n->nodes * (size_t)(n->ports + 2) * sizeof *work);
  const hyla_status status = work ? hyla_topology_measure(n, sources, work, ways) : HYLA_MEMORY;
  free(work);
  return status;
}

/* ------------------------------------------------------------------ text -- */

static const char *links_text(const hyla_topology *n, int64_t links, char text[64]) {
  if (n->two_way)
    snprintf(text, 64, "%lld, each in both directions", (long long)links / 2);
  else
    snprintf(text, 64, "%lld, counted one way", (long long)links);
  return text;
}

static void print_figures(const struct drawn_topology *d) {
  const hyla_topology *n = &d->n;
  const double pairs = (double)d->ways.pairs;
  char text[64];
  printf("%s: %lld node%s, at most %d link%s from a node\n", n->name, (long long)n->nodes,
         n->nodes == 1 ? "" : "s", n->degree, n->degree == 1 ? "" : "s");
  printf("links          %s\n", links_text(n, n->links, text));
  printf("diameter       %d%s\n", d->ways.farthest,
         d->whole ? "" : ", of the ways that were searched");
  printf("mean distance  %.6g", (double)d->ways.shortest / pairs);
  if (d->ways.routed != d->ways.shortest)
    printf(", by self-routing %.6g, at most %d", (double)d->ways.routed / pairs, d->ways.longest);
  printf(d->whole ? " (over all pairs, a node with itself too)\n"
                  : " (from %lld of the nodes to all)\n",
         (long long)(d->ways.pairs / n->nodes));
  if (n->bisection >= 0)
    printf("bisection      %s\n", links_text(n, n->bisection, text));
  else
    printf("bisection      at most %s, over the highest bit\n", links_text(n, n->cut, text));
}

/* The columns of a node's number in the text. */
static int width_of(const hyla_topology *n) {
  return snprintf(NULL, 0, "%lld", (long long)n->nodes - 1);
}

/* Prints the links along the axis before the last: a stroke below each node that has one, or above
 * for links that close the axis. */
static void print_strokes(const hyla_topology *n, int64_t first, int port) {
  const int last = n->axes - 1, width = width_of(n);
  printf("%s", topology_is_torus(n) ? "   " : "");
  for (int64_t x = 0; x < n->side[last]; x++) {
    const bool linked = hyla_topology_peer(n, (int)(first + x), port) >= 0;
    printf("%s%*s", x > 0 ? "    " : "", width, linked ? "|" : "");
  }
  printf("\n");
}

/* Prints the nodes from this one on along the last axis; strokes at the ends close it. */
static void print_row(const hyla_topology *n, int64_t first) {
  const int last = n->axes - 1, width = width_of(n);
  const bool torus = topology_is_torus(n), closed = torus && n->side[last] > 2;
  printf("%s", closed ? "-- " : torus ? "   " : "");
  for (int64_t x = 0; x < n->side[last]; x++)
    printf("%s%*lld", x > 0 ? " -- " : "", width, (long long)(first + x));
  printf("%s\n", closed ? " --" : "");
}

static void print_mesh(const hyla_topology *n) {
  const int last = n->axes - 1;
  const int64_t rows = last > 0 ? n->side[last - 1] : 1, across = n->side[last];
  const bool closed = last > 0 && topology_is_torus(n) && rows > 2;
  for (int64_t plane = 0; plane < n->nodes / (rows * across); plane++) {
    const int64_t corner = plane * rows * across;
    printf("\n");
    if (n->axes > 2) printf("coordinate%s ", n->axes > 3 ? "s" : "");
    int64_t rest = n->nodes / (rows * across), place = plane;
    for (int a = 0; a < last - 1; a++) {
      rest /= n->side[a];
      printf("%s%lld", a > 0 ? ", " : "", (long long)(place / rest));
      place %= rest;
    }
    if (n->axes > 2) printf("\n");
    const int up = 2 * (last - 1), down = up + 1;
    if (closed) print_strokes(n, corner, down);
    for (int64_t y = 0; y < rows; y++) {
      if (y > 0) print_strokes(n, corner + (y - 1) * across, up);
      print_row(n, corner + y * across);
    }
    if (closed) print_strokes(n, corner, down);
  }
  if (n->axes > 2)
    printf("\nplanes that follow each other are joined node by node%s\n",
           topology_is_torus(n) ? ", the last and the first of more than two too" : "");
}

static void print_ports(const hyla_topology *n) {
  const int width = width_of(n) > 4 ? width_of(n) : 4;
  const int bits_width = n->axes > 7 ? n->axes : 7;
  printf("\n%*s  %-*s  over port", width, "node", bits_width, "address");
  for (int port = 0; port < n->ports; port++) printf(" %*d", width, port);
  printf("\n");
  for (int node = 0; node < n->nodes; node++) {
    char bits[HYLA_DIMS_MAX + 1];
    format_bits(node, n->axes, bits);
    printf("%*d  %-*s  %9s", width, node, bits_width, bits, "");
    for (int port = 0; port < n->ports; port++) {
      const int peer = hyla_topology_peer(n, node, port);
      if (peer < 0)
        printf(" %*s", width, "-");
      else
        printf(" %*d", width, peer);
    }
    printf("\n");
  }
}

/* ------------------------------------------------------------------ JSON -- */

static json_t *peers_json(const hyla_topology *n) {
  json_t *nodes = json_array();
  for (int node = 0; node < n->nodes; node++) {
    json_t *peers = json_array();
    for (int port = 0; port < n->ports; port++)
      json_array_append_new(peers, json_integer(hyla_topology_peer(n, node, port)));
    json_array_append_new(nodes, peers);
  }
  return nodes;
}

static void print_json(const struct drawn_topology *d) {
  const hyla_topology *n = &d->n;
  const double pairs = (double)d->ways.pairs;
  const bool exact = n->bisection >= 0;
  json_t *sides = json_array();
  for (int i = 0; i < n->axes && n->mesh; i++)
    json_array_append_new(sides, json_integer(n->side[i]));
  json_line(json_pack(
      "{s:s, s:s, s:I, s:i, s:i, s:o, s:b, s:I, s:I, s:b, s:i, s:b, s:I, s:I, s:f, s:f, s:i, s:o}",
      "op", "network", "network", n->name, "nodes", (json_int_t)n->nodes, "ports", n->ports,
      "degree", n->degree, "sides", sides, "two_way", n->two_way, "links", (json_int_t)n->links,
      "bisection", (json_int_t)(exact ? n->bisection : n->cut), "bisection_exact", exact,
      "diameter", d->ways.farthest, "all_pairs", d->whole, "pairs", (json_int_t)d->ways.pairs,
      "distances", (json_int_t)d->ways.shortest, "mean_distance", (double)d->ways.shortest / pairs,
      "mean_routed", (double)d->ways.routed / pairs, "longest_routed", d->ways.longest, "peers",
      peers_json(n)));
}

/* ------------------------------------------------------------------ work -- */

bool topology_is_torus(const hyla_topology *n) {
  return strncmp(n->name, "torus:", 6) == 0 || strncmp(n->name, "ring:", 5) == 0;
}

static bool fits(const struct run *run, const hyla_topology *n) {
  const struct options *options = &run->options;
  const bool json = options->json, svg = options->svg != NULL;
  const int64_t most = json && !svg ? JSON_MOST : svg && !n->mesh ? TOPOLOGY_ROUND : TEXT_MOST;
  const bool narrow = !n->mesh || (json && !svg) || n->side[n->axes - 1] <= SIDE_MOST;
  if (narrow && n->nodes <= most) return true;
  tell(run, "%s shows networks of up to %lld nodes%s; %s has %lld",
       svg    ? "a picture"
       : json ? "JSON"
              : "the text",
       (long long)most, n->mesh && !narrow ? ", 32 in a row" : "", n->name, (long long)n->nodes);
  return false;
}

/* All ways of what is drawn are searched, of others computed. */
static hyla_status find_ways(struct drawn_topology *d) {
  const hyla_topology *n = &d->n;
  const int64_t sources = sources_of(n);
  d->whole = !n->drawn || sources == n->nodes;
  if (n->drawn) return topology_measure(n, sources, &d->ways);
  d->ways = (hyla_topology_ways){.pairs = n->nodes * n->nodes,
                                 .shortest = n->distances,
                                 .routed = n->distances,
                                 .farthest = n->diameter,
                                 .longest = n->diameter};
  return HYLA_OK;
}

static bool draw(const void *drawn, FILE *file) {
  topology_draw(drawn, file);
  return true;
}

int layout_network(const struct run *run) {
  const struct options *options = &run->options;
  struct drawn_topology d = {.whole = true};
  if (options->layout || options->embedding >= 0 || options->closed || options->size_count > 0 ||
      options->given & OPTION_BIT(KEY_DIMS)) {
    tell(run, "--network goes with --svg, --json, --distances, --exchanges and --permutations");
    return EXIT_USE;
  }
  if (!options->network) {
    tell(run, "--network is needed, as in --network enhanced:8");
    return EXIT_USE;
  }
  if (hyla_topology_read(&d.n, options->network) != HYLA_OK) {
    tell(run, "%s", d.n.message);
    return EXIT_USE;
  }
  if (options->distances > 0) return topology_distances(run, &d.n);
  if (options->exchanges > 0) return topology_exchanges(run, &d.n);
  if (options->permutations) return topology_permutations(run, &d.n);
  const bool shown = options->json || options->svg || d.n.nodes <= TEXT_MOST;
  if (shown && !fits(run, &d.n)) return EXIT_USE;
  if (find_ways(&d) != HYLA_OK) {
    tell(run, "no memory to search the ways of %s", d.n.name);
    return EXIT_USE;
  }
  if (options->json) print_json(&d);
  if (options->svg) return write_whole(run, options->svg, draw, &d);
  if (options->json) return EXIT_DONE;
  print_figures(&d);
  if (shown && d.n.mesh) print_mesh(&d.n);
  if (shown && !d.n.mesh) print_ports(&d.n);
  return EXIT_DONE;
}
