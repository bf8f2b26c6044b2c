/* The data that nodes of a simulated cube share: the times of rehearsals, and shared tables.
 *
 * During a rehearsal the node's clock, links and ports are put aside.  On clocks that begin at 0
 * the same program takes the same time, so its time is kept, and it is not rehearsed again.  A kept
 * time never gives way to another one, so all nodes agree on whether there is room for more. */
#include "sim/sim.h"

#include <stdlib.h>

struct times {
  double clock;
  struct hy_link_times link_times;
};

/* If nothing takes time, a rehearsal finds nothing. */
bool hy_sim_rehearses(const struct hy_link *link, int64_t messages) {
  const hyla_simulation *model = ((const struct hy_sim_node *)link)->simulator->model;
  bool takes_time = model->alpha > 0 || model->beta > 0 || model->gamma > 0;
  return takes_time && (model->rehearsed == 0 || messages <= model->rehearsed);
}

bool hy_sim_rehearsal_begin(struct hy_link *link, void **kept) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  struct times *times = *kept = malloc(sizeof *times);
  if (times == NULL) return false;
  *times = (struct times){node->clock, node->link_times};
  node->link_times = (struct hy_link_times){0};
  node->clock = 0;
  node->simulator->past = 0;
  node->rehearses++;
  return true;
}

void hy_sim_rehearsal_end(struct hy_link *link, void *kept) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  struct times *times = kept;
  hy_link_times_clear(&node->link_times);
  node->clock = times->clock;
  node->link_times = times->link_times;
  node->simulator->past = 0;
  node->rehearses--;
  free(times);
}

/* The place where the number is kept, or would be. */
static struct hy_sim_memory *place_of(const struct hy_link *link, uint64_t number) {
  struct hy_sim_memory *memories = ((const struct hy_sim_node *)link)->simulator->memories;
  uint64_t place = number >> 32;
  while (memories[place % HY_SIM_MEMORIES].number != 0 &&
         memories[place % HY_SIM_MEMORIES].number != number)
    place++;
  return &memories[place % HY_SIM_MEMORIES];
}

const double *hy_sim_rehearsed(const struct hy_link *link, uint64_t number) {
  const struct hy_sim_memory *memory = place_of(link, number);
  return number != 0 && memory->number == number ? &memory->seconds : NULL;
}

void hy_sim_rehearsal_keep(struct hy_link *link, uint64_t number, double seconds) {
  struct hy_simulator *s = ((struct hy_sim_node *)link)->simulator;
  struct hy_sim_memory *memory = place_of(link, number);
  if (number == 0 || memory->number == number || 2 * s->remembered >= HY_SIM_MEMORIES) return;
  *memory = (struct hy_sim_memory){number, seconds};
  s->remembered++;
}

/* Objects that all nodes would make alike.  The first node that asks makes one, and it is kept for
 * the others. */
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
