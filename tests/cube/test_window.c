/* Windows: parts of any size, read by neighbours in place; and the cases in which memory cannot be
 * shared or runs out. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
#include "cube/cube.h"
#include "tests/harness/cube.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Does every node's description of the cube's memory contain these words? */
static bool described_as(const hyla_cube *cube, const char *words) {
  char text[2000];
  assert_true(hyla_cube_describe(cube, text, sizeof text) < sizeof text);
  const char *line = strstr(text, "memory: ");
  assert_non_null(line);
  int says = cube->address < 0 || strstr(line, words) != NULL, all = 0;
  harness_allreduce(&says, &all, 1, MPI_INT, MPI_MIN);
  return all != 0;
}

/* Every rank writes its part, then reads all parts that it may read in place.  Returns their
 * number. */
static int write_and_read(hyla_cube *cube, const struct hy_window *window, const int64_t *sizes) {
  int me = cube->address, readable = 0;
  unsigned char *mine = hy_window_data(window);
  for (int64_t i = 0; me >= 0 && i < sizes[me]; i++) {
    assert_int_equal(mine[i], 0);
    mine[i] = (unsigned char)(i * 7 + me);
  }
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  for (int peer = 0; peer < cube->nodes; peer++) {
    const unsigned char *part = hy_window_peer(window, peer);
    if (part == NULL) continue;
    readable++;
    for (int64_t i = 0; i < sizes[peer]; i++)
      if (part[i] != (unsigned char)(i * 7 + peer)) fail_msg("part %d differs", peer);
  }
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  return readable;
}

static void neighbours_read_in_place(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int64_t before = cube->base.bytes_now;
  int me = cube->address;
  for (int trial = 0; trial < 6; trial++) {
    int64_t sizes[8];
    /* All empty, small ones, and some around a huge page among them. */
    int64_t top = trial == 0 ? 0 : trial < 4 ? 5000 : (2 << 20) + 3;
    for (int i = 0; i < 8; i++) sizes[i] = harness_draw(0, 3) == 0 ? top : harness_draw(0, top);
    if (trial == 5) sizes[0] = top;
    harness_note("trial %d", trial);
    struct hy_window *window = NULL;
    assert_int_equal(hy_window_create(cube, me >= 0 ? sizes[me] : 0, &window), HYLA_OK);
    if (me >= 0) {
      uintptr_t place = (uintptr_t)hy_window_data(window);
      assert_true(place != 0 && place % 4096 == 0);
      if (trial == 5) assert_int_equal(place % (2 << 20), 0);
      assert_true(cube->base.bytes_now >= before + sizes[me]);
    }
    int readable = write_and_read(cube, window, sizes);
    /* All these ranks run on one machine. */
    bool shared = described_as(cube, "shared");
    assert_int_equal(readable, me >= 0 && shared ? cube->nodes : 0);
    if (readable > 0) assert_ptr_equal(hy_window_peer(window, me), hy_window_data(window));
    hy_window_destroy(cube, &window);
    assert_null(window);
    hy_window_destroy(cube, &window);
    assert_int_equal(cube->base.bytes_now, before);
  }
  hyla_cube_destroy(&cube);
}

static void private_memory_is_private(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(true);
  struct hy_window *window = NULL;
  int64_t sizes[8] = {1, 2, 3, 4, 5, 6, 7, 0};
  int64_t mine = cube->address >= 0 ? sizes[cube->address] : 0;
  assert_int_equal(hy_window_create(cube, mine, &window), HYLA_OK);
  assert_int_equal(write_and_read(cube, window, sizes), 0);
  assert_true(described_as(cube, "private, as the options ask"));
  hy_window_destroy(cube, &window);
  hyla_cube_destroy(&cube);
}

/* One window of a cube that shares memory is private; the cube's description of its memory
 * stays. */
static void one_window_can_be_private(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  bool shared = described_as(cube, "shared");
  struct hy_window *window = NULL;
  int64_t sizes[8] = {7, 6, 5, 4, 3, 2, 1, 0}, before = cube->base.bytes_now;
  int64_t mine = cube->address >= 0 ? sizes[cube->address] : 0;
  assert_int_equal(hy_window_create_private(cube, mine, &window), HYLA_OK);
  assert_int_equal(write_and_read(cube, window, sizes), 0);
  assert_int_equal(described_as(cube, "shared"), shared);
  hy_window_destroy(cube, &window);
  assert_int_equal(cube->base.bytes_now, before);
  hyla_cube_destroy(&cube);
}

