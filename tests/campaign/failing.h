/* What failing.so offers to programs that are started with it preloaded, found by dlsym. */
#ifndef CAMPAIGN_FAILING_H
#define CAMPAIGN_FAILING_H 1

#include <stdbool.h>

/* Calls that were counted since failing_arm, and what is left of all: blocks and mappings of
 * memory, descriptors; the call that failed, NULL: none did. */
struct failing {
  long counted, blocks, maps;
  int descriptors;
  const char *failed;
};

/* From now on the at-th call fails, 0: none; on: and all later ones of its kind. */
typedef void failing_arm_function(long at, bool on);
typedef void failing_look_function(struct failing *failing);

#endif
