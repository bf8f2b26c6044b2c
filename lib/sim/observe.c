/* The events that the observer of a simulation gets.  Rehearsals, and messages of agreement, take
 * no time on the machine of the papers and give no events. */
#include "sim/sim.h"

static bool observed(const struct hy_sim_node *node) {
  return node->simulator->model->observer != NULL && node->rehearses == 0;
}

static void tell(const struct hy_sim_node *node, const hyla_event *event) {
  const hyla_simulation *model = node->simulator->model;
  model->observer(model->observer_arg, event);
}

/* A wait is reported only if the observer knows its message. */
void hy_sim_tell(const struct hy_sim_node *node, const hyla_event *event) {
  if (!observed(node)) return;
  if (event->kind == HYLA_EVENT_WAIT && event->message == 0) return;
  hyla_event told = *event;
  told.node = node->link.rank;
  told.peer = -1;
  tell(node, &told);
}

void hy_sim_tell_start(struct hy_sim_node *node, int peer, struct hy_sim_message *p) {
  bool data = p->tag % HY_STREAMS == HY_DATA && p->from != peer && p->bytes > 0;
  if (!observed(node) || !data) return;
  p->event_id = ++node->simulator->events;
  tell(node, &(hyla_event){.kind = HYLA_EVENT_START,
                           .node = p->from,
                           .peer = peer,
                           .bytes = p->bytes,
                           .message = p->event_id,
                           .packet = node->link.leaves >= 0 ? node->link.packet : -1,
                           .begin = p->start,
                           .end = p->start,
                           .port = hy_sim_port(node, &node->simulator->node[peer])});
}

void hy_sim_tell_message(const struct hy_sim_node *node, const struct hy_sim_message *p,
                         double end) {
  const hyla_simulation *model = node->simulator->model;
  if (!observed(node) || p->event_id == 0) return;
  tell(node, &(hyla_event){.kind = HYLA_EVENT_MESSAGE,
                           .node = p->from,
                           .peer = node->link.rank,
                           .bytes = p->bytes,
                           .message = p->event_id,
                           .begin = p->start,
                           .left = p->start + (model->alpha + model->beta * (double)p->bytes),
                           .crossed = p->end,
                           .end = end,
                           .port = hy_sim_port(&node->simulator->node[p->from], node)});
}

int64_t hy_sim_observe(struct hy_link *link, int64_t packet, int64_t message, int64_t bytes) {
  struct hy_sim_node *node = (struct hy_sim_node *)link;
  if (!observed(node)) return 0;
  hyla_event event = {.kind = HYLA_EVENT_NEED,
                      .node = link->rank,
                      .peer = -1,
                      .message = message,
                      .packet = packet,
                      .begin = node->clock,
                      .end = node->clock};
  if (packet < 0) event.kind = HYLA_EVENT_FREE;
  if (packet >= 0 && message == 0) {
    event.kind = HYLA_EVENT_START;
    event.peer = link->rank;
    event.bytes = bytes;
    event.message = ++node->simulator->events;
  }
  tell(node, &event);
  return event.message;
}
