/* Blocks of a ring are set up over links, in packets.  See split_operand.h.
 *
 * Packet p of a block makes hop h of its way in step p + h.  A node sends on in a step the packet
 * that it received in the step before, while the next packet arrives.
 *
 * Example: a block that goes from node 0 to node 3 over node 1, in 2 packets:
 *     step   0           1           2
 *     hop 0  packet 0    packet 1                 0 -> 1
 *     hop 1              packet 0    packet 1     1 -> 3 */
#include "gemm/packets.h"
#include "gemm/split_operand_body.h"

/* The ways of all blocks of a ring, in code words.  For each word, `order' lists the bits that are
 * crossed one after another to get to word ^ differ. */
struct ways {
  int dims;
  uint8_t *order;
  uint32_t *differ;
};

static int block_of(const struct hy_split_operand *s, int panel) { return panel / s->ring.each; }

static hyla_status make_ways(const struct hy_split_operand *s, struct ways *ways) {
  struct hy_base *base = &s->problem->cube->base;
  ways->dims = hy_log2_floor((uint32_t)s->ring.places);
  TRY(hy_alloc_for(base, s->owner, (int64_t)s->ring.places * hy_max(1, ways->dims), 1,
                   &ways->order));
  return hy_alloc_for(base, s->owner, s->ring.places, sizeof *ways->differ, &ways->differ);
}

/* Crosses the lowest dimension first. */
static void ascend(const struct hy_split_operand *s, struct ways *ways) {
  for (uint32_t word = 0; word < (uint32_t)s->ring.places; word++) {
    uint8_t *order = ways->order + word * (uint32_t)ways->dims;
    for (uint32_t left = ways->differ[word]; left != 0; left &= left - 1)
      *order++ = (uint8_t)hy_lowest(left);
  }
}

/* On longer rings the search would take too long, because every node of a plan makes it. */
enum { SEARCHED_DIMS = 6 };

static hyla_status rotate(const struct hy_split_operand *s, int places, struct ways *ways) {
  uint32_t nodes = (uint32_t)s->ring.places, back = (nodes - (uint32_t)places) % nodes;
  struct hy_base *base = &s->problem->cube->base;
  int32_t *work = NULL;
  for (uint32_t word = 0; word < nodes; word++)
    ways->differ[word] = word ^ hy_rotation_target(ways->dims, back, word);
  TRY(hy_alloc_for(base, s->owner, 2 * (int64_t)nodes * hy_max(1, ways->dims), sizeof *work,
                   &work));
  bool short_search = ways->dims <= SEARCHED_DIMS;
  if (!short_search || !hy_rotation_disjoint(ways->dims, back, ways->order, work)) ascend(s, ways);
  hy_free(base, &work);
  return HYLA_OK;
}

/* Follows every block and counts its visits to this node; notes them if there is an array. */
static void walk(struct hy_split_operand *s, const struct ways *ways) {
  struct hy_route *route = &s->route;
  const uint32_t own = hy_split_operand_word(s, s->ring.own);
  route->count = 0;
  route->hops = 0;
  for (uint32_t word = 0; word < (uint32_t)s->ring.places; word++) {
    const uint8_t *order = ways->order + word * (uint32_t)ways->dims;
    int hops = hy_popcount(ways->differ[word]), in = -1;
    uint32_t at = word;
    route->hops = (int)hy_max(route->hops, hops);
    for (int hop = 0; hop <= hops && hops > 0; hop++) {
      int out = hop < hops ? order[hop] : -1;
      if (at == own && route->visit != NULL)
        route->visit[route->count] = (struct hy_route_visit){hy_split_operand_part(s, word), hop,
                                                             in < 0 ? -1 : s->axis->code.dim[in],
                                                             out < 0 ? -1 : s->axis->code.dim[out]};
      route->count += at == own;
      in = out;
      if (out >= 0) at ^= UINT32_C(1) << out;
    }
  }
}

