/* hyla_cube_max: every rank gets the nodes' largest values, and the call leaves the ledger
 * unchanged.  hyla_cube_tell: guests get what the nodes have. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "cube/cube.h"
#include "tests/harness/cube.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300 }; /* more than two batches */

static void every_rank_gets_the_largest(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int trial = 0; trial < 20; trial++) {
    int count = (int)harness_draw(0, MOST);
    harness_note("count = %d", count);
    int64_t mine[MOST] = {0}, largest[MOST] = {0};
    for (int i = 0; i < count; i++) {
      largest[i] = INT64_MIN;
      for (int node = 0; node < hyla_cube_nodes(cube); node++) {
        int64_t value = harness_draw(INT64_MIN / 2, INT64_MAX / 2);
        largest[i] = hy_max(largest[i], value);
        if (node == hyla_cube_address(cube)) mine[i] = value;
      }
      /* The values of a spare rank do not count. */
      if (hyla_cube_address(cube) < 0) mine[i] = INT64_MAX;
    }
    assert_int_equal(hyla_cube_max(cube, mine, count), HYLA_OK);
    assert_memory_equal(mine, largest, (size_t)count * sizeof *mine);
  }
  hyla_cube_destroy(&cube);
}

static void every_rank_gets_the_sum(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t values[MOST];
  double sums[MOST];
  int nodes = hyla_cube_nodes(cube), address = hyla_cube_address(cube);
  for (int i = 0; i < MOST; i++) values[i] = address >= 0 ? i - address : INT64_MAX;
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  assert_int_equal(hy_cube_max_sum(cube, values, sums, MOST), HYLA_OK);
  for (int i = 0; i < MOST; i++) {
    assert_int_equal(values[i], i);
    assert_true(sums[i] == nodes * i - nodes * (nodes - 1) / 2);
  }
  hyla_cube_destroy(&cube);
}

static void asking_is_not_counted(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_ledger before, after;
  int64_t value = harness_rank();
  int64_t in = 0;
  if (hyla_cube_address(cube) >= 0 && hyla_cube_dims(cube) > 0)
    assert_int_equal(
        hy_exchange(cube, hyla_cube_address(cube) ^ 1, &value, sizeof value, &in, sizeof in),
        HYLA_OK);
  assert_int_equal(hyla_cube_ledger(cube, &before), HYLA_OK);
  assert_int_equal(hyla_cube_max(cube, &value, 1), HYLA_OK);
  assert_int_equal(hyla_cube_ledger(cube, &after), HYLA_OK);
  assert_int_equal(value, hyla_cube_nodes(cube) - 1);
  assert_memory_equal(&before, &after, sizeof before);
  hyla_cube_destroy(&cube);
}

static void guests_are_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  enum { BYTES = 3 << 20 };
  char *data = malloc(BYTES);
  assert_non_null(data);
  for (int bytes = 0; bytes <= BYTES; bytes = 3 * bytes + 7) {
    bool knows = hyla_cube_address(cube) >= 0;
    for (int i = 0; i < bytes; i++) data[i] = knows ? (char)(7 * i) : 0;
    assert_int_equal(hyla_cube_tell(cube, data, bytes), HYLA_OK);
    for (int i = 0; i < bytes; i++)
      if (data[i] != (char)(7 * i)) fail_msg("byte %d of %d", i, bytes);
  }
  free(data);
  hyla_cube_destroy(&cube);
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t value = 0;
  int last = harness_ranks() - 1;
  bool bad = harness_rank() == last;
  assert_int_equal(hyla_cube_max(NULL, &value, 1), HYLA_ARGUMENT);
  assert_int_equal(hyla_cube_max(cube, &value, bad ? -1 : 1), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "count is -1"));
  assert_int_equal(hyla_cube_max(cube, bad ? NULL : &value, 1), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "NULL"));
  if (harness_ranks() > 1)
    assert_int_equal(hyla_cube_max(cube, &value, bad ? 0 : 1), HYLA_MISMATCH);
  assert_int_equal(hyla_cube_max(cube, NULL, 0), HYLA_OK);
  assert_int_equal(hyla_cube_tell(NULL, &value, 1), HYLA_ARGUMENT);
  assert_int_equal(hyla_cube_tell(cube, &value, bad ? -1 : 1), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "bytes is -1"));
  assert_int_equal(hyla_cube_tell(cube, bad ? NULL : &value, 1), HYLA_ARGUMENT);
  if (harness_ranks() > 1)
    assert_int_equal(hyla_cube_tell(cube, &value, bad ? 0 : 1), HYLA_MISMATCH);
  assert_int_equal(hyla_cube_tell(cube, NULL, 0), HYLA_OK);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rank_gets_the_largest),
      cmocka_unit_test(every_rank_gets_the_sum),
      cmocka_unit_test(asking_is_not_counted),
      cmocka_unit_test(guests_are_told),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
