/* LU of tall panels of one type, in the instructions of a processor.  tall.c includes this file
 * through fused.h, which sets the macros.
 *
 * The factorization is recursive in the columns.  A strip of up to STRIP columns is left-looking: a
 * pass over a column divides the column before, subtracts the products of all earlier columns and
 * finds the largest entry.  Complex entries: x t = x re(t) + i (x im(t)); the second sum is
 * multiplied by i once, at the end.
 *
 * The columns to the left of a strip are swapped when the panel is done. */

enum { NAME(STRIP) = 8 };

/* A panel that is being factored. */
struct NAME(panel) {
  REAL *a;
  int m, n;
  int64_t ld; /* from a column to the next, in REALs */
  int *pivots;
  int failed; /* the first column without a pivot, from 1; 0: none */
};

static inline REAL *NAME(at)(const struct NAME(panel) * p, int row, int col) {
  return p->a + row * PARTS + col * p->ld;
}

static inline ENTRY *NAME(entry)(const struct NAME(panel) * p, int row, int col) {
  return (ENTRY *)NAME(at)(p, row, col);
}

#if COMPLEX_TYPE
/* sum + i a, for pairs of lanes. */
static TARGET inline VECTOR NAME(add_times_i)(VECTOR sum, VECTOR a) {
  return V(add)(sum, V(fmaddsub)(V(setzero)(), V(setzero)(), SWAP(a)));
}
#endif

/* x|; for a complex entry |re| + |im| in both lanes. */
static TARGET inline VECTOR NAME(size)(VECTOR x) {
  VECTOR size = V(max)(x, V(sub)(V(setzero)(), x));
#if COMPLEX_TYPE
  size = V(add)(size, SWAP(size));
#endif
  return size;
}

/* ----------------------------------------------------------------- strips -- */

/* One pass over column `column' below the diagonal.  It divides the column before by its pivot and
 * subtracts the products of columns first ... column-1 with their entries of U. */
struct NAME(pass) {
  const struct NAME(panel) * p;
  int first, column;
  ENTRY reciprocal;     /* of the pivot of the column before */
  ENTRY u[NAME(STRIP)]; /* of column `column', rows first ... column-1 */
};

/* Passes over the rows that begin at `row', in `count' vectors.  *largest: the largest entry of
 * each lane. */
static TARGET inline __attribute__((always_inline)) void
NAME(pass_rows)(const struct NAME(pass) * s, int row, const int count, const bool whole, MASK mask,
                VECTOR *largest) {
  const int64_t ld = s->p->ld;
  const int before = s->column - s->first;
  REAL *l = NAME(at)(s->p, row, s->first), *x = l + before * ld;
  const REAL *u = (const REAL *)s->u, *reciprocal = (const REAL *)&s->reciprocal;
  VECTOR sum[4][PARTS];
#pragma GCC unroll 4
  for (int v = 0; v < count; v++) {
    sum[v][0] = NAME(get)(x + v * NAME(LANES), whole, mask);
    if (PARTS == 2) sum[v][PARTS - 1] = V(setzero)();
  }
  for (int t = 0; t < before - 1; t++, l += ld, u += PARTS)
#pragma GCC unroll 4
    for (int v = 0; v < count; v++) {
      const VECTOR a = NAME(get)(l + v * NAME(LANES), whole, mask);
      sum[v][0] = V(fnmadd)(a, V(set1)(u[0]), sum[v][0]);
      if (PARTS == 2) sum[v][PARTS - 1] = V(fnmadd)(a, V(set1)(u[1]), sum[v][PARTS - 1]);
    }
#pragma GCC unroll 4
  for (int v = 0; v < count; v++) {
    if (before > 0) {
      const VECTOR given = NAME(get)(l + v * NAME(LANES), whole, mask);
      VECTOR a = V(mul)(given, V(set1)(reciprocal[0]));
#if COMPLEX_TYPE
      a = NAME(add_times_i)(a, V(mul)(given, V(set1)(reciprocal[1])));
#endif
      NAME(put)(l + v * NAME(LANES), whole, mask, a);
      sum[v][0] = V(fnmadd)(a, V(set1)(u[0]), sum[v][0]);
      if (PARTS == 2) sum[v][PARTS - 1] = V(fnmadd)(a, V(set1)(u[1]), sum[v][PARTS - 1]);
    }
#if COMPLEX_TYPE
    sum[v][0] = NAME(add_times_i)(sum[v][0], sum[v][1]);
#endif
    NAME(put)(x + v * NAME(LANES), whole, mask, sum[v][0]);
    *largest = V(max)(NAME(size)(sum[v][0]), *largest); /* if one is NaN: the second */
  }
}

