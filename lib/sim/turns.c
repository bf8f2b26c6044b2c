/* Turns: the nodes that are ready, in the order in which they became so. */
#include "sim/sim.h"

void hy_simulator_make_ready(struct hy_sim_node *node) {
  struct hy_simulator *s = node->simulator;
  node->state = HY_SIM_READY;
  node->next_ready = NULL;
  *s->ready_end = node;
  s->ready_end = &node->next_ready;
}

struct hy_sim_node *hy_simulator_next(struct hy_simulator *s) {
  struct hy_sim_node *next = s->ready;
  s->ready = next->next_ready;
  if (s->ready == NULL) s->ready_end = &s->ready;
  return next;
}

void hy_simulator_wait(struct hy_sim_node *node) {
  node->state = HY_SIM_WAITING;
  hy_coroutine_yield(&node->simulator->coroutines, &node->coroutine);
}
