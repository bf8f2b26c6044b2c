/* hyla layout --embed KIND: prints meshes, tori and trees on the cube. */
#include "layout.h"
#include "options.h"

#include <stdlib.h>

/* The longest side, and the most points, that each form shows. */
enum { SIDE_MOST = 64, TEXT_MOST = 4096, JSON_MOST = 65536 };

bool embed_is_tree(const hyla_embedding *e) { return e->kind >= HYLA_TREE_INORDER; }

static double expansion(const hyla_embedding *e) {
  return (double)(INT64_C(1) << e->dims) / (double)e->points;
}

/* Writes "3 x 5 mesh (fold): ...", "tree of 4 levels (heap): ...", and the figures. */
void embed_text(const struct embedded *embedded, char parts[2][GUEST_TEXT]) {
  const hyla_embedding *e = &embedded->e;
  char guest[120] = "";
  size_t at = 0;
  if (embed_is_tree(e))
    snprintf(guest, sizeof guest, "tree of %lld level%s", (long long)e->side[0],
             e->side[0] == 1 ? "" : "s");
  for (int i = 0; i < e->axes && !embed_is_tree(e); i++)
    at += (size_t)snprintf(guest + at, sizeof guest - at, "%s%lld", i ? " x " : "",
                           (long long)e->side[i]);
  if (!embed_is_tree(e))
    snprintf(guest + at, sizeof guest - at,
             e->closed || e->kind == HYLA_TORUS ? " torus" : " mesh");
  snprintf(parts[0], GUEST_TEXT, "%s (%s): %lld point%s on a cube of %lld node%s", guest,
           hyla_embedding_name((int)e->kind), (long long)e->points, e->points == 1 ? "" : "s",
           (long long)(INT64_C(1) << e->dims), e->dims ? "s" : "");
  snprintf(parts[1], GUEST_TEXT, "dilation %d, expansion %.3g, congestion %d; %s", e->dilation,
           expansion(e), embedded->congestion, hyla_embedding_reference((int)e->kind));
}

/* Prints one plane: the last two axes, with the other coordinates fixed in point. */
static void print_plane(const hyla_embedding *e, int64_t *point) {
  int last = e->axes - 1, width = snprintf(NULL, 0, "%d", (1 << e->dims) - 1) + 1;
  int index = snprintf(NULL, 0, "%lld", (long long)(last > 0 ? e->side[last - 1] : 1) - 1) + 1;
  int column = snprintf(NULL, 0, "%lld", (long long)e->side[last] - 1) + 1;
  if (width < column) width = column;
  printf("%*s", index + 2, "");
  for (int64_t j = 0; j < e->side[last]; j++) printf("%*lld", width, (long long)j);
  printf("\n");
  for (int64_t i = 0; i < (last > 0 ? e->side[last - 1] : 1); i++) {
    if (last > 0) point[last - 1] = i;
    printf("%*lld |", index, (long long)i);
    for (point[last] = 0; point[last] < e->side[last]; point[last]++)
      printf("%*d", width, hyla_embed_node(e, point));
    printf("\n");
  }
}

void embed_plane(const hyla_embedding *e, int64_t plane, int64_t *point) {
  for (int i = e->axes - 3; i >= 0; i--) {
    point[i] = plane % e->side[i];
    plane /= e->side[i];
  }
}

static void print_mesh(const hyla_embedding *e) {
  int64_t point[HYLA_EMBED_AXES] = {0};
  int64_t planes = 1;
  for (int i = 0; i < e->axes - 2; i++) planes *= e->side[i];
  for (int64_t plane = 0; plane < planes; plane++) {
    embed_plane(e, plane, point);
    printf("\n");
    if (e->axes > 2) printf("first coordinate%s", e->axes > 3 ? "s" : "");
    for (int i = 0; i < e->axes - 2; i++) printf("%s %lld", i > 0 ? "," : "", (long long)point[i]);
    if (e->axes > 2) printf("\n");
    print_plane(e, point);
  }
}

/* The next number after v that a tree node has, -1 after the last; v = -1 gives the first. */
static int64_t next_number(const hyla_embedding *e, int64_t v) {
  for (v++; v >> e->side[0] == 0; v++)
    if (hyla_embed_node(e, &v) >= 0) return v;
  return -1;
}

static void print_tree(const hyla_embedding *e) {
  printf("\n%8s  %8s  %6s  %-*s  %s\n", "number", "parent", "node", e->dims < 7 ? 7 : e->dims,
         "address", "distance");
  for (int64_t v = next_number(e, -1); v >= 0; v = next_number(e, v)) {
    char bits[HYLA_DIMS_MAX + 1], parent[24] = "-", distance[24] = "-";
    int64_t above = hyla_embed_parent(e, v);
    int node = hyla_embed_node(e, &v);
    format_bits(node, e->dims, bits);
    if (above >= 0) {
      snprintf(parent, sizeof parent, "%lld", (long long)above);
      snprintf(distance, sizeof distance, "%d",
               __builtin_popcount((unsigned)(node ^ hyla_embed_node(e, &above))));
    }
    printf("%8lld  %8s  %6d  %-*s  %8s\n", (long long)v, parent, node, e->dims < 7 ? 7 : e->dims,
           bits, distance);
  }
}

