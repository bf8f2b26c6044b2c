/* hyla layout --embed graph:FILE, blocks:N,N,...: prints the graph of a matrix' entries on a cube,
 * and the blocks of a block-diagonal matrix (Varvarigos 1992, 2.8 and 2.9). */
#include "layout.h"
#include "options.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* The most vertices; the whole matrix is read. */
enum { VERTICES_MOST = 4096 };

/* A graph with the node of each vertex. */
struct sparse {
  const struct run *run;
  hyla_graph graph;
  int64_t *start;
  int32_t *neighbour, *node, *work;
};

static bool is_zero(hyla_type type, const char *at) {
  switch (type) {
  case HYLA_FLOAT: return *(const float *)at == 0;
  case HYLA_DOUBLE: return *(const double *)at == 0;
  case HYLA_COMPLEX: return *(const float complex *)at == 0;
  default: return *(const double complex *)at == 0;
  }
}

/* The whole matrix, on one node. */
struct entries {
  hyla_type type;
  const char *data;
  int64_t ld;
};

static bool joined(const struct entries *x, int64_t i, int64_t j) {
  const int64_t size = (int64_t)type_size(x->type);
  return i != j && !(is_zero(x->type, x->data + (i + j * x->ld) * size) &&
                     is_zero(x->type, x->data + (j + i * x->ld) * size));
}

/* Makes the graph: vertices i and j are neighbours if entry (i, j) or (j, i) is not 0. */
static void fill_graph(struct sparse *s, const hyla_matrix *a) {
  struct entries x = {.type = hyla_matrix_type(a)};
  void *data = NULL;
  const int32_t n = (int32_t)hyla_matrix_rows(a);
  (void)hyla_matrix_local(a, &data, NULL, NULL, &x.ld);
  x.data = data;
  s->start = memory_take(((size_t)n + 1) * sizeof *s->start);
  s->node = memory_take((size_t)n * sizeof *s->node);
  s->work = memory_take((size_t)n * sizeof *s->work);
  int64_t count = 0;
  for (int pass = 0; pass < 2; pass++, count = pass < 2 ? 0 : count) {
    for (int32_t i = 0; i < n; i++) {
      s->start[i] = count;
      for (int32_t j = 0; j < n; j++) {
        if (!joined(&x, i, j)) continue;
        if (pass == 1) s->neighbour[count] = j;
        count++;
      }
    }
    s->start[n] = count;
    if (pass == 0) s->neighbour = memory_take(((size_t)count + 1) * sizeof *s->neighbour);
  }
  s->graph = (hyla_graph){.vertices = n, .start = s->start, .neighbour = s->neighbour};
}

/* Reads the matrix on the one node of a virtual cube. */
static hyla_status read_graph(hyla_cube *cube, void *arg) {
  struct sparse *s = arg;
  const char *path = s->run->options.embedded;
  int64_t rows = 0, cols = 0;
  hyla_matrix *a = NULL;
  hyla_status status = hyla_matrix_probe(cube, path, NULL, &rows, &cols);
  if (status) return status;
  if (rows != cols || rows < 1 || rows > VERTICES_MOST) {
    tell(s->run, "%s is %lld x %lld; a graph's matrix is square, with up to %d rows", path,
         (long long)rows, (long long)cols, VERTICES_MOST);
    return HYLA_ARGUMENT;
  }
  status = hyla_matrix_read(cube, path, NULL, &a);
  if (!status) fill_graph(s, a);
  (void)hyla_matrix_destroy(&a);
  return status;
}

/* The distance to the farthest neighbour's node. */
static int farthest_of(const struct sparse *s, int32_t v) {
  int most = 0;
  for (int64_t i = s->start[v]; i < s->start[v + 1]; i++) {
    int links = __builtin_popcount((unsigned)(s->node[v] ^ s->node[s->neighbour[i]]));
    most = links > most ? links : most;
  }
  return most;
}

static void print_graph(const struct sparse *s) {
  const hyla_graph *g = &s->graph;
  printf("graph of %d vertices and %lld edges on a cube of %d node%s\n", g->vertices,
         (long long)s->start[g->vertices] / 2, 1 << g->dims, g->dims ? "s" : "");
  printf("bandwidth %lld as given, %lld numbered anew, at most 2^%d; dilation %d, at most %d; "
         "varvarigos-1992, section 2.8\n\n",
         (long long)g->given, (long long)g->bandwidth, g->b, g->dilation, g->b + 1);
  printf("%8s  %6s  %-*s  %10s  %s\n", "vertex", "node", g->dims < 7 ? 7 : g->dims, "address",
         "neighbours", "farthest");
  for (int32_t v = 0; v < g->vertices; v++) {
    char bits[HYLA_DIMS_MAX + 1];
    format_bits(s->node[v], g->dims, bits);
    printf("%8d  %6d  %-*s  %10lld  %8d\n", v, s->node[v], g->dims < 7 ? 7 : g->dims, bits,
           (long long)(s->start[v + 1] - s->start[v]), farthest_of(s, v));
  }
}

