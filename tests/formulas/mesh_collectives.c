/* See mesh_collectives.h.  The right-hand sides are written here from the text; of the library only
 * the schedules are used, and its own forms, which must be equal. */
#include "mesh_collectives.h"

#include "collective/mesh.h"
#include "tests/collective/cases.h"

enum { NODES_MOST = 256 };
static uint8_t chosen[NODES_MOST];
static int32_t aims[NODES_MOST];

static struct hy_network mesh_of(bool torus, int p, int d) {
  uint32_t side[HY_NETWORK_AXES];
  struct hy_network network;
  for (int a = 0; a < d; a++) side[a] = (uint32_t)p;
  assert_null(hy_network_make(&network, torus ? HY_TORUS : HY_ARRAY, d, side, 0));
  return network;
}

static struct hy_network named(const char *text) {
  struct hy_network network;
  assert_null(hy_network_read(&network, text));
  return network;
}

/* The verified length of the schedule in words, if starts take no time; that of the form if the
 * schedule reserves steps that nobody needs. */
static int64_t length_on(const struct hy_collective_variant *row, const struct hy_network *network,
                         struct hy_collective c, bool reserves) {
  const struct hy_paper_machine machine = {.tau = 1};
  c.task = row->task;
  c.dims = network->axes;
  c.network = network;
  const struct hy_verify_report report = verify(row, &c, &machine);
  const struct hy_form form = hy_variant_form(row, &c);
  const int64_t m = c.blocks.offsets != NULL ? 1 : c.blocks.words;
  assert_int_equal(form.words.num * m % form.words.den, 0);
  const int64_t length = form.words.num * m / form.words.den;
  if (reserves)
    assert_true(report.words <= length);
  else
    assert_int_equal(report.words, length);
  assert_int_equal(report.planned, form.steps);
  return length;
}

/* Any M of the nodes, each set alike. */
static void choose_nodes(uint32_t nodes, int64_t count) {
  for (uint32_t x = 0; x < nodes; x++) {
    chosen[x] = harness_draw(1, nodes - x) <= count;
    count -= chosen[x];
  }
}

/* --------------------------------------------------------------- lines -- */

/* V18.  The larger of both directions, by the definition. */
static int64_t time_of_line(int p, const int64_t *counts) {
  int64_t most = 0;
  for (int way = 0; way < 2; way++)
    for (int j = 0; j <= p - 2; j++) {
      int64_t sum = 0;
      for (int i = 0; i <= j; i++) sum += counts[way == 0 ? i : p - 1 - i];
      if (sum > 0) most = hy_max(most, sum + p - 2 - j);
    }
  return most;
}

/* Without a number of packets, blocks on a ring are cut so that no other number takes less time. */
static void best_cuts(void) {
  enum { P_MOST = 6, WORDS_MOST = 8 };
  for (int trial = 0; trial < 100; trial++) {
    const int p = trial == 0 ? 4 : (int)harness_draw(3, P_MOST);
    const struct hy_network ring = mesh_of(true, p, 1);
    static const int64_t first[P_MOST] = {4, 4, 0, 8};
    int64_t offsets[P_MOST + 1] = {0};
    for (int x = 0; x < p; x++)
      offsets[x + 1] = offsets[x] + (trial == 0 ? first[x] : harness_draw(0, WORDS_MOST));
    struct hy_collective c = {.blocks = {.offsets = offsets}, .tau = 1};
    harness_note("ring of %d, %lld words", p, (long long)offsets[p]);
    /* The form counts whole packets; a step may have shorter ones alone. */
    const int64_t length = length_on(&hy_allgather_line, &ring, c, true);
    if (trial == 0) assert_int_equal(length, 10);
    for (c.groups = 1; c.groups <= WORDS_MOST; c.groups++)
      assert_true(length <= length_on(&hy_allgather_line, &ring, c, true));
  }
}

