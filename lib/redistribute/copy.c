/* Copies between arrays at scattered rows and columns, the innermost operation of every
 * redistribution.  This file chooses between copy_straight.c and copy_transposed.c. */
#include "redistribute/copy.h"

enum { SHARED = 128 }; /* shorter runs (bytes) share most of their cache lines with others */

void hy_copy_positions(const struct hy_copy *copy, const struct hy_positions *rows,
                       const struct hy_positions *cols, const void *source, int64_t ld_source,
                       void *target, int64_t ld_target) {
  if (copy->k->dry || rows->entries == 0 || cols->entries == 0) return;
  const struct hy_copy_array in = hy_copy_array_of(copy, source, ld_source),
                             out = hy_copy_array_of(copy, target, ld_target);
  const struct hy_stretch down = hy_stretch_of(rows), across = hy_stretch_of(cols);
  const struct hy_band band = {*rows, source, ld_source};
  if (copy->op == HYLA_NONE)
    hy_copy_straight(copy, &down, &across, &in, &out);
  else
    hy_copy_transposed(copy, &band, 1, cols, &out);
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
  const struct hy_copy_array out = hy_copy_array_of(copy, target, ld_target);
  bool shared = share_lines(copy, bands, count, rows);
  if (copy->op != HYLA_NONE && shared)
    hy_copy_transposed_bands(copy, bands, count, cols, rows, &out);
  else if (copy->op != HYLA_NONE)
    hy_copy_transposed(copy, bands, count, cols, &out);
  else if (shared && copy->stream && rows * (int64_t)copy->k->size <= HY_STAGE)
    hy_copy_staged_bands(copy, bands, count, cols, rows, &out);
  else
    hy_copy_straight_bands(copy, bands, count, cols, &out);
  if (copy->stream) hy_stream_end();
}
