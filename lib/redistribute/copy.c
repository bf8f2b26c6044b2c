/* Copies between arrays at scattered rows and columns, the innermost operation of every
 * redistribution.
 *
 * Rows and columns come as progressions of equal runs, so that indices need not be looked at one by
 * one.  Without transposition, a progression of rows in one column is an array of its own, `length'
 * by `count' with the step as leading dimension, and is copied by one call of the copy kernel.
 *   Transposing copies give long runs to the kernel directly.  Short runs go tile by tile: a tile
 * is gathered if the source is scattered, transposed by the kernel, and scattered if the target is.
 * A tile and its image fit into the first-level cache.  If several sources hold the target's rows
 * in short runs, one tile is gathered from all of them, so that whole cache lines are written,
 * once. */
#include "redistribute/direct.h"

#include <limits.h>

/* TILE      rows and columns that are copied together
 * STAGED    bytes staged at a time, unless one column is longer
 * SHARED    shorter runs (bytes) share most of their cache lines with others
 * LONG_RUN  for runs of at least this length a kernel call costs less than a tile */
enum { TILE = HY_COPY_TILE, STAGED = 1 << 14, SHARED = 128, LONG_RUN = 16 };

/* A source or target array. */
struct array {
  char *data;
  int64_t ld;
  size_t size;
};

static char *at(const struct array *array, int64_t row, int64_t col) {
  return array->data + (row + col * array->ld) * (int64_t)array->size;
}

/* A source is only read, although `data' is not const: one type for both sides keeps helpers
 * few. */
static struct array array_of(const struct hy_copy *copy, const void *data, int64_t ld) {
  return (struct array){(char *)(uintptr_t)data, ld, copy->k->size};
}

/* A walk over consecutive entries of places: `left' of them, from the current one on. */
struct stretch {
  const struct hy_positions *positions;
  enum hy_side_layout from, to;
  int64_t left;
  int progression;
  int64_t run, inside;  /* current run of the progression; position in the run */
  int64_t packed, tile; /* number of entries before it, in all and in the tile */
};

/* A part of a progression: `count' runs. */
struct piece {
  int64_t length, count;
  int64_t from, from_step;
  int64_t to, to_step;
};