static void lines(FILE *page) {
  bool attained = false;
  best_cuts();
  for (int trial = 0; trial < 1000; trial++) {
    const int p = (int)harness_draw(2, 10);
    const bool ring = p > 2 && trial % 3 == 0;
    const struct hy_network network = mesh_of(ring, p, 1);
    int64_t offsets[11] = {0}, counts[10], all = 0, least = INT64_MAX;
    for (int x = 0; x < p; x++) {
      counts[x] = harness_draw(0, 3) == 0 ? 0 : harness_draw(0, 6);
      offsets[x + 1] = offsets[x] + (ring ? 2 : 1) * counts[x];
      all += counts[x];
      least = hy_min(least, counts[x]);
    }
    const struct hy_collective c = {.blocks = {.offsets = offsets}, .groups = 100};
    harness_note("%s of %d, %lld packets", ring ? "ring" : "line", p, (long long)all);
    const int64_t steps = length_on(&hy_allgather_line, &network, c, false);
    if (!ring) assert_int_equal(steps, time_of_line(p, counts));
    if (all > 0) assert_true(steps <= all + p - 2);
    if (ring && all > 0) assert_true(steps >= all - least);
    attained = attained || (all > 0 && steps == all + p - 2);
  }
  assert_true(attained);
  const struct hy_collective two = {.blocks = {.words = 2}};
  for (int p = 2; p <= 16; p++) {
    const struct hy_network line = mesh_of(false, p, 1), ring = mesh_of(true, p, 1);
    assert_int_equal(length_on(&hy_allgather_line, &line, two, false), 2 * (p - 1));
    if (p == 2) continue;
    assert_int_equal(length_on(&hy_allgather_line, &ring, two, false), p - 1);
    assert_int_equal(length_on(&hy_allgather_translated, &ring, two, false), 2 * (p / 2));
  }
  fprintf(
      page,
      "| lines, blocks of their own lengths | allgather line | varvarigos-1992, chapter 3, "
      "theorem 2 (V18) | max(S_j + p-2-j, j <= p-2, S_j > 0), both directions | 1,000 draws, p "
      "to 10 | equal on lines; on rings, in halves, at least K - min c; at most K + p-2, "
      "attained |\n"
      "| lines, a block each | allgather line, translated | varvarigos-1992, section 3.2 (V18) | "
      "p-1; rings (p-1)/2 split, floor(p/2) whole | p to 16 | equal |\n");
}

/* -------------------------------------------------------------- squares -- */

/* V19: any torus schedule folded, here of all rows that serve a torus. */
static void folds(FILE *page) {
  static const char *const tori[] = {"ring:3",    "ring:8",      "torus:3x3",
                                     "torus:4x5", "torus:3x3x3", "torus:4x4"};
  const struct hy_collective_variant *row = NULL;
  int busy = 0;
  for (int r = 0; (row = hy_network_variant_at(r)) != NULL; r++)
    for (size_t n = 0; n < sizeof tori / sizeof *tori; n++) {
      const struct hy_network torus = named(tori[n]);
      struct hy_network array = torus;
      const struct hy_collective c = {.task = row->task,
                                      .dims = torus.axes,
                                      .network = &torus,
                                      .blocks = {.words = 6},
                                      .active = chosen,
                                      .to = aims};
      array.kind = HY_ARRAY;
      memset(chosen, 1, sizeof chosen);
      for (uint32_t x = 0; x < torus.nodes; x++) aims[x] = (int32_t)(torus.nodes - 1 - x);
      if (hy_variant_refuses(row, &c) != NULL) continue;
      harness_note("%s %s on %s", hy_task_name(row->task), row->base.name, tori[n]);
      const struct fold_reports reports = verify_folded(row, &c, &array);
      /* Where all links of the torus are busy, all links of the array are, in both steps. */
      if (reports.torus.packets != reports.torus.planned * hy_network_links(&torus)) continue;
      assert_int_equal(reports.array.packets, reports.array.planned * hy_network_links(&array));
      busy++;
    }
  assert_true(busy > 1);
  fprintf(page,
          "| a torus folded on an array | any schedule | varvarigos-1992, section 3.2 (V19) | 2 T "
          "| all rows on six tori | equal; no link twice |\n");
}

