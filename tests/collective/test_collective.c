/* The collectives of the door of comm, on ranks, over every subcube and from every root, compared
 * with the expected data and with MPI's own. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
#include "collective/collective.h"
#include "tests/harness/harness.h"
#include "tests/harness/verify.h"

#include <string.h>

/* One cube for all tests. */
static hyla_cube *cube;

static int set_up(void **state) {
  (void)state;
  return hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) != HYLA_OK;
}

static int tear_down(void **state) {
  (void)state;
  return hyla_cube_destroy(&cube) != HYLA_OK;
}

enum { WORDS = 40000 }; /* longer than the length from which all-reductions halve */
static double data[WORDS];
static double work[WORDS];
static double want[WORDS];

static double value(int address, int64_t word) { return (double)(address * 1000 + word % 997); }

static void fill(int64_t words) {
  for (int64_t i = 0; i < words; i++) data[i] = value(cube->address, i);
}

/* Members x of the subcube of this rank have addresses base | deposit(x). */
static int member(uint32_t dims, uint32_t x) {
  return (int)(((uint32_t)cube->address & ~dims) | hy_deposit(x, dims));
}

static int64_t length_of(int i) {
  static const int64_t lengths[] = {0, 1, 7, 8, 9, 1031};
  return lengths[i];
}
enum { LENGTHS = 6 };

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((double *)into)[i] += ((const double *)from)[i];
}

static void broadcast_reaches_every_member(void **state) {
  (void)state;
  for (uint32_t dims = 0; dims < (uint32_t)cube->nodes; dims++)
    for (int root = 0; root < cube->nodes; root++) {
      int64_t words = length_of((int)harness_draw(0, LENGTHS - 1));
      harness_note("dims %x, root %d, %lld words", dims, root, (long long)words);
      fill(words);
      assert_int_equal(hy_broadcast(cube, dims, root, data, words * 8), HYLA_OK);
      if (cube->address < 0) continue;
      int source = member(dims, hy_extract((uint32_t)root, dims));
      for (int64_t i = 0; i < words; i++) assert_true(data[i] == value(source, i));
    }
}

static void reductions_add_every_member_once(void **state) {
  (void)state;
  for (uint32_t dims = 0; dims < (uint32_t)cube->nodes; dims++)
    for (int i = 0; i <= LENGTHS; i++) {
      int64_t words = i < LENGTHS ? length_of(i) : WORDS - 1;
      int root = (int)harness_draw(0, cube->nodes - 1);
      harness_note("dims %x, root %d, %lld words", dims, root, (long long)words);
      memset(want, 0, sizeof want);
      for (uint32_t x = 0; cube->address >= 0 && x >> hy_popcount(dims) == 0; x++)
        for (int64_t j = 0; j < words; j++) want[j] += value(member(dims, x), j);
      fill(words);
      assert_int_equal(hy_allreduce(cube, dims, data, words, 8, add, NULL, work), HYLA_OK);
      if (cube->address >= 0) assert_memory_equal(data, want, (size_t)words * 8);
      fill(words);
      assert_int_equal(hy_reduce(cube, dims, root, data, words, 8, add, NULL, work), HYLA_OK);
      uint32_t away = (uint32_t)(root ^ cube->address) & dims;
      if (cube->address >= 0 && away == 0) assert_memory_equal(data, want, (size_t)words * 8);
    }
}

/* Sums of numbers that do not add exactly: the tree is the same for every root, length and method,
 * so the bits are the same. */
