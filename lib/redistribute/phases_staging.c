/* Redistribution in phases: where a node's entries are between two phases.
 *
 * They are in the target, as a matrix without gaps; columns for which the target has no room are in
 * the surplus.  A phase leaves its entries where the next one expects them, so entries that stay on
 * the node move within one array.  Their columns before and after are two ascending sequences of
 * intervals.  So some order of the moves overwrites nothing that is still needed: if the new place
 * of a column reaches into the old place of the next column, the next one moves first. */
#include "redistribute/phases.h"

/* Bytes that are lifted out of their old place at one time, through the first-level cache. */
enum { LIFTED = 1 << 15 };

struct hy_staging hy_staging_make(const hyla_matrix *to, int64_t rows, int64_t cols,
                                  char *surplus) {
  struct hy_staging staging = {to->local, to->ld, INT64_MAX, surplus, hy_max(1, rows)};
  int64_t held = to->local_rows * to->local_cols;
  bool dense = to->ld == to->local_rows || to->local_cols == 1;
  int64_t room = to->owner && held > 0 ? to->ld * to->local_cols : dense ? held : 0;
  if (rows <= to->local_rows && cols <= to->local_cols) return staging;
  if (room > 0) {
    staging.ld = staging.rest_ld;
    staging.split = hy_min(cols, room / staging.ld);
  } else {
    staging.split = rows <= to->local_rows ? hy_min(cols, to->local_cols) : 0;
  }
  return staging;
}

/* The number of the columns that are in the first of the staging's two arrays. */
static int64_t unsplit(const struct hy_positions *cols, enum hy_side_layout side,
                       const struct hy_staging *staging) {
  bool split = side != HY_PACKED && staging->split < INT64_MAX;
  return split ? hy_positions_below(cols, side, staging->split) : cols->entries;
}

/* The address of column 0 of the array that has the columns from `first' on; all of them are in one
 * of the two arrays. */
static char *base_of(const struct hy_staging *staging, enum hy_side_layout side, int64_t first,
                     bool rest, size_t size, int64_t *ld) {
  *ld = rest ? staging->rest_ld : staging->ld;
  int64_t columns = side == HY_PACKED ? first : rest ? -staging->split : 0;
  /* In the surplus, column 0 would lie before the surplus itself: compute with integers. */
  uintptr_t data = (uintptr_t)(rest ? staging->rest : staging->data);
  return (char *)(data + (uintptr_t)(columns * *ld * (int64_t)size));
}

void hy_staging_copy(const struct hy_copy *copy, const struct hy_positions *rows,
                     const struct hy_positions *cols, const struct hy_staging *from,
                     const struct hy_staging *to) {
  int64_t out = unsplit(cols, cols->from, from), in = unsplit(cols, cols->to, to);
  const int64_t cuts[] = {hy_min(out, in), hy_max(out, in), cols->entries};
  int64_t first = 0, from_ld, to_ld;
  for (int i = 0; i < 3; i++) {
    struct hy_positions some = *cols;
    some.first += first;
    some.entries = cuts[i] - first;
    if (some.entries == 0) continue;
    char *source = base_of(from, cols->from, first, first >= out, copy->k->size, &from_ld);
    char *target = base_of(to, cols->to, first, first >= in, copy->k->size, &to_ld);
    hy_copy_positions(copy, rows, &some, source, from_ld, target, to_ld);
    first = cuts[i];
  }
}

/* ---------------------------------------------------- within one array -- */

/* Moves the entries that stay, item by item; an item is a group of whole columns or a piece of
 * one. */
struct items {
  const struct hy_copy *copy;
  const struct hy_positions *rows, *cols; /* from here to there */
  const struct hy_staging *before, *after;
  int64_t height, width; /* of an item */
  int64_t count;
};

static struct hy_positions part_of(const struct hy_positions *positions, int64_t first,
                                   int64_t most) {
  struct hy_positions part = *positions;
  part.first += first;
  part.entries = hy_min(most, positions->entries - first);
  return part;
}

static void item_at(const struct items *all, int64_t item, struct hy_positions *rows,
                    struct hy_positions *cols) {
  int64_t down = hy_ceil_div(all->rows->entries, all->height);
  *rows = part_of(all->rows, item % down * all->height, all->height);
  *cols = part_of(all->cols, item / down * all->width, all->width);
}

/* The position of the first or last entry, as a number that also grows from the first array to the
 * second. */
static int64_t address_of(const struct hy_staging *staging, enum hy_side_layout side,
                          const struct hy_positions *rows, const struct hy_positions *cols,
                          bool last) {
  int64_t row = hy_positions_at(rows, side, last ? rows->entries - 1 : 0);
  int64_t col = hy_positions_at(cols, side, last ? cols->entries - 1 : 0);
  if (col < staging->split) return row + col * staging->ld;
  return INT64_MAX / 2 + row + (col - staging->split) * staging->rest_ld;
}

/* Does an item's new place reach into the old place of the next one? */
static bool reaches_next(const struct items *all, int64_t item) {
  struct hy_positions rows, cols;
  item_at(all, item, &rows, &cols);
  int64_t end = address_of(all->after, HY_THERE, &rows, &cols, true);
  item_at(all, item + 1, &rows, &cols);
  return end >= address_of(all->before, HY_HERE, &rows, &cols, false);
}

/* Moves an item through the scratch tile, because its old and new place may overlap. */
static void move_item(const struct items *all, int64_t item) {
  struct hy_positions rows, cols;
  item_at(all, item, &rows, &cols);
  const struct hy_staging tile = {all->copy->scratch, rows.entries, INT64_MAX, NULL, 0};
  rows.to = cols.to = HY_PACKED;
  hy_staging_copy(all->copy, &rows, &cols, all->before, &tile);
  rows.from = cols.from = HY_PACKED;
  rows.to = cols.to = HY_THERE;
  hy_staging_copy(all->copy, &rows, &cols, &tile, all->after);
}

int64_t hy_staging_scratch(const struct hy_kernels *k) { return LIFTED / (int64_t)k->size; }

void hy_staging_keep(const struct hy_copy *copy, const struct hy_positions *rows,
                     const struct hy_positions *cols, const struct hy_staging *before,
                     const struct hy_staging *after) {
  if (copy->k->dry || rows->entries == 0 || cols->entries == 0) return;
  int64_t most = hy_staging_scratch(copy->k);
  struct items all = {copy, rows, cols, before, after, hy_min(rows->entries, most), 1, 0};
  if (all.height == rows->entries) all.width = hy_min(cols->entries, most / all.height);
  all.count = hy_ceil_div(rows->entries, all.height) * hy_ceil_div(cols->entries, all.width);
  for (int64_t item = 0, next; item < all.count; item = next) {
    for (next = item + 1; next < all.count && reaches_next(&all, next - 1);) next++;
    for (int64_t last = next; last-- > item;) move_item(&all, last);
  }
}
