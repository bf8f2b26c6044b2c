/* Alarms: a rank that gives up tells its neighbours; they give up and tell theirs.
 *
 * After a failure of communication no agreement is possible.  Alarms still bring the failure to all
 * ranks soon, with one status and message, and no rank waits for its own time limit.  Ranks look
 * for alarms while they wait and at the end of every agreement: a rank that comes late may find the
 * verdicts of ranks that gave up long ago.
 *
 * An alarm names the number of agreements that its rank had completed.  A rank that has completed
 * fewer finishes these first, since what was agreed must hold on all ranks. */
#include "cube/link.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Neighbour number i of this rank; -1 if there is no such neighbour. */
enum { NEIGHBOURS = HYLA_DIMS_MAX + 1 };
static int neighbour(const hyla_cube *cube, int i) {
  const int rank = cube->network.link->rank, core = hy_core(cube);
  if (i == 0) return hy_beside(cube, rank);
  return rank < core && 1 << (i - 1) < core ? rank ^ 1 << (i - 1) : -1;
}

/* Tests a transfer for a while.  Alarms are small and need no receiver to be on their way. */
static void settle(struct hy_link *link, void **request, int64_t bytes) {
  enum { PATIENCE = 1000 };
  bool done = false;
  hyla_status status = HYLA_OK;
  struct hy_moment end = {0};
  for (int64_t polls = 0; polls < PATIENCE && !done && status == HYLA_OK; polls++) {
    status = link->kind->test(link, request, bytes, &done, &end);
    if (!done && status == HYLA_OK) status = link->kind->idle(link, polls, -1);
  }
  if (!done) link->kind->cancel(link, request);
}

static uint64_t sum_of(const struct hy_alarm *alarm) {
  return hy_fingerprint(0, alarm, offsetof(struct hy_alarm, sum));
}

/* The rank that raised the alarm has given up, whatever its reason was. */
static void say_damaged(const hyla_cube *cube, int rank, struct hy_alarm *alarm) {
  *alarm = (struct hy_alarm){.status = HYLA_COMMUNICATION, .agreements = cube->ranks.agreements};
  snprintf(alarm->message, sizeof alarm->message,
           "%s: rank %d has given up; its reason did not come whole to rank %d", cube->session.call,
           rank, cube->network.link->rank);
}

/* Tells this rank's neighbours that it gives up, and why. */
static void raise_alarm(hyla_cube *cube, int except) {
  struct hy_link *link = cube->network.link;
  /* On the stage of a rehearsal the message of a lower failure is in the books of the link. */
  if (cube->base.message[0] == '\0' && link->base->message[0] != '\0') {
    cube->base.status = link->base->status;
    memcpy(cube->base.message, link->base->message, sizeof cube->base.message);
  }
  struct hy_alarm alarm = {.status = cube->base.status, .agreements = cube->ranks.agreements};
  hy_message_sign(&cube->base);
  memcpy(alarm.message, cube->base.message, sizeof alarm.message);
  alarm.sum = sum_of(&alarm);
  for (int i = 0; i < NEIGHBOURS; i++) {
    void *request = NULL;
    int rank = neighbour(cube, i);
    if (rank < 0 || rank == except) continue;
    if (link->kind->send(link, rank, HY_ALARM, &alarm, sizeof alarm, &request) == HYLA_OK)
      settle(link, &request, -1);
  }
  /* A neighbour that cannot be told has its own time limit.  The first failure stays the one to
   * report. */
  cube->base.status = (hyla_status)alarm.status;
  memcpy(cube->base.message, alarm.message, sizeof alarm.message);
}

void hy_cube_break(hyla_cube *cube, int except) {
  struct hy_link *link = cube->network.link;
  cube->network.broken = true;
  for (struct hy_message *m = link->first; m != NULL; m = m->flight.next)
    for (int slot = 0; slot < 2; slot++) {
      struct hy_flight *f = &m->flight;
      if (f->busy[slot] && link->kind->lingers) cube->base.stays_mapped = true;
      if (f->busy[slot]) link->kind->cancel(link, &f->request[slot]);
      if (f->checking[slot]) link->kind->cancel(link, &f->check[slot].request);
    }
  link->first = NULL;
  raise_alarm(cube, except);
}

/* Receives the alarms that have arrived and keeps the one with the fewest agreements. */
static hyla_status take_alarms(hyla_cube *cube) {
  struct hy_link *link = cube->network.link;
  for (int i = 0; i <= cube->dims && link->alarms != 0; i++) {
    int rank = neighbour(cube, i);
    struct hy_alarm alarm = {.status = HYLA_OK};
    if (rank < 0 || link->kind->probe(link, rank, HY_ALARM) != (int64_t)sizeof alarm) continue;
    void *request = NULL;
    TRY(link->kind->recv(link, rank, HY_ALARM, &alarm, sizeof alarm, &request));
    settle(link, &request, sizeof alarm);
    if (alarm.sum != sum_of(&alarm)) say_damaged(cube, rank, &alarm);
    alarm.rank = rank;
    bool earlier = link->alarm.status == HYLA_OK || alarm.agreements < link->alarm.agreements;
    if (alarm.status != HYLA_OK && earlier) link->alarm = alarm;
  }
  return HYLA_OK;
}

hyla_status hy_alarm_listen(hyla_cube *cube) {
  const struct hy_alarm *alarm = &cube->network.link->alarm;
  TRY(take_alarms(cube));
  if (alarm->status == HYLA_OK || alarm->agreements > cube->ranks.agreements) return HYLA_OK;
  cube->base.status = (hyla_status)alarm->status;
  memcpy(cube->base.message, alarm->message, sizeof alarm->message);
  hy_cube_break(cube, (int)alarm->rank);
  return cube->base.status;
}
