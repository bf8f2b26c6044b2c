/* Broadcasts one after the other: formulas, lengths of periods, and periods played. */
#include "collective/variant.h"
#include "hyla_lab.h"
#include "machine/machine.h"
#include "sim/periods.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <string.h>

#define CUBE(d, t)                                                                                 \
  { .axes = d, .side = 2, .ways = 1, .prefix = t }
#define ARRAY(p, d, t)                                                                             \
  { .axes = d, .side = p, .ways = 1, .prefix = t }
#define TORUS(p, d, t)                                                                             \
  { .axes = d, .side = p, .ways = 2, .prefix = t }

/* A load, and the values of the paper's formulas for it. */
static const struct row {
  struct hy_broadcasts network;
  double reservation, service, load, limit, packets, least, most;
} ROWS[] = {
    {TORUS(8, 2, .1), 13.3, .2461, .271, .542, 20.09, 31.79, 34.72},
    {TORUS(8, 2, .1), 13.3, .2461, .515, .542, 57.39, 162.6, 156.3},
    {ARRAY(7, 2, .2), 16.8, .4898, .294, .588, 14.28, 41.08, 46.08},
    {TORUS(4, 3, .1), 6.3, .1641, .500, .625, 38.40, 28.76, 27.71},
    {CUBE(7, .25), 5.5, .1417, .614, .767, 61.72, 28.36, 28.69},
    {CUBE(6, .1), 3.2, .1641, .038, .7664, .7705, 5.115, 10.22},
    {CUBE(6, .1), 3.2, .1641, .383, .7664, 12.11, 8.552, 11.81},
    {CUBE(10, .1), 4.0, .0999, .481, .9624, 37.11, 11.81, 59.25},
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

static bool near(double value, double printed, double digits) {
  return fabs(value - printed) <= digits * printed;
}

static void formulas_give_the_known_values(void **state) {
  (void)state;
  for (int i = 0; i < ROW_COUNT; i++) {
    const struct row *row = &ROWS[i];
    const hyla_reservations r = hy_broadcasts_bound(&row->network);
    hyla_reservation_delays d;
    harness_note("row %d", i);
    assert_int_equal(hyla_reservation_bounds(&r, row->load, &d), HYLA_OK);
    assert_true(near(r.reservation, row->reservation, 1e-12));
    assert_true(near(r.service, row->service, 5e-4));
    assert_true(near(d.limit, row->limit, 1e-3));
    assert_true(near(d.packets, row->packets, 5e-4));
    assert_true(near(d.delay[0], row->least, 5e-4));
    assert_true(near(d.delay[1], row->most, 5e-4));
  }
}

/* If packets are few, one waits for half a reservation interval and a whole one. */
static void light_loads_wait_for_one_and_a_half(void **state) {
  (void)state;
  const struct hy_broadcasts torus = TORUS(8, 2, .1);
  const hyla_reservations r = hy_broadcasts_bound(&torus);
  hyla_reservation_delays d;
  assert_int_equal(hyla_reservation_bounds(&r, 1e-9, &d), HYLA_OK);
  assert_true(near(d.delay[0], 1.5 * r.reservation + r.service, 1e-6));
  assert_true(near(d.delay[0], 20.2, 1e-3));
  assert_true(d.share[0] == 0);
}

/* The bounds of a: no distribution of a number from 0 to `users' with that mean has a second moment
 * outside of them.  Distributions of two values have the extreme ones. */
static void shares_are_between_those_of_all_distributions(void **state) {
  (void)state;
  enum { USERS = 9 };
  const hyla_reservations r = {USERS, 1, 1, 5, 25};
  for (int step = 1; step < 12; step++) {
    const double load = step * .05;
    hyla_reservation_delays d;
    assert_int_equal(hyla_reservation_bounds(&r, load, &d), HYLA_OK);
    double least = HUGE_VAL, most = 0;
    for (int low = 0; low < USERS; low++)
      for (int high = low + 1; high <= USERS; high++) {
        if (low > d.packets || high < d.packets) continue;
        const double up = (d.packets - low) / (high - low);
        const double square = low * low * (1 - up) + high * high * up;
        least = fmin(least, hy_reservation_share(&r, d.packets, square));
        most = fmax(most, hy_reservation_share(&r, d.packets, square));
      }
    harness_note("load %g: %g to %g", load, least, most);
    assert_true(fabs(least - d.share[0]) < 1e-12);
    assert_true(fabs(most - d.share[1]) < 1e-12);
  }
}

static void what_is_no_channel_is_refused(void **state) {
  (void)state;
  const hyla_reservations good = {4, 1, 1, 2, 4};
  hyla_reservation_delays d;
  assert_int_equal(hyla_reservation_bounds(NULL, .1, &d), HYLA_ARGUMENT);
  assert_int_equal(hyla_reservation_bounds(&good, .1, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_reservation_bounds(&good, -.1, &d), HYLA_ARGUMENT);
  assert_int_equal(hyla_reservation_bounds(&good, NAN, &d), HYLA_ARGUMENT);
  const hyla_reservations bad[] = {{0, 1, 1, 2, 4}, {4, 0, 1, 2, 4},  {4, 1, .9, 2, 4},
                                   {4, 1, 1, 2, 3}, {4, 1, 1, -1, 4}, {4, NAN, 1, 2, 4}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(hyla_reservation_bounds(&bad[i], .1, &d), HYLA_ARGUMENT);
  assert_int_equal(hyla_reservation_bounds(&good, .7, &d), HYLA_OK);
  assert_true(isinf(d.wait[0]) && isinf(d.delay[1]));
}

/* ------------------------------------------------------------- lengths -- */

/* The steps of the library's schedule for the first nodes, or for nodes apart. */
static int steps(int dims, const char *variant, int active, bool apart) {
  enum { MOST = 1 << 5 };
  uint8_t set[MOST] = {0};
  for (int i = 0; i < active; i++) set[apart ? (1 << dims) - 1 - i : i] = 1;
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PARTIAL, variant);
  const struct hy_collective task = {
      .task = HY_TASK_PARTIAL, .dims = dims, .active = set, .blocks = {.words = dims}};
  struct hy_schedule schedule;
  hyla_cube cube = {0};
  assert_int_equal(hy_collective_schedule(&cube, row, &task, 0, &schedule), HYLA_OK);
  const int found = schedule.steps;
  hy_schedule_free(&schedule);
  return found;
}

static void lengths_are_those_of_the_schedules(void **state) {
  (void)state;
  for (int dims = 1; dims <= 5; dims++)
    for (int active = 1; active <= 1 << dims; active++)
      for (int whole = 0; whole < 2; whole++) {
        const struct hy_broadcasts cube = {
            .axes = dims, .side = 2, .ways = 1, .whole = whole, .prefix = 0};
        const double length = hy_broadcasts_length(&cube, active) * (whole ? 1 : dims);
        harness_note("d = %d, M = %d, whole %d", dims, active, whole);
        for (int apart = 0; apart < 2; apart++)
          assert_true(fabs(length - steps(dims, whole ? "v92-3" : "v92-2", active, apart)) < 1e-9);
      }
}

/* On arrays and tori, for drawn sets of each number of nodes. */
static void lengths_on_meshes_are_those_of_the_schedules(void **state) {
  (void)state;
  static const char *const names[] = {"array:5x5", "torus:5x5", "array:3x3x3", "torus:3x3x3",
                                      "torus:4x4", "array:4x4", "ring:9",      "line:6"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct hy_network network;
    assert_null(hy_network_read(&network, names[i]));
    for (uint32_t active = 1; active <= network.nodes; active++)
      for (int whole = 0; whole < 2; whole++) {
        const struct hy_broadcasts b = {.axes = network.axes,
                                        .side = network.side[0],
                                        .ways = network.kind == HY_TORUS ? 2 : 1,
                                        .whole = whole};
        uint8_t set[64] = {0};
        for (uint32_t n = active; n > 0;) {
          uint8_t *drawn = &set[harness_draw(0, network.nodes - 1)];
          n -= *drawn == 0;
          *drawn = 1;
        }
        const struct hy_collective task = {.task = HY_TASK_PARTIAL,
                                           .dims = network.axes,
                                           .network = &network,
                                           .active = set,
                                           .blocks = {.words = 2 * network.axes}};
        const struct hy_collective_variant *row = whole ? &hy_partial_whole : &hy_partial_split;
        const struct hy_form form = hy_variant_form(row, &task);
        harness_note("%s, M = %u, whole %d", names[i], active, whole);
        assert_true(fabs(hy_broadcasts_length(&b, active) -
                         (double)form.words.num / (double)form.words.den) < 1e-9);
      }
  }
}

/* Lengths on meshes are the known figures, and none is beyond the papers' bound. */
static void lengths_of_meshes_are_known_and_within_the_bound(void **state) {
  (void)state;
  static const struct {
    struct hy_broadcasts network;
    int active;
    double split, whole;
  } known[] = {{TORUS(5, 2, 0), 13, 8, 14}, {ARRAY(5, 2, 0), 13, 12, 20},
               {TORUS(8, 2, 0), 20, 14, 0}, {ARRAY(8, 2, 0), 20, 0, 35},
               {TORUS(4, 3, 0), 30, 0, 19}, {ARRAY(4, 3, 0), 64, 21, 36},
               {TORUS(7, 2, 0), 49, 0, 27}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    for (int whole = 0; whole < 2; whole++) {
      struct hy_broadcasts b = known[i].network;
      b.whole = whole;
      const double right = whole ? known[i].whole : known[i].split;
      harness_note("mesh %zu, whole %d", i, whole);
      if (right > 0) assert_true(fabs(hy_broadcasts_length(&b, known[i].active) - right) < 1e-9);
      b.prefix = .3;
      const hyla_reservations r = hy_broadcasts_bound(&b);
      for (int64_t active = 0; active <= r.users; active++)
        assert_true(hy_broadcasts_length(&b, active) <=
                    r.reservation + (double)active * r.service + 1e-9);
    }
}

/* -------------------------------------------------------------- played -- */

static double exactly(const void *arg, int64_t active) { return hy_broadcasts_length(arg, active); }

static struct hy_periods_found play(const hyla_reservations *r, double load, double slots,
                                    const struct hy_broadcasts *exact) {
  struct hy_base base = {0};
  struct hy_periods_found found;
  const struct hy_periods periods = {.users = r->users,
                                     .rate = load / ((double)r->users * r->service),
                                     .length = exact != NULL ? exactly : NULL,
                                     .arg = exact,
                                     .intervals = r,
                                     .slots = slots,
                                     .seed = (uint64_t)harness_draw(1, 1000000)};
  assert_int_equal(hy_periods_play(&base, &periods, &found), HYLA_OK);
  assert_int_equal(base.bytes_now, 0);
  return found;
}

/* Half an interval is two standard errors; four are allowed. */
static void assert_about(const struct hy_estimate *counted, double formula, double beside) {
  harness_note("counted %g +- %g, formula %g", counted->mean, counted->half, formula);
  assert_true(fabs(counted->mean - formula) <= beside * formula + 2 * counted->half);
}

static void delays_are_between_the_bounds(void **state) {
  (void)state;
  for (int i = 0; i < ROW_COUNT; i++) {
    const struct row *row = &ROWS[i];
    const hyla_reservations r = hy_broadcasts_bound(&row->network);
    hyla_reservation_delays d;
    assert_int_equal(hyla_reservation_bounds(&r, row->load, &d), HYLA_OK);
    /* Near the limit, packets that were too many in one part of the time still wait in the next. */
    const double slots = row->load > .9 * row->limit ? 1e6 : 6e4;
    const struct hy_periods_found found = play(&r, row->load, slots, NULL);
    harness_note("row %d: %g +- %g in %g, %g", i, found.delay.mean, found.delay.half, d.delay[0],
                 d.delay[1]);
    assert_about(&found.packets, d.packets, 0);
    assert_true(found.delay.mean >= .98 * fmin(d.delay[0], d.delay[1]) - 1.5 * found.delay.half);
    assert_true(found.delay.mean <= 1.02 * fmax(d.delay[0], d.delay[1]) + 1.5 * found.delay.half);
    const double later =
        fmin((double)(r.users - 1) / 2 * r.service, row->load * found.wait.mean + found.delay.half);
    assert_true(found.delay.mean <= found.wait.mean + r.service + later);
    const double share = hy_reservation_share(&r, found.packets.mean, found.square);
    assert_about(&found.delay, hy_reservation_delay(&r, row->load, share), .005);
    const struct hy_periods_found sooner = play(&r, row->load, slots, &row->network);
    assert_true(sooner.delay.mean < found.delay.mean - 2 * found.delay.half);
  }
}

/* One user: the formula is exact, for any moments. */
static void one_user_waits_as_the_formula_says(void **state) {
  (void)state;
  const hyla_reservations cases[] = {
      {1, 1, 1, 2, 4}, {1, 1, 3, 2, 4}, {1, 1, 1, 2, 9}, {1, .5, 1, .25, .5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hyla_reservations *r = &cases[i];
    hyla_reservation_delays d;
    assert_int_equal(hyla_reservation_bounds(r, .25, &d), HYLA_OK);
    assert_true(d.wait[0] == d.wait[1]);
    const struct hy_periods_found found = play(r, .25, 1e5, NULL);
    assert_about(&found.wait, d.wait[0], 0);
  }
}

/* Beyond the limit each period is full, and packets wait without end. */
static void beyond_the_limit_periods_are_full(void **state) {
  (void)state;
  const struct hy_broadcasts torus = TORUS(4, 2, .1);
  const hyla_reservations r = hy_broadcasts_bound(&torus);
  hyla_reservation_delays bounds;
  assert_int_equal(hyla_reservation_bounds(&r, 1, &bounds), HYLA_OK);
  const double full = bounds.limit * 1.2;
  const struct hy_periods_found some = play(&r, full, 1e4, NULL), more = play(&r, full, 1e5, NULL);
  assert_true(near(more.packets.mean, (double)r.users, .005));
  assert_true(more.delay.mean > 5 * some.delay.mean);
}

static void a_seed_gives_the_same_bits(void **state) {
  (void)state;
  struct hy_base base = {0};
  const struct hy_broadcasts torus = TORUS(4, 2, 0);
  const hyla_reservations r = {16, .1, .2, 3, 10};
  struct hy_periods_found found[3];
  for (int exact = 0; exact < 2; exact++) {
    for (int i = 0; i < 3; i++) {
      const struct hy_periods periods = {.users = 16,
                                         .rate = .1,
                                         .length = exact != 0 ? exactly : NULL,
                                         .arg = &torus,
                                         .intervals = &r,
                                         .slots = 1e4,
                                         .seed = i == 2 ? 8 : 7};
      memset(&found[i], 0, sizeof found[i]);
      assert_int_equal(hy_periods_play(&base, &periods, &found[i]), HYLA_OK);
    }
    assert_memory_equal(&found[0], &found[1], sizeof found[0]);
    assert_true(found[0].delay.mean != found[2].delay.mean);
  }
}

/* ------------------------------------------------------------ the call -- */

static hyla_traffic_result simulate(const char *network, double prefix, double load) {
  const hyla_traffic traffic = {.scheme = "broadcasts",
                                .dims = 4,
                                .access = 1,
                                .slots = 100000,
                                .seed = 5,
                                .network = network,
                                .load = load,
                                .prefix = prefix};
  hyla_traffic_result r;
  if (hyla_simulate_traffic(&traffic, &r) != HYLA_OK) fail_msg("%s", r.message);
  return r;
}

static void the_call_lays_formulas_beside(void **state) {
  (void)state;
  static const struct {
    const char *network;
    double prefix, limit, light;
  } cases[] = {{"torus:8x8", .1, .5422, 20.2},
               {"array:7x7", .2, .5882, 25.69},
               {"torus:4x4x4", .1, .625, 9.61},
               {"cube:7", .25, .7674, 8.39},
               {NULL, .1, .5725, 4.43},
               {"ring:9", 0, .25, 18.44},
               {"torus:2x2x2x2", .1, .5725, 4.43},
               {"line:5", .5, .25, 18.8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double load = cases[i].limit * .6;
    const hyla_traffic_result r = simulate(cases[i].network, cases[i].prefix, load);
    harness_note("%s: %g +- %g in %g, %g, formula %g", cases[i].network, r.delay, r.delay_interval,
                 r.bounds.delay[0], r.bounds.delay[1], r.formula_delay);
    assert_true(near(r.bounds.limit, cases[i].limit, 1e-3));
    assert_true(near(r.light_delay, cases[i].light, 1e-3));
    assert_true(r.exact_limit > r.bounds.limit);
    assert_true(fabs(r.difference) * r.delay <= .005 * r.delay + 2 * r.delay_interval);
    assert_true(near(r.throughput, r.formula_throughput, .02));
    assert_true(near(r.packets, r.bounds.packets, .02));
    assert_true(r.exact_delay + r.exact_interval < r.delay - r.delay_interval);
  }
  /* 64 packets take 7 (9 / 2) / 2 + 1.4 slots exactly, 15.75 of these being the packets' time. */
  const hyla_traffic_result beyond = simulate("torus:8x8", .1, .6);
  assert_true(near(beyond.exact_limit, 15.75 / 17.15, 1e-9));
  assert_true(beyond.exact_delay < 200);
  assert_true(isnan(beyond.formula_delay) && isnan(beyond.difference));
  assert_true(isinf(beyond.bounds.delay[0]) && beyond.delay > 1000);
}

static void what_does_not_serve_is_refused_with_a_reason(void **state) {
  (void)state;
  static const struct {
    const char *network;
    double load, prefix;
    const char *says;
  } cases[] = {{NULL, 0, 0, "load"},
               {NULL, NAN, 0, "load"},
               {NULL, .3, -1, "prefix"},
               {"torus:4x6", .3, 0, "not equal"},
               {"folded:4", .3, 0, "takes a cube"},
               {"torus:4x", .3, 0, "torus"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hyla_traffic traffic = {.scheme = "broadcasts",
                                  .dims = 4,
                                  .access = 1,
                                  .slots = 1000,
                                  .network = cases[i].network,
                                  .load = cases[i].load,
                                  .prefix = cases[i].prefix};
    hyla_traffic_result r;
    assert_int_equal(hyla_simulate_traffic(&traffic, &r), HYLA_ARGUMENT);
    harness_note("%s", r.message);
    assert_non_null(strstr(r.message, cases[i].says));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_give_the_known_values),
      cmocka_unit_test(light_loads_wait_for_one_and_a_half),
      cmocka_unit_test(shares_are_between_those_of_all_distributions),
      cmocka_unit_test(what_is_no_channel_is_refused),
      cmocka_unit_test(lengths_are_those_of_the_schedules),
      cmocka_unit_test(lengths_on_meshes_are_those_of_the_schedules),
      cmocka_unit_test(lengths_of_meshes_are_known_and_within_the_bound),
      cmocka_unit_test(delays_are_between_the_bounds),
      cmocka_unit_test(one_user_waits_as_the_formula_says),
      cmocka_unit_test(beyond_the_limit_periods_are_full),
      cmocka_unit_test(a_seed_gives_the_same_bits),
      cmocka_unit_test(the_call_lays_formulas_beside),
      cmocka_unit_test(what_does_not_serve_is_refused_with_a_reason),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
