/* Private to lib/gemm: parts of axes and of blocks, and the layouts that variants share. */
#ifndef HY_GEMM_PANEL_H
#define HY_GEMM_PANEL_H 1

#include "gemm/gemm.h"

/* -------------------------------------------------------------- indices -- */

/* The node whose part of the axis is `part' and that agrees with `node' in everything else. */
int hy_node_along(const struct hy_axis *axis, int node, int part);

/* Indices of a matrix in ascending order: number[x]; or those of a part of an axis, from its
 * `first' on; or first + x. */
struct hy_indices {
  int64_t count;
  int64_t first;
  const int64_t *number;
  const struct hy_axis *axis;
  int part;
};
static inline struct hy_indices hy_interval(int64_t first, int64_t count) {
  return (struct hy_indices){.count = count, .first = first};
}
/* All indices that a part, or a node, holds of an axis. */
static inline struct hy_indices hy_indices_in(const struct hy_axis *axis, int part) {
  return (struct hy_indices){.count = hy_held(axis, part), .axis = axis, .part = part};
}
struct hy_indices hy_indices_of(const struct hy_axis *axis, int node);
/* at: the x-th index of a list.  below: the number of its indices that are smaller than `index'. */
int64_t hy_indices_at(const struct hy_indices *list, int64_t x);
int64_t hy_indices_below(const struct hy_indices *list, int64_t index);
/* The sum of hy_indices_below over the indices of another list, each raised by `shift'. */
int64_t hy_indices_below_all(const struct hy_indices *list, const struct hy_indices *of,
                             int64_t shift);

/* `count' positions of a list, from position `from' on. */
struct hy_reach {
  int64_t from, count;
};

/* --------------------------------------------------------------- panels -- */

/* Entries that this rank can read, by the address of entry (0, 0) of op(data). */
struct hy_panel {
  const char *data; /* NULL: the panel has no data */
  int64_t ld;
  hyla_operation op;
};
/* The panel that begins at entry (row, col) of op(panel's data). */
struct hy_panel hy_panel_at(const struct hy_panel *panel, int64_t row, int64_t col, size_t size);
/* This node's block of a factor. */
struct hy_panel hy_panel_own(const struct hy_gemm_factor *factor);

/* ------------------------------------------------------------- layouts -- */

/* The axis of k over a carrier's cube dimensions and code, in consecutive blocks.  Each block is a
 * union of the `finest' equal panels of k; finest >= parts.  So A's columns and B's rows can be
 * split into different numbers of parts and still share the panels, also if k is ragged.
 *
 * Example: k = 8, finest = 4 gives panels {0, 1}, {2, 3}, {4, 5}, {6, 7}; an axis of two parts has
 * blocks of two panels, an axis of four parts one panel a block. */
struct hy_axis hy_inner_axis(const hyla_axis *carrier, int64_t k, int finest);
/* The fewest panels of k with which both axes have blocks of whole panels: the least common
 * multiple of their parts; on a cube the larger number. */
int hy_inner_panels(int parts, int others);

/* Layouts for variants on consecutive blocks, with one code on both axes of the array: C's own
 * layout if it is such, otherwise the squarest; k as by hy_inner_axis. */
void hy_gemm_blocks(const struct hy_gemm_problem *given, hyla_code code,
                    struct hy_gemm_problem *wanted);
/* The same for variants whose blocks may be the parts of cyclic axes.  C stays in cyclic storage on
 * a square array, in its code, if the machine's nodes are joined by links; k is then dealt out
 * alike over A's columns and B's rows.  On other machines SUMMA takes cyclic storage as it is. */
void hy_gemm_square_blocks(const struct hy_gemm_problem *given, hyla_code code,
                           struct hy_gemm_problem *wanted);

#endif
