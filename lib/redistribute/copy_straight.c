/* Copies that do not transpose, between arrays at scattered rows and columns.
 *
 * Rows and columns come as progressions of equal runs, so that indices need not be looked at one by
 * one.  A progression of rows in one column is an array of its own, `length' by `count' with the
 * step as leading dimension, and is copied by one call of the copy kernel. */
#include "redistribute/copy.h"

enum { STAGED = 1 << 14 }; /* bytes staged at a time, unless one column is longer */

struct hy_stretch hy_stretch_of(const struct hy_positions *positions) {
  struct hy_stretch s = {.positions = positions,
                         .from = positions->from,
                         .to = positions->to,
                         .left = positions->entries};
  const struct hy_progression *f = positions->progression;
  int64_t skip = positions->first;
  for (; skip > 0 && skip >= (int64_t)f->length * f->count; f++, s.progression++)
    skip -= (int64_t)f->length * f->count;
  if (skip == 0) return s;
  s.run = skip / f->length;
  s.inside = skip % f->length;
  return s;
}

int64_t hy_stretch_place(const struct hy_stretch *s, enum hy_side_layout side) {
  const struct hy_progression *f = &s->positions->progression[s->progression];
  switch (side) {
  case HY_HERE: return f->here + s->run * f->here_step + s->inside;
  case HY_THERE: return f->there + s->run * f->there_step + s->inside;
  case HY_PACKED: return s->packed;
  default: return s->tile;
  }
}

static int64_t step(const struct hy_stretch *s, enum hy_side_layout side) {
  const struct hy_progression *f = &s->positions->progression[s->progression];
  return side == HY_HERE ? f->here_step : side == HY_THERE ? f->there_step : f->length;
}

static void advance(struct hy_stretch *s, int64_t runs, int64_t length) {
  const struct hy_progression *f = &s->positions->progression[s->progression];
  s->left -= runs * length;
  s->packed += runs * length;
  s->tile += runs * length;
  s->inside += length;
  if (s->inside == f->length) {
    s->inside = 0;
    s->run += runs;
  }
  if (s->run == f->count) {
    s->run = 0;
    s->progression++;
  }
}

bool hy_stretch_allocate(struct hy_stretch *s, struct hy_stretch_piece *piece) {
  if (s->left == 0) return false;
  const struct hy_progression *f = &s->positions->progression[s->progression];
  bool whole = s->inside == 0 && f->length <= s->left;
  piece->length = whole ? f->length : hy_min(f->length - s->inside, s->left);
  piece->count = whole ? hy_min(f->count - s->run, s->left / f->length) : 1;
  piece->from = hy_stretch_place(s, s->from);
  piece->from_step = step(s, s->from);
  piece->to = hy_stretch_place(s, s->to);
  piece->to_step = step(s, s->to);
  advance(s, piece->count, piece->length);
  return true;
}

bool hy_stretch_is_run(struct hy_stretch s, enum hy_side_layout side) {
  if (side == HY_PACKED || side == HY_TILE || s.left == 0) return true;
  int64_t next = hy_stretch_place(&s, side);
  struct hy_stretch_piece piece;
  s.from = side;
  while (hy_stretch_allocate(&s, &piece)) {
    if (piece.from != next || (piece.count > 1 && piece.from_step != piece.length)) return false;
    next += piece.length * piece.count;
  }
  return true;
}

/* Copies some rows of columns that are one run.  next: the array that is read next, for
 * prefetch. */
static void copy_columns(const struct hy_copy *copy, struct hy_stretch rows,
                         const struct hy_copy_array *source, const struct hy_copy_array *target,
                         int64_t columns, const struct hy_copy_array *next) {
  int64_t size = (int64_t)source->size;
  struct hy_stretch_piece piece;
  while (copy->alpha == 1 && hy_stretch_allocate(&rows, &piece)) {
    const struct hy_runs runs = {.bytes = piece.length * size,
                                 .count = piece.count,
                                 .from_step = piece.from_step * size,
                                 .to_step = piece.to_step * size,
                                 .columns = columns,
                                 .from_ld = source->ld * size,
                                 .to_ld = target->ld * size,
                                 .stream = copy->stream,
                                 .next = rows.left == 0 ? next->data : NULL,
                                 .next_ld = next->ld * size};
    hy_copy_runs(&runs, hy_copy_at(source, piece.from, 0), hy_copy_at(target, piece.to, 0));
  }
  while (hy_stretch_allocate(&rows, &piece))
    for (int64_t j = 0; j < columns; j++)
      copy->k->copy(HYLA_NONE, (int)piece.length, (int)piece.count, copy->alpha,
                    hy_copy_at(source, piece.from, j), (int)piece.from_step,
                    hy_copy_at(target, piece.to, j), (int)piece.to_step);
}

/* Columns that are copied together. */
struct group {
  int64_t from, from_step;
  int64_t to, to_step;
  int64_t columns;
};

