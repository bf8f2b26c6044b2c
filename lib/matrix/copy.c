/* Copies between arrays at scattered rows and columns, the leaf of every
 * redistribution.
 *
 * Rows and columns come as families of equal runs, so that no index is looked at
 * by itself: a family of rows in one column is an array of its own, `length` by
 * `count` with the step as its leading dimension, and goes to the copy kernel in
 * one call.  A transposition of long runs goes to the kernel as it stands; where
 * runs are short it goes tile by tile: gathered where the source is scattered,
 * turned by the kernel, scattered where the target is; a tile and its image stay
 * in the first-level caches. */
#include "matrix/move.h"

#include <limits.h>

enum {
  LONG_RUN = 16, /* entries from which on a kernel call costs less than a tile */
  TILE = 64,
  SHARED = 128,    /* bytes of a run from which on it hardly shares lines with others */
  STAGED = 1 << 14 /* bytes put together at a time, if more than a column */
};

/* A source or target array. */
struct array {
  char *data;
  int64_t ld;
  size_t size;
};

static char *at(const struct array *array, int64_t row, int64_t col) {
  return array->data + (row + col * array->ld) * (int64_t)array->size;
}

/* A stretch of places: from a position on, so many entries. */
struct stretch {
  const struct hy_places *places;
  enum hy_lie from, to;
  int64_t left;
  int family;
  int64_t run, inside;  /* of the family; of the run */
  int64_t packed, tile; /* entries before it: in all, in the tile */
};

static struct stretch stretch_of(const struct hy_places *places) {
  struct stretch s = {
      .places = places, .from = places->from, .to = places->to, .left = places->entries};
  const struct hy_family *f = places->family;
  int64_t skip = places->first;
  for (; skip > 0 && skip >= (int64_t)f->length * f->count; f++, s.family++)
    skip -= (int64_t)f->length * f->count;
  if (skip == 0) return s;
  s.run = skip / f->length;
  s.inside = skip % f->length;
  return s;
}

/* A part of a family: `count` runs. */
struct piece {
  int64_t length, count;
  int64_t from, from_step;
  int64_t to, to_step;
};

static int64_t position(const struct stretch *s, enum hy_lie lie) {
  const struct hy_family *f = &s->places->family[s->family];
  switch (lie) {
  case HY_HERE: return f->here + s->run * f->here_step + s->inside;
  case HY_THERE: return f->there + s->run * f->there_step + s->inside;
  case HY_PACKED: return s->packed;
  default: return s->tile;
  }
}

static int64_t step(const struct stretch *s, enum hy_lie lie) {
  const struct hy_family *f = &s->places->family[s->family];
  return lie == HY_HERE ? f->here_step : lie == HY_THERE ? f->there_step : f->length;
}

static void advance(struct stretch *s, int64_t runs, int64_t length) {
  const struct hy_family *f = &s->places->family[s->family];
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
    s->family++;
  }
}

/* Takes the next piece off a stretch: whole runs, or a part of one. */
static bool take(struct stretch *s, struct piece *piece) {
  if (s->left == 0) return false;
  const struct hy_family *f = &s->places->family[s->family];
  bool whole = s->inside == 0 && f->length <= s->left;
  piece->length = whole ? f->length : hy_min(f->length - s->inside, s->left);
  piece->count = whole ? hy_min(f->count - s->run, s->left / f->length) : 1;
  piece->from = position(s, s->from);
  piece->from_step = step(s, s->from);
  piece->to = position(s, s->to);
  piece->to_step = step(s, s->to);
  advance(s, piece->count, piece->length);
  return true;
}

/* Is the stretch one run on this side? */
static bool one_run(struct stretch s, enum hy_lie lie) {
  if (lie == HY_PACKED || lie == HY_TILE || s.left == 0) return true;
  int64_t next = position(&s, lie);
  struct piece piece;
  s.from = lie;
  while (take(&s, &piece)) {
    if (piece.from != next || (piece.count > 1 && piece.from_step != piece.length)) return false;
    next += piece.length * piece.count;
  }
  return true;
}

/* Some rows, in columns that are one run. */
static void copy_columns(const struct hy_copy *copy, struct stretch rows,
                         const struct array *source, const struct array *target, int64_t columns) {
  int64_t size = (int64_t)source->size;
  struct piece piece;
  while (copy->alpha == 1 && take(&rows, &piece)) {
    const struct hy_runs runs = {.bytes = piece.length * size,
                                 .count = piece.count,
                                 .from_step = piece.from_step * size,
                                 .to_step = piece.to_step * size,
                                 .columns = columns,
                                 .from_ld = source->ld * size,
                                 .to_ld = target->ld * size,
                                 .stream = copy->stream};
    hy_copy_runs(&runs, at(source, piece.from, 0), at(target, piece.to, 0));
  }
  while (take(&rows, &piece))
    for (int64_t j = 0; j < columns; j++)
      copy->k->copy(HYLA_NONE, (int)piece.length, (int)piece.count, copy->alpha,
                    at(source, piece.from, j), (int)piece.from_step, at(target, piece.to, j),
                    (int)piece.to_step);
}

