/* Memory that this process may still take.  The machine's memory is cut down by the limits of the
 * control groups that hold the process; containers and batch systems set such limits.
 *
 * Version 2 of control groups keeps all files of a group in one tree; version 1 has a tree for
 * memory alone.  A process may be in groups of both versions.  The limits of all groups above its
 * own count too.  In a container the kernel may name the group by its path on the host, which the
 * container cannot see.  The root of the tree is then the container's group. */
#include "base/base.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where one version of control groups keeps its files, below /sys/fs/cgroup. */
struct version {
  const char *trees[3]; /* the trees to look at, where they exist; ends in NULL */
  const char *limit, *usage;
  const char *inactive; /* the key in memory.stat: file pages that the kernel can drop */
};

static const struct version version_2 = {
    {"", "/unified", NULL}, "memory.max", "memory.current", "inactive_file"};
static const struct version version_1 = {
    {"/memory", NULL}, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/* Reads the number after a key from a file of "key number" lines; without a key, reads the file's
 * first word.  False if there is no number; "max" is no number. */
static bool read_number(const char *folder, const char *name, const char *key, int64_t *value) {
  char path[PATH_MAX], line[256];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
  FILE *file = fopen(path, "re");
  bool found = false;
  size_t length = key != NULL ? strlen(key) : 0;
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
    if (length == 0 || (strncmp(line, key, length) == 0 && strchr(": ", line[length]) != NULL))
      found = sscanf(line + length + (length > 0), "%" SCNd64, value) == 1;
  if (file != NULL) fclose(file);
  return found;
}

/* Lowers *memory to what this group allows. */
static void limit(const struct version *v, const char *folder, struct hy_memory *memory) {
  int64_t most = 0, used = 0, inactive = 0;
  if (!read_number(folder, v->limit, NULL, &most)) return;
  (void)read_number(folder, v->usage, NULL, &used);
  (void)read_number(folder, "memory.stat", v->inactive, &inactive);
  memory->total = hy_min(memory->total, most);
  memory->available = hy_min(memory->available, hy_max(0, most - hy_max(0, used - inactive)));
}

/* Applies the limits of the group and of all groups above it, up to the root of the tree. */
static void limit_by_groups(const struct version *v, const char *root, const char *group,
                            struct hy_memory *memory) {
  for (int i = 0; v->trees[i] != NULL; i++) {
    char folder[PATH_MAX];
    int tree = snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, v->trees[i]);
    int length = snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", root, v->trees[i], group);
    if (tree >= PATH_MAX || length >= PATH_MAX) return;
    for (char *slash; (slash = strrchr(folder + tree, '/')) != NULL; *slash = '\0')
      limit(v, folder, memory);
    limit(v, folder, memory);
  }
}

/* Applies the limits of one line of /proc/self/cgroup: "number:controllers:path". */
static void limit_by_line(const char *root, char *line, struct hy_memory *memory) {
  line[strcspn(line, "\n")] = '\0';
  char *controllers = strchr(line, ':');
  char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
  if (group == NULL) return;
  *group++ = '\0';
  controllers++;
  if (controllers[0] == '\0') limit_by_groups(&version_2, root, group, memory);
  for (char *rest = controllers; rest != NULL; rest = strchr(rest, ',')) {
    if (*rest == ',') rest++;
    if (strcspn(rest, ",") == strlen("memory") && strncmp(rest, "memory", strlen("memory")) == 0)
      limit_by_groups(&version_1, root, group, memory);
  }
}

struct hy_memory hy_memory_probe(const char *root) {
  struct hy_memory memory = {INT64_MAX, INT64_MAX};
  char path[PATH_MAX], line[PATH_MAX + 64];
  int64_t kilobytes = 0;
  if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path) return memory;
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) limit_by_line(root, line, &memory);
  if (file != NULL) fclose(file);
  snprintf(path, sizeof path, "%s/proc", root);
  if (read_number(path, "meminfo", "MemTotal", &kilobytes))
    memory.total = hy_min(memory.total, kilobytes << 10);
  if (read_number(path, "meminfo", "MemAvailable", &kilobytes))
    memory.available = hy_min(memory.available, kilobytes << 10);
  return memory;
}

/* Bytes of address space that the limit on it (ulimit -v) leaves. */
static int64_t addresses_left(void) {
  struct rlimit limit;
  long long pages = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= (rlim_t)INT64_MAX) return INT64_MAX;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file != NULL && fscanf(file, "%lld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return hy_max(0, (int64_t)limit.rlim_cur - pages * sysconf(_SC_PAGESIZE));
}

hyla_status hy_afford(struct hy_base *base, int64_t bytes, double together) {
  const double small = 64 << 20;
  if (together < small) return HYLA_OK;
  int64_t there = hy_memory_probe("").available, addresses = addresses_left();
  if ((bytes > addresses || together > (double)there) && base->relieve != NULL) {
    base->relieve(base);
    there = hy_memory_probe("").available;
    addresses = addresses_left();
  }
  CHECK(base, bytes <= addresses, MEMORY,
        "out of memory: %lld bytes on rank %d, and the limit on addresses (ulimit -v) leaves %lld; "
        "use more ranks or a smaller problem",
        (long long)bytes, base->rank, (long long)addresses);
  CHECK(base, together <= (double)there, MEMORY,
        "out of memory: %lld bytes on rank %d, %.4g with the other ranks here, and %lld are "
        "available on this machine; use more machines or a smaller problem",
        (long long)bytes, base->rank, together, (long long)there);
  return HYLA_OK;
}
