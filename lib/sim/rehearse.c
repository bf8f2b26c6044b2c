/* Rehearsals on a simulated cube: a node's clock, links and ports are put away meanwhile. */
#include "sim/sim.h"

#include <stdlib.h>

struct times {
  double clock;
  struct hy_sim_lines lines;
};

/* Where nothing takes time there is nothing to learn. */
bool hy_sim_rehearses(const struct hy_link *link, int64_t messages) {
  const hyla_simulation *model = ((const struct hy_sim_node *)link)->simulator->model;
  bool takes_time = model->alpha > 0 || model->beta > 0 || model->gamma > 0;
  return takes_time && (model->rehearsed == 0 || messages <= model->rehearsed);
}

bool hy_sim_rehearsal_begin(struct hy_link *link, void **kept) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  struct times *times = *kept = malloc(sizeof *times);
  if (times == NULL) return false;
  *times = (struct times){node->clock, node->lines};
  node->lines = (struct hy_sim_lines){0};
  node->clock = 0;
  node->simulator->past = 0;
  node->rehearses++;
  return true;
}

void hy_sim_rehearsal_end(struct hy_link *link, void *kept) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  struct times *times = kept;
  hy_sim_lines_clear(&node->lines);
  node->clock = times->clock;
  node->lines = times->lines;
  node->simulator->past = 0;
  node->rehearses--;
  free(times);
}
