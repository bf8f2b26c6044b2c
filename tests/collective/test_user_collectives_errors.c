/* Collectives on users' buffers: refusals, on one rank or on all, and their messages. */
// ranks: 1 2 4 6 8
// sample: 1 4 6
#include "cube/cube.h"
#include "hyla_collective.h"
#include "tests/harness/harness.h"

#include <string.h>

enum { MEMBERS = 16, ROOM = MEMBERS * 3 * sizeof(double) };

static hyla_cube *cube;
static _Alignas(16) unsigned char given[ROOM], got[ROOM];

static int set_up(void **state) {
  (void)state;
  return hyla_cube_create(MPI_COMM_WORLD, NULL, &cube) != HYLA_OK;
}

static int tear_down(void **state) {
  (void)state;
  return hyla_cube_destroy(&cube) != HYLA_OK;
}

static void refused(hyla_status status, hyla_status wanted, const char *word) {
  assert_int_equal(status, wanted);
  assert_non_null(strstr(hyla_cube_message(cube), word));
}

static void bad_arguments(void **state) {
  (void)state;
  if (harness_ranks() == 6) skip();
  hyla_plan *plan = NULL;
  const hyla_message m = {.count = 3, .size = 8};
  hyla_message bad = m;
  assert_int_equal(hyla_broadcast_plan(NULL, &m, 0, &plan), HYLA_ARGUMENT);
  refused(hyla_broadcast_plan(cube, NULL, 0, &plan), HYLA_ARGUMENT, "message is NULL");
  refused(hyla_broadcast_plan(cube, &m, cube->nodes, &plan), HYLA_ARGUMENT, "root");
  bad.size = 0;
  refused(hyla_allgather_plan(cube, &bad, &plan), HYLA_ARGUMENT, "0 bytes");
  bad = m; /* and on one rank alone */
  bad.count = cube->address == 0 ? -1 : 3;
  refused(hyla_allgather_plan(cube, &bad, &plan), HYLA_ARGUMENT, "-1 elements");
  bad = m;
  bad.apart = (uint32_t)cube->nodes;
  refused(hyla_allgather_plan(cube, &bad, &plan), HYLA_ARGUMENT, "apart");
  bad = m;
  bad.variant = "no-such";
  refused(hyla_gather_plan(cube, &bad, 0, &plan), HYLA_ARGUMENT, "no-such");
  refused(hyla_allreduce_plan(cube, &m, NULL, &plan), HYLA_ARGUMENT, "reduction");
  hyla_reduction how = {.number = HYLA_NUMBER_COMPLEX, .by = HYLA_COMBINE_MAX};
  refused(hyla_allreduce_plan(cube, &m, &how, &plan), HYLA_ARGUMENT, "combination");
  how = (hyla_reduction){.number = HYLA_NUMBER_INT32};
  refused(hyla_allreduce_plan(cube, &m, &how, &plan), HYLA_ARGUMENT, "int32");
  int64_t counts[MEMBERS] = {0};
  bad = m;
  bad.counts = counts;
  refused(hyla_broadcast_plan(cube, &bad, 0, &plan), HYLA_ARGUMENT, "give NULL");
  refused(hyla_exchange_plan(cube, &bad, NULL, 0, &plan), HYLA_ARGUMENT, "give NULL");
  counts[cube->nodes - 1] = cube->address == 0 ? -3 : 3;
  refused(hyla_gather_plan(cube, &bad, 0, &plan), HYLA_ARGUMENT, "a block of -3 elements");
  counts[cube->nodes - 1] = INT64_MAX / 16;
  refused(hyla_gather_plan(cube, &bad, 0, &plan), HYLA_ARGUMENT, "of all together up to");
  counts[cube->nodes - 1] = cube->address == 0 ? 3 : 4;
  if (cube->nodes > 1)
    refused(hyla_allgather_plan(cube, &bad, &plan), HYLA_MISMATCH, "hyla_allgather_plan");
  int before, all;
  assert_int_equal(hyla_active_ranks(NULL, 0, true, &before, &all), HYLA_ARGUMENT);
  refused(hyla_active_ranks(cube, 0, true, NULL, &all), HYLA_ARGUMENT, "before is NULL");
  refused(hyla_active_ranks(cube, bad.apart, true, &before, cube->address == 0 ? NULL : &all),
          HYLA_ARGUMENT, "all is NULL");
  refused(hyla_active_ranks(cube, (uint32_t)cube->nodes, true, &before, &all), HYLA_ARGUMENT,
          "apart");
  refused(hyla_exchange_near_plan(cube, &m, 2, 1, &plan), HYLA_ARGUMENT, "distances");
  refused(hyla_exchange_tags_plan(cube, &m, NULL, &plan), HYLA_ARGUMENT, "tags is NULL");
  refused(hyla_exchange_band_plan(cube, &m, cube->dims + 1, &plan), HYLA_ARGUMENT, "b is");
  refused(hyla_permute_plan(cube, &m, NULL, &plan), HYLA_ARGUMENT, "to is NULL");
  int to[MEMBERS] = {0}, many[] = {21};
  to[0] = -2;
  refused(hyla_permute_plan(cube, &m, to, &plan), HYLA_ARGUMENT, "-2");
  refused(hyla_exchange_plan(cube, &m, many, 1, &plan), HYLA_ARGUMENT, "phases");
  assert_null(plan);
  if (cube->nodes == 1) return;
  to[0] = 0;
  refused(hyla_permute_plan(cube, &m, to, &plan), HYLA_ARGUMENT, "twice");
  bad = m;
  bad.count = cube->address;
  refused(hyla_exchange_plan(cube, &bad, NULL, 0, &plan), HYLA_MISMATCH, "differ");
}

