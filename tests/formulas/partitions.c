/* The best partition of a multiphase exchange, compared with every partition and with the
 * thresholds of the iPSC/860; the schedules' times compared with (1) and (2).  Machines have
 * integer times, so costs are exact. */
#include "partitions.h"

#include "collective/variant.h"
#include "hyla_lab.h"
#include "paper.h"

#include <math.h>
#include <string.h>

/* The cheapest of all partitions of `left` into phases of at most `largest`. */
static double cheapest(int d, int left, int largest, double m, const struct hy_circuits *machine) {
  if (left == 0) return 0;
  double best = INFINITY;
  for (int x = 1; x <= largest && x <= left; x++) {
    double rest = cheapest(d, left - x, x, m, machine);
    best = fmin(best, hy_phase_cost(d, x, m, machine) + rest);
  }
  return best;
}

/* An integer from 1 to high; small ones are as frequent as large ones. */
static double whole(double high) {
  return floor(pow(high, (double)harness_draw(0, 1 << 20) / (1 << 20)));
}

static struct hy_circuits draw_machine(void) {
  struct hy_circuits machine = {.lambda = whole(1e6), .tau = whole(10), .delta = whole(100)};
  if (harness_draw(0, 2) > 0) machine.rho = whole(10);
  if (harness_draw(0, 2) > 0) machine.omega = whole(1e4);
  return machine;
}

/* The library's own search of all partitions: it finds one of that cost, and their number p(d). */
static void check_of_all(int d, double m, const struct hy_circuits *machine, double least) {
  static const int64_t numbers[] = {1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77, 101, 135};
  uint8_t phases[HYLA_DIMS_MAX];
  double cost = 0, sum = 0;
  int64_t partitions = 0;
  int left = d, count = hy_partition_of_all(d, m, machine, phases, &cost, &partitions);
  assert_int_equal(partitions, numbers[d]);
  assert_true(cost == least);
  for (int i = 0; i < count; i++) {
    sum += hy_phase_cost(d, phases[i], m, machine);
    left -= phases[i];
    assert_true(i == 0 || phases[i] <= phases[i - 1]);
  }
  assert_true(sum == cost);
  assert_int_equal(left, 0);
}

/* The library's list of all partitions: each sums up to d and comes once, with larger phases first,
 * and its line is that of (1) and (2). */
static void check_lines(void) {
  enum { ROOM = 700, MOST = 627 };
  static hyla_phases all[ROOM];
  hyla_machine machine = {.alpha = 95, .beta = 2, .rho = 3, .delta = 5, .omega = 7};
  for (int d = 0; d <= HYLA_DIMS_MAX; d++) {
    const struct hy_circuits circuits = {95, 2, 5 * d, 3, 7 * d};
    int64_t count = hyla_exchange_partitions(&machine, d, all, ROOM);
    assert_int_equal(count, hyla_exchange_partitions(&machine, d, NULL, 0));
    assert_true(count <= MOST && (d < HYLA_DIMS_MAX || count == MOST));
    for (int64_t i = 0; i < count; i++) {
      double empty = 0, one = 0;
      int sum = 0;
      for (int x = 0; x < all[i].count; x++) {
        assert_true(x == 0 || all[i].phase[x] <= all[i].phase[x - 1]);
        sum += all[i].phase[x];
        empty += hy_phase_cost(d, all[i].phase[x], 0, &circuits);
        one += hy_phase_cost(d, all[i].phase[x], 1, &circuits);
      }
      assert_int_equal(sum, d);
      assert_true(all[i].empty == empty && all[i].byte == one - empty);
      assert_true(i == 0 || memcmp(all[i].phase, all[i - 1].phase, sizeof all[i].phase) < 0);
    }
  }
  all[1].count = -1;
  assert_int_equal(hyla_exchange_partitions(&machine, 4, all, 1), 5);
  assert_int_equal(all[1].count, -1);
  assert_int_equal(hyla_exchange_partitions(NULL, 4, all, 1), -1);
  assert_int_equal(hyla_exchange_partitions(&machine, -1, all, 1), -1);
  assert_int_equal(hyla_exchange_partitions(&machine, HYLA_DIMS_MAX + 1, all, 1), -1);
  assert_int_equal(hyla_exchange_partitions(&machine, 4, NULL, 1), -1);
  assert_int_equal(hyla_exchange_partitions(&machine, 4, all, -1), -1);
}

