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
};
enum { COUNT = sizeof VECTORS / sizeof *VECTORS };

static void counts_are_as_other_programs_find(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    hyla_traffic traffic = VECTORS[i].traffic;
    traffic.slots = 6000;
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
                            .access = .5,
                            .load = .3,
                            .slots = 320,
                            .seed = 1};
    const hyla_traffic_result one = play(&traffic), again = play(&traffic);
    assert_memory_equal(&one, &again, sizeof one);
    traffic.seed = 2;
    const hyla_traffic_result other = play(&traffic);
    assert_true(one.throughput != other.throughput);
  }
}

/* Wrong parameters are refused, with a message that says what to give. */
static void wrong_parameters_are_refused(void **state) {
  (void)state;
  const hyla_traffic good = {.scheme = "simple", .dims = 4, .access = 1, .slots = 320};
  hyla_traffic bad[] = {good, good, good, good, good, good, good};
  static const char *const says[] = {"there is no scheme `simpel' (did you mean `simple'?)",
                                     "no scheme",
                                     "0 dimensions",
                                     "-2 buffers",
                                     "access is 0",
                                     "access is 1.5",
                                     "31 slots are too few"};
  enum { BAD = sizeof bad / sizeof *bad };
  bad[0].scheme = "simpel", bad[1].scheme = NULL, bad[2].dims = 0, bad[3].buffers = -2;
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
      cmocka_unit_test(wrong_parameters_are_refused),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
