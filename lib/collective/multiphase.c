/* The search for the best partition of a multiphase exchange.
 *
 * An optimal partition is an equi-partition (theorem 1), so d candidates remain.  s* is the size at
 * which one phase of s costs as much as two of s/2.  Only partitions whose largest phase lies
 * between floor(s*)/2 and ceil(s*) remain (theorem 3).  Among equi-partitions with the same largest
 * phase the cost is linear in the number of phases, so for each size the two ends are enough.
 * Reference: Nicol and Bokhari 1994, section 3. */
#include "collective/variant.h"

#include <math.h>

double hy_phase_cost(int d, double x, double m, const struct hy_circuits *machine) {
  return (exp2(x) - 1) * (machine->lambda + machine->delta + exp2(d - x) * m * machine->tau) +
         exp2(d) * m * machine->rho + machine->omega;
}

double hy_partition_cost(int d, int k, double m, const struct hy_circuits *machine) {
  int larger = d % k;
  return larger * hy_phase_cost(d, d / k + 1, m, machine) +
         (k - larger) * hy_phase_cost(d, d / k, m, machine);
}

void hy_partition_equal(int d, int k, uint8_t *phases) {
  for (int i = 0; i < k; i++) phases[i] = (uint8_t)(d / k + (i >= k - d % k));
}

/* The cost of one phase of s less that of two phases of s / 2, in a form without cancellation:
 * (2^(s/2) - 1)^2 (L - 2^(d-s) M) - R. */
static double split_gain(int d, double s, double m, const struct hy_circuits *machine) {
  double half = exp2(s / 2) - 1;
  return half * half * (machine->lambda + machine->delta - exp2(d - s) * m * machine->tau) -
         (exp2(d) * m * machine->rho + machine->omega);
}

double hy_split_point(int d, double m, const struct hy_circuits *machine) {
  if (d < 2 || split_gain(d, d, m, machine) <= 0) return HY_ALWAYS_DIRECT;
  if (split_gain(d, 2, m, machine) >= 0) return HY_ALWAYS_STANDARD;
  double low = 2;
  double high = d;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (split_gain(d, middle, m, machine) > 0)
      high = middle;
    else
      low = middle;
  }
  return (low + high) / 2;
}

int hy_partition_best(int d, double m, const struct hy_circuits *machine) {
  int best = d > 0;
  for (int k = 2; k <= d; k++)
    if (hy_partition_cost(d, k, m, machine) < hy_partition_cost(d, best, m, machine)) best = k;
  return best;
}

int hy_partition_search(int d, double m, const struct hy_circuits *machine, int *tried) {
  double split = hy_split_point(d, m, machine);
  *tried = 0;
  if (split == HY_ALWAYS_DIRECT) return d > 0;
  if (split == HY_ALWAYS_STANDARD) return d;
  int low =
      hy_max(1, (int)ceil(floor(split) / 2)) > d ? d : (int)hy_max(1, (int)ceil(floor(split) / 2));
  int high = (int)hy_min(d, (int64_t)ceil(split));
  int most = (int)(2 * d / floor(split));
  int best = 0;
  double least = 0;
  for (int largest = high; largest >= low; largest--) {
    /* The equi-partitions with this largest phase have from ceil(d / largest) to ceil(d / (largest
     * - 1)) - 1 phases. */
    int first = (d + largest - 1) / largest;
    int last = largest == 1 ? d : (d + largest - 2) / (largest - 1) - 1;
    last = (int)hy_min(last, hy_max(first, most));
    for (int k = first; k <= last; k += (int)hy_max(1, last - first)) {
      double cost = hy_partition_cost(d, k, m, machine);
      ++*tried;
      if (best == 0 || cost < least || (cost == least && k < best)) {
        best = k;
        least = cost;
      }
    }
  }
  return best;
}

int hy_partition_next(uint8_t *phases, int count) {
  int rest = 0;
  for (; count > 0 && phases[count - 1] == 1; count--) rest++;
  if (count == 0) return 0;
  int largest = --phases[count - 1];
  for (rest++; rest > 0; rest -= phases[count++]) phases[count] = (uint8_t)hy_min(rest, largest);
  return count;
}

static double cost_of_phases(int d, const uint8_t *phases, int count, double m,
                             const struct hy_circuits *machine) {
  double cost = 0;
  for (int i = 0; i < count; i++) cost += hy_phase_cost(d, phases[i], m, machine);
  return cost;
}

int hy_partition_of_all(int d, double m, const struct hy_circuits *machine, uint8_t *phases,
                        double *cost, int64_t *partitions) {
  uint8_t tried[HYLA_DIMS_MAX] = {(uint8_t)d};
  int best = 0;
  *cost = 0;
  *partitions = d == 0; /* the partition into no phases */
  for (int count = d > 0; count > 0; count = hy_partition_next(tried, count)) {
    double other = cost_of_phases(d, tried, count, m, machine);
    ++*partitions;
    if (best > 0 && other >= *cost) continue;
    *cost = other;
    best = count;
    for (int i = 0; i < count; i++) phases[i] = tried[i];
  }
  return best;
}

int hy_partition_envelope(int d, const struct hy_circuits *machine, double *from, int *phases) {
  int count = 0;
  double m = 0;
  int now = hy_partition_best(d, 0, machine);
  while (now > 0) {
    from[count] = m;
    phases[count++] = now;
    double base = hy_partition_cost(d, now, 0, machine);
    double slope = hy_partition_cost(d, now, 1, machine) - base;
    int next = 0;
    double where = 0;
    for (int k = 1; k <= d; k++) {
      double other = hy_partition_cost(d, k, 0, machine);
      double other_slope = hy_partition_cost(d, k, 1, machine) - other;
      if (other_slope >= slope) continue;
      double crossing = (other - base) / (slope - other_slope);
      if (next == 0 || crossing < where || (crossing == where && k < next)) {
        next = k;
        where = crossing;
      }
    }
    m = where;
    now = next;
  }
  return count;
}