/* Theorem 1, lemma 1, corollary 1 and theorem 3. */
static void check_theorems(void) {
  for (int trial = 0; trial < 2000; trial++) {
    int d = (int)harness_draw(2, 14);
    double m = whole(1e4);
    struct hy_circuits machine = draw_machine();
    harness_note("trial %d: d = %d, m = %g, lambda %g tau %g delta %g rho %g omega %g", trial, d, m,
                 machine.lambda, machine.tau, machine.delta, machine.rho, machine.omega);
    double all = cheapest(d, d, d, m, &machine);
    int best = hy_partition_best(d, m, &machine);
    assert_true(hy_partition_cost(d, best, m, &machine) == all);
    check_of_all(d, m, &machine, all);
    int tried = 0;
    int found = hy_partition_search(d, m, &machine, &tried);
    assert_true(hy_partition_cost(d, found, m, &machine) == all);
    assert_true(tried <= 2 || (tried - 2) * (tried - 2) <= 4 * d);
    double split = hy_split_point(d, m, &machine);
    if (split == HY_ALWAYS_DIRECT) assert_true(hy_partition_cost(d, 1, m, &machine) == all);
    if (split == HY_ALWAYS_STANDARD) assert_true(hy_partition_cost(d, d, m, &machine) == all);
    if (split < 0) continue;
    int larger = (d + best - 1) / best;
    double ratio = (machine.lambda + machine.delta) / (m * machine.tau);
    assert_true(split >= d - log2(ratio) - 1e-6);
    assert_true(larger <= ceil(split) + 1e-9 && 2 * larger >= floor(split) - 1e-9);
    assert_true(best <= (2 * d + 2) / (split - 1) + 1e-9);
  }
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* Lemma 1's bounds are the points where s* leaves 2 ... d. */
static void check_split_points(void) {
  for (int trial = 0; trial < 2000; trial++) {
    int d = (int)harness_draw(2, 14);
    double m = whole(1e4);
    struct hy_circuits machine = draw_machine();
    double n = exp2(d);
    double start = (machine.lambda + machine.delta) / (m * machine.tau);
    double rest = n * machine.rho / machine.tau + machine.omega / (m * machine.tau);
    double low = 1 + rest / (n - 2 * exp2(d / 2.0) + 1);
    double high = n * (machine.rho / machine.tau + 0.25) + machine.omega / (m * machine.tau);
    double split = hy_split_point(d, m, &machine);
    harness_note("trial %d: d = %d, m = %g", trial, d, m);
    if (near(start, low) || near(start, high)) continue;
    assert_true((split == HY_ALWAYS_DIRECT) == (start <= low));
    if (start > low) assert_true((split == HY_ALWAYS_STANDARD) == (start >= high));
  }
}

/* Adds up the cost (2) by (1) from the verifier's results: steps, words and the links of the
 * longest path of each step. */
static void check_composition(int d, const uint8_t *phases, int count, int64_t m) {
  struct hy_paper_machine circuits = {.one_port = true, .circuits = true, .tau = 1, .beta = 1};
  struct hy_circuits machine = {.lambda = 1009, .tau = 7, .delta = 53, .rho = 3, .omega = 211};
  struct hy_base base = {0};
  struct hy_recipe recipe;
  struct hy_collective collective = {.task = HY_TASK_EXCHANGE,
                                     .dims = d,
                                     .blocks = {.words = m},
                                     .phases = phases,
                                     .phase_count = count};
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "multiphase");
  assert_int_equal(hy_recipe_make(&recipe, &base, row, &collective), HYLA_OK);
  struct hy_verify_report report = paper_sound(hy_recipe_top(&recipe), &collective, &circuits);
  hy_recipe_free(&recipe);
  double cost = 0;
  int64_t hops = 0;
  for (int i = 0; i < count; i++) {
    cost += hy_phase_cost(d, phases[i], (double)m, &machine);
    hops += phases[i] << (phases[i] - 1);
  }
  double once = exp2(d) * (double)m * machine.rho + machine.omega;
  assert_true((double)report.steps * (machine.lambda + machine.delta) +
                  (double)report.words * machine.tau + count * once ==
              cost);
  assert_int_equal(report.hops, hops);
}

