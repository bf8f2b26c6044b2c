/* Periods of broadcasts: their lengths and delays as texts, read and compared with the library's;
 * how a node learns by counting that a period has ended.  See broadcasting.h. */
#include "broadcasting.h"

#include "collective/variant.h"
#include "formula.h"
#include "machine/machine.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

enum { CUBE_DIMS = 10, MESH_NODES = 400, COUNTED_DIMS = 6 };

/* A network, its packets split or whole, and the formulas of a packet's time, of a reservation
 * interval and of the library's own length.  t: a hop of a prefix; p: the side; N: nodes. */
static const struct network {
  const char *name, *place, *id;
  bool cube, whole;
  int ways;
  const char *service, *reservation, *length;
} NETWORKS[] = {
    {"cube, split", "section 4.4", "V31", true, false, 1, "(N-1)/(d N)", "2d t + 2",
     "(2d + M-1 - popcount(M-1))/d + d t"},
    {"cube, whole", "section 4.4", "V31", true, true, 1, "(N-1)/(d N)", "2d + 4d t",
     "2d + K-1 - popcount(K-1) + 2d t, K = ceil(M/d)"},
    {"array, split", "section 4.5", "V32", false, false, 1, "(N-1)/(d N)", "2d (p-1) t + 2 (p-1)",
     "(p-1)(d k + sum(l = 1 ... d: ceil(M/p^l)))/d + d (p-1) t, k = min(1, N-M)"},
    {"array, whole", "section 4.5", "V32", false, true, 1, "(N-1)/(d N)", "4d (p-1) t + 2 d (p-1)",
     "(p-1)(d k + sum(l = 1 ... d: ceil(ceil(M/d)/p^l))) + 2d (p-1) t, k = min(1, N-M + d-1)"},
    {"torus, split", "section 4.5", "V32", false, false, 2, "(N-1)/(2d N)",
     "2d (p-1) t + 3/2 (p-1)",
     "(p-1)(d k + sum(l = 1 ... d: ceil(M/p^l))/2)/d + d (p-1) t, k = min(1, N-M)"},
    {"torus, whole", "section 4.5", "V32", false, true, 2, "ceil((p-1)/2)/(p-1) (N-1)/(d N)",
     "4d (p-1) t + d (p-1) + d ceil((p-1)/2)",
     "d (p-1) k + ceil((p-1)/2) sum(l = 1 ... d: ceil(ceil(M/d)/p^l)) + 2d (p-1) t, k = min(1, N-M "
     "+ d-1)"},
};
enum { NETWORK_COUNT = sizeof NETWORKS / sizeof *NETWORKS };

static double value(const char *text, const struct formula_names *names) {
  const struct formula_number number = formula_value(text, names);
  return (double)number.num / (double)number.den;
}

static void assert_same(double a, double b) {
  assert_true(fabs(a - b) <= 1e-12 * fmax(1, fabs(b)));
}

static void check_network(const struct network *network, int side, int axes) {
  for (int prefix = 0; prefix <= 3; prefix++) {
    const struct hy_broadcasts b = {.axes = axes,
                                    .side = side,
                                    .ways = network->ways,
                                    .whole = network->whole,
                                    .prefix = prefix};
    const hyla_reservations r = hy_broadcasts_bound(&b);
    struct formula_names names = {0};
    formula_set(&names, "d", axes);
    formula_set(&names, "p", side);
    formula_set(&names, "t", prefix);
    formula_set(&names, "N", r.users);
    harness_note("%s, side %d, %d axes, t %d", network->name, side, axes, prefix);
    assert_same(r.service, value(network->service, &names));
    assert_same(r.reservation, value(network->reservation, &names));
    for (int64_t active = 1; active <= r.users; active++) {
      formula_set(&names, "M", active);
      const double length = hy_broadcasts_length(&b, active);
      assert_same(length, value(network->length, &names));
      assert_true(length <= r.reservation + (double)active * r.service + 1e-9);
    }
  }
}

static void check_lengths(FILE *page) {
  fprintf(page,
          "\n## Broadcasts one after the other\n\n"
          "Partial broadcasts follow each other; one of M active nodes takes at most V + M X\n"
          "slots, and the library's exactly what its row says.  N nodes, p a side of the d\n"
          "axes, t a hop of a prefix; k: 0 where nothing has to be packed.\n\n"
          "| broadcasts in periods | reference | X | V | exactly | d | result |\n"
          "|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < NETWORK_COUNT; i++) {
    const struct network *network = &NETWORKS[i];
    char range[40];
    if (network->cube) {
      for (int d = 1; d <= CUBE_DIMS; d++) check_network(network, 2, d);
      snprintf(range, sizeof range, "1-%d", CUBE_DIMS);
    } else {
      for (int side = 3; side <= MESH_NODES; side += 1 + side / 8)
        for (int axes = 1; pow(side, axes) <= MESH_NODES; axes++)
          check_network(network, side, axes);
      snprintf(range, sizeof range, "N to %d", MESH_NODES);
    }
    fprintf(page, "| periods, %s | varvarigos-1992, %s (%s) | %s | %s | %s | %s | equal |\n",
            network->name, network->place, network->id, network->service, network->reservation,
            network->length, range);
  }
}

/* The formulas of theorem 1, with second moments Y of X and U of V; r: the load. */
#define RATE "l = r/(N X)"
static const char WAIT[] = "(r Y/X + (1-r) U/V + 2 (1 - r a - l V) V) / (2 (1 - r - l V)), " RATE;
static const char LEAST[] =
    "(M + (H-1)(2M-H))/(2N M) - 1/(2N), H = floor(M) + 1, M = l N V/(1-r), " RATE;
