/* Private to this room: periods with reservations, played. */
#ifndef HY_PERIODS_H
#define HY_PERIODS_H 1

#include "base/base.h"
#include "hyla_reservations.h"

/* Periods to play.
 *   users, rate  packets come to each user as a Poisson process, `rate' in a unit of time
 *   length       of a period with `active' packets, in which all are served at its end; NULL: the
 *                times of packets and of reservation intervals are drawn with the moments of
 *                `intervals', each either 0 or one other value, or always alike
 *   slots        the time that is counted
 *   seed         of the packets' times and of what is drawn */
struct hy_periods {
  int64_t users;
  double rate;
  double (*length)(const void *arg, int64_t active);
  const void *arg;
  const hyla_reservations *intervals;
  double slots;
  uint64_t seed;
};

/* A mean, and half the length of the interval that holds it with 95 in 100. */
struct hy_estimate {
  double mean;
  double half;
};

/* The counts of a play.
 *   periods, served  their numbers
 *   delay            of a packet until the end of its period
 *   wait             until its own time begins; 0 where `length' is given
 *   packets, square  of a period: means of their number and of its square */
struct hy_periods_found {
  int64_t periods, served;
  struct hy_estimate delay, wait, packets;
  double square;
};

/* Local.  The same bits for the same periods.  MEMORY. */
hyla_status hy_periods_play(struct hy_base *base, const struct hy_periods *periods,
                            struct hy_periods_found *found);

#endif
