/* Formulas of traffic that arrives at random on a cube, with k places to wait at each link.
 *
 * Method: two links lead to each buffer.  They are taken to be independent of each other, and of
 * what they carried in the slot before.  Then one unknown, u, gives all the others, and the chance
 * of a new packet, p0, gives u:
 *   u    the probability that a link carries a packet that is to go on
 *   y    u / (2 - u); two packets come to a buffer y^2 times as often as none
 *   z    y^(2k+2)
 *   b0   (1 - y^2) / (1 - z); a buffer holds i packets with probability b0 y^(2i)
 *   g    b0 z / (2 y^2); when two packets meet, one is lost with probability 2 g
 *   p_i  the probability that a link carries a packet that crosses its i-th link; S_i is the sum
 *        of p_i to p_d-1
 *        simple    p_i = p_(i-1) (1 - g u / 2)
 *        priority  p_i = p_d + g S_i^2 / 2
 *   e    the probability that a link carries none; the sum of p_i and e is 1 for each u
 * Reference: Varvarigos 1992, chapters 5 and 6.  Its equations (5.22) and (5.41) have differences
 * that vanish as k grows, and (5.41) has solutions whose sum is not 1.  The forms here have g in
 * the place of these differences, and the right solution alone. */
#include "machine/machine.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Halvings of an interval in which a root lies, to the last bit. */
enum { HALVINGS = 64 };

/* The buffers of links that carry a packet that is to go on with probability u.
 *   idle  a link is free, and nobody waits
 *   lost  g
 *   full  z */
struct buffers {
  double idle, lost, full;
};

static struct buffers buffers_at(int buffers, double u) {
  const double y = u / (2 - u);
  struct buffers b = {.full = buffers < 0 ? 0 : pow(y, 2.0 * buffers + 2)};
  const double empty = u < 1 ? (1 - y * y) / (1 - b.full) : 1 / (buffers + 1.0);
  b.idle = empty * (2 - u) * (2 - u) / 4;
  b.lost = empty * b.full / (2 * y * y);
  return b;
}

/* Sets the flow from p0, p_1 and p_d. */
static void set_flow(const struct buffers *b, double access, double first, double last,
                     struct hy_traffic_flow *flow) {
  *flow =
      (struct hy_traffic_flow){.entering = first, .arriving = last, .idle = (1 - access) * b->idle};
}

/* A link of a cube of one dimension is always free for a new packet. */
static void set_single(double access, struct hy_traffic_flow *flow) {
  *flow = (struct hy_traffic_flow){.entering = access, .arriving = access, .idle = 1 - access};
  flow->share[1] = 1;
}

/* p0 by u: p_1 = p0 idle, and all packets that are to go on make u. */
static double simple_access(int dims, const struct buffers *b, double u) {
  const double lost = b->lost * u / 2;
  if (lost < DBL_MIN / DBL_EPSILON) return u / ((dims - 1) * b->idle);
  return b->full / -expm1((dims - 1) * log1p(-lost));
}

void hy_traffic_simple(int dims, int buffers, double access, struct hy_traffic_flow *flow) {
  double low = 0, high = 1;
  if (dims == 1) {
    set_single(access, flow);
    return;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double u = (low + high) / 2;
    const struct buffers b = buffers_at(buffers, u);
    *(simple_access(dims, &b, u) < access ? &low : &high) = u;
  }
  const struct buffers b = buffers_at(buffers, high);
  const double first = access * b.idle, kept = log1p(-b.lost * high / 2);
  set_flow(&b, access, first, first * exp((dims - 1) * kept), flow);
  for (int i = 1; i <= dims && dims <= HYLA_DIMS_MAX; i++)
    flow->share[i] = first * exp((i - 1) * kept) / (1 - flow->idle);
}

/* A packet meets b / d losses a link, so that y = (2b/d)^(1/(2k+1)) and the throughput is
 * 4 y b / (e^b - 1), which has one maximum over b.  (5.29) is its order. */
void hy_traffic_law(int buffers, double *factor, double *power) {
  double low = 0, high = 4;
  *power = 1 / (2.0 * buffers + 1);
  *factor = 0;
  for (int i = 0; i < 2 * HALVINGS; i++) {
    double value[2];
    for (int side = 0; side < 2; side++) {
      const double b = low + (1 + side) * (high - low) / 3;
      value[side] = 4 * pow(2 * b, *power) * b / expm1(b);
    }
    *factor = value[0];
    *(value[0] < value[1] ? &low : &high) = low + (value[0] < value[1] ? 1 : 2) * (high - low) / 3;
  }
}

/* p_d for which S_1 = u comes down to S_d = 0. */
static double priority_last(int dims, double lost, double u) {
  double low = 0, high = u / (dims - 1);
  for (int i = 0; i < HALVINGS; i++) {
    const double last = (low + high) / 2;
    double sum = u;
    for (int j = 1; j < dims && sum > 0; j++) sum -= last + lost / 2 * sum * sum;
    *(sum > 0 ? &low : &high) = last;
  }
  return low;
}

void hy_traffic_priority(int dims, int buffers, double access, struct hy_traffic_flow *flow) {
  double low = 0, high = 1;
  if (dims == 1) {
    set_single(access, flow);
    return;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double u = (low + high) / 2;
    const struct buffers b = buffers_at(buffers, u);
    const double first = priority_last(dims, b.lost, u) + b.lost / 2 * u * u;
    *(first < access * b.idle ? &low : &high) = u;
  }
  const struct buffers b = buffers_at(buffers, high);
  const double last = priority_last(dims, b.lost, high);
  double sum = high;
  set_flow(&b, access, last + b.lost / 2 * sum * sum, last, flow);
  for (int i = 1; i <= dims && dims <= HYLA_DIMS_MAX; i++) {
    const double here = last + b.lost / 2 * sum * sum;
    flow->share[i] = here / (1 - flow->idle);
    sum = fmax(sum - here, 0);
  }
}

/* p0 by p_d: (6.7) backwards from p_d, then (6.8); infinite where p_d is too large for any. */
static double csr_access(int dims, double last) {
  double p = last, ratios = 0;
  for (int i = dims; i > 1; i--) {
    const double a = 2 - last * ratios, root = a * a - 4 * p;
    if (a <= 0 || root < 0) return INFINITY;
    const double before = 4 * p / (a + sqrt(root));
    ratios += before / p;
    p = before;
  }
  return p / (1 - (dims - 1) * last);
}

double hy_traffic_csr(int dims, double access) {
  double low = 0, high = 1.0 / dims;
  for (int i = 0; i < HALVINGS; i++) {
    const double last = (low + high) / 2;
    *(csr_access(dims, last) < access ? &low : &high) = last;
  }
  return low;
}

/* What comes in, d q_a (1 - m) on each side, falls with m; what goes out, d p_d at the attempt rate
 * (6.1), is 0 or more.  At m = 0 no more goes out than comes in. */
double hy_traffic_csr_stable(int dims, double arrival, double retry, double *backlogged) {
  double low = 0, high = 1;
  for (int i = 0; i < HALVINGS; i++) {
    const double m = (low + high) / 2;
    const double out = hy_traffic_csr(dims, (1 - m) * arrival + m * retry);
    *(arrival * (1 - m) > out ? &low : &high) = m;
  }
  *backlogged = low;
  return arrival * (1 - low);
}