/* Checks every composition; no two circuits of a step share a link. */
static void check_compositions(void) {
  for (int d = 1; d <= 8; d++)
    for (uint32_t cuts = 0; cuts >> (d - 1) == 0; cuts++) {
      uint8_t phases[8] = {1};
      int count = 1;
      for (int bit = 0; bit < d - 1; bit++) {
        if (cuts >> bit & 1u) phases[count++] = 0;
        phases[count - 1]++;
      }
      harness_note("d = %d, cuts %x", d, cuts);
      if (d == 8 && count > 2) continue;
      check_composition(d, phases, count, 1);
      if (d < 7) check_composition(d, phases, count, 3);
    }
}

/* The envelope is the best at every length. */
static void check_envelope(void) {
  for (int trial = 0; trial < 200; trial++) {
    int d = (int)harness_draw(1, 16);
    double from[HYLA_DIMS_MAX];
    int phases[HYLA_DIMS_MAX];
    struct hy_circuits machine = draw_machine();
    int count = hy_partition_envelope(d, &machine, from, phases);
    for (int i = 0; i < 20; i++) {
      double m = whole(1e5);
      int at = 0;
      while (at + 1 < count && from[at + 1] <= m) at++;
      double best = hy_partition_cost(d, hy_partition_best(d, m, &machine), m, &machine);
      harness_note("trial %d, d = %d, m = %g", trial, d, m);
      assert_true(near(hy_partition_cost(d, phases[at], m, &machine), best));
    }
  }
}

/* The iPSC/860 as printed, in microseconds and bytes, for a d-cube. */
static struct hy_circuits ipsc860(int d) {
  /* lambda includes the exchange of empty messages before each exchange. */
  return (struct hy_circuits){177.5, 0.394, 10.3 * d, 0.54, 150.0 * d};
}

/* Compares model values with the paper's measured statements for d = 5 and 6. */
static void check_statements(void) {
  struct hy_circuits five = ipsc860(5);
  struct hy_circuits six = ipsc860(6);
  double direct = hy_partition_cost(5, 1, 1, &five) - 32 * five.rho;
  assert_true(fabs(direct - 7861) < 0.5);
  for (double m = 0; m < 1000; m += 0.5)
    assert_true(hy_partition_cost(5, 5, m, &five) > hy_partition_cost(5, 2, m, &five));
  assert_true(fabs(hy_partition_cost(6, 2, 32, &six) - 8774) < 0.5);
  assert_true(fabs(hy_partition_cost(6, 6, 32, &six) - 15892) < 0.5);
}

/* The length from which the direct exchange without a shuffle beats k phases; (1) charges it a
 * shuffle, the paper's curves do not. */
static double direct_from(int d, int k, const struct hy_circuits *machine) {
  double base = hy_partition_cost(d, k, 0, machine);
  double slope = hy_partition_cost(d, k, 1, machine) - base;
  double direct = hy_partition_cost(d, 1, 0, machine);
  double direct_slope = hy_partition_cost(d, 1, 1, machine) - direct - exp2(d) * machine->rho;
  return (direct - base) / (slope - direct_slope);
}

/* For d phases: the numbers of phases that are best before the direct exchange, and the lengths
 * where they begin; the length where the direct exchange begins, without a shuffle and with one. */
static const struct {
  int count, phases[3];
  double from[3], direct, shuffled;
} thresholds[] = {{.count = 0},
                  {1, {2}, {0}, 17.8, 31.8},
                  {1, {2}, {0}, 65.7, 112.3},
                  {1, {2}, {0}, 94.8, 158.8},
                  {2, {3, 2}, {0, 6.3}, 122.4, 201.0},
                  {2, {3, 2}, {0, 12.3}, 140.1, 227.7},
                  {3, {4, 3, 2}, {0, 0.5, 10.8}, 156.9, 252.4},
                  {3, {4, 3, 2}, {0, 0, 12.8}, 168.8, 270.4},
                  {3, {4, 3, 2}, {0, 1.3, 9.1}, 180.6, 287.7}};

