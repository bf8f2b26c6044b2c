// ranks: 1 2 3 4
/* A program's own trace: written by a call and at the end of the cube, and refused with a status if
 * there is none or it cannot be written. */
#include "tests/harness/harness.h"

#include "hyla_collective.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 1 << 18 }; /* spans and messages of a rank */

static hyla_cube *make(const char *path) {
  hyla_cube *cube = NULL;
  hyla_options options;
  hyla_options_init(&options);
  options.trace = path;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

static void multiply(hyla_cube *cube) {
  hyla_matrix *a = NULL, *c = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 37, 37, NULL, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 37, 37, NULL, &c), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  assert_int_equal(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, a, a, 0, c), HYLA_OK);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
}

/* A name that all ranks have. */
static void name_file(char path[64]) {
  int id = (int)getpid();
  harness_broadcast(&id, 1, MPI_INT, 0);
  snprintf(path, 64, "trace-%d.json", id);
}

/* How often a text occurs in the file; -1: there is no file. */
static int count_in(const char *path, const char *text) {
  char line[1024];
  int found = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL) found += strstr(line, text) != NULL;
  fclose(file);
  return found;
}

static void written_by_a_call_and_at_the_end(void **state) {
  (void)state;
  char path[64];
  name_file(path);
  hyla_cube *cube = make(path);
  int nodes = hyla_cube_nodes(cube);
  multiply(cube);
  assert_int_equal(hyla_cube_write_trace(cube), HYLA_OK);
  int first = 0, names = 0;
  if (harness_rank() == 0) {
    names = count_in(path, "\"process_name\"");
    first = count_in(path, "\"call\":\"hyla_gemm\"");
    unlink(path);
  }
  harness_barrier();
  multiply(cube);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  int second = harness_rank() == 0 ? count_in(path, "\"call\":\"hyla_gemm\"") : 1;
  if (harness_rank() == 0) unlink(path);
  if (harness_rank() == 0) assert_int_equal(names, nodes);
  if (harness_rank() == 0) assert_true(first > 0 && second > first);
}

static void written_once(void **state) {
  (void)state;
  char path[64];
  name_file(path);
  hyla_cube *cube = make(path);
  multiply(cube);
  assert_int_equal(hyla_cube_write_trace(cube), HYLA_OK);
  if (harness_rank() == 0) unlink(path);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  if (harness_rank() == 0) assert_int_equal(access(path, F_OK), -1);
}

static void refused(void **state) {
  (void)state;
  assert_int_equal(hyla_cube_write_trace(NULL), HYLA_ARGUMENT);
  hyla_cube *cube = make(NULL);
  assert_int_equal(hyla_cube_write_trace(cube), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "HYLA_TRACE"));
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  cube = make("no-such-folder/trace.json");
  multiply(cube);
  assert_int_equal(hyla_cube_write_trace(cube), HYLA_FILE);
  assert_non_null(strstr(hyla_cube_message(cube), "no-such-folder/trace.json"));
  multiply(cube);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_FILE);
}

/* More small messages than a rank can keep. */
static void send_too_much(hyla_cube *cube) {
  hyla_message one = {.count = 1, .size = sizeof(double)};
  hyla_plan *plan = NULL;
  double mine = 1, both[2];
  assert_int_equal(hyla_allgather_plan(cube, &one, &plan), HYLA_OK);
  for (int i = 0; i < KEPT / 2 + 1000; i++)
    if (hyla_plan_run_on(cube, plan, &mine, both) != HYLA_OK) fail_msg("run %d", i);
  hyla_plan_destroy(&plan);
}

/* The kept messages go into the file, each arrow with both of its ends, and the file says how many
 * are missing; a rank takes no more memory for more messages. */
static void what_is_too_much_is_told(void **state) {
  (void)state;
  if (harness_ranks() != 2) return; /* the others would report the same, and take long */
  char path[64];
  name_file(path);
  hyla_cube *cube = make(path);
  send_too_much(cube);
  assert_int_equal(hyla_cube_write_trace(cube), HYLA_OK);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  if (harness_rank() != 0) return;
  int begun = count_in(path, "\"ph\":\"s\""), ended = count_in(path, "\"ph\":\"f\"");
  int spans = count_in(path, "\"ph\":\"X\"");
  assert_int_equal(count_in(path, "\"events_left_out\":0,"), 0);
  assert_int_equal(count_in(path, "\"events_left_out\":"), 1);
  assert_int_equal(begun, ended);
  assert_true(begun > KEPT / 8);
  assert_true(KEPT <= spans && spans <= 2 * KEPT);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_by_a_call_and_at_the_end),
      cmocka_unit_test(written_once),
      cmocka_unit_test(refused),
      cmocka_unit_test(what_is_too_much_is_told),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
