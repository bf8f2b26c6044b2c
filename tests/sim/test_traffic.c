/* Traffic at random: what is counted lies beside the formulas and beside figures that other
 * programs have found; the same seed gives the same bits. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

static hyla_traffic_result play(const hyla_traffic *traffic) {
  hyla_traffic_result r;
  hyla_status status = hyla_simulate_traffic(traffic, &r);
  if (status != HYLA_OK) fail_msg("%s: %s", traffic->scheme, r.message);
  return r;
}

/* Throughputs of programs that were written from the text alone (10^6 slots). */
static const struct vector {
  hyla_traffic traffic;
  double throughput;
  double formula, tolerance; /* 0: none */
} VECTORS[] = {
    {{.scheme = "simple", .dims = 6, .access = 1}, .9416, .9423, .005},
    {{.scheme = "simple", .dims = 6, .access = 1, .buffers = 1}, 1.6091, 1.6086, .01},
    {{.scheme = "priority", .dims = 7, .access = .2, .buffers = 1}, 1.1965, 1.2026, .01},
    {{.scheme = "priority", .dims = 6, .access = 1}, 1.3262, 1.3260, .005},
    {{.scheme = "priority", .dims = 6, .access = 1, .buffers = 1}, 1.7398, 1.7360, .01},
    {{.scheme = "priority", .dims = 9, .access = .5}, .9787, .9785, .005},
    {{.scheme = "priority", .dims = 9, .access = 1, .buffers = 2}, 1.7501, 1.7460, .01},
    {{.scheme = "deflection", .dims = 3, .access = 1}, 1.076, 0, .01},
    {{.scheme = "deflection", .dims = 7, .access = 1}, 1.197, 0, .01},
    {{.scheme = "deflection-priority", .dims = 3, .access = 1}, 1.307, 0, .01},
    {{.scheme = "deflection-priority", .dims = 4, .access = 1}, 1.400, 0, .01},
    {{.scheme = "deflection-priority", .dims = 6, .access = 1}, 1.528, 0, .01},
    {{.scheme = "deflection-priority", .dims = 7, .access = 1}, 1.575, 0, .01},
    {{.scheme = "csr", .dims = 6, .access = 1}, 1.4713, 1.4831, .02},
    {{.scheme = "csr", .dims = 6, .access = .2}, .8710, .8797, .02},
    {{.scheme = "csr", .dims = 7, .access = 1}, 1.4105, 1.4221, .02},
    {{.scheme = "csr", .dims = 9, .access = .1}, .6466, .6542, .02},
};
enum { COUNT = sizeof VECTORS / sizeof *VECTORS };

static void counts_are_as_other_programs_find(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    hyla_traffic traffic = VECTORS[i].traffic;
    traffic.slots = 160000 >> traffic.dims;
    traffic.seed = 42;
    const hyla_traffic_result r = play(&traffic);
    const double want = VECTORS[i].throughput;
    if (!(fabs(r.throughput - want) < 2 * r.throughput_interval + .0006 * want))
      fail_msg("%s, d = %d, k = %d: %g +- %g for %g", traffic.scheme, traffic.dims, traffic.buffers,
               r.throughput, r.throughput_interval, want);
    assert_true(r.throughput_interval > 0 && r.throughput_interval < .01 * want);
    double all = 0;
    for (int j = 1; j <= r.farthest; j++) all += r.histogram[j];
    assert_true(fabs(all - 1) < 1e-12);
    if (VECTORS[i].formula == 0) continue;
    assert_true(fabs(r.formula_throughput - VECTORS[i].formula) < 6e-5);
    assert_true(fabs(r.difference) < VECTORS[i].tolerance);
  }
}

