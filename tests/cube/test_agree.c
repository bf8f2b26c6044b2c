/* Agreement: every rank gets the same status and the same message, whichever rank fails; also the
 * cube that this is based on. */
// ranks: 1 3 4 5 8
// sample: 1 3 8
#include "cube/cube.h"
#include "tests/harness/cube.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asserts that all ranks have rank 0's status and message. */
static void assert_common(hyla_status status, const char *message) {
  char common[HY_MESSAGE_MAX + 16];
  char mine[sizeof common];
  snprintf(mine, sizeof mine, "%d %s", (int)status, message);
  memcpy(common, mine, sizeof common);
  harness_broadcast(common, sizeof common, MPI_CHAR, 0);
  assert_string_equal(mine, common);
}

static void a_cube_knows_its_ranks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int dims = hyla_cube_dims(cube), nodes = hyla_cube_nodes(cube);
  if ((harness_ranks() & (harness_ranks() - 1)) == 0) assert_int_equal(nodes, 1 << dims);
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
  hyla_cube *cube = cube_open(false);
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

/* Words are compared as a whole, at any length, and the lowest rank whose words differ from rank
 * 0's reports it.  No rank is left waiting if one of them lacks its words, or its place for the
 * message. */
static void words_are_agreed_on_without_a_cube(void **state) {
  (void)state;
  enum { LONG = 5000 };
  char message[HY_MESSAGE_MAX], many[LONG + 1], expected[HY_MESSAGE_MAX];
  const int rank = harness_rank();
  strcpy(message, "untouched");
  assert_int_equal(hyla_words_agree(MPI_COMM_WORLD, NULL, "a b", message, sizeof message), HYLA_OK);
  assert_string_equal(message, "untouched");
  memset(many, 'x', LONG);
  many[LONG] = '\0';
  memcpy(many, "one two ", 8);
  for (int odd = 1; odd < harness_ranks(); odd++) {
    const bool other = rank == odd;
    harness_note("rank %d has other words", odd);
    hyla_status status =
        hyla_words_agree(MPI_COMM_WORLD, NULL, other ? "a c" : "a b", message, sizeof message);
    assert_int_equal(status, HYLA_ARGUMENT);
    snprintf(expected, sizeof expected,
             "started with `a c', but rank 0 with `a b'; give all ranks the same words (rank %d)",
             odd);
    assert_string_equal(message, expected);
    many[LONG - 1] = other ? 'y' : 'x';
    status = hyla_words_agree(MPI_COMM_WORLD, NULL, many, message, sizeof message);
    assert_int_equal(status, HYLA_ARGUMENT);
    assert_common(status, message);
    many[4] = other ? 'y' : 't';
    (void)hyla_words_agree(MPI_COMM_WORLD, NULL, many, message, sizeof message);
    assert_memory_equal(message, "started with `... ywo xxx", 25);
    assert_non_null(strstr(message, "rank 0 with `... two xxx"));
    many[4] = 't';
    char *place = other ? NULL : message;
    status = hyla_words_agree(MPI_COMM_WORLD, NULL, other ? NULL : "a", place, place ? 500 : 0);
    assert_int_equal(status, HYLA_ARGUMENT);
    snprintf(expected, sizeof expected, "hyla_words_agree: words is NULL (rank %d)", odd);
    if (!other) assert_string_equal(message, expected);
  }
  if (harness_ranks() > 2) {
    char own[16];
    snprintf(own, sizeof own, "word %d", rank);
    (void)hyla_words_agree(MPI_COMM_WORLD, NULL, own, message, sizeof message);
    assert_memory_equal(message, "started with `word 1', but rank 0 with `word 0'", 47);
  }
}

static void the_lowest_failing_rank_speaks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
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
    /* A second agreement changes nothing. */
    char before[HY_MESSAGE_MAX];
    memcpy(before, hyla_cube_message(cube), sizeof before);
    assert_int_equal(hy_agree(cube, status), status);
    assert_string_equal(hyla_cube_message(cube), before);
  }
  hyla_cube_destroy(&cube);
}