static json_t *place_json(const hyla_embedding *e, const int64_t *point) {
  char bits[HYLA_DIMS_MAX + 1];
  int node = hyla_embed_node(e, point);
  json_t *coordinates = json_array();
  format_bits(node, e->dims, bits);
  for (int i = 0; i < e->axes; i++) json_array_append_new(coordinates, json_integer(point[i]));
  json_t *place = json_pack("{s:o, s:i, s:s}", "point", coordinates, "node", node, "address", bits);
  if (embed_is_tree(e))
    json_object_set_new(place, "parent", json_integer(hyla_embed_parent(e, point[0])));
  return place;
}

void embed_first(const hyla_embedding *e, int64_t point[HYLA_EMBED_AXES]) {
  for (int i = 0; i < HYLA_EMBED_AXES; i++) point[i] = 0;
  if (embed_is_tree(e)) point[0] = next_number(e, -1);
}

bool embed_next(const hyla_embedding *e, int64_t *point) {
  if (embed_is_tree(e)) return (point[0] = next_number(e, point[0])) >= 0;
  for (int i = e->axes - 1; i >= 0; i--) {
    if (++point[i] < e->side[i]) return true;
    point[i] = 0;
  }
  return false;
}

static void print_json(const struct embedded *embedded) {
  const hyla_embedding *e = &embedded->e;
  json_t *sides = json_array(), *places = json_array();
  int64_t point[HYLA_EMBED_AXES];
  for (int i = 0; i < e->axes; i++) json_array_append_new(sides, json_integer(e->side[i]));
  embed_first(e, point);
  do json_array_append_new(places, place_json(e, point));
  while (embed_next(e, point));
  json_line(json_pack("{s:s, s:s, s:s, s:o, s:b, s:i, s:I, s:i, s:i, s:f, s:o}", "op", "embed",
                      "kind", hyla_embedding_name((int)e->kind), "reference",
                      hyla_embedding_reference((int)e->kind), "size", sides, "closed",
                      e->closed || e->kind == HYLA_TORUS, "dims", e->dims, "points",
                      (json_int_t)e->points, "dilation", e->dilation, "congestion",
                      embedded->congestion, "expansion", expansion(e), "places", places));
}

static bool fits(const struct run *run, const hyla_embedding *e) {
  bool json = run->options.json;
  bool narrow = json || embed_is_tree(e) || e->side[e->axes - 1] <= SIDE_MOST;
  if (narrow && e->points <= (json ? JSON_MOST : TEXT_MOST)) return true;
  tell(run, "%s shows up to %d points%s; this has %lld points",
       json               ? "JSON"
       : run->options.svg ? "a picture"
                          : "the text",
       json ? JSON_MOST : TEXT_MOST, json ? "" : ", 64 in a row", (long long)e->points);
  return false;
}

static bool draw(const void *embedded, FILE *file) {
  embed_draw(embedded, file);
  return true;
}

static int show(const struct run *run, const struct embedded *embedded) {
  char parts[2][GUEST_TEXT];
  if (run->options.json) print_json(embedded);
  if (run->options.svg) return write_whole(run, run->options.svg, draw, embedded);
  if (run->options.json) return EXIT_DONE;
  embed_text(embedded, parts);
  printf("%s\n%s\n", parts[0], parts[1]);
  if (embed_is_tree(&embedded->e))
    print_tree(&embedded->e);
  else
    print_mesh(&embedded->e);
  return EXIT_DONE;
}

int layout_embed(const struct run *run) {
  const struct options *options = &run->options;
  struct embedded embedded = {.e = {.kind = (hyla_embedding_kind)options->embedding,
                                    .axes = options->size_count,
                                    .closed = options->closed}};
  hyla_embedding *e = &embedded.e;
  if (options->size_count == 0) {
    tell(run, "--size is needed: the sides of a mesh, as in --size 3x5, or a tree's levels");
    return EXIT_USE;
  }
  if (options->layout || options->given & OPTION_BIT(KEY_DIMS)) {
    tell(run, "--embed goes with --size, --svg and --json; --dims and --layout are for matrices");
    return EXIT_USE;
  }
  for (int i = 0; i < e->axes; i++) e->side[i] = options->size[i];
  if (hyla_embed(e) != HYLA_OK) {
    tell(run, "%s", e->message);
    return EXIT_USE;
  }
  if (!fits(run, e)) return EXIT_USE;
  int32_t *work = malloc((((size_t)e->dims << e->dims) + 1) * sizeof *work);
  if (!work) {
    tell(run, "no memory to count the messages over each link");
    return EXIT_USE;
  }
  embedded.congestion = hyla_embed_congestion(e, work);
  free(work);
  return show(run, &embedded);
}
