/* Bertsekas et al. 1991: broadcasts replicated by XOR, the order of nodes and the balanced tree,
 * the total exchange's slots compared with the queues by which the paper forwards packets.  Nicol
 * and Bokhari 1994: a machine's parameters. */
#include "bertsekas.h"

#include "collective/variant.h"
#include "hyla_lab.h"
#include "paper.h"
#include "transmissions.h"

#include <stdlib.h>
#include <string.h>

enum { REPLICATED_DIMS = 7, ORDER_DIMS = 16, SLOT_DIMS = 10, DIVISORS = 20000, FITTED_DIMS = 2 };

/* ----------------------------------------------------------- replication -- */

/* A broadcast from node 0: the node that informs a node, and the step. */
struct tree {
  uint32_t parent[1 << REPLICATED_DIMS];
  int step[1 << REPLICATED_DIMS];
  int steps;
};

static hyla_status make_tree(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *out) {
  const struct tree *tree = generator->table;
  const struct hy_piece piece = {.run = 1, .to = 1};
  out->steps = tree->steps;
  if (node != 0)
    TRY(hy_schedule_add(out, tree->step[node], node ^ tree->parent[node], HY_IN, piece));
  for (uint32_t bit = 1; bit >> generator->dims == 0; bit <<= 1) {
    uint32_t child = node ^ bit;
    if (child != 0 && tree->parent[child] == node)
      TRY(hy_schedule_add(out, tree->step[child], bit, HY_OUT, piece));
  }
  return HYLA_OK;
}

/* Draws links, at most one of each dimension in a step, from nodes that were informed before. */
static void draw_tree(int d, struct tree *tree) {
  int informed = 1;
  memset(tree->step, 0, sizeof tree->step);
  for (int i = 1; i >> d == 0; i++) tree->step[i] = -1;
  for (tree->steps = 0; informed >> d == 0; tree->steps++)
    for (int bit = 0; bit < d; bit++) {
      uint32_t from = (uint32_t)harness_draw(0, (1 << d) - 1), to = from ^ 1u << bit;
      bool before = tree->step[from] >= 0 && (from == 0 || tree->step[from] < tree->steps);
      if (!before || tree->step[to] >= 0 || to == 0) continue;
      tree->parent[to] = from;
      tree->step[to] = tree->steps;
      informed++;
    }
}

/* Moves one link so that two links of a dimension share a step; false: no link can be moved. */
static bool spoil_tree(int d, struct tree *tree) {
  for (uint32_t node = 1; node >> d == 0; node++)
    for (uint32_t other = 1; other >> d == 0; other++) {
      bool same = (node ^ tree->parent[node]) == (other ^ tree->parent[other]);
      uint32_t parent = tree->parent[other];
      bool informed = parent == 0 || tree->step[parent] < tree->step[node];
      if (node == other || !same || !informed || tree->step[node] >= tree->step[other]) continue;
      tree->step[other] = tree->step[node];
      return true;
    }
  return false;
}

static void check_replication(FILE *page) {
  static struct tree tree;
  const struct hy_paper_machine all_ports = {.tau = 1};
  int spoilt = 0;
  for (int d = 1; d <= REPLICATED_DIMS; d++)
    for (int trial = 0; trial < 30; trial++) {
      struct hy_base base = {0};
      struct hy_verify_report report;
      const struct hy_collective task = {
          .task = HY_TASK_ALLGATHER, .dims = d, .blocks = {.words = 1}};
      struct hy_generator broadcast = {make_tree, .dims = d, .table = &tree};
      struct hy_generator all = hy_complete(&broadcast, false);
      harness_note("d = %d, trial %d", d, trial);
      draw_tree(d, &tree);
      report = paper_sound(&all, &task, &all_ports);
      assert_int_equal(report.planned, tree.steps);
      assert_int_equal(report.packets, (int64_t)((1 << d) - 1) << d);
      if (!spoil_tree(d, &tree)) continue;
      spoilt++;
      assert_int_equal(hy_verify(&all, &task, &all_ports, &base, &report), HYLA_OK);
      assert_int_equal(report.fault, HY_LINK_TAKEN);
    }
  assert_in_range(spoilt, 50, 210);
  fprintf(page,
          "| replication (B2) | bertsekas-1991, section 2 | links of a step all of different "
          "dimensions: broadcasts of all nodes in the steps of one | d = 1-%d, 210 random "
          "broadcasts | holds; two links of a dimension in a step meet |\n",
          REPLICATED_DIMS);
}

/* ----------------------------------------------------------------- trees -- */

