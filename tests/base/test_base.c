/* Layer 0: statuses, messages, memory, log, texts. */
#include "tests/harness/harness.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void statuses_have_their_own_names_and_texts(void **state) {
  (void)state;
  for (int i = 0; i < HYLA_STATUS_COUNT; i++) {
    const char *name = hyla_status_name((hyla_status)i);
    assert_memory_equal(name, "HYLA_", 5);
    assert_string_not_equal(hyla_status_text((hyla_status)i), "");
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(name, hyla_status_name((hyla_status)j));
      assert_string_not_equal(hyla_status_text((hyla_status)i), hyla_status_text((hyla_status)j));
    }
  }
  assert_string_equal(hyla_status_name(HYLA_SINGULAR), "HYLA_SINGULAR");
  assert_int_equal(HYLA_OK, 0);
  const int strange[] = {-1, HYLA_STATUS_COUNT, HYLA_STATUS_COUNT + 1, INT32_MAX};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    assert_string_equal(hyla_status_name((hyla_status)strange[i]), "unknown status");
    assert_string_equal(hyla_status_text((hyla_status)strange[i]), "unknown status");
  }
}

/* The version of the build (configure.ac), of the library and of the header. */
static void all_tell_one_version(void **state) {
  (void)state;
  int major = -1, minor = -1, patch = -1;
  char rest = 0;
  assert_string_equal(hyla_version(), HY_VERSION);
  assert_int_equal(sscanf(hyla_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3);
  assert_int_equal(major, HYLA_VERSION_MAJOR);
  assert_int_equal(minor, HYLA_VERSION_MINOR);
  assert_int_equal(patch, HYLA_VERSION_PATCH);
  assert_true(minor < 100 && patch < 100); /* otherwise a later version could have a lower number */
#if HYLA_VERSION < 100
  fail_msg("version %d is below the first one", HYLA_VERSION);
#endif
  assert_int_equal(HYLA_VERSION, 10000 * major + 100 * minor + patch);
}

static hyla_status checked(struct hy_base *base, int value) {
  CHECK(base, value < 10, SINGULAR, "value %d", value);
  return HYLA_OK;
}

static hyla_status tried(struct hy_base *base, int value, int *reached) {
  TRY(checked(base, value));
  (*reached)++;
  return HYLA_OK;
}

static void check_and_try_return_the_status(void **state) {
  (void)state;
  struct hy_base base = {0};
  int reached = 0;
  assert_int_equal(tried(&base, 9, &reached), HYLA_OK);
  assert_int_equal(base.status, HYLA_OK);
  assert_int_equal(tried(&base, 10, &reached), HYLA_SINGULAR);
  assert_int_equal(tried(NULL, 11, &reached), HYLA_SINGULAR);
  assert_int_equal(reached, 1);
  assert_int_equal(base.status, HYLA_SINGULAR);
  assert_string_equal(base.message, "value 10");
}

static void long_messages_are_cut(void **state) {
  (void)state;
  struct hy_base base = {0};
  char text[2 * HY_MESSAGE_MAX];
  for (size_t length = HY_MESSAGE_MAX - 2; length <= HY_MESSAGE_MAX + 1; length++) {
    memset(text, 'x', length);
    text[length] = '\0';
    assert_int_equal(hy_fail(&base, HYLA_FORMAT, "%s", text), HYLA_FORMAT);
    size_t expected = length < HY_MESSAGE_MAX ? length : HY_MESSAGE_MAX - 1;
    assert_int_equal(strlen(base.message), expected);
    assert_memory_equal(base.message, text, expected);
  }
}

/* A terminal must not obey bytes from a file. */
static void messages_have_no_control_characters(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"\x1b[2J\r\n\t\x07 \x7f", "?[2J???? ?"},
      {"caf\xc3\xa9 \xc2\xb5s \xe2\x82\xac \xff", "caf\xc3\xa9 \xc2\xb5s \xe2\x82\xac \xff"},
      {"\xc2\x9b"
       "2J \xc2",
       "??2J \xc2"}};
  struct hy_base base = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(hy_fail(&base, HYLA_FORMAT, "%s", texts[i][0]), HYLA_FORMAT);
    assert_string_equal(base.message, texts[i][1]);
  }
}

enum { BLOCKS = 40 };

