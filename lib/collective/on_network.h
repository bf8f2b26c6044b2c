/* Questions about collectives on networks that are no cubes.  Private to this room. */
#ifndef HY_COLLECTIVE_ON_NETWORK_H
#define HY_COLLECTIVE_ON_NETWORK_H 1

#include "collective/mesh.h"
#include "collective/planned.h"

/* A question, as a collective; it owns its arrays. */
struct hy_question {
  struct hy_base base;
  struct hy_network network;
  struct hy_collective what;
  int64_t *offsets;
  uint8_t *active;
  int32_t *to;
};

/* ask: forget it also after a failure, whose reason it writes.  ARGUMENT, MEMORY.
 * count: adds the counts of a row's schedules. */
hyla_status hy_question_ask(struct hy_question *asked, const char *network,
                            const hyla_collective *collective, const int64_t *counts, char *reason,
                            size_t size);
void hy_question_forget(struct hy_question *asked);
hyla_status hy_question_count(struct hy_question *asked, const struct hy_collective_variant *row,
                              const hyla_collective *collective, hyla_network_variant *result);

#endif