/* The first row from `from' on whose entry in `column' has this magnitude. */
static TARGET int NAME(find)(const struct NAME(panel) * p, int column, int from, REAL largest) {
  const VECTOR wanted = V(set1)(largest);
  for (int row = from / NAME(ROWS) * NAME(ROWS); row < p->m; row += NAME(ROWS)) {
    const int begin = row < from ? from - row : 0;
    const int end = p->m - row < NAME(ROWS) ? p->m - row : NAME(ROWS);
    const bool whole = end - begin == NAME(ROWS);
    const unsigned lanes = (1u << end * PARTS) - (1u << begin * PARTS);
    const MASK mask = RANGE(begin * PARTS, end * PARTS);
    const REAL *x = NAME(at)(p, row, column);
    const VECTOR a = whole ? V(loadu)(x) : PART_LOAD(mask, x);
    const unsigned found = EQUAL(NAME(size)(a), wanted) & lanes;
    if (found != 0) return row + __builtin_ctz(found) / PARTS;
  }
  return from; /* the column holds only NaNs */
}

/* Passes over the column; returns the pivot's row. */
static TARGET int NAME(pass)(const struct NAME(pass) * s) {
  const struct NAME(panel) *p = s->p;
  const int begin = s->column;
  int row = begin / NAME(ROWS) * NAME(ROWS);
  VECTOR largest = V(setzero)();
  if (row < begin || row + NAME(ROWS) > p->m) {
    const int end = p->m - row < NAME(ROWS) ? p->m - row : NAME(ROWS);
    const MASK mask = RANGE((begin - row) * PARTS, end * PARTS);
    NAME(pass_rows)(s, row, 1, false, mask, &largest);
    row += NAME(ROWS);
  }
  const MASK all = RANGE(0, NAME(LANES));
  for (; row + 4 * NAME(ROWS) <= p->m; row += 4 * NAME(ROWS))
    NAME(pass_rows)(s, row, 4, true, all, &largest);
  for (; row + NAME(ROWS) <= p->m; row += NAME(ROWS))
    NAME(pass_rows)(s, row, 1, true, all, &largest);
  if (row < p->m) NAME(pass_rows)(s, row, 1, false, RANGE(0, (p->m - row) * PARTS), &largest);
  REAL lanes[NAME(LANES)], most = 0;
  V(storeu)(lanes, largest);
  for (int i = 0; i < NAME(LANES); i++)
    if (lanes[i] > most) most = lanes[i];
  return NAME(find)(p, s->column, begin, most);
}

static void NAME(swap)(const struct NAME(panel) * p, int first, int end, int row, int other) {
  if (row == other) return;
  for (int c = first; c < end; c++) {
    ENTRY held = *NAME(entry)(p, row, c);
    *NAME(entry)(p, row, c) = *NAME(entry)(p, other, c);
    *NAME(entry)(p, other, c) = held;
  }
}

/* The reciprocal of a pivot, by which the next pass multiplies the column.  If the reciprocal is no
 * normal number, the column is divided here and 1 is returned.  Without a pivot 1 is returned
 * too. */
static ENTRY NAME(reciprocal)(struct NAME(panel) * p, int column) {
  const ENTRY pivot = *NAME(entry)(p, column, column);
  if (pivot == 0) {
    if (p->failed == 0) p->failed = column + 1;
    return 1;
  }
  const ENTRY reciprocal = 1 / pivot;
  REAL re = (REAL)creal(reciprocal), im = (REAL)cimag(reciprocal);
  if (isfinite(re) && isfinite(im) && (isnormal(re) || isnormal(im))) return reciprocal;
  for (int row = column + 1; row < p->m; row++) *NAME(entry)(p, row, column) /= pivot;
  return 1;
}

/* sum - a b. */
static inline ENTRY NAME(less_product)(ENTRY sum, ENTRY a, ENTRY b) {
#if COMPLEX_TYPE
  const REAL *x = (const REAL *)&a, *y = (const REAL *)&b;
  REAL *z = (REAL *)&sum;
  z[0] -= x[0] * y[0] - x[1] * y[1];
  z[1] -= x[0] * y[1] + x[1] * y[0];
  return sum;
#else
  return sum - a * b;
#endif
}

