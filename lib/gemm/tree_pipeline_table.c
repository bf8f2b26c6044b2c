/* The timetable of a node whose panels are passed on along trees.  See tree_pipeline.h, which has
 * an example on 4 nodes. */
#include "gemm/tree_pipeline_body.h"

#include <stdlib.h>

/* The code word of a part, and the part of a code word. */
static uint32_t word_of(const struct hy_split_operand *s, int part) {
  return s->axis->code.code == HYLA_GRAY ? hy_gray((uint32_t)part) : (uint32_t)part;
}

static int part_of(const struct hy_split_operand *s, uint32_t word) {
  return (int)(s->axis->code.code == HYLA_GRAY ? hy_gray_inverse(word) : word);
}

/* Packets are numbered consecutively, panel by panel in their order of arrival.  For a packet: rank
 * is its panel's place in that order; panel, owner and root are those of its panel. */
static int rank_of(const struct hy_split_operand *s, int packet) {
  return packet / s->trees->packets;
}

static int panel_of(const struct hy_split_operand *s, int packet) {
  int rank = rank_of(s, packet);
  return s->trees->way->exchanges ? (int)hy_gray((uint32_t)rank) : rank;
}

static int owner_of(const struct hy_split_operand *s, int packet) {
  return panel_of(s, packet) / s->ring.each;
}

static int root_of(const struct hy_split_operand *s, int packet) {
  return s->trees->way->root(owner_of(s, packet));
}

static int all_packets(const struct hy_split_operand *s) {
  return s->trees->panels * s->trees->packets;
}

/* moves: the packet is on its way to the root; otherwise it has been there. */
static void add(struct hy_split_operand *s, enum hy_tree_list list, int step, int packet, int part,
                bool moves) {
  struct hy_tree_legs *legs = &s->trees->list[list];
  if (legs->leg != NULL)
    legs->leg[legs->count] = (struct hy_tree_leg){.step = step,
                                                  .panel = panel_of(s, packet),
                                                  .packet = packet % s->trees->packets,
                                                  .part = part,
                                                  .slot = -1,
                                                  .moves = moves};
  legs->count++;
}

/* The distance of this node from the root of a packet. */
static int distance(const struct hy_split_operand *s, int packet) {
  return hy_popcount(word_of(s, root_of(s, packet)) ^ word_of(s, s->ring.own));
}

/* The time when a packet leaves its root in this node's line.  other: the other factor. */
static int base_of(const struct hy_split_operand *other, int packet) {
  return packet + rank_of(other, packet) * other->trees->way->gap + distance(other, packet);
}

/* ------------------------------------------------------- which way -- */

/* The packets of one factor that come to one node. */
struct arrivals {
  int packets, window; /* packets farther apart than the window do not come at the same time */
  int32_t *time;
  uint32_t *ways; /* the dimensions over which a packet may come: those that lead to its root */
  uint8_t *link;  /* the dimension chosen for it */
};
enum { NO_LINK = UINT8_MAX };

/* The packet that uses this link at the time of `packet'; -1: none. */
static int holder_of(const struct arrivals *x, int packet, int dim) {
  int last = (int)hy_min(x->packets - 1, packet + x->window);
  for (int other = (int)hy_max(0, packet - x->window); other <= last; other++)
    if (x->time[other] == x->time[packet] && x->link[other] == dim) return other;
  return -1;
}

/* Augmenting path: gives a packet a link of its own, and moves packets of the same time to other
 * links if necessary. */
static bool give_link(struct arrivals *x, int packet, uint32_t *tried) {
  for (int dim = hy_log2_floor(x->ways[packet]); dim >= 0; dim--) {
    if (((x->ways[packet] & ~*tried) >> dim & 1) == 0) continue;
    *tried |= UINT32_C(1) << dim;
    int holder = holder_of(x, packet, dim);
    if (holder >= 0 && !give_link(x, holder, tried)) continue;
    x->link[packet] = (uint8_t)dim;
    return true;
  }
  return false;
}

/* Chooses the links of the node with this code word on this node's line.  If packets must share a
 * link, all links are those of a binomial tree. */
static void choose_links(const struct hy_split_operand *s, const struct hy_split_operand *other,
                         uint32_t word, struct arrivals *x) {
  for (int packet = 0; packet < x->packets; packet++) {
    x->ways[packet] = word ^ word_of(s, root_of(s, packet));
    x->time[packet] = base_of(other, packet) + hy_popcount(x->ways[packet]);
    x->link[packet] = NO_LINK;
  }
  bool apart = s->trees->way->apart;
  for (int packet = 0; packet < x->packets && apart; packet++) {
    uint32_t tried = 0;
    if (x->ways[packet] != 0) apart = give_link(x, packet, &tried);
  }
  for (int packet = 0; packet < x->packets && !apart; packet++)
    x->link[packet] = x->ways[packet] == 0 ? NO_LINK : (uint8_t)hy_log2_floor(x->ways[packet]);
}