/* V20. */
static void squares(FILE *page) {
  const struct hy_collective one = {.blocks = {.words = 1}};
  for (int p = 3; p <= 11; p++) {
    const struct hy_network torus = mesh_of(true, p, 2), array = mesh_of(false, p, 2);
    harness_note("p = %d", p);
    assert_int_equal(length_on(&hy_allgather_translated, &torus, one, false), p * p / 4);
    assert_int_equal(length_on(&hy_allgather_translated, &array, one, false), p * p / 2);
  }
  for (int p = 12; p <= 16; p++) {
    const struct hy_network array = mesh_of(false, p, 2);
    struct hy_collective c = {.task = HY_TASK_ALLGATHER, .dims = 2, .network = &array};
    c.blocks.words = 1;
    assert_int_equal(hy_variant_form(&hy_allgather_translated, &c).steps, p * p / 2);
  }
  static const int tori[][2] = {{3, 3}, {4, 3}, {5, 3}, {6, 3}, {3, 4}, {9, 1}, {16, 1}};
  for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
    const struct hy_network torus = mesh_of(true, tori[i][0], tori[i][1]);
    assert_int_equal(length_on(&hy_allgather_translated, &torus, one, false),
                     hy_ceil_div((int64_t)torus.nodes - 1, 2 * tori[i][1]));
  }
  fprintf(
      page,
      "| p x p arrays | allgather translated | varvarigos-1992, chapter 3, theorem 1 (V20) | "
      "floor(N/2) | p to 16, verified to 11 | equal; the bound of a corner |\n"
      "| p x p tori | allgather translated | varvarigos-1992, section 3.2 (V20) | floor(p^2/4) | "
      "p to 11 | equal |\n"
      "| tori of d axes | allgather translated | varvarigos-1992, section 3.4 (V20) | "
      "ceil((N-1)/(2d)) | (p,d) = (3..6,3) (3,4) (9,1) (16,1) | equal; found by a matching |\n");
}

/* ---------------------------------------------------- packing and ranks -- */

/* V21. */
static void monotone(FILE *page) {
  static const int shapes[][2] = {{3, 2}, {5, 2}, {4, 3}, {2, 5}, {7, 2}, {3, 4}, {3, 3}, {9, 1}};
  for (int trial = 0; trial < 360; trial++) {
    const int p = shapes[trial % 8][0], d = shapes[trial % 8][1];
    const struct hy_network network = mesh_of(trial % 16 >= 8, p, d);
    const uint32_t nodes = network.nodes;
    const bool packs = harness_draw(0, 1) == 1;
    const int64_t count = harness_draw(1, nodes);
    uint8_t wanted[NODES_MOST];
    choose_nodes(nodes, count);
    memcpy(wanted, chosen, nodes);
    choose_nodes(nodes, count);
    uint32_t next = 0;
    bool first = true;
    for (uint32_t x = 0, rank = 0; x < nodes; x++) {
      aims[x] = -1;
      if (!chosen[x]) continue;
      while (!packs && !wanted[next]) next++;
      aims[x] = (int32_t)(packs ? rank++ : next++);
    }
    /* what stays at its node does not move; the others are packed if they go to the first nodes */
    for (uint32_t x = 0, rank = 0; x < nodes; x++)
      if (aims[x] >= 0 && aims[x] != (int32_t)x) first = first && aims[x] == (int32_t)rank++;
    const struct hy_collective c = {.blocks = {.words = 1}, .to = aims};
    harness_note("p = %d, d = %d, %lld messages", p, d, (long long)count);
    assert_int_equal(length_on(&hy_permute_monotone, &network, c, true),
                     (first ? 1 : 2) * d * (p - 1));
  }
  fprintf(page, "| messages that keep their order | permute monotone | varvarigos-1992, chapter 3, "
                "theorems 3 and 4 (V21) | 2 d (p-1); packing d (p-1) | 360 draws, N to 81 | equal, "
                "counting steps in which nothing needs to move; no link twice |\n");
}

