/* Private to lib/gemm: an index that two matrices share, cut into panels.
 *
 * The index (k on A's columns and B's rows, for instance) may lie differently on
 * the two.  A panel is a set of its numbers that is multiplied at a time.  Short blocks
 * join in one panel, so local products run at full speed whatever the blocks' size.
 *
 *   Panels that travel: one part of the first axis and one part of the second hold all
 *     of at most 256 numbers.
 *   Panels in place, where a node can read all blocks of both factors: one of the axes
 *     leads, and a panel is one stretch of an owner's block on it.  Where that is one
 *     stretch on the other axis too the panel is as long as that goes, and nothing is
 *     copied; otherwise the other factor's numbers, whoever holds them, are copied
 *     together, at most as many as BLAS multiplies at best (hy_kernels_depth).
 */
#ifndef HY_GEMM_CUT_H
#define HY_GEMM_CUT_H 1

#include "gemm/panel.h"

/* Numbers that lie next to each other on both axes. */
struct hy_cut_piece {
  int part[2];   /* the owners */
  int64_t at[2]; /* the first one's place in the owner's block */
  int64_t length;
  int64_t next; /* of the same panel; -1: the last */
};

struct hy_cut_panel {
  int64_t width;
  int64_t first; /* piece */
  int64_t last;
  bool whole[2];  /* one interval of one owner's block */
  int64_t listed; /* where its numbers begin in the list */
};

struct hy_cut {
  const struct hy_axis *axis[2];
  int64_t piece_count;
  int64_t panel_count;
  struct hy_cut_piece *pieces;
  struct hy_cut_panel *panels;
  int64_t *list; /* the numbers of one panel after the other; NULL: not made */
};

/* Panels that travel.  The axes must outlive the cut.  Destroy it also after a failure. */
hyla_status hy_cut_create(struct hy_base *base, const struct hy_axis *first,
                          const struct hy_axis *second, struct hy_cut *cut);
/* Panels in place, on the axis that leads to less work: across[x] entries stand beside
 * each number of axis x.  width: of a panel that is copied together, at most; 1 or more. */
hyla_status hy_cut_create_in_place(struct hy_base *base, const struct hy_axis *first,
                                   const struct hy_axis *second, const int64_t across[2],
                                   int64_t width, struct hy_cut *cut);
/* Panels of `width' numbers that follow one another; blocks on the axes are of as many, or whole.
 */
hyla_status hy_cut_create_even(struct hy_base *base, const struct hy_axis *first,
                               const struct hy_axis *second, int64_t width, struct hy_cut *cut);
/* The part of an axis that holds a panel or, if several do, its first number. */
static inline int hy_cut_owner(const struct hy_cut *cut, const struct hy_cut_panel *panel,
                               int axis) {
  return cut->pieces[panel->first].part[axis];
}
void hy_cut_destroy(struct hy_base *base, struct hy_cut *cut);

/* Makes the list of numbers.  A panel's; without the list only their count is true. */
hyla_status hy_cut_list(struct hy_base *base, struct hy_cut *cut);
struct hy_indices hy_cut_indices(const struct hy_cut *cut, const struct hy_cut_panel *panel);

/* An axis over the dimensions and code of `carrier`, in blocks that fit those of
 * `like`, an axis of the same index that stays as it is. */
struct hy_axis hy_cut_like(const hyla_axis *carrier, const struct hy_axis *like);

#endif