/* Columns that are copied together. */
struct group {
  int64_t from, from_step;
  int64_t to, to_step;
  int64_t columns;
};

/* A stretch of columns, cut into groups. */
struct groups {
  struct stretch cols;
  struct piece piece;
  int64_t run, runs;       /* of the piece */
  int64_t column, columns; /* of the run */
};

static bool next_group(struct groups *all, int64_t most, struct group *group) {
  const struct piece *piece = &all->piece;
  if (all->column == all->columns) {
    all->column = 0;
    if (++all->run >= all->runs) {
      if (!take(&all->cols, &all->piece)) return false;
      all->run = 0;
      all->runs = piece->length == 1 ? 1 : piece->count;
      all->columns = piece->length == 1 ? piece->count : piece->length;
    }
  }
  /* Single columns at regular distances are a group too. */
  bool apart = piece->length == 1;
  group->from_step = apart ? piece->from_step : 1;
  group->to_step = apart ? piece->to_step : 1;
  group->from = piece->from + all->run * piece->from_step + all->column * group->from_step;
  group->to = piece->to + all->run * piece->to_step + all->column * group->to_step;
  group->columns = hy_min(most, all->columns - all->column);
  all->column += group->columns;
  return true;
}

static void copy_group(const struct hy_copy *copy, const struct stretch *rows,
                       const struct group *group, const struct array *source,
                       const struct array *target) {
  const struct array in = {at(source, 0, group->from), source->ld * group->from_step, source->size};
  const struct array out = {at(target, 0, group->to), target->ld * group->to_step, target->size};
  copy_columns(copy, *rows, &in, &out, group->columns);
}

/* In groups, so that the pages of a group stay known to the processor while the
 * rows go by. */
static void copy_straight(const struct hy_copy *copy, const struct stretch *rows,
                          const struct stretch *cols, const struct array *source,
                          const struct array *target) {
  struct groups all = {.cols = *cols};
  for (struct group group; next_group(&all, TILE, &group);)
    copy_group(copy, rows, &group, source, target);
}

/* rows and cols: at most TILE each unless they are single runs on both sides;
 * scratch: two tiles. */
static void turn_tile(const struct hy_copy *copy, struct stretch rows, struct stretch cols,
                      const struct array *source, const struct array *target) {
  const struct hy_kernels *k = copy->k;
  int height = (int)rows.left, width = (int)cols.left;
  const struct hy_copy plain = {.k = k, .op = HYLA_NONE, .alpha = 1};
  struct array in = {copy->scratch, TILE, k->size};
  struct array out = {copy->scratch + TILE * TILE * k->size, TILE, k->size};
  rows.tile = 0;
  cols.tile = 0;
  struct stretch across = rows, along = cols;
  if (one_run(rows, rows.from) && one_run(cols, cols.from)) {
    in.data = at(source, position(&cols, cols.from), position(&rows, rows.from));
    in.ld = source->ld;
  } else {
    across.to = HY_TILE;
    along.to = HY_TILE;
    copy_straight(&plain, &along, &across, source, &in);
  }
  bool direct = one_run(rows, rows.to) && one_run(cols, cols.to);
  if (direct) {
    out.data = at(target, position(&rows, rows.to), position(&cols, cols.to));
    out.ld = target->ld;
  }
  k->turn(copy->op, height, width, copy->alpha, in.data, (int)in.ld, out.data, (int)out.ld,
          copy->stream && direct);
  if (direct) return;
  rows.from = HY_TILE;
  cols.from = HY_TILE;
  copy_straight(&plain, &rows, &cols, &out, target);
}

static bool all_long(const struct hy_places *places) {
  for (int i = 0; i < places->families; i++)
    if (places->family[i].length < LONG_RUN) return false;
  return true;
}

/* Cuts the head of at most `most` entries off a stretch; of a long run no more
 * than that run. */
