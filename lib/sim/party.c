/* Collectives in which each member needs all others, without words: the last member to come moves
 * the messages of all, step by step, and no node takes a turn meanwhile.
 *
 * Each message is booked and taken as link_sim.c does it for one that its node sends itself, so
 * that all clocks, links and ports come out alike.  (They need not in the end: turns come in
 * another order then, and later messages that are not awaited in order may meet otherwise.)  The
 * order of the nodes' turns could matter only where messages of two nodes want the same link.  So
 * members whose messages cross a link of another node play apart, that is, each for itself; so do
 * they all if one has other messages under way, or if their scripts do not fit together, which
 * their own messages will tell.  Whoever watches messages, or loses them, gets them one by one. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* A line, as the party keeps it: beside those of the other members, since members' stacks lie far
 * apart.
 *   start, end  of the message, once it is under way; end is negative before
 *   to          the other node's place in the party
 *   partner     the other node's line, by its number in the party */
struct line {
  double start, end;
  int64_t bytes;
  int32_t rank, to, partner, step;
  bool out, adds;
};

/* at: the line that comes next.  sent: what goes out in its step does.  waits: for a message. */
struct member {
  struct hy_sim_node *node;
  void (*add)(void *arg, int64_t bytes);
  void *arg;
  int count, at;
  bool sent, waits;
};

/* Members of a group, which its first node keeps.
 * within  the bits of addresses in which they differ
 * come    how many are in the present collective
 * apart   it is played apart
 * room    for the lines of each member
 * ready   places of members that can go on */
struct hy_sim_party {
  struct hy_sim_party *next;
  uint32_t within;
  int members, come, room, ready_count;
  bool apart;
  struct line *lines;
  int *ready;
  struct member member[];
};

static struct hy_sim_node *own(struct hy_link *link) { return (struct hy_sim_node *)link; }

/* ---------------------------------------------------------------- parties -- */

static struct hy_sim_party *make_party(const struct hy_script *script) {
  struct hy_sim_party *party =
      malloc(sizeof *party + (size_t)script->members * sizeof *party->member);
  if (party == NULL) return NULL;
  *party = (struct hy_sim_party){.within = script->within, .members = script->members};
  party->ready = malloc((size_t)script->members * sizeof *party->ready);
  if (party->ready != NULL) return party;
  free(party);
  return NULL;
}

static struct hy_sim_party *party_of(struct hy_sim_node *first, const struct hy_script *script) {
  struct hy_sim_party *party = first->parties;
  while (party != NULL && (party->within != script->within || party->members != script->members))
    party = party->next;
  if (party != NULL) return party;
  party = make_party(script);
  if (party == NULL) return NULL;
  party->next = first->parties;
  return first->parties = party;
}

void hy_sim_parties_free(struct hy_sim_node *node) {
  for (struct hy_sim_party *party = node->parties, *next; party != NULL; party = next) {
    next = party->next;
    free(party->lines);
    free(party->ready);
    free(party);
  }
  node->parties = NULL;
}

static struct line *lines_of(const struct hy_sim_party *party, int place) {
  return party->lines + (int64_t)place * party->room;
}

/* Makes room for `count' lines of each member, and for one of a member that sends nothing: an
 * address is defined only within an array. */
static hyla_status make_room(struct hy_base *base, struct hy_sim_party *party, int count) {
  if (count < 1) count = 1;
  if (count <= party->room) return HYLA_OK;
  struct line *lines = malloc((size_t)party->members * (size_t)count * sizeof *lines);
  CHECK(base, lines != NULL, MEMORY, "out of memory in the simulator");
  for (int i = 0; i < party->come; i++)
    memcpy(lines + (int64_t)i * count, lines_of(party, i),
           (size_t)party->member[i].count * sizeof *lines);
  free(party->lines);
  party->lines = lines;
  party->room = count;
  return HYLA_OK;
}

