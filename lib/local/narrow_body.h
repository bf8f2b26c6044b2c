/* Products with few columns of one type, in the instructions of a processor.  narrow.c includes
 * this file through fused.h, which sets the macros.
 *
 * op(B) is copied in groups of GROUP columns, row by row.  A tile of C, three vectors of rows by
 * one group of columns, is summed in registers.  A block of rows of A stays in the second-level
 * cache while all groups meet it.  Complex entries: x t = x re(t) + i (x im(t)) takes two sums; the
 * second is multiplied by i once, at the end.  A is read in place, or from a copy that holds the
 * rows of a tile together. */

enum {
  NAME(TALL) = 3 * NAME(ROWS),                          /* rows of a tile */
  NAME(GROUP) = (sizeof(VECTOR) == 64 ? 8 : 4) / PARTS, /* columns of a tile */
  NAME(COPIED) = (64 << 10) / sizeof(ENTRY),            /* entries of B copied at a time */
  NAME(DEPTH) = HY_PACKED_DEPTH,                        /* rows of B copied at a time */
  NAME(BLOCK) = (192 << 10) / sizeof(ENTRY)             /* entries of A in a block */
};

/* The factors of one block of rows; distances are in REALs. */
struct NAME(factors) {
  int depth;
  int64_t lda, ldc;
  int64_t tall;        /* in A, from the rows of one tile to those of the next */
  int64_t ahead;       /* bytes from C to the columns to prefetch; 0: none */
  struct again *again; /* entries to prefetch again; NULL: none */
  const REAL *a, *b;   /* b: one group of columns */
  REAL *c;
  int live; /* columns of the group that are in use */
};

/* Computes a tile from the rows of A that begin at `a': `count' vectors, or a part of one. */
static TARGET inline __attribute__((always_inline)) void
NAME(tile)(const struct NAME(factors) * f, const REAL *a, REAL *c, const int count, const bool full,
           const bool whole, MASK mask) {
  const REAL *b = f->b;
  VECTOR sum[NAME(GROUP)][3][PARTS];
  if (full && f->again != NULL) fetch_again(f->again);
#pragma GCC unroll 8
  for (int j = 0; j < NAME(GROUP); j++)
#pragma GCC unroll 3
    for (int v = 0; v < count; v++) {
      REAL *at = c + j * f->ldc + v * NAME(LANES);
      if (full && whole) prefetch_line((const char *)(at + 3 * NAME(LANES)), 0);
      if (full && f->ahead != 0) prefetch_line((const char *)at, f->ahead);
      sum[j][v][PARTS - 1] = V(setzero)();
      sum[j][v][0] = full || j < f->live ? NAME(get)(at, whole, mask) : V(setzero)();
    }
  for (int t = 0; t < f->depth; t++, a += f->lda, b += PARTS * NAME(GROUP)) {
    VECTOR x[3];
#pragma GCC unroll 3
    for (int v = 0; v < count; v++) x[v] = NAME(get)(a + v * NAME(LANES), whole, mask);
#pragma GCC unroll 8
    for (int j = 0; j < NAME(GROUP); j++)
#pragma GCC unroll 2
      for (int part = 0; part < PARTS; part++) {
        const VECTOR factor = V(set1)(b[j * PARTS + part]);
#pragma GCC unroll 3
        for (int v = 0; v < count; v++) sum[j][v][part] = V(fnmadd)(x[v], factor, sum[j][v][part]);
      }
  }
#pragma GCC unroll 8
  for (int j = 0; j < NAME(GROUP); j++)
#pragma GCC unroll 3
    for (int v = 0; v < count; v++) {
      if (!full && j >= f->live) continue;
#if COMPLEX_TYPE
      sum[j][v][0] =
          V(add)(sum[j][v][0], V(fmaddsub)(V(setzero)(), V(setzero)(), SWAP(sum[j][v][1])));
#endif
      NAME(put)(c + j * f->ldc + v * NAME(LANES), whole, mask, sum[j][v][0]);
    }
}

