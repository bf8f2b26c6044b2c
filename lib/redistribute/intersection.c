/* The indices that a part of one axis shares with the parts of another, found run by run and
 * collected into progressions of equal runs.
 *
 * Example: 16 indices on 4 parts.  Part 1 holds 4 5 6 7 in consecutive storage.  Cyclic part 2
 * holds 2 6 10 14, so the two share 6: here 2, there 1, length 1, count 1.  With blocks of 2
 * instead of consecutive storage, part 1 holds 2 3 10 11 and shares 2 and 10 with cyclic part 2:
 * here 0, here_step 2, there 0, there_step 2, length 1, count 2. */
#include "redistribute/direct.h"

struct run {
  int32_t length; /* 0: no run yet */
  int32_t here, there;
};

/* The progression that is being built for one part of the other axis. */
struct open {
  struct run run;                    /* the last run, which may still grow */
  struct hy_progression progression; /* of the runs before it; count 0: no run yet */
};

struct hy_gathering {
  struct open *open;
  struct hy_intersection *shares;
};

/* Stores a finished progression; in the first walk, without memory, only counts it. */
static void put_family(struct hy_intersection *shares, int q, struct open *open) {
  if (open->progression.count == 0) return;
  if (shares->progression == NULL)
    shares->start[q + 1]++;
  else
    shares->progression[shares->start[q]++] = open->progression;
  open->progression.count = 0;
}

static void put_run(struct hy_intersection *shares, int q, struct open *open) {
  const struct run *run = &open->run;
  struct hy_progression *progression = &open->progression;
  if (run->length == 0) return;
  /* Does the run continue the progression?  The second run sets both steps. */
  int32_t count = progression->count;
  bool joins = count > 0 && progression->length == run->length &&
               (count == 1 || (run->here == progression->here + count * progression->here_step &&
                               run->there == progression->there + count * progression->there_step));
  if (!joins) {
    put_family(shares, q, open);
    *progression =
        (struct hy_progression){run->length, 1, run->here, run->length, run->there, run->length};
  } else {
    if (progression->count == 1) {
      progression->here_step = run->here - progression->here;
      progression->there_step = run->there - progression->there;
    }
    progression->count++;
  }
  open->run.length = 0;
}

void hy_gather_run(const struct hy_gathering *gathering, int q, int64_t length, int64_t here,
                   int64_t there) {
  struct hy_intersection *shares = gathering->shares;
  struct run *run = &gathering->open[q].run;
  if (shares->progression == NULL) shares->entries[q] += (int32_t)length;
  if (run->length > 0 && here == run->here + run->length && there == run->there + run->length) {
    run->length += (int32_t)length;
    return;
  }
  put_run(shares, q, &gathering->open[q]);
  *run = (struct run){(int32_t)length, (int32_t)here, (int32_t)there};
}

void hy_gather_transposed(const struct hy_gathering *gathering, int q, int64_t length, int64_t here,
                          bool here_falls, int64_t there, bool there_falls) {
  if (!here_falls && !there_falls) {
    hy_gather_run(gathering, q, length, here, there);
    return;
  }
  for (int64_t i = 0; i < length; i++)
    hy_gather_run(gathering, q, 1, here_falls ? here - i : here + i,
                  there_falls ? there - i : there + i);
}

static void walk_all(int parts, hy_gather_walk *walk, const void *arg,
                     const struct hy_gathering *gathering) {
  walk(arg, gathering);
  for (int q = 0; q < parts; q++) {
    put_run(gathering->shares, q, &gathering->open[q]);
    put_family(gathering->shares, q, &gathering->open[q]);
  }
}

