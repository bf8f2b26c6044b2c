/* Objects that all nodes would make alike: the first node that asks makes one, and it is kept for
 * the others. */
#include "sim/sim.h"

void *hy_sim_shared_table(struct hy_link *link, uint64_t number) {
  const struct hy_simulator *s = ((struct hy_sim_node *)link)->simulator;
  for (int i = 0; i < s->shared_tables; i++)
    if (s->shared_table[i].number == number) return s->shared_table[i].thing;
  return NULL;
}

bool hy_sim_shared_table_keep(struct hy_link *link, uint64_t number, void *thing, hy_end *end) {
  struct hy_simulator *s = ((struct hy_sim_node *)link)->simulator;
  if (s->shared_tables == HY_SIM_SHARED_TABLES) return false;
  s->shared_table[s->shared_tables++] = (struct hy_sim_shared_table){number, thing, end};
  return true;
}

void hy_sim_shared_table_end(struct hy_simulator *simulator) {
  for (int i = 0; i < simulator->shared_tables; i++)
    simulator->shared_table[i].end(simulator->shared_table[i].thing);
  simulator->shared_tables = 0;
}