static void check_orders(FILE *page) {
  static uint32_t order[1 << ORDER_DIMS], parent[1 << ORDER_DIMS], size[ORDER_DIMS];
  static uint8_t subtree[1 << ORDER_DIMS];
  static int place[1 << ORDER_DIMS];
  for (int d = 2; d <= ORDER_DIMS; d++) {
    int nodes = 1 << d, least = (nodes - 1) / d;
    harness_note("d = %d", d);
    hy_rotation_order(d, order);
    for (int n = 0; n < nodes; n++) place[order[n]] = n;
    for (int n = 1; n < nodes; n++) {
      uint32_t above = order[n] & ~(1u << (n - 1) % d);
      assert_true(above != order[n]);
      assert_true(above == 0 || (place[above] - 1) / d < (n - 1) / d);
    }
    memset(size, 0, sizeof size);
    hy_balanced_tree(d, parent, subtree);
    for (int node = 1; node < nodes; node++) {
      assert_int_equal(hy_popcount(parent[node] ^ (uint32_t)node), 1);
      assert_true(parent[node] < (uint32_t)node);
      assert_true(parent[node] == 0 || subtree[parent[node]] == subtree[node]);
      size[subtree[node]]++;
    }
    for (int i = 0; i < d; i++) assert_in_range(size[i], least, least + 1);
  }
  fprintf(page,
          "| order by rotation classes (B3) | bertsekas-1991, section 2 | node n is reached over "
          "dimension (n-1) mod d from a group of d before its own | d = 2-%d | equal |\n"
          "| balanced tree of shortest paths (B6) | bertsekas-1991, section 3 | d subtrees of "
          "floor or ceil((2^d-1)/d) nodes | d = 2-%d | equal |\n",
          ORDER_DIMS, ORDER_DIMS);
  for (int64_t d = 2; d < DIVISORS; d++) {
    int64_t power = 1;
    for (int64_t i = 0; i < d; i++) power = power * 2 % d;
    assert_true(power != 1 % d);
  }
  fprintf(page,
          "| d does not divide 2^d - 1 (B11) | bertsekas-1991, appendix | for d >= 2 | d to %d | "
          "holds |\n",
          DIVISORS - 1);
}

/* ---------------------------------------------------------------- slots -- */

/* A packet as its node sees it: its origin and its target, relative to the node. */
struct packet {
  uint32_t origin, target;
};

enum { HALF = 1 << (SLOT_DIMS - 1) };
static struct packet queue[SLOT_DIMS][HALF * SLOT_DIMS];
static int waiting[SLOT_DIMS];
static uint32_t table[SLOT_DIMS][HALF]; /* the order of a node's own packets, by link */

/* Column k: the entries of the table before, row by row, with bit k; then that bit alone. */
static void fill_table(int d) {
  for (int k = 0; k < d; k++) {
    int count = 0;
    for (int row = 0; row < 1 << k; row++)
      for (int column = 0; column < k; column++)
        if (row < 1 << column) table[k][count++] = table[column][row] | 1u << k;
    table[k][count++] = 1u << k;
    assert_int_equal(count, 1 << k);
  }
}

/* Takes the first packet, by its number, of the nearest origin. */
static struct packet take(int link) {
  int best = 0;
  assert_true(waiting[link] > 0);
  for (int i = 1; i < waiting[link]; i++)
    if (queue[link][i].origin < queue[link][best].origin) best = i;
  struct packet packet = queue[link][best];
  waiting[link]--;
  memmove(&queue[link][best], &queue[link][best + 1],
          (size_t)(waiting[link] - best) * sizeof packet);
  return packet;
}

/* The packet that leaves in a unit, from 0: an own packet as long as there are any, then one that
 * waits. */
static struct packet leaves(int link, int unit) {
  if (unit >> link == 0) return (struct packet){0, table[link][unit]};
  return take(link);
}

/* Puts a packet into the queue of its highest remaining dimension; if none remains, it has
 * arrived. */
static void arrive(struct packet packet, int link) {
  uint32_t across = 1u << link;
  packet.origin ^= across;
  packet.target ^= across;
  if (packet.target == 0) return;
  int next = hy_log2_floor(packet.target);
  assert_true(next < link);
  queue[next][waiting[next]++] = packet;
}

static const struct hy_hops *hops_of(struct hy_recipe *recipe, struct hy_base *base,
                                     const char *name, struct hy_collective *task) {
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, name);
  assert_int_equal(hy_recipe_make(recipe, base, row, task), HYLA_OK);
  return recipe->tables[0];
}

