/* Products of one type with the stored triangle of a Hermitian matrix, in the instructions of a
 * processor.  mirror.c includes this file through fused.h, which sets the macros.
 *
 * A group of COLUMNS columns is read from memory once, a vector of its rows at a time: the vector
 * times the factors of x goes to y, and times w to one sum a column.  Complex entries take two sums
 * each: x t = x re(t) + i (x im(t)), and conj(x) t has the real part x t, lane by lane, and the
 * imaginary part x SWAP(t), even lanes less odd ones. */

enum {
  NAME(COLUMNS) = sizeof(VECTOR) / 8 / PARTS, /* of a group; at most ROWS */
  NAME(STRIP) = (8 << 10) / sizeof(ENTRY),    /* rows: their parts of y and w stay in the cache */
  NAME(TALL_ROWS) = sizeof(VECTOR) / 16       /* vectors of rows that are multiplied together */
};

#if COMPLEX_TYPE
/* sum + i a, for pairs of lanes. */
static TARGET inline VECTOR NAME(plus_i_times)(VECTOR sum, VECTOR a) {
  return V(add)(sum, V(fmaddsub)(V(setzero)(), V(setzero)(), SWAP(a)));
}
#endif

/* A group of columns, its factors, and where its sums go. */
struct NAME(group) {
  const REAL *a;
  int64_t ld;                          /* in REALs */
  VECTOR factor[NAME(COLUMNS)][PARTS]; /* of x */
  VECTOR sum[NAME(COLUMNS)][PARTS];    /* of a^H w */
};

static TARGET inline __attribute__((always_inline)) void
NAME(open)(struct NAME(group) * g, const int count, const REAL *a, int64_t ld, const REAL *x) {
  g->a = a;
  g->ld = ld;
#pragma GCC unroll 8
  for (int c = 0; c < count; c++)
#pragma GCC unroll 2
    for (int part = 0; part < PARTS; part++) {
      g->sum[c][part] = V(setzero)();
      g->factor[c][part] = x == NULL ? V(setzero)() : V(set1)(x[c * PARTS + part]);
    }
}

/* Adds the sums of the lanes to z. */
static TARGET inline __attribute__((always_inline)) void NAME(close)(struct NAME(group) * g,
                                                                     const int count, REAL *z) {
#pragma GCC unroll 8
  for (int c = 0; c < count; c++) {
    REAL lanes[PARTS][NAME(LANES)], re = 0, im = 0;
    V(storeu)(lanes[0], g->sum[c][0]);
    if (PARTS == 2) V(storeu)(lanes[PARTS - 1], g->sum[c][PARTS - 1]);
    for (int i = 0; i < NAME(LANES); i++) re += lanes[0][i];
    for (int i = 0; i < NAME(LANES) && PARTS == 2; i += 2)
      im += lanes[PARTS - 1][i] - lanes[PARTS - 1][i + 1];
    z[c * PARTS] += re;
    if (PARTS == 2) z[c * PARTS + PARTS - 1] += im;
  }
}

/* One vector of rows.  below: only rows below the diagonal count, the group's first row being on
 * it. */
static TARGET inline __attribute__((always_inline)) void
NAME(rows_both)(struct NAME(group) * g, const int count, int64_t at, const REAL *w, REAL *y,
                const bool whole, MASK mask, const bool below, int end) {
  const VECTOR ws = NAME(get)(w + at, whole, mask);
  VECTOR ys[PARTS];
  ys[0] = NAME(get)(y + at, whole, mask);
#if COMPLEX_TYPE
  const VECTOR turned = SWAP(ws);
  ys[1] = V(setzero)();
#endif
#pragma GCC unroll 8
  for (int c = 0; c < count; c++) {
    const int from = c + 1 < end ? c + 1 : end;
    const MASK rows = below ? RANGE(from * PARTS, end * PARTS) : mask;
    const VECTOR a = NAME(get)(g->a + c * g->ld + at, whole && !below, rows);
    g->sum[c][0] = V(fmadd)(a, ws, g->sum[c][0]);
    ys[0] = V(fmadd)(a, g->factor[c][0], ys[0]);
#if COMPLEX_TYPE
    g->sum[c][1] = V(fmadd)(a, turned, g->sum[c][1]);
    ys[1] = V(fmadd)(a, g->factor[c][1], ys[1]);
#endif
  }
#if COMPLEX_TYPE
  ys[0] = NAME(plus_i_times)(ys[0], ys[1]);
#endif
  NAME(put)(y + at, whole, mask, ys[0]);
}