/* The same seed gives the same bits; another one does not. */
static void seeds_are_kept(void **state) {
  (void)state;
  for (int i = 0; hyla_traffic_scheme(i, NULL); i++) {
    hyla_traffic traffic = {.scheme = hyla_traffic_scheme(i, NULL),
                            .dims = 4,
                            .access = 1,
                            .load = .3,
                            .slots = 320,
                            .seed = 1};
    hyla_traffic_result loaded;
    if (hyla_simulate_traffic(&traffic, &loaded) == HYLA_ARGUMENT) /* it has no load */
      traffic.access = .5, traffic.load = 0;
    const hyla_traffic_result one = play(&traffic), again = play(&traffic);
    assert_memory_equal(&one, &again, sizeof one);
    traffic.seed = 2;
    const hyla_traffic_result other = play(&traffic);
    assert_true(one.throughput != other.throughput);
  }
}

/* (5.46): the counted deflections are those that the counted delay leaves over; nothing is lost. */
static void deflections_explain_delays(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++)
    for (int d = 3; d <= 7; d += 2) {
      const hyla_traffic traffic = {.scheme = i == 0 ? "deflection" : "deflection-priority",
                                    .dims = d,
                                    .access = 1,
                                    .slots = 160000 >> d};
      const hyla_traffic_result r = play(&traffic);
      const double nodes = 1 << d, rest = (r.delay - d / 2. * nodes / (nodes - 1)) / 2;
      assert_true(fabs(r.deflections / rest - 1) < .01);
      assert_true(fabs(r.difference) < .005);
      assert_true(r.throughput <= 2 * (nodes - 1) / nodes);
      assert_true(fabs(r.entered / r.throughput - 1) < .01);
    }
}

/* (5.47): the distances of packets at the heads of queues, however they choose among the shortest
 * ways, and whatever the load. */
static void heads_of_queues_are_as_far_from_home(void **state) {
  (void)state;
  static const double heads[] = {.3281, .2969, .2188, .1146, .0365, .0052};
  for (int i = 0; i < 4; i++) {
    const hyla_traffic traffic = {.scheme = i % 2 ? "shortest-lowest" : "shortest",
                                  .dims = 6,
                                  .access = 1,
                                  .load = i < 2 ? .5 : .9,
                                  .slots = 12000,
                                  .seed = 3};
    const hyla_traffic_result r = play(&traffic);
    assert_int_equal(r.farthest, 6);
    for (int j = 1; j <= 6; j++) {
      assert_true(fabs(r.formula_histogram[j] - heads[j - 1]) < 1e-4);
      assert_true(fabs(r.histogram[j] - heads[j - 1]) < .01 * heads[j - 1] + .0004);
    }
    assert_true(fabs(r.formula_throughput - 2 * traffic.load * 63 / 64) < 1e-12);
    assert_true(fabs(r.difference) < .01);
  }
}

/* Figure 6.7: two sources that send all the time lock the others out, which begin a slot later.
 * Reservations do not help: those made a slot before stand, and chance decides only within a
 * slot. */
static void sources_are_locked_out(void **state) {
  (void)state;
  hyla_traffic traffic = {.scheme = "deflection-priority",
                          .dims = 2,
                          .access = 1,
                          .pattern = HYLA_TRAFFIC_OPPOSITE,
                          .slots = 3200};
  hyla_traffic_result r = play(&traffic);
  assert_true(r.entered_least == 0 && r.entered_most == 2);
  assert_true(r.deflections == 0 && r.delay == 2);
  traffic.scheme = "csr";
  r = play(&traffic);
  assert_true(r.entered_least == 0 && r.entered_most == 2 && r.delay == 2);
}

/* 6.2: packets that were accepted move as reserved, or the run fails.  Without buffers none waits,
 * so its delay is its distance; buffers let more in. */
