/* Collectives on arrays, tori and folded cubes: what their files share.  Private to this room and
 * its tests. */
#ifndef HY_COLLECTIVE_MESH_H
#define HY_COLLECTIVE_MESH_H 1

#include "collective/papers.h"

/* A line is the nodes of an array or torus that differ in one coordinate alone.  On a torus it is a
 * ring if it has a port each way; a side of 2 has a single link, which serves as an array's. */
static inline bool hy_is_ring(const struct hy_network *network, int axis) {
  return network->kind == HY_TORUS && network->side[axis] > 2;
}

/* The port along an axis, as a packet's `across'. */
static inline uint32_t hy_line_across(const struct hy_network *network, int axis, bool up) {
  const bool single = network->kind == HY_TORUS && network->side[axis] == 2;
  return 1u << (2 * axis + (up || single ? 0 : 1));
}

/* Does the node have words for others? */
static inline bool hy_sends(const struct hy_collective *c, uint32_t node) {
  if (c->task == HY_TASK_PERMUTE) return c->to[node] >= 0;
  return !hy_task_chooses(c->task) || c->active[node] != 0;
}

/* The sum of sides - 1: the length of the longest way that does not wrap around. */
int64_t hy_mesh_length(const struct hy_network *network);
bool hy_mesh_is_square(const struct hy_network *network);

/* The ways of the all-gather and the partial all-gather (mesh_partial.c, Varvarigos 1992, 3.4). */
enum hy_mesh_way {
  HY_WAY_AXES,  /* one class, whole: an axis after the other */
  HY_WAY_SPLIT, /* a class for each axis, each with a part of each block */
  HY_WAY_WHOLE, /* a class for each axis, each with some blocks */
};
/* Exact time, in units of a whole block, without the prefix. */
struct hy_form hy_mesh_partial_form(const struct hy_network *network, enum hy_mesh_way way,
                                    int64_t count);

/* Pushes the generator of the all-gather. */
hyla_status hy_mesh_push_allgather(const struct hy_collective *c, struct hy_recipe *recipe,
                                   enum hy_mesh_way way);

/* The bound of a collective on a network that is no cube (mesh_bound.c). */
struct hy_bound hy_network_collective_bound(const struct hy_collective *c);

/* The letters of the rows' closed forms. */
void hy_mesh_letters(const struct hy_collective *c, struct hy_text *text);

#endif