static struct stretch stretch_of(const struct hy_positions *positions) {
  struct stretch s = {.positions = positions,
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

/* The current entry's position on one side. */
static int64_t place_of(const struct stretch *s, enum hy_side_layout side) {
  const struct hy_progression *f = &s->positions->progression[s->progression];
  switch (side) {
  case HY_HERE: return f->here + s->run * f->here_step + s->inside;
  case HY_THERE: return f->there + s->run * f->there_step + s->inside;
  case HY_PACKED: return s->packed;
  default: return s->tile;
  }
}

static int64_t step(const struct stretch *s, enum hy_side_layout side) {
  const struct hy_progression *f = &s->positions->progression[s->progression];
  return side == HY_HERE ? f->here_step : side == HY_THERE ? f->there_step : f->length;
}

static void advance(struct stretch *s, int64_t runs, int64_t length) {
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

/* Removes the next piece from a stretch: some whole runs, or part of one.  false at the end. */
static bool next_piece(struct stretch *s, struct piece *piece) {
  if (s->left == 0) return false;
  const struct hy_progression *f = &s->positions->progression[s->progression];
  bool whole = s->inside == 0 && f->length <= s->left;
  piece->length = whole ? f->length : hy_min(f->length - s->inside, s->left);
  piece->count = whole ? hy_min(f->count - s->run, s->left / f->length) : 1;
  piece->from = place_of(s, s->from);
  piece->from_step = step(s, s->from);
  piece->to = place_of(s, s->to);
  piece->to_step = step(s, s->to);
  advance(s, piece->count, piece->length);
  return true;
}

/* Is the stretch one run on this side? */
static bool is_run(struct stretch s, enum hy_side_layout side) {
  if (side == HY_PACKED || side == HY_TILE || s.left == 0) return true;
  int64_t next = place_of(&s, side);
  struct piece piece;
  s.from = side;
  while (next_piece(&s, &piece)) {
    if (piece.from != next || (piece.count > 1 && piece.from_step != piece.length)) return false;
    next += piece.length * piece.count;
  }
  return true;
}

/* Copies some rows of columns that are one run.  next: the array that is read next, for
 * prefetch. */
static void copy_columns(const struct hy_copy *copy, struct stretch rows,
                         const struct array *source, const struct array *target, int64_t columns,
                         const struct array *next) {
  int64_t size = (int64_t)source->size;
  struct piece piece;
  while (copy->alpha == 1 && next_piece(&rows, &piece)) {
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
    hy_copy_runs(&runs, at(source, piece.from, 0), at(target, piece.to, 0));
  }
  while (next_piece(&rows, &piece))
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
  int64_t run, runs;       /* of the piece: the current one, all */
  int64_t column, columns; /* of the run: the current one, all */
};

static bool next_group(struct groups *all, int64_t most, struct group *group) {
  const struct piece *piece = &all->piece;
  if (all->column == all->columns) {
    all->column = 0;
    if (++all->run >= all->runs) {
      if (!next_piece(&all->cols, &all->piece)) return false;
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

static void copy_group(const struct hy_copy *copy, const struct stretch *rows,
                       const struct group *group, const struct array *source,
                       const struct array *target, const struct array *next) {
  const struct array in = {at(source, 0, group->from), source->ld * group->from_step, source->size};
  const struct array out = {at(target, 0, group->to), target->ld * group->to_step, target->size};
  copy_columns(copy, *rows, &in, &out, group->columns, next);
}

/* Copies group by group: the processor's TLB still has the pages of a group of columns when its
 * next rows come. */
static void copy_straight(const struct hy_copy *copy, const struct stretch *rows,
                          const struct stretch *cols, const struct array *source,
                          const struct array *target) {
  struct groups all = {.cols = *cols};
  for (struct group group; next_group(&all, TILE, &group);)
    copy_group(copy, rows, &group, source, target, &(const struct array){0});
}

static void copy_band(const struct hy_copy *copy, const struct hy_band *band,
                      const struct group *group, const struct array *target,
                      const struct array *next) {
  const struct array in = array_of(copy, band->source, band->ld);
  const struct stretch down = stretch_of(&band->rows);
  copy_group(copy, &down, group, &in, target, next);
}

/* The first entries of a band that a group of columns reads; data is NULL if the band is empty. */
static struct array head_of(const struct hy_copy *copy, const struct hy_band *band,
                            const struct group *group) {
  struct array head = array_of(copy, band->source, band->ld);
  const struct stretch rows = stretch_of(&band->rows);
  head.data = rows.left == 0 ? NULL : at(&head, place_of(&rows, rows.from), group->from);
  head.ld *= group->from_step;
  return head;
}

/* Copies each group of columns from all bands before the next group, so that a cache line of the
 * target is loaded once. */
static void straight_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                           const struct hy_positions *cols, const struct array *target) {
  struct groups all = {.cols = stretch_of(cols)};
  struct group group, after;
  bool more = count > 0 && next_group(&all, TILE, &group);
  while (more) {
    more = next_group(&all, TILE, &after);
    for (int i = 0; i < count; i++) {
      struct array next = {0};
      if (i + 1 < count)
        next = head_of(copy, &bands[i + 1], &group);
      else if (more)
        next = head_of(copy, &bands[0], &after);
      copy_band(copy, &bands[i], &group, target, &next);
    }
    group = after;
  }
}

/* The same, with columns put together in copy->scratch and written past the caches, whole cache
 * lines at a time.  The bands together must have all rows, and one column at most HY_STAGE bytes.
 */
static void staged_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                         const struct hy_positions *cols, int64_t rows,
                         const struct array *target) {
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
    for (int i = 0; i < count; i++)
      copy_band(copy, &bands[i], &group, &stage, &(const struct array){0});
    hy_copy_runs(&whole, stage.data, to);
  }
}

/* ------------------------------------------------------------ transposed -- */

/* Tile 0 or 1 in the scratch memory, which holds two. */
static struct array tile_of(const struct hy_copy *copy, int number) {
  return (struct array){copy->scratch + (size_t)(number * TILE * TILE) * copy->k->size, TILE,
                        copy->k->size};
}

/* Transposes a tile into rows and columns of the target: at most TILE of each unless they are
 * single runs.  next: the address that is read next, for prefetch (hy_kernels). */
static void deliver(const struct hy_copy *copy, const struct array *in, struct stretch rows,
                    struct stretch cols, const struct array *target, const void *next) {
  const struct hy_kernels *k = copy->k;
  int height = (int)rows.left, width = (int)cols.left;
  struct array out = tile_of(copy, 1);
  bool direct = is_run(rows, rows.to) && is_run(cols, cols.to);
  if (direct) {
    out.data = at(target, place_of(&rows, rows.to), place_of(&cols, cols.to));
    out.ld = target->ld;
  }
  k->turn(copy->op, height, width, copy->alpha, in->data, (int)in->ld, out.data, (int)out.ld,
          copy->stream && direct, next);
  if (direct) return;
  const struct hy_copy plain = {.k = k, .op = HYLA_NONE, .alpha = 1, .stream = copy->stream};
  rows.from = HY_TILE;
  cols.from = HY_TILE;
  rows.tile = 0;
  cols.tile = 0;
  copy_straight(&plain, &rows, &cols, &out, target);
}

static void gather(const struct hy_copy *copy, struct stretch rows, struct stretch cols,
                   const struct array *source, const struct array *tile) {
  const struct hy_copy plain = {.k = copy->k, .op = HYLA_NONE, .alpha = 1};
  copy_straight(&plain, &cols, &rows, source, tile);
}

/* Rows and columns of the target, with their source: at most TILE of each unless they are single
 * runs on both sides. */
struct tile {
  struct stretch rows, cols;
  struct array source;
  char *whole; /* address in the source if the tile is one block there; else NULL */
};

static void turn_tile(const struct hy_copy *copy, const struct tile *tile,
                      const struct array *target, const void *next) {
  struct array in = tile->source;
  in.data = tile->whole;
  if (tile->whole == NULL) {
    struct stretch across = tile->rows, along = tile->cols;
    across.to = HY_TILE;
    along.to = HY_TILE;
    across.tile = 0;
    along.tile = 0;
    in = tile_of(copy, 0);
    gather(copy, across, along, &tile->source, &in);
    next = NULL;
  }
  deliver(copy, &in, tile->rows, tile->cols, target, next);
}

static bool all_long(const struct hy_positions *positions) {
  for (int i = 0; i < positions->progressions; i++)
    if (positions->progression[i].length < LONG_RUN) return false;
  return true;
}

/* Cuts the head off a stretch: at most `most' entries, and at most one long run. */
static struct stretch cut(struct stretch *s, int64_t most) {
  struct stretch head = *s;
  const struct hy_progression *progression = s->positions->progression;
  struct piece piece;
  head.left = 0;
  while (s->left > 0 && head.left < most) {
    bool is_long = progression[s->progression].length >= LONG_RUN;
    if (is_long && head.left > 0) break;
    struct stretch rest = *s;
    rest.left = hy_min(s->left, most - head.left);
    if (is_long) rest.left = hy_min(rest.left, progression[s->progression].length - s->inside);
    int64_t before = rest.left;
    next_piece(&rest, &piece);
    before -= rest.left;
    rest.left = s->left - before;
    *s = rest;
    head.left += before;
    if (is_long) break;
  }
  return head;
}

/* A walk over all tiles by columns of the target.  For each group of columns it takes one band
 * after the other, so that the target is written column group by column group. */
struct tiles {
  const struct hy_copy *copy;
  const struct hy_band *bands;
  int count, band;
  int64_t most;              /* of rows or columns in a tile */
  struct stretch cols, rows; /* still to visit: columns; rows of the band in `width' columns */
  struct stretch width;
};

static bool next_tile(struct tiles *all, struct tile *tile) {
  while (all->rows.left == 0) {
    if (all->band == all->count) {
      if (all->cols.left == 0) return false;
      all->width = cut(&all->cols, all->most);
      all->band = 0;
    }
    all->rows = stretch_of(&all->bands[all->band++].rows);
  }
  const struct hy_band *band = &all->bands[all->band - 1];
  *tile = (struct tile){.rows = cut(&all->rows, all->most),
                        .cols = all->width,
                        .source = array_of(all->copy, band->source, band->ld)};
  const struct stretch *rows = &tile->rows, *cols = &tile->cols;
  if (is_run(*rows, rows->from) && is_run(*cols, cols->from))
    tile->whole = at(&tile->source, place_of(cols, cols->from), place_of(rows, rows->from));
  return true;
}

static void copy_transposed(const struct hy_copy *copy, const struct hy_band *bands, int count,
                            const struct hy_positions *cols, const struct array *target) {
  bool runs = all_long(cols);
  for (int i = 0; i < count; i++) runs = runs && all_long(&bands[i].rows);
  struct tiles all = {.copy = copy,
                      .bands = bands,
                      .count = count,
                      .band = count,
                      .most = runs ? INT_MAX : TILE,
                      .cols = stretch_of(cols)};
  struct tile tile, after;
  bool more = count > 0 && next_tile(&all, &tile);
  while (more) {
    more = next_tile(&all, &after);
    bool alike = more && after.source.ld == tile.source.ld;
    turn_tile(copy, &tile, target, alike ? after.whole : NULL);
    tile = after;
  }
}

int64_t hy_copy_scratch(hyla_operation op) { return hy_transposes(op) ? 2 * TILE * TILE : 0; }

/* Gathers a band's rows first ... first+height-1 of the target into a tile. */
static void gather_band(const struct hy_copy *copy, const struct hy_band *band, int64_t first,
                        int64_t height, struct stretch cols) {
  struct hy_positions some = band->rows;
  int64_t before = hy_positions_below(&some, HY_HERE, first);
  some.entries = hy_positions_below(&some, HY_HERE, first + height) - before;
  some.first += before;
  if (some.entries == 0) return;
  struct array in = tile_of(copy, 0);
  const struct array source = array_of(copy, band->source, band->ld);
  /* Row positions count in the target; subtract the tile's first row. */
  in.data = (char *)((uintptr_t)in.data - (uintptr_t)(first * in.ld * (int64_t)in.size));
  cols.to = HY_TILE;
  cols.tile = 0;
  gather(copy, stretch_of(&some), cols, &source, &in);
}

/* For bands that together have all rows, in short runs. */
static void transposed_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                             const struct hy_positions *cols, int64_t rows,
                             const struct array *target) {
  const struct hy_progression one_run = {(int32_t)rows, 1, 0, (int32_t)rows, 0, (int32_t)rows};
  struct hy_positions tile = {.progression = &one_run, .progressions = 1, .to = HY_HERE};
  const struct array in = tile_of(copy, 0);
  struct stretch down = stretch_of(cols);
  while (down.left > 0) {
    struct stretch width = cut(&down, TILE);
    for (tile.first = 0; tile.first < rows; tile.first += TILE) {
      tile.entries = hy_min(TILE, rows - tile.first);
      for (int i = 0; i < count; i++) gather_band(copy, &bands[i], tile.first, tile.entries, width);
      deliver(copy, &in, stretch_of(&tile), width, target, NULL);
    }
  }
}

/* --------------------------------------------------------- which of these -- */

void hy_copy_positions(const struct hy_copy *copy, const struct hy_positions *rows,
                       const struct hy_positions *cols, const void *source, int64_t ld_source,
                       void *target, int64_t ld_target) {
  if (copy->k->dry || rows->entries == 0 || cols->entries == 0) return;
  const struct array in = array_of(copy, source, ld_source),
                     out = array_of(copy, target, ld_target);
  const struct stretch down = stretch_of(rows), across = stretch_of(cols);
  const struct hy_band band = {*rows, source, ld_source};
  if (copy->op == HYLA_NONE)
    copy_straight(copy, &down, &across, &in, &out);
  else
    copy_transposed(copy, &band, 1, cols, &out);
  if (copy->stream) hy_stream_end();
}

/* Do the bands together have all rows, most of them in short runs that share cache lines? */
static bool share_lines(const struct hy_copy *copy, const struct hy_band *bands, int count,
                        int64_t rows) {
  int64_t entries = 0, scattered = 0;
  for (int i = 0; i < count; i++) {
    entries += bands[i].rows.entries;
    for (int f = 0; f < bands[i].rows.progressions; f++) {
      const struct hy_progression *progression = &bands[i].rows.progression[f];
      if (progression->length * (int64_t)copy->k->size < SHARED)
        scattered += (int64_t)progression->length * progression->count;
    }
  }
  return entries == rows && 2 * scattered > rows;
}

void hy_copy_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                   const struct hy_positions *cols, int64_t rows, void *target, int64_t ld_target) {
  if (copy->k->dry || cols->entries == 0) return;
  const struct array out = array_of(copy, target, ld_target);
  bool shared = share_lines(copy, bands, count, rows);
  if (copy->op != HYLA_NONE && shared)
    transposed_bands(copy, bands, count, cols, rows, &out);
  else if (copy->op != HYLA_NONE)
    copy_transposed(copy, bands, count, cols, &out);
  else if (shared && copy->stream && rows * (int64_t)copy->k->size <= HY_STAGE)
    staged_bands(copy, bands, count, cols, rows, &out);
  else
    straight_bands(copy, bands, count, cols, &out);
  if (copy->stream) hy_stream_end();
}
