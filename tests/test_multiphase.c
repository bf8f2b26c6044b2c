/* The best partition of a multiphase exchange: against every partition, against
 * the thresholds of the iPSC/860, and the schedules' times against (1) and (2). */
#include "comm/multiphase.h"
#include "comm/variant.h"
#include "paper.h"

#include <math.h>

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

static double logarithmic(double low, double high) {
  double t = (double)harness_draw(0, 1 << 20) / (1 << 20);
  return low * pow(high / low, t);
}

static struct hy_circuits draw_machine(void) {
  struct hy_circuits machine = {.lambda = logarithmic(1, 1e4),
                                .tau = logarithmic(0.01, 10),
                                .delta = logarithmic(0.1, 100),
                                .rho = harness_draw(0, 2) == 0 ? 0 : logarithmic(0.001, 10),
                                .omega = harness_draw(0, 2) == 0 ? 0 : logarithmic(1, 1e4)};
  return machine;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* Theorem 1, lemma 1, corollary 1 and theorem 3 on random machines. */
static void theorems_hold_against_all_partitions(void **state) {
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    int d = (int)harness_draw(2, 12);
    double m = logarithmic(0.1, 1e4);
    struct hy_circuits machine = draw_machine();
    harness_note("trial %d: d = %d, m = %g, lambda %g tau %g delta %g rho %g omega %g", trial, d, m,
                 machine.lambda, machine.tau, machine.delta, machine.rho, machine.omega);
    double all = cheapest(d, d, d, m, &machine);
    int best = hy_partition_best(d, m, &machine);
    double equal = hy_partition_cost(d, best, m, &machine);
    assert_true(near(equal, all)); /* theorem 1: an equi-partition is among the best */
    int tried = 0;
    int found = hy_partition_search(d, m, &machine, &tried);
    assert_true(near(hy_partition_cost(d, found, m, &machine), all));
    assert_true(tried <= 2 * (sqrt(d) + 1)); /* theorem 3 */
    double split = hy_split_point(d, m, &machine);
    if (split == HY_ALWAYS_DIRECT) assert_true(near(hy_partition_cost(d, 1, m, &machine), all));
    if (split == HY_ALWAYS_STANDARD) assert_true(near(hy_partition_cost(d, d, m, &machine), all));
    if (split < 0) continue;
    int larger = best == 0 ? 0 : (d + best - 1) / best;
    double ratio = (machine.lambda + machine.delta) / (m * machine.tau);
    assert_true(split >= d - log2(ratio) - 1e-6);
    assert_true(larger <= ceil(split) + 1e-9 && 2 * larger >= floor(split) - 1e-9);
    assert_true(best <= (2 * d + 2) / (split - 1) + 1e-9);
  }
}

/* Lemma 1's bounds are where s* leaves 2 ... d. */
static void lemma_one_bounds_the_split_point(void **state) {
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    int d = (int)harness_draw(2, 14);
    double m = logarithmic(0.1, 1e4);
    struct hy_circuits machine = draw_machine();
    double n = exp2(d);
    double start = (machine.lambda + machine.delta) / (m * machine.tau);
    double rest = n * machine.rho / machine.tau + machine.omega / (m * machine.tau);
    double low = 1 + rest / (n - 2 * exp2(d / 2.0) + 1);
    double high = n * (machine.rho / machine.tau + 0.25) + machine.omega / (m * machine.tau);
    double split = hy_split_point(d, m, &machine);
    if (near(start, low) || near(start, high)) continue;
    assert_true((split == HY_ALWAYS_DIRECT) == (start <= low || d < 2));
    if (start > low) assert_true((split == HY_ALWAYS_STANDARD) == (start >= high));
  }
}

/* Where the direct exchange is charged its shuffle, as (1) does; the one that the
 * paper's curves show has none. */
static double direct_from(int d, int k, bool shuffle, const struct hy_circuits *machine) {
  double base = hy_partition_cost(d, k, 0, machine);
  double slope = hy_partition_cost(d, k, 1, machine) - base;
  double direct = hy_partition_cost(d, 1, 0, machine);
  double direct_slope = hy_partition_cost(d, 1, 1, machine) - direct;
  if (!shuffle) direct_slope -= exp2(d) * machine->rho;
  return (direct - base) / (slope - direct_slope);
}

