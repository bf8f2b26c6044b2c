/* Messages in flight: pieces, loans, waiting, the watchdog.
 *
 * A message travels in pieces of at most link->piece bytes, the shorter one first.  Two pieces are
 * under way at a time.  Pieces of one stream between two ranks are posted in the order in which
 * their messages were started, so they match.  The tag contains the stream and the size of the
 * message.  Ranks that do different things therefore find no match, instead of a wrong one, and the
 * watchdog reports it.
 *
 * A loan in place sends only a notice: the window, the offset, the number of bytes, and the number
 * under which the loan is returned. */
#include "cube/link.h"
#include "cube/window.h"

#include <stdatomic.h>

enum { LOANS = 4096 }; /* most loans that are out at a time */

enum notice { NOTICE_WINDOW, NOTICE_OFFSET, NOTICE_BYTES, NOTICE_LOAN };

/* Divisions are slow; most numbers are small, and most messages one piece. */
int hy_flight_tag(const struct hy_link *link, enum hy_stream stream, int64_t number) {
  const int numbers = link->tags / HY_STREAMS;
  return (int)(number < numbers ? number : number % numbers) * HY_STREAMS + (int)stream;
}

static int64_t pieces_of(const struct hy_link *link, int64_t bytes) {
  return bytes <= link->piece ? 1 : hy_ceil_div(bytes, link->piece);
}

static bool goes_out(const struct hy_message *m) {
  return m->verb == HY_SEND || m->verb == HY_LEND;
}

bool hy_flight_in_place(const struct hy_message *m) {
  return (m->verb == HY_LEND || m->verb == HY_BORROW) && m->window != NULL &&
         hy_window_peer(m->window, m->peer) != NULL;
}

static int64_t piece_length(const struct hy_flight *f, int64_t limit, int64_t piece) {
  return piece == 0 ? f->bytes - (f->pieces - 1) * limit : limit;
}

static int64_t piece_start(const struct hy_flight *f, int64_t limit, int64_t piece) {
  return piece == 0 ? 0 : f->bytes - (f->pieces - piece) * limit;
}

/* Starts one transfer in a slot and, if messages are checked, the transfer of its check. */
static hyla_status post(struct hy_link *link, struct hy_message *m, int slot, bool out, int tag,
                        void *data, int64_t bytes) {
  struct hy_flight *f = &m->flight;
  if (out)
    TRY(link->kind->send(link, m->rank, tag, data, bytes, &f->request[slot]));
  else
    TRY(link->kind->recv(link, m->rank, tag, data, bytes, &f->request[slot]));
  f->length[slot] = out ? -1 : bytes;
  f->busy[slot] = true;
  if (!link->checked) return HYLA_OK;
  const bool returns = tag % HY_STREAMS == HY_GIVE_BACK;
  f->check[slot] = (struct hy_check){.out = out,
                                     .piece = data,
                                     .bytes = f->bare ? 0 : bytes,
                                     .number = returns ? f->notice[NOTICE_LOAN] : 0};
  TRY(hy_check_post(link, m->rank, tag, &f->check[slot]));
  f->checking[slot] = true;
  return HYLA_OK;
}

/* Must the pieces of this message wait for those of an earlier one? */
static bool held_up(const struct hy_link *link, const struct hy_message *m) {
  for (const struct hy_message *e = link->first; e != m && e != NULL; e = e->flight.next)
    if (e->rank == m->rank && goes_out(e) == goes_out(m) && e->flight.posted < e->flight.pieces)
      return true;
  return false;
}

static bool free_slot(const struct hy_flight *f, int64_t slot) {
  return !f->busy[slot] && !f->checking[slot];
}

static hyla_status post_pieces(struct hy_link *link, struct hy_message *m) {
  struct hy_flight *f = &m->flight;
  while (f->posted < f->pieces && free_slot(f, f->posted % 2) && !held_up(link, m)) {
    int slot = (int)(f->posted % 2);
    int64_t length = piece_length(f, link->piece, f->posted);
    char *data = f->data + piece_start(f, link->piece, f->posted);
    link->leaves = m->timed ? m->leaves : -1;
    link->packet = m->packet;
    TRY(post(link, m, slot, goes_out(m), f->tag, data, length));
    f->posted++;
  }
  return HYLA_OK;
}

static int tag_of_return(const struct hy_link *link, const struct hy_flight *f) {
  return hy_flight_tag(link, HY_GIVE_BACK, f->notice[NOTICE_LOAN] % LOANS);
}

/* Fills in the notice of a loan and receives its return in the free slot. */
static hyla_status lend(struct hy_link *link, struct hy_message *m) {
  struct hy_flight *f = &m->flight;
  int64_t offset = hy_window_offset(m->window, m->data, m->bytes);
  CHECK(link->base, offset >= 0, ARGUMENT, "a loan to rank %d does not lie in its window", m->rank);
  f->notice[NOTICE_WINDOW] = m->window->number;
  f->notice[NOTICE_OFFSET] = offset;
  f->notice[NOTICE_BYTES] = m->bytes;
  f->notice[NOTICE_LOAN] = link->loans++;
  /* Writes to the block must be visible before the notice is. */
  atomic_thread_fence(memory_order_seq_cst);
  f->wanted = 2;
  return post(link, m, 1, false, tag_of_return(link, f), f->notice, 0);
}

