/* Copies of scattered rows and columns, the leaf of every redistribution.
 *
 * The position lists are cut into pieces: long runs, in which both sides are
 * contiguous, go through the copy kernel; short ones entry by entry through the
 * lists.  A transposition goes tile by tile: gathered where the source is
 * scattered, turned by the kernel, scattered where the target is; a tile and
 * its image stay in the first-level caches. */
#include "matrix/move.h"

#include <limits.h>
#include <string.h>

enum {
  LONG_RUN = 16, /* entries from which on a kernel call costs less than the lists */
  TILE = 64
};

static int64_t place(const int32_t *list, int64_t i) { return list == NULL ? i : list[i]; }

static bool contiguous(const int32_t *list, int first, int count) {
  return list == NULL || list[first + count - 1] - list[first] == count - 1;
}

/* Length of the run, contiguous on both sides, that begins at i. */
static int run_from(const struct hy_places *places, int i, int most) {
  int run = 1;
  most = (int)hy_min(most, places->count - i);
  while (run < most && contiguous(places->from, i + run - 1, 2) &&
         contiguous(places->to, i + run - 1, 2))
    run++;
  return run;
}

/* Length of the piece that begins at i: a long run, or all short runs up to the
 * next long one. */
static int piece_from(const struct hy_places *places, int i, int most) {
  int piece = run_from(places, i, most);
  if (piece >= LONG_RUN) return piece;
  most = (int)hy_min(most, places->count - i);
  while (piece < most) {
    int run = run_from(places, i + piece, most - piece);
    if (run >= LONG_RUN) break;
    piece += run;
  }
  return piece;
}

/* Entries first ... first+count-1 of the lists, of `size` bytes each; constant
 * sizes become single moves. */
static inline void copy_entries(size_t size, const struct hy_places *places, int first, int count,
                                const char *source, char *target) {
  for (int i = first; i < first + count; i++)
    memcpy(target + (size_t)place(places->to, i) * size,
           source + (size_t)place(places->from, i) * size, size);
}

static void copy_column(size_t size, const struct hy_places *places, int first, int count,
                        const char *source, char *target) {
  switch (size) {
  case 4: copy_entries(4, places, first, count, source, target); break;
  case 8: copy_entries(8, places, first, count, source, target); break;
  default: copy_entries(16, places, first, count, source, target); break;
  }
}

/* A source or target array. */
struct array {
  char *data;
  int64_t ld;
};

static char *at(const struct array *array, size_t size, int64_t row, int64_t col) {
  return array->data + (size_t)(row + col * array->ld) * size;
}

/* The entries in rows i ... i+height-1 and columns j ... j+width-1 of the lists,
 * where the rows are one piece. */
static void copy_strip(const struct hy_kernels *k, const struct hy_places *rows, int i, int height,
                       const struct hy_places *cols, int j, int width, const struct array *source,
                       const struct array *target) {
  bool whole = contiguous(rows->from, i, height) && contiguous(rows->to, i, height);
  for (int end = j + width, run; j < end; j += run) {
    run = whole ? run_from(cols, j, end - j) : 1;
    int64_t from = place(cols->from, j), to = place(cols->to, j);
    if (whole)
      k->copy(HYLA_NONE, height, run, 1, at(source, k->size, place(rows->from, i), from),
              (int)source->ld, at(target, k->size, place(rows->to, i), to), (int)target->ld);
    else
      copy_column(k->size, rows, i, height, at(source, k->size, 0, from),
                  at(target, k->size, 0, to));
  }
}

/* Columns in groups, so that the pages of a group stay known to the processor
 * while the rows go by. */
static void copy_straight(const struct hy_kernels *k, const struct hy_places *rows,
                          const struct hy_places *cols, const struct array *source,
                          const struct array *target) {
  for (int j = 0, width; j < cols->count; j += width) {
    width = piece_from(cols, j, TILE);
    for (int i = 0, height; i < rows->count; i += height) {
      height = piece_from(rows, i, INT_MAX);
      copy_strip(k, rows, i, height, cols, j, width, source, target);
    }
  }
}

/* rows and cols: at most TILE each, neither empty; scratch: two tiles. */
static void turn_tile(const struct hy_kernels *k, hyla_operation op, const struct hy_places *rows,
                      const struct hy_places *cols, const struct array *source,
                      const struct array *target, char *scratch) {
  int height = rows->count, width = cols->count;
  struct array in = {.data = scratch, .ld = TILE};
  struct array out = {.data = scratch + TILE * TILE * k->size, .ld = TILE};
  if (contiguous(rows->from, 0, height) && contiguous(cols->from, 0, width)) {
    in.data = at(source, k->size, place(rows->from, 0), place(cols->from, 0));
    in.ld = source->ld;
  } else {
    const struct hy_places packed_rows = {height, rows->from, NULL};
    const struct hy_places packed_cols = {width, cols->from, NULL};
    copy_straight(k, &packed_rows, &packed_cols, source, &in);
  }
  if (contiguous(rows->to, 0, height) && contiguous(cols->to, 0, width)) {
    k->copy(op, width, height, 1, in.data, (int)in.ld,
            at(target, k->size, place(cols->to, 0), place(rows->to, 0)), (int)target->ld);
  } else {
    const struct hy_places turned_rows = {width, NULL, cols->to};
    const struct hy_places turned_cols = {height, NULL, rows->to};
    k->copy(op, width, height, 1, in.data, (int)in.ld, out.data, TILE);
    copy_straight(k, &turned_rows, &turned_cols, &out, target);
  }
}

/* The piece of a list, with *from and *to the shifts of the sides that have no
 * list and therefore count from 0 again. */
static struct hy_places cut(const struct hy_places *places, int first, int count, int64_t *from,
                            int64_t *to) {
  struct hy_places piece = *places;
  piece.count = count;
  *from = places->from == NULL ? first : 0;
  *to = places->to == NULL ? first : 0;
  if (places->from != NULL) piece.from += first;
  if (places->to != NULL) piece.to += first;
  return piece;
}

static void copy_turned(const struct hy_kernels *k, hyla_operation op, const struct hy_places *rows,
                        const struct hy_places *cols, const struct array *source,
                        const struct array *target, char *scratch) {
  for (int j = 0, width; j < cols->count; j += width) {
    width = piece_from(cols, j, TILE);
    int64_t from_col, to_row;
    struct hy_places tile_cols = cut(cols, j, width, &from_col, &to_row);
    for (int i = 0, height; i < rows->count; i += height) {
      height = piece_from(rows, i, TILE);
      int64_t from_row, to_col;
      struct hy_places tile_rows = cut(rows, i, height, &from_row, &to_col);
      const struct array in = {at(source, k->size, from_row, from_col), source->ld};
      const struct array out = {at(target, k->size, to_row, to_col), target->ld};
      turn_tile(k, op, &tile_rows, &tile_cols, &in, &out, scratch);
    }
  }
}

int64_t hy_copy_scratch(hyla_operation op) { return op == HYLA_NONE ? 0 : 2 * TILE * TILE; }

void hy_copy_places(const struct hy_kernels *k, hyla_operation op, const struct hy_places *rows,
                    const struct hy_places *cols, const void *source, int64_t ld_source,
                    void *target, int64_t ld_target, void *scratch) {
  if (rows->count == 0 || cols->count == 0) return;
  /* The source is only read; one type for both sides keeps the helpers few. */
  const struct array in = {(char *)source, ld_source};
  const struct array out = {target, ld_target};
  if (op == HYLA_NONE)
    copy_straight(k, rows, cols, &in, &out);
  else
    copy_turned(k, op, rows, cols, &in, &out, scratch);
}