/* y += A x, z += A^H w for `count' columns of m rows; sizes and distances in REALs. */
static TARGET inline __attribute__((always_inline)) void
NAME(group_both)(const int count, const bool below, int m, const REAL *a, int64_t ld, const REAL *x,
                 const REAL *w, REAL *y, REAL *z) {
  const MASK all = RANGE(0, NAME(LANES));
  struct NAME(group) g;
  int at = 0;
  NAME(open)(&g, count, a, ld, x);
  if (below) {
    const int end = m < NAME(LANES) ? m : NAME(LANES);
    NAME(rows_both)(&g, count, 0, w, y, false, RANGE(0, end), true, end / PARTS);
    for (int c = 0; c < count; c++)
      for (int part = 0; part < PARTS; part++)
        y[c * PARTS + part] += a[c * ld + c * PARTS] * x[c * PARTS + part];
    at = end;
  }
  for (; at + NAME(LANES) <= m; at += NAME(LANES))
    NAME(rows_both)(&g, count, at, w, y, true, all, false, 0);
  if (at < m) NAME(rows_both)(&g, count, at, w, y, false, RANGE(0, m - at), false, 0);
  NAME(close)(&g, count, z);
}

static TARGET void NAME(both)(bool below, int m, int n, const void *a, int lda, const void *x,
                              const void *w, void *y, void *z) {
  const int64_t ld = (int64_t)lda * PARTS;
  for (int row = 0; row < m; row += NAME(STRIP)) {
    const int end = m - row < NAME(STRIP) ? m : row + NAME(STRIP);
    for (int c = 0, count; c < n; c += count) {
      count = n - c >= NAME(COLUMNS) ? NAME(COLUMNS) : 1;
      const int from = below && c > row ? c : row; /* the group's first row in the strip */
      const bool corner = below && c >= row;
      if (from >= end) break;
      if (corner && end - from < count) count = 1;
      const REAL *block = (const REAL *)a + c * ld + (int64_t)from * PARTS;
      const REAL *xs = (const REAL *)x + c * PARTS, *ws = (const REAL *)w + (int64_t)from * PARTS;
      REAL *ys = (REAL *)y + (int64_t)from * PARTS, *zs = (REAL *)z + c * PARTS;
      const int rows = (end - from) * PARTS;
      if (count == 1 && corner)
        NAME(group_both)(1, true, rows, block, ld, xs, ws, ys, zs);
      else if (count == 1)
        NAME(group_both)(1, false, rows, block, ld, xs, ws, ys, zs);
      else if (corner)
        NAME(group_both)(NAME(COLUMNS), true, rows, block, ld, xs, ws, ys, zs);
      else
        NAME(group_both)(NAME(COLUMNS), false, rows, block, ld, xs, ws, ys, zs);
    }
  }
}

/* ----------------------------------------------------------- tall factors -- */

static TARGET inline __attribute__((always_inline)) void
NAME(rows_dots)(struct NAME(group) * g, const int count, int64_t at, const REAL *w,
                const bool whole, MASK mask) {
  const VECTOR ws = NAME(get)(w + at, whole, mask);
#if COMPLEX_TYPE
  const VECTOR turned = SWAP(ws);
#endif
#pragma GCC unroll 8
  for (int c = 0; c < count; c++) {
    const VECTOR a = NAME(get)(g->a + c * g->ld + at, whole, mask);
    g->sum[c][0] = V(fmadd)(a, ws, g->sum[c][0]);
#if COMPLEX_TYPE
    g->sum[c][1] = V(fmadd)(a, turned, g->sum[c][1]);
#endif
  }
}

static TARGET inline __attribute__((always_inline)) void
NAME(group_dots)(const int count, int m, const REAL *a, int64_t ld, const REAL *w, REAL *z) {
  const MASK all = RANGE(0, NAME(LANES));
  struct NAME(group) g;
  int at = 0;
  NAME(open)(&g, count, a, ld, NULL);
  for (; at + NAME(LANES) <= m; at += NAME(LANES)) NAME(rows_dots)(&g, count, at, w, true, all);
  if (at < m) NAME(rows_dots)(&g, count, at, w, false, RANGE(0, m - at));
  NAME(close)(&g, count, z);
}

static TARGET void NAME(dots)(int m, int n, const void *a, int lda, const void *w, void *z) {
  const int64_t ld = (int64_t)lda * PARTS;
  for (int c = 0, count; c < n; c += count) {
    const REAL *block = (const REAL *)a + c * ld;
    REAL *zs = (REAL *)z + c * PARTS;
    count = n - c >= NAME(COLUMNS) ? NAME(COLUMNS) : 1;
    if (count == 1)
      NAME(group_dots)(1, m * PARTS, block, ld, w, zs);
    else
      NAME(group_dots)(NAME(COLUMNS), m * PARTS, block, ld, w, zs);
  }
}

