/* hyla_reservations.h: packets that come at random and wait for their turn; no MPI is needed.
 * hyla_lab.h includes this header. */
#ifndef HYLA_RESERVATIONS_H
#define HYLA_RESERVATIONS_H 1

#include <hyla_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------- reservations -- */

/* Users of one channel, whose packets are sent in periods (Varvarigos 1992, 4.3.1).  A period
 * begins with a reservation interval.  Then each user that had a packet when the period began sends
 * one.  Packets come to each user as a Poisson process.
 *   users                            from 1
 *   service, service_square          the means of a packet's time and of its square
 *   reservation, reservation_square  the same of a reservation interval; of one that is always
 *                                    alike, the square of its mean */
typedef struct hyla_reservations {
  int64_t users;
  double service, service_square;
  double reservation, reservation_square;
} hyla_reservations;

/* Mean delays, in the time of the intervals.  They depend on the second moment of the number of
 * packets in a period, which is bounded from both sides.  The true mean lies between the two
 * values; either of them may be the greater.
 *   limit    loads below it are served; beyond it packets wait without end
 *   packets  the mean number of packets in a period
 *   share    a: the least and the greatest probability that a packet that comes while others are
 *            sent finds its user yet to send
 *   wait     until the packet's own time begins, for these; infinite where packets wait without end
 *   delay    until the end of the packet's period, for these, as for a broadcast that is complete
 *            when all of its period are */
typedef struct hyla_reservation_delays {
  double limit;
  double packets;
  double share[2];
  double wait[2];
  double delay[2];
} hyla_reservation_delays;

/* Local; needs no MPI.  load: the packets that come to all users in a packet's time.  ARGUMENT for
 * NULL, no users, a packet's time or a load that is no number from 0 (a packet's time above 0), and
 * for a square's mean below the mean's square. */
HYLA_API hyla_status hyla_reservation_bounds(const hyla_reservations *reservations, double load,
                                             hyla_reservation_delays *found);

#ifdef __cplusplus
}
#endif

#endif
