/* Private to this folder: what the copies in copy_straight.c and copy_turned.c share. */
#ifndef HY_COPY_H
#define HY_COPY_H 1

#include "redistribute/direct.h"

enum { HY_COPY_TILE = 64 }; /* rows and columns that are copied together */

/* A source or target array. */
struct hy_copy_array {
  char *data;
  int64_t ld;
  size_t size;
};

static inline char *hy_copy_at(const struct hy_copy_array *array, int64_t row, int64_t col) {
  return array->data + (row + col * array->ld) * (int64_t)array->size;
}

/* The source is only read; one type for both sides keeps the helpers few. */
static inline struct hy_copy_array hy_copy_array_of(const struct hy_copy *copy, const void *data,
                                                    int64_t ld) {
  return (struct hy_copy_array){(char *)(uintptr_t)data, ld, copy->k->size};
}

/* A stretch of places: from a position on, so many entries. */
struct hy_stretch {
  const struct hy_places *places;
  enum hy_lie from, to;
  int64_t left;
  int progression;
  int64_t run, inside;  /* of the progression; of the run */
  int64_t packed, tile; /* entries before it: in all, in the tile */
};
struct hy_stretch hy_stretch_of(const struct hy_places *places);
/* Its position on one side. */
int64_t hy_stretch_place(const struct hy_stretch *stretch, enum hy_lie lie);
/* Is the stretch one run on this side? */
bool hy_stretch_is_run(struct hy_stretch stretch, enum hy_lie lie);

/* A part of a progression: `count` runs. */
struct hy_stretch_piece {
  int64_t length, count;
  int64_t from, from_step;
  int64_t to, to_step;
};

/* Takes the next piece off a stretch: whole runs, or a part of one. */
bool hy_stretch_take(struct hy_stretch *stretch, struct hy_stretch_piece *piece);

/* In groups of columns, so that the pages of a group stay known to the processor while the
 * rows go by. */
void hy_copy_straight(const struct hy_copy *copy, const struct hy_stretch *rows,
                      const struct hy_stretch *cols, const struct hy_copy_array *source,
                      const struct hy_copy_array *target);

/* The same for several bands that have the same columns; when the bands together have all
 * rows and one column is at most HY_STAGE bytes, also by way of copy->scratch: then whole
 * lines are written, past the caches. */
void hy_copy_straight_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                            const struct hy_places *cols, const struct hy_copy_array *target);
void hy_copy_staged_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                          const struct hy_places *cols, int64_t rows,
                          const struct hy_copy_array *target);

/* The same with a transposing op: of bands that have the same columns; of bands that
 * together have all rows, in short runs. */
void hy_copy_turned(const struct hy_copy *copy, const struct hy_band *bands, int count,
                    const struct hy_places *cols, const struct hy_copy_array *target);
void hy_copy_turned_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                          const struct hy_places *cols, int64_t rows,
                          const struct hy_copy_array *target);

#endif
