#include "usage.h"

#include <dirent.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

struct usage usage_now(void) {
  struct usage usage = {0};
  FILE *file = fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  if (file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2)
    usage.resident = resident * sysconf(_SC_PAGESIZE);
  if (file != NULL) fclose(file);
  file = fopen("/proc/self/maps", "r");
  for (int c; file != NULL && (c = getc(file)) != EOF;) usage.mappings += c == '\n';
  if (file != NULL) fclose(file);
  DIR *descriptors = opendir("/proc/self/fd");
  while (descriptors != NULL && readdir(descriptors) != NULL) usage.descriptors++;
  if (descriptors != NULL) closedir(descriptors);
  return usage;
}

bool usage_is_flat(const struct usage *warm, const struct usage *now) {
  const int64_t resident = 4 << 20, mappings = 24;
  return now->resident <= warm->resident + resident && now->mappings <= warm->mappings + mappings &&
         now->descriptors <= warm->descriptors;
}

void usage_print(const char *who, const struct usage *warm, const struct usage *now) {
  printf("%s: %.1f MB resident, %.1f MB when warm; %" PRId64 " mappings, %" PRId64 "; %" PRId64
         " descriptors, %" PRId64 "\n",
         who, 1e-6 * (double)now->resident, 1e-6 * (double)warm->resident, now->mappings,
         warm->mappings, now->descriptors, warm->descriptors);
}

int usage_descriptors(void) {
  enum { MOST = 64 };
  struct pollfd descriptor[MOST];
  int open = 0;
  for (int i = 0; i < MOST; i++) descriptor[i] = (struct pollfd){.fd = i};
  (void)poll(descriptor, MOST, 0); /* tells which of them are not open */
  for (int i = 0; i < MOST; i++) open += (descriptor[i].revents & POLLNVAL) == 0;
  return open;
}