/* Random allocations and releases, compared with the test's own books. */
static void memory_is_zeroed_aligned_and_accounted_for(void **state) {
  (void)state;
  struct hy_base base = {0};
  unsigned char *block[BLOCKS] = {NULL};
  int64_t size[BLOCKS] = {0}, now = 0, peak = 0, calls = 0;
  for (int step = 0; step < 2000; step++) {
    size_t i = (size_t)harness_draw(0, BLOCKS - 1);
    now -= size[i];
    size[i] = 0;
    hy_free(&base, &block[i]);
    assert_null(block[i]);
    assert_int_equal(base.bytes_now, now);
    int64_t count = harness_draw(0, 300), each = harness_draw(1, 16);
    assert_int_equal(hy_alloc(&base, count, (size_t)each, &block[i]), HYLA_OK);
    size[i] = count * each;
    assert_non_null(block[i]);
    assert_int_equal((uintptr_t)block[i] % 64, 0);
    for (int64_t k = 0; k < size[i]; k++) assert_int_equal(block[i][k], 0);
    memset(block[i], 0xff, (size_t)size[i]);
    now += size[i];
    peak = now > peak ? now : peak;
    calls++;
    assert_int_equal(base.bytes_now, now);
    assert_int_equal(base.bytes_peak, peak);
    assert_int_equal(base.allocations, calls);
  }
  for (int i = 0; i < BLOCKS; i++) hy_free(&base, &block[i]);
  assert_int_equal(base.bytes_now, 0);
  assert_int_equal(base.bytes_peak, peak);
  hy_free(&base, &block[0]);
}

