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

#include <math.h>

enum { BATCHES = 32 };

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
  struct batch batch[BATCHES];
};

static uint64_t mix(uint64_t word) {
  word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
  return word ^ word >> 31;
}

/* Above 0, at most 1 (splitmix64). */
static double draw(uint64_t *random) {
  *random += UINT64_C(0x9e3779b97f4a7c15);
  return (double)((mix(*random) >> 11) + 1) * 0x1p-53;
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
  play->random = mix(p->seed);
  for (int64_t i = 0; i < p->users; i++) {
    play->user[i].random = mix(play->random + mix((uint64_t)i + 1));
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
  const double early = play->p->slots / 16, each = play->p->slots / BATCHES;
  const double place = floor((end - early) / each);
  struct batch *batch = place >= 0 && place < BATCHES ? &play->batch[(int)place] : NULL;
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

/* The ratio of two sums, and how far the batches' own ratios are from it.  QUANTILE: of Student's t
 * for BATCHES - 1 degrees of freedom. */
static struct hy_estimate ratio(const double *over, const double *under) {
  static const double QUANTILE = 2.0395;
  double sum = 0, all = 0, squares = 0;
  for (int i = 0; i < BATCHES; i++) sum += over[i];
  for (int i = 0; i < BATCHES; i++) all += under[i];
  if (all == 0) return (struct hy_estimate){.mean = 0, .half = HUGE_VAL};
  for (int i = 0; i < BATCHES; i++) {
    const double apart = over[i] - sum / all * under[i];
    squares += apart * apart;
  }
  return (struct hy_estimate){.mean = sum / all,
                              .half = QUANTILE * sqrt(squares * BATCHES / (BATCHES - 1)) / all};
}

static struct hy_periods_found conclude(const struct batch *batch) {
  struct hy_periods_found found = {0};
  double periods[BATCHES], packets[BATCHES], square[BATCHES], delay[BATCHES], wait[BATCHES];
  for (int i = 0; i < BATCHES; i++) {
    periods[i] = batch[i].periods;
    packets[i] = batch[i].packets;
    square[i] = batch[i].square;
    delay[i] = batch[i].delay;
    wait[i] = batch[i].wait;
    found.periods += (int64_t)periods[i];
    found.served += (int64_t)packets[i];
  }
  found.delay = ratio(delay, packets);
  found.wait = ratio(wait, packets);
  found.packets = ratio(packets, periods);
  found.square = ratio(square, periods).mean;
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