static void reservations_are_kept(void **state) {
  (void)state;
  hyla_traffic traffic = {.scheme = "csr-paths", .dims = 5, .access = .05, .slots = 2000};
  double before = 0;
  traffic.pattern = HYLA_TRAFFIC_OPPOSITE;
  assert_true(play(&traffic).delay == 5);
  traffic.pattern = HYLA_TRAFFIC_UNIFORM;
  traffic.access = 1;
  for (traffic.buffers = 0; traffic.buffers <= 8; traffic.buffers = 2 * traffic.buffers + 1) {
    const hyla_traffic_result r = play(&traffic);
    const double links = 1 / r.histogram[1]; /* each packet is once on its last link */
    if (traffic.buffers == 0)
      assert_true(fabs(r.delay / links - 1) < .005);
    else
      assert_true(r.delay > links * 1.01);
    assert_true(r.throughput > before && fabs(r.entered / r.throughput - 1) < .01);
    before = r.throughput;
  }
}

/* Figure 6.5 at d = 11: the best throughput over all accesses, which all but simple have at 1 or
 * near it. */
static void schemes_are_in_order_at_saturation(void **state) {
  (void)state;
  static const struct {
    const char *scheme;
    int buffers;
    double access, part;
  } order[] = {{"deflection-priority", 0, 1, .853},
               {"priority", 1, 1, .714},
               {"deflection", 0, 1, .641},
               {"csr", 0, 1, .615},
               {"priority", 0, 1, .486},
               {"simple", 0, .17, .246}};
  double before = 1;
  for (int i = 0; i < 6; i++) {
    const hyla_traffic traffic = {.scheme = order[i].scheme,
                                  .dims = 11,
                                  .buffers = order[i].buffers,
                                  .access = order[i].access,
                                  .slots = 96};
    const double part = play(&traffic).throughput / 2;
    if (!(fabs(part / order[i].part - 1) < .02 && part < before))
      fail_msg("%s: %g for %g", order[i].scheme, part, order[i].part);
    before = part;
  }
}

/* Wrong parameters are refused, with a message that says what to give. */
static void wrong_parameters_are_refused(void **state) {
  (void)state;
  const hyla_traffic good = {.scheme = "simple", .dims = 4, .access = 1, .slots = 320};
  hyla_traffic bad[] = {good, good, good, good, good, good, good, good, good, good, good};
  static const char *const says[] = {"there is no scheme `simpel' (did you mean `simple'?)",
                                     "no scheme",
                                     "0 dimensions",
                                     "-2 buffers",
                                     "access is 0",
                                     "access is 1.5",
                                     "31 slots are too few",
                                     "no number of buffers",
                                     "no load",
                                     "uniform traffic only",
                                     "its load is between 0 and 1"};
  enum { BAD = sizeof bad / sizeof *bad };
  bad[0].scheme = "simpel", bad[1].scheme = NULL, bad[2].dims = 0, bad[3].buffers = -2;
  bad[7].scheme = "csr", bad[7].buffers = 1, bad[8].load = .5;
  bad[9].pattern = HYLA_TRAFFIC_OPPOSITE, bad[10].scheme = "shortest";
  bad[4].access = 0, bad[5].access = 1.5, bad[6].slots = 31;
  for (int i = 0; i < BAD; i++) {
    hyla_traffic_result r;
    assert_int_equal(hyla_simulate_traffic(&bad[i], &r), HYLA_ARGUMENT);
    if (strstr(r.message, says[i]) == NULL) fail_msg("`%s' for `%s'", r.message, says[i]);
  }
  hyla_traffic_result r;
  assert_int_equal(hyla_simulate_traffic(NULL, &r), HYLA_ARGUMENT);
  assert_int_equal(hyla_simulate_traffic(&good, NULL), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_as_other_programs_find),
      cmocka_unit_test(seeds_are_kept),
      cmocka_unit_test(deflections_explain_delays),
      cmocka_unit_test(heads_of_queues_are_as_far_from_home),
      cmocka_unit_test(sources_are_locked_out),
      cmocka_unit_test(reservations_are_kept),
      cmocka_unit_test(schemes_are_in_order_at_saturation),
      cmocka_unit_test(wrong_parameters_are_refused),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