/* Completes a borrow whose bytes or notice have arrived. */
static hyla_status borrow(struct hy_link *link, struct hy_message *m) {
  m->seen = m->data;
  if (!hy_flight_in_place(m)) return HYLA_OK;
  const struct hy_flight *f = &m->flight;
  int64_t offset = f->notice[NOTICE_OFFSET];
  CHECK(link->base,
        f->notice[NOTICE_WINDOW] == m->window->number && f->notice[NOTICE_BYTES] == m->bytes &&
            offset >= 0 && offset + m->bytes <= hy_window_peer_bytes(m->window, m->peer),
        COMMUNICATION,
        "rank %d lent %lld bytes of window %lld where %lld of window %lld were expected: the ranks "
        "do different things",
        m->rank, (long long)f->notice[NOTICE_BYTES], (long long)f->notice[NOTICE_WINDOW],
        (long long)m->bytes, (long long)m->window->number);
  atomic_thread_fence(memory_order_seq_cst);
  m->seen = (const char *)hy_window_peer(m->window, m->peer) + offset;
  return HYLA_OK;
}

static void append(struct hy_link *link, struct hy_message *m) {
  struct hy_message **end = &link->first;
  while (*end != NULL) end = &(*end)->flight.next;
  m->flight.next = NULL;
  *end = m;
}

/* Sets all fields but the last ones. */
static void begin(struct hy_flight *f, const struct hy_message *m, bool bare) {
  f->next = NULL;
  f->data = m->data;
  f->bytes = m->bytes;
  f->pieces = f->posted = f->ended = f->wanted = 0;
  f->end = (struct hy_moment){0};
  f->busy[0] = f->busy[1] = f->checking[0] = f->checking[1] = f->reached = false;
  f->bare = bare;
}

hyla_status hy_flight_start(hyla_cube *cube, struct hy_message *m, enum hy_stream stream) {
  struct hy_link *link = cube->network.link;
  struct hy_flight *f = &m->flight;
  begin(f, m, stream == HY_DATA && hy_cube_dry(cube));
  m->seen = NULL;
  if (m->bytes == 0) {
    m->seen = m->data;
    return HYLA_OK;
  }
  hyla_status status = HYLA_OK;
  if (hy_flight_in_place(m)) {
    f->data = (char *)f->notice;
    f->bytes = sizeof f->notice;
  }
  f->pieces = pieces_of(link, f->bytes);
  f->wanted = f->pieces;
  f->tag = hy_flight_tag(link, stream, f->bytes);
  if (hy_flight_in_place(m) && m->verb == HY_LEND) status = lend(link, m);
  append(link, m);
  if (status == HYLA_OK) status = post_pieces(link, m);
  if (status != HYLA_OK) hy_cube_break(cube, -1);
  return status;
}

hyla_status hy_flight_give_back(hyla_cube *cube, struct hy_message *m) {
  struct hy_link *link = cube->network.link;
  struct hy_flight *f = &m->flight;
  if (m->bytes == 0 || !hy_flight_in_place(m)) return HYLA_OK;
  /* Reads of the block must be done before the lender learns of the return. */
  atomic_thread_fence(memory_order_seq_cst);
  f->ended = 0;
  f->wanted = 1;
  append(link, m);
  hyla_status status = post(link, m, 0, true, tag_of_return(link, f), f->notice, 0);
  if (status != HYLA_OK) hy_cube_break(cube, -1);
  return status;
}

/* Advances one message. */
static hyla_status advance(struct hy_link *link, struct hy_message *m, bool *moved) {
  struct hy_flight *f = &m->flight;
  for (int slot = 0; slot < 2; slot++) {
    struct hy_check *check = &f->check[slot];
    if (!f->busy[slot] && !f->checking[slot]) continue;
    bool here = !f->busy[slot];
    if (!here) TRY(link->kind->test(link, &f->request[slot], f->length[slot], &here, &f->end));
    f->busy[slot] = !here;
    bool checked = !f->checking[slot];
    if (!checked) TRY(hy_check_test(link, check, &checked));
    f->checking[slot] = !checked;
    if (f->busy[slot] || f->checking[slot]) continue;
    if (link->checked) TRY(hy_check_compare(link, m->rank, check));
    f->ended++;
    *moved = true;
  }
  TRY(post_pieces(link, m));
  bool came = m->verb == HY_BORROW && m->seen == NULL && f->ended == f->wanted;
  return came ? borrow(link, m) : HYLA_OK;
}

