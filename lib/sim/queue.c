/* The simulator's lanes: the messages between two nodes on one stream.  A node finds its lanes in a
 * table with open addressing. */
#include "sim/sim.h"

#include <stdlib.h>

static struct hy_sim_queue *find_queue(struct hy_sim_queue *queues, int64_t capacity, int64_t key) {
  uint64_t hash = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
  int64_t place = (int64_t)(hash >> 32) & (capacity - 1);
  while (queues[place].key >= 0 && queues[place].key != key) place = (place + 1) & (capacity - 1);
  return &queues[place];
}

static hyla_status grow_queue(struct hy_sim_node *node) {
  int64_t capacity = node->queue_capacity == 0 ? 16 : 2 * node->queue_capacity;
  struct hy_sim_queue *queues = malloc((size_t)capacity * sizeof *queues);
  CHECK(node->link.base, queues != NULL, MEMORY, "out of memory in the simulator");
  for (int64_t i = 0; i < capacity; i++) queues[i] = (struct hy_sim_queue){.key = -1};
  for (int64_t i = 0; i < node->queue_capacity; i++)
    if (node->queues[i].key >= 0)
      *find_queue(queues, capacity, node->queues[i].key) = node->queues[i];
  free(node->queues);
  node->queues = queues;
  node->queue_capacity = capacity;
  return HYLA_OK;
}

static int64_t lane_key(int peer, int stream, bool out) {
  return ((int64_t)peer * HY_STREAMS + stream) * 2 + out;
}

hyla_status hy_sim_queue_open(struct hy_sim_node *node, int peer, int tag, bool out,
                              struct hy_sim_queue **queue) {
  if (2 * node->queue_count >= node->queue_capacity) TRY(grow_queue(node));
  int64_t key = lane_key(peer, tag % HY_STREAMS, out);
  *queue = find_queue(node->queues, node->queue_capacity, key);
  node->queue_count += (*queue)->key < 0;
  (*queue)->key = key;
  return HYLA_OK;
}

struct hy_sim_queue *hy_sim_queue_from(struct hy_sim_node *node, int peer, int stream) {
  if (node->queue_capacity == 0) return NULL;
  struct hy_sim_queue *queue =
      find_queue(node->queues, node->queue_capacity, lane_key(peer, stream, false));
  return queue->key < 0 ? NULL : queue;
}

void hy_sim_queue_put(struct hy_sim_queue *queue, struct hy_sim_message *message) {
  if (queue->first == NULL)
    queue->first = message;
  else
    queue->last->next = message;
  queue->last = message;
}

struct hy_sim_message *hy_sim_queue_take(struct hy_sim_queue *queue, int tag) {
  struct hy_sim_message *before = NULL, *p = queue->first;
  for (; p != NULL && p->tag != tag; p = p->next) before = p;
  if (p == NULL) return NULL;
  if (before == NULL)
    queue->first = p->next;
  else
    before->next = p->next;
  if (queue->last == p) queue->last = before;
  queue->count++;
  return p;
}

void hy_sim_lanes_free(struct hy_sim_node *node) {
  for (int64_t i = 0; i < node->queue_capacity; i++)
    for (struct hy_sim_message *p = node->queues[i].first, *next; p != NULL; p = next) {
      next = p->next;
      free(p);
    }
  free(node->queues);
}
