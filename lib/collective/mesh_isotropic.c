/* The exchange on tori in the fewest steps of whole messages.
 *
 * Method: the task is isotropic: each node sends a message to the node at each displacement.  All
 * nodes do the same: in a step, the messages of one displacement cross one port of every node.  The
 * ports that each displacement crosses, and how often, are a matrix with a column for each port.  A
 * colouring of its entries with as many colours as its largest row or column sum exists, and the
 * colours are the steps (isotropic.c).  Ways are shortest; displacements of half an even side go
 * up and down in turn.
 *
 * A message lies in the block with the number of the node that is its displacement away, which the
 * neighbour's message of the same displacement has left in the same step.  In the last step all
 * messages are put in the blocks of their sources.
 * Reference: Varvarigos 1992, chapter 2 on cubes; chapter 8 cites the torus.
 * Steps: the largest sum.
 * Restriction: messages of equal length.
 * Memory: the blocks once more. */
#include "collective/mesh.h"

/* The node that is this displacement away; back: against it. */
static uint32_t moved(const struct hy_network *torus, uint32_t node, uint32_t displacement,
                      bool back) {
  uint32_t point[HY_NETWORK_AXES], by[HY_NETWORK_AXES];
  hy_network_point(torus, node, point);
  hy_network_point(torus, displacement, by);
  for (int a = 0; a < torus->axes; a++) {
    const uint32_t side = torus->side[a];
    point[a] = (point[a] + (back ? side - by[a] : by[a])) % side;
  }
  return hy_network_node(torus, point);
}

/* ------------------------------------------------------------- the table -- */

/* The crossings of each port by the message of each displacement but 0. */
static void count_crossings(const struct hy_network *torus, uint32_t *times) {
  bool down[HY_NETWORK_AXES] = {false}; /* where the next one of half a side goes */
  for (uint32_t node = 1; node < torus->nodes; node++) {
    uint32_t point[HY_NETWORK_AXES];
    uint32_t *row = &times[(int64_t)(node - 1) * torus->ports];
    hy_network_point(torus, node, point);
    for (int a = 0; a < torus->axes; a++) {
      const uint32_t side = torus->side[a], up = point[a];
      bool falls = 2 * up > side;
      if (2 * up == side && side > 2) {
        falls = down[a];
        down[a] = !down[a];
      }
      row[2 * a + falls] = falls ? side - up : up;
    }
  }
}

static hyla_status colour(struct hy_base *base, const struct hy_network *torus,
                          struct hy_hops **hops) {
  const int64_t count = (int64_t)torus->nodes - 1;
  uint32_t *times = NULL, *displacements = NULL;
  TRY(hy_alloc(base, count * torus->ports, sizeof *times, &times));
  hyla_status status = hy_alloc_for(base, times, count, sizeof *displacements, &displacements);
  if (status == HYLA_OK) {
    for (int64_t i = 0; i < count; i++) displacements[i] = (uint32_t)i + 1;
    count_crossings(torus, times);
    status = hy_hops_colour_times(base, torus->ports, times, displacements, count, hops);
  }
  hy_free(base, &times);
  return status;
}

/* ------------------------------------------------------------- schedules -- */

struct exchange {
  const struct hy_network *torus;
  const struct hy_hops *hops;
  uint8_t *late; /* of each displacement: its message arrives in the last step */
};

/* The messages that have arrived go to the blocks of their sources. */
static hyla_status settle(const struct exchange *e, uint32_t node, enum hy_action action,
                          struct hy_schedule *out) {
  for (uint32_t by = 1; by < e->torus->nodes; by++) {
    const uint32_t from = moved(e->torus, node, by, false), to = moved(e->torus, node, by, true);
    const struct hy_piece piece = {
        .block = action == HY_OUT ? from : to, .run = 1, .from = 0, .to = 1};
    if (e->late[by] || from == to) continue;
    TRY(hy_schedule_add(out, e->hops->found.steps - 1, 0, action, piece));
  }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct exchange *e = generator->table;
  out->steps = e->hops->found.steps;
  for (int64_t i = 0; i < e->hops->count; i++) {
    const struct hy_hop *hop = &e->hops->hops[i];
    const bool last = hop->step == e->hops->found.steps - 1;
    struct hy_piece piece = {
        .block = moved(e->torus, node, hop->tag, false), .run = 1, .from = 0, .to = 1};
    TRY(hy_schedule_add(out, hop->step, hop->across, HY_OUT, piece));
    if (last) piece.block = moved(e->torus, node, hop->tag, true);
    TRY(hy_schedule_add(out, hop->step, hy_packet_back(e->torus, node, hop->across), HY_IN, piece));
  }
  TRY(settle(e, node, HY_OUT, out));
  return settle(e, node, HY_IN, out);
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct exchange *e = NULL;
  struct hy_hops *hops = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *e, &e));
  TRY(hy_recipe_table(recipe, c->network->nodes, 1, &e->late));
  TRY(colour(recipe->base, c->network, &hops));
  hy_recipe_keep(recipe, hops);
  e->torus = c->network;
  e->hops = hops;
  for (int64_t i = 0; i < hops->count; i++)
    if (hops->hops[i].step == hops->found.steps - 1) e->late[hops->hops[i].tag] = 1;
  hy_recipe_add(recipe, c, make, e);
  return HYLA_OK;
}

/* ------------------------------------------------------------------ form -- */

static struct hy_form form(const struct hy_collective *c) {
  const struct hy_network *torus = c->network;
  int64_t most = 0, row = 0, links = 0;
  for (int a = 0; a < torus->axes; a++) {
    const int64_t p = torus->side[a], lines = torus->nodes / p, half = p / 2;
    int64_t column = lines * half * (half + 1) / 2;
    if (p % 2 == 0)
      column = p == 2 ? lines : lines * half * (half - 1) / 2 + hy_ceil_div(lines, 2) * half;
    most = hy_max(most, column);
    row += half;
    links += lines * (p * p / 4); /* p^2/4: the sum of the distances on a ring, rounded down */
  }
  most = hy_max(most, row);
  return (struct hy_form){most, {most, 1}, links * torus->nodes, 1};
}

const struct hy_collective_variant hy_exchange_isotropic = {
    .base = {.name = "isotropic", .reference = "varvarigos-1992, chapters 2 and 8"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .networks = HY_ON_TORI,
    .by_message = true,
    .formula = "h (tau m + beta), h = the largest of the sum of floor(p/2) and, for each axis, "
               "N (p^2-1)/(8p) for odd p, N (p-2)/8 + ceil(N/(2p)) p/2 for even p > 2, N/2 for "
               "p = 2",
    .build = build,
    .form = form,
    .letters = hy_mesh_letters,
};
