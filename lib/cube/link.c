/* Messages between nodes, as the rooms above see them: checks of arguments and the ledger, above
 * flight.c. */
#include "cube/trace.h"

#include <stdatomic.h>
#include <string.h>

/* The dimension, or the port of the network that all messages of collectives take, over which a
 * message goes; -1: its peer is no neighbour, or there are several networks. */
static int link_of(const hyla_cube *cube, int peer, int port) {
  const uint32_t way = (uint32_t)(peer ^ cube->address);
  if (port > 0) return port <= hy_cube_ports(cube) ? port - 1 : -1;
  return hy_popcount(way) == 1 ? hy_lowest(way) : -1;
}

static void count_message(hyla_cube *cube, int peer, int port, int64_t bytes) {
  hyla_ledger *ledger = &cube->network.ledger;
  const int link = link_of(cube, peer, port);
  if (link >= 0) {
    ledger->messages[link]++;
    ledger->bytes[link] += bytes;
  } else {
    ledger->far_messages++;
    ledger->far_bytes += bytes;
  }
}

static hyla_status check_peer(hyla_cube *cube, int peer, int port, int64_t bytes) {
  const bool exists = port > 0 ? peer >= 0 && peer < cube->ranks.all : hy_has_node(cube, peer);
  if (exists && bytes >= 0) return HYLA_OK;
  (void)hy_fail(&cube->base, HYLA_ARGUMENT, "%s: no message of %lld bytes to node %d is possible",
                cube->session.call, (long long)bytes, peer);
  if (!hy_cube_counts(cube)) hy_cube_break(cube, -1);
  return HYLA_ARGUMENT;
}

/* On a counting cube a message ends at once.  `seen' of a borrow then points at no memory. */
static void end_at_once(hyla_cube *cube, struct hy_message *m) {
  bool in_place = hy_flight_in_place(m);
  m->seen = in_place ? hy_window_peer(m->window, m->peer) : m->data;
  if (in_place && m->verb == HY_LEND) cube->network.counted.lent += m->bytes;
}