/* The last to use the ways, which it frees. */
static hyla_status note_visits(struct hy_split_operand *s, struct ways *ways) {
  walk(s, ways);
  TRY(hy_alloc_for(&s->problem->cube->base, s->owner, s->route.count, sizeof *s->route.visit,
                   &s->route.visit));
  walk(s, ways);
  hy_free(&s->problem->cube->base, &ways->order);
  hy_free(&s->problem->cube->base, &ways->differ);
  return HYLA_OK;
}

hyla_status hy_split_operand_plan_rotation(struct hy_split_operand *s, int by, int packets) {
  int here = hy_split_operand_first(s), panel = (here + by) % (s->ring.places * s->ring.each);
  int places = block_of(s, panel) - block_of(s, here) + s->ring.places;
  struct ways ways = {0};
  s->route.packets = packets;
  s->route.panel = panel;
  if (s->in_place) return HYLA_OK;
  TRY(make_ways(s, &ways));
  TRY(rotate(s, places % s->ring.places, &ways));
  return note_visits(s, &ways);
}

hyla_status hy_split_operand_plan_exchange(struct hy_split_operand *s, int bits, int packets) {
  int here = hy_split_operand_first(s), panel = here ^ bits;
  struct ways ways = {0};
  s->route.packets = packets;
  s->route.panel = panel;
  if (s->in_place) return HYLA_OK;
  TRY(make_ways(s, &ways));
  for (int x = 0; x < s->ring.places; x++)
    ways.differ[x] = (uint32_t)(block_of(s, panel) ^ block_of(s, here));
  ascend(s, &ways);
  return note_visits(s, &ways);
}

static int64_t longest(const struct hy_split_operand *s) {
  return hy_ceil_div(s->entries, hy_max(1, s->route.packets));
}

hyla_status hy_route_allocate(struct hy_split_operand *s) {
  return hy_alloc_data_for(&s->factor.matrix->cube->base, s->owner, 2 * s->route.count * longest(s),
                           s->problem->kernels->size, &s->route.passing);
}

int hy_split_operand_route_steps(const struct hy_split_operand *s) {
  return s->route.count == 0 ? 0 : s->route.packets + s->route.hops - 1;
}

/* The place of packet p when it has come, or before it goes. */
static const char *packet_at(const struct hy_split_operand *s, int visit, int p, bool comes) {
  const struct hy_route_visit *v = &s->route.visit[visit];
  int64_t size = (int64_t)s->problem->kernels->size;
  if ((comes ? v->out : v->in) >= 0) /* the block does not stay here, or is not the node's own */
    return s->route.passing + (2 * visit + p % 2) * longest(s) * size;
  const char *block = comes ? s->room[s->ring.free] : s->ring.block.data;
  int64_t from = hy_packet_start(hy_ring_entries(s, v->block), s->route.packets, p);
  return block + (hy_ring_first(s, v->block) + from) * size;
}

/* Adds packet p of a visit over a dimension, if there is such a packet. */
static void add(const struct hy_split_operand *s, int visit, int p, bool comes,
                struct hy_step *step) {
  const struct hy_route_visit *v = &s->route.visit[visit];
  int dim = comes ? v->in : v->out, packets = s->route.packets;
  if (dim < 0 || p < 0 || p >= packets) return;
  int64_t entries = hy_ring_entries(s, v->block);
  int64_t length = hy_packet_start(entries, packets, p + 1) - hy_packet_start(entries, packets, p);
  hy_step_add(step, comes ? HY_RECV : HY_SEND, s->node ^ 1 << dim, packet_at(s, visit, p, comes),
              length * (int64_t)s->problem->kernels->size);
}

int64_t hy_split_operand_route_messages(const struct hy_split_operand *s) {
  return 2 * (int64_t)s->route.count;
}

void hy_split_operand_route_pass(struct hy_split_operand *s, int t, struct hy_step *step) {
  int steps = hy_split_operand_route_steps(s);
  if (steps == 0) s->ring.panel = s->route.panel; /* the block stays, because it has no way to go */
  if (t >= steps) return;
  for (int x = 0; x < s->route.count; x++) {
    add(s, x, t - s->route.visit[x].hop + 1, true, step);
    add(s, x, t - s->route.visit[x].hop, false, step);
  }
  if (t + 1 == steps) hy_ring_put(s, s->route.panel);
}