static const char MOST[] = "1/2 - 1/(2N)";
static const char LIMIT[] = "1/(1 + V/(N X))";

static void check_delays(FILE *page) {
  int cases = 0;
  for (int users = 1; users <= 20; users += 1 + users / 3)
    for (int v = 1; v <= 9; v += 4)
      for (int load = 1; load < 20; load++) {
        const hyla_reservations r = {users, 2, 5, v, v * v + 3};
        hyla_reservation_delays found;
        struct formula_names names = {0};
        formula_set(&names, "N", users);
        formula_set(&names, "X", 2);
        formula_set(&names, "Y", 5);
        formula_set(&names, "V", v);
        formula_set(&names, "U", v * v + 3);
        formula_set(&names, "r", load);
        names.of[names.count - 1].value.den = 20;
        harness_note("N = %d, V = %d, load %d/20", users, v, load);
        const double limit = value(LIMIT, &names);
        assert_int_equal(hyla_reservation_bounds(&r, load / 20., &found), HYLA_OK);
        assert_same(found.limit, limit);
        if (load / 20. >= limit - 1e-9) continue;
        for (int end = 0; end < 2; end++) {
          const struct formula_number share = formula_value(end == 0 ? LEAST : MOST, &names);
          assert_same(found.share[end], (double)share.num / (double)share.den);
          formula_set(&names, "a", 0);
          names.of[names.count - 1].value = share;
          assert_same(found.wait[end], value(WAIT, &names));
          assert_same(found.delay[end], value(WAIT, &names) + value("X + a N X", &names));
          names.count--;
        }
        cases++;
      }
  assert_true(cases > 100);
  fprintf(page,
          "\nr: the load; l: packets that come to a node in a slot; a: the probability that a\n"
          "packet that comes while others are sent finds its node yet to send; Y, U: the second\n"
          "moments of X and V; M: here the mean number of packets in a period.\n"
          "\n| delays of packets in periods | reference | formula | cases | result |\n"
          "|---|---|---|---|---|\n"
          "| mean wait, W | varvarigos-1992, section 4.3.1, theorem 1 (V33) | %s | %d | equal |\n"
          "| least a | varvarigos-1992, section 4.3.1 | %s | %d | equal |\n"
          "| greatest a | varvarigos-1992, section 4.3.1 | %s | %d | equal |\n"
          "| load at which packets wait without end | varvarigos-1992, section 4.2 | %s | %d | "
          "equal |\n"
          "| delay of a broadcast | varvarigos-1992, section 4.2 | W + X + a N X | %d | equal |\n",
          WAIT, cases, LEAST, cases, MOST, cases, LIMIT, cases, cases);
}

/* The parts of blocks that a node receives, and the steps until it has the last of them. */
static int64_t receive(const struct hy_collective_variant *row, const struct hy_collective *task,
                       uint32_t node, int *parts, int *steps, int *last) {
  struct hy_schedule schedule;
  hyla_cube cube = {0};
  int64_t count = 0;
  assert_int_equal(hy_collective_schedule(&cube, row, task, node, &schedule), HYLA_OK);
  *parts = (int)schedule.parts;
  *steps = schedule.steps;
  *last = 0;
  for (int64_t i = 0; i < schedule.packet_count; i++) {
    const struct hy_packet *packet = &schedule.packets[i];
    if (packet->action != HY_IN) continue;
    *last = packet->step + 1 > *last ? packet->step + 1 : *last;
    for (int64_t k = packet->first; k < packet->first + packet->count; k++) {
      const struct hy_piece *piece = &schedule.pieces[k];
      count += (int64_t)(piece->run - 1) * schedule.parts + piece->to - piece->from;
    }
  }
  hy_schedule_free(&schedule);
  return count;
}

/* 4.2: a node has all of a period's packets when it has counted M, and no packet comes twice, so
 * that a period needs no other end.  It takes no longer than its length. */
static void check_counting(FILE *page) {
  static uint8_t active[1 << COUNTED_DIMS];
  static const char *const names[] = {"v92-2", "v92-3"};
  for (int d = 1; d <= COUNTED_DIMS; d++)
    for (int trial = 0; trial < 8; trial++) {
      int count = 0;
      for (int x = 0; x >> d == 0; x++) active[x] = trial == 0 || harness_draw(0, 8) < trial;
      active[0] = 1;
      for (int x = 0; x >> d == 0; x++) count += active[x];
      const struct hy_collective task = {
          .task = HY_TASK_PARTIAL, .dims = d, .active = active, .blocks = {.words = d}};
      for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct hy_broadcasts cube = {.axes = d, .side = 2, .ways = 1, .whole = i == 1};
        int parts, steps, last, end = 0;
        harness_note("%s, d = %d, M = %d", names[i], d, count);
        for (uint32_t node = 0; node >> d == 0; node++) {
          const int64_t got = receive(hy_variant_find(HY_TASK_PARTIAL, names[i]), &task, node,
                                      &parts, &steps, &last);
          assert_int_equal(got, (int64_t)(count - active[node]) * parts);
          end = last > end ? last : end;
        }
        assert_true(end <= steps);
        assert_same(hy_broadcasts_length(&cube, count), (double)steps / parts);
      }
    }
  fprintf(page,
          "| a period's end, seen by counting | varvarigos-1992, section 4.2 (V48) | M packets at "
          "each node, none twice | d = 1-%d | holds, for partial v92-2 and v92-3 |\n",
          COUNTED_DIMS);
}

void broadcasting_check_all(FILE *page) {
  check_lengths(page);
  check_delays(page);
  check_counting(page);
}
