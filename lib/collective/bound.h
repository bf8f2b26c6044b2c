/* Lower bounds on collectives.  Private to this room and its tests. */
#ifndef HY_BOUND_H
#define HY_BOUND_H 1

#include "collective/variant.h"

/* words: of m = 1, times tau; farthest: links of the longest way; packets: transmissions when
 * messages are whole and nothing is combined, 0 where no bound is known.  Static strings. */
struct hy_bound {
  struct hy_ratio words;
  int64_t farthest;
  int64_t packets;
  const char *formula;
  const char *reference;
};

/* Of a collective on a network, of which the ports and the switching count. */
struct hy_bound hy_collective_bound(const struct hy_collective *collective,
                                    const struct hy_network *network);

/* In time, for messages of m words: 0 where there are none. */
double hy_bound_time(const struct hy_bound *bound, const struct hy_network *network, double m,
                     double tau, double beta);

#endif
