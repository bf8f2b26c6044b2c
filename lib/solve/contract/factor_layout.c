/* The layout of factors: the default, and which of the requested layouts will do. */
#include "solve/contract/contract.h"

/* ROUNDS blocks on each rank row and column keep all ranks busy; blocks are a multiple of
 * BLOCK_STEP.  A rank that holds whole panels factors them at nearly the speed of a product; wider
 * blocks then save the update more memory traffic than the panels cost. */
enum { ROUNDS = 16, BLOCK_STEP = 16, BLOCK_LEAST = 32, BLOCK_MOST = 128 };
enum { ROUNDS_WHOLE = 4, BLOCK_MOST_WHOLE = 96 };
/* If each rank has at least TALL times as many rows as the matrix has columns, ranks share rows
 * alone: the panels are all the work then, and all ranks take part in them. */
enum { TALL = 4, BLOCK_TALL = 64 };

/* If ranks share cores, every message within a panel costs a switch between ranks, so one rank
 * holds whole panels. */
static bool wants_whole_panels(const hyla_cube *cube) {
  return cube->ranks.one_host && cube->ranks.share > 1;
}

static hyla_layout square_blocks(const hyla_cube *cube, int64_t m, int64_t n, bool whole) {
  hyla_layout layout;
  (void)hyla_layout_default(cube, m, n, &layout); /* never fails for a size */
  const bool tall = n > 0 && cube->nodes > 1 && m / TALL / cube->nodes >= n;
  if (tall) {
    layout.row = hy_axis_dealt(cube, 1, m).code;
    layout.col = hy_axis_dealt(NULL, 1, n).code;
  } else if (whole) {
    layout.row = hy_axis_dealt(NULL, 1, m).code;
    layout.col = hy_axis_dealt(cube, 1, n).code;
  }
  const int64_t of_rows = hy_axis_parts(&layout.row),
                parts = hy_max(of_rows, hy_axis_parts(&layout.col));
  whole = of_rows == 1;
  int64_t rounds = ROUNDS + (parts - 1) * (whole ? ROUNDS_WHOLE : ROUNDS);
  int64_t block = hy_min(m, n) / rounds / BLOCK_STEP * BLOCK_STEP;
  block = hy_max(BLOCK_LEAST, hy_min(block, whole ? BLOCK_MOST_WHOLE : BLOCK_MOST));
  if (tall)
    block = hy_max(BLOCK_LEAST, hy_min(hy_ceil_div(n, BLOCK_STEP) * BLOCK_STEP, BLOCK_TALL));
  layout.row.block = layout.col.block = block;
  return layout;
}

hyla_layout hy_factor_layout(const hyla_cube *cube, int64_t m, int64_t n) {
  return square_blocks(cube, m, n, wants_whole_panels(cube));
}

hyla_layout hy_triangle_layout(const hyla_cube *cube, int64_t n) {
  return square_blocks(cube, n, n, false);
}

/* With many right-hand sides, triangles of this order are solved at nearly the speed of a product
 * (local/triangle.c); wider blocks then save passes over the right-hand sides. */
enum { TRIANGLE_LEAST = 128 };

int64_t hy_triangle_block(const hyla_cube *cube, const struct hy_axis *row,
                          const struct hy_axis *col, int64_t nrhs) {
  if (row->parts > 1 || col->parts > 1) return hy_square_block(cube, row, col);
  int64_t best = hy_triangle_layout(cube, row->n).col.block;
  if (nrhs >= row->n) best = hy_max(best, TRIANGLE_LEAST);
  return hy_max(1, hy_min(row->n, best));
}

/* A larger block is of no use, and sizes cannot overflow up to here. */
enum { BLOCK_MAX = 1 << 20 };

int64_t hy_square_block(const hyla_cube *cube, const struct hy_axis *row,
                        const struct hy_axis *col) {
  int64_t order = hy_max(1, hy_min(row->n, col->n));
  int64_t of_rows = hy_min(row->block, order), of_cols = hy_min(col->block, order);
  if (row->parts == 1 && col->parts == 1 && col->code.storage != HYLA_CYCLIC)
    return hy_min(hy_factor_layout(cube, row->n, col->n).col.block, order);
  if (row->parts == 1) return of_cols;
  if (col->parts == 1 || of_rows == of_cols) return of_rows;
  return 0;
}

int64_t hy_factor_block(const struct hy_factorization *problem) {
  return hy_square_block(problem->cube, &problem->row, &problem->col);
}

const char *hy_factor_applies(const void *given) {
  const struct hy_factorization *problem = given;
  if (hy_layout_others(problem->cube->dims, &problem->layout) != 0)
    return "the layout leaves cube dimensions over, and factors lie on all";
  if ((problem->row.parts > 1 && problem->layout.row.storage != HYLA_CYCLIC) ||
      (problem->col.parts > 1 && problem->layout.col.storage != HYLA_CYCLIC))
    return "the layout is not cyclic";
  if (hy_factor_block(problem) == 0) return "the blocks of rows and columns differ";
  if (hy_factor_block(problem) > BLOCK_MAX) return "the block is larger than 2^20";
  return NULL;
}

bool hy_triangle_serves(const hyla_matrix *a) {
  const struct hy_axis *row = &a->row, *col = &a->col;
  if (a->unused_dims != 0) return false;
  if (hy_square_block(a->cube, row, col) == 0) return false;
  if (row->parts > 1 && row->code.storage != HYLA_CYCLIC) return false;
  return col->parts == 1 || col->code.storage == HYLA_CYCLIC;
}

/* A matrix stays in its own layout if its blocks are at least BLOCK_LEAST and not much larger than
 * those of the best layout: moving it would cost more than a better block gains. */
static bool fits(const hyla_matrix *a, const hyla_layout *best) {
  int64_t block = a->col.parts > 1 ? a->col.block : a->row.block;
  return hy_triangle_serves(a) && block >= BLOCK_LEAST && 2 * block <= 3 * best->col.block;
}

bool hy_factor_fits(const hyla_matrix *a) {
  const hyla_layout best = hy_factor_layout(a->cube, a->row.n, a->col.n);
  const int64_t most = wants_whole_panels(a->cube) ? 1 : 2 * a->col.parts;
  return a->row.parts <= most && fits(a, &best);
}

/* TRIANGLE_ROUNDS blocks on each rank do as well: for a better block many right-hand sides would be
 * moved there and back. */
enum { TRIANGLE_ROUNDS = 3, TRIANGLE_MOST = 96 };

bool hy_triangle_fits(const hyla_matrix *a, int64_t nrhs) {
  const int64_t n = a->row.n, parts = hy_max(a->row.parts, a->col.parts);
  hyla_layout best = hy_triangle_layout(a->cube, n);
  if (n <= HY_NRHS_ENOUGH * nrhs)
    best.col.block = hy_max(best.col.block, hy_min(TRIANGLE_MOST, n / (TRIANGLE_ROUNDS * parts)));
  return a->row.parts <= 2 * a->col.parts && fits(a, &best);
}

/* On one rank layouts differ only in the block that sets the panels' width, and the best block
 * costs nothing. */
const hyla_layout *hy_factor_layout_of(const hyla_matrix *a) {
  bool whole = a->row.parts == 1 && a->col.parts == 1;
  return whole || !hy_factor_fits(a) ? NULL : &a->layout;
}
