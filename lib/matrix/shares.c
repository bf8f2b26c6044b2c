/* Where two axes meet: the indices that a part of one shares with the parts of
 * the other, found run by run. */
#include "matrix/move.h"

/* One walk over the part's indices, in ascending order.  fill false: counts into
 * start[q + 1]; true: writes the lists, with start[q] the next free place. */
static void walk(const struct hy_axis *axis, int part, const struct hy_axis *other, bool fill,
                 struct hy_shares *shares) {
  int64_t held = hy_axis_before(axis, part, axis->n);
  for (int64_t l = 0, run; l < held; l += run) {
    int64_t i = hy_axis_index(axis, part, l);
    run = hy_min(hy_axis_run(axis, i), hy_axis_run(other, i));
    int q = hy_axis_owner(other, i);
    if (!fill) {
      shares->start[q + 1] += (int32_t)run;
      continue;
    }
    int64_t there = hy_axis_before(other, q, i);
    for (int64_t step = 0; step < run; step++) {
      int32_t place = shares->start[q]++;
      shares->here[place] = (int32_t)(l + step);
      shares->there[place] = (int32_t)(there + step);
    }
  }
}

hyla_status hy_shares_create(struct hy_base *base, const struct hy_axis *axis, int part,
                             const struct hy_axis *other, struct hy_shares *shares) {
  int64_t held = hy_axis_before(axis, part, axis->n);
  int64_t parts = other->parts;
  TRY(hy_alloc(base, parts + 1 + 2 * held, sizeof *shares->start, &shares->start));
  shares->here = shares->start + parts + 1;
  shares->there = shares->here + held;
  walk(axis, part, other, false, shares);
  for (int64_t q = 0; q < parts; q++) shares->start[q + 1] += shares->start[q];
  walk(axis, part, other, true, shares);
  /* Each start has moved to its end, which is the next one's start. */
  for (int64_t q = parts; q > 0; q--) shares->start[q] = shares->start[q - 1];
  shares->start[0] = 0;
  return HYLA_OK;
}

void hy_shares_destroy(struct hy_base *base, struct hy_shares *shares) {
  hy_free(base, &shares->start);
}