static void bad_buffers(void **state) {
  (void)state;
  if (harness_ranks() == 6) skip();
  hyla_plan *plan = NULL;
  const hyla_message m = {.count = 3, .size = 8};
  const hyla_reduction how = {.number = HYLA_NUMBER_DOUBLE};
  refused(hyla_plan_run_on(cube, NULL, given, got), HYLA_ARGUMENT, "plan is NULL");
  assert_int_equal(hyla_allreduce_plan(cube, &m, &how, &plan), HYLA_OK);
  refused(hyla_plan_run(cube, plan), HYLA_ARGUMENT, "hyla_plan_run_on");
  refused(hyla_plan_run_on(cube, plan, cube->address == 0 ? NULL : given, got), HYLA_ARGUMENT,
          "send is NULL");
  refused(hyla_plan_run_on(cube, plan, given, NULL), HYLA_ARGUMENT, "receive is NULL");
  refused(hyla_plan_run_on(cube, plan, given, given + 8), HYLA_ARGUMENT, "overlap");
  refused(hyla_plan_run_on(cube, plan, given, MPI_IN_PLACE), HYLA_ARGUMENT, "MPI_IN_PLACE");
  assert_int_equal(hyla_plan_destroy(&plan), HYLA_OK);
  if (cube->nodes == 1) return; /* the root alone */
  assert_int_equal(hyla_reduce_plan(cube, &m, &how, 0, &plan), HYLA_OK);
  refused(hyla_plan_run_on(cube, plan, MPI_IN_PLACE, got), HYLA_ARGUMENT, "MPI_IN_PLACE");
  assert_int_equal(hyla_plan_run_on(cube, plan, given, cube->address == 0 ? got : NULL), HYLA_OK);
  assert_int_equal(hyla_plan_destroy(&plan), HYLA_OK);
}

/* On 2 x 3 nodes: collectives say what they need; ranks with a message are numbered among all,
 * along a row and along a column; a part of a side is no subarray. */
static void arrays(void **state) {
  (void)state;
  static const struct {
    uint32_t apart;
    int ranks, unit; /* this rank is number rank / unit mod ranks */
  } cases[] = {{0, 6, 1}, {4, 3, 1}, {3, 2, 3}};
  hyla_options options;
  hyla_options_init(&options);
  if (harness_ranks() != 6) skip();
  options.array = "2x3";
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  hyla_plan *plan = NULL;
  const hyla_message m = {.count = 3, .size = 8};
  refused(hyla_broadcast_plan(cube, &m, 0, &plan), HYLA_UNSUPPORTED,
          "needs a cube, whose sides are powers of two, not the array of 2 x 3 nodes");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int set = 0; set < 64; set += 1 + set / 3) {
      int before = -1, all = -1, wanted[] = {0, 0};
      const int me = harness_rank(), ranks = cases[i].ranks, unit = cases[i].unit;
      const int number = me / unit % ranks, start = me - number * unit;
      for (int x = 0; x < ranks; x++) {
        const bool active = (set >> (start + x * unit) & 1) != 0;
        wanted[0] += active && x < number;
        wanted[1] += active;
      }
      harness_note("apart %u, set %d", cases[i].apart, set);
      assert_int_equal(hyla_subcube_ranks(cube, cases[i].apart), ranks);
      assert_int_equal(hyla_subcube_rank(cube, cases[i].apart), number);
      assert_int_equal(hyla_active_ranks(cube, cases[i].apart, (set >> me & 1) != 0, &before, &all),
                       HYLA_OK);
      assert_int_equal(before, wanted[0]);
      assert_int_equal(all, wanted[1]);
    }
  int before, all;
  assert_int_equal(hyla_subcube_rank(cube, 1), -1);
  assert_int_equal(hyla_active_ranks(cube, 1, true, &before, &all), HYLA_ARGUMENT);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(bad_arguments, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_buffers, set_up, tear_down),
      cmocka_unit_test(arrays),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
