/* Messages between nodes, as the rooms above see them: checks of arguments and the ledger, above
 * flight.c. */
#include "cube/trace.h"

#include <stdatomic.h>
#include <string.h>

/* The dimension, or the port of the network that all messages of collectives take, over which a
 * message goes; -1: its peer is no neighbour, or there are several networks. */
static int link_of(const hyla_cube *cube, const struct hy_message *m) {
  const uint32_t way = (uint32_t)(m->peer ^ cube->address);
  if (m->port > 0) return m->port <= hy_cube_ports(cube) ? m->port - 1 : -1;
  return hy_popcount(way) == 1 ? hy_lowest(way) : -1;
}

static void count_message(hyla_cube *cube, const struct hy_message *m) {
  hyla_ledger *ledger = &cube->network.ledger;
  const int link = link_of(cube, m);
  if (link >= 0) {
    ledger->messages[link]++;
    ledger->bytes[link] += m->bytes;
  } else {
    ledger->far_messages++;
    ledger->far_bytes += m->bytes;
  }
}

/* On a counting cube a message ends at once.  `seen' of a borrow then points at no memory. */
static void end_at_once(hyla_cube *cube, struct hy_message *m) {
  bool in_place = hy_flight_in_place(m);
  m->seen = in_place ? hy_window_peer(m->window, m->peer) : m->data;
  if (in_place && m->verb == HY_LEND) cube->network.counted.lent += m->bytes;
}

/* *travels is set if the message travels. */
static hyla_status start(hyla_cube *cube, struct hy_message *m, bool *travels) {
  const bool exists =
      m->port > 0 ? m->peer >= 0 && m->peer < cube->ranks.all : hy_has_node(cube, m->peer);
  if (!exists || m->bytes < 0) {
    (void)hy_fail(&cube->base, HYLA_ARGUMENT, "%s: no message of %lld bytes to node %d is possible",
                  cube->session.call, (long long)m->bytes, m->peer);
    if (!hy_cube_counts(cube)) hy_cube_break(cube, -1);
    return HYLA_ARGUMENT;
  }
  m->rank = m->port > 0 ? m->peer : hy_rank_at(cube, m->peer);
  if (hy_cube_counts(cube))
    end_at_once(cube, m);
  else
    TRY(hy_flight_start(cube, m, HY_DATA));
  hy_trace_start(cube, m);
  if (m->bytes == 0 || m->peer == cube->address) return HYLA_OK;
  *travels = true;
  if (m->verb == HY_SEND || m->verb == HY_LEND) count_message(cube, m);
  return HYLA_OK;
}

/* Are messages of this step, or of this wait, this rank's?  A guest has those over ports alone. */
static bool takes_part(const hyla_cube *cube, const struct hy_message *messages, int count) {
  bool mine = cube->address >= 0;
  for (int i = 0; i < count && !mine; i++) mine = messages[i].port > 0;
  return mine;
}

hyla_status hy_link_start(hyla_cube *cube, struct hy_message *messages, int count) {
  TRY(hy_cube_usable(cube));
  if (!takes_part(cube, messages, count)) return HYLA_OK;
  bool travels = false;
  cube->session.step++;
  for (int i = 0; i < count; i++) TRY(start(cube, &messages[i], &travels));
  cube->network.ledger.steps += travels;
  hy_log(&cube->base, 2, "%s: step %lld, %d messages", cube->session.call,
         (long long)cube->session.step, count);
  return HYLA_OK;
}

hyla_status hy_link_start_one(hyla_cube *cube, struct hy_message *message) {
  TRY(hy_cube_usable(cube));
  bool travels = false;
  return takes_part(cube, message, 1) ? start(cube, message, &travels) : HYLA_OK;
}