/* The machine refuses shared memory of this size: all ranks use private memory, and the cube says
 * why. */
static void where_sharing_fails_memory_is_private(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  if (!described_as(cube, "shared")) {
    hyla_cube_destroy(&cube);
    return;
  }
  struct rlimit old, tight = {.rlim_cur = 10000};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  tight.rlim_max = old.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  int64_t sizes[8] = {20000, 1, 1, 1, 1, 1, 1, 1};
  int64_t mine = cube->address >= 0 ? sizes[cube->address] : 0;
  struct hy_window *window = NULL;
  hyla_status status = hy_window_create(cube, mine, &window);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_int_equal(status, HYLA_OK);
  assert_int_equal(write_and_read(cube, window, sizes), 0);
  assert_true(described_as(cube, "above the limit on file sizes"));
  assert_string_equal(hyla_cube_message(cube), "");
  hy_window_destroy(cube, &window);
  /* The next window may be shared again. */
  assert_int_equal(hy_window_create(cube, mine, &window), HYLA_OK);
  assert_true(described_as(cube, "shared"));
  hy_window_destroy(cube, &window);
  hyla_cube_destroy(&cube);
}

static void too_much_is_an_error_everywhere(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t before = cube->base.bytes_now;
    struct hy_window *window = NULL;
    int64_t mine = cube->address == cube->nodes - 1 ? INT64_MAX / 2 : 100;
    assert_int_equal(hy_window_create(cube, mine, &window), HYLA_MEMORY);
    assert_null(window);
    assert_true(strlen(hyla_cube_message(cube)) > 0);
    /* Together twice the machine's memory: refused before any rank touches a page. */
    int64_t twice = 2 * (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    assert_int_equal(hy_window_create(cube, twice / cube->nodes, &window), HYLA_MEMORY);
    assert_null(window);
    assert_non_null(strstr(hyla_cube_message(cube), "available on this machine"));
    assert_int_equal(hy_window_create(cube, cube->address == 0 ? -1 : 1, &window), HYLA_ARGUMENT);
    assert_null(window);
    assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
    assert_int_equal(cube->base.bytes_now, before);
    hyla_cube_destroy(&cube);
  }
}

/* The n-th allocation of one rank fails, for each rank and each n. */
static void each_allocation_may_fail(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t before = cube->base.bytes_now;
    for (int bad = 0; bad < harness_ranks(); bad++) {
      int failures = 0;
      for (int n = 1; n <= 4; n++) {
        harness_note("private %d, allocation %d of rank %d", private_memory, n, bad);
        if (harness_rank() == bad) cube->base.fail_at = cube->base.allocations + n;
        struct hy_window *window = NULL;
        hyla_status status = hy_window_create(cube, 1000, &window);
        cube->base.fail_at = 0;
        assert_true(status == HYLA_OK || status == HYLA_MEMORY);
        failures += status != HYLA_OK;
        int common = (int)status;
        harness_broadcast(&common, 1, MPI_INT, 0);
        assert_int_equal(status, common);
        assert_int_equal(window != NULL, status == HYLA_OK);
        hy_window_destroy(cube, &window);
        assert_int_equal(cube->base.bytes_now, before);
      }
      assert_true(failures > 0);
    }
    hyla_cube_destroy(&cube);
  }
}

/* ----------------------------------------------------------------- kept -- */

/* The bytes of every node's part: large enough to be kept, and more on later nodes. */
enum { PART = 600000 }; /* larger than blocks that come from the heap */

static hyla_cube *cube_that_keeps(bool private_memory, int64_t limit) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.private_memory = private_memory;
  options.memory_kept = limit;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

/* Makes a window, writes and reads all of it; returns whether this rank allocated memory for it. */
static bool make_and_use(hyla_cube *cube, int64_t part, struct hy_window **window) {
  int64_t sizes[8], allocations = cube->base.allocations;
  for (int i = 0; i < 8; i++) sizes[i] = part + i;
  assert_int_equal(hy_window_create(cube, cube->address >= 0 ? sizes[cube->address] : 0, window),
                   HYLA_OK);
  bool taken = cube->base.allocations > allocations + 1; /* one is the window's struct */
  int readable = write_and_read(cube, *window, sizes);
  bool shared = described_as(cube, "shared");
  assert_int_equal(readable, cube->address >= 0 && shared ? cube->nodes : 0);
  return taken;
}