/* y_i -= A x_i in `count' vectors of rows, or a part of one, for two vectors x_i of n entries. */
static TARGET inline __attribute__((always_inline)) void
NAME(rows_pair)(const int count, int n, const REAL *a, int64_t ld, const REAL *x, REAL *one,
                REAL *other, const bool whole, MASK mask) {
  VECTOR sum[2][NAME(TALL_ROWS)][PARTS];
#pragma GCC unroll 4
  for (int v = 0; v < count; v++) {
    sum[0][v][PARTS - 1] = sum[1][v][PARTS - 1] = V(setzero)();
    sum[0][v][0] = NAME(get)(one + v * NAME(LANES), whole, mask);
    sum[1][v][0] = NAME(get)(other + v * NAME(LANES), whole, mask);
  }
  for (int c = 0; c < n; c++, a += ld, x += PARTS)
#pragma GCC unroll 4
    for (int v = 0; v < count; v++) {
      const VECTOR as = NAME(get)(a + v * NAME(LANES), whole, mask);
#pragma GCC unroll 2
      for (int i = 0; i < 2; i++)
#pragma GCC unroll 2
        for (int part = 0; part < PARTS; part++)
          sum[i][v][part] = V(fnmadd)(as, V(set1)(x[i * n * PARTS + part]), sum[i][v][part]);
    }
#pragma GCC unroll 4
  for (int v = 0; v < count; v++) {
#if COMPLEX_TYPE
    sum[0][v][0] = NAME(plus_i_times)(sum[0][v][0], sum[0][v][1]);
    sum[1][v][0] = NAME(plus_i_times)(sum[1][v][0], sum[1][v][1]);
#endif
    NAME(put)(one + v * NAME(LANES), whole, mask, sum[0][v][0]);
    NAME(put)(other + v * NAME(LANES), whole, mask, sum[1][v][0]);
  }
}

static TARGET void NAME(pair)(int m, int n, const void *a, int lda, const void *x, void *one,
                              void *other) {
  enum { STEP = NAME(TALL_ROWS) * NAME(LANES) };
  const int64_t ld = (int64_t)lda * PARTS;
  const MASK all = RANGE(0, NAME(LANES));
  const REAL *from = a;
  REAL *y = one, *z = other;
  int rows = m * PARTS;
  for (; rows >= STEP; rows -= STEP, from += STEP, y += STEP, z += STEP)
    NAME(rows_pair)(NAME(TALL_ROWS), n, from, ld, x, y, z, true, all);
  for (; rows >= NAME(LANES);
       rows -= NAME(LANES), from += NAME(LANES), y += NAME(LANES), z += NAME(LANES))
    NAME(rows_pair)(1, n, from, ld, x, y, z, true, all);
  if (rows > 0) NAME(rows_pair)(1, n, from, ld, x, y, z, false, RANGE(0, rows));
}

/* ------------------------------------------------------------- one column -- */

/* A factor's parts times a. */
static TARGET inline __attribute__((always_inline)) VECTOR NAME(times)(const VECTOR factor[PARTS],
                                                                       VECTOR a) {
#if COMPLEX_TYPE
  return NAME(plus_i_times)(V(mul)(factor[0], a), V(mul)(factor[1], a));
#else
  return V(mul)(factor[0], a);
#endif
}

static TARGET inline __attribute__((always_inline)) void
NAME(rows_settle)(const VECTOR factor[3][PARTS], const REAL *v, REAL *w, REAL *x, const bool whole,
                  MASK mask) {
  const VECTOR vs = NAME(get)(v, whole, mask);
  const VECTOR ws =
      V(add)(NAME(times)(factor[0], NAME(get)(w, whole, mask)), NAME(times)(factor[1], vs));
  NAME(put)(w, whole, mask, ws);
  NAME(put)
  (x, whole, mask, V(sub)(V(sub)(NAME(get)(x, whole, mask), NAME(times)(factor[2], vs)), ws));
}

static TARGET void NAME(settle)(int m, const void *factors, const void *v, void *w, void *x) {
  const MASK all = RANGE(0, NAME(LANES));
  VECTOR factor[3][PARTS];
  const REAL *vs = v;
  REAL *ws = w, *xs = x;
  int rows = m * PARTS;
  for (int f = 0; f < 3; f++)
    for (int part = 0; part < PARTS; part++)
      factor[f][part] = V(set1)(((const REAL *)factors)[f * PARTS + part]);
  for (; rows >= NAME(LANES);
       rows -= NAME(LANES), vs += NAME(LANES), ws += NAME(LANES), xs += NAME(LANES))
    NAME(rows_settle)(factor, vs, ws, xs, true, all);
  if (rows > 0) NAME(rows_settle)(factor, vs, ws, xs, false, RANGE(0, rows));
}

static const struct hy_mirror NAME(mirror) = {NAME(both), NAME(dots), NAME(pair), NAME(settle)};
