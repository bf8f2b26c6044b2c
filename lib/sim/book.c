/* When a message leaves and comes, and what it takes meanwhile.
 *
 * A transfer over one link takes alpha + beta bytes. It starts when its sender has come to it
 * and its link is free in this direction; on a machine with one port, also the sender's port.
 * There it takes the receiver's port for as long. A message to a node further away crosses the
 * dimensions in which the two differ, the lowest first: stored on each node on its way until
 * the next link is free for as long as it takes, or over a circuit, which holds all links of
 * the way at once; no port of a node between is taken. A switch has no links to wait for. A node's
 * own messages over one link keep their order. */
#include "sim/sim.h"

#include <math.h>

static double larger(double a, double b) { return a > b ? a : b; }

static double smaller(double a, double b) { return a < b ? a : b; }

static double time_of(const hyla_simulation *model, const struct hy_parcel *p) {
  return model->alpha + model->beta * (double)p->bytes;
}

/* A message leaves when its sender's clock has come to it; so none leaves any more before the clock
 * that is last.  To look for it now and then is enough. */
static void learn_past(struct hy_simulator *s) {
  enum { EACH = 64 };
  double last = INFINITY;
  if (s->timed || ++s->booked % (EACH * s->nodes) != 0) return;
  for (int i = 0; i < s->nodes; i++)
    if (s->node[i].state != HY_SIM_DONE) last = smaller(last, s->node[i].clock);
  s->past = larger(s->past, last);
}

/* The links out of the nodes on the way of a message, the lowest dimension first; of a switch
 * none. */
struct way {
  int hops;
  struct hy_calendar *link[HYLA_DIMS_MAX];
};

static struct way way_of(struct hy_sim_node *from, uint32_t differ) {
  struct way way = {0};
  const hyla_machine *machine = from->simulator->model->machine;
  if (machine != NULL && machine->network == HYLA_NETWORK_SWITCH) return way;
  uint32_t at = (uint32_t)from->link.rank;
  for (; differ != 0; differ &= differ - 1) {
    int dim = hy_lowest(differ);
    way.link[way.hops++] = &from->simulator->node[at].lines.link[dim];
    at ^= UINT32_C(1) << dim;
  }
  return way;
}

static hyla_status take_link(struct hy_sim_node *from, struct hy_calendar *link, double start,
                             double time) {
  return hy_calendar_take(from->link.base, link, start, time, from->simulator->past);
}

/* Takes link after link, from `start` on; when the message leaves the first, and the last. */
static hyla_status store_and_forward(struct hy_sim_node *from, const struct way *way, double time,
                                     double *start, double *end) {
  *end = *start;
  for (int i = 0; i < way->hops; i++) {
    double begins = hy_calendar_free(way->link[i], *end, time);
    TRY(take_link(from, way->link[i], begins, time));
    if (i == 0) *start = begins;
    *end = begins + time;
  }
  return HYLA_OK;
}

/* Takes all links together. */
static hyla_status hold_circuit(struct hy_sim_node *from, const struct way *way, double time,
                                double *start, double *end) {
  for (int free = 0; free < way->hops;) {
    double begins = hy_calendar_free(way->link[free], *start, time);
    free = begins > *start ? 0 : free + 1;
    *start = begins;
  }
  for (int i = 0; i < way->hops; i++) TRY(take_link(from, way->link[i], *start, time));
  *end = *start + time;
  return HYLA_OK;
}

hyla_status hy_sim_book(struct hy_sim_node *from, struct hy_sim_node *to, struct hy_parcel *p) {
  const hyla_simulation *model = from->simulator->model;
  p->start = p->end = from->clock;
  uint32_t differ = (uint32_t)(from->link.rank ^ to->link.rank);
  double time = time_of(model, p);
  if (p->tag % HY_STREAMS != HY_DATA || differ == 0) return HYLA_OK;
  if (from->link.leaves >= 0) p->start = from->link.leaves;
  learn_past(from->simulator);
  double *own = &from->lines.own[hy_lowest(differ)];
  p->start = larger(p->start, *own);
  if (model->ports == HYLA_ONE_PORT) p->start = larger(p->start, from->lines.out_free);
  p->end = p->start;
  if (time > 0) {
    const struct way way = way_of(from, differ);
    if (model->switching == HYLA_CIRCUIT || way.hops == 0)
      TRY(hold_circuit(from, &way, time, &p->start, &p->end));
    else
      TRY(store_and_forward(from, &way, time, &p->start, &p->end));
  }
  *own = from->lines.out_free = p->start + time;
  return HYLA_OK;
}

/* Before which a node's port in is not taken any more: of the messages that are under way to it
 * some left in the past, and by rounding an end less a time may lie before its start, by much less
 * than what is kept here. */
static double past_of_arrivals(const struct hy_sim_node *node) {
  const hyla_simulation *model = node->simulator->model;
  double past = node->simulator->timed ? 0 : node->simulator->past;
  for (int64_t i = 0; i < node->lane_capacity && past > 0; i++)
    for (const struct hy_parcel *p = node->lanes[i].first; p != NULL; p = p->next)
      past = smaller(past, p->end - time_of(model, p));
  return past * (1 - 0x1p-20);
}

hyla_status hy_sim_arrival(struct hy_sim_node *node, const struct hy_parcel *p, double *end) {
  const hyla_simulation *model = node->simulator->model;
  *end = p->end;
  if (model->ports == HYLA_ALL_PORTS || p->end == p->start) return HYLA_OK;
  struct hy_calendar *in = &node->lines.in;
  double time = time_of(model, p);
  double start = hy_calendar_free(in, p->end - time, time);
  *end = start + time;
  double past = in->count < in->capacity ? 0 : past_of_arrivals(node);
  return hy_calendar_take(node->link.base, in, start, time, past);
}

void hy_sim_lines_clear(struct hy_sim_lines *lines) {
  hy_calendar_clear(&lines->in);
  for (int dim = 0; dim < HYLA_DIMS_MAX; dim++) hy_calendar_clear(&lines->link[dim]);
}
