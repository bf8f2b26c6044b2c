/* Partial exchanges and gathers (V14, V15), their bounds (V17), several banded matrices (V5, V6);
 * see partial_exchanges.h. */
#include "partial_exchanges.h"

#include "collective/papers.h"
#include "formula.h"
#include "tests/collective/cases.h"

enum { DIMS = 8, DRAWS = 4 };

/* The time for 2^k active nodes and one word a message. */
static const char TIME[] =
    "2^k/2 + 2^k ceil((2^(d-k)-1)/(d-k)) + 2^k ceil(2^(d-k)/((d-k) floor((d-k-1)/2))) + k + 1, "
    "k < d-2; 7 2^d/8 + d - 1, k = d-2; 3 2^d/4 + d, k = d-1; 2^d/2, k = d";

static int64_t paper_time(int d, int k) {
  struct formula_names names = {0};
  formula_set(&names, "d", d);
  formula_set(&names, "k", k);
  struct formula_number time = formula_value(TIME, &names);
  return hy_ceil_div(time.num, time.den);
}

static struct hy_collective task_of(enum hy_task task, int d) {
  return (struct hy_collective){.task = task, .dims = d, .blocks = {.words = 1}, .active = active};
}

/* The bounds of 3.7 hold for some subcube: the active nodes' half, or their own subcube. */
static int64_t bound_of(int d, int k, bool own_subcube) {
  const struct hy_paper_machine all_ports = {.tau = 1};
  const struct hy_collective task = task_of(HY_TASK_PARTIAL_EXCHANGE, d);
  const struct hy_bound bound = hy_collective_bound(&task, &all_ports);
  const int64_t nodes = INT64_C(1) << d, count = INT64_C(1) << k;
  int64_t words = hy_ceil_div(bound.words.num, bound.words.den);
  assert_int_equal(bound.farthest, d);
  assert_true(2 * bound.words.num >= count * bound.words.den);
  if (own_subcube && k < d) {
    assert_true(bound.words.num * (d - k) >= (nodes - count) * bound.words.den);
    if (2 * count <= nodes) assert_true(words >= hy_ceil_div(count, d - k));
  }
  return hy_max(d, words);
}

/* The steps of the exchange and, reversed in time, of the gather, which take as many. */
static int64_t steps_of(const struct hy_collective_variant *row, int d, bool gather) {
  int64_t steps = -1;
  for (int i = 0; i < (gather ? 2 : 1); i++) {
    const struct hy_collective task =
        task_of(i == 0 ? HY_TASK_PARTIAL_EXCHANGE : HY_TASK_PARTIAL_GATHER, d);
    const struct hy_paper_machine machine = {.tau = 1, .beta = 1};
    const struct hy_verify_report report = verify(row, &task, &machine);
    assert_int_equal(report.words, report.steps);
    assert_int_equal(report.planned, hy_variant_form(row, &task).steps);
    assert_true(i == 0 || report.steps == steps);
    steps = report.steps;
  }
  return steps;
}

/* Chooses the first 2^k nodes, or any. */
static void choose(int d, int k, bool first) {
  for (int x = 0; x < 1 << d; x++) active[x] = x >> k == 0;
  for (int x = (1 << d) - 1; x > 0 && !first; x--) {
    int other = (int)harness_draw(0, x);
    uint8_t swap = active[x];
    active[x] = active[other];
    active[other] = swap;
  }
}

