/* Private to lib/gemm: parts of axes and of blocks, and the layouts that variants share. */
#ifndef HY_GEMM_PANEL_H
#define HY_GEMM_PANEL_H 1

#include "gemm/gemm.h"

/* -------------------------------------------------------------- indices -- */

/* The node at another part of the axis. */
int hy_node_along(const struct hy_axis *axis, int node, int part);

/* Indices of a matrix, in ascending order: number[x]; or those of a part of an axis, from
 * its `first` on; or first + x. */
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
/* All that a part, or a node, holds of an axis. */
static inline struct hy_indices hy_indices_in(const struct hy_axis *axis, int part) {
  return (struct hy_indices){.count = hy_held(axis, part), .axis = axis, .part = part};
}
struct hy_indices hy_indices_of(const struct hy_axis *axis, int node);
/* The x-th of a list; how many of it are below an index. */
int64_t hy_indices_at(const struct hy_indices *list, int64_t x);
int64_t hy_indices_below(const struct hy_indices *list, int64_t index);
/* The sum of it over the indices of another list, each raised by `shift`. */
int64_t hy_indices_below_all(const struct hy_indices *list, const struct hy_indices *of,
                             int64_t shift);

/* So many of a list, from one on. */
struct hy_reach {
  int64_t from, count;
};

/* --------------------------------------------------------------- panels -- */

/* Entries where this rank can read them: entry (0, 0) of op(data). */
struct hy_panel {
  const char *data; /* NULL: there are none */
  int64_t ld;
  hyla_operation op;
};
/* The panel that begins at entry (row, col) of op(panel's data). */
struct hy_panel hy_panel_at(const struct hy_panel *panel, int64_t row, int64_t col, size_t size);
/* This node's block of a factor. */
struct hy_panel hy_panel_own(const struct hy_gemm_factor *factor);

/* ------------------------------------------------------------- layouts -- */

/* The axis of k over a carrier's cube dimensions and code, in consecutive blocks
 * that are unions of the `finest` equal panels of k, finest >= parts: so A's
 * columns and B's rows can be split into different numbers of parts and still
 * share the panels, also when k is ragged. */
struct hy_axis hy_inner_axis(const hyla_axis *carrier, int64_t k, int finest);

/* Where panel kappa of `panels` equal ones begins; panel `panels` begins at k. */
static inline int64_t hy_panel_start(int64_t k, int panels, int kappa) {
  return hy_min(k, kappa * hy_ceil_div(k, panels));
}

/* Layouts for variants on consecutive blocks, in one code on both axes of an
 * array: C's own where C lies so, else the squarest; k as by hy_inner_axis. */
void hy_gemm_blocks(const struct hy_gemm_problem *given, hyla_code code,
                    struct hy_gemm_problem *wanted);
/* The same for variants whose blocks may be what the parts of cyclic axes have: on a machine whose
 * nodes are joined by links (elsewhere SUMMA takes cyclic storage as it is) and where C lies so, in
 * that code, on a square array, it stays, and k is dealt out alike over A's columns and B's rows.
 */
void hy_gemm_square_blocks(const struct hy_gemm_problem *given, hyla_code code,
                           struct hy_gemm_problem *wanted);

#endif
