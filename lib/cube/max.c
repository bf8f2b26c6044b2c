/* Maxima and sums over the nodes, for reports: the counts of the busiest rank, the time of the
 * slowest. */
#include "cube/trace.h"

struct value {
  int64_t most;
  double sum;
};
/* Values that travel together. */
enum { BATCH = HY_MERGE_BYTES / sizeof(struct value) };

static void merge(void *mine, const void *theirs, int64_t bytes) {
  struct value *into = mine;
  const struct value *from = theirs;
  for (int64_t x = 0; x < bytes / (int64_t)sizeof *into; x++) {
    into[x].most = hy_max(into[x].most, from[x].most);
    into[x].sum += from[x].sum;
  }
}

static hyla_status check_arguments(hyla_cube *cube, const int64_t *values, int count) {
  if (cube == NULL) return HYLA_ARGUMENT;
  CHECK(&cube->base, count >= 0, ARGUMENT, "hyla_cube_max: count is %d; give 0 or more", count);
  CHECK(&cube->base, values != NULL || count == 0, ARGUMENT,
        "hyla_cube_max: the values are NULL; give room for %d", count);
  return HYLA_OK;
}

/* On a counting cube there is one node: the others are taken to be like it. */
static void alone(const hyla_cube *cube, const int64_t *values, double *sums, int count) {
  for (int i = 0; i < count && sums != NULL; i++) sums[i] = (double)values[i] * cube->nodes;
}

/* As in agreement these messages are not counted and take no virtual time.  All nodes add the same
 * two sums at a time, so all find the same bits.  A guest's values count only where guests take
 * part in collectives. */
hyla_status hy_cube_max_sum(hyla_cube *cube, int64_t *values, double *sums, int count) {
  struct value mine[BATCH], theirs[BATCH];
  TRY(hy_cube_usable(cube));
  const bool counts = cube->address >= 0 || cube->ranks.shapes.given;
  if (cube->session.together != NULL)
    return hy_cube_max_sum(cube->session.together, values, sums, count);
  if (hy_cube_counts(cube)) {
    alone(cube, values, sums, count);
    return HYLA_OK;
  }
  hy_trace_mark(cube, HY_SPAN_LOCAL);
  for (int i = 0; i < count; i += BATCH) {
    int batch = (int)hy_min(count - i, BATCH);
    int64_t bytes = batch * (int64_t)sizeof *mine;
    for (int x = 0; x < batch; x++)
      mine[x] = counts ? (struct value){values[i + x], (double)values[i + x]}
                       : (struct value){INT64_MIN, 0};
    TRY(hy_control_merge(cube, mine, theirs, bytes, merge));
    for (int x = 0; x < batch; x++) {
      values[i + x] = mine[x].most;
      if (sums != NULL) sums[i + x] = mine[x].sum;
    }
  }
  hy_trace_mark(cube, HY_SPAN_AGREE);
  return HYLA_OK;
}

hyla_status hy_cube_max(hyla_cube *cube, int64_t *values, int count) {
  return hy_cube_max_sum(cube, values, NULL, count);
}

hyla_status hyla_cube_max(hyla_cube *cube, int64_t *values, int count) {
  uint64_t fingerprint = hy_fingerprint(0, &count, sizeof count);
  TRY(hy_enter(cube, check_arguments(cube, values, count), fingerprint, "hyla_cube_max"));
  return hy_agree(cube, hy_cube_max(cube, values, count));
}
