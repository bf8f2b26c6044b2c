/* The functions that failing.so offers to programs that are started with it preloaded; found by
 * dlsym. */
#ifndef CAMPAIGN_FAILING_H
#define CAMPAIGN_FAILING_H 1

#include <stdbool.h>

/* Calls counted since failing_arm, and the numbers of blocks, mappings and descriptors that still
 * exist; the call that failed, NULL: none did. */
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

/* Within failing.so.  1: from now on this thread's calls are ignored; -1: they count again. */
void failing_apart(int step);
/* serve.c; false: this run does not serve. */
bool failing_serve(void);

#endif
