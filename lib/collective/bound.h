/* Lower bounds on collectives.  Private to this room and its tests. */
#ifndef HY_BOUND_H
#define HY_BOUND_H 1

#include "collective/variant.h"

/* words: for m = 1, to be multiplied by tau.  farthest: links of the longest way.  packets:
 * transmissions if messages are whole and nothing is combined; 0 if no bound is known.  The strings
 * are static. */
struct hy_bound {
  struct hy_ratio words;
  int64_t farthest;
  int64_t packets;
  const char *formula;
  const char *reference;
};

/* The bound of a collective on a network; only its ports and switching count. */
struct hy_bound hy_collective_bound(const struct hy_collective *collective,
                                    const struct hy_network *network);

/* The bound as a time, for messages of m words; 0 for m = 0. */
double hy_bound_time(const struct hy_bound *bound, const struct hy_network *network, double m,
                     double tau, double beta);

#endif
