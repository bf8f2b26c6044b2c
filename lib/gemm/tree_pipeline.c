/* Panels passed on along trees: the timetable of a node, and the run that follows it.  See
 * tree_pipeline.h, which has an example on 4 nodes. */
#include "gemm/tree_pipeline.h"
#include "gemm/packets.h"

#include <stdlib.h>

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
  return hy_popcount(hy_split_operand_word(s, root_of(s, packet)) ^
                     hy_split_operand_word(s, s->ring.own));
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
    x->ways[packet] = word ^ hy_split_operand_word(s, root_of(s, packet));
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
    choose_links(s, other, hy_split_operand_word(s, s->ring.own) ^ (n == 0 ? 0 : 1u << (n - 1)),
                 &x);
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
  uint32_t own = hy_split_operand_word(s, s->ring.own),
           mine = own ^ hy_split_operand_word(s, root_of(s, packet));
  if (mine != 0 && s->ring.own != owner)
    add(s, HY_TREE_IN, here - 1, packet, hy_split_operand_part(s, own ^ 1u << *link), false);
  for (int dim = 0; dim < s->axis->code.dims; dim++) {
    int child = hy_split_operand_part(s, own ^ 1u << dim);
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

/* The legs of a step; *at is where the legs of earlier steps end. */
static struct hy_tree_group legs_at(const struct hy_tree_legs *legs, int64_t *at, int step) {
  int64_t first = *at;
  while (*at < legs->count && legs->leg[*at].step == step) ++*at;
  return (struct hy_tree_group){legs->leg + first, *at - first};
}

/* Gives a slot to each panel that comes to this node.  of: by panel, entry 2 panel while the panel
 * moves, entry 2 panel + 1 once it has been at its root.  until: for each slot the last step that
 * needs its panel. */
static hyla_status give_slots(struct hy_split_operand *s) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->problem->cube->base;
  int32_t *of = NULL, *until = NULL;
  TRY(hy_alloc_for(base, s->owner, 2 * trees->panels, sizeof *of, &of));
  TRY(hy_alloc_for(base, s->owner, 2 * trees->panels, sizeof *until, &until));
  for (int x = 0; x < 2 * trees->panels; x++) of[x] = -1;
  for (int64_t x = 0; x < trees->list[HY_TREE_IN].count; x++) {
    struct hy_tree_leg *leg = &trees->list[HY_TREE_IN].leg[x];
    int32_t *slot = &of[2 * leg->panel + !leg->moves];
    if (leg->packet == 0) { /* takes one whose panel is given up before */
      for (*slot = 0; *slot < trees->slots && until[*slot] >= leg->step;) ++*slot;
      trees->slots = (int)hy_max(trees->slots, *slot + 1);
      /* All packets of a panel take the same time to come, so the last one goes on in this step;
       * with exchanges one round later. */
      int waits = leg->moves && trees->way->exchanges ? s->ring.each * trees->packets : 1;
      until[*slot] = leg->step + waits + trees->packets - 1;
    }
    leg->slot = *slot;
  }
  for (int l = HY_TREE_OUT; l <= HY_TREE_HERE; l++)
    for (int64_t x = 0; x < trees->list[l].count; x++) {
      struct hy_tree_leg *leg = &trees->list[l].leg[x];
      leg->slot = of[2 * leg->panel + !leg->moves];
    }
  hy_free(base, &of);
  hy_free(base, &until);
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
  for (int x = 0; x < HY_TREE_LISTS; x++) {
    struct hy_tree_legs *legs = &trees->list[x];
    qsort(legs->leg, (size_t)legs->count, sizeof *legs->leg, earlier);
    if (legs->count > 0)
      trees->steps = (int)hy_max(trees->steps, legs->leg[legs->count - 1].step + 1);
    int64_t at = 0;
    for (int step = 0; at < legs->count; step++)
      legs->most = hy_max(legs->most, legs_at(legs, &at, step).count);
  }
  hy_free(base, &trees->link);
  return give_slots(s);
}

int64_t hy_split_operand_tree_all_steps(const struct hy_split_operand *a,
                                        const struct hy_split_operand *b) {
  const struct hy_tree_pipeline *trees = a->trees;
  int64_t starts = trees->panels * (int64_t)(trees->packets + trees->way->gap) - trees->way->gap;
  return starts - 1 + a->axis->code.dims + b->axis->code.dims;
}

/* ----------------------------------------------------------------- run -- */

/* The first panel is the widest. */
static int64_t slot_entries(const struct hy_split_operand *s) {
  return s->beside.count * hy_split_operand_panel(s, 0).count;
}

static hyla_status allocate(struct hy_split_operand *s) {
  struct hy_tree_pipeline *trees = s->trees;
  struct hy_base *base = &s->factor.matrix->cube->base;
  size_t size = s->problem->kernels->size;
  TRY(hy_alloc_data_for(base, s->owner, s->beside.count * hy_held(s->axis, s->ring.own), size,
                        &trees->packed));
  return hy_alloc_data_for(base, s->owner, trees->slots * slot_entries(s), size, &trees->room);
}

static struct hy_reach reach_of(const struct hy_split_operand *s, int panel) {
  const struct hy_indices k = hy_split_operand_panel(s, panel);
  return hy_split_operand_block_reach(s, &k);
}