/* Plans the links of this node, then those of its neighbour over each dimension. */
static hyla_status plan_links(struct hy_split_operand *s, const struct hy_split_operand *other) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->problem->cube->base;
  int dims = s->axis->code.dims, packets = all_packets(s);
  struct arrivals x = {.packets = packets, .window = 2 * (dims + other->axis->code.dims)};
  TRY(hy_alloc_for(base, s->owner, (dims + 1) * (int64_t)packets, sizeof *trees->link,
                   &trees->link));
  TRY(hy_alloc_for(base, s->owner, packets, sizeof *x.time, &x.time));
  TRY(hy_alloc_for(base, s->owner, packets, sizeof *x.ways, &x.ways));
  for (int n = 0; n <= dims; n++) {
    x.link = trees->link + n * packets;
    choose_links(s, other, word_of(s, s->ring.own) ^ (n == 0 ? 0 : 1u << (n - 1)), &x);
  }
  hy_free(base, &x.time);
  hy_free(base, &x.ways);
  return HYLA_OK;
}

/* ----------------------------------------------------- the timetable -- */

/* Moves a packet from its owner to its root, which it reaches at time `base'; there it stops
 * moving. */
static void shift(struct hy_split_operand *s, int packet, int base) {
  int owner = owner_of(s, packet), root = root_of(s, packet), own = s->ring.own;
  if (own < root || own > owner) return;
  int here = base - (own - root);
  bool moves = own > root;
  if (own < owner) add(s, HY_TREE_IN, here - 1, packet, own + 1, moves);
  if (own > root) add(s, HY_TREE_OUT, here, packet, own - 1, moves);
}

/* The same by exchanges.  In round t all parts exchange their panels over the dimension in which
 * G(t) and G(t+1) differ.  So the panel of part e is then with part e ^ G(t+1), and with part 0
 * when that is 0.  A round takes as long as the packets of a part.  A panel that has been with part
 * 0 moves no more.  The other panels use no link of the tree: over dimension j the tree goes from x
 * < 2^j to x + 2^j.  In the rounds of j, where t = 2^j - 1 modulo 2^(j+1), a part x < 2^j holds the
 * panel of some e that agrees with G(t) above the lowest j bits; that panel is among the last 2^j
 * to have come, so it moves no more.
 *
 * Example with 4 parts, G = 0 1 3 2; the panel that each part holds after each round:
 *     part      0  1  2  3
 *     start     0  1  2  3
 *     round 0   1  0  3  2    bit 0
 *     round 1   3  2  1  0    bit 1
 *     round 2   2  3  0  1    bit 0
 * Part 0 gets panels 0, 1, 3, 2 in turn; only moves of panels that have not been there are made. */
static void exchange(struct hy_split_operand *s, int packet, int base) {
  uint32_t own = (uint32_t)s->ring.own, owner = (uint32_t)owner_of(s, packet);
  int rounds = (int)hy_gray_inverse(owner), here = (int)hy_gray_inverse(owner ^ own);
  int takes = s->ring.each * s->trees->packets; /* the last round ends at time `base' */
  if (here > rounds) return;
  int starts = base - 1 - (rounds - 1 - here) * takes; /* when the round that begins here starts */
  if (here > 0)
    add(s, HY_TREE_IN, starts - takes, packet, (int)(owner ^ hy_gray((uint32_t)here - 1)),
        here < rounds);
  if (here < rounds)
    add(s, HY_TREE_OUT, starts, packet, (int)(owner ^ hy_gray((uint32_t)here + 1)), true);
}

/* Passes a packet from the root to all nodes; its owner is left out, because it has the packet. */
static void pass_on(struct hy_split_operand *s, int packet, int base) {
  const uint8_t *link = s->trees->link + packet;
  int owner = owner_of(s, packet), here = base + distance(s, packet);
  uint32_t own = word_of(s, s->ring.own), mine = own ^ word_of(s, root_of(s, packet));
  if (mine != 0 && s->ring.own != owner)
    add(s, HY_TREE_IN, here - 1, packet, part_of(s, own ^ 1u << *link), false);
  for (int dim = 0; dim < s->axis->code.dims; dim++) {
    int child = part_of(s, own ^ 1u << dim);
    bool passes = (mine >> dim & 1) == 0 && link[(dim + 1) * all_packets(s)] == dim;
    if (passes && child != owner) add(s, HY_TREE_OUT, here, packet, child, false);
  }
}