static void check_count(FILE *page, int d, int k) {
  const struct hy_collective_variant *rows[] = {&hy_partial_exchange_v92,
                                                &hy_partial_exchange_matched};
  const int64_t paper = paper_time(d, k), half = INT64_C(1) << d >> 1;
  int64_t bound = 0, first = 0, most = 0, excess = 0, part, parts;
  const bool whole = harness_part(&part, &parts);
  for (int trial = 0; trial <= DRAWS; trial++) {
    const bool gather = whole || trial < 2; /* a sample of those that are drawn */
    harness_note("d = %d, 2^%d active, trial %d", d, k, trial);
    choose(d, k, trial == 0);
    int64_t least = bound_of(d, k, trial == 0), all = steps_of(rows[0], d, gather);
    int64_t steps = hy_min(all, k < d || d == 0 ? steps_of(rows[1], d, gather) : all);
    assert_true(all <= half);
    assert_true(least <= steps && steps <= paper);
    if (trial == 0) bound = least, first = steps;
    most = hy_max(most, trial == 0 ? 0 : steps);
    excess = hy_max(excess, steps - least);
  }
  fprintf(page, "| %d | %d | %lld | %lld | %lld | %lld | %lld | %lld |\n", d, 1 << k,
          (long long)bound, (long long)paper, (long long)half, (long long)first, (long long)most,
          (long long)excess);
}

/* Lemma 6 of the paper: from 8 nodes to the places of their ranks, dimensions upwards, one a slot;
 * two messages want the same link in the same slot. */
static void check_collision(void) {
  static const uint32_t nodes[] = {8, 9, 10, 11, 12, 20, 24, 31};
  int collisions = 0;
  for (uint32_t i = 0; i < 8; i++)
    for (uint32_t j = 0; j < i; j++)
      for (int slot = 2; slot < 5; slot++) {
        uint32_t low = (1u << slot) - 1, bit = 1u << slot;
        uint32_t to_i = i << 2 | (nodes[i] & 3), to_j = j << 2 | (nodes[j] & 3);
        uint32_t at_i = (nodes[i] & ~low) | (to_i & low), at_j = (nodes[j] & ~low) | (to_j & low);
        collisions += at_i == at_j && ((at_i ^ to_i) & (at_j ^ to_j) & bit) != 0;
      }
  assert_true(collisions > 0);
}

/* ------------------------------------------------------ several matrices -- */

static const char EXCHANGES[] = "2^(b+1) + 1";
static const char BROADCASTS[] = "ceil((2^(b+1)+1)/b) + 1";

/* The steps for all matrices at once; asserts that they are no fewer than the bound. */
static int64_t band_steps(const struct hy_collective_variant *row, int d, int b, int matrices,
                          int64_t *bound) {
  const struct hy_collective all = {
      .task = row->task, .dims = d, .blocks = {.words = 1}, .band = b + 1, .matrices = matrices};
  const struct hy_paper_machine machine = {.tau = 1, .beta = 1};
  const struct hy_verify_report report = verify(row, &all, &machine);
  const struct hy_bound least = hy_collective_bound(&all, &machine);
  assert_int_equal(report.words, report.steps);
  if (d < DIMS || row != &hy_band_broadcast_negotiated) /* the negotiated broadcast takes a
                                                         * second */
    assert_int_equal(report.steps, hy_variant_form(row, &all).steps);
  if (row == &hy_band_broadcast_wanted) assert_int_equal(report.packets, least.packets);
  assert_true(report.packets >= least.packets);
  *bound = hy_max(least.farthest, hy_ceil_div(least.words.num, least.words.den));
  assert_true(report.steps >= *bound);
  return report.steps;
}

/* d tridiagonal matrices (b = 1), with messages on shortest paths: a path of one hop has no choice,
 * a path of two hops goes over one dimension first or over the other. */
enum { TRIDIAGONAL = 6, TURNS = TRIDIAGONAL << TRIDIAGONAL };
struct turns {
  int d, count, most; /* number of messages of two hops; the most that a link may carry */
  int load[TURNS];    /* [node][dimension] */
  int link[TURNS][2][2];
  bool taken[TURNS];
};