static hyla_status come(struct hy_sim_node *node, struct hy_sim_party *party,
                        const struct hy_script *script) {
  TRY(make_room(node->link.base, party, script->count));
  struct line *lines = lines_of(party, party->come);
  for (int i = 0; i < script->count; i++) {
    const struct hy_script_line *from = &script->lines[i];
    lines[i] = (struct line){.end = -1,
                             .bytes = from->bytes,
                             .rank = from->rank,
                             .partner = -1,
                             .step = from->step,
                             .out = from->out,
                             .adds = from->adds};
  }
  node->place = party->come;
  node->joined = HY_SIM_GATHERING;
  party->member[party->come++] =
      (struct member){.node = node, .add = script->add, .arg = script->arg, .count = script->count};
  return HYLA_OK;
}

/* Those who wait learn what has become of the collective. */
static void wake(struct hy_sim_party *party, enum hy_sim_joined joined) {
  for (int i = 0; i < party->come; i++) {
    struct hy_sim_node *node = party->member[i].node;
    if (node->joined != HY_SIM_GATHERING) continue;
    node->joined = joined;
    if (node->state == HY_SIM_WAITING) hy_simulator_make_ready(node);
  }
}

static void play_apart(struct hy_sim_party *party) {
  party->apart = true;
  wake(party, HY_SIM_APART);
}

/* ------------------------------------------------------------------ lines -- */

/* The place of the receiver's line of a message, which is likely to be the same or the next one;
 * -1: there is none. */
static int find_partner(const struct hy_sim_party *party, const struct line *line, int rank,
                        int index) {
  const struct line *lines = lines_of(party, line->to);
  const int count = party->member[line->to].count;
  for (int tried = 0, at = index + 1; tried < count; tried++, at++) {
    if (at >= count) at = 0;
    const struct line *other = &lines[at];
    if (!other->out && other->rank == rank && other->step == line->step &&
        other->bytes == line->bytes && other->partner < 0)
      return at;
  }
  return -1;
}

/* Does the message cross links of its own node alone? */
static bool is_near(const struct hy_simulator *s, const struct hy_sim_node *from,
                    const struct hy_sim_node *to) {
  return hy_sim_is_switch(s) ||
         (s->peer == NULL && hy_popcount((uint32_t)(from->link.rank ^ to->link.rank)) == 1);
}

/* Finds the receiver of what a member sends; false: it is none of the party, or expects something
 * else.  *open: plus the messages out, minus those in. */
static bool pair_member(const struct hy_simulator *s, struct hy_sim_party *party, int place,
                        int64_t *open) {
  const struct member *from = &party->member[place];
  struct line *lines = lines_of(party, place);
  for (int i = 0; i < from->count; i++) {
    struct line *line = &lines[i];
    *open += line->out ? 1 : -1;
    if (!line->out) continue;
    const struct hy_sim_node *to = &s->node[line->rank];
    line->to = to->place;
    if (to->place >= party->members || party->member[to->place].node != to) return false;
    if (!is_near(s, from->node, to)) return false;
    const int at = find_partner(party, line, from->node->link.rank, i);
    if (at < 0) return false;
    line->partner = at;
    lines_of(party, to->place)[at].partner = i;
  }
  return true;
}

static bool pair_lines(const struct hy_simulator *s, struct hy_sim_party *party, int64_t *count) {
  int64_t open = 0;
  *count = 0;
  for (int i = 0; i < party->members; i++) {
    *count += party->member[i].count;
    if (!pair_member(s, party, i, &open)) return false;
  }
  return open == 0;
}

/* ------------------------------------------------------------------- play -- */

/* Books what the member sends in its step. */
static hyla_status send_lines(struct hy_simulator *s, struct hy_sim_party *party, struct member *m,
                              struct line *lines) {
  const int step = lines[m->at].step;
  for (int i = m->at; i < m->count && lines[i].step == step; i++) {
    if (!lines[i].out) continue;
    struct hy_sim_message p = {.tag = HY_DATA, .bytes = lines[i].bytes};
    TRY(hy_sim_book(m->node, &s->node[lines[i].rank], &p));
    struct line *partner = &lines_of(party, lines[i].to)[lines[i].partner];
    struct member *to = &party->member[lines[i].to];
    lines[i].end = partner->end = p.end;
    partner->start = p.start;
    if (to->waits) party->ready[party->ready_count++] = lines[i].to;
    to->waits = false;
  }
  m->sent = true;
  return HYLA_OK;
}

