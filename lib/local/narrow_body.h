/* Products with few columns of one type in the instructions of a processor.  Included by narrow.c
 * through fused.h, which says what macros are set.
 *
 * op(B) is copied, GROUP columns row by row.  A tile of C, three vectors of rows and a group wide,
 * is summed in registers.  Rows of A go in blocks that the second cache keeps while all groups
 * meet them.  Of complex entries x t = x re(t) + i (x im(t)): two sums, the second is turned once.
 */

#if COMPLEX_TYPE
#define ENTRY REAL _Complex
#else
#define ENTRY REAL
#endif

enum {
  NAME(PARTS) = 1 + COMPLEX_TYPE, /* REALs of an entry, sums of one */
  NAME(LANES) = sizeof(VECTOR) / sizeof(REAL),
  NAME(ROWS) = NAME(LANES) / NAME(PARTS),                     /* of a vector */
  NAME(GROUP) = (sizeof(VECTOR) == 64 ? 8 : 4) / NAME(PARTS), /* columns of a tile */
  NAME(COPIED) = (64 << 10) / sizeof(ENTRY),                  /* entries of B at a time */
  NAME(DEPTH) = 256,                                          /* rows of these */
  NAME(BLOCK) = (192 << 10) / sizeof(ENTRY)                   /* entries of A at a time */
};

/* A block of rows, in REALs. */
struct NAME(factors) {
  int depth;
  int64_t lda, ldc;
  const REAL *a, *b; /* b: a group */
  REAL *c;
  int live; /* columns of the group */
};

static TARGET inline __attribute__((always_inline)) VECTOR NAME(get)(const REAL *x,
                                                                     const bool whole, MASK mask) {
  return whole ? V(loadu)(x) : PART_LOAD(mask, x);
}

static TARGET inline __attribute__((always_inline)) void NAME(put)(REAL *x, const bool whole,
                                                                   MASK mask, VECTOR a) {
  if (whole)
    V(storeu)(x, a);
  else
    PART_STORE(x, mask, a);
}

/* Rows that begin at REAL `row', in `count' vectors or a part of one. */
static TARGET inline __attribute__((always_inline)) void NAME(tile)(const struct NAME(factors) * f,
                                                                    int row, const int count,
                                                                    const bool full,
                                                                    const bool whole, MASK mask) {
  const REAL *a = f->a + row, *b = f->b;
  REAL *c = f->c + row;
  VECTOR sum[NAME(GROUP)][3][NAME(PARTS)];
#pragma GCC unroll 8
  for (int j = 0; j < NAME(GROUP); j++)
#pragma GCC unroll 3
    for (int v = 0; v < count; v++) {
      REAL *at = c + j * f->ldc + v * NAME(LANES);
      if (full && whole) prefetch_line((const char *)(at + 3 * NAME(LANES)), 0);
      sum[j][v][NAME(PARTS) - 1] = V(setzero)();
      sum[j][v][0] = full || j < f->live ? NAME(get)(at, whole, mask) : V(setzero)();
    }
  for (int t = 0; t < f->depth; t++, a += f->lda, b += NAME(PARTS) * NAME(GROUP)) {
    VECTOR x[3];
#pragma GCC unroll 3
    for (int v = 0; v < count; v++) x[v] = NAME(get)(a + v * NAME(LANES), whole, mask);
#pragma GCC unroll 8
    for (int j = 0; j < NAME(GROUP); j++)
#pragma GCC unroll 2
      for (int part = 0; part < NAME(PARTS); part++) {
        const VECTOR factor = V(set1)(b[j * NAME(PARTS) + part]);
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

/* `rows' rows of a group, in REALs. */
static TARGET inline __attribute__((always_inline)) void NAME(tiles)(const struct NAME(factors) * f,
                                                                     int rows, const bool full) {
  const MASK all = RANGE(0, NAME(LANES));
  int row = 0;
  for (; row + 3 * NAME(LANES) <= rows; row += 3 * NAME(LANES))
    NAME(tile)(f, row, 3, full, true, all);
  if (row + 2 * NAME(LANES) <= rows) {
    NAME(tile)(f, row, 2, full, true, all);
    row += 2 * NAME(LANES);
  }
  if (row + NAME(LANES) <= rows) {
    NAME(tile)(f, row, 1, full, true, all);
    row += NAME(LANES);
  }
  if (row < rows) NAME(tile)(f, row, 1, full, false, RANGE(0, rows - row));
}

/* depth x n entries of op(B), by groups of columns, zeros in the last one's others. */
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

/* Of at most DEPTH rows of B. */
static TARGET void NAME(multiply_depth)(hyla_operation op, int m, int n, int depth, const ENTRY *a,
                                        int lda, const ENTRY *b, int ldb, ENTRY *c, int ldc) {
  _Alignas(HY_LINE) ENTRY copied[NAME(COPIED)];
  const int step = NAME(COPIED) / depth / NAME(GROUP) * NAME(GROUP), tall = 3 * NAME(ROWS);
  const int block = (NAME(BLOCK) / depth + tall - 1) / tall * tall;
  struct NAME(factors)
      f = {.depth = depth, .lda = (int64_t)lda * NAME(PARTS), .ldc = (int64_t)ldc * NAME(PARTS)};
  for (int first = 0; first < n; first += step) {
    const int columns = n - first < step ? n - first : step;
    NAME(copy)(op, depth, columns, b + first * (op == HYLA_NONE ? (int64_t)ldb : 1), ldb, copied);
    for (int row = 0; row < m; row += block) {
      const int rows = (m - row < block ? m - row : block) * NAME(PARTS);
      f.a = (const REAL *)(a + row);
      for (int j = 0; j < columns; j += NAME(GROUP)) {
        f.b = (const REAL *)(copied + (int64_t)j * depth);
        f.c = (REAL *)(c + row + (first + j) * (int64_t)ldc);
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
  for (int from = 0; from < k; from += NAME(DEPTH)) {
    const int depth = k - from < NAME(DEPTH) ? k - from : NAME(DEPTH);
    NAME(multiply_depth)
    (op, m, n, depth, (const ENTRY *)a + from * (int64_t)lda, lda,
     (const ENTRY *)b + from * (op == HYLA_NONE ? 1 : (int64_t)ldb), ldb, c, ldc);
  }
}

#undef ENTRY
#undef COMPLEX_TYPE
#undef TYPE
#undef NAME