static void sums_have_the_same_bits_everywhere(void **state) {
  (void)state;
  uint32_t all = (uint32_t)cube->nodes - 1;
  for (int way = 0; way < 3; way++) {
    int64_t words = way == 0 ? 100 : WORDS;
    for (int64_t i = 0; i < words; i++) data[i] = 1.0 / (3 + (double)i + 7 * cube->address);
    if (way < 2)
      assert_int_equal(hy_allreduce(cube, all, data, words, 8, add, NULL, work), HYLA_OK);
    else
      assert_int_equal(hy_reduce(cube, all, 1, data, words, 8, add, NULL, work), HYLA_OK);
    if (way == 2) assert_int_equal(hy_broadcast(cube, all, 1, data, words * 8), HYLA_OK);
    if (cube->address < 0) continue;
    if (way == 0) memcpy(want, data, 100 * 8);
    assert_memory_equal(data, want, 100 * 8);
  }
}

/* The combination need not commute: strings of members are concatenated in order. */
struct word {
  char text[16];
};

static void join(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++)
    strcat(((struct word *)into)[i].text, ((const struct word *)from)[i].text);
}

static void combination_goes_in_member_order(void **state) {
  (void)state;
  uint32_t all = (uint32_t)cube->nodes - 1;
  for (int root = -1; root < cube->nodes; root++) {
    struct word mine = {{(char)('a' + cube->address), 0}};
    struct word room;
    if (root < 0)
      assert_int_equal(hy_allreduce(cube, all, &mine, 1, sizeof mine, join, NULL, &room), HYLA_OK);
    else
      assert_int_equal(hy_reduce(cube, all, root, &mine, 1, sizeof mine, join, NULL, &room),
                       HYLA_OK);
    if (cube->address < 0 || (root >= 0 && root != cube->address)) continue;
    char expected[16] = "abcdefgh";
    expected[cube->nodes] = 0;
    assert_string_equal(mine.text, expected);
  }
}

static void the_results_are_those_of_mpi(void **state) {
  (void)state;
  if (harness_ranks() != cube->nodes) return;
  uint32_t all = (uint32_t)cube->nodes - 1;
  fill(200);
  harness_allreduce(data, want, 200, MPI_DOUBLE, MPI_SUM);
  assert_int_equal(hy_allreduce(cube, all, data, 200, 8, add, NULL, work), HYLA_OK);
  assert_memory_equal(data, want, 200 * 8);
  fill(200);
  memcpy(want, data, sizeof want);
  harness_broadcast(want, 200, MPI_DOUBLE, cube->nodes - 1);
  assert_int_equal(hy_broadcast(cube, all, cube->nodes - 1, data, 200 * 8), HYLA_OK);
  assert_memory_equal(data, want, 200 * 8);
}

/* The ledger's counts are those of the schedule. */
static void the_ledger_agrees_with_the_schedule(void **state) {
  (void)state;
  if (cube->address < 0) return;
  uint32_t all = (uint32_t)cube->nodes - 1;
  struct hy_stack_schedule room;
  struct hy_schedule *schedule = hy_schedule_in(&room, &cube->base);
  struct hy_generator generator = {hy_doubling_broadcast, .dims = cube->dims};
  struct hy_blocks blocks = {.words = 50};
  struct hy_count count;
  hyla_ledger ledger;
  assert_int_equal(generator.make(&generator, (uint32_t)cube->address, schedule), HYLA_OK);
  hy_schedule_count(schedule, &blocks, &count);
  hyla_cube_ledger_clear(cube);
  int64_t allocations = cube->base.allocations;
  assert_int_equal(hy_broadcast(cube, all, 0, data, 50), HYLA_OK);
  assert_int_equal(cube->base.allocations, allocations);
  hyla_cube_ledger(cube, &ledger);
  for (int dim = 0; dim < cube->dims; dim++) {
    assert_int_equal(ledger.messages[dim], count.messages[dim]);
    assert_int_equal(ledger.bytes[dim], count.words[dim]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(broadcast_reaches_every_member, set_up, tear_down),
      cmocka_unit_test_setup_teardown(reductions_add_every_member_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(sums_have_the_same_bits_everywhere, set_up, tear_down),
      cmocka_unit_test_setup_teardown(combination_goes_in_member_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_results_are_those_of_mpi, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_ledger_agrees_with_the_schedule, set_up, tear_down),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
