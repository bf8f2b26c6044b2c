/* Orderings of Jacobi's method: where blocks are in each step of a sweep.
 *
 * On a d-cube a sweep has phases e = d ... 1.  In phase e the first blocks of an e-cube's 2^e nodes
 * stay and the second ones move along a Hamiltonian path, 2^e - 1 transitions, so that each second
 * block meets each first one.  A division follows: along dimension e - 1 one neighbour gives its
 * second block for the other's first one, so that one half of the cube has the first blocks and
 * the other the second ones, and the halves go on by themselves.  After the last division two
 * blocks are left on each node: 2^(d+1) - 1 steps (Mantharam and Eberlein 1993).  One more
 * transition brings other blocks together before the next sweep begins.
 * On a ring of any number of nodes, all blocks but one go round (Brent and Luk 1985). */
#include "solve/jacobi/jacobi.h"

static void add(struct hy_jacobi_order *order, int64_t *t, int link, bool divides, int32_t phase) {
  order->link[*t] = (uint8_t)link;
  order->divides[*t] = divides;
  order->phase[*t] = phase;
  (*t)++;
}

/* The tables of a cube; moved[t]: before the transition of step t. */
static void fill(struct hy_jacobi_order *order, hy_jacobi_path *path) {
  int64_t t = 0;
  for (int e = order->dims; e > 0; e--) {
    const int32_t phase = (int32_t)t;
    uint8_t *const link = order->link + t;
    path(e, link);
    order->moved[t] = 0;
    for (int64_t i = 0; i < (INT64_C(1) << e) - 1; i++) {
      const int crossed = link[i];
      add(order, &t, crossed, false, phase);
      order->moved[t] = order->moved[t - 1] ^ UINT32_C(1) << crossed;
    }
    add(order, &t, e - 1, true, phase);
  }
  order->moved[t] = 0;
  if (order->dims > 0) add(order, &t, order->dims - 1, false, (int32_t)t);
}

hyla_status hy_jacobi_order_make(struct hy_base *base, void *owner,
                                 const struct hy_jacobi_ordering *ordering, uint32_t nodes,
                                 struct hy_jacobi_order *order) {
  *order = (struct hy_jacobi_order){.nodes = nodes, .steps = 2 * (int64_t)nodes - 1};
  if (ordering->path == NULL) return HYLA_OK;
  while (UINT32_C(1) << order->dims < nodes) order->dims++;
  const int64_t room = order->steps + 1;
  TRY(hy_alloc_for(base, owner, room, sizeof *order->link, &order->link));
  TRY(hy_alloc_for(base, owner, room, sizeof *order->divides, &order->divides));
  TRY(hy_alloc_for(base, owner, room, sizeof *order->moved, &order->moved));
  TRY(hy_alloc_for(base, owner, room, sizeof *order->phase, &order->phase));
  fill(order, ordering->path);
  return HYLA_OK;
}

/* ------------------------------------------------------------------- a cube -- */

/* The bit that a dimension of the tables is in this sweep. */
static uint32_t bit_of(const struct hy_jacobi_order *order, int64_t sweep, int link) {
  return UINT32_C(1) << (link + sweep) % order->dims;
}

static uint32_t bits_of(const struct hy_jacobi_order *order, int64_t sweep, uint32_t links) {
  uint32_t bits = 0;
  for (int i = 0; i < order->dims; i++)
    if ((links >> i & 1) != 0) bits |= bit_of(order, sweep, i);
  return bits;
}

/* A transition takes a block there and back alike: second blocks change places, or one neighbour's
 * second with the other's first. */
static struct hy_jacobi_slot across(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                    struct hy_jacobi_slot at) {
  const uint32_t bit = bit_of(order, sweep, order->link[t]);
  const int leaves = order->divides[t] && (at.node & bit) != 0 ? 0 : 1;
  if (at.slot != leaves) return at;
  return (struct hy_jacobi_slot){at.node ^ bit, order->divides[t] ? 1 - leaves : 1};
}

/* Back from phase to phase. */
static struct hy_jacobi_slot began_on_cube(const struct hy_jacobi_order *order, int64_t sweep,
                                           int64_t t, struct hy_jacobi_slot at) {
  if (order->dims == 0) return at;
  if (t == order->steps) at = across(order, sweep, --t, at);
  for (;;) {
    if (at.slot == 1) at.node ^= bits_of(order, sweep, order->moved[t]);
    /* Step t is of the phase whose transitions begin there; the last step is alone in its own. */
    t = t + 1 == order->steps ? t : order->phase[t];
    if (t == 0) return at;
    at = across(order, sweep, --t, at);
  }
}

/* ------------------------------------------------------------------- a ring -- */

/* The block's place among those that go round; -1: it stays. */
static int64_t place_of(const struct hy_jacobi_order *order, struct hy_jacobi_slot at) {
  const int64_t nodes = order->nodes, x = at.node;
  return at.slot == 0 ? x - 1 : 2 * (nodes - 1) - x;
}

static struct hy_jacobi_slot slot_at(const struct hy_jacobi_order *order, int64_t place) {
  const int64_t nodes = order->nodes;
  if (place < nodes - 1) return (struct hy_jacobi_slot){(uint32_t)(place + 1), 0};
  return (struct hy_jacobi_slot){(uint32_t)(2 * (nodes - 1) - place), 1};
}

static struct hy_jacobi_slot turned(const struct hy_jacobi_order *order, int64_t by,
                                    struct hy_jacobi_slot at) {
  const int64_t places = order->steps, place = place_of(order, at);
  return place < 0 ? at : slot_at(order, ((place + by) % places + places) % places);
}

/* -------------------------------------------------------------------- calls -- */

struct hy_jacobi_slot hy_jacobi_to(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                   struct hy_jacobi_slot at) {
  if (order->link == NULL) return turned(order, 1, at);
  return order->dims == 0 ? at : across(order, sweep, t, at);
}

struct hy_jacobi_slot hy_jacobi_from(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                     struct hy_jacobi_slot at) {
  if (order->link == NULL) return turned(order, -1, at);
  return order->dims == 0 ? at : across(order, sweep, t, at);
}

struct hy_jacobi_slot hy_jacobi_began(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                      struct hy_jacobi_slot at) {
  return order->link == NULL ? turned(order, -t, at) : began_on_cube(order, sweep, t, at);
}