static void thresholds_of_the_ipsc860(void **state) {
  (void)state;
  /* d; phases and where they begin, the last before the direct exchange; where that
   * begins, without a shuffle and with one. */
  static const struct {
    int d, count, phases[3];
    double from[3], direct, shuffled;
  } table[] = {{3, 1, {2}, {0}, 17.8, 31.8},
               {4, 1, {2}, {0}, 65.7, 112.3},
               {5, 1, {2}, {0}, 94.8, 158.8},
               {6, 2, {3, 2}, {0, 6.3}, 122.4, 201.0},
               {7, 2, {3, 2}, {0, 12.3}, 140.1, 227.7},
               {8, 3, {4, 3, 2}, {0, 0.5, 10.8}, 156.9, 252.4},
               {9, 3, {4, 3, 2}, {0, 0, 12.8}, 168.8, 270.4},
               {10, 3, {4, 3, 2}, {0, 1.3, 9.1}, 180.6, 287.7}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    int d = table[i].d;
    double from[HYLA_DIMS_MAX];
    int phases[HYLA_DIMS_MAX];
    struct hy_circuits machine = hy_circuits_ipsc860(d);
    int count = hy_partition_envelope(d, &machine, from, phases);
    harness_note("d = %d", d);
    assert_int_equal(count, table[i].count + 1);
    for (int j = 0; j < table[i].count; j++) {
      assert_int_equal(phases[j], table[i].phases[j]);
      assert_true(fabs(from[j] - table[i].from[j]) <= 0.05);
    }
    assert_int_equal(phases[count - 1], 1);
    assert_true(fabs(from[count - 1] - table[i].shuffled) <= 0.05);
    double direct = direct_from(d, phases[count - 2], false, &machine);
    assert_true(fabs(direct - table[i].direct) <= 0.05);
  }
  struct hy_circuits machine = hy_circuits_ipsc860(2);
  double from[2];
  int phases[2];
  assert_int_equal(hy_partition_envelope(2, &machine, from, phases), 1);
  assert_int_equal(phases[0], 1);
}

/* The envelope is the best at every length. */
static void the_envelope_is_the_minimum(void **state) {
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    int d = (int)harness_draw(1, 16);
    double from[HYLA_DIMS_MAX];
    int phases[HYLA_DIMS_MAX];
    struct hy_circuits machine = draw_machine();
    int count = hy_partition_envelope(d, &machine, from, phases);
    for (int i = 0; i < 20; i++) {
      double m = logarithmic(0.01, 1e5);
      int at = 0;
      while (at + 1 < count && from[at + 1] <= m) at++;
      double best = hy_partition_cost(d, hy_partition_best(d, m, &machine), m, &machine);
      harness_note("trial %d, d = %d, m = %g", trial, d, m);
      assert_true(near(hy_partition_cost(d, phases[at], m, &machine), best));
    }
  }
}

/* Model values beside the paper's measured statements for d = 5 and 6. */
static void statements_about_the_ipsc860(void **state) {
  (void)state;
  struct hy_circuits five = hy_circuits_ipsc860(5);
  struct hy_circuits six = hy_circuits_ipsc860(6);
  double direct = hy_partition_cost(5, 1, 1, &five) - 32 * five.rho;
  assert_true(fabs(direct - 7861) < 0.5);
  for (double m = 0; m < 1000; m += 0.5)
    assert_true(hy_partition_cost(5, 5, m, &five) > hy_partition_cost(5, 2, m, &five));
  assert_true(fabs(hy_partition_cost(6, 2, 32, &six) - 8774) < 0.5);
  assert_true(fabs(hy_partition_cost(6, 6, 32, &six) - 15892) < 0.5);
}

/* Every composition of d: the schedule's steps and words are those of (2), and no
 * two circuits of a step share a link. */
static void compositions_are_exactly_the_formula(void **state) {
  (void)state;
  struct hy_network circuits = {.one_port = true, .circuits = true, .tau = 1, .beta = 1};
  for (int d = 1; d <= 7; d++)
    for (uint32_t cuts = 0; cuts >> (d - 1) == 0; cuts++) {
      uint8_t phases[8] = {1};
      int count = 1;
      for (int bit = 0; bit < d - 1; bit++) {
        if (cuts >> bit & 1u) phases[count++] = 0;
        phases[count - 1]++;
      }
      int64_t steps = 0;
      int64_t words = 0;
      for (int i = 0; i < count; i++) {
        steps += (1 << phases[i]) - 1;
        words += ((1 << phases[i]) - 1) * (1 << (d - phases[i])) * 3;
      }
      struct hy_base base = {0};
      struct hy_recipe recipe;
      struct hy_collective collective = {.task = HY_TASK_EXCHANGE,
                                         .dims = d,
                                         .blocks = {.words = 3},
                                         .phases = phases,
                                         .phase_count = count};
      const struct hy_variant *row = hy_variant_find(HY_TASK_EXCHANGE, "multiphase");
      harness_note("d = %d, cuts %x", d, cuts);
      assert_int_equal(hy_recipe_make(&recipe, &base, row, &collective), HYLA_OK);
      struct hy_verdict verdict = paper_sound(hy_recipe_top(&recipe), &collective, &circuits);
      hy_recipe_free(&recipe);
      assert_int_equal(verdict.steps, steps);
      assert_int_equal(verdict.words, words);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(theorems_hold_against_all_partitions),
      cmocka_unit_test(lemma_one_bounds_the_split_point),
      cmocka_unit_test(thresholds_of_the_ipsc860),
      cmocka_unit_test(the_envelope_is_the_minimum),
      cmocka_unit_test(statements_about_the_ipsc860),
      cmocka_unit_test(compositions_are_exactly_the_formula),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
