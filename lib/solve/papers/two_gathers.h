/* Private to solve/papers: two all-gathers at the same time, along the rank rows and down the rank
 * columns.  They use different links. */
#ifndef HY_TWO_GATHERS_H
#define HY_TWO_GATHERS_H 1

#include "solve/papers/papers.h"

/* One of them: a group with places (hy_subcube_make_for), and as hy_subcube_allgather has it the
 * data and where the members' blocks begin. */
struct hy_gathering {
  const struct hy_subcube_op *group;
  char *data;
  const int64_t *offsets;
};
/* Collective over both groups, not agreed. */
hyla_status hy_gather_two(const struct hy_gathering gathering[2]);

#endif