/* For a panel without gaps: its leading dimension, and the distance in bytes from entry (0, 0) to
 * packet p. */
static int64_t ld_of(const struct hy_split_operand *s, int panel) {
  return hy_max(1, s->rows ? hy_split_operand_panel(s, panel).count : reach_of(s, panel).count);
}
static int64_t first_of(const struct hy_split_operand *s, int panel, int p) {
  int64_t count = hy_split_operand_panel(s, panel).count;
  const struct hy_reach reach = reach_of(s, panel);
  int64_t from = hy_packet_start(reach.count * count, s->trees->packets, p);
  return (reach.from * (s->rows ? count : 1) + from) * (int64_t)s->problem->kernels->size;
}

/* A panel of the node's own block. */
static char *own_panel(const struct hy_split_operand *s, int panel) {
  int64_t entries = s->beside.count * hy_ring_place(s, panel);
  return s->trees->packed + entries * (int64_t)s->problem->kernels->size;
}

/* Where a leg's panel is stored. */
static char *place_of(const struct hy_split_operand *s, const struct hy_tree_leg *leg) {
  if (leg->slot < 0) return own_panel(s, leg->panel);
  return s->trees->room + leg->slot * slot_entries(s) * (int64_t)s->problem->kernels->size;
}

static void begin(struct hy_split_operand *s) {
  struct hy_tree_pipeline *trees = s->trees;
  const struct hy_panel own = hy_panel_own(&s->factor);
  int first = hy_split_operand_first(s);
  for (int x = 0; x < HY_TREE_LISTS; x++) trees->at[x] = 0;
  if (s->in_place) return;
  hy_count_copied(s->problem->cube, s->beside.count * hy_held(s->axis, s->ring.own));
  for (int panel = first; panel < first + s->ring.each; panel++) {
    const struct hy_reach reach = reach_of(s, panel);
    const struct hy_panel from = hy_split_operand_at(s, &own, hy_ring_place(s, panel));
    hy_split_operand_copy(s, &from, hy_split_operand_panel(s, panel).count, &reach,
                          own_panel(s, panel), ld_of(s, panel));
  }
}

static const struct hy_split_operand_use TREES = {.allocate = allocate, .begin = begin};

hyla_status hy_split_operand_on_trees(struct hy_split_operand *s,
                                      const struct hy_tree_pipeline_way *way, int panels) {
  TRY(hy_alloc_for(&s->problem->cube->base, s->owner, 1, sizeof *s->trees, &s->trees));
  hy_split_operand_on_ring(s, s->axis->parts, panels);
  s->use = &TREES;
  s->rooms = 0;
  s->in_place = s->operand->in_place || s->axis->parts == 1;
  s->trees->way = way;
  s->trees->panels = panels;
  s->trees->packets = 1;
  return HYLA_OK;
}

void hy_split_operand_cut_panels(struct hy_split_operand *a, struct hy_split_operand *b) {
  const struct hy_gemm_problem *problem = a->problem;
  int64_t of_a =
      a->in_place ? 0 : hy_axis_most(&a->operand->row) * hy_split_operand_panel(a, 0).count;
  int64_t of_b =
      b->in_place ? 0 : hy_axis_most(&b->operand->col) * hy_split_operand_panel(b, 0).count;
  const struct hy_tree_pipeline *trees = a->trees;
  const struct hy_pipe pipe = {.entries = hy_max(of_a, of_b),
                               .each = trees->panels,
                               .once = (trees->panels - 1) * (int64_t)trees->way->gap +
                                       a->axis->code.dims + b->axis->code.dims - 1};
  a->trees->packets = b->trees->packets = hy_gemm_packets(problem, &pipe);
}

static void add_messages(const struct hy_split_operand *s, const struct hy_tree_group *legs,
                         enum hy_verb verb, struct hy_step *step) {
  for (int64_t x = 0; x < legs->count; x++) {
    const struct hy_tree_leg *leg = &legs->leg[x];
    int64_t from = first_of(s, leg->panel, leg->packet);
    hy_step_add(step, verb, hy_node_along(s->axis, s->node, leg->part), place_of(s, leg) + from,
                first_of(s, leg->panel, leg->packet + 1) - from);
  }
}

void hy_split_operand_tree_pass(struct hy_split_operand *s, int t, struct hy_step *step) {
  struct hy_tree_pipeline *trees = s->trees;
  for (int x = 0; x < HY_TREE_LISTS; x++)
    trees->now[x] = legs_at(&trees->list[x], &trees->at[x], t);
  add_messages(s, &trees->now[HY_TREE_IN], HY_RECV, step);
  add_messages(s, &trees->now[HY_TREE_OUT], HY_SEND, step);
}

hyla_status hy_split_operand_tree_here(struct hy_split_operand *s, int64_t x,
                                       struct hy_panel *panel) {
  const struct hy_tree_leg *leg = &s->trees->now[HY_TREE_HERE].leg[x];
  if (!s->in_place) {
    *panel = (struct hy_panel){place_of(s, leg), ld_of(s, leg->panel), HYLA_NONE};
    return HYLA_OK;
  }
  struct hy_panel block;
  TRY(hy_block_access_block(s->access, leg->panel / s->ring.each, &block));
  *panel = hy_split_operand_at(s, &block, hy_ring_place(s, leg->panel));
  return HYLA_OK;
}