static void fill(struct hy_split_operand *s, const struct hy_split_operand *other) {
  for (int x = 0; x < HY_TREE_LISTS; x++) s->trees->list[x].count = 0;
  for (int packet = 0; packet < all_packets(s); packet++) {
    int base = base_of(other, packet);
    if (!s->in_place) (s->trees->way->exchanges ? exchange : shift)(s, packet, base);
    if (!s->in_place) pass_on(s, packet, base);
    if ((packet + 1) % s->trees->packets == 0)
      add(s, HY_TREE_HERE, base + distance(s, packet), packet, 0, false);
  }
}

static int earlier(const void *left, const void *right) {
  const struct hy_tree_leg *x = left, *y = right;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  if (x->panel != y->panel) return x->panel < y->panel ? -1 : 1;
  return x->packet < y->packet ? -1 : x->packet > y->packet;
}

struct hy_tree_group hy_tree_legs_at(const struct hy_tree_legs *legs, int64_t *at, int step) {
  int64_t first = *at;
  while (*at < legs->count && legs->leg[*at].step == step) ++*at;
  return (struct hy_tree_group){legs->leg + first, *at - first};
}

static void put_in_order(struct hy_tree_pipeline *trees, struct hy_tree_legs *legs) {
  qsort(legs->leg, (size_t)legs->count, sizeof *legs->leg, earlier);
  if (legs->count > 0)
    trees->steps = (int)hy_max(trees->steps, legs->leg[legs->count - 1].step + 1);
  int64_t at = 0;
  for (int step = 0; at < legs->count; step++)
    legs->most = hy_max(legs->most, hy_tree_legs_at(legs, &at, step).count);
}

/* ----------------------------------------------------------- slots -- */

/* `of': the slots of panels that come to this node, by panel: entry 2 panel while the panel moves,
 * entry 2 panel + 1 once it has been at its root.  `until': for each slot the last step that needs
 * its panel. */
struct slots {
  int32_t *of;
  int32_t *until;
  int count;
};

/* A slot whose panel is given up before the step. */
static int32_t free_slot(struct slots *slots, int step) {
  int32_t slot = 0;
  while (slot < slots->count && slots->until[slot] >= step) slot++;
  slots->count = (int)hy_max(slots->count, slot + 1);
  return slot;
}

/* All packets of a panel take the same time to come, so the last one goes on in this step; with
 * exchanges one round later. */
static int last_step(const struct hy_split_operand *s, const struct hy_tree_leg *first) {
  bool waits = first->moves && s->trees->way->exchanges;
  int packets = s->trees->packets;
  return first->step + (waits ? s->ring.each * packets : 1) + packets - 1;
}

static void assign(struct hy_split_operand *s, struct slots *slots) {
  struct hy_tree_legs *list = s->trees->list;
  for (int x = 0; x < 2 * s->trees->panels; x++) slots->of[x] = -1;
  for (int64_t x = 0; x < list[HY_TREE_IN].count; x++) {
    struct hy_tree_leg *leg = &list[HY_TREE_IN].leg[x];
    int32_t *slot = &slots->of[2 * leg->panel + !leg->moves];
    if (leg->packet == 0) {
      *slot = free_slot(slots, leg->step);
      slots->until[*slot] = last_step(s, leg);
    }
    leg->slot = *slot;
  }
  for (int l = HY_TREE_OUT; l <= HY_TREE_HERE; l++)
    for (int64_t x = 0; x < list[l].count; x++) {
      struct hy_tree_leg *leg = &list[l].leg[x];
      leg->slot = slots->of[2 * leg->panel + !leg->moves];
    }
  s->trees->slots = slots->count;
}

static hyla_status give_slots(struct hy_split_operand *s) {
  struct hy_base *base = &s->problem->cube->base;
  struct slots slots = {0};
  TRY(hy_alloc_for(base, s->owner, 2 * s->trees->panels, sizeof *slots.of, &slots.of));
  TRY(hy_alloc_for(base, s->owner, 2 * s->trees->panels, sizeof *slots.until, &slots.until));
  assign(s, &slots);
  hy_free(base, &slots.of);
  hy_free(base, &slots.until);
  return HYLA_OK;
}

hyla_status hy_split_operand_timetable(struct hy_split_operand *s,
                                       const struct hy_split_operand *other) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->problem->cube->base;
  if (!s->in_place) TRY(plan_links(s, other));
  fill(s, other); /* only counts */
  for (int x = 0; x < HY_TREE_LISTS; x++)
    TRY(hy_alloc_for(base, s->owner, trees->list[x].count, sizeof *trees->list[x].leg,
                     &trees->list[x].leg));
  fill(s, other);
  for (int x = 0; x < HY_TREE_LISTS; x++) put_in_order(trees, &trees->list[x]);
  hy_free(base, &trees->link);
  return give_slots(s);
}
