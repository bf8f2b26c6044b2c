/* Agreement: every rank gets the same status and the same message, whichever
 * rank fails; and the cube that all this stands on. */
// ranks: 1 2 3 4 5 8
#include "comm/comm.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hyla_cube *cube_make(void) {
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  return cube;
}

/* All ranks have rank 0's status and message. */
static void assert_common(hyla_status status, const char *message) {
  char common[HY_MESSAGE_MAX + 16];
  char mine[sizeof common];
  snprintf(mine, sizeof mine, "%d %s", (int)status, message);
  memcpy(common, mine, sizeof common);
  MPI_Bcast(common, sizeof common, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(mine, common);
}

static void a_cube_knows_its_ranks(void **state) {
  (void)state;
  hyla_cube *cube = cube_make();
  int dims = hyla_cube_dims(cube), nodes = hyla_cube_nodes(cube);
  assert_int_equal(nodes, 1 << dims);
  assert_true(nodes <= harness_ranks() && harness_ranks() < 2 * nodes);
  assert_int_equal(hyla_cube_guests(cube), harness_ranks() - nodes);
  assert_int_equal(hyla_cube_address(cube), harness_rank() < nodes ? harness_rank() : -1);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  assert_null(cube);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  assert_int_equal(hyla_cube_destroy(NULL), HYLA_OK);
}

static void each_rank_may_fail(void **state) {
  (void)state;
  hyla_cube *cube = cube_make();
  for (int bad = 0; bad < harness_ranks(); bad++) {
    harness_note("rank %d fails", bad);
    hyla_status mine = HYLA_OK;
    if (harness_rank() == bad) mine = hy_fail(&cube->base, HYLA_FILE, "file %d is not there", bad);
    hyla_status status = hy_agree(cube, mine);
    assert_int_equal(status, HYLA_FILE);
    char expected[64];
    int length = snprintf(expected, sizeof expected, "file %d is not there", bad);
    bool all = hyla_cube_nodes(cube) == 1 && bad == 0; /* then no rank is named */
    if (!all) sprintf(expected + length, " (rank %d)", bad);
    assert_string_equal(hyla_cube_message(cube), expected);
    assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  }
  hyla_cube_destroy(&cube);
}

static void the_lowest_failing_rank_speaks(void **state) {
  (void)state;
  hyla_cube *cube = cube_make();
  for (int trial = 0; trial < 20; trial++) {
    int64_t failing = harness_draw(1, (1 << harness_ranks()) - 1);
    harness_note("failing set %llx", (long long)failing);
    hyla_status mine = HYLA_OK;
    if (failing >> harness_rank() & 1)
      mine = hy_fail(&cube->base, harness_rank() % 2 ? HYLA_MEMORY : HYLA_SINGULAR, "I am %d",
                     harness_rank());
    hyla_status status = hy_agree(cube, mine);
    int lowest = hy_lowest((uint32_t)failing);
    assert_int_equal(status, lowest % 2 ? HYLA_MEMORY : HYLA_SINGULAR);
    assert_common(status, hyla_cube_message(cube));
    /* Agreeing on it once more changes nothing. */
    char before[HY_MESSAGE_MAX];
    memcpy(before, hyla_cube_message(cube), sizeof before);
    assert_int_equal(hy_agree(cube, status), status);
    assert_string_equal(hyla_cube_message(cube), before);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cube_knows_its_ranks),
      cmocka_unit_test(each_rank_may_fail),
      cmocka_unit_test(the_lowest_failing_rank_speaks),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
