/* Formulas of traffic that arrives at random on a cube (Varvarigos 1992, chapters 5 and 6).
 *
 * They assume that what comes over the two links that lead to a buffer is independent, and that it
 * is independent from slot to slot.  With u the probability that a link carries a packet that is to
 * go on, y = u / (2 - u) and z = y^(2k+2), two packets come to a buffer y^2 times as often as none,
 * so that it holds i with probability b0 y^(2i), b0 = (1 - y^2) / (1 - z). */
#include "machine/machine.h"

#include <float.h>
#include <math.h>

/* Halvings of an interval in which a root lies: to the last bit. */
enum { HALVINGS = 200 };

/* The buffers in a state in which a link carries a packet that is to go on with probability u.
 *   idle  a buffer's link is free, and nobody waits
 *   lost  a packet that is to go on is dropped
 *   full  z: how much rarer a full buffer is than an empty one
 *   access  the p0 that leads to this state
 * The thesis' form of p0, (5.19) to (5.22), is a quotient of differences that vanish as k grows;
 * what is left of them is z / (1 - (1 - lost)^(d-1)), lost = u b0 z / (4 y^2). */
struct buffers {
  double idle, lost, access;
};

static struct buffers buffers_at(int dims, int buffers, double u) {
  const double y = u / (2 - u);
  const double z = buffers < 0 ? 0 : pow(y, 2.0 * buffers + 2);
  const double empty = u < 1 ? (1 - y * y) / (1 - z) : 1 / (buffers + 1.0);
  struct buffers b = {.idle = empty * (2 - u) * (2 - u) / 4};
  b.lost = y > 0 ? u * empty * z / (4 * y * y) : 0;
  b.access = b.lost > DBL_MIN / DBL_EPSILON ? z / -expm1((dims - 1) * log1p(-b.lost))
                                            : u / ((dims - 1) * (1 - u));
  return b;
}

struct hy_traffic_flow hy_traffic_simple(int dims, int buffers, double access) {
  double low = 0, high = 1;
  if (dims == 1) return (struct hy_traffic_flow){.entering = access, .arriving = access};
  for (int i = 0; i < HALVINGS; i++) {
    const double u = (low + high) / 2;
    *(buffers_at(dims, buffers, u).access < access ? &low : &high) = u;
  }
  const struct buffers b = buffers_at(dims, buffers, low);
  struct hy_traffic_flow flow = {.entering = access * b.idle};
  flow.arriving = flow.entering * exp((dims - 1) * log1p(-b.lost));
  return flow;
}
