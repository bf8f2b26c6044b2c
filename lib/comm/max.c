/* The largest of what the nodes know, for reports: the busiest rank's counts,
 * the slowest rank's time. */
#include "comm/comm.h"

/* Values that travel together. */
enum { BATCH = 64 };

static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  int64_t *a = into;
  const int64_t *b = from;
  for (int64_t i = 0; i < count; i++) a[i] = hy_max(a[i], b[i]);
}

static hyla_status check_arguments(hyla_cube *cube, const int64_t *values, int count) {
  if (cube == NULL) return HYLA_ARGUMENT;
  CHECK(&cube->base, count >= 0, ARGUMENT, "hyla_cube_max: count is %d; give 0 or more", count);
  CHECK(&cube->base, values != NULL || count == 0, ARGUMENT,
        "hyla_cube_max: the values are NULL; give room for %d", count);
  return HYLA_OK;
}

static hyla_status find_largest(hyla_cube *cube, int64_t *values, int count) {
  uint32_t all = (uint32_t)cube->nodes - 1;
  int64_t work[BATCH];
  for (int i = 0; i < count; i += BATCH) {
    int64_t batch = hy_min(count - i, BATCH);
    TRY(hy_allreduce(cube, all, values + i, batch, sizeof *values, take_larger, NULL, work));
    TRY(hy_tell_guests(cube, values + i, batch * (int64_t)sizeof *values));
  }
  return HYLA_OK;
}

hyla_status hy_cube_max(hyla_cube *cube, int64_t *values, int count) {
  /* Asking what was counted is not counted. */
  hyla_ledger before = cube->ledger;
  hyla_status mine = find_largest(cube, values, count);
  cube->ledger = before;
  return mine;
}

hyla_status hyla_cube_max(hyla_cube *cube, int64_t *values, int count) {
  uint64_t fingerprint = hy_fingerprint(0, &count, sizeof count);
  TRY(hy_enter(cube, check_arguments(cube, values, count), fingerprint, "hyla_cube_max"));
  return hy_agree(cube, hy_cube_max(cube, values, count));
}