/* Computes row `column' of U to the right of the diagonal. */
static void NAME(row_of_u)(const struct NAME(panel) * p, int first, int column, int end) {
  for (int c = column + 1; c < end; c++) {
    ENTRY sum = *NAME(entry)(p, column, c);
    for (int t = first; t < column; t++)
      sum = NAME(less_product)(sum, *NAME(entry)(p, column, t), *NAME(entry)(p, t, c));
    *NAME(entry)(p, column, c) = sum;
  }
}

static TARGET void NAME(factor_strip)(struct NAME(panel) * p, int first, int end) {
  struct NAME(pass) s = {.p = p, .first = first};
  for (s.column = first; s.column < end; s.column++) {
    const int pivot = p->pivots[s.column] = NAME(pass)(&s);
    NAME(swap)(p, first, end, s.column, pivot);
    NAME(row_of_u)(p, first, s.column, end);
    s.reciprocal = NAME(reciprocal)(p, s.column);
    for (int t = first; t <= s.column && s.column + 1 < end; t++)
      s.u[t - first] = *NAME(entry)(p, t, s.column + 1);
  }
  const REAL *reciprocal = (const REAL *)&s.reciprocal;
  REAL *x = NAME(at)(p, end, end - 1);
#if COMPLEX_TYPE
  for (int i = 0; i < 2 * (p->m - end); i += 2) {
    const REAL re = x[i], im = x[i + 1];
    x[i] = re * reciprocal[0] - im * reciprocal[1];
    x[i + 1] = im * reciprocal[0] + re * reciprocal[1];
  }
#else
  for (int i = 0; i < p->m - end; i++) x[i] *= reciprocal[0];
#endif
}

/* ----------------------------------------------------------------- panels -- */

/* Swaps the rows of pivots from ... to-1 in columns first ... end-1. */
static void NAME(swap_columns)(const struct NAME(panel) * p, int from, int to, int first, int end) {
  for (int c = first; c < end; c++)
    for (int i = from; i < to; i++) NAME(swap)(p, c, c + 1, i, p->pivots[i]);
}

/* A12 := L11^-1 A12, rows first ... middle-1. */
static void NAME(solve_rows)(const struct NAME(panel) * p, int first, int middle, int end) {
  struct hy_triangle t = hy_triangle_of(HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL,
                                        middle - first, end - middle, sizeof(ENTRY),
                                        NAME(entry)(p, first, first), (int)(p->ld / PARTS));
  t.alpha = 1;
  t.b = NAME(entry)(p, first, middle);
  t.ld = (int)(p->ld / PARTS);
  (void)hy_triangle_solver(TYPE, sizeof(VECTOR))(&t); /* never fails with a unit diagonal */
}

/* A22 := A22 - A21 A12, with A21 in columns first ... middle-1. */
static void NAME(multiply)(const struct NAME(panel) * p, int first, int middle, int end) {
  const int ld = (int)(p->ld / PARTS);
  hy_narrow_multiplier(TYPE, sizeof(VECTOR))(
      HYLA_NONE, p->m - middle, end - middle, middle - first, NAME(entry)(p, middle, first), ld,
      NAME(entry)(p, first, middle), ld, NAME(entry)(p, middle, middle), ld);
}

static TARGET void NAME(factor_columns)(struct NAME(panel) * p, int first, int end) {
  if (end - first <= NAME(STRIP)) {
    NAME(factor_strip)(p, first, end);
    return;
  }
  const int half = (end - first) / 2,
            middle = first + (half + NAME(STRIP) - 1) / NAME(STRIP) * NAME(STRIP);
  NAME(factor_columns)(p, first, middle);
  NAME(swap_columns)(p, first, middle, middle, end);
  NAME(solve_rows)(p, first, middle, end);
  NAME(multiply)(p, first, middle, end);
  NAME(factor_columns)(p, middle, end);
  NAME(swap_columns)(p, middle, end, first, middle);
}

static int NAME(factor)(int m, int n, void *a, int lda, int *pivots) {
  struct NAME(panel) p = {.a = a, .m = m, .n = n, .ld = (int64_t)lda * PARTS, .pivots = pivots};
  if (n > 0) NAME(factor_columns)(&p, 0, n);
  return p.failed;
}