static void assert_digits(double value, double printed) {
  if (fabs(value - printed) > 0.05) fail_msg("%.3f is not %.1f", value, printed);
}

/* Compares the table of Nicol and Bokhari's machine to the printed digits; writes a row of it. */
static void check_thresholds(int d, FILE *page) {
  double from[HYLA_DIMS_MAX];
  int phases[HYLA_DIMS_MAX];
  struct hy_circuits machine = ipsc860(d);
  int count = hy_partition_envelope(d, &machine, from, phases);
  int split = thresholds[d - 2].count;
  harness_note("d = %d", d);
  assert_int_equal(count, split + 1);
  assert_int_equal(phases[split], 1);
  fprintf(page, "| %d |", d);
  for (int i = 0; i < count; i++) {
    uint8_t parts[HYLA_DIMS_MAX];
    hy_partition_equal(d, phases[i], parts);
    fprintf(page, "%s (", i > 0 ? ";" : "");
    for (int j = 0; j < phases[i]; j++) fprintf(page, "%s%d", j > 0 ? "," : "", parts[j]);
    fprintf(page, ") %.1f", from[i]);
    if (i > 0) assert_true(from[i] > from[i - 1]);
    if (i == split) continue;
    assert_int_equal(phases[i], thresholds[d - 2].phases[i]);
    assert_digits(from[i], thresholds[d - 2].from[i]);
  }
  assert_digits(from[split], thresholds[d - 2].shuffled);
  double direct = split > 0 ? direct_from(d, phases[split - 1], &machine) : 0;
  assert_digits(direct, thresholds[d - 2].direct);
  fprintf(page, " | %.1f |\n", direct);
}

void partitions_check_all(FILE *page) {
  check_compositions();
  check_lines();
  check_theorems();
  check_split_points();
  check_envelope();
  check_statements();
  fprintf(
      page,
      "\n## Multiphase exchange over circuits\n\n"
      "nicol-bokhari-1994: L = lambda + delta, R = 2^d m rho + Omega, P(x) the cost of a phase\n"
      "of x dimensions, s* the size from which two halves cost less than one phase.\n\n"
      "| what | formula | checked | result |\n|---|---|---|---|\n"
      "| (1) | P(x) = (2^x-1)(L + 2^(d-x) m tau) + R | d = 1-8, all x, m = 1, to 6 also 3 | equal: "
      "steps, words and no shared link by the verifier; R once a phase, by definition; the "
      "longest paths of the steps have x 2^(x-1) links together |\n"
      "| (2) | sum of P(d_i) | all compositions of d = 1-7, in two of 8 | equal |\n"
      "| theorem 1 | an equi-partition is best | 2,000 machines, d = 2-14, all partitions | "
      "equal |\n"
      "| lemma 1 | s* is in 2 ... d iff 1 + R/(m tau) / (2^d - 2^(d/2+1) + 1) < L/(m tau) < 2^d/4 "
      "+ R/(m tau); below direct, above standard is best; s* >= d - log2(L/(m tau)) | 2,000 "
      "machines, d = 2-14 | holds |\n"
      "| corollary 1 | floor(s*)/2 <= largest phase <= ceil(s*) | the same | holds |\n"
      "| theorem 3 | at most 2 (sqrt(d) + 1) comparisons; phases <= (2d+2)/(s*-1) | the same | "
      "holds |\n");
  fprintf(page,
          "\nBest partitions on the iPSC/860, from m = ... bytes on, by (1), where the direct\n"
          "exchange is charged a shuffle too; last, where it begins without one.\n\n"
          "| d | partitions | direct, without its shuffle |\n|---|---|---|\n");
  for (int d = 2; d <= 10; d++) check_thresholds(d, page);
}
