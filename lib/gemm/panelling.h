/* Private to lib/gemm: an index that two matrices share, cut into panels.
 *
 * The index (k on A's columns and B's rows, for instance) may lie differently on the two matrices.
 * A panel is a set of index numbers that are multiplied together.  Short blocks are joined in one
 * panel, so local products run at full speed for every block size.
 *
 *   Panels that travel: a panel has at most 256 numbers, all in one part of the first axis and in
 *     one part of the second.
 *   Panels in place, if a node can read all blocks of both factors: one axis leads, and a panel is
 *     one stretch of an owner's block on it.  Where the stretch is contiguous on the other axis
 *     too, the panel is as long as possible, and nothing is copied.  Otherwise the other factor's
 *     numbers are copied together from their owners, at most hy_kernels_depth of them, the depth at
 *     which BLAS multiplies best.
 *
 * Example on 4 nodes: k = 8; A's columns lie in consecutive blocks on parts 0 0 1 1 2 2 3 3, and
 * B's rows lie cyclically on parts 0 1 2 3 0 1 2 3.  Panels that travel: {0}, {1}, ..., {7},
 * because no two numbers have both owners in common.  In place, A leading: {0, 1}, {2, 3}, {4, 5},
 * {6, 7}; B's two rows are copied together. */
#ifndef HY_GEMM_PANELLING_H
#define HY_GEMM_PANELLING_H 1

#include "gemm/panel.h"

/* A run of numbers that are contiguous on both axes. */
struct hy_panel_piece {
  int part[2];   /* owner on each axis */
  int64_t at[2]; /* place of the first number in the owner's block */
  int64_t length;
  int64_t next; /* next piece of the same panel; -1: last piece */
};

struct hy_index_panel {
  int64_t width;
  int64_t first; /* index of the first piece */
  int64_t last;
  bool whole[2];  /* is the panel one interval of one owner's block on this axis? */
  int64_t listed; /* where its numbers begin in `list' */
};

struct hy_panelling {
  const struct hy_axis *axis[2];
  int64_t piece_count;
  int64_t panel_count;
  struct hy_panel_piece *pieces;
  struct hy_index_panel *panels;
  int64_t *list; /* the numbers of all panels, one panel after another; NULL: not made */
};

/* Makes panels that travel.  The axes must outlive the cut, whose memory
 * belongs to the owner (hy_alloc_for). */
hyla_status hy_panelling_create(struct hy_base *base, void *owner, const struct hy_axis *first,
                                const struct hy_axis *second, struct hy_panelling *panelling);
/* Makes panels in place, led by the axis that causes less work: a number of axis x has across[x]
 * entries beside it.  width: upper limit, 1 or more, of a panel that is copied together. */
hyla_status hy_panelling_create_in_place(struct hy_base *base, void *owner,
                                         const struct hy_axis *first, const struct hy_axis *second,
                                         const int64_t across[2], int64_t width,
                                         struct hy_panelling *panelling);
/* Makes consecutive panels of `width' numbers.  A block on either axis has `width' numbers too, or
 * the axis is not split. */
hyla_status hy_panelling_create_even(struct hy_base *base, void *owner, const struct hy_axis *first,
                                     const struct hy_axis *second, int64_t width,
                                     struct hy_panelling *panelling);
/* The part of an axis that holds the panel; if several parts do, the one with its first number. */
static inline int hy_panelling_owner(const struct hy_panelling *panelling,
                                     const struct hy_index_panel *panel, int axis) {
  return panelling->pieces[panel->first].part[axis];
}

/* list: makes the list of numbers.  indices: the numbers of a panel; without the list only their
 * count is valid. */
hyla_status hy_panelling_list(struct hy_base *base, void *owner, struct hy_panelling *panelling);
struct hy_indices hy_panelling_indices(const struct hy_panelling *panelling,
                                       const struct hy_index_panel *panel);

/* An axis over the dimensions and code of `carrier', in blocks that fit those of `like'.  `like' is
 * an axis of the same index, on a matrix that stays. */
struct hy_axis hy_panelling_like(const hyla_axis *carrier, const struct hy_axis *like);

#endif