static void list_turns(int d, struct turns *turns) {
  const struct hy_collective all = {
      .task = HY_TASK_BAND_EXCHANGE, .dims = d, .band = 2, .matrices = d};
  *turns = (struct turns){.d = d};
  for (int j = 0; j < d; j++)
    for (uint32_t x = 0; x < 1u << d; x++)
      for (uint32_t y = 0; y < 1u << d; y++) {
        const uint32_t tag = x ^ y;
        if (tag == 0 || !hy_partners_of(&all, j, x, y)) continue;
        const int low = hy_lowest(tag), high = hy_log2_floor(tag);
        assert_int_equal(hy_popcount(tag), 1 + (low != high));
        if (low == high) {
          turns->load[(int)x * d + low]++;
          continue;
        }
        int(*link)[2] = turns->link[turns->count++];
        link[0][0] = (int)x * d + low;
        link[0][1] = (int)(x ^ 1u << low) * d + high;
        link[1][0] = (int)x * d + high;
        link[1][1] = (int)(x ^ 1u << high) * d + low;
      }
}

static bool fits(const struct turns *turns, const int *link) {
  return turns->load[link[0]] < turns->most && turns->load[link[1]] < turns->most;
}

/* The message with the least choice, or whose links are fullest; -1: all have been placed. */
static int next_turn(const struct turns *turns) {
  int next = -1, fullest = -1;
  for (int i = 0; i < turns->count; i++) {
    const int(*link)[2] = turns->link[i];
    if (turns->taken[i]) continue;
    if (!fits(turns, link[0]) || !fits(turns, link[1])) return i;
    int load = turns->load[link[0][0]] + turns->load[link[0][1]] + turns->load[link[1][0]] +
               turns->load[link[1][1]];
    if (load > fullest) fullest = load, next = i;
  }
  return next;
}

/* Can all messages go so that no link carries more than `most'?  Tries all ways. */
static bool ways_exist(struct turns *turns) {
  const int i = next_turn(turns);
  bool found = i < 0;
  for (int choice = 0; choice < 2 && !found; choice++) {
    const int *link = turns->link[i][choice];
    if (!fits(turns, link)) continue;
    turns->taken[i] = true;
    turns->load[link[0]]++, turns->load[link[1]]++;
    found = ways_exist(turns);
    turns->load[link[0]]--, turns->load[link[1]]--;
    turns->taken[i] = false;
  }
  return found;
}

/* The links have five messages each on average, so no message makes a detour if five steps suffice.
 * For d > 3 some link has more, whichever ways are taken, and the negotiated ways take the fewest
 * steps. */
static void check_tridiagonal(void) {
  static struct turns turns;
  for (int d = 3; d <= TRIDIAGONAL; d++) {
    harness_note("d = %d, b = 1", d);
    list_turns(d, &turns);
    int64_t hops = 2 * turns.count, bound = 0;
    for (int link = 0; link < d << d; link++) {
      hops += turns.load[link];
      turns.most = (int)hy_max(turns.most, turns.load[link]);
    }
    assert_int_equal(hops, (int64_t)5 * d << d);
    assert_int_equal(turns.most, d);
    turns.most = (int)hy_max(5, d);
    while (!ways_exist(&turns)) turns.most++;
    assert_int_equal(band_steps(&hy_band_exchange_negotiated, d, 1, d, &bound), turns.most);
    assert_int_equal(turns.most, d == 3 ? 5 : d + 2);
  }
}

/* d tridiagonal matrices' broadcasts: the number of blocks on the busiest link that no other
 * interested node could pass on to the link's end. */
static int most_without_choice(int d) {
  const struct hy_collective all = {
      .task = HY_TASK_BAND_BROADCAST, .dims = d, .band = 2, .matrices = d};
  static int load[DIMS << DIMS];
  int most = 0;
  memset(load, 0, sizeof load);
  for (int j = 0; j < d; j++)
    for (uint32_t x = 0; x < 1u << d; x++)
      for (uint32_t y = 0; y < 1u << d; y++) {
        int givers = 0, only = 0;
        if (x == y || !hy_partners_of(&all, j, x, y)) continue;
        for (int dim = 0; dim < d; dim++) {
          const uint32_t from = y ^ 1u << dim;
          if (from != x && !hy_partners_of(&all, j, x, from)) continue;
          givers++;
          only = dim;
        }
        if (givers == 1) most = (int)hy_max(most, ++load[(int)y * d + only]);
      }
  return most;
}

