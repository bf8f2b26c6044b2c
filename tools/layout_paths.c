/* hyla layout --embed paths:A,B: the paths between two nodes of a cube that meet nowhere else. */
#include "layout.h"
#include "options.h"

static void print_text(const int *ends, int dims) {
  const int k = __builtin_popcount((unsigned)(ends[0] ^ ends[1]));
  int node[HYLA_PATH_NODES];
  printf("%d path%s from node %d to node %d of %d that meet nowhere else: %d of %d link%s", dims,
         dims == 1 ? "" : "s", ends[0], ends[1], 1 << dims, k, k, k == 1 ? "" : "s");
  if (k < dims) printf(", %d of %d", dims - k, k + 2);
  printf("; johnsson-1987, section 2\n\nlinks  nodes\n");
  for (int path = 0; path < dims; path++) {
    int links = hyla_disjoint_path(dims, ends[0], ends[1], path, node);
    printf("%5d ", links);
    for (int i = 0; i <= links; i++) printf(" %d", node[i]);
    printf("\n");
  }
}

static void print_json(const int *ends, int dims) {
  int node[HYLA_PATH_NODES];
  json_t *paths = json_array();
  for (int path = 0; path < dims; path++) {
    int links = hyla_disjoint_path(dims, ends[0], ends[1], path, node);
    json_t *nodes = json_array();
    for (int i = 0; i <= links; i++) json_array_append_new(nodes, json_integer(node[i]));
    json_array_append_new(paths, json_pack("{s:i, s:o}", "links", links, "nodes", nodes));
  }
  json_line(json_pack("{s:s, s:s, s:s, s:i, s:o}", "op", "embed", "kind", "paths", "reference",
                      "johnsson-1987, section 2", "dims", dims, "paths", paths));
}

int layout_paths(const struct run *run) {
  const struct options *options = &run->options;
  const int *ends = options->which, dims = options->dims;
  if (options->layout || options->svg || options->closed || options->size_count > 0) {
    tell(run, "--embed paths goes with --dims and --json alone");
    return EXIT_USE;
  }
  int node[HYLA_PATH_NODES];
  if (options->blocks != 2 || hyla_disjoint_path(dims, ends[0], ends[1], 0, node) < 0) {
    tell(run, "there are no paths between these nodes; give two different ones from 0 to %d",
         (1 << dims) - 1);
    return EXIT_USE;
  }
  if (options->json)
    print_json(ends, dims);
  else
    print_text(ends, dims);
  return EXIT_DONE;
}