/* *travels is set if the message travels. */
static hyla_status start(hyla_cube *cube, struct hy_message *m, bool *travels) {
  TRY(check_peer(cube, m->peer, m->port, m->bytes));
  m->rank = m->port > 0 ? m->peer : hy_rank_at(cube, m->peer);
  /* Before it leaves: it may arrive, and be noted there, while its sender stands still. */
  hy_trace_start(cube, m);
  if (hy_cube_counts(cube))
    end_at_once(cube, m);
  else
    TRY(hy_flight_start(cube, m, HY_DATA));
  if (m->bytes == 0 || m->rank == cube->base.rank) return HYLA_OK;
  *travels = true;
  if (m->verb == HY_SEND || m->verb == HY_LEND) count_message(cube, m->peer, m->port, m->bytes);
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

/* -------------------------------------------------------- light messages -- */

bool hy_link_is_light(const hyla_cube *cube) {
  const struct hy_link *link = cube->network.link;
  return link != NULL && link->kind->reach != NULL && link->piece == INT64_MAX && !link->checked &&
         link->first == NULL && cube->network.trace == NULL;
}

/* Gives up those that are under way. */
static void drop_lights(hyla_cube *cube, struct hy_light *lights, int count) {
  struct hy_link *link = cube->network.link;
  for (int i = 0; i < count; i++) {
    if (lights[i].busy) link->kind->cancel(link, &lights[i].request);
    lights[i].busy = false;
  }
  if (!cube->network.broken) hy_cube_break(cube, -1);
}

static hyla_status start_light(hyla_cube *cube, struct hy_light *m) {
  struct hy_link *link = cube->network.link;
  TRY(check_peer(cube, m->peer, m->port, m->bytes));
  const int rank = m->port > 0 ? m->peer : hy_rank_at(cube, m->peer);
  const int tag = hy_flight_tag(link, HY_DATA, m->bytes);
  link->leaves = -1;
  if (m->out)
    TRY(link->kind->send(link, rank, tag, m->data, m->bytes, &m->request));
  else
    TRY(link->kind->recv(link, rank, tag, m->data, m->bytes, &m->request));
  m->busy = true;
  if (m->out && m->peer != cube->address) count_message(cube, m->peer, m->port, m->bytes);
  return HYLA_OK;
}

hyla_status hy_light_start(hyla_cube *cube, struct hy_light *lights, int count) {
  bool mine = cube->address >= 0, travels = false;
  TRY(hy_cube_usable(cube));
  for (int i = 0; i < count; i++) {
    lights[i].busy = false;
    lights[i].end = (struct hy_moment){0};
    mine = mine || lights[i].port > 0;
    travels = travels || lights[i].peer != cube->address;
  }
  if (!mine) return HYLA_OK;
  cube->session.step++;
  for (int i = 0; i < count; i++) {
    const hyla_status status = start_light(cube, &lights[i]);
    if (status != HYLA_OK) drop_lights(cube, lights, count);
    TRY(status);
  }
  cube->network.ledger.steps += travels;
  hy_log(&cube->base, 2, "%s: step %lld, %d messages", cube->session.call,
         (long long)cube->session.step, count);
  return HYLA_OK;
}

/* Waits as hy_flight_wait does, without a watchdog: virtual clocks stand still meanwhile. */
static hyla_status wait_for_lights(hyla_cube *cube, struct hy_light *lights, int count) {
  struct hy_link *link = cube->network.link;
  for (int64_t polls = 0;; polls++) {
    const struct hy_light *missing = NULL;
    for (int i = 0; i < count; i++) {
      struct hy_light *m = &lights[i];
      bool done = !m->busy;
      if (done) continue;
      TRY(link->kind->test(link, &m->request, m->out ? -1 : m->bytes, &done, &m->end));
      m->busy = !done;
      if (done) polls = 0;
      if (!done && missing == NULL) missing = m;
    }
    if (missing == NULL) return HYLA_OK;
    if (link->alarm.status != HYLA_OK) TRY(hy_alarm_listen(cube));
    TRY(link->kind->idle(link, polls, missing->peer));
    if (polls > 0) TRY(hy_alarm_listen(cube));
  }
}

hyla_status hy_light_wait(hyla_cube *cube, struct hy_light *lights, int count) {
  struct hy_link *link = cube->network.link;
  TRY(hy_cube_usable(cube));
  const hyla_status status = wait_for_lights(cube, lights, count);
  if (status != HYLA_OK) drop_lights(cube, lights, count);
  TRY(status);
  for (int i = 0; i < count; i++) link->kind->reach(link, &lights[i].end);
  return HYLA_OK;
}

/* ----------------------------------------------------------------- scripts -- */

static hyla_status count_lines(hyla_cube *cube, const struct hy_script *script) {
  const struct hy_script_line *lines = script->lines;
  for (int i = 0; i < script->count; i++) {
    TRY(check_peer(cube, lines[i].peer, 0, lines[i].bytes));
    if (lines[i].out) count_message(cube, lines[i].peer, 0, lines[i].bytes);
    if (i > 0 && lines[i].step == lines[i - 1].step) continue;
    cube->session.step++;
    cube->network.ledger.steps++;
  }
  return HYLA_OK;
}

hyla_status hy_script_run(hyla_cube *cube, const struct hy_script *script, bool *played) {
  struct hy_link *link = cube->network.link;
  *played = false;
  TRY(hy_cube_usable(cube));
  if (hy_cube_counts(cube)) {
    *played = script->able;
    if (!script->able) return HYLA_OK;
    TRY(count_lines(cube, script));
    for (int i = 0; i < script->count && script->add != NULL; i++)
      if (script->lines[i].adds) script->add(script->arg, script->lines[i].bytes);
    return HYLA_OK;
  }
  if (link->kind->play == NULL || !hy_cube_dry(cube)) return HYLA_OK;
  struct hy_script on_ranks = *script;
  on_ranks.able &= hy_link_is_light(cube) && cube->base.log_level < 2;
  on_ranks.first = hy_rank_at(cube, script->first);
  for (int i = 0; i < script->count; i++)
    script->lines[i].rank = hy_rank_at(cube, script->lines[i].peer);
  const hyla_status status = link->kind->play(link, &on_ranks, played);
  if (status != HYLA_OK && !cube->network.broken) hy_cube_break(cube, -1);
  TRY(status);
  return *played ? count_lines(cube, script) : HYLA_OK;
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

double hyla_cube_file_share(const hyla_cube *cube) {
  if (cube == NULL) return -1;
  const int64_t whole = atomic_load_explicit(&cube->session.file_whole, memory_order_relaxed);
  const int64_t done = atomic_load_explicit(&cube->session.file_done, memory_order_relaxed);
  return whole > 0 ? (double)hy_min(done, whole) / (double)whole : -1;
}

int64_t hyla_cube_operations(const hyla_cube *cube) {
  return cube != NULL ? atomic_load_explicit(&cube->network.operations, memory_order_relaxed) : 0;
}
