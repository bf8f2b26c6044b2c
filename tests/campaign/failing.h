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
extern failing_arm_function failing_arm;
extern failing_look_function failing_look;

/* Within failing.so.  From now on this thread's calls are not looked at: 1; they are again: -1. */
void failing_apart(int step);
/* serve.c; false: this is no run of its kind. */
bool failing_serve(void);

#endif