static int64_t part_of(const hyla_cube *cube, int64_t part) {
  return cube->address >= 0 ? part + cube->address : 0;
}

static void memory_that_is_given_back_serves_again(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_that_keeps(private_memory, 1 << 30);
    int64_t before = cube->base.bytes_now, part = part_of(cube, PART);
    struct hy_window *window = NULL;
    bool node = cube->address >= 0;
    assert_int_equal(make_and_use(cube, PART, &window), node);
    const void *data = hy_window_data(window);
    int64_t booked = cube->base.bytes_now;
    for (int again = 0; again < 3; again++) {
      assert_int_equal(hyla_cube_kept_memory(cube), 0);
      hy_window_destroy(cube, &window);
      assert_null(window);
      assert_int_equal(cube->base.bytes_now, before);
      assert_int_equal(hyla_cube_kept_memory(cube), part);
      assert_false(make_and_use(cube, PART, &window));
      assert_ptr_equal(hy_window_data(window), data);
      assert_int_equal(cube->base.bytes_now, booked);
    }
    hy_window_destroy(cube, &window);
    /* A window of another size is another window. */
    assert_int_equal(make_and_use(cube, PART + 8, &window), node);
    hy_window_destroy(cube, &window);
    assert_int_equal(hyla_cube_kept_memory(cube), node ? 2 * part + 8 : 0);
    assert_int_equal(hyla_cube_drop_memory(cube), HYLA_OK);
    assert_int_equal(hyla_cube_kept_memory(cube), 0);
    assert_int_equal(make_and_use(cube, PART, &window), node);
    hy_window_destroy(cube, &window);
    assert_int_equal(cube->base.bytes_now, before);
    hyla_cube_destroy(&cube);
  }
}

/* The ranks give windows back in different orders, and now and then one of them drops the memory
 * that it keeps. */
static void ranks_need_not_keep_the_same(void **state) {
  (void)state;
  hyla_cube *cube = cube_that_keeps(false, 5 * PART / 2);
  int64_t before = cube->base.bytes_now;
  for (int trial = 0; trial < 12; trial++) {
    struct hy_window *w[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) (void)make_and_use(cube, PART, &w[i]);
    int first = harness_rank() * trial % 3;
    for (int i = 0; i < 3; i++) hy_window_destroy(cube, &w[(first + i) % 3]);
    int dropping = (int)harness_draw(0, harness_ranks());
    assert_true(hyla_cube_kept_memory(cube) <= 5 * PART / 2);
    if (cube->address >= 0) assert_true(hyla_cube_kept_memory(cube) >= 2 * PART);
    if (dropping == harness_rank()) hyla_cube_drop_memory(cube);
    assert_int_equal(cube->base.bytes_now, before);
  }
  hyla_cube_destroy(&cube);
}

static void limits_are_kept(void **state) {
  (void)state;
  for (int64_t limit = 0; limit < 4 * PART; limit += PART / 2) {
    hyla_cube *cube = cube_that_keeps(limit / PART % 2, limit);
    struct hy_window *w[3] = {NULL, NULL, NULL};
    int64_t part = part_of(cube, PART);
    for (int i = 0; i < 3; i++) (void)make_and_use(cube, PART, &w[i]);
    for (int i = 0; i < 3; i++) hy_window_destroy(cube, &w[i]);
    assert_int_equal(hyla_cube_kept_memory(cube), part * (part > 0 ? hy_min(3, limit / part) : 0));
    hyla_cube_destroy(&cube);
  }
  assert_int_equal(hyla_cube_kept_memory(NULL), 0);
  assert_int_equal(hyla_cube_drop_memory(NULL), HYLA_ARGUMENT);
}

/* May this process touch the page? */
static bool within_reach(const void *page) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], rights[8];
  bool found = false;
  assert_non_null(maps);
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    uintptr_t from = 0, to = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &from, &to, rights) == 3)
      found = (uintptr_t)page >= from && (uintptr_t)page < to;
  }
  fclose(maps);
  return found && rights[0] == 'r' && rights[1] == 'w';
}

