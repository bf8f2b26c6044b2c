/* Traffic at random: what is counted lies beside the formulas and beside figures that other
 * programs have found; the same seed gives the same bits. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <stdlib.h>
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

/* (5.47) holds on other networks, which are not all symmetric: among the pairs of their nodes, told
 * apart here by coordinates, and with what is busy of their links. */
static void heads_of_queues_on_other_networks(void **state) {
  (void)state;
  static const struct {
    const char *network;
    int side, axes; /* 0: a network whose distances the formula alone has here */
    bool wraps;
    double load, factor; /* the busiest link's load with the lowest port first; 0: not known here */
  } cases[] = {{"torus:5x5", 5, 2, true, .9, 1},    {"torus:3x3x3", 3, 3, true, .5, 1},
               {"array:5x5", 5, 2, false, .6, 1.2}, {"line:7", 7, 1, false, .7, 9 / 7.},
               {"folded:6", 0, 0, false, .5, 0},    {"enhanced:5", 0, 0, false, .4, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hyla_traffic traffic = {.scheme = cases[i].factor > 0 ? "shortest-lowest" : "shortest",
                                  .network = cases[i].network,
                                  .access = 1,
                                  .load = cases[i].load,
                                  .slots = 32000,
                                  .seed = 5};
    const hyla_traffic_result r = play(&traffic);
    const int side = cases[i].side, nodes = (int)r.nodes;
    harness_note("%s", cases[i].network);
    double at[HYLA_TRAFFIC_BINS + 2] = {0}, mean = 0;
    for (int pair = 0; pair < (side > 0 ? nodes * nodes : 0); pair++) {
      int far = 0;
      for (int axis = 0, a = pair / nodes, b = pair % nodes; axis < cases[i].axes; axis++) {
        const int along = abs(a % side - b % side);
        far += cases[i].wraps && 2 * along > side ? side - along : along;
        a /= side, b /= side;
      }
      at[far]++;
      mean += far;
    }
    for (int j = r.farthest; j > 0; j--) at[j] += at[j + 1];
    for (int j = 1; j <= r.farthest; j++) {
      const double heads = side > 0 ? at[j] / mean : r.formula_histogram[j];
      assert_true(fabs(r.formula_histogram[j] - heads) < 1e-12);
      assert_true(fabs(r.histogram[j] - heads) < .01 * heads + .001);
    }
    assert_true(fabs(r.difference) < .01);
    assert_true(fabs(r.busiest / r.formula_busiest - 1) < .05);
    if (cases[i].factor > 0)
      assert_true(fabs(r.formula_busiest - cases[i].load * cases[i].factor) < 1e-12);
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

/* 6.2 on other networks, and its three delays of a packet that is alone: counted over all pairs,
 * exactly the formulas. */
static void packets_alone_take_three_delays(void **state) {
  (void)state;
  static const struct {
    const char *network;
    double links; /* mean distance */
  } cases[] = {{"cube:5", 80 / 31.},  {"torus:5x5", 2.5}, {"torus:4x6", 60 / 23.},
               {"array:4x4", 8 / 3.}, {"line:7", 8 / 3.}, {"folded:5", 66 / 31.}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int buffers = 0; buffers <= 1; buffers++) {
      const double beta = .5, h = cases[i].links;
      const hyla_traffic traffic = {.scheme = "csr-paths",
                                    .network = cases[i].network,
                                    .buffers = buffers,
                                    .access = 1,
                                    .beta = beta,
                                    .slots = 1600};
      const hyla_traffic_result r = play(&traffic);
      const double delays[] = {h, h + beta, h * (1 + beta)};
      harness_note("%s, %d buffers", cases[i].network, buffers);
      for (int j = 0; j < 3; j++) {
        assert_true(fabs(r.alone[j] / delays[j] - 1) < 1e-12);
        assert_true(fabs(r.formula_alone[j] / delays[j] - 1) < 1e-12);
      }
      const double links = 1 / r.histogram[1]; /* of those that got in */
      assert_true(buffers > 0 ? r.delay > links * 1.01 : fabs(r.delay / links - 1) < .005);
      assert_true(fabs(r.entered / r.throughput - 1) < .01);
      assert_true(r.time_delay == r.delay * (1 + beta));
      assert_true(r.time_throughput == r.throughput / (1 + beta));
    }
}

/* (6.1): blocked packets that try again.  As many are blocked as at the stable point; the packets
 * of one entry buffer follow each other, which the formula leaves out. */
static void blocked_packets_try_again(void **state) {
  (void)state;
  static const struct {
    int dims;
    double arrival, retry;
  } cases[] = {{7, .1, 1}, {7, .2, .3}, {6, .02, 1}, {8, .125, .6}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hyla_traffic traffic = {.scheme = "csr",
                                  .dims = cases[i].dims,
                                  .access = cases[i].arrival,
                                  .retry = cases[i].retry,
                                  .slots = 320000 >> cases[i].dims};
    const hyla_traffic_result r = play(&traffic);
    harness_note("d = %d, q_a = %g, q_r = %g: R = %g, m = %g for %g", cases[i].dims,
                 cases[i].arrival, cases[i].retry, r.throughput, r.backlogged,
                 r.formula_backlogged);
    assert_true(fabs(r.difference) < .03);
    assert_true(fabs(r.backlogged - r.formula_backlogged) < .02);
    const double m = r.backlogged, in = 2 * cases[i].dims * (1 - m) * cases[i].arrival;
    assert_true(fabs(r.attempts - (1 - m) * cases[i].arrival - m * cases[i].retry) < .003);
    assert_true(fabs(r.entered / in - 1) < .01);
  }
}

/* ------------------------------------------------- messages under load -- */

static hyla_load_result play_messages(const hyla_load *load) {
  hyla_load_result r;
  hyla_status status = hyla_simulate_load(load, &r);
  if (status != HYLA_OK) fail_msg("%s: %s", load->network, r.message);
  return r;
}

/* A message over one link among packets that keep it busy for a part of the time: it has the rest.
 * In the empty network it takes alpha + beta for each word, in whole slots. */
static void messages_have_what_packets_leave(void **state) {
  (void)state;
  for (int i = 1; i <= 4; i++) {
    const hyla_network_packet packet = {.node = 0, .peer = 1, .port = 0, .words = 3000};
    const hyla_load load = {.network = "line:2",
                            .load = .2 * i,
                            .packet = &packet,
                            .packets = 1,
                            .slot_words = 2,
                            .alpha = 7,
                            .beta = .5,
                            .seed = 4};
    const hyla_load_result r = play_messages(&load);
    harness_note("load %g: %g +- %g", load.load, r.seconds, r.interval);
    assert_true(r.alone == 7 + .5 * 3000);
    const double queue = load.load / (2 * (1 - load.load)); /* before it, of Poisson packets */
    const double want = 7 + (1500 + queue) / (1 - load.load);
    assert_true(fabs(r.seconds - want) < 1.5 * r.interval + 2);
    assert_true(r.interval > 0 && r.interval < .05 * want);
    const hyla_load_result again = play_messages(&load);
    assert_memory_equal(&r, &again, sizeof r);
  }
}

/* Steps: node 1 passes on what it got, and the last message goes over three links of a cube. */
static void messages_follow_each_other(void **state) {
  (void)state;
  const hyla_network_packet packets[] = {
      {.step = 0, .node = 0, .peer = 1, .port = 0, .words = 5},
      {.step = 0, .node = 2, .peer = 3, .port = 0, .words = 2},
      {.step = 2, .node = 1, .peer = 3, .port = 1, .words = 3},
      {.step = 3, .node = 3, .peer = 4, .port = 0, .words = 4},
  };
  const hyla_load load = {
      .network = "cube:3", .packet = packets, .packets = 4, .slot_words = 1, .alpha = 2, .beta = 1};
  const hyla_load_result r = play_messages(&load);
  assert_true(r.seconds == (2 + 5) + (2 + 3) + (2 + 3 * 4) && r.interval == 0);
  assert_true(r.alone == r.seconds);
}

static void wrong_loads_are_refused(void **state) {
  (void)state;
  const hyla_network_packet packet = {.node = 0, .peer = 1, .port = 0, .words = 1};
  hyla_network_packet wrong = packet;
  const hyla_load good = {
      .network = "line:4", .load = .1, .packet = &packet, .packets = 1, .slot_words = 1, .beta = 1};
  hyla_load bad[] = {good, good, good, good, good, good, good, good};
  static const char *const says[] = {"no network",
                                     "the load is 1",
                                     "give a load below 0.8333",
                                     "0 words in a slot",
                                     "beta 0",
                                     "there is no such way",
                                     "has no link",
                                     "message 0 has 0 words"};
  bad[0].network = NULL, bad[1].load = 1, bad[2].load = .9, bad[3].slot_words = 0, bad[4].beta = 0;
  for (int i = 5; i < 8; i++) bad[i].packet = &wrong;
  for (int i = 0; i < 8; i++) {
    hyla_load_result r;
    wrong = packet;
    if (i == 5) wrong.peer = 4;
    if (i == 6) wrong.port = 1;
    if (i == 7) wrong.words = 0;
    assert_int_equal(hyla_simulate_load(&bad[i], &r), HYLA_ARGUMENT);
    if (strstr(r.message, says[i]) == NULL) fail_msg("`%s' for `%s'", r.message, says[i]);
  }
  assert_int_equal(hyla_simulate_load(NULL, NULL), HYLA_ARGUMENT);
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
  hyla_traffic bad[] = {good, good, good, good, good, good, good, good,
                        good, good, good, good, good, good, good, good};
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
                                     "its load is between 0 and 1",
                                     "a cube alone",
                                     "no control interval",
                                     "no retries",
                                     "give a load below 0.7778",
                                     "69 links apart"};
  enum { BAD = sizeof bad / sizeof *bad };
  bad[0].scheme = "simpel", bad[1].scheme = NULL, bad[2].dims = 0, bad[3].buffers = -2;
  bad[7].scheme = "csr", bad[7].buffers = 1, bad[8].load = .5;
  bad[9].pattern = HYLA_TRAFFIC_OPPOSITE, bad[10].scheme = "shortest";
  bad[11].network = "torus:4x4", bad[12].beta = 1, bad[13].retry = 1;
  bad[14].scheme = bad[15].scheme = "shortest", bad[14].network = "line:7", bad[14].load = .8;
  bad[15].network = "line:70", bad[15].load = .1;
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
      cmocka_unit_test(heads_of_queues_on_other_networks),
      cmocka_unit_test(sources_are_locked_out),
      cmocka_unit_test(reservations_are_kept),
      cmocka_unit_test(packets_alone_take_three_delays),
      cmocka_unit_test(blocked_packets_try_again),
      cmocka_unit_test(messages_have_what_packets_leave),
      cmocka_unit_test(messages_follow_each_other),
      cmocka_unit_test(wrong_loads_are_refused),
      cmocka_unit_test(schemes_are_in_order_at_saturation),
      cmocka_unit_test(wrong_parameters_are_refused),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