/* S(M). */
static int64_t rounds_of(int64_t count, int p, int d) {
  int64_t sum = 0;
  for (int64_t l = 1, below = p; l <= d; l++, below *= p) sum += hy_ceil_div(count, below);
  return sum;
}

/* V22, V23: the exact forms, and the bounds of (3.5) to (3.8), multiplied by what they are divided
 * by. */
static void partial(FILE *page) {
  static const int shapes[][2] = {{3, 2}, {4, 2}, {5, 2}, {8, 2}, {3, 3}, {4, 3}, {3, 4}, {7, 1}};
  for (int trial = 0; trial < 160; trial++) {
    const int p = shapes[trial % 8][0], d = shapes[trial % 8][1], w = 1 + trial / 8 % 2;
    const struct hy_network network = mesh_of(w == 2, p, d);
    const int64_t nodes = network.nodes, count = harness_draw(1, nodes - 1);
    const int64_t whole = 2 * d, largest = hy_ceil_div(count, d);
    struct hy_collective c = {.blocks = {.words = whole}, .active = chosen};
    choose_nodes(network.nodes, count);
    harness_note("p = %d, d = %d, w = %d, M = %lld", p, d, w, (long long)count);
    const int64_t split = length_on(&hy_partial_split, &network, c, true);
    assert_int_equal(split * w, 2 * (w * d * (p - 1) + (p - 1) * rounds_of(count, p, d)));
    assert_true(split * w * nodes <=
                2 * (count * (nodes - 1) + (w == 2 ? 3 : 2) * d * (p - 1) * nodes));
    c.blocks.words = 1;
    const int64_t steps = length_on(&hy_partial_whole, &network, c, true);
    const int64_t round = hy_ceil_div(p - 1, w);
    assert_int_equal(steps, d * (p - 1) + round * rounds_of(largest, p, d));
    assert_true((steps - (p - 1) * d - d * round) * (p - 1) * nodes <=
                largest * round * (nodes - 1));
    if (w == 1) assert_true(steps <= largest + 2 * (p - 1) * d - 1);
    /* the axes of lemma 2, times w */
    const int64_t axes = length_on(&hy_partial_axes, &network, c, true);
    assert_int_equal(axes, d * (p - 1) + round * rounds_of(count, p, d));
  }
  fprintf(
      page,
      "| partial broadcasts, split | partial v92-split | varvarigos-1992, chapter 3, theorem 6 "
      "(V22) | (d (p-1) + (p-1) S(M)/w)/d, S(M) = sum(ceil(M/p^l), l = 1 ... d) | 160 draws, N "
      "to 81, M < N | equal, counting steps in which nothing needs to move; within (3.9), (3.10) "
      "|\n"
      "| partial broadcasts, whole | partial v92-whole | varvarigos-1992, section 3.4.2 (V23) | "
      "d (p-1) + ceil((p-1)/w) S(ceil(M/d)) | as before | equal, counting such steps; within "
      "(3.7), (3.8) |\n");
}

