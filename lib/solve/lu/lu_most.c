/* LU on a counting cube: the most rows that pivots can make move.
 *
 * There are no entries, and so no pivots.  A panel of width w moves its own w rows and at most w
 * others, which may all be of one rank.  That rank then holds all rows of the all-gather from the
 * beginning, and sends them in each step.  Every rank is counted as that one.  If the problem is
 * swapless, rows are planned as for pivots that are on the diagonal (lu_swap.c).
 *
 * Example: 4 members, 8 rows in blocks of 2.  Panel 0 has width 2: member 0 packs the top's 2 rows,
 * the others pack their 2 rows each, and every member is counted as sending 4 rows in each of 2
 * steps. */
#include "solve/lu/lu.h"

/* The counts of this rank's part of the all-gather if the blocks first ... end-1 have `unit' words
 * each and the others none. */
static hyla_status gathering_of(const struct hy_lu *lu, int64_t unit, int first, int end,
                                int64_t *offsets, hyla_cost *cost) {
  const uint32_t own = hy_member(lu->cube, lu->array.row_dims, lu->cube->address);
  for (int x = 0; x <= lu->array.row.parts; x++)
    offsets[x] = hy_max(0, hy_min(x, end) - first) * unit;
  return hy_subcube_cost_blocks(&lu->rows, own, offsets, cost);
}

/* Words are those of the block that travels most often from here. */
hyla_status hy_lu_set_gathering(struct hy_lu *lu) {
  int64_t *offsets = NULL;
  const int parts = lu->array.row.parts;
  const int64_t unit = hy_max(1, hy_popcount(lu->array.row_dims));
  if (lu->rows.schedules == NULL || !hy_cube_counts(lu->cube)) return HYLA_OK;
  TRY(hy_alloc(&lu->cube->base, parts + 1, sizeof *offsets, &offsets));
  hyla_status status = gathering_of(lu, unit, 0, parts, offsets, &lu->gathering);
  lu->gathering.words = 0;
  for (int full = 0; full < parts && status == HYLA_OK; full++) {
    hyla_cost cost = {0};
    status = gathering_of(lu, unit, full, full + 1, offsets, &cost);
    lu->gathering.words = hy_max(lu->gathering.words, hy_ceil_div(cost.words, unit));
  }
  hy_free(&lu->cube->base, &offsets);
  return status;
}

bool hy_lu_plan_most(struct hy_lu *lu, const struct hy_diagonal_block *at) {
  struct hy_lu_swap *swap = &lu->swap;
  int64_t outside = hy_min(at->width, lu->array.row.n - at->first - at->width);
  swap->most = 0;
  if (!hy_cube_counts(lu->cube) || lu->problem->swapless) return false;
  if (outside == 0 && lu->rows.schedules == NULL) return false; /* no row can come from outside */
  swap->most = at->width + outside;
  swap->leaving = (int)hy_min(at->width, hy_rows_behind(at));
  swap->packing = swap->leaving + (at->top ? at->width : 0);
  return true;
}

hyla_status hy_lu_count_most(const struct hy_lu *lu, int64_t columns) {
  const int64_t size = (int64_t)lu->k->size, r = lu->array.row.code.dims;
  const int64_t entries = lu->swap.most * columns;
  const hyla_cost *one = &lu->gathering;
  if (lu->rows.schedules == NULL)
    hy_count_messages(lu->cube, r, r, r * entries * size);
  else
    hy_count_messages(lu->cube, one->steps, one->messages,
                      one->words * hy_ceil_div(entries, r) * r * size);
  return HYLA_OK;
}