/* Advances all messages in flight and drops those that have ended. */
static hyla_status advance_all(struct hy_link *link, bool *moved) {
  struct hy_message **place = &link->first;
  while (*place != NULL) {
    struct hy_message *m = *place;
    TRY(advance(link, m, moved));
    if (m->flight.ended == m->flight.wanted)
      *place = m->flight.next;
    else
      place = &m->flight.next;
  }
  return HYLA_OK;
}

/* How many messages have not ended, and the first of them. */
static int missing_of(const struct hy_message *messages, int count,
                      const struct hy_message **first) {
  int missing = 0;
  for (int i = 0; i < count; i++)
    if (!hy_message_ended(&messages[i]) && missing++ == 0) *first = &messages[i];
  return missing;
}

static hyla_status out_of_time(hyla_cube *cube, const struct hy_message *m) {
  static const char *const what[] = {"to take", "to send", "to give back", "to lend"};
  struct hy_link *link = cube->network.link;
  int64_t stray = goes_out(m) ? -1 : link->kind->probe(link, m->rank, -1);
  if (stray >= 0) { /* it may be an alarm of a rank that gave up at the same moment */
    TRY(hy_alarm_listen(cube));
    stray = link->kind->probe(link, m->rank, -1);
  }
  CHECK(&cube->base, stray < 0, COMMUNICATION,
        "%s, step %lld: rank %d expected %lld bytes from rank %d, which sent %lld: they do "
        "different things",
        cube->session.call, (long long)cube->session.step, link->rank, (long long)m->flight.bytes,
        m->rank, (long long)stray);
  return hy_fail(&cube->base, HYLA_TIMEOUT,
                 "%s, step %lld: rank %d waited %g s for rank %d %s %lld bytes; is that rank still "
                 "running? HYLA_TIMEOUT sets the limit",
                 cube->session.call, (long long)cube->session.step, link->rank,
                 cube->network.timeout, m->rank, what[m->verb], (long long)m->bytes);
}

/* Waits until all messages have ended or, if `any', until one more has. */
static hyla_status wait_for(hyla_cube *cube, struct hy_message *messages, int count, bool any) {
  struct hy_link *link = cube->network.link;
  double since = 0;
  const struct hy_message *missing = NULL;
  const int at_first = missing_of(messages, count, &missing);
  for (int64_t polls = 0;; polls++) {
    const int left = missing_of(messages, count, &missing);
    if (left == 0 || (any && left < at_first)) return HYLA_OK;
    bool moved = false;
    TRY(advance_all(link, &moved));
    if (moved) {
      polls = -1;
      continue;
    }
    /* An alarm that came early counts once this rank has completed the agreements that it names. */
    if (link->alarm.status != HYLA_OK) TRY(hy_alarm_listen(cube));
    TRY(link->kind->idle(link, polls, any ? -1 : missing->rank));
    if (polls % link->watchdog != 0) continue;
    if (polls > 0) TRY(hy_alarm_listen(cube));
    if (cube->network.timeout <= 0) continue;
    double now = link->kind->clock(link);
    if (polls == 0) since = now;
    if (now - since >= cube->network.timeout) return out_of_time(cube, missing);
  }
}

/* With virtual clocks, marks that this rank has waited for the messages that have ended. */
static void reach(struct hy_link *link, struct hy_message *messages, int count) {
  for (int i = 0; i < count; i++) {
    struct hy_flight *f = &messages[i].flight;
    if (f->reached || !hy_message_ended(&messages[i])) continue;
    f->reached = true;
    link->kind->reach(link, &f->end);
  }
}

hyla_status hy_flight_wait(hyla_cube *cube, struct hy_message *messages, int count, bool any) {
  hyla_status status = wait_for(cube, messages, count, any);
  if (status == HYLA_OK && cube->network.link->kind->reach != NULL)
    reach(cube->network.link, messages, count);
  if (status != HYLA_OK && !cube->network.broken) hy_cube_break(cube, -1);
  return status;
}

hyla_status hy_flight_poll(hyla_cube *cube) {
  bool moved = false;
  hyla_status status = advance_all(cube->network.link, &moved);
  if (status != HYLA_OK && !cube->network.broken) hy_cube_break(cube, -1);
  return status;
}

hyla_status hy_control(hyla_cube *cube, int rank, const void *out, void *in, int64_t bytes) {
  struct hy_message pair[2];
  int count = 0;
  if (in != NULL)
    pair[count++] = (struct hy_message){
        .verb = HY_RECV, .peer = rank, .rank = rank, .bytes = bytes, .data = in};
  if (out != NULL)
    pair[count++] = (struct hy_message){.verb = HY_SEND,
                                        .peer = rank,
                                        .rank = rank,
                                        .bytes = bytes,
                                        .data = (void *)(uintptr_t)out};
  for (int i = 0; i < count; i++) TRY(hy_flight_start(cube, &pair[i], HY_CONTROL));
  return hy_flight_wait(cube, pair, count, false);
}