/* The vectors of V22 and V23, for any M nodes, in whole messages. */
static void vectors(FILE *page) {
  static const struct {
    const struct hy_collective_variant *row;
    const char *text;
    int active, steps;
  } table[] = {
      {&hy_partial_split, "torus:5x5", 13, 8},    {&hy_partial_split, "array:5x5", 13, 12},
      {&hy_partial_whole, "torus:5x5", 13, 14},   {&hy_partial_whole, "array:5x5", 13, 20},
      {&hy_partial_split, "torus:8x8", 20, 14},   {&hy_partial_whole, "array:8x8", 20, 35},
      {&hy_partial_whole, "torus:4x4x4", 30, 19}, {&hy_allgather_whole, "array:4x4x4", 64, 36},
      {&hy_allgather_whole, "torus:7x7", 49, 27}, {&hy_partial_full, "torus:5x5", 13, 6},
      {&hy_partial_full, "array:5x5", 13, 12},    {&hy_allgather_split, "torus:7x7", 49, 12},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const struct hy_network network = named(table[i].text);
    const int64_t whole = 2 * network.axes;
    const struct hy_collective c = {.blocks = {.words = whole}, .active = chosen};
    choose_nodes(network.nodes, table[i].active);
    harness_note("%s on %s", table[i].row->base.name, table[i].text);
    assert_int_equal(length_on(table[i].row, &network, c, true), table[i].steps * whole);
  }
  static const int shapes[][2] = {{3, 2}, {5, 2}, {4, 3}, {7, 2}, {3, 4}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int w = 1; w <= 2; w++) {
      const int p = shapes[i][0], d = shapes[i][1];
      const struct hy_network network = mesh_of(w == 2, p, d);
      const int64_t nodes = network.nodes;
      struct hy_collective c = {.blocks = {.words = 1}, .active = chosen};
      choose_nodes(network.nodes, hy_max(1, nodes / 2));
      assert_int_equal(length_on(&hy_allgather_whole, &network, c, true),
                       d * (p - 1) +
                           hy_ceil_div(p - 1, w) * rounds_of(hy_ceil_div(nodes, d), p, d));
      assert_int_equal(length_on(&hy_partial_full, &network, c, true),
                       (3 - w) * hy_ceil_div(nodes - 1, 2 * d));
      c.blocks.words = 2 * d;
      assert_int_equal(length_on(&hy_allgather_split, &network, c, false), (3 - w) * (nodes - 1));
    }
  fprintf(page,
          "| all nodes broadcast, whole classes | allgather whole | varvarigos-1992, section 3.4.2 "
          "(V24) | d (p-1) + ceil((p-1)/w) S(ceil(N/d)) | N to 81 | equal, counting such steps; p "
          "= 4, d = 3, w = 1: 36; p = 7, d = 2, w = 2: 27, where translated takes 12 |\n"
          "| all nodes broadcast, split classes | allgather split | varvarigos-1992, chapter 3, "
          "theorem 6 | (N-1)/(w d) | N to 81 | equal: nothing has to be packed; the bound of a "
          "corner |\n"
          "| partial broadcasts by a full one | partial v92-full | varvarigos-1992, section 3.4 "
          "(V47) | ceil((N-1)/(2d)), twice that on arrays | N to 81 | equal, counting such steps "
          "|\n");
}

/* ------------------------------------------------------------ exchanges -- */

static int64_t exchange_steps(int p) {
  const struct hy_network network = mesh_of(false, p, 2);
  const struct hy_collective c = {.blocks = {.words = 1}, .active = chosen};
  return length_on(&hy_partial_exchange_queued, &network, c, false);
}

/* The M nodes nearest to a corner, by the larger coordinate. */
static void fill_corner(int p, int count) {
  memset(chosen, 0, sizeof chosen);
  for (int far = 0; far < p; far++)
    for (int x = 0; x < p * p; x++)
      if (hy_max(x / p, x % p) == far && count > 0) {
        chosen[x] = 1;
        count--;
      }
}

/* V25. */
static void exchanges(FILE *page) {
  static const int sides[] = {3, 5, 6, 7, 9};
  for (int trial = 0; trial < 30; trial++) {
    const int p = sides[trial % 5], nodes = p * p;
    const int count = (int)harness_draw(1, trial < 25 ? nodes / 2 : nodes);
    int m = 0;
    while ((m + 1) * (m + 1) <= count) m++;
    const bool corner = trial % 2 == 0;
    if (corner)
      fill_corner(p, count);
    else
      choose_nodes((uint32_t)nodes, count);
    harness_note("p = %d, M = %d%s", p, count, corner ? ", in a corner" : "");
    const int64_t steps = exchange_steps(p);
    assert_true(steps <= 2 * m * (nodes - p) + 2 * (p - 1));
    if (corner && 2 * count <= nodes) assert_true(2 * steps >= m * (nodes - m * m));
  }
  fill_corner(7, 24);
  assert_int_equal(exchange_steps(7), 135);
  fill_corner(9, 40);
  assert_int_equal(exchange_steps(9), 264);
  fprintf(page,
          "| exchanges of some nodes | partial-exchange queued | varvarigos-1992, section 3.5 "
          "(V25) | at most 2 floor(sqrt M) (N-p) + 2 (p-1) | p to 9, drawn and in corners | "
          "holds; corners are above m (N-m^2)/2: p = 7, M = 24: 135 in 348, above 66; p = 9, M "
          "= 40: 264 in 880, above 135 |\n");
}

