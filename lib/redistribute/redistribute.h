/* Door of the room redistribute: any layout to any other, transposed, turned or not, one file a
 * variant. */
#ifndef HY_REDISTRIBUTE_H
#define HY_REDISTRIBUTE_H 1

#include "matrix/matrix.h"
#include "plan/plan.h"

/* The entries of such a part that stand in a block: in each column the rows from an edge on
 * (lower) or those before it. The edge never falls from one column to the next. */
struct hy_stair {
  int64_t rows, cols;
  bool lower;
  int64_t tile; /* a rectangle of so few entries need not be cut, and may hold others too */
  int64_t (*edge)(const void *arg, int64_t col);
  void (*rectangle)(void *arg, int64_t row, int64_t rows, int64_t col, int64_t cols);
  void *arg;
};
/* Cuts it into rectangles, none of them empty, always in the same order. */
void hy_stair_cut(const struct hy_stair *stair);
int64_t hy_stair_entries(const struct hy_stair *stair);

/* A redistribution by direct exchange, planned: to := alpha op(from) for each of the
 * transfers, in any layouts, all in the same steps. Create takes all memory; running
 * allocates nothing. The types and the (operated) sizes of each transfer must be equal. No
 * target shares entries with a source or with another target. The transfers are copied.
 * create communicates nothing: its caller agrees on the status before anyone runs. run is
 * collective over the cube and returns at once on guests.
 * parts: which entries of each target are moved; the others are neither read nor written.
 * NULL: all are. */
struct hy_direct;
hyla_status hy_direct_create(hyla_cube *cube, const hyla_transfer *transfers, int count,
                             struct hy_direct **move);
hyla_status hy_direct_create_parts(hyla_cube *cube, const hyla_transfer *transfers,
                                   const enum hy_part *parts, int count, struct hy_direct **move);
hyla_status hy_direct_run(struct hy_direct *move);
void hy_direct_destroy(struct hy_direct **move);

/* Local.  Is this rank's part of a target so large that its source would not stay in the caches
 * beside it?  It is then written past them. */
bool hy_direct_streams(const hyla_matrix *to);
/* Local.  Adds what a move of these transfers costs this node.  Memory: packing
 * buffers and what copies take beside them. */
hyla_status hy_direct_expect(hyla_cube *cube, const hyla_transfer *transfers,
                             const enum hy_part *parts, int count, hyla_cost *cost);
/* Local.  Adds the same for any node, from the layouts alone: a transfer as
 * op(from) and to lie, the bytes of an entry, the part.  dims: of the cube. */
struct hy_direct_ends {
  const struct hy_operand *from, *to;
  size_t size;
  enum hy_part part;
};
hyla_status hy_direct_cost(struct hy_base *base, int dims, const struct hy_direct_ends *ends,
                           int count, int node, hyla_cost *cost);

/* ------------------------------------------------------- redistribution -- */

/* What is to be brought where; k: of all matrices.  banded: of one square matrix, whose
 * entry (i, j) is 0 where width < |i - j| < n - width. */
struct hy_redistribution {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int count;
  const hyla_transfer *transfers;
  const enum hy_part *parts; /* what is moved of each, as hy_direct_create_parts has it; or NULL */
  bool banded;
  int64_t width;
};

/* The ways of doing it; hy_redistribution is their problem.  Create is collective over cube
 * and guests, with one outcome on all ranks; all scale by alpha on the way. */
extern const struct hy_family hy_redistribute_family;
/* Is there a transfer of which a part alone is moved?  Most variants move whole matrices. */
bool hy_redistribution_cuts(const struct hy_redistribution *problem);

/* Collective over cube and guests; all ranks return the same.  The plan of a redistribution
 * on the way of another operation: the arguments are known to be good and the same on all
 * ranks.  transfers and parts are copied; variant: NULL or "" picks. */
hyla_status hy_redistribute_make(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                 const enum hy_part *parts, const char *variant, hyla_plan **plan);
/* The same for one transfer, planned, run and forgotten. */
hyla_status hy_redistribute_once(hyla_cube *cube, const hyla_transfer *transfer);

extern const struct hy_variant hy_redistribute_direct, hy_redistribute_moves,
    hy_redistribute_multiphase, hy_redistribute_waves, hy_transpose_recursive, hy_transpose_paths,
    hy_transpose_torus, hy_transpose_torus_paths, hy_transpose_mesh, hy_transpose_permuted,
    hy_transpose_rows, hy_transpose_pipelined, hy_transpose_band, hy_turn_rings, hy_turn_pairs,
    hy_turn_permuted;

#endif