static hyla_status wait(hyla_cube *cube, struct hy_message *messages, int count, bool any) {
  TRY(hy_cube_usable(cube));
  if (hy_cube_counts(cube) || !takes_part(cube, messages, count)) return HYLA_OK;
  hy_trace_mark(cube, HY_SPAN_LOCAL);
  TRY(hy_flight_wait(cube, messages, count, any));
  hy_trace_waited(cube, messages, count);
  return HYLA_OK;
}

hyla_status hy_link_wait_any(hyla_cube *cube, struct hy_message *messages, int count) {
  return wait(cube, messages, count, true);
}

hyla_status hy_link_wait(hyla_cube *cube, struct hy_message *messages, int count) {
  return wait(cube, messages, count, false);
}

hyla_status hy_link_return(hyla_cube *cube, struct hy_message *messages, int count) {
  TRY(hy_cube_usable(cube));
  if (hy_cube_counts(cube) || cube->address < 0) return HYLA_OK;
  for (int i = 0; i < count; i++)
    if (messages[i].verb == HY_BORROW) TRY(hy_flight_give_back(cube, &messages[i]));
  TRY(hy_flight_wait(cube, messages, count, false));
  hy_trace_waited(cube, messages, count);
  for (int i = 0; i < count; i++) messages[i].seen = NULL;
  return HYLA_OK;
}

static int64_t observe(hyla_cube *cube, int64_t packet, int64_t message, int64_t bytes) {
  struct hy_link *link = cube->network.link;
  if (link == NULL || link->kind->observe == NULL) return 0;
  return link->kind->observe(link, packet, message, bytes);
}

void hy_observe_begin(hyla_cube *cube) { (void)observe(cube, -1, 0, 0); }

void hy_observe_need(hyla_cube *cube, int64_t packet, int64_t message) {
  if (message > 0) (void)observe(cube, packet, message, 0);
}

int64_t hy_observe_pass(hyla_cube *cube, int64_t packet, int64_t bytes) {
  return observe(cube, packet, 0, bytes);
}

void hy_part(hyla_cube *cube, const char *name) {
  struct hy_link *link = cube->network.link;
  if (link != NULL && link->kind->part != NULL) link->kind->part(link, name);
}

hyla_status hy_link_poll(hyla_cube *cube) {
  TRY(hy_cube_usable(cube));
  return hy_cube_counts(cube) || cube->address < 0 ? HYLA_OK : hy_flight_poll(cube);
}

hyla_status hy_link_step(hyla_cube *cube, struct hy_message *messages, int count) {
  TRY(hy_link_start(cube, messages, count));
  return hy_link_wait(cube, messages, count);
}

hyla_status hy_exchange(hyla_cube *cube, int peer, const void *out, int64_t out_bytes, void *in,
                        int64_t in_bytes) {
  if (cube->address < 0) return HYLA_OK;
  if (peer == cube->address && out_bytes == in_bytes) {
    if (in_bytes > 0 && !hy_cube_dry(cube)) memcpy(in, out, (size_t)in_bytes);
    return HYLA_OK;
  }
  struct hy_message pair[] = {
      {.verb = HY_RECV, .peer = peer, .bytes = in_bytes, .data = in},
      {.verb = HY_SEND, .peer = peer, .bytes = out_bytes, .data = (void *)(uintptr_t)out},
  };
  return hy_link_step(cube, pair, 2);
}

void hy_compute(hyla_cube *cube, int64_t flops, size_t size, bool complex_type) {
  struct hy_link *link = cube->network.link;
  hy_trace_mark(cube, HY_SPAN_COMPUTE);
  int64_t before = atomic_load_explicit(&cube->network.operations, memory_order_relaxed);
  atomic_store_explicit(&cube->network.operations, before + flops, memory_order_relaxed);
  hy_count_flops(cube, flops);
  if (link == NULL || link->kind->compute == NULL) return;
  link->kind->compute(link, hy_machine_operations(flops, size, complex_type));
}

int64_t hyla_cube_operations(const hyla_cube *cube) {
  return cube != NULL ? atomic_load_explicit(&cube->network.operations, memory_order_relaxed) : 0;
}
