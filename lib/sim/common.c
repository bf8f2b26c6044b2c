/* Objects that all nodes would make alike: the first node that asks makes one, and it is kept for
 * the others. */
#include "sim/sim.h"

void *hy_sim_common(struct hy_link *link, uint64_t number) {
  const struct hy_simulator *s = ((struct hy_sim_node *)link)->simulator;
  for (int i = 0; i < s->commons; i++)
    if (s->common[i].number == number) return s->common[i].thing;
  return NULL;
}

bool hy_sim_common_keep(struct hy_link *link, uint64_t number, void *thing, hy_end *end) {
  struct hy_simulator *s = ((struct hy_sim_node *)link)->simulator;
  if (s->commons == HY_SIM_COMMONS) return false;
  s->common[s->commons++] = (struct hy_sim_common){number, thing, end};
  return true;
}

void hy_sim_common_end(struct hy_simulator *simulator) {
  for (int i = 0; i < simulator->commons; i++) simulator->common[i].end(simulator->common[i].thing);
  simulator->commons = 0;
}
