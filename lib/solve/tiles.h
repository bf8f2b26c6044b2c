/* Private to lib/solve: solving with a diagonal block by products.
 *
 * The triangle is cut into tiles; those on its diagonal are inverted once, where they stand, and
 * solving with them is multiplying.  Of unit triangles so small, with no entry above 1, the
 * inverses are harmless. */
#ifndef HY_SOLVE_TILES_H
#define HY_SOLVE_TILES_H 1

#include "cube/cube.h"

/* Order of the triangles on the diagonal whose inverses stand in for them. */
enum { HY_TILE = 16 };

struct hy_tiles {
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  int order;
  const char *t; /* the triangle, its tiles inverted, zeros in them included; else the other one
                    is not read */
  int ld;
};

/* Local, both.  invert: of the triangle, which is the caller's t, the tiles.  solve: x := op(T)^-1
 * b, order x count each; b is used up.  Its operations are for the caller to say. */
void hy_tiles_invert(const struct hy_tiles *tiles, char *t);
void hy_tiles_solve(const struct hy_tiles *tiles, hyla_operation op, int count, char *b, int ld_b,
                    char *x, int ld_x);

/* Operations of solving for one column. */
int64_t hy_tiles_solve_flops(int64_t order);

#endif