/* Asserts that the library's hops, in the order of units and links, are those of the queues. */
static void check_queues(int d, const struct hy_hops *hops) {
  static struct packet slot[HALF][SLOT_DIMS];
  memset(slot, 0, sizeof slot);
  memset(waiting, 0, sizeof waiting);
  for (int64_t i = 0; i < hops->count; i++) {
    const struct hy_hop *hop = &hops->hops[i];
    uint32_t crossed = hop->tag & ~(2 * hop->across - 1);
    slot[hop->step][hy_lowest(hop->across)] = (struct packet){crossed, hop->tag ^ crossed};
  }
  fill_table(d);
  for (int unit = 0; unit < 1 << (d - 1); unit++) {
    struct packet sent[SLOT_DIMS];
    for (int link = 0; link < d; link++) {
      sent[link] = leaves(link, unit);
      assert_int_equal(sent[link].origin, slot[unit][link].origin);
      assert_int_equal(sent[link].target, slot[unit][link].target);
    }
    for (int link = 0; link < d; link++) arrive(sent[link], link);
  }
  for (int link = 0; link < d; link++) assert_int_equal(waiting[link], 0);
}

/* N(n), the own packets that a node has sent in n units. */
static void check_invariant(int d, const struct hy_hops *hops) {
  static int own[HALF + 1];
  memset(own, 0, sizeof own);
  for (int64_t i = 0; i < hops->count; i++)
    own[hops->hops[i].step + 1] += hops->hops[i].across << 1 > hops->hops[i].tag;
  for (int n = 1; n <= 1 << (d - 1); n++) {
    own[n] += own[n - 1];
    assert_true(own[n] <= (1 << (d - 1)) + n - 1);
  }
  assert_int_equal(own[1 << (d - 1)], (1 << d) - 1);
}

static void check_slots(FILE *page) {
  for (int d = 1; d <= SLOT_DIMS; d++) {
    struct hy_base base = {0};
    struct hy_recipe recipe;
    struct hy_collective task = {.task = HY_TASK_EXCHANGE, .dims = d, .blocks = {.words = 1}};
    harness_note("d = %d", d);
    const struct hy_hops *hops = hops_of(&recipe, &base, "b91", &task);
    assert_int_equal(hops->count, (int64_t)d << (d - 1));
    check_queues(d, hops);
    check_invariant(d, hops);
    hy_recipe_free(&recipe);
  }
  fprintf(page,
          "| slots in closed form (B9) | bertsekas-1991, section 4 | what each link sends in each "
          "unit is what the paper's queues give it | d = 1-%d | equal |\n"
          "| own packets sent by unit n (B10) | bertsekas-1991, section 4 | N(n) <= 2^(d-1) + n - "
          "1 | d = 1-%d, all n | holds |\n",
          SLOT_DIMS, SLOT_DIMS);
}

static hyla_status measure(hyla_cube *cube, void *arg) {
  hyla_measurement found;
  TRY(hyla_machine_measure(cube, 1, &found));
  if (hyla_cube_address(cube) == 0) *(hyla_measurement *)arg = found;
  return HYLA_OK;
}

/* On virtual cubes, whose parameters are known; the copies there are this machine's. */
static void check_fitted(FILE *page) {
  for (int d = 1; d <= FITTED_DIMS; d++) {
    const hyla_simulation circuits = {.dims = d,
                                      .alpha = 0x1p-10,
                                      .beta = 0x1p-20,
                                      .ports = HYLA_ONE_PORT,
                                      .switching = HYLA_CIRCUIT};
    hyla_measurement found;
    hyla_report report;
    harness_note("d = %d", d);
    if (hyla_simulate(&circuits, measure, &found, &report) != HYLA_OK)
      fail_msg("%s", report.message);
    const double bytes = (double)found.stream_bytes, tau = circuits.beta;
    assert_true(found.machine.alpha == circuits.alpha + 8 * tau);
    assert_true(found.machine.beta == (bytes * tau - 8 * tau) / bytes);
    assert_true(found.machine.rho == found.copy.median / bytes && found.machine.delta == 0);
    assert_true(found.machine.omega == found.barrier.median / d);
  }
  fprintf(page,
          "| parameters fitted (N9) | nicol-bokhari-1994, section 4 | lambda an exchange of 8 "
          "bytes, tau that of a long one less lambda, rho copies, Omega a barrier by d; delta 0, "
          "circuits of any length being alike | virtual cubes, d = 1-%d, 2^20 bytes | lambda + "
          "8 tau, tau (1 - 8 / 2^20) |\n",
          FITTED_DIMS);
}

void bertsekas_check_all(FILE *page) {
  fprintf(page, "\n## Orders, trees and slots\n\n"
                "The facts on which the closed forms of whole packets rest.\n\n"
                "| what | reference | figure | range | result |\n|---|---|---|---|---|\n");
  check_replication(page);
  check_orders(page);
  check_slots(page);
  transmissions_check_all(page);
  check_fitted(page);
}
