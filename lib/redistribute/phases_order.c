/* Redistribution in phases: the order of the dimensions.
 *
 * Each entry crosses the dimensions in which its two addresses differ, in any order.  The order
 * decides how evenly the nodes are filled in between.  From binary to Gray code, for instance, one
 * may begin at either end; an order that begins in the middle sends two entries to one node and
 * none to another (Johnsson 1987, lemma 3.4 and the remark on it).  Three orders are compared by
 * the words that the busiest node sends in each phase: downwards, upwards, and greedy.  The greedy
 * order takes the cheapest dimension next and, among equals, the one after which the fullest node
 * holds least. */
#include "redistribute/phases.h"

#include <string.h>

enum { COUNTS = 4 };

/* For each phase the busiest node's steps, messages, words and entries held. */
static hyla_status busiest(const struct hy_phases *phases, const uint32_t *done,
                           const uint32_t *dims, int count, int64_t (*counts)[COUNTS]) {
  hyla_cube *cube = phases->problem.cube;
  for (int i = 0; i < count; i++) {
    struct hy_phase_count now = {0};
    if (cube->address >= 0) hy_phases_count(phases, done[i], dims[i], &now);
    const int64_t mine[COUNTS] = {now.steps, now.messages, now.words, now.held};
    memcpy(counts[i], mine, sizeof mine);
  }
  return hy_cube_max(cube, counts[0], COUNTS * count);
}

static double seconds_of(const struct hy_phases *phases, const int64_t counts[COUNTS]) {
  const struct hy_kernels *k = phases->problem.k;
  const hyla_cost cost = {.steps = counts[0],
                          .messages = counts[1],
                          .words = counts[2],
                          .copied = counts[2] + counts[3]};
  return hy_machine_seconds(&phases->problem.cube->session.machine, &cost, k->size,
                            k->complex_type);
}

hyla_status hy_phases_seconds(const struct hy_phases *phases, const uint32_t *done,
                              const uint32_t *dims, int count, double *seconds) {
  int64_t counts[HY_GROUPS][COUNTS];
  TRY(busiest(phases, done, dims, count, counts));
  for (int i = 0; i < count; i++) seconds[i] = seconds_of(phases, counts[i]);
  return HYLA_OK;
}

/* Takes the cheapest of the remaining dimensions, again and again.  *seconds: the time of all but
 * the last dimension, for which there is no choice. */
static hyla_status greedy(const struct hy_phases *phases, uint32_t *order, int n, double *seconds) {
  uint32_t rest = phases->needed;
  *seconds = 0;
  for (int i = 0; i < n - 1; i++) {
    uint32_t done[HYLA_DIMS_MAX], dims[HYLA_DIMS_MAX];
    int64_t counts[HYLA_DIMS_MAX][COUNTS];
    int left = 0, best = 0;
    for (uint32_t bits = rest; bits != 0; bits &= bits - 1) {
      done[left] = phases->needed & ~rest;
      dims[left++] = bits & (~bits + 1);
    }
    TRY(busiest(phases, done, dims, left, counts));
    for (int j = 1; j < left; j++) {
      double now = seconds_of(phases, counts[j]), least = seconds_of(phases, counts[best]);
      if (now < least || (now == least && counts[j][3] < counts[best][3])) best = j;
    }
    order[i] = dims[best];
    rest &= ~dims[best];
    *seconds += seconds_of(phases, counts[best]);
  }
  if (n > 0) order[n - 1] = rest;
  return HYLA_OK;
}

hyla_status hy_phases_order(const struct hy_phases *phases, uint32_t order[HYLA_DIMS_MAX],
                            int *count) {
  uint32_t done[2 * HYLA_DIMS_MAX + 1] = {0}, dims[2 * HYLA_DIMS_MAX + 1];
  double seconds[2 * HYLA_DIMS_MAX + 1], down = 0, up = 0, chosen;
  int n = hy_popcount(phases->needed);
  *count = n;
  TRY(greedy(phases, order, n, &chosen));
  if (n < 2) return HYLA_OK;
  for (int i = 0; i < n; i++) {
    dims[i] = hy_deposit(UINT32_C(1) << (n - 1 - i), phases->needed);
    dims[n + i] = hy_deposit(UINT32_C(1) << i, phases->needed);
  }
  for (int i = 1; i < n; i++) {
    done[i] = done[i - 1] | dims[i - 1];
    done[n + i] = done[n + i - 1] | dims[n + i - 1];
  }
  dims[2 * n] = order[n - 1];
  done[2 * n] = phases->needed & ~order[n - 1];
  TRY(hy_phases_seconds(phases, done, dims, 2 * n + 1, seconds));
  for (int i = 0; i < n; i++) {
    down += seconds[i];
    up += seconds[n + i];
  }
  chosen += seconds[2 * n];
  if (down <= chosen || up <= chosen)
    memcpy(order, down <= up ? dims : dims + n, (size_t)n * sizeof *order);
  return HYLA_OK;
}

hyla_status hy_phases_begin(const struct hy_redistribution *problem, struct hy_phases **phases,
                            uint32_t order[HYLA_DIMS_MAX], int *count) {
  TRY(hy_agree(problem->cube, hy_phases_create(problem, phases)));
  return hy_phases_order(*phases, order, count);
}

const char *hy_phases_applies(const void *problem) {
  const struct hy_redistribution *it = problem;
  if (hy_redistribution_cuts(it)) return "it moves whole matrices";
  return it->cube->dims < 2 ? "over fewer than two dimensions it is the direct exchange" : NULL;
}
