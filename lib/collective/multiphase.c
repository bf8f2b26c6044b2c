/* The search for the best partition of a multiphase exchange.
 *
 * An optimal partition is an equi-partition (theorem 1), so d of them remain.
 * With s*, the root of what one phase of s saves against two of s/2, only those
 * remain whose largest phase lies between floor(s*)/2 and ceil(s*) (theorem 3);
 * among equi-partitions with the same largest phase the cost is linear in the
 * number of phases, so two ends a size are enough.
 * Reference: Nicol and Bokhari 1994, 1.4.
 */
#include "collective/multiphase.h"

#include <math.h>

struct hy_circuits hy_circuits_ipsc860(int d) {
  /* With the exchange of empty messages that comes before each exchange. */
  return (struct hy_circuits){177.5, 0.394, 10.3 * d, 0.54, 150.0 * d};
}

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

/* What one phase of s costs more than two of s / 2, in a form without
 * cancellation: (2^(s/2) - 1)^2 (L - 2^(d-s) M) - R. */
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
    /* The equi-partitions of this largest phase have k from ceil(d / largest) to
     * ceil(d / (largest - 1)) - 1 phases. */
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

/* A partition under way: the phases so far, of `left` dimensions less than all. */
struct trial_of_all {
  int d, count;
  double m;
  const struct hy_circuits *machine;
  uint8_t phases[HYLA_DIMS_MAX];
  uint8_t *best;
  int best_count;
  double least;
  int64_t partitions;
};

/* Goes on with phases of at most `largest`. */
static void try_all(struct trial_of_all *t, int left, int largest, double cost) {
  if (left == 0) {
    t->partitions++;
    if (t->best_count > 0 && cost >= t->least) return;
    t->least = cost;
    t->best_count = t->count;
    for (int i = 0; i < t->count; i++) t->best[i] = t->phases[i];
    return;
  }
  for (int x = (int)hy_min(left, largest); x > 0; x--) {
    t->phases[t->count++] = (uint8_t)x;
    try_all(t, left - x, x, cost + hy_phase_cost(t->d, x, t->m, t->machine));
    t->count--;
  }
}

int hy_partition_of_all(int d, double m, const struct hy_circuits *machine, uint8_t *phases,
                        double *cost, int64_t *partitions) {
  struct trial_of_all t = {.d = d, .m = m, .machine = machine, .best = phases};
  try_all(&t, d, d, 0);
  *cost = t.least;
  *partitions = t.partitions;
  return t.best_count;
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