/* The largest row or column sum of the task matrix, which has a column for each direction of an
 * axis.  Messages over half of an even side go up and down in turn. */
static int64_t largest_sum(const struct hy_network *torus) {
  int64_t column[2 * HY_NETWORK_AXES] = {0}, ties[HY_NETWORK_AXES] = {0}, most = 0;
  for (uint32_t node = 1; node < torus->nodes; node++) {
    int64_t row = 0;
    uint32_t left = node;
    for (int a = torus->axes; a-- > 0; left /= torus->side[a]) {
      const int64_t p = torus->side[a], up = left % torus->side[a], way = hy_min(up, p - up);
      const bool down = 2 * up > p || (2 * up == p && p > 2 && ties[a]++ % 2 == 1);
      column[2 * a + down] += way;
      row += way;
    }
    most = hy_max(most, row);
  }
  for (int j = 0; j < 2 * torus->axes; j++) most = hy_max(most, column[j]);
  return most;
}

/* V49. */
static void isotropic(FILE *page) {
  static const char *const tori[] = {"ring:2",    "ring:5",      "ring:6",      "torus:3x3",
                                     "torus:4x4", "torus:5x5",   "torus:7x7",   "torus:8x8",
                                     "torus:3x8", "torus:3x3x3", "torus:4x4x4", "torus:2x5x6"};
  for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
    const struct hy_network torus = named(tori[i]);
    const struct hy_collective one = {.blocks = {.words = 1}};
    harness_note("%s", tori[i]);
    assert_int_equal(length_on(&hy_exchange_isotropic, &torus, one, false), largest_sum(&torus));
  }
  fprintf(page,
          "| exchange on tori | exchange isotropic | varvarigos-1992, chapters 2 and 8 (V49) | h, "
          "the critical sum with 2d columns | N to 64, sides 2 to 8 | equal |\n");
}

/* An axis after the other: the words of the bundles that one step of each axis takes. */
static void exchange_axes(FILE *page) {
  static const int sides[][3] = {{2, 1, 1}, {5, 1, 1}, {6, 1, 1}, {3, 3, 1}, {4, 5, 1},
                                 {7, 7, 1}, {8, 8, 1}, {2, 5, 6}, {4, 4, 4}, {1, 3, 2}};
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    const struct hy_collective one = {.blocks = {.words = 1}};
    const int *side = sides[i], nodes = side[0] * side[1] * side[2];
    int words = 0, steps = 0;
    char name[40];
    for (int a = 0; a < 3; a++)
      for (int bundles = side[a] / 2; bundles > 0; bundles--, steps++)
        words += bundles * nodes / side[a];
    for (int torus = 0; torus < 2; torus++) {
      snprintf(name, sizeof name, "%s:%dx%dx%d", torus ? "torus" : "array", side[0], side[1],
               side[2]);
      const struct hy_network network = named(name);
      const struct hy_collective c = {.task = HY_TASK_EXCHANGE, .network = &network};
      harness_note("%s", name);
      const bool reserves = !torus && (side[0] == 2 || side[1] == 2 || side[2] == 2);
      assert_int_equal(length_on(&hy_exchange_axes, &network, one, reserves),
                       torus ? words : 2 * words);
      assert_int_equal(hy_exchange_axes.form(&c).steps, torus ? steps : 2 * steps);
    }
  }
  fprintf(
      page,
      "| exchange, an axis after the other | exchange axes | nicol-bokhari-1994, section 2.3 "
      "(the rings are ours) | sum over the axes of h (h+1)/2 N/p, h = floor(p/2); twice that on "
      "arrays | N to 64, sides 1 to 8 | equal, in sum(h) steps, twice that on arrays; on arrays "
      "with a side of 2 counting steps for which nothing waits |\n");
}