/* A stretch of columns, cut into groups. */
struct groups {
  struct hy_stretch cols;
  struct hy_stretch_piece piece;
  int64_t run, runs;       /* of the piece: the current one, all */
  int64_t column, columns; /* of the run: the current one, all */
};

static bool next_group(struct groups *all, int64_t most, struct group *group) {
  const struct hy_stretch_piece *piece = &all->piece;
  if (all->column == all->columns) {
    all->column = 0;
    if (++all->run >= all->runs) {
      if (!hy_stretch_allocate(&all->cols, &all->piece)) return false;
      all->run = 0;
      all->runs = piece->length == 1 ? 1 : piece->count;
      all->columns = piece->length == 1 ? piece->count : piece->length;
    }
  }
  /* Single columns at equal distances form a group too. */
  bool apart = piece->length == 1;
  group->from_step = apart ? piece->from_step : 1;
  group->to_step = apart ? piece->to_step : 1;
  group->from = piece->from + all->run * piece->from_step + all->column * group->from_step;
  group->to = piece->to + all->run * piece->to_step + all->column * group->to_step;
  group->columns = hy_min(most, all->columns - all->column);
  all->column += group->columns;
  return true;
}

static void copy_group(const struct hy_copy *copy, const struct hy_stretch *rows,
                       const struct group *group, const struct hy_copy_array *source,
                       const struct hy_copy_array *target, const struct hy_copy_array *next) {
  const struct hy_copy_array in = {hy_copy_at(source, 0, group->from),
                                   source->ld * group->from_step, source->size};
  const struct hy_copy_array out = {hy_copy_at(target, 0, group->to), target->ld * group->to_step,
                                    target->size};
  copy_columns(copy, *rows, &in, &out, group->columns, next);
}

/* Copies group by group: the processor's TLB still has the pages of a group of columns when its
 * next rows come. */
void hy_copy_straight(const struct hy_copy *copy, const struct hy_stretch *rows,
                      const struct hy_stretch *cols, const struct hy_copy_array *source,
                      const struct hy_copy_array *target) {
  struct groups all = {.cols = *cols};
  for (struct group group; next_group(&all, HY_COPY_TILE, &group);)
    copy_group(copy, rows, &group, source, target, &(const struct hy_copy_array){0});
}

static void copy_band(const struct hy_copy *copy, const struct hy_band *band,
                      const struct group *group, const struct hy_copy_array *target,
                      const struct hy_copy_array *next) {
  const struct hy_copy_array in = hy_copy_array_of(copy, band->source, band->ld);
  const struct hy_stretch down = hy_stretch_of(&band->rows);
  copy_group(copy, &down, group, &in, target, next);
}

/* The first entries of a band that a group of columns reads; data is NULL if the band is empty. */
static struct hy_copy_array head_of(const struct hy_copy *copy, const struct hy_band *band,
                                    const struct group *group) {
  struct hy_copy_array head = hy_copy_array_of(copy, band->source, band->ld);
  const struct hy_stretch rows = hy_stretch_of(&band->rows);
  head.data =
      rows.left == 0 ? NULL : hy_copy_at(&head, hy_stretch_place(&rows, rows.from), group->from);
  head.ld *= group->from_step;
  return head;
}

/* Copies each group of columns from all bands before the next group, so that a cache line of the
 * target is loaded once. */
void hy_copy_straight_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                            const struct hy_positions *cols, const struct hy_copy_array *target) {
  struct groups all = {.cols = hy_stretch_of(cols)};
  struct group group, after;
  bool more = count > 0 && next_group(&all, HY_COPY_TILE, &group);
  while (more) {
    more = next_group(&all, HY_COPY_TILE, &after);
    for (int i = 0; i < count; i++) {
      struct hy_copy_array next = {0};
      if (i + 1 < count)
        next = head_of(copy, &bands[i + 1], &group);
      else if (more)
        next = head_of(copy, &bands[0], &after);
      copy_band(copy, &bands[i], &group, target, &next);
    }
    group = after;
  }
}

/* Assembles columns in the cache, and writes complete ones past it. */
void hy_copy_staged_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                          const struct hy_positions *cols, int64_t rows,
                          const struct hy_copy_array *target) {
  int64_t bytes = rows * (int64_t)copy->k->size;
  const struct hy_copy_array stage = hy_copy_array_of(copy, copy->scratch, rows);
  struct groups all = {.cols = hy_stretch_of(cols)};
  for (struct group group; next_group(&all, hy_max(1, STAGED / bytes), &group);) {
    const struct hy_runs whole = {.bytes = bytes,
                                  .count = 1,
                                  .columns = group.columns,
                                  .from_ld = bytes,
                                  .to_ld = target->ld * group.to_step * (int64_t)target->size,
                                  .stream = true};
    char *to = hy_copy_at(target, 0, group.to);
    group.to = 0;
    group.to_step = 1;
    for (int i = 0; i < count; i++)
      copy_band(copy, &bands[i], &group, &stage, &(const struct hy_copy_array){0});
    hy_copy_runs(&whole, stage.data, to);
  }
}
