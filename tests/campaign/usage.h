/* The system resources of this process, for campaigns that must release all of them. */
#ifndef CAMPAIGN_USAGE_H
#define CAMPAIGN_USAGE_H 1

#include <stdbool.h>
#include <stdint.h>

/* Bytes resident, lines of /proc/self/maps, entries of /proc/self/fd. */
struct usage {
  int64_t resident, mappings, descriptors;
};
struct usage usage_now(void);
/* Did it grow by no more than MPI's own lists and the allocator's may without a leak? */
bool usage_is_flat(const struct usage *warm, const struct usage *now);
/* One line: the present values and the earlier ones; who: the owner. */
void usage_print(const char *who, const struct usage *warm, const struct usage *now);

/* The number of open descriptors among those with small numbers, which the system assigns first; by
 * one call. */
int usage_descriptors(void);

#endif
