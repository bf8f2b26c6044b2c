/* Rehearsals on a simulated cube: a node's clock, links and ports are put away meanwhile. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

struct times {
  double clock, out_free, link_free[HYLA_DIMS_MAX];
  struct hy_period *busy;
  int64_t busy_count, busy_capacity;
};

/* Where nothing takes time there is nothing to learn. */
bool hy_sim_rehearsal_begin(struct hy_link *link, void **kept) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  const hyla_simulation *model = node->simulator->model;
  if (kept == NULL) return model->alpha > 0 || model->beta > 0 || model->gamma > 0;
  struct times *times = *kept = malloc(sizeof *times);
  if (times == NULL) return false;
  *times = (struct times){.clock = node->clock,
                          .out_free = node->out_free,
                          .busy = node->busy,
                          .busy_count = node->busy_count,
                          .busy_capacity = node->busy_capacity};
  memcpy(times->link_free, node->link_free, sizeof times->link_free);
  memset(node->link_free, 0, sizeof node->link_free);
  node->clock = node->out_free = 0;
  node->busy = NULL;
  node->busy_count = node->busy_capacity = 0;
  node->rehearses++;
  return true;
}

void hy_sim_rehearsal_end(struct hy_link *link, void *kept) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  struct times *times = kept;
  free(node->busy);
  node->clock = times->clock;
  node->out_free = times->out_free;
  node->busy = times->busy;
  node->busy_count = times->busy_count;
  node->busy_capacity = times->busy_capacity;
  memcpy(node->link_free, times->link_free, sizeof node->link_free);
  node->rehearses--;
  free(times);
}
