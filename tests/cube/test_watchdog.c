/* A silent rank: the others give up after the time limit, name the rank that they waited for, and
 * everything ends in good order. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "cube/link.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static hyla_cube *cube_make(double limit) {
  hyla_options options;
  hyla_options_init(&options);
  options.timeout = limit;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

static void sleep_for(double seconds) {
  struct timespec span = {.tv_sec = (time_t)seconds};
  span.tv_nsec = (long)((seconds - (double)span.tv_sec) * 1e9);
  nanosleep(&span, NULL);
}

/* The silent rank arrives after the others have given up, and learns of it. */
static void a_silent_rank_is_noticed(void **state) {
  (void)state;
  if (harness_ranks() == 1) return;
  hyla_cube *cube = cube_make(1);
  int silent = (int)harness_draw(0, harness_ranks() - 1);
  harness_note("rank %d sleeps", silent);
  if (harness_rank() == silent) sleep_for(1.6);
  assert_int_equal(hyla_cube_barrier(cube), HYLA_TIMEOUT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_cube_barrier, step "));
  assert_non_null(strstr(hyla_cube_message(cube), " waited 1 s for rank "));
  assert_int_equal(hyla_cube_barrier(cube), HYLA_BROKEN);
  assert_int_equal(hy_agree(cube, HYLA_TIMEOUT), HYLA_TIMEOUT);
  hyla_cube_destroy(&cube);
}

/* Large messages and loans are in flight to a node that never takes them. */
static void what_is_in_flight_is_given_up(void **state) {
  (void)state;
  if (harness_ranks() == 1) return;
  hyla_cube *cube = cube_make(0.5);
  enum { BYTES = 3 << 20 };
  struct hy_window *window = NULL;
  assert_int_equal(hy_window_create(cube, BYTES, &window), HYLA_OK);
  char *out = calloc(BYTES, 1), *in = calloc(BYTES, 1);
  int me = cube->address, peer = me ^ 1;
  if (me >= 0 && me % 2 == 0) {
    struct hy_message messages[] = {
        {.verb = HY_RECV, .peer = peer, .bytes = BYTES, .data = in},
        {.verb = HY_SEND, .peer = peer, .bytes = BYTES, .data = out},
        {.verb = HY_LEND, .peer = peer, .bytes = BYTES, .data = hy_window_data(window)},
        {.verb = HY_BORROW, .peer = peer, .bytes = BYTES, .data = in, .window = window},
    };
    messages[2].window = window;
    assert_int_equal(hy_link_start(cube, messages, 4), HYLA_OK);
    assert_int_equal(hy_link_wait(cube, messages + 1, 1), HYLA_TIMEOUT);
    assert_non_null(strstr(hyla_cube_message(cube), " to take 3145728 bytes"));
    assert_int_equal(hy_link_wait(cube, messages, 1), HYLA_BROKEN);
  }
  free(out);
  free(in);
  hy_window_destroy(cube, &window);
  harness_barrier();
  hyla_cube_destroy(&cube);
  /* A new cube is not disturbed by messages that the broken one left behind. */
  cube = cube_make(20);
  char byte = (char)harness_rank(), got = 0;
  if (cube->address >= 0) {
    assert_int_equal(hy_exchange(cube, peer, &byte, 1, &got, 1), HYLA_OK);
    assert_int_equal(got, peer);
  }
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  hyla_cube_destroy(&cube);
}

/* A message that was given up is read out of the sender's memory later, after that was freed. */
static void what_is_given_up_may_still_be_read(void **state) {
  (void)state;
  if (harness_ranks() == 1) return;
  hyla_cube *cube = cube_make(0.2);
  enum { BYTES = 3 << 20 };
  struct hy_window *window = NULL;
  char *block = NULL, *in = calloc(2, BYTES);
  assert_int_equal(hy_window_create(cube, BYTES, &window), HYLA_OK);
  assert_int_equal(hy_alloc(&cube->base, BYTES, 1, &block), HYLA_OK);
  const int me = cube->address, peer = me ^ 1;
  if (me >= 0 && me % 2 == 0) {
    struct hy_message messages[] = {
        {.verb = HY_SEND, .peer = peer, .bytes = BYTES, .data = hy_window_data(window)},
        {.verb = HY_SEND, .peer = peer, .bytes = BYTES, .data = block},
    };
    assert_int_equal(hy_link_start(cube, messages, 2), HYLA_OK);
    assert_int_equal(hy_link_wait(cube, messages, 2), HYLA_TIMEOUT);
  }
  hy_window_destroy(cube, &window);
  hy_free(&cube->base, &block);
  harness_barrier();
  if (me >= 0 && me % 2 == 1) {
    struct hy_message messages[] = {
        {.verb = HY_RECV, .peer = peer, .bytes = BYTES, .data = in},
        {.verb = HY_RECV, .peer = peer, .bytes = BYTES, .data = in + BYTES},
    };
    assert_int_equal(hy_link_start(cube, messages, 2), HYLA_OK);
    const hyla_status status = hy_link_wait(cube, messages, 2);
    assert_true(status == HYLA_OK || status == HYLA_TIMEOUT); /* the sender's alarm */
  }
  free(in);
  harness_barrier();
  hyla_cube_destroy(&cube);
}

/* One rank finds a fault in a message; no agreement is possible, but all learn of it although they
 * have no time limit. */
static void an_alarm_reaches_all(void **state) {
  (void)state;
  hyla_cube *cube = cube_make(0);
  int bad = (int)harness_draw(0, harness_ranks() - 1);
  harness_note("rank %d gives up", bad);
  if (harness_rank() == bad) {
    (void)hy_fail(&cube->base, HYLA_COMMUNICATION, "a cable is broken");
    hy_cube_break(cube, -1);
    assert_int_equal(hy_agree(cube, HYLA_COMMUNICATION), HYLA_COMMUNICATION);
  } else {
    assert_int_equal(hyla_cube_barrier(cube), HYLA_COMMUNICATION);
  }
  char words[64];
  snprintf(words, sizeof words, "a cable is broken (rank %d)", bad);
  assert_string_equal(hyla_cube_message(cube), words);
  assert_int_equal(hyla_cube_barrier(cube), HYLA_BROKEN);
  hyla_cube_destroy(&cube);
}

/* Not all ranks come to make the cube. */
static void a_cube_without_a_rank_is_given_up(void **state) {
  (void)state;
  if (harness_ranks() == 1) return;
  hyla_options options;
  hyla_options_init(&options);
  options.timeout = 0.5;
  hyla_cube *cube = NULL;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (harness_rank() != harness_ranks() - 1) {
    assert_int_equal(hyla_cube_create(comm, &options, &cube), HYLA_TIMEOUT);
    assert_non_null(strstr(hyla_cube_message(cube), "not all ranks came within 0.5 s"));
    assert_int_equal(hyla_cube_barrier(cube), HYLA_BROKEN);
    hyla_cube_destroy(&cube);
  }
  harness_barrier();
  MPI_Comm_free(&comm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_silent_rank_is_noticed),
      cmocka_unit_test(what_is_in_flight_is_given_up),
      cmocka_unit_test(what_is_given_up_may_still_be_read),
      cmocka_unit_test(an_alarm_reaches_all),
      cmocka_unit_test(a_cube_without_a_rank_is_given_up),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
