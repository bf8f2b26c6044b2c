/* Plays periods with reservations: packets come at random and wait for their users' turns.
 *
 * A period serves one packet of each user that has one when it begins.  A user's packets come one
 * after the other at random distances, so its queue takes no memory: the time of its first packet
 * tells whether the user is active, and the next packet is drawn when that one has been served.
 *
 * Each user has a sequence of random numbers of its own.  Its packets come at the same times
 * whatever the periods' lengths are, so that two rules for lengths meet the same packets.
 *
 * A sixteenth of the time goes before the rest, uncounted.  Means are of all packets or periods,
 * and intervals are those of a ratio of sums over successive batches.
 * Reference: Varvarigos 1992, 4.2 and 4.3.  Memory: three words a user. */
#include "sim/periods.h"
#include "sim/slots.h"

#include <math.h>

/* The first packet that the user has not sent yet. */
struct user {
  double first;
  uint64_t random;
};

/* Sums over the counted packets and periods of a batch. */
struct batch {
  double periods, packets, square, delay, wait;
};

struct play {
  const struct hy_periods *p;
  struct user *user;
  int64_t *active; /* the users that send in this period, in their order */
  uint64_t random; /* for lengths */
  struct batch batch[HYLA_TRAFFIC_BATCHES];
};

/* Above 0, at most 1. */
static double draw(uint64_t *random) {
  return (double)((hy_slot_draw(random) >> 11) + 1) * 0x1p-53;
}

static void next_packet(struct play *play, struct user *user) {
  user->first -= log(draw(&user->random)) / play->p->rate;
}

/* 0, or the one other value, whose probability gives both moments. */
static double draw_time(struct play *play, double mean, double square) {
  if (square <= mean * mean) return mean;
  return draw(&play->random) <= mean * mean / square ? square / mean : 0;
}

static hyla_status begin(struct hy_base *base, struct play *play) {
  const struct hy_periods *p = play->p;
  TRY(hy_alloc(base, p->users, sizeof *play->user, &play->user));
  TRY(hy_alloc(base, p->users, sizeof *play->active, &play->active));
  play->random = p->seed;
  for (int64_t i = 0; i < p->users; i++) {
    play->user[i].random = hy_slot_draw(&play->random);
    next_packet(play, &play->user[i]);
  }
  return HYLA_OK;
}

/* The users that have a packet by then; *soonest: when the first user has one. */
static int64_t find_active(struct play *play, double now, double *soonest) {
  int64_t count = 0;
  *soonest = HUGE_VAL;
  for (int64_t i = 0; i < play->p->users; i++) {
    if (play->user[i].first <= now) play->active[count++] = i;
    *soonest = fmin(*soonest, play->user[i].first);
  }
  return count;
}

/* Plays one period; returns its end.  waits: the sum of its packets' waits. */
static double period_end(struct play *play, double begin, int64_t active, double *waits) {
  const struct hy_periods *p = play->p;
  const hyla_reservations *r = p->intervals;
  *waits = 0;
  if (p->length != NULL) return begin + p->length(p->arg, active);
  double now = begin + draw_time(play, r->reservation, r->reservation_square);
  for (int64_t i = 0; i < active; i++) {
    *waits += now - play->user[play->active[i]].first;
    now += draw_time(play, r->service, r->service_square);
  }
  return now;
}

/* Ends a period: its packets are served, and counted unless the period ends too early or late. */
static void end_period(struct play *play, double end, int64_t active, double waits) {
  const double early = play->p->slots / 16, each = play->p->slots / HYLA_TRAFFIC_BATCHES;
  const double place = floor((end - early) / each);
  struct batch *batch =
      place >= 0 && place < HYLA_TRAFFIC_BATCHES ? &play->batch[(int)place] : NULL;
  double delays = 0;
  for (int64_t i = 0; i < active; i++) {
    struct user *user = &play->user[play->active[i]];
    delays += end - user->first;
    next_packet(play, user);
  }
  if (batch == NULL) return;
  batch->periods++;
  batch->packets += (double)active;
  batch->square += (double)active * (double)active;
  batch->delay += delays;
  batch->wait += waits;
}

static void play_all(struct play *play) {
  const struct hy_periods *p = play->p;
  const bool empty_takes_time =
      p->length != NULL ? p->length(p->arg, 0) > 0 : p->intervals->reservation > 0;
  for (double now = 0; now < p->slots * 17 / 16;) {
    double soonest, waits;
    const int64_t active = find_active(play, now, &soonest);
    if (active == 0 && !empty_takes_time) {
      now = soonest;
      continue;
    }
    const double end = period_end(play, now, active, &waits);
    end_period(play, end, active, waits);
    now = end;
  }
}

static struct hy_estimate estimate(const struct hy_batches *batches) {
  struct hy_estimate found;
  found.mean = hy_batches_ratio(batches, &found.half);
  return found;
}

static struct hy_periods_found conclude(const struct batch *batch) {
  struct hy_batches delay = {0}, wait = {0}, packets = {0}, square = {0};
  struct hy_periods_found found = {0};
  for (const struct batch *b = batch; b < batch + HYLA_TRAFFIC_BATCHES; b++) {
    hy_batches_add(&delay, b->delay, b->packets);
    hy_batches_add(&wait, b->wait, b->packets);
    hy_batches_add(&packets, b->packets, b->periods);
    hy_batches_add(&square, b->square, b->periods);
    found.periods += (int64_t)b->periods;
    found.served += (int64_t)b->packets;
  }
  found.delay = estimate(&delay);
  found.wait = estimate(&wait);
  found.packets = estimate(&packets);
  found.square = estimate(&square).mean;
  return found;
}

hyla_status hy_periods_play(struct hy_base *base, const struct hy_periods *periods,
                            struct hy_periods_found *found) {
  struct play play = {.p = periods};
  hyla_status status = begin(base, &play);
  if (status == HYLA_OK) {
    play_all(&play);
    *found = conclude(play.batch);
  }
  hy_free(base, &play.active);
  hy_free(base, &play.user);
  return status;
}