/* Where the lines of the member's step end; -1: a message has not been sent yet. */
static int end_of_step(const struct member *m, const struct line *lines) {
  int i = m->at;
  for (; i < m->count && lines[i].step == lines[m->at].step; i++)
    if (lines[i].end < 0) return -1;
  return i;
}

/* Takes what comes in the member's step, and goes on to the next one. */
static hyla_status receive_lines(struct member *m, const struct line *lines, int behind) {
  double clock = m->node->clock;
  for (int i = m->at; i < behind; i++) {
    double end = lines[i].end;
    if (!lines[i].out) {
      const struct hy_sim_message p = {
          .bytes = lines[i].bytes, .start = lines[i].start, .end = lines[i].end};
      TRY(hy_sim_arrival(m->node, &p, &end));
    }
    clock = hy_later(clock, end);
  }
  m->node->clock = clock;
  for (; m->at < behind; m->at++)
    if (lines[m->at].adds && m->add != NULL) m->add(m->arg, lines[m->at].bytes);
  m->sent = false;
  return HYLA_OK;
}

/* Plays a member's steps until it waits or ends. */
static hyla_status go_on(struct hy_simulator *s, struct hy_sim_party *party, int place) {
  struct member *m = &party->member[place];
  struct line *lines = lines_of(party, place);
  while (m->at < m->count) {
    if (!m->sent) TRY(send_lines(s, party, m, lines));
    const int behind = end_of_step(m, lines);
    m->waits = behind < 0;
    if (m->waits) return HYLA_OK;
    TRY(receive_lines(m, lines, behind));
  }
  return HYLA_OK;
}

/* Those that have waited go on first, the last one before the others, so that few members are at
 * work at a time and stay in the caches. */
static hyla_status play_lines(struct hy_simulator *s, struct hy_sim_party *party) {
  party->ready_count = 0;
  for (int i = 0; i < party->members; i++) {
    TRY(go_on(s, party, i));
    while (party->ready_count > 0) TRY(go_on(s, party, party->ready[--party->ready_count]));
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------- come -- */

/* The same on all nodes: may scripts be played here? */
static bool allows(const struct hy_sim_node *node) {
  const hyla_simulation *model = node->simulator->model;
  const bool watched = model->observer != NULL && node->rehearses == 0;
  return !watched && model->fault == HYLA_FAULT_NONE && model->lost_count == 0 && model->limit <= 0;
}

/* Waits for the last member. */
static hyla_status gather(struct hy_sim_node *node, struct hy_sim_party *party) {
  struct hy_simulator *s = node->simulator;
  while (node->joined == HY_SIM_GATHERING) {
    if (node->link.alarms > 0) play_apart(party);
    if (node->joined != HY_SIM_GATHERING) break;
    if (!s->stuck) hy_simulator_wait(node);
    CHECK(node->link.base, !s->stuck, COMMUNICATION, "%s", s->who_waits);
  }
  return HYLA_OK;
}

/* All have come. */
static hyla_status end_party(struct hy_simulator *s, struct hy_sim_party *party) {
  hyla_status status = HYLA_OK;
  int64_t count = 0;
  if (!party->apart && !pair_lines(s, party, &count)) play_apart(party);
  if (!party->apart) {
    hy_sim_learn_past(s, count / 2);
    status = play_lines(s, party);
    wake(party, HY_SIM_PLAYED);
  }
  party->come = 0;
  party->apart = false;
  return status;
}

hyla_status hy_sim_play(struct hy_link *link, const struct hy_script *script, bool *played) {
  struct hy_sim_node *node = own(link);
  struct hy_simulator *s = node->simulator;
  *played = false;
  if (!allows(node)) return HYLA_OK;
  struct hy_sim_party *party = party_of(&s->node[script->first], script);
  CHECK(link->base, party != NULL, MEMORY, "out of memory in the simulator");
  TRY(come(node, party, script));
  link->leaves = -1;
  if (!script->able || link->alarms > 0 || party->apart) play_apart(party);
  if (script->count > 0) node->missing_from = script->lines[0].rank;
  if (party->come == party->members)
    TRY(end_party(s, party));
  else
    TRY(gather(node, party));
  *played = node->joined == HY_SIM_PLAYED;
  return HYLA_OK;
}