/* Computes the tiles of one group over `rows' rows, in REALs. */
static TARGET inline __attribute__((always_inline)) void NAME(tiles)(const struct NAME(factors) * f,
                                                                     int rows, const bool full) {
  const MASK all = RANGE(0, NAME(LANES));
  const REAL *a = f->a;
  REAL *c = f->c;
  for (; rows >= 3 * NAME(LANES); rows -= 3 * NAME(LANES), a += f->tall, c += 3 * NAME(LANES))
    NAME(tile)(f, a, c, 3, full, true, all);
  if (rows >= 2 * NAME(LANES)) {
    NAME(tile)(f, a, c, 2, full, true, all);
    rows -= 2 * NAME(LANES), a += 2 * NAME(LANES), c += 2 * NAME(LANES);
  }
  if (rows >= NAME(LANES)) {
    NAME(tile)(f, a, c, 1, full, true, all);
    rows -= NAME(LANES), a += NAME(LANES), c += NAME(LANES);
  }
  if (rows > 0) NAME(tile)(f, a, c, 1, full, false, RANGE(0, rows));
}

/* Copies depth x n entries of op(B) by groups of columns; fills up the last group with zeros. */
static void NAME(copy)(hyla_operation op, int depth, int n, const ENTRY *b, int ldb, ENTRY *to) {
  const int64_t down = op == HYLA_NONE ? 1 : ldb, across = op == HYLA_NONE ? ldb : 1;
  for (int j = 0; j < n; j += NAME(GROUP))
    for (int t = 0; t < depth; t++)
      for (int c = 0; c < NAME(GROUP); c++) {
        ENTRY entry = j + c < n ? b[t * down + (j + c) * across] : 0;
#if COMPLEX_TYPE
        if (op == HYLA_CONJUGATE) entry = (ENTRY)conj(entry);
#endif
        *to++ = entry;
      }
}

/* Multiplies C, m x n, by at most DEPTH rows of B.  f: its b and c are those of the first columns;
 * its other fields serve all columns. */
static TARGET void NAME(multiply_depth)(struct NAME(factors) f, hyla_operation op, int m, int n,
                                        const ENTRY *b, int ldb) {
  _Alignas(HY_LINE) ENTRY copied[NAME(COPIED)];
  const REAL *const a = f.a;
  REAL *const c = f.c;
  const int step = NAME(COPIED) / f.depth / NAME(GROUP) * NAME(GROUP);
  const int talls = (NAME(BLOCK) / f.depth + NAME(TALL) - 1) / NAME(TALL);
  const int block = talls * NAME(TALL);
  for (int first = 0; first < n; first += step) {
    const int columns = n - first < step ? n - first : step;
    NAME(copy)(op, f.depth, columns, b + first * (op == HYLA_NONE ? (int64_t)ldb : 1), ldb, copied);
    for (int row = 0; row < m; row += block) {
      const int rows = (m - row < block ? m - row : block) * PARTS;
      f.a = a + row / NAME(TALL) * f.tall;
      for (int j = 0; j < columns; j += NAME(GROUP)) {
        f.b = (const REAL *)(copied + (int64_t)j * f.depth);
        f.c = c + row * PARTS + (first + j) * f.ldc;
        f.live = columns - j;
        if (f.live >= NAME(GROUP))
          NAME(tiles)(&f, rows, true);
        else
          NAME(tiles)(&f, rows, false);
      }
    }
  }
}

static void NAME(multiply)(hyla_operation op, int m, int n, int k, const void *a, int lda,
                           const void *b, int ldb, void *c, int ldc) {
  struct NAME(factors) f = {
      .lda = (int64_t)lda * PARTS, .ldc = (int64_t)ldc * PARTS, .tall = NAME(TALL) * PARTS, .c = c};
  for (int from = 0; from < k; from += NAME(DEPTH)) {
    f.depth = k - from < NAME(DEPTH) ? k - from : NAME(DEPTH);
    f.a = (const REAL *)((const ENTRY *)a + from * (int64_t)lda);
    NAME(multiply_depth)
    (f, op, m, n, (const ENTRY *)b + from * (op == HYLA_NONE ? 1 : (int64_t)ldb), ldb);
  }
}