hyla_status hy_intersection_gather(struct hy_base *base, void *owner, int parts,
                                   hy_gather_walk *walk, const void *arg,
                                   struct hy_intersection *shares) {
  struct hy_gathering gathering = {.shares = shares};
  TRY(hy_alloc_for(base, owner, parts, sizeof *gathering.open, &gathering.open));
  TRY(hy_alloc_for(base, owner, 2 * (int64_t)parts + 1, sizeof *shares->start, &shares->start));
  shares->entries = shares->start + parts + 1;
  walk_all(parts, walk, arg, &gathering);
  for (int q = 0; q < parts; q++) shares->start[q + 1] += shares->start[q];
  TRY(hy_alloc_for(base, owner, shares->start[parts], sizeof *shares->progression,
                   &shares->progression));
  walk_all(parts, walk, arg, &gathering);
  /* Each start has moved to its own end, which is the next start: shift them back. */
  for (int q = parts; q > 0; q--) shares->start[q] = shares->start[q - 1];
  shares->start[0] = 0;
  hy_free(base, &gathering.open);
  return HYLA_OK;
}

struct meeting {
  const struct hy_axis *axis, *other;
  int part;
};

/* Walks over the part's indices once, in ascending order. */
static void walk_part(const void *arg, const struct hy_gathering *gathering) {
  const struct meeting *m = arg;
  int64_t held = hy_held(m->axis, m->part);
  bool here = m->axis->mirrored, there = m->other->mirrored;
  for (int64_t l = 0, length; l < held; l += length) {
    int64_t i = hy_axis_index(m->axis, m->part, l);
    length = hy_min(hy_axis_run(m->axis, i), hy_axis_run(m->other, i));
    hy_gather_transposed(gathering, hy_axis_owner(m->other, i), length, hy_axis_place(m->axis, i),
                         here, hy_axis_place(m->other, i), there);
  }
}

hyla_status hy_intersection_create(struct hy_base *base, void *owner, const struct hy_axis *axis,
                                   int part, const struct hy_axis *other,
                                   struct hy_intersection *shares) {
  const struct meeting meeting = {axis, other, part};
  TRY(hy_intersection_gather(base, owner, other->parts, walk_part, &meeting, shares));
  shares->axis = axis;
  shares->part = part;
  return HYLA_OK;
}

/* ------------------------------------------------------------- places -- */

struct hy_positions hy_positions_of(const struct hy_intersection *shares, uint32_t class,
                                    enum hy_side_layout from, enum hy_side_layout to) {
  return (struct hy_positions){.shares = shares,
                               .progression = shares->progression + shares->start[class],
                               .progressions = shares->start[class + 1] - shares->start[class],
                               .entries = shares->entries[class],
                               .from = from,
                               .to = to};
}

struct hy_positions hy_positions_with(const struct hy_intersection *shares,
                                      const struct hy_axis *other, int peer,
                                      enum hy_side_layout from, enum hy_side_layout to) {
  return hy_positions_of(shares, hy_axis_part(&other->code, (uint32_t)peer), from, to);
}

int64_t hy_positions_at(const struct hy_positions *positions, enum hy_side_layout side,
                        int64_t entry) {
  const struct hy_progression *f = positions->progression;
  for (entry += positions->first; entry >= (int64_t)f->length * f->count; f++)
    entry -= (int64_t)f->length * f->count;
  int64_t run = entry / f->length, inside = entry % f->length;
  return side == HY_HERE ? f->here + run * f->here_step + inside
                         : f->there + run * f->there_step + inside;
}

int64_t hy_positions_below(const struct hy_positions *positions, enum hy_side_layout side,
                           int64_t limit) {
  int64_t below = -positions->first;
  for (int i = 0; i < positions->progressions; i++) {
    const struct hy_progression *f = &positions->progression[i];
    int64_t first = side == HY_HERE ? f->here : f->there;
    int64_t step = side == HY_HERE ? f->here_step : f->there_step;
    if (limit <= first) break;
    int64_t runs = hy_min(f->count, hy_ceil_div(limit - first, hy_max(1, step)));
    below += (runs - 1) * f->length + hy_min(f->length, limit - first - (runs - 1) * step);
  }
  return hy_max(0, hy_min(positions->entries, below));
}