static void print_graph_json(const struct sparse *s) {
  const hyla_graph *g = &s->graph;
  json_t *places = json_array();
  for (int32_t v = 0; v < g->vertices; v++) {
    char bits[HYLA_DIMS_MAX + 1];
    format_bits(s->node[v], g->dims, bits);
    json_array_append_new(
        places, json_pack("{s:[i], s:i, s:s}", "point", v, "node", s->node[v], "address", bits));
  }
  json_line(json_pack("{s:s, s:s, s:s, s:i, s:I, s:i, s:I, s:I, s:i, s:i, s:o}", "op", "embed",
                      "kind", "graph", "reference", "varvarigos-1992, section 2.8", "points",
                      g->vertices, "edges", (json_int_t)s->start[g->vertices] / 2, "dims", g->dims,
                      "bandwidth_given", (json_int_t)g->given, "bandwidth",
                      (json_int_t)g->bandwidth, "b", g->b, "dilation", g->dilation, "places",
                      places));
}

static int show_graph(const struct run *run) {
  struct sparse s = {.run = run};
  const hyla_simulation one = {.dims = 0};
  hyla_report report;
  hyla_status status = hyla_simulate(&one, read_graph, &s, &report);
  if (!status) status = hyla_embed_graph(&s.graph, s.node, s.work);
  if (!status && run->options.json)
    print_graph_json(&s);
  else if (!status)
    print_graph(&s);
  else if (*report.message)
    tell(run, "%s", report.message);
  free(s.start);
  free(s.neighbour);
  free(s.node);
  free(s.work);
  return status ? EXIT_USE : EXIT_DONE;
}

/* ---------------------------------------------------------------- blocks -- */

/* Writes the address with which all nodes of a block begin, with * for the other bits; "*" for the
 * whole cube. */
static void format_block(int first, int block_dims, int dims, char bits[HYLA_DIMS_MAX + 1]) {
  format_bits(first, dims, bits);
  for (int i = 0; i < block_dims; i++) bits[dims - 1 - i] = '*';
}

static void print_blocks(const int *dims_of, const int32_t *first, int count, int dims) {
  printf("%d block%s on a cube of %d node%s; varvarigos-1992, section 2.9\n\n", count,
         count == 1 ? "" : "s", 1 << dims, dims ? "s" : "");
  printf("%8s  %6s  %6s  %6s  %s\n", "block", "nodes", "first", "last", "addresses");
  for (int i = 0; i < count; i++) {
    char bits[HYLA_DIMS_MAX + 1];
    format_block(first[i], dims_of[i], dims, bits);
    printf("%8d  %6d  %6d  %6d  %s\n", i, 1 << dims_of[i], first[i],
           first[i] + (1 << dims_of[i]) - 1, bits);
  }
}

static void print_blocks_json(const int *dims_of, const int32_t *first, int count, int dims) {
  json_t *blocks = json_array();
  for (int i = 0; i < count; i++) {
    char bits[HYLA_DIMS_MAX + 1];
    format_block(first[i], dims_of[i], dims, bits);
    json_array_append_new(blocks, json_pack("{s:i, s:i, s:s}", "nodes", 1 << dims_of[i], "first",
                                            first[i], "addresses", bits));
  }
  json_line(json_pack("{s:s, s:s, s:s, s:i, s:o}", "op", "embed", "kind", "blocks", "reference",
                      "varvarigos-1992, section 2.9", "dims", dims, "blocks", blocks));
}

static int show_blocks(const struct run *run) {
  const struct options *options = &run->options;
  int dims_of[NUMBERS_MOST];
  int32_t first[NUMBERS_MOST];
  for (int i = 0; i < options->blocks; i++) {
    const int nodes = options->which[i];
    dims_of[i] = __builtin_ctz((unsigned)nodes);
    if (nodes == 1 << dims_of[i]) continue;
    tell(run, "block %d is on %d nodes; give powers of two", i, nodes);
    return EXIT_USE;
  }
  int dims = hyla_embed_blocks(options->blocks, dims_of, first);
  if (dims < 0)
    tell(run, "the blocks are on more than 2^%d nodes", HYLA_DIMS_MAX);
  else if (options->json)
    print_blocks_json(dims_of, first, options->blocks, dims);
  else
    print_blocks(dims_of, first, options->blocks, dims);
  return dims < 0 ? EXIT_USE : EXIT_DONE;
}

int layout_sparse(const struct run *run) {
  const struct options *options = &run->options;
  if (options->layout || options->svg || options->closed || options->size_count > 0 ||
      options->given & OPTION_BIT(KEY_DIMS)) {
    tell(run, "--embed graph and blocks go with --json alone");
    return EXIT_USE;
  }
  return options->embedding == EMBED_GRAPH ? show_graph(run) : show_blocks(run);
}
