/* Private to lib/solve: triangular systems whose bits depend neither on the number of ranks nor on
 * the layout.
 *
 * The triangle lies in block columns of a width that depends on its order alone, each whole on one
 * rank; right-hand sides are dealt to the ranks in blocks of a width that depends on their number
 * alone, each whole on one rank too.  So every product and every solution with a diagonal block has
 * a shape that does not depend on the ranks, and no sum goes over several of them. */
#ifndef HY_FIXED_H
#define HY_FIXED_H 1

#include "solve/block_cyclic.h"
#include "solve/panel.h"

struct hy_fixed {
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *t;         /* one triangle is read */
  struct hy_block_cyclic array; /* of t, on one rank row */
  int64_t tile;                 /* right-hand sides that are solved for at a time */
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  struct hy_panels *panels; /* over the cube; of hy_fixed_slot bytes at least */
};

/* Local.  The width of block columns of a matrix of that order. */
int64_t hy_fixed_block(int64_t order);
/* Local.  Bytes of a panel's slot, a multiple of 64. */
int64_t hy_fixed_slot(const struct hy_fixed *f);

/* Collective over the nodes; not agreed.  x, of which each right-hand side is whole on one rank,
 * becomes op(T)^-1 x or x op(T)^-1. */
hyla_status hy_fixed_run(const struct hy_fixed *f, const hyla_matrix *x);

/* Local.  For people: what goes together; tile: right-hand sides at a time. */
void hy_fixed_explain(const struct hy_block_cyclic *array, int64_t tile, struct hy_text *text);

#endif
