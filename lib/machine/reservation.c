/* Delays of packets that wait for their turn in a period: closed forms.
 *
 * Users share one channel.  A period begins with a reservation interval.  In the rest of it each
 * user that had a packet when the period began sends one; later packets wait for later periods.
 * A packet that comes while others are sent finds a user that is still to send with probability a.
 * a follows from the second moment of the number of packets in a period, which is only bounded.
 *
 * Given a, the mean delay is exact: it takes no more than the queue's mean length and the mean
 * rest of an interval.  So a delay lies between those of a's bounds.
 * Reference: Varvarigos 1992, 4.2 to 4.5; theorem 1 of chapter 4 with second moments. */
#include "machine/machine.h"

#include <math.h>

/* Packets a slot that come to one user. */
static double rate_of(const hyla_reservations *r, double load) {
  return load / ((double)r->users * r->service);
}

double hy_reservation_share(const hyla_reservations *r, double mean, double mean_square) {
  const double users = (double)r->users;
  return mean > 0 ? (mean_square / mean - 1) / (2 * users) : 0;
}

static double wait_of(const hyla_reservations *r, double load, double share) {
  const double rate = rate_of(r, load), v = r->reservation;
  const double room = 1 - load - rate * v;
  if (room <= 0) return HUGE_VAL;
  double rest = rate * (double)r->users * r->service_square;
  if (v > 0) rest += (1 - load) * r->reservation_square / v;
  return (rest / 2 + (1 - load * share - rate * v) * v) / room;
}

double hy_reservation_delay(const hyla_reservations *r, double load, double share) {
  return wait_of(r, load, share) + r->service * (1 + share * (double)r->users);
}

/* The least second moment has a number whose mean is given if it takes the two integers beside it
 * only; the greatest, if it is 0 or that of all users. */
static void bound_shares(const hyla_reservations *r, double mean, double share[2]) {
  const double next = floor(mean) + 1;
  share[0] = hy_reservation_share(r, mean, mean + (next - 1) * (2 * mean - next));
  share[1] = hy_reservation_share(r, 1, (double)r->users);
}

hyla_status hyla_reservation_bounds(const hyla_reservations *r, double load,
                                    hyla_reservation_delays *found) {
  if (r == NULL || found == NULL || r->users < 1) return HYLA_ARGUMENT;
  if (!(r->service > 0 && r->reservation >= 0 && load >= 0)) return HYLA_ARGUMENT;
  if (!(r->service_square >= r->service * r->service)) return HYLA_ARGUMENT;
  if (!(r->reservation_square >= r->reservation * r->reservation)) return HYLA_ARGUMENT;
  *found =
      (hyla_reservation_delays){.limit = 1 / (1 + r->reservation / ((double)r->users * r->service)),
                                .packets = (double)r->users};
  const bool stable = load < found->limit;
  if (stable) found->packets = load * r->reservation / ((1 - load) * r->service);
  bound_shares(r, found->packets, found->share);
  for (int i = 0; i < 2; i++) {
    found->wait[i] = stable ? wait_of(r, load, found->share[i]) : HUGE_VAL;
    found->delay[i] = stable ? hy_reservation_delay(r, load, found->share[i]) : HUGE_VAL;
  }
  return HYLA_OK;
}
