/* Diagonal blocks whose small triangles are inverted (panels.h).
 *
 * Example: order 48, lower, tiles of order 16: T = (T00; T10 T11; T20 T21 T22), with inverted tiles
 * on the diagonal.  Solving T X = B takes products only:
 *   X0 := T00^-1 B0,  (B1 B2) := (B1 B2) - (T10 T20) X0,
 *   X1 := T11^-1 B1,  B2 := B2 - T21 X1,
 *   X2 := T22^-1 B2. */
#include "solve/panels/panels.h"

#include <string.h>

static int tile_order(const struct hy_tiles *tiles, int i) {
  return (int)hy_min(HY_TILE, tiles->order - i);
}

static const char *entry(const struct hy_tiles *tiles, int i, int j) {
  return tiles->t + ((size_t)i + (size_t)j * (size_t)tiles->ld) * tiles->k->size;
}

/* Bytes from the first tile to tile i. */
static size_t offset(const struct hy_tiles *tiles, int i) {
  return (size_t)i * ((size_t)tiles->ld + 1) * tiles->k->size;
}

/* Sets the other triangle of a tile's column j to zeros, and the diagonal to one if it is not
 * stored. */
static void complete_column(const struct hy_tiles *tiles, char *tile, int order, int j) {
  const struct hy_kernels *k = tiles->k;
  bool lower = tiles->triangle == HYLA_LOWER;
  int from = lower ? j : 0, to = lower ? order : j + 1;
  char *column = tile + (size_t)j * (size_t)tiles->ld * k->size;
  memset(column, 0, (size_t)from * k->size);
  memset(column + (size_t)to * k->size, 0, (size_t)(order - to) * k->size);
  if (tiles->diagonal == HYLA_UNIT_DIAGONAL) k->set(column, j, 1);
}

static int64_t invert_flops(hyla_diagonal diagonal, int64_t order) {
  int64_t flops = 0;
  for (int64_t i = 0; i < order; i += HY_TILE) {
    int64_t n = hy_min(HY_TILE, order - i);
    flops += diagonal == HYLA_UNIT_DIAGONAL ? n * (n - 1) * (n - 2) / 3 : n * (n * n + 2) / 3;
  }
  return flops;
}

/* Products read whole tiles, so the other triangle must be zero. */
void hy_tiles_invert(const struct hy_tiles *tiles, char *t) {
  const struct hy_kernels *k = tiles->k;
  hy_compute(tiles->cube, invert_flops(tiles->diagonal, tiles->order), k->size, k->complex_type);
  if (k->dry) return;
  for (int i = 0; i < tiles->order; i += HY_TILE) {
    char *tile = t + offset(tiles, i);
    for (int j = 0; j < tile_order(tiles, i); j++)
      complete_column(tiles, tile, tile_order(tiles, i), j);
    k->trtri(tiles->triangle, tiles->diagonal, tile_order(tiles, i), tile, tiles->ld);
  }
}

/* b and x of hy_tiles_solve. */
struct sides {
  hyla_operation op;
  int count;
  char *b, *x;
  int ld_b, ld_x;
};

/* Solves for x's rows of tile i, and subtracts their contribution from the rows that are still to
 * be solved for, which begin at `rest'. */
static void solve_tile(const struct hy_tiles *tiles, const struct sides *s, int i, int rest,
                       int rows) {
  const struct hy_kernels *k = tiles->k;
  int order = tile_order(tiles, i);
  char *from = s->b + (size_t)i * k->size, *to = s->x + (size_t)i * k->size;
  k->gemm(s->op, HYLA_NONE, order, s->count, order, 1, tiles->t + offset(tiles, i), tiles->ld, from,
          s->ld_b, 0, to, s->ld_x);
  if (rows == 0) return;
  const char *t = s->op == HYLA_NONE ? entry(tiles, rest, i) : entry(tiles, i, rest);
  k->gemm(s->op, HYLA_NONE, rows, s->count, order, -1, t, tiles->ld, to, s->ld_x, 1,
          s->b + (size_t)rest * k->size, s->ld_b);
}

void hy_tiles_solve(const struct hy_tiles *tiles, hyla_operation op, int count, char *b, int ld_b,
                    char *x, int ld_x) {
  const struct sides s = {op, count, b, x, ld_b, ld_x};
  int n = tiles->order;
  if (count == 0) return;
  if ((tiles->triangle == HYLA_LOWER) == (op == HYLA_NONE)) {
    for (int i = 0; i < n; i += HY_TILE) {
      int next = i + tile_order(tiles, i);
      solve_tile(tiles, &s, i, next, n - next);
    }
    return;
  }
  for (int i = (n - 1) / HY_TILE * HY_TILE; i >= 0; i -= HY_TILE) solve_tile(tiles, &s, i, 0, i);
}

int64_t hy_tiles_solve_flops(int64_t order) {
  int64_t flops = 0;
  for (int64_t i = 0; i < order; i += HY_TILE)
    flops += 2 * hy_min(HY_TILE, order - i) * (order - i);
  return flops;
}