static void check_bands(FILE *page) {
  fprintf(page,
          "\n## Several banded matrices\n\n"
          "varvarigos-1992, section 2.7: the matrices that fit, d / b, at once, bands of\n"
          "2^(b+1) + 1.  Exchanges (V5) by `band-exchange`, a block for the whole band (V6) by\n"
          "`band-broadcast`; claimed: %s and\n"
          "%s.  The claims assume that rings of\n"
          "different matrices want different links, which is not so.  Exchanges with negotiated\n"
          "links meet their claim all the same for b > 1; for b = 1 and d > 3 no exchange can\n"
          "(see doc/theory.md).  Broadcasts of wanted blocks meet their claim for two matrices;\n"
          "those on negotiated trees take fewer steps than claimed.  The bound is the one by\n"
          "links, or the farthest node's; for b = 1 and d > 6 no broadcast takes 4 steps.\n\n"
          "| d | b | matrices | exchange, bound | claimed | matched | negotiated | broadcast, "
          "bound | claimed | wanted | negotiated |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n",
          EXCHANGES, BROADCASTS);
  for (int d = 2; d <= DIMS; d++)
    for (int b = 1; 2 * b <= d; b++) {
      const int matrices = d / b;
      struct formula_names names = {0};
      int64_t bound[2];
      formula_set(&names, "b", b);
      harness_note("d = %d, b = %d", d, b);
      int64_t matched = band_steps(&hy_band_exchange_matched, d, b, matrices, &bound[0]);
      int64_t exchange = band_steps(&hy_band_exchange_negotiated, d, b, matrices, &bound[0]);
      int64_t wanted = band_steps(&hy_band_broadcast_wanted, d, b, matrices, &bound[1]);
      int64_t broadcast = band_steps(&hy_band_broadcast_negotiated, d, b, matrices, &bound[1]);
      int64_t claims[] = {formula_whole(EXCHANGES, &names), formula_whole(BROADCASTS, &names)};
      assert_true(exchange <= matched && (exchange <= claims[0] || (b == 1 && d > 3)));
      assert_true(matrices > 2 || wanted <= claims[1]);
      /* In four steps nobody could pass on blocks that he does not want, because every link would
       * be busy. */
      if (b == 1 && d > 2) {
        assert_int_equal(bound[1], 4);
        assert_int_equal(most_without_choice(d), d - 2);
        assert_int_equal(broadcast, d == 3 ? 4 : 5);
      }
      assert_true(broadcast <= wanted && broadcast < claims[1] && broadcast <= bound[1] + 1);
      fprintf(page, "| %d | %d | %d | %lld | %lld | %lld | %lld | %lld | %lld | %lld | %lld |\n", d,
              b, matrices, (long long)bound[0], (long long)claims[0], (long long)matched,
              (long long)exchange, (long long)bound[1], (long long)claims[1], (long long)wanted,
              (long long)broadcast);
    }
}

void partial_exchanges_check_all(FILE *page) {
  check_collision();
  check_tridiagonal();
  fprintf(
      page,
      "\n## Exchanges of some nodes with all\n\n"
      "varvarigos-1992, section 3.7: 2^k active nodes have a message for every node (V14);\n"
      "gathers (V15) are the same reversed, and take as long.  The paper's time, without its\n"
      "prefix: %s.\n"
      "Its lemma 6 does not hold: with 8 9 10 11 12 20 24 31 active, d = 5, two messages want\n"
      "one link in a slot.  The bound is the largest over all subcubes: the messages from\n"
      "inside to outside, divided by the links.  Steps: the fewer of `matched` and `v92`, with\n"
      "the first 2^k nodes active and with %d drawn sets.  They are never above the paper's,\n"
      "and at most the last column above the set's own bound.\n\n"
      "| d | active | bound, first nodes | paper | total exchange | first nodes | drawn, most | "
      "above the bound |\n"
      "|---|---|---|---|---|---|---|---|\n",
      TIME, DRAWS);
  for (int d = 2; d <= DIMS; d++)
    for (int k = 0; k <= d; k++) check_count(page, d, k);
  check_bands(page);
}