static struct stretch cut(struct stretch *s, int64_t most) {
  struct stretch head = *s;
  const struct hy_family *family = s->places->family;
  struct piece piece;
  head.left = 0;
  while (s->left > 0 && head.left < most) {
    bool is_long = family[s->family].length >= LONG_RUN;
    if (is_long && head.left > 0) break;
    struct stretch rest = *s;
    rest.left = hy_min(s->left, most - head.left);
    if (is_long) rest.left = hy_min(rest.left, family[s->family].length - s->inside);
    int64_t before = rest.left;
    take(&rest, &piece);
    before -= rest.left;
    rest.left = s->left - before;
    *s = rest;
    head.left += before;
    if (is_long) break;
  }
  return head;
}

static void copy_turned(const struct hy_copy *copy, const struct hy_places *rows,
                        const struct hy_places *cols, const struct array *source,
                        const struct array *target) {
  int64_t most = all_long(rows) && all_long(cols) ? INT_MAX : TILE;
  struct stretch down = stretch_of(cols);
  while (down.left > 0) {
    struct stretch width = cut(&down, most);
    struct stretch across = stretch_of(rows);
    while (across.left > 0) {
      struct stretch height = cut(&across, most);
      turn_tile(copy, height, width, source, target);
    }
  }
}

int64_t hy_copy_scratch(hyla_operation op) { return op == HYLA_NONE ? 0 : 2 * TILE * TILE; }

/* The source is only read; one type for both sides keeps the helpers few. */
static struct array array_of(const struct hy_copy *copy, const void *data, int64_t ld) {
  return (struct array){(char *)(uintptr_t)data, ld, copy->k->size};
}

void hy_copy_places(const struct hy_copy *copy, const struct hy_places *rows,
                    const struct hy_places *cols, const void *source, int64_t ld_source,
                    void *target, int64_t ld_target) {
  if (copy->k->dry || rows->entries == 0 || cols->entries == 0) return;
  const struct array in = array_of(copy, source, ld_source),
                     out = array_of(copy, target, ld_target);
  const struct stretch down = stretch_of(rows), across = stretch_of(cols);
  if (copy->op == HYLA_NONE)
    copy_straight(copy, &down, &across, &in, &out);
  else
    copy_turned(copy, rows, cols, &in, &out);
  if (copy->stream) hy_stream_end();
}

/* Do most lines of the target get entries from several bands, and these all of it? */
static bool share_lines(const struct hy_copy *copy, const struct hy_band *bands, int count,
                        int64_t rows) {
  int64_t entries = 0, scattered = 0;
  for (int i = 0; i < count; i++) {
    entries += bands[i].rows.entries;
    for (int f = 0; f < bands[i].rows.families; f++) {
      const struct hy_family *family = &bands[i].rows.family[f];
      if (family->length * (int64_t)copy->k->size < SHARED)
        scattered += (int64_t)family->length * family->count;
    }
  }
  return entries == rows && 2 * scattered > rows;
}

static void copy_band(const struct hy_copy *copy, const struct hy_band *band,
                      const struct group *group, const struct array *target) {
  const struct array in = array_of(copy, band->source, band->ld);
  const struct stretch down = stretch_of(&band->rows);
  copy_group(copy, &down, group, &in, target);
}

/* Columns are put together in the cache, and go past it when they are complete. */
static void copy_staged(const struct hy_copy *copy, const struct hy_band *bands, int count,
                        const struct hy_places *cols, int64_t rows, const struct array *target) {
  int64_t bytes = rows * (int64_t)copy->k->size;
  const struct array stage = array_of(copy, copy->scratch, rows);
  struct groups all = {.cols = stretch_of(cols)};
  for (struct group group; next_group(&all, hy_max(1, STAGED / bytes), &group);) {
    const struct hy_runs whole = {.bytes = bytes,
                                  .count = 1,
                                  .columns = group.columns,
                                  .from_ld = bytes,
                                  .to_ld = target->ld * group.to_step * (int64_t)target->size,
                                  .stream = true};
    char *to = at(target, 0, group.to);
    group.to = 0;
    group.to_step = 1;
    for (int i = 0; i < count; i++) copy_band(copy, &bands[i], &group, &stage);
    hy_copy_runs(&whole, stage.data, to);
  }
}

void hy_copy_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                   const struct hy_places *cols, int64_t rows, void *target, int64_t ld_target) {
  if (copy->k->dry || cols->entries == 0) return;
  const struct array out = array_of(copy, target, ld_target);
  struct groups all = {.cols = stretch_of(cols)};
  if (copy->stream && rows * (int64_t)copy->k->size <= HY_STAGE &&
      share_lines(copy, bands, count, rows))
    copy_staged(copy, bands, count, cols, rows, &out);
  else
    for (struct group group; next_group(&all, TILE, &group);)
      for (int i = 0; i < count; i++) copy_band(copy, &bands[i], &group, &out);
  if (copy->stream) hy_stream_end();
}
