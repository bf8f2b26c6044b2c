/* hyla_embed_graph, hyla_embed_blocks: sparse graphs and blocks on the cube, for experiments.
 *
 * A graph: its vertices are renumbered so that neighbours get close numbers (reverse
 * Cuthill-McKee).  The search is breadth first, from a vertex far from another one; it takes the
 * neighbours of a vertex by rising degree; the result is reversed.  If the given numbers are
 * closer, they stay.  Vertex v then is column v of a banded matrix, on its hy_banded_node.  Columns
 * at most 2^b apart are at most b + 1 links apart.
 *
 * Blocks: from the largest on, each takes the next addresses.  So each block begins at a multiple
 * of its size and is a subcube.
 *
 * References: Varvarigos 1992, 2.8, 2.9; Cuthill and McKee 1969; George and Liu 1979.
 * Memory: the caller's. */
#include "address/address.h"
#include "hyla_embedding.h"

/* ----------------------------------------------------------------- graph -- */

static const int32_t *begin_of(const hyla_graph *g, int32_t v) {
  return g->neighbour + g->start[v];
}
static const int32_t *end_of(const hyla_graph *g, int32_t v) {
  return g->neighbour + g->start[v + 1];
}
static int64_t degree_of(const hyla_graph *g, int32_t v) { return g->start[v + 1] - g->start[v]; }

static bool is_sound(const hyla_graph *g) {
  if (g == NULL || g->vertices < 1 || g->vertices > 1 << HYLA_DIMS_MAX) return false;
  if (g->start == NULL || g->start[0] != 0) return false;
  for (int32_t v = 0; v < g->vertices; v++)
    if (g->start[v] > g->start[v + 1]) return false;
  int64_t ends = g->start[g->vertices];
  if (ends > 0 && g->neighbour == NULL) return false;
  for (int64_t i = 0; i < ends; i++)
    if (g->neighbour[i] < 0 || g->neighbour[i] >= g->vertices) return false;
  return true;
}

/* A search under way.  The graph is searched part by part, each part several times (rounds).
 * mark    for each vertex the latest round that has seen it
 * before  the last round of the finished parts.  Their vertices are met again only if an edge is
 *         listed at one of its ends alone */
struct search {
  const hyla_graph *graph;
  int32_t *queue;
  int32_t *mark;
  int32_t round;
  int32_t before;
};

static bool is_new(const struct search *s, int32_t v) {
  return s->mark[v] == 0 || (s->mark[v] > s->before && s->mark[v] < s->round);
}

/* Sorts a stretch of the queue by degree (Shell's sort). */
static void put_by_degree(const struct search *s, int32_t first, int32_t last) {
  for (int32_t gap = (last - first) / 2; gap > 0; gap /= 2)
    for (int32_t i = first + gap; i < last; i++) {
      const int32_t v = s->queue[i];
      const int64_t degree = degree_of(s->graph, v);
      int32_t j = i;
      for (; j - gap >= first && degree_of(s->graph, s->queue[j - gap]) > degree; j -= gap)
        s->queue[j] = s->queue[j - gap];
      s->queue[j] = v;
    }
}

/* Searches breadth first from v and appends the vertices to the queue from `from' on.  Returns the
 * number of levels.  *last: where the last level begins in the queue; *end: where the queue
 * ends. */
static int32_t spread_from(struct search *s, int32_t v, int32_t from, int32_t *last, int32_t *end) {
  int32_t levels = 0, next = from, count = from;
  s->round++;
  s->mark[v] = s->round;
  s->queue[count++] = v;
  while (next < count) {
    const int32_t level = count;
    *last = next;
    levels++;
    for (; next < level; next++) {
      const int32_t first = count;
      for (const int32_t *u = begin_of(s->graph, s->queue[next]);
           u < end_of(s->graph, s->queue[next]); u++) {
        if (!is_new(s, *u)) continue;
        s->mark[*u] = s->round;
        s->queue[count++] = *u;
      }
      put_by_degree(s, first, count);
    }
  }
  *end = count;
  return levels;
}