/* Copies the rows of a tile, column by column; the last tile may have fewer rows. */
static TARGET void NAME(pack_tile)(int rows, int depth, const ENTRY *a, int lda, ENTRY *to) {
  for (int t = 0; t < depth && rows < NAME(TALL); t++)
    memcpy(to + t * NAME(TALL), a + t * (int64_t)lda, (size_t)rows * sizeof(ENTRY));
  for (int t = 0; t < depth && rows >= NAME(TALL); t++) {
    const REAL *from = (const REAL *)(a + t * (int64_t)lda);
    REAL *into = (REAL *)(to + t * NAME(TALL));
    prefetch_line((const char *)(from + 3 * NAME(LANES)), 0);
#pragma GCC unroll 3
    for (int v = 0; v < 3; v++) V(storeu)(into + v * NAME(LANES), V(loadu)(from + v * NAME(LANES)));
  }
}

/* Copies A by DEPTH columns at a time. */
static void NAME(pack)(int m, int k, const void *a, int lda, void *packed) {
  ENTRY *to = packed;
  for (int from = 0; from < k; from += NAME(DEPTH)) {
    const int depth = k - from < NAME(DEPTH) ? k - from : NAME(DEPTH);
    for (int row = 0; row < m; row += NAME(TALL), to += NAME(TALL) * depth)
      NAME(pack_tile)(m - row, depth, (const ENTRY *)a + row + from * (int64_t)lda, lda, to);
  }
}

/* The same for columns that are named; they are fetched a tile ahead. */
static TARGET void NAME(gather)(int m, int k, const void *a, int lda, const int32_t *column,
                                void *packed) {
  ENTRY *to = packed;
  for (int row = 0; row < m; row += NAME(TALL))
    for (int t = 0; t < k; t++, to += NAME(TALL)) {
      const ENTRY *from = (const ENTRY *)a + row + column[t] * (int64_t)lda;
      if (m - row < NAME(TALL)) {
        memcpy(to, from, (size_t)(m - row) * sizeof(ENTRY));
        continue;
      }
      prefetch_line((const char *)(from + NAME(TALL)), 2 * HY_LINE);
#pragma GCC unroll 3
      for (int v = 0; v < 3; v++)
        V(storeu)((REAL *)to + v * NAME(LANES), V(loadu)((const REAL *)from + v * NAME(LANES)));
    }
}

static void NAME(multiply_packed)(hyla_operation op, int m, int n, int k, const void *packed,
                                  int first, const void *b, int ldb, void *c, int ldc,
                                  const struct hy_next *next) {
  const int64_t rows = (m + NAME(TALL) - 1) / NAME(TALL) * NAME(TALL);
  struct NAME(factors) f = {.lda = NAME(TALL) * PARTS,
                            .ldc = (int64_t)ldc * PARTS,
                            .ahead = next != NULL ? n * ldc * (int64_t)sizeof(ENTRY) : 0,
                            .c = c};
  struct again again = {0};
  if (next != NULL) again = begin_again(next, (char *)c + f.ahead, ldc, sizeof(ENTRY));
  for (int from = 0; from < k; from += NAME(DEPTH)) {
    f.depth = k - from < NAME(DEPTH) ? k - from : NAME(DEPTH);
    f.tall = NAME(TALL) * PARTS * f.depth;
    if (next != NULL && from + f.depth == k) {
      again.wait = hy_ceil_div(m - first, NAME(TALL)) * hy_ceil_div(n, NAME(GROUP)) - again.tiles;
      f.again = &again;
    }
    f.a = (const REAL *)((const ENTRY *)packed + rows * from + (int64_t)first * f.depth);
    NAME(multiply_depth)
    (f, op, m - first, n, (const ENTRY *)b + from * (op == HYLA_NONE ? 1 : (int64_t)ldb), ldb);
  }
}

#include "local/inner_body.h"

static const struct hy_packed NAME(packed) = {
    NAME(TALL), NAME(pack), NAME(gather), NAME(multiply_packed), NAME(multiply), NAME(inner)};
