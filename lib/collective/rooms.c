/* Where messages on their way lie, and the schedule that results: see papers.h. */
#include "collective/papers.h"

enum { HEADS = 2 }; /* entries of a node that come before its transfers */

/* A free block in a node's list. */
struct hy_free_block {
  int64_t next;
  uint32_t block;
};

hyla_status hy_rooms_create(struct hy_base *base, void *owner, uint32_t nodes, uint32_t blocks,
                            int64_t messages, int64_t hops, struct hy_rooms *rooms) {
  const int64_t heads = HEADS * (int64_t)nodes, transfers = heads + 2 * hops + 2 * messages;
  rooms->blocks = blocks;
  TRY(hy_alloc_for(base, owner, (int64_t)nodes * blocks, sizeof *rooms->taken, &rooms->taken));
  TRY(hy_alloc_for(base, owner, nodes, sizeof *rooms->passes, &rooms->passes));
  TRY(hy_alloc_for(base, owner, nodes, sizeof *rooms->free, &rooms->free));
  TRY(hy_alloc_for(base, owner, hops, sizeof *rooms->freed, &rooms->freed));
  TRY(hy_alloc(base, (int64_t)sizeof *rooms->out + transfers * (int64_t)sizeof(struct hy_transfer),
               1, &rooms->out));
  rooms->out->count = heads;
  for (int64_t i = 0; i < heads; i++) rooms->out->transfer[i].next = -1;
  for (int64_t i = 0; i < nodes; i++) rooms->free[i] = -1;
  return HYLA_OK;
}

static void record(struct hy_rooms *rooms, uint32_t node, int step, uint32_t across,
                   enum hy_action action, uint32_t block) {
  struct hy_matching *out = rooms->out;
  struct hy_transfer *head = &out->transfer[HEADS * (int64_t)node];
  int64_t own = out->count++;
  out->transfer[own] = (struct hy_transfer){-1, across, block, step, action};
  if (head[0].next < 0)
    head[0].next = own;
  else
    out->transfer[head[1].next].next = own;
  head[1].next = own;
}

/* A block behind the task's, for a message that passes through the node. */
static uint32_t take_block(struct hy_rooms *rooms, uint32_t node) {
  int64_t free = rooms->free[node];
  if (free < 0) {
    rooms->out->scratch = (uint32_t)hy_max(rooms->out->scratch, rooms->passes[node] + 1);
    return rooms->blocks + rooms->passes[node]++;
  }
  rooms->free[node] = rooms->freed[free].next;
  return rooms->freed[free].block;
}

static uint8_t *taken_at(struct hy_rooms *rooms, uint32_t node, uint32_t block) {
  return &rooms->taken[(int64_t)node * rooms->blocks + block];
}

void hy_rooms_fill(struct hy_rooms *rooms, uint32_t node, uint32_t block) {
  *taken_at(rooms, node, block) = 1;
}

void hy_rooms_leave(struct hy_rooms *rooms, uint32_t node, int step, uint32_t across,
                    uint32_t block) {
  record(rooms, node, step, across, HY_OUT, block);
  if (block < rooms->blocks) {
    *taken_at(rooms, node, block) = 0;
    return;
  }
  rooms->freed[rooms->freed_count] = (struct hy_free_block){rooms->free[node], block};
  rooms->free[node] = rooms->freed_count++;
}

uint32_t hy_rooms_enter(struct hy_rooms *rooms, uint32_t node, int step, uint32_t across,
                        bool stays, uint32_t to) {
  const bool place = stays && *taken_at(rooms, node, to) == 0;
  const uint32_t block = place ? to : take_block(rooms, node);
  record(rooms, node, step, across, HY_IN, block);
  return block;
}

void hy_rooms_settle(struct hy_rooms *rooms, uint32_t node, bool out, uint32_t block, uint32_t to) {
  if (block == to) return;
  record(rooms, node, rooms->out->found.steps - 1, 0, out ? HY_OUT : HY_IN, out ? block : to);
}

hyla_status hy_matching_schedule(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  const struct hy_matching *matching = generator->table;
  const struct hy_transfer *all = matching->transfer;
  out->steps = matching->found.steps;
  out->scratch = matching->scratch;
  for (int64_t i = all[HEADS * (int64_t)node].next; i >= 0; i = all[i].next) {
    struct hy_piece piece = {.block = all[i].block, .run = 1, .from = 0, .to = 1};
    TRY(hy_schedule_add(out, all[i].step, all[i].across, all[i].action, piece));
  }
  return HYLA_OK;
}
