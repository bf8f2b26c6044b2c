/* Door of the room redistribute: any layout to any other, transposed, turned or not, one file a
 * variant. */
#ifndef HY_REDISTRIBUTE_H
#define HY_REDISTRIBUTE_H 1

#include "call/call.h"
#include "plan/plan.h"

/* The entries of a triangle (enum hy_part) in a block: in each column the rows from an edge on
 * (lower) or the rows before it.  The edge never decreases from one column to the next. */
struct hy_stair {
  int64_t rows, cols;
  bool lower;
  int64_t tile; /* rectangles up to this many entries are not cut and may exceed it */
  int64_t (*edge)(const void *arg, int64_t col);
  void (*rectangle)(void *arg, int64_t row, int64_t rows, int64_t col, int64_t cols);
  void *arg;
};
/* Local.  Calls `rectangle' for disjoint rectangles that make up the entries, none empty,
 * always in the same order. */
void hy_stair_cut(const struct hy_stair *stair);

/* A planned redistribution by direct exchange: to := alpha op(from) for each transfer, in any
 * layouts, all transfers in the same steps.  In each transfer types and sizes (after op) are equal;
 * no target shares entries with a source or with another target.  The transfers are copied.
 * parts: the part of each target that is moved; other entries are neither read nor written.  NULL:
 * all entries are moved.
 * create is local and takes all memory (MEMORY): its caller agrees on the status before any rank
 * runs.  run is collective over the cube, allocates nothing, and returns at once on guests. */
struct hy_direct;
hyla_status hy_direct_create(hyla_cube *cube, const hyla_transfer *transfers, int count,
                             struct hy_direct **move);
hyla_status hy_direct_create_parts(hyla_cube *cube, const hyla_transfer *transfers,
                                   const enum hy_part *parts, int count, struct hy_direct **move);
hyla_status hy_direct_run(struct hy_direct *move);
void hy_direct_destroy(struct hy_direct **move);

/* Local.  Is this rank's block of the target so large that the source would not stay in the caches
 * beside it?  Then the target is written past the caches. */
bool hy_direct_streams(const hyla_matrix *to);
/* Local.  Adds the cost of these transfers on this node.  Its memory is packing buffers and the
 * scratch of copies.  MEMORY. */
hyla_status hy_direct_expect(hyla_cube *cube, const hyla_transfer *transfers,
                             const enum hy_part *parts, int count, hyla_cost *cost);
/* Local.  Adds the same for the cube's node, from the layouts alone.  A transfer is given by the
 * layouts of op(from) and of to, the bytes of an entry, and the part.  MEMORY. */
struct hy_direct_ends {
  const struct hy_operand *from, *to;
  size_t size;
  enum hy_part part;
};
hyla_status hy_direct_cost(hyla_cube *cube, const struct hy_direct_ends *ends, int count,
                           hyla_cost *cost);

/* ------------------------------------------------------- redistribution -- */

/* The transfers to make.  k: the type of all matrices.  banded: there is one square matrix, whose
 * entry (i, j) is 0 if width < |i - j| < n - width.  dense: there is one square matrix, whose
 * entries are 0 outside these columns and rows. */
struct hy_redistribution {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int count;
  const hyla_transfer *transfers;
  const enum hy_part *parts; /* as in hy_direct_create_parts; or NULL */
  bool banded;
  int64_t width;
  bool dense;
  const int64_t *column, *row;
  int64_t columns, rows; /* their number */
};

/* The variants; their problem is a hy_redistribution.  Their create is collective over cube and
 * guests, with the same status on all ranks.  All scale by alpha during the move. */
extern const struct hy_family hy_redistribute_family;
/* Does a transfer move only a part of its matrix?  Most variants move whole matrices. */
bool hy_redistribution_cuts(const struct hy_redistribution *problem);

/* Collective over cube and guests, with the same status on all ranks.  Plans a redistribution
 * inside another operation: the arguments are valid and the same on all ranks.  transfers and parts
 * are copied.  variant: its name; NULL or "" lets the planner choose. */
hyla_status hy_redistribute_make(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                 const enum hy_part *parts, const char *variant, hyla_plan **plan);
/* The same for one transfer: plans it, runs it and frees the plan. */
hyla_status hy_redistribute_once(hyla_cube *cube, const hyla_transfer *transfer,
                                 const enum hy_part *part);

extern const struct hy_variant hy_redistribute_direct, hy_redistribute_moves,
    hy_redistribute_multiphase, hy_redistribute_waves, hy_transpose_recursive, hy_transpose_paths,
    hy_transpose_torus, hy_transpose_torus_paths, hy_transpose_mesh, hy_transpose_permuted,
    hy_transpose_rows, hy_transpose_pipelined, hy_transpose_band, hy_transpose_dense, hy_turn_rings,
    hy_turn_pairs, hy_turn_permuted;

#endif
