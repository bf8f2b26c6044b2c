/* Failures planted on purpose, for tests/harness/test_harness.sh: a program per argument. */
// ranks: 4
#include "harness.h"

#include "cube.h"
#include "cube/cube.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void synchronise(void) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  assert_int_equal(sum, harness_ranks());
}

static void passes(void **state) {
  (void)state;
  synchronise();
}

static void fails_on_first(void **state) {
  (void)state;
  harness_note("n = %d", 7);
  synchronise();
  assert_int_not_equal(harness_rank(), 0); /* planted: first */
}

static void fails_on_last_before_collective(void **state) {
  (void)state;
  assert_true(harness_rank() < harness_ranks() - 1); /* planted: last */
  synchronise();
}

static void fails_everywhere(void **state) {
  (void)state;
  assert_string_equal("this", "that"); /* planted: all */
}

static void crashes(void **state) {
  (void)state;
  if (harness_rank() == 1) raise(SIGSEGV);
  synchronise();
}

static void aborts(void **state) {
  (void)state;
  if (harness_rank() == 1) abort();
  synchronise();
}

static void leaves(void **state) {
  (void)state;
  if (harness_rank() == 2) exit(0);
  synchronise();
}

static void vanishes(void **state) {
  (void)state;
  if (harness_rank() == 2) _exit(0);
  synchronise();
}

static void hangs(void **state) {
  (void)state;
  while (harness_rank() == 3) pause();
}

static void writes_behind_a_block(void **state) {
  (void)state;
  struct hy_base base = {0};
  float *block = NULL;
  assert_int_equal(hy_alloc(&base, 16, sizeof *block, &block), HYLA_OK);
  if (harness_rank() == 1) block[16] = 0;
  hy_free(&base, &block);
  synchronise();
}

static void write_behind_a_window(bool private_memory) {
  hyla_cube *cube = cube_open(private_memory);
  struct hy_window *window = NULL;
  assert_int_equal(hy_window_create(cube, 1000, &window), HYLA_OK);
  if (harness_rank() == 1) ((char *)hy_window_data(window))[1000] = 0;
  hy_window_destroy(cube, &window);
  cube_close(&cube);
}

static void writes_behind_shared_memory(void **state) {
  (void)state;
  write_behind_a_window(false);
}

static void writes_behind_private_memory(void **state) {
  (void)state;
  write_behind_a_window(true);
}

/* Walks of 2 and of 3 ranks, together: every case once, and neither has but even numbers. */
static void halves_are_a_whole(void **state) {
  (void)state;
  enum { COUNT = 100 };
  int seen[COUNT] = {0}, even[2] = {0}, all[2] = {0};
  for (int part = 0; part < 6; part++) {
    int64_t index;
    setenv("HYLA_TEST_FULL", (const char *[]){"1/3", "2/3", "3/3"}[part % 3], 1);
    setenv("HYLA_TEST_HALF", part < 3 ? "0" : "1", 1);
    for (struct harness_walk walk = harness_walk(COUNT, 1); harness_next(&walk, &index);) {
      seen[index]++;
      all[part / 3]++;
      even[part / 3] += index % 2 == 0;
    }
  }
  for (int i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
  for (int half = 0; half < 2; half++) {
    assert_in_range(all[half], COUNT / 2 - 2, COUNT / 2 + 2);
    assert_in_range(even[half], all[half] / 2 - 2, all[half] / 2 + 2);
  }
  unsetenv("HYLA_TEST_FULL");
  unsetenv("HYLA_TEST_HALF");
}

static void says_its_half(void **state) {
  (void)state;
  const char *half = getenv("HYLA_TEST_HALF");
  if (harness_rank() == 0) printf("%d ranks have half `%s'\n", harness_ranks(), half);
}

static void skips(void **state) {
  (void)state;
  skip();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(passes),
      cmocka_unit_test(fails_on_first),
      cmocka_unit_test(fails_on_last_before_collective),
      cmocka_unit_test(fails_everywhere),
      cmocka_unit_test(crashes),
      cmocka_unit_test(aborts),
      cmocka_unit_test(leaves),
      cmocka_unit_test(vanishes),
      cmocka_unit_test(hangs),
      cmocka_unit_test(writes_behind_a_block),
      cmocka_unit_test(writes_behind_shared_memory),
      cmocka_unit_test(writes_behind_private_memory),
      cmocka_unit_test(halves_are_a_whole),
      cmocka_unit_test(says_its_half),
      cmocka_unit_test(skips),
  };
  struct CMUnitTest chosen[3] = {tests[0], tests[0], tests[0]};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    if (argc > 1 && strcmp(argv[1], tests[i].name) == 0) chosen[1] = tests[i];
  harness_on_a_cube();
  return harness_run(chosen, 3);
}
