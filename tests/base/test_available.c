/* The available memory, by files as the system would have them: those of the machine, of control
 * groups of both versions, of containers. */
#include "tests/harness/harness.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 8 };

/* One system: its files and the resulting numbers in KiB; -1: unknown. */
struct system {
  const char *name;
  struct {
    const char *path, *text;
  } files[FILES];
  int64_t total, available;
};

#define MEMINFO                                                                                    \
  { "proc/meminfo", "MemTotal:  9000 kB\nMemFree:  1 kB\nMemAvailable:  8000 kB\n" }
#define GROUP(text)                                                                                \
  { "proc/self/cgroup", text }
#define V1 "sys/fs/cgroup/memory/"
#define V2 "sys/fs/cgroup/"

static const struct system systems[] = {
    {"nothing is said", {{NULL, NULL}}, -1, -1},
    {"no groups", {MEMINFO}, 9000, 8000},
    {"a group without a limit",
     {MEMINFO, GROUP("0::/a\n"), {V2 "a/memory.max", "max\n"}, {V2 "a/memory.current", "4096\n"}},
     9000,
     8000},
    {"version 2",
     {MEMINFO,
      GROUP("0::/a/b\n"),
      {V2 "a/b/memory.max", "2048000\n"},
      {V2 "a/b/memory.current", "1024000\n"},
      {V2 "a/b/memory.stat", "anon 1\ninactive_file 102400\nactive_file 7\n"}},
     2000,
     1100},
    {"version 2, the limit stands above",
     {MEMINFO,
      GROUP("0::/a/b\n"),
      {V2 "a/memory.max", "1024000\n"},
      {V2 "a/memory.current", "512000\n"},
      {V2 "a/b/memory.max", "4096000\n"},
      {V2 "a/b/memory.current", "1024\n"}},
     1000,
     500},
    {"version 2 in a container",
     {MEMINFO, GROUP("0::/\n"), {V2 "memory.max", "3072000\n"}, {V2 "memory.current", "1024000\n"}},
     3000,
     2000},
    {"version 1",
     {MEMINFO,
      GROUP("9:name=systemd:/\n4:cpu,memory:/a\n0::/\n"),
      {V1 "memory.limit_in_bytes", "9223372036854771712\n"},
      {V1 "memory.usage_in_bytes", "1024\n"},
      {V1 "a/memory.limit_in_bytes", "2048000\n"},
      {V1 "a/memory.usage_in_bytes", "1536000\n"},
      {V1 "a/memory.stat", "inactive_file 5\ntotal_inactive_file 102400\n"}},
     2000,
     600},
    {"version 1 in a container, which has not the host's path",
     {MEMINFO,
      GROUP("4:memory:/docker/77\n"),
      {V1 "memory.limit_in_bytes", "1024000\n"},
      {V1 "memory.usage_in_bytes", "2048000\n"}},
     1000,
     0},
    {"both versions",
     {MEMINFO,
      GROUP("4:memory:/a\n0::/a\n"),
      {V1 "a/memory.limit_in_bytes", "4096000\n"},
      {V2 "unified/a/memory.max", "3072000\n"}},
     3000,
     3000},
    {"other groups' limits, and damage",
     {MEMINFO,
      GROUP("no colon\n5:cpu:/b\n6:memoryless:/b\n\n"),
      {V1 "b/memory.limit_in_bytes", "1024\n"},
      {V2 "b/memory.max", "1024\n"}},
     9000,
     8000},
};

/* Writes root/path and makes its folders. */
static void put(const char *root, const char *path, const char *text) {
  char name[256];
  snprintf(name, sizeof name, "%s/%s", root, path);
  for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL;
       *slash++ = '/') {
    *slash = '\0';
    (void)mkdir(name, 0777);
  }
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_int_equal(fputs(text, file) >= 0, 1);
  assert_int_equal(fclose(file), 0);
}

/* Removes root/path and the folders that become empty. */
static void drop(const char *root, const char *path) {
  char name[256];
  snprintf(name, sizeof name, "%s/%s", root, path);
  unlink(name);
  for (char *slash; (slash = strrchr(name, '/')) != NULL && strlen(name) > strlen(root);) {
    *slash = '\0';
    (void)rmdir(name);
  }
}

static void limits_of_groups_count(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
    const struct system *system = &systems[s];
    char root[] = "test_available_XXXXXX";
    assert_non_null(mkdtemp(root));
    for (int i = 0; i < FILES && system->files[i].path != NULL; i++)
      put(root, system->files[i].path, system->files[i].text);
    struct hy_memory memory = hy_memory_probe(root);
    for (int i = 0; i < FILES && system->files[i].path != NULL; i++)
      drop(root, system->files[i].path);
    harness_note("%s: total %lld, available %lld", system->name, (long long)memory.total,
                 (long long)memory.available);
    assert_int_equal(rmdir(root) == 0 || access(root, F_OK) != 0, 1);
    assert_true(memory.total == (system->total < 0 ? INT64_MAX : system->total << 10));
    assert_true(memory.available == (system->available < 0 ? INT64_MAX : system->available << 10));
  }
}

/* This machine has some memory available, and not more than it has in all. */
static void this_machine_has_memory(void **state) {
  (void)state;
  struct hy_memory memory = hy_memory_probe("");
  harness_note("total %lld, available %lld", (long long)memory.total, (long long)memory.available);
  assert_in_range(memory.available, 1, memory.total);
  assert_true((double)memory.total <=
              (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_of_groups_count),
      cmocka_unit_test(this_machine_has_memory),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