static void impossible_sizes_are_out_of_memory(void **state) {
  (void)state;
  struct hy_base base = {0};
  const struct {
    int64_t count;
    size_t size;
  } bad[] = {{-1, 1},           {INT64_MIN, 8},        {INT64_MAX, 1},
             {INT64_MAX, 16},   {INT64_C(1) << 61, 8}, {INT64_C(1) << 32, (size_t)1 << 32},
             {2, SIZE_MAX / 2}, {1, SIZE_MAX - 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    harness_note("%lld x %zu", (long long)bad[i].count, bad[i].size);
    void *block = &base;
    assert_int_equal(hy_alloc(&base, bad[i].count, bad[i].size, &block), HYLA_MEMORY);
    assert_null(block);
    assert_int_equal(base.status, HYLA_MEMORY);
    assert_non_null(strstr(base.message, "out of memory"));
    assert_int_equal(base.bytes_now, 0);
  }
}

static void the_chosen_allocation_fails_alone(void **state) {
  (void)state;
  enum { N = 7 };
  for (int64_t fails = 0; fails <= N + 1; fails++) {
    struct hy_base base = {.fail_at = fails};
    double *block[N];
    for (int i = 0; i < N; i++) {
      hyla_status expected = i + 1 == fails ? HYLA_MEMORY : HYLA_OK;
      assert_int_equal(hy_alloc(&base, 3, sizeof(double), &block[i]), expected);
      assert_int_equal(block[i] == NULL, expected != HYLA_OK);
    }
    for (int i = 0; i < N; i++) hy_free(&base, &block[i]);
    assert_int_equal(base.bytes_now, 0);
  }
}

/* Part of a state, to be released before the blocks that the state owns. */
struct part {
  struct hy_release release;
  const int *owned; /* by the state */
  int *turns;
  int turn; /* in which it was released, from 1 on */
};

static void release(struct hy_release *self) {
  struct part *part = (struct part *)self;
  assert_int_equal(*part->owned, 42);
  part->turn = ++*part->turns;
}

enum { OWNED = 12 };

/* Blocks 1 ... 5 belong to block 0, the others to block 3. */
static hyla_status make_state(struct hy_base *base, int *block[OWNED], struct part part[2]) {
  TRY(hy_alloc(base, 1, sizeof(int), &block[0]));
  TRY(hy_alloc(base, 1, sizeof(int), &block[1]));
  hy_own(block[0], block[1]);
  *block[1] = 42;
  for (int i = 0; i < 2; i++) {
    part[i].release.release = release;
    part[i].owned = block[1];
    hy_on_free(block[0], &part[i].release);
  }
  for (int i = 2; i < OWNED; i++) {
    TRY(hy_alloc_for(base, block[i < 6 ? 0 : 3], i, sizeof(int), &block[i]));
    assert_int_equal((uintptr_t)block[i] % 64, 0);
  }
  return HYLA_OK;
}

static void a_block_frees_what_it_owns(void **state) {
  (void)state;
  for (int64_t fails = 0; fails <= OWNED + 1; fails++) {
    struct hy_base base = {.fail_at = fails};
    int *block[OWNED] = {NULL}, turns = 0;
    struct part part[2] = {{.turns = &turns}, {.turns = &turns}};
    hyla_status expected = fails >= 1 && fails <= OWNED ? HYLA_MEMORY : HYLA_OK;
    assert_int_equal(make_state(&base, block, part), expected);
    const int early[] = {8, 11, 6}; /* of the six of one owner: one between, the last, the first */
    for (int i = 0; i < 3 && expected == HYLA_OK; i++) {
      int64_t before = base.bytes_now;
      hy_free(&base, &block[early[i]]);
      assert_int_equal(base.bytes_now, before - early[i] * (int64_t)sizeof(int));
    }
    hy_free(&base, &block[0]);
    assert_null(block[0]);
    assert_int_equal(base.bytes_now, 0);
    assert_int_equal(turns, fails == 1 || fails == 2 ? 0 : 2);
    if (turns > 0) assert_true(part[1].turn == 1 && part[0].turn == 2); /* the latest first */
  }
}

/* Data of a dry simulation have no memory that could be owned. */
static void data_without_memory_are_not_owned(void **state) {
  (void)state;
  char place[1];
  struct hy_base base = {.no_data = place};
  double *owner = NULL, *data = NULL;
  assert_int_equal(hy_alloc(&base, 1, sizeof *owner, &owner), HYLA_OK);
  assert_int_equal(hy_alloc_data_for(&base, owner, 5, sizeof *data, &data), HYLA_OK);
  assert_ptr_equal(data, place);
  assert_int_equal(base.nowhere_used, 5 * (int64_t)sizeof *data);
  assert_int_equal(base.allocations, 1);
  hy_free(&base, &owner);
  assert_int_equal(base.bytes_now, 0);
}

static void texts_fit_and_tell_the_length(void **state) {
  (void)state;
  const char whole[] = "one 2 three, 4.";
  for (size_t capacity = 0; capacity < sizeof whole + 3; capacity++) {
    char buffer[sizeof whole + 4];
    memset(buffer, '#', sizeof buffer);
    struct hy_text text = {.text = buffer, .capacity = capacity};
    hy_text_add(&text, "one %d", 2);
    hy_text_add(&text, "%s", "");
    hy_text_add(&text, " three, %s", "4.");
    assert_int_equal(text.length, sizeof whole - 1);
    for (size_t i = capacity; i < sizeof buffer; i++) assert_int_equal(buffer[i], '#');
    if (capacity == 0) continue;
    size_t kept = capacity < sizeof whole ? capacity - 1 : sizeof whole - 1;
    assert_int_equal(strlen(buffer), kept);
    assert_memory_equal(buffer, whole, kept);
  }
  struct hy_text nowhere = {0};
  hy_text_add(&nowhere, "%d", 12345);
  assert_int_equal(nowhere.length, 5);
}

/* The text that the log writes to standard error at a level. */
static void logged(const struct hy_base *base, int level, char *text, size_t capacity) {
  FILE *file = tmpfile();
  assert_non_null(file);
  int screen = dup(STDERR_FILENO);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  hy_log(base, level, "step %d", 5);
  fflush(stderr);
  dup2(screen, STDERR_FILENO);
  close(screen);
  rewind(file);
  text[fread(text, 1, capacity - 1, file)] = '\0';
  fclose(file);
}

static void the_log_is_silent_until_asked(void **state) {
  (void)state;
  char text[100];
  for (int wanted = 0; wanted <= 2; wanted++) {
    for (int level = 1; level <= 2; level++) {
      struct hy_base base = {.rank = 3, .log_level = wanted};
      logged(&base, level, text, sizeof text);
      assert_string_equal(text, level <= wanted ? "hyla[3] step 5\n" : "");
    }
  }
  logged(NULL, 1, text, sizeof text);
  assert_string_equal(text, "");
}

static void small_arithmetic(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) {
    int64_t a = harness_draw(-50, 50), b = harness_draw(-50, 50);
    assert_int_equal(hy_min(a, b) + hy_max(a, b), a + b);
    assert_true(hy_min(a, b) <= hy_max(a, b));
    int64_t n = harness_draw(0, INT64_MAX), d = harness_draw(1, i < 500 ? 9 : INT64_MAX);
    harness_note("%lld / %lld", (long long)n, (long long)d);
    int64_t q = hy_ceil_div(n, d);
    /* (q - 1) d < n <= q d, written so that nothing overflows */
    assert_int_equal(q == 0, n == 0);
    if (n > 0) assert_true((n - 1) / d == q - 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statuses_have_their_own_names_and_texts),
      cmocka_unit_test(all_tell_one_version),
      cmocka_unit_test(check_and_try_return_the_status),
      cmocka_unit_test(long_messages_are_cut),
      cmocka_unit_test(messages_have_no_control_characters),
      cmocka_unit_test(memory_is_zeroed_aligned_and_accounted_for),
      cmocka_unit_test(impossible_sizes_are_out_of_memory),
      cmocka_unit_test(the_chosen_allocation_fails_alone),
      cmocka_unit_test(a_block_frees_what_it_owns),
      cmocka_unit_test(data_without_memory_are_not_owned),
      cmocka_unit_test(texts_fit_and_tell_the_length),
      cmocka_unit_test(the_log_is_silent_until_asked),
      cmocka_unit_test(small_arithmetic),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
