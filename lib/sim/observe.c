/* What an observer of a simulation is told.  Rehearsals and what is no part of the algorithms
 * (agreement's messages) take no time on the papers' machine and are not told. */
#include "sim/sim.h"

void hy_sim_tell(const struct hy_sim_node *node, hyla_event_kind kind, double begin, double end) {
  const hyla_simulation *model = node->simulator->model;
  if (model->observer == NULL || node->rehearses > 0 || !(begin < end)) return;
  const hyla_event event = {
      .kind = kind, .node = node->link.rank, .peer = -1, .begin = begin, .end = end};
  model->observer(model->observer_arg, &event);
}

void hy_sim_tell_message(const struct hy_sim_node *node, const struct hy_parcel *p, double end) {
  const hyla_simulation *model = node->simulator->model;
  bool data = p->tag % HY_STREAMS == HY_DATA && p->from != node->link.rank;
  if (model->observer == NULL || node->rehearses > 0 || !data || p->bytes == 0) return;
  const hyla_event event = {.kind = HYLA_EVENT_MESSAGE,
                            .node = p->from,
                            .peer = node->link.rank,
                            .bytes = p->bytes,
                            .begin = p->start,
                            .left = p->start + (model->alpha + model->beta * (double)p->bytes),
                            .crossed = p->end,
                            .end = end};
  model->observer(model->observer_arg, &event);
}
