/* Products A^H B of one type, whose columns are long, in the instructions of a processor.
 * narrow_body.h includes this file.
 *
 * A tile of LEFT columns of A by RIGHT of B has a vector of sums for each pair in registers; both
 * factors are read in place, a vector of rows at a time, so nothing is copied.  B's columns of a
 * tile stay in the first-level cache for STRETCH numbers while all columns of A meet them, and A's
 * in the second-level one.  Complex entries take two sums: conj(x) y has the real part x y, lane by
 * lane, and the imaginary part x SWAP(y), even lanes less odd ones. */

enum {
  NAME(LEFT) = sizeof(VECTOR) == 64 ? 4 : 3,
  NAME(RIGHT) = (sizeof(VECTOR) == 64 ? 6 : 4) / PARTS,
  NAME(STRETCH) = (4 << 10) * PARTS / sizeof(REAL) /* numbers */
};

/* Columns that meet in a tile.  A column that is missing is stood in for by the last one. */
struct NAME(pairs) {
  const REAL *a[NAME(LEFT)], *b[NAME(RIGHT)];
  REAL sum[NAME(LEFT)][NAME(RIGHT)][PARTS];
};

/* The sums of the lanes; of those of the second vector with alternating signs. */
static TARGET inline __attribute__((always_inline)) REAL NAME(lanes)(VECTOR sum, const bool turns) {
  REAL lane[NAME(LANES)];
  V(storeu)(lane, sum);
#pragma GCC unroll 4
  for (int width = NAME(LANES) / 2; width > 1; width /= 2)
#pragma GCC unroll 8
    for (int i = 0; i < width; i++) lane[i] += lane[i + width];
  return turns ? lane[0] - lane[1] : lane[0] + lane[1];
}

static TARGET inline __attribute__((always_inline)) void
NAME(meet)(struct NAME(pairs) * p, const int left, int64_t length) {
  VECTOR sum[NAME(LEFT)][NAME(RIGHT)][PARTS];
  const REAL *a[NAME(LEFT)], *b[NAME(RIGHT)];
#pragma GCC unroll 4
  for (int i = 0; i < left; i++) a[i] = p->a[i];
#pragma GCC unroll 8
  for (int j = 0; j < NAME(RIGHT); j++) b[j] = p->b[j];
#pragma GCC unroll 4
  for (int i = 0; i < left; i++)
#pragma GCC unroll 8
    for (int j = 0; j < NAME(RIGHT); j++)
#pragma GCC unroll 2
      for (int part = 0; part < PARTS; part++) sum[i][j][part] = V(setzero)();
  for (int64_t at = 0; at < length; at += NAME(LANES)) {
    const bool whole = at + NAME(LANES) <= length;
    const MASK mask = RANGE(0, whole ? NAME(LANES) : (int)(length - at));
    VECTOR x[NAME(LEFT)];
#pragma GCC unroll 4
    for (int i = 0; i < left; i++) x[i] = NAME(get)(a[i] + at, whole, mask);
#pragma GCC unroll 8
    for (int j = 0; j < NAME(RIGHT); j++) {
      VECTOR y[PARTS];
      y[0] = NAME(get)(b[j] + at, whole, mask);
#if COMPLEX_TYPE
      y[1] = SWAP(y[0]);
#endif
#pragma GCC unroll 4
      for (int i = 0; i < left; i++)
#pragma GCC unroll 2
        for (int part = 0; part < PARTS; part++)
          sum[i][j][part] = V(fmadd)(x[i], y[part], sum[i][j][part]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < left; i++)
#pragma GCC unroll 8
    for (int j = 0; j < NAME(RIGHT); j++)
#pragma GCC unroll 2
      for (int part = 0; part < PARTS; part++)
        p->sum[i][j][part] = NAME(lanes)(sum[i][j][part], part == 1);
}

/* C += A^H B for one tile: rows i ... i+left-1 and columns j ... j+right-1 of C. */
static TARGET void NAME(add_tile)(int left, int right, int64_t length, const REAL *a, int64_t lda,
                                  const REAL *b, int64_t ldb, REAL *c, int64_t ldc) {
  struct NAME(pairs) p;
  for (int i = 0; i < NAME(LEFT); i++) p.a[i] = a + (i < left ? i : left - 1) * lda;
  for (int j = 0; j < NAME(RIGHT); j++) p.b[j] = b + (j < right ? j : right - 1) * ldb;
  if (left == 1)
    NAME(meet)(&p, 1, length);
  else
    NAME(meet)(&p, NAME(LEFT), length);
  for (int j = 0; j < right; j++)
    for (int i = 0; i < left; i++)
      for (int part = 0; part < PARTS; part++) c[j * ldc + i * PARTS + part] += p.sum[i][j][part];
}

static void NAME(inner)(int m, int n, int k, const void *a, int lda, const void *b, int ldb,
                        void *c, int ldc) {
  const int64_t numbers = (int64_t)k * PARTS, step_a = (int64_t)lda * PARTS,
                step_b = (int64_t)ldb * PARTS, step_c = (int64_t)ldc * PARTS;
  for (int j = 0; j < n; j++) memset((REAL *)c + j * step_c, 0, (size_t)m * sizeof(ENTRY));
  for (int64_t at = 0; at < numbers; at += NAME(STRETCH))
    for (int j = 0; j < n; j += NAME(RIGHT))
      for (int i = 0; i < m; i += NAME(LEFT)) NAME(add_tile)
  ((int)hy_min(NAME(LEFT), m - i), (int)hy_min(NAME(RIGHT), n - j),
   hy_min(NAME(STRETCH), numbers - at), (const REAL *)a + i * step_a + at, step_a,
   (const REAL *)b + j * step_b + at, step_b, (REAL *)c + j * step_c + i * PARTS, step_c);
}
