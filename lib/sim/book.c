/* The times when a message leaves and arrives; the links and ports that it occupies meanwhile.
 *
 * A transfer over one link takes alpha + beta bytes.  It starts when its sender has reached it and
 * its link is free in this direction; on a machine with one port the sender's port must be free
 * too.  On arrival it occupies the receiver's port for the same time.
 *
 * A message to a node further away crosses the dimensions in which the two differ, the lowest
 * first; on a network that is no cube it goes the network's own way (hy_network_port).  With store
 * and forward, each node on its way keeps it until the next link is free.  With circuits it holds
 * all links of the way at once.  It takes no port of the nodes between.  A switch has no links to
 * wait for.  A node's own messages over one link keep their order. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ calendars -- */

/* Messages arrive in the order of the nodes' turns, not of their times.  So a calendar keeps the
 * periods in which a link or a port is taken, in order, and a message takes the first gap that is
 * long enough.  Periods that touch become one.  Nothing is taken before `past' any more, so periods
 * that ended before it are dropped when room is needed. */

static struct hy_period *periods_of(struct hy_calendar *calendar) {
  return calendar->many != NULL ? calendar->many : calendar->few;
}

/* The first period that ends after `time'. */
static int32_t place_after(struct hy_calendar *calendar, double time) {
  const struct hy_period *period = periods_of(calendar);
  int32_t low = 0, high = calendar->count;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (period[middle].end > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static double free_from(struct hy_calendar *calendar, double start, double length) {
  const struct hy_period *period = periods_of(calendar);
  int32_t place = place_after(calendar, start);
  for (; place < calendar->count && period[place].start < start + length; place++)
    start = hy_later(start, period[place].end);
  return start;
}

static bool is_full(const struct hy_calendar *calendar) {
  return calendar->count >= hy_max(calendar->capacity, HY_PERIODS_FEW);
}

static hyla_status make_room(struct hy_base *base, struct hy_calendar *calendar, double past) {
  if (!is_full(calendar)) return HYLA_OK;
  struct hy_period *period = periods_of(calendar);
  int32_t gone = place_after(calendar, past);
  calendar->count -= gone;
  if (gone > 0) memmove(period, period + gone, (size_t)calendar->count * sizeof *period);
  if (2 * calendar->count < calendar->capacity || (calendar->many == NULL && gone > 0))
    return HYLA_OK;
  int32_t capacity = (int32_t)hy_max(2 * HY_PERIODS_FEW, 2 * calendar->capacity);
  period = realloc(calendar->many, (size_t)capacity * sizeof *period);
  CHECK(base, period != NULL, MEMORY, "out of memory in the simulator");
  if (calendar->many == NULL)
    memcpy(period, calendar->few, (size_t)calendar->count * sizeof *period);
  calendar->many = period;
  calendar->capacity = capacity;
  return HYLA_OK;
}

static hyla_status take(struct hy_base *base, struct hy_calendar *calendar, double start,
                        double length, double past) {
  TRY(make_room(base, calendar, past));
  int32_t place = place_after(calendar, start);
  struct hy_period *at = periods_of(calendar) + place;
  if (place > 0 && at[-1].end == start) {
    at[-1].end = start + length;
    return HYLA_OK;
  }
  memmove(at + 1, at, (size_t)(calendar->count - place) * sizeof *at);
  *at = (struct hy_period){start, start + length};
  calendar->count++;
  return HYLA_OK;
}

static void clear(struct hy_calendar *calendar) {
  free(calendar->many);
  *calendar = (struct hy_calendar){0};
}

/* ------------------------------------------------------------- messages -- */

static double earlier(double a, double b) { return a < b ? a : b; }

static double time_of(const hyla_simulation *model, const struct hy_sim_message *p) {
  return model->alpha + model->beta * (double)p->bytes;
}

/* A message leaves no earlier than its sender's clock, so no message will leave before the slowest
 * clock any more.  It is enough to look now and then. */
void hy_sim_learn_past(struct hy_simulator *s, int64_t messages) {
  enum { EACH = 64 };
  const int64_t each = (int64_t)EACH * s->nodes, before = s->booked / each;
  double last = INFINITY;
  s->booked += messages;
  if (s->timed || s->booked / each == before) return;
  for (int i = 0; i < s->nodes; i++)
    if (s->node[i].state != HY_SIM_DONE) last = earlier(last, s->node[i].clock);
  s->past = hy_later(s->past, last);
}

/* The outgoing links on the way of a message; a switch has none. */
struct way {
  int hops;
  struct hy_calendar **link;
};

bool hy_sim_is_switch(const struct hy_simulator *s) {
  const hyla_machine *machine = s->model->machine;
  return s->switched || (machine != NULL && machine->network == HYLA_NETWORK_SWITCH);
}

/* The port towards a node; most messages go to a neighbour. */
static int port_towards(const struct hy_simulator *s, uint32_t at, uint32_t goal) {
  const int32_t *peer = s->peer + (size_t)at * (size_t)s->network.ports;
  for (int port = 0; port < s->network.ports; port++)
    if (peer[port] == (int32_t)goal) return port;
  return hy_network_port(&s->network, at, goal);
}

int hy_sim_port(const struct hy_sim_node *from, const struct hy_sim_node *to) {
  const struct hy_simulator *s = from->simulator;
  if (s->peer == NULL) return hy_lowest((uint32_t)(from->link.rank ^ to->link.rank));
  return port_towards(s, (uint32_t)from->link.rank, (uint32_t)to->link.rank);
}

/* The lowest dimension first. */
static void cross_cube(struct hy_sim_node *from, uint32_t differ, struct way *way) {
  uint32_t at = (uint32_t)from->link.rank;
  for (; differ != 0; differ &= differ - 1) {
    int dim = hy_lowest(differ);
    way->link[way->hops++] = &from->simulator->node[at].link_times.link[dim].taken;
    at ^= UINT32_C(1) << dim;
  }
}

/* first: the port over which the message leaves. */
static struct way way_of(struct hy_sim_node *from, const struct hy_sim_node *to, int first) {
  struct hy_simulator *s = from->simulator;
  struct way way = {.link = s->way};
  const uint32_t goal = (uint32_t)to->link.rank;
  uint32_t at = (uint32_t)from->link.rank;
  if (hy_sim_is_switch(s)) return way;
  if (s->peer == NULL) {
    cross_cube(from, at ^ goal, &way);
    return way;
  }
  for (int port = first; at != goal; port = port_towards(s, at, goal)) {
    way.link[way.hops++] = &s->node[at].link_times.link[port].taken;
    at = (uint32_t)s->peer[(size_t)at * (size_t)s->network.ports + (size_t)port];
  }
  return way;
}

static hyla_status take_link(struct hy_sim_node *from, struct hy_calendar *link, double start,
                             double time) {
  return take(from->link.base, link, start, time, from->simulator->past);
}

/* Takes one link after the other, from *start on.  *start: when the message leaves the first link's
 * node; *end: when it arrives. */
static hyla_status store_and_forward(struct hy_sim_node *from, const struct way *way, double time,
                                     double *start, double *end) {
  *end = *start;
  for (int i = 0; i < way->hops; i++) {
    double begins = free_from(way->link[i], *end, time);
    TRY(take_link(from, way->link[i], begins, time));
    if (i == 0) *start = begins;
    *end = begins + time;
  }
  return HYLA_OK;
}

/* Takes all links at the same time. */
static hyla_status hold_circuit(struct hy_sim_node *from, const struct way *way, double time,
                                double *start, double *end) {
  for (int free = 0; free < way->hops;) {
    double begins = free_from(way->link[free], *start, time);
    free = begins > *start ? 0 : free + 1;
    *start = begins;
  }
  for (int i = 0; i < way->hops; i++) TRY(take_link(from, way->link[i], *start, time));
  *end = *start + time;
  return HYLA_OK;
}

hyla_status hy_sim_book(struct hy_sim_node *from, struct hy_sim_node *to,
                        struct hy_sim_message *p) {
  const hyla_simulation *model = from->simulator->model;
  p->start = p->end = from->clock;
  double time = time_of(model, p);
  if (p->tag % HY_STREAMS != HY_DATA || from == to) return HYLA_OK;
  if (from->link.leaves >= 0) p->start = from->link.leaves;
  const int port = hy_sim_port(from, to);
  double *own = &from->link_times.link[port].own;
  p->start = hy_later(p->start, *own);
  if (model->ports == HYLA_ONE_PORT) p->start = hy_later(p->start, from->link_times.out_free);
  p->end = p->start;
  if (time > 0) {
    const struct way way = way_of(from, to, port);
    if (model->switching == HYLA_CIRCUIT || way.hops == 0)
      TRY(hold_circuit(from, &way, time, &p->start, &p->end));
    else
      TRY(store_and_forward(from, &way, time, &p->start, &p->end));
  }
  *own = from->link_times.out_free = p->start + time;
  return HYLA_OK;
}

/* The time before which the node's incoming port is not taken any more.  Messages under way to the
 * node may have left in the past.  Through rounding an end minus its duration may lie before its
 * start, but by much less than the margin here. */
static double past_of_arrivals(const struct hy_sim_node *node) {
  const hyla_simulation *model = node->simulator->model;
  double past = node->simulator->timed ? 0 : node->simulator->past;
  for (int64_t i = 0; i < node->lane_capacity && past > 0; i++)
    for (const struct hy_sim_message *p = node->lanes[i].first; p != NULL; p = p->next)
      past = earlier(past, p->end - time_of(model, p));
  return past * (1 - 0x1p-20);
}

hyla_status hy_sim_arrival(struct hy_sim_node *node, const struct hy_sim_message *p, double *end) {
  const hyla_simulation *model = node->simulator->model;
  *end = p->end;
  if (model->ports == HYLA_ALL_PORTS || p->end == p->start) return HYLA_OK;
  struct hy_calendar *in = &node->link_times.in;
  double time = time_of(model, p);
  double start = free_from(in, p->end - time, time);
  *end = start + time;
  double past = !is_full(in) ? 0 : past_of_arrivals(node);
  return take(node->link.base, in, start, time, past);
}

void hy_link_times_clear(struct hy_link_times *link_times) {
  clear(&link_times->in);
  for (int port = 0; port < HY_NETWORK_PORTS; port++) clear(&link_times->link[port].taken);
}