static void arguments_must_be_equal(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int odd = 0; odd < harness_ranks() && harness_ranks() > 1; odd++) {
    harness_note("rank %d differs", odd);
    int64_t argument = harness_rank() == odd ? 5 : 4;
    uint64_t fingerprint = hy_fingerprint(0, &argument, sizeof argument);
    hyla_status status = hy_enter(cube, HYLA_OK, fingerprint, "the call");
    assert_int_equal(status, HYLA_MISMATCH);
    assert_common(status, hyla_cube_message(cube));
    char rank[16];
    snprintf(rank, sizeof rank, "%d", odd);
    assert_non_null(strstr(hyla_cube_message(cube), rank));
    /* A verdict has precedence over a difference. */
    hyla_status mine = HYLA_OK;
    if (harness_rank() == odd) mine = hy_fail(&cube->base, HYLA_ARGUMENT, "no");
    assert_int_equal(hy_enter(cube, mine, fingerprint, "the call"), HYLA_ARGUMENT);
    assert_int_equal(hy_enter(cube, HYLA_OK, 4, harness_rank() == odd ? "this" : "that"),
                     HYLA_MISMATCH);
    assert_int_equal(harness_rank() == odd ? hy_agree(cube, HYLA_OK) : hyla_cube_barrier(cube),
                     HYLA_MISMATCH);
    assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  }
  hyla_cube_destroy(&cube);
}

static void fingerprints_tell_arguments_apart(void **state) {
  (void)state;
  int64_t low = 0, high = 1;
  uint64_t ab = hy_fingerprint(hy_fingerprint(0, &low, sizeof low), &high, sizeof high);
  uint64_t ba = hy_fingerprint(hy_fingerprint(0, &high, sizeof high), &low, sizeof low);
  uint64_t aa = hy_fingerprint(hy_fingerprint(0, &low, sizeof low), &low, sizeof low);
  assert_true(ab != ba && ab != aa && ba != aa);
  int64_t both[] = {low, high};
  assert_true(ab == hy_fingerprint(0, both, sizeof both));
  assert_true(hy_fingerprint(7, both, 0) == 7);
}

static void guests_are_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes(cube->nodes, sizes);
  for (int s = 0; s < count; s++) {
    int partner = harness_rank() % cube->nodes;
    int32_t *data = calloc((size_t)sizes[s] + 1, sizeof *data);
    for (int64_t i = 0; i < sizes[s]; i++)
      data[i] = cube->address >= 0 ? (int32_t)(100 * cube->address + i) : -1;
    int64_t bytes = (int64_t)sizeof *data * sizes[s];
    assert_int_equal(hy_tell_guests(cube, data, bytes), HYLA_OK);
    for (int64_t i = 0; i < sizes[s]; i++) assert_int_equal(data[i], 100 * partner + i);
    free(data);
  }
  hyla_cube_destroy(&cube);
}

/* Long messages are cut, but the rank stays. */
static void a_long_message_is_signed(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int bad = harness_ranks() - 1;
  hyla_status mine = HYLA_OK;
  if (harness_rank() == bad)
    mine = hy_fail(&cube->base, HYLA_FORMAT, "%0*d", HY_MESSAGE_MAX - 1, 7);
  assert_int_equal(hy_agree(cube, mine), HYLA_FORMAT);
  assert_common(HYLA_FORMAT, hyla_cube_message(cube));
  char signature[24] = "7";
  if (harness_ranks() > 1) snprintf(signature, sizeof signature, " (rank %d)", bad);
  size_t length = strlen(hyla_cube_message(cube));
  assert_int_equal(length, HY_MESSAGE_MAX - 1);
  assert_string_equal(hyla_cube_message(cube) + length - strlen(signature), signature);
  /* A verdict without a message gets the text of its status. */
  assert_int_equal(hy_agree(cube, HYLA_SINGULAR), HYLA_SINGULAR);
  assert_non_null(strstr(hyla_cube_message(cube), hyla_status_text(HYLA_SINGULAR)));
  hyla_cube_destroy(&cube);
}

static void without_a_cube_there_is_no_agreement(void **state) {
  (void)state;
  assert_int_equal(hy_enter(NULL, HYLA_OK, 0, "a call"), HYLA_ARGUMENT);
  assert_int_equal(hy_agree(NULL, HYLA_OK), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cube_knows_its_ranks),
      cmocka_unit_test(each_rank_may_fail),
      cmocka_unit_test(words_are_agreed_on_without_a_cube),
      cmocka_unit_test(the_lowest_failing_rank_speaks),
      cmocka_unit_test(arguments_must_be_equal),
      cmocka_unit_test(fingerprints_tell_arguments_apart),
      cmocka_unit_test(guests_are_told),
      cmocka_unit_test(a_long_message_is_signed),
      cmocka_unit_test(without_a_cube_there_is_no_agreement),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
