/* Stout and Wagar 1990, MATRIX TRANSPOSITION, with words that cannot be cut. */
#include "cases.h"

/* d = 10 and 1024 words, which 20 packets do not divide: 1671 for the paper's 1663.2, and no whole
 * packets take less.  Two packets of one path, one behind the other, cross 2k links, which carry
 * them in turn: (2k-1) times the longer, then both.  One of the k pairs has at least the average,
 * half the words / k, rounded up, and its longer packet at least half of that. */
static void whole_packets_take_no_less(void **state) {
  (void)state;
  enum { K = 5, START = 100, WORDS = 1024 };
  const struct hy_collective_variant *row = hy_variant_find(HY_TASK_PERMUTE, "transpose");
  struct hy_collective collective = {.task = HY_TASK_PERMUTE,
                                     .dims = 2 * K,
                                     .blocks = {.words = WORDS},
                                     .tau = 1,
                                     .beta = START,
                                     .to = to};
  const struct hy_paper_machine machine = {.tau = 1, .beta = START};
  const int64_t both = hy_ceil_div(WORDS, 2 * K), longer = hy_ceil_div(both, 2);
  draw(row, collective.dims);
  assert_int_equal((2 * K - 1) * (longer + START) + both + 2 * START, 1671);
  assert_int_equal(verify(row, &collective, &machine).makespan, 1671);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_packets_take_no_less),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
