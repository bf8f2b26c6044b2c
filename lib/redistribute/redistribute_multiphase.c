/* Redistribution, variant "multiphase": several cube dimensions at a time.
 *
 * Method: the dimensions, in the order of variant "moves", are cut into groups, and a phase
 * exchanges directly within the subcubes of a group.  Few large groups save words, many small ones
 * save start-ups: one group is "direct" with packed messages, groups of one dimension are "moves".
 * Dynamic programming finds the cut that is fastest on the cube's machine: the best cut of the
 * first j dimensions is the best cut of the first i, then the group i ... j-1, for some i.
 * Reference: Nicol and Bokhari 1994, 2.4 and 3.  Their blocks are equal, and an equi-partition is
 * best; with unequal blocks it need not be.
 * Layout: any, with copies and on faces too.  Steps: the sum of 2^di - 1, di the dimensions of
 * group i.
 * Memory: as "moves"; from the second phase on a node packs for all peers at once. */
#include "redistribute/phases.h"

/* For each group i ... j-1 of an order, at number(i, j): the dimensions before it, its own, and its
 * time. */
struct groups {
  uint32_t done[HY_GROUPS];
  uint32_t dims[HY_GROUPS];
  double seconds[HY_GROUPS];
};

static int number(int i, int j) { return j * (j - 1) / 2 + i; }

/* Finds the fastest cut of n dimensions; returns the number of phases. */
static int cut(const struct groups *groups, int n, uint32_t *phases) {
  double least[HYLA_DIMS_MAX + 1] = {0};
  int start[HYLA_DIMS_MAX + 1] = {0}, count = 0;
  for (int j = 1; j <= n; j++)
    for (int i = 0; i < j; i++) {
      double seconds = least[i] + groups->seconds[number(i, j)];
      if (i > 0 && seconds >= least[j]) continue;
      least[j] = seconds;
      start[j] = i;
    }
  for (int j = n; j > 0; j = start[j]) count++;
  for (int j = n, k = count; j > 0; j = start[j]) phases[--k] = groups->dims[number(start[j], j)];
  return count;
}

static hyla_status create(const struct hy_variant *variant, const void *problem, void **state) {
  (void)variant;
  uint32_t order[HYLA_DIMS_MAX] = {0}, dims[HYLA_DIMS_MAX] = {0};
  int n = 0;
  struct groups groups;
  struct hy_phases *phases = NULL;
  hyla_status status = hy_phases_begin(problem, &phases, order, &n);
  *state = phases;
  TRY(status);
  uint32_t done = 0;
  for (int i = 0; i < n; i++) {
    uint32_t within = 0;
    for (int j = i + 1; j <= n; j++) {
      within |= order[j - 1];
      groups.done[number(i, j)] = done;
      groups.dims[number(i, j)] = within;
    }
    done |= order[i];
  }
  TRY(hy_phases_seconds(phases, groups.done, groups.dims, n * (n + 1) / 2, groups.seconds));
  int count = cut(&groups, n, dims);
  hy_phases_set(phases, dims, (int)hy_max(1, count));
  return HYLA_OK;
}

const struct hy_variant hy_redistribute_multiphase = {
    .name = "multiphase",
    .reference = "nicol-bokhari-1994, section 2.4",
    .create = create,
    HY_PHASES_OPERATIONS,
};
