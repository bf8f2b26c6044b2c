/* Transposing copies between arrays at scattered rows and columns.
 *
 * Long runs go to the kernel directly.  Short runs go tile by tile: a tile is gathered if the
 * source is scattered, transposed by the kernel, and scattered if the target is.  A tile and its
 * image fit into the first-level cache.  If several sources hold the target's rows in short runs,
 * one tile is gathered from all of them, so that whole cache lines are written, once. */
#include "redistribute/copy.h"

#include <limits.h>

enum {
  LONG_RUN = 16, /* for runs of at least this length a kernel call costs less than a tile */
  TILE = HY_COPY_TILE
};

/* Tile 0 or 1 in the scratch memory, which holds two. */
static struct hy_copy_array tile_of(const struct hy_copy *copy, int number) {
  return (struct hy_copy_array){copy->scratch + (size_t)(number * TILE * TILE) * copy->k->size,
                                TILE, copy->k->size};
}

/* Transposes a tile into rows and columns of the target: at most TILE of each unless they are
 * single runs.  next: the address that is read next, for prefetch (hy_kernels). */
static void deliver(const struct hy_copy *copy, const struct hy_copy_array *in,
                    struct hy_stretch rows, struct hy_stretch cols,
                    const struct hy_copy_array *target, const void *next) {
  const struct hy_kernels *k = copy->k;
  int height = (int)rows.left, width = (int)cols.left;
  struct hy_copy_array out = tile_of(copy, 1);
  bool direct = hy_stretch_is_run(rows, rows.to) && hy_stretch_is_run(cols, cols.to);
  if (direct) {
    out.data =
        hy_copy_at(target, hy_stretch_place(&rows, rows.to), hy_stretch_place(&cols, cols.to));
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
  hy_copy_straight(&plain, &rows, &cols, &out, target);
}

static void gather(const struct hy_copy *copy, struct hy_stretch rows, struct hy_stretch cols,
                   const struct hy_copy_array *source, const struct hy_copy_array *tile) {
  const struct hy_copy plain = {.k = copy->k, .op = HYLA_NONE, .alpha = 1};
  hy_copy_straight(&plain, &cols, &rows, source, tile);
}

/* Rows and columns of the target, with their source: at most TILE of each unless they are single
 * runs on both sides. */
struct tile {
  struct hy_stretch rows, cols;
  struct hy_copy_array source;
  char *whole; /* address in the source if the tile is one block there; else NULL */
};

static char *whole_in_source(const struct tile *tile) {
  const struct hy_stretch *rows = &tile->rows, *cols = &tile->cols;
  if (!hy_stretch_is_run(*rows, rows->from) || !hy_stretch_is_run(*cols, cols->from)) return NULL;
  return hy_copy_at(&tile->source, hy_stretch_place(cols, cols->from),
                    hy_stretch_place(rows, rows->from));
}

static void turn_tile(const struct hy_copy *copy, const struct tile *tile,
                      const struct hy_copy_array *target, const void *next) {
  struct hy_copy_array in = tile->source;
  in.data = tile->whole;
  if (tile->whole == NULL) {
    struct hy_stretch across = tile->rows, along = tile->cols;
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
static struct hy_stretch cut(struct hy_stretch *s, int64_t most) {
  struct hy_stretch head = *s;
  const struct hy_progression *progression = s->positions->progression;
  struct hy_stretch_piece piece;
  head.left = 0;
  while (s->left > 0 && head.left < most) {
    bool is_long = progression[s->progression].length >= LONG_RUN;
    if (is_long && head.left > 0) break;
    struct hy_stretch rest = *s;
    rest.left = hy_min(s->left, most - head.left);
    if (is_long) rest.left = hy_min(rest.left, progression[s->progression].length - s->inside);
    int64_t before = rest.left;
    hy_stretch_allocate(&rest, &piece);
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
  int64_t most;                 /* of rows or columns in a tile */
  struct hy_stretch cols, rows; /* still to visit: columns; rows of the band in `width' columns */
  struct hy_stretch width;
};

static struct tiles tiles_of(const struct hy_copy *copy, const struct hy_band *bands, int count,
                             const struct hy_positions *cols) {
  bool runs = all_long(cols);
  for (int i = 0; i < count; i++) runs = runs && all_long(&bands[i].rows);
  return (struct tiles){.copy = copy,
                        .bands = bands,
                        .count = count,
                        .band = count,
                        .most = runs ? INT_MAX : TILE,
                        .cols = hy_stretch_of(cols)};
}

static bool next_tile(struct tiles *all, struct tile *tile) {
  while (all->rows.left == 0) {
    if (all->band == all->count) {
      if (all->cols.left == 0) return false;
      all->width = cut(&all->cols, all->most);
      all->band = 0;
    }
    all->rows = hy_stretch_of(&all->bands[all->band++].rows);
  }
  const struct hy_band *band = &all->bands[all->band - 1];
  *tile = (struct tile){.rows = cut(&all->rows, all->most),
                        .cols = all->width,
                        .source = hy_copy_array_of(all->copy, band->source, band->ld)};
  tile->whole = whole_in_source(tile);
  return true;
}

void hy_copy_transposed(const struct hy_copy *copy, const struct hy_band *bands, int count,
                        const struct hy_positions *cols, const struct hy_copy_array *target) {
  struct tiles all = tiles_of(copy, bands, count, cols);
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
                        int64_t height, struct hy_stretch cols) {
  struct hy_positions some = band->rows;
  int64_t before = hy_positions_below(&some, HY_HERE, first);
  some.entries = hy_positions_below(&some, HY_HERE, first + height) - before;
  some.first += before;
  if (some.entries == 0) return;
  struct hy_copy_array in = tile_of(copy, 0);
  const struct hy_copy_array source = hy_copy_array_of(copy, band->source, band->ld);
  /* Row positions count in the target; subtract the tile's first row. */
  in.data = (char *)((uintptr_t)in.data - (uintptr_t)(first * in.ld * (int64_t)in.size));
  cols.to = HY_TILE;
  cols.tile = 0;
  gather(copy, hy_stretch_of(&some), cols, &source, &in);
}

void hy_copy_transposed_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                              const struct hy_positions *cols, int64_t rows,
                              const struct hy_copy_array *target) {
  const struct hy_progression one_run = {(int32_t)rows, 1, 0, (int32_t)rows, 0, (int32_t)rows};
  struct hy_positions tile = {.progression = &one_run, .progressions = 1, .to = HY_HERE};
  const struct hy_copy_array in = tile_of(copy, 0);
  struct hy_stretch down = hy_stretch_of(cols);
  while (down.left > 0) {
    struct hy_stretch width = cut(&down, TILE);
    for (tile.first = 0; tile.first < rows; tile.first += TILE) {
      tile.entries = hy_min(TILE, rows - tile.first);
      for (int i = 0; i < count; i++) gather_band(copy, &bands[i], tile.first, tile.entries, width);
      deliver(copy, &in, hy_stretch_of(&tile), width, target, NULL);
    }
  }
}