/* Private memory is not set to zero again; no process can touch kept memory. */
static void what_is_kept_is_out_of_reach(void **state) {
  (void)state;
  hyla_cube *cube = cube_that_keeps(false, 1 << 30);
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    struct hy_window *window = NULL;
    hyla_status (*make)(hyla_cube *, int64_t, struct hy_window **) =
        private_memory ? hy_window_create_private : hy_window_create;
    int64_t part = part_of(cube, PART);
    assert_int_equal(make(cube, part, &window), HYLA_OK);
    char *data = hy_window_data(window);
    if (part > 0) memset(data, 7, (size_t)part);
    assert_true(part == 0 || within_reach(data));
    hy_window_destroy(cube, &window);
    assert_false(within_reach(data));
    assert_int_equal(make(cube, part, &window), HYLA_OK);
    assert_ptr_equal(hy_window_data(window), data);
    for (int64_t i = 0; i < part; i++) assert_int_equal(data[i], private_memory ? 7 : 0);
    hy_window_destroy(cube, &window);
  }
  hyla_cube_destroy(&cube);
}

/* Small windows are kept too, but not as many as there may be. */
static void few_windows_are_kept(void **state) {
  (void)state;
  enum { MADE = 80, MOST = 64 };
  hyla_cube *cube = cube_that_keeps(false, 1 << 30);
  struct hy_window *w[MADE];
  const bool node = cube->address >= 0;
  int64_t last = 0;
  for (int i = 0; i < MADE; i++) {
    assert_int_equal(hy_window_create(cube, node ? i + 1 : 0, &w[i]), HYLA_OK);
    if (i >= MADE - MOST) last += i + 1;
  }
  const bool shared = described_as(cube, "shared") && cube->nodes > 1;
  for (int i = 0; i < MADE; i++) hy_window_destroy(cube, &w[i]);
  if (node) assert_int_equal(hyla_cube_kept_memory(cube), shared ? last : 0);
  hyla_cube_destroy(&cube);
}

/* Hyla's own windows stay within reach, until a window that a caller knows has had their memory. */
static void what_nobody_knew_stays_within_reach(void **state) {
  (void)state;
  hyla_cube *cube = cube_that_keeps(false, 1 << 30);
  const int64_t part = part_of(cube, PART);
  char *first = NULL;
  for (int turn = 0; turn < 6; turn++) {
    const bool hidden = turn % 3 != 2;
    struct hy_window *window = NULL;
    assert_int_equal(hy_window_create(cube, part, &window), HYLA_OK);
    char *data = hy_window_data(window);
    if (turn == 0) first = data;
    assert_ptr_equal(data, first);
    for (int64_t i = 0; i < part; i++) assert_int_equal(data[i], 0);
    if (part > 0) memset(data, 7, (size_t)part);
    if (hidden) hy_window_hidden(window);
    hy_window_destroy(cube, &window);
    assert_int_equal(hyla_cube_kept_memory(cube), part);
    assert_int_equal(within_reach(data), hidden && part > 0);
  }
  hyla_cube_destroy(&cube);
}

/* Before an allocation fails, the kept memory is released. */
static void what_is_kept_stands_in_nobodys_way(void **state) {
  (void)state;
  hyla_cube *cube = cube_that_keeps(false, 1 << 30);
  struct hy_window *window = NULL;
  int64_t twice = 2 * (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  for (int way = 0; way < 2; way++) {
    (void)make_and_use(cube, PART, &window);
    hy_window_destroy(cube, &window);
    assert_int_equal(hyla_cube_kept_memory(cube), part_of(cube, PART));
    if (way == 0)
      assert_int_equal(hy_window_create(cube, twice / cube->nodes, &window), HYLA_MEMORY);
    else
      cube->base.relieve(&cube->base);
    assert_int_equal(hyla_cube_kept_memory(cube), 0);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_read_in_place),
      cmocka_unit_test(private_memory_is_private),
      cmocka_unit_test(one_window_can_be_private),
      cmocka_unit_test(where_sharing_fails_memory_is_private),
      cmocka_unit_test(too_much_is_an_error_everywhere),
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(memory_that_is_given_back_serves_again),
      cmocka_unit_test(ranks_need_not_keep_the_same),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(what_is_kept_is_out_of_reach),
      cmocka_unit_test(few_windows_are_kept),
      cmocka_unit_test(what_nobody_knew_stays_within_reach),
      cmocka_unit_test(what_is_kept_stands_in_nobodys_way),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