/* --------------------------------------------------------- folded cubes -- */

/* The steps of the exchange that needs no colouring. */
static int64_t greedy_steps(const struct hy_network *network) {
  const struct hy_paper_machine machine = {.tau = 1};
  const struct hy_collective c = {
      .task = HY_TASK_EXCHANGE, .dims = network->axes, .network = network, .blocks = {.words = 1}};
  return verify(&hy_exchange_folded_greedy, &c, &machine).steps;
}

/* V26, V27, V45. */
static void folded(FILE *page) {
  static const int table[] = {0, 0, 1, 3, 5, 11, 22, 47, 93, 193, 386, 793, 1586, 3238, 6476};
  for (int d = 1; d <= 14; d++) {
    struct hy_network network;
    assert_null(hy_network_make(&network, HY_FOLDED, d, NULL, 0));
    const struct hy_collective parts = {.blocks = {.words = d + 1}}, one = {.blocks = {.words = 1}};
    const struct hy_collective c = {.task = HY_TASK_EXCHANGE, .dims = d, .network = &network};
    harness_note("d = %d", d);
    if (d > 1) assert_int_equal(hy_exchange_folded.form(&c).steps, table[d]);
    if (d <= 8)
      assert_int_equal(length_on(&hy_allgather_folded, &network, parts, false), (1 << d) - 1);
    if (d <= 8 && d > 1)
      assert_int_equal(length_on(&hy_exchange_folded, &network, one, false), table[d]);
    if (d > 8 || d == 1) continue;
    const int64_t greedy = greedy_steps(&network);
    harness_note("d = %d: greedy %d", d, (int)greedy);
    assert_true(greedy >= table[d] && greedy <= table[d] + d - 1);
    assert_true(greedy <= table[d] + (d + 1) / 2 - 1);
  }
  fprintf(
      page,
      "| folded cubes, all nodes broadcast | allgather v92-folded | varvarigos-1992, section 7.4 "
      "(V26) | (N-1)/(d+1) | d to 8 | equal |\n"
      "| folded cubes, total exchange | exchange v92-folded | varvarigos-1992, section 7.4 (V27) | "
      "ceil(2^(d-1) - C(d, ceil(d/2))/2) | d to 14, verified to 8 | equal; for d = 3, 7 the "
      "integer above the half integer; d = 2 ... 14: 1 3 5 11 22 47 93 193 386 793 1586 3238 6476 "
      "|\n"
      "| folded cubes, exchange by a reasonable rule | exchange greedy-folded | varvarigos-1992, "
      "section 7.4 (V45) | ceil((2^d - C(d, ceil(d/2)))/2) + d - 1 at most | d to 8 | within it, "
      "and within ceil(d/2) - 1 steps of the optimum |\n");
}

void mesh_collectives_check_all(FILE *page) {
  fprintf(
      page,
      "\n## Arrays, tori and folded cubes\n\n"
      "`hyla explain collective --network` prints each with its closed form.  p: a side; d: axes,\n"
      "or dimensions of a folded cube; w: 1 on arrays, 2 on tori; M: active nodes; N: nodes; K:\n"
      "packets in all.  In steps of a whole message, with tau m = 1 and beta = 0.\n\n"
      "| task | variant | reference | figure | range | result |\n|---|---|---|---|---|---|\n");
  lines(page);
  folds(page);
  squares(page);
  monotone(page);
  partial(page);
  vectors(page);
  exchanges(page);
  isotropic(page);
  exchange_axes(page);
  folded(page);
}
