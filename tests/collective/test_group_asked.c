/* Asking for the variants of the collectives, by option and environment; the variants of messages
 * that are not planned. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
#include "collective/variant.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

static hyla_status nothing(hyla_cube *cube, void *arg) {
  (void)cube;
  (void)arg;
  return HYLA_OK;
}

static void unknown_names_are_refused_with_those_there_are(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"brodcast=sw90-3a", "broadcast"},
      {"broadcast=sw90-9", "sw90-3a"},
      {"allgather=b91,broadcast", "OPERATION=VARIANT"},
      {"broadcast=", "OPERATION=VARIANT"},
      {"reduce=doubling,=", "OPERATION=VARIANT"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hyla_options options;
    hyla_cube *cube = NULL;
    hyla_report report;
    hyla_options_init(&options);
    options.collective = bad[i][0];
    harness_note("%s", bad[i][0]);
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), bad[i][1]));
    assert_int_equal(hyla_cube_barrier(cube), HYLA_BROKEN);
    assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
    hyla_simulation model = {.dims = 1, .options = &options};
    assert_int_equal(hyla_simulate(&model, nothing, NULL, &report), HYLA_ARGUMENT);
    assert_non_null(strstr(report.message, bad[i][1]));
  }
}

static void the_environment_asks_too(void **state) {
  (void)state;
  hyla_cube *cube = NULL;
  struct hy_subcube_op group;
  setenv("HYLA_COLLECTIVE", "allgather=b91,broadcast=sw90-3a", 1);
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  unsetenv("HYLA_COLLECTIVE");
  uint32_t all = (uint32_t)cube->nodes - 1;
  assert_int_equal(hy_subcube_make(cube, all, HY_TASK_BROADCAST, 9, 8, &group), HYLA_OK);
  assert_ptr_equal(group.variant, &hy_broadcast_sw90_3a);
  char text[512] = "";
  struct hy_text out = {.text = text, .capacity = sizeof text};
  hy_subcube_explain(&group, "panels", &out);
  if (cube->nodes > 1) {
    assert_non_null(strstr(text, "panels: broadcast"));
    assert_non_null(strstr(text, "sw90-3a, because it was asked for"));
  }
  hy_subcube_free(&group);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
}

/* A message that is not planned takes no memory if no variant is asked for. */
static void messages_that_are_not_planned(void **state) {
  (void)state;
  static const char *const asked[] = {"", "broadcast=doubling", "broadcast=sw90-4"};
  for (int i = 0; i < 3; i++) {
    hyla_options options;
    hyla_cube *cube = NULL;
    struct hy_subcube_op group;
    double data[7] = {0};
    hyla_options_init(&options);
    options.collective = asked[i];
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
    int64_t allocations = cube->base.allocations;
    uint32_t all = (uint32_t)cube->nodes - 1;
    assert_int_equal(hy_subcube_once(cube, all, HY_TASK_BROADCAST, 7, 8, NULL, &group), HYLA_OK);
    if (i < 2) assert_int_equal(cube->base.allocations, allocations);
    for (int j = 0; j < 7 && cube->address == cube->nodes - 1; j++) data[j] = j + 1;
    assert_int_equal(hy_subcube_broadcast(&group, cube->nodes - 1, data, 7), HYLA_OK);
    for (int j = 0; j < 7 && cube->address >= 0; j++) assert_true(data[j] == j + 1);
    hy_subcube_free(&group);
    assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_names_are_refused_with_those_there_are),
      cmocka_unit_test(the_environment_asks_too),
      cmocka_unit_test(messages_that_are_not_planned),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
