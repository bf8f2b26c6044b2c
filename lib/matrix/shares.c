/* Where two axes meet: the indices that a part of one shares with the parts of
 * the other, found run by run and gathered into families of equal runs. */
#include "matrix/move.h"

struct run {
  int32_t length; /* 0: none */
  int32_t here, there;
};

/* What is being gathered for one part of the other axis. */
struct open {
  struct run run;          /* may grow */
  struct hy_family family; /* of the runs before it; count 0: none */
};

/* Does the run continue the family?  The second run sets the steps. */
static bool joins(const struct hy_family *family, const struct run *run) {
  if (family->count == 0 || family->length != run->length) return false;
  if (family->count == 1) return true;
  return run->here == family->here + family->count * family->here_step &&
         run->there == family->there + family->count * family->there_step;
}

/* Writes a family down, or only counts it while there is no memory. */
static void put_family(struct hy_shares *shares, int q, struct open *open) {
  if (open->family.count == 0) return;
  if (shares->family == NULL)
    shares->start[q + 1]++;
  else
    shares->family[shares->start[q]++] = open->family;
  open->family.count = 0;
}

static void put_run(struct hy_shares *shares, int q, struct open *open) {
  const struct run *run = &open->run;
  struct hy_family *family = &open->family;
  if (run->length == 0) return;
  if (!joins(family, run)) {
    put_family(shares, q, open);
    *family = (struct hy_family){run->length, 1, run->here, run->length, run->there, run->length};
  } else {
    if (family->count == 1) {
      family->here_step = run->here - family->here;
      family->there_step = run->there - family->there;
    }
    family->count++;
  }
  open->run.length = 0;
}

static void add_run(struct hy_shares *shares, int q, struct open *open, const struct run *next) {
  struct run *run = &open->run;
  bool grows = run->length > 0 && next->here == run->here + run->length &&
               next->there == run->there + run->length;
  if (grows) {
    run->length += next->length;
    return;
  }
  put_run(shares, q, open);
  *run = *next;
}

/* One walk over the part's indices, in ascending order. */
static void walk(const struct hy_axis *axis, int part, const struct hy_axis *other,
                 struct open *open, struct hy_shares *shares) {
  int64_t held = hy_axis_before(axis, part, axis->n);
  for (int64_t l = 0, length; l < held; l += length) {
    int64_t i = hy_axis_index(axis, part, l);
    length = hy_min(hy_axis_run(axis, i), hy_axis_run(other, i));
    int q = hy_axis_owner(other, i);
    const struct run run = {(int32_t)length, (int32_t)l, (int32_t)hy_axis_before(other, q, i)};
    if (shares->family == NULL) shares->entries[q] += run.length;
    add_run(shares, q, &open[q], &run);
  }
  for (int q = 0; q < other->parts; q++) {
    put_run(shares, q, &open[q]);
    put_family(shares, q, &open[q]);
  }
}

static hyla_status gather(struct hy_base *base, const struct hy_axis *axis, int part,
                          const struct hy_axis *other, struct open *open,
                          struct hy_shares *shares) {
  int parts = other->parts;
  TRY(hy_alloc(base, 2 * (int64_t)parts + 1, sizeof *shares->start, &shares->start));
  shares->entries = shares->start + parts + 1;
  walk(axis, part, other, open, shares);
  for (int q = 0; q < parts; q++) shares->start[q + 1] += shares->start[q];
  TRY(hy_alloc(base, shares->start[parts], sizeof *shares->family, &shares->family));
  walk(axis, part, other, open, shares);
  /* Each start has moved to its end, which is the next one's start. */
  for (int q = parts; q > 0; q--) shares->start[q] = shares->start[q - 1];
  shares->start[0] = 0;
  return HYLA_OK;
}

hyla_status hy_shares_create(struct hy_base *base, const struct hy_axis *axis, int part,
                             const struct hy_axis *other, struct hy_shares *shares) {
  struct open *open = NULL;
  TRY(hy_alloc(base, other->parts, sizeof *open, &open));
  hyla_status status = gather(base, axis, part, other, open, shares);
  hy_free(base, &open);
  return status;
}

void hy_shares_destroy(struct hy_base *base, struct hy_shares *shares) {
  hy_free(base, &shares->start);
  hy_free(base, &shares->family);
}
