/* What this process has of the system, for campaigns that must leave none of it behind. */
#ifndef CAMPAIGN_USAGE_H
#define CAMPAIGN_USAGE_H 1

#include <stdbool.h>
#include <stdint.h>

/* Bytes resident, lines of /proc/self/maps, entries of /proc/self/fd. */
struct usage {
  int64_t resident, mappings, descriptors;
};
struct usage usage_now(void);
/* Has it grown by no more than MPI's own lists and the allocator's may without a leak? */
bool usage_is_flat(const struct usage *warm, const struct usage *now);
/* One line of what it is now and what it was; who: whose. */
void usage_print(const char *who, const struct usage *warm, const struct usage *now);

/* How many descriptors are open, of those with small numbers, which the system gives first: by one
 * call. */
int usage_descriptors(void);

#endif
