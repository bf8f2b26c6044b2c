/* The simulator's lanes: the messages between two nodes on one stream.  A node finds its lanes in a
 * table with open addressing. */
#include "sim/sim.h"

#include <stdlib.h>

static struct hy_sim_lane *find_lane(struct hy_sim_lane *lanes, int64_t capacity, int64_t key) {
  uint64_t hash = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
  int64_t place = (int64_t)(hash >> 32) & (capacity - 1);
  while (lanes[place].key >= 0 && lanes[place].key != key) place = (place + 1) & (capacity - 1);
  return &lanes[place];
}

static hyla_status grow_lanes(struct hy_sim_node *node) {
  int64_t capacity = node->lane_capacity == 0 ? 16 : 2 * node->lane_capacity;
  struct hy_sim_lane *lanes = malloc((size_t)capacity * sizeof *lanes);
  CHECK(node->link.base, lanes != NULL, MEMORY, "out of memory in the simulator");
  for (int64_t i = 0; i < capacity; i++) lanes[i] = (struct hy_sim_lane){.key = -1};
  for (int64_t i = 0; i < node->lane_capacity; i++)
    if (node->lanes[i].key >= 0) *find_lane(lanes, capacity, node->lanes[i].key) = node->lanes[i];
  free(node->lanes);
  node->lanes = lanes;
  node->lane_capacity = capacity;
  return HYLA_OK;
}

static int64_t lane_key(int peer, int stream, bool out) {
  return ((int64_t)peer * HY_STREAMS + stream) * 2 + out;
}

hyla_status hy_sim_lane_open(struct hy_sim_node *node, int peer, int tag, bool out,
                             struct hy_sim_lane **lane) {
  if (2 * node->lane_count >= node->lane_capacity) TRY(grow_lanes(node));
  int64_t key = lane_key(peer, tag % HY_STREAMS, out);
  *lane = find_lane(node->lanes, node->lane_capacity, key);
  node->lane_count += (*lane)->key < 0;
  (*lane)->key = key;
  return HYLA_OK;
}

struct hy_sim_lane *hy_sim_lane_from(struct hy_sim_node *node, int peer, int stream) {
  if (node->lane_capacity == 0) return NULL;
  struct hy_sim_lane *lane =
      find_lane(node->lanes, node->lane_capacity, lane_key(peer, stream, false));
  return lane->key < 0 ? NULL : lane;
}

void hy_sim_lane_put(struct hy_sim_lane *lane, struct hy_sim_message *message) {
  if (lane->first == NULL)
    lane->first = message;
  else
    lane->last->next = message;
  lane->last = message;
}

struct hy_sim_message *hy_sim_lane_take(struct hy_sim_lane *lane, int tag) {
  struct hy_sim_message *before = NULL, *p = lane->first;
  for (; p != NULL && p->tag != tag; p = p->next) before = p;
  if (p == NULL) return NULL;
  if (before == NULL)
    lane->first = p->next;
  else
    before->next = p->next;
  if (lane->last == p) lane->last = before;
  lane->count++;
  return p;
}

void hy_sim_lanes_free(struct hy_sim_node *node) {
  for (int64_t i = 0; i < node->lane_capacity; i++)
    for (struct hy_sim_message *p = node->lanes[i].first, *next; p != NULL; p = next) {
      next = p->next;
      free(p);
    }
  free(node->lanes);
}