/* Orders the part of the graph that holds v.  The search starts again from a vertex of the last
 * level as long as that gives more levels.  Returns the end of the queue. */
static int32_t order_part(struct search *s, int32_t v, int32_t from) {
  s->before = s->round;
  int32_t last, end, levels = spread_from(s, v, from, &last, &end), more = levels;
  do {
    levels = more;
    put_by_degree(s, last, end);
    more = spread_from(s, s->queue[last], from, &last, &end);
  } while (more > levels);
  return end;
}

/* node[v] := the new number of v.  During the search node holds the marks, so a vertex without a
 * mark begins a new part.  False: some edge is listed at one of its ends alone. */
static bool number_anew(const hyla_graph *g, int32_t *node, int32_t *work) {
  struct search s = {.graph = g, .queue = work, .mark = node};
  int32_t count = 0;
  for (int32_t v = 0; v < g->vertices; v++) node[v] = 0;
  for (int32_t v = 0; v < g->vertices; v++)
    if (node[v] == 0) count = order_part(&s, v, count);
  if (count != g->vertices) return false;
  for (int32_t i = 0; i < g->vertices; i++) node[s.queue[i]] = g->vertices - 1 - i;
  return true;
}

/* The largest difference between the numbers of two neighbours.  node: NULL for the given
 * numbers. */
static int64_t bandwidth_of(const hyla_graph *g, const int32_t *node) {
  int64_t most = 0;
  for (int32_t v = 0; v < g->vertices; v++)
    for (const int32_t *u = begin_of(g, v); u < end_of(g, v); u++) {
      int64_t apart = node != NULL ? node[v] - node[*u] : v - *u;
      most = hy_max(most, apart < 0 ? -apart : apart);
    }
  return most;
}

static int dims_for(int64_t points) {
  return points > 1 ? hy_log2_floor((uint32_t)points - 1) + 1 : 0;
}

hyla_status hyla_embed_graph(hyla_graph *g, int32_t *node, int32_t *work) {
  CHECK(NULL, is_sound(g) && node != NULL && work != NULL, ARGUMENT,
        "the graph, node or work is NULL, or the graph does not have 1 to 2^20 vertices");
  g->given = bandwidth_of(g, NULL);
  CHECK(NULL, number_anew(g, node, work), ARGUMENT,
        "an edge is in the list of one of its ends alone");
  g->bandwidth = bandwidth_of(g, node);
  for (int32_t v = 0; v < g->vertices && g->bandwidth > g->given; v++) node[v] = v;
  g->bandwidth = hy_min(g->bandwidth, g->given);
  g->dims = dims_for(g->vertices);
  g->b = (int)hy_max(0, hy_min(dims_for(g->bandwidth), g->dims - 1));
  g->dilation = 0;
  for (int32_t v = 0; v < g->vertices && g->dims > 0; v++)
    node[v] = (int32_t)hy_banded_node(g->dims, g->b, (uint32_t)node[v]);
  for (int32_t v = 0; v < g->vertices; v++)
    for (const int32_t *u = begin_of(g, v); u < end_of(g, v); u++)
      g->dilation = (int)hy_max(g->dilation, hy_popcount((uint32_t)(node[v] ^ node[*u])));
  return HYLA_OK;
}

/* ---------------------------------------------------------------- blocks -- */

int hyla_embed_blocks(int count, const int *block_dims, int32_t *first) {
  int64_t next = 0;
  if (count < 1 || block_dims == NULL || first == NULL) return -1;
  for (int i = 0; i < count; i++)
    if (block_dims[i] < 0 || block_dims[i] > HYLA_DIMS_MAX) return -1;
  for (int dims = HYLA_DIMS_MAX; dims >= 0; dims--)
    for (int i = 0; i < count; i++) {
      if (block_dims[i] != dims) continue;
      if (next + (INT64_C(1) << dims) > INT64_C(1) << HYLA_DIMS_MAX) return -1;
      first[i] = (int32_t)next;
      next += INT64_C(1) << dims;
    }
  return dims_for(next);
}
