/* Private to this folder: shared by copy_straight.c and copy_transposed.c. */
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

/* A source is only read, although `data' is not const: one type for both sides keeps helpers
 * few. */
static inline struct hy_copy_array hy_copy_array_of(const struct hy_copy *copy, const void *data,
                                                    int64_t ld) {
  return (struct hy_copy_array){(char *)(uintptr_t)data, ld, copy->k->size};
}

/* A walk over consecutive entries of places: `left' of them, from the current one on. */
struct hy_stretch {
  const struct hy_positions *positions;
  enum hy_side_layout from, to;
  int64_t left;
  int progression;
  int64_t run, inside;  /* current run of the progression; position in the run */
  int64_t packed, tile; /* number of entries before it, in all and in the tile */
};
struct hy_stretch hy_stretch_of(const struct hy_positions *positions);
/* The current entry's position on one side. */
int64_t hy_stretch_place(const struct hy_stretch *stretch, enum hy_side_layout side);
/* Is the stretch one run on this side? */
bool hy_stretch_is_run(struct hy_stretch stretch, enum hy_side_layout side);

/* A part of a progression: `count' runs. */
struct hy_stretch_piece {
  int64_t length, count;
  int64_t from, from_step;
  int64_t to, to_step;
};

/* Removes the next piece from a stretch: some whole runs, or part of one.  false at the end. */
bool hy_stretch_allocate(struct hy_stretch *stretch, struct hy_stretch_piece *piece);

/* Copies in groups of columns, so that the processor's TLB keeps the pages of a group while its
 * rows are copied. */
void hy_copy_straight(const struct hy_copy *copy, const struct hy_stretch *rows,
                      const struct hy_stretch *cols, const struct hy_copy_array *source,
                      const struct hy_copy_array *target);

/* The same for several bands that have the same columns.  staged_bands puts columns together in
 * copy->scratch and writes whole cache lines past the caches; the bands together must have all
 * rows, and one column must have at most HY_STAGE bytes. */
void hy_copy_straight_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                            const struct hy_positions *cols, const struct hy_copy_array *target);
void hy_copy_staged_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                          const struct hy_positions *cols, int64_t rows,
                          const struct hy_copy_array *target);

/* The same with a transposing op, for bands that have the same columns; turned_bands is for bands
 * that together have all rows, in short runs. */
void hy_copy_transposed(const struct hy_copy *copy, const struct hy_band *bands, int count,
                        const struct hy_positions *cols, const struct hy_copy_array *target);
void hy_copy_transposed_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                              const struct hy_positions *cols, int64_t rows,
                              const struct hy_copy_array *target);

#endif
