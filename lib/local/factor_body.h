/* Factorizations of one type.  Part of kernels_body.h, with its macros. */

static int NAME(potrf)(int n, void *a, int lda) {
  if (n == 0) return 0;
  const int threads = hy_openblas_use_for(OPERATIONS / 6 * n * n * n);
  int failed = (int)LAPACKE(potrf_work)(LAPACK_COL_MAJOR, 'L', n, a, lda);
  hy_openblas_use(threads);
  return failed;
}

/* Swaps rows i and pivots[i] in all columns, for i = 0 ... count-1. */
static void NAME(swap_rows)(int columns, ENTRY *a, int lda, int count, const int *pivots) {
  for (int j = 0; j < columns; j++, a += lda)
    for (int i = 0; i < count; i++) {
      const ENTRY held = a[i];
      a[i] = a[pivots[i]];
      a[pivots[i]] = held;
    }
}

/* Factors a wide panel in two halves, with a product between them. */
static int NAME(factor_columns)(hy_tall_factor *factor, int m, int n, ENTRY *a, int lda,
                                int *pivots) {
  if (n <= m && n <= HY_TALL_MOST) return factor(m, n, a, lda, pivots);
  const int left = (int)hy_min(m, (n / 2 + 7) / 8 * 8), right = n - left; /* whole vectors */
  ENTRY *upper = a + left * (int64_t)lda, *lower = upper + left;
  int failed = NAME(factor_columns)(factor, m, left, a, lda, pivots);
  NAME(swap_rows)(right, upper, lda, left, pivots);
  NAME(trsm)
  (HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, left, right, 1, a, lda, upper, lda);
  if (left == m) return failed;
  NAME(gemm)
  (HYLA_NONE, HYLA_NONE, m - left, right, left, -1, a + left, lda, upper, lda, 1, lower, lda);
  int behind = NAME(factor_columns)(factor, m - left, right, lower, lda, pivots + left);
  const int count = (int)hy_min(m - left, right);
  NAME(swap_rows)(left, a + left, lda, count, pivots + left);
  for (int i = left; i < left + count; i++) pivots[i] += left;
  return failed == 0 && behind > 0 ? left + behind : failed;
}

static int NAME(getrf)(int m, int n, void *a, int lda, int *pivots) {
  hy_tall_factor *factor = hy_tall_factorer(TYPE, 0);
  if (m == 0 || n == 0) return 0;
  if (factor != NULL) return NAME(factor_columns)(factor, m, n, a, lda, pivots);
  int info = LAPACKE(getrf_work)(LAPACK_COL_MAJOR, m, n, a, lda, pivots);
  for (int i = 0; i < m && i < n; i++) pivots[i]--;
  return info;
}

static void NAME(qr)(int m, int n, void *a, int lda, int *columns, void *tau, void *work) {
  if (m == 0 || n == 0) return;
  const int threads = hy_openblas_use_for(2 * OPERATIONS * m * n * n);
  const int room = (int)(hy_qr_room(n) - n); /* the last n entries are complex pivoting's own */
  if (columns == NULL) {
    (void)LAPACKE(geqrf_work)(LAPACK_COL_MAJOR, m, n, a, lda, tau, work, room);
  } else {
    for (int j = 0; j < n; j++) columns[j] = 0; /* each column is free */
#if COMPLEX_TYPE
    REAL *norms = (REAL *)((ENTRY *)work + room);
    (void)LAPACKE(geqp3_work)(LAPACK_COL_MAJOR, m, n, a, lda, columns, tau, work, room, norms);
#else
    (void)LAPACKE(geqp3_work)(LAPACK_COL_MAJOR, m, n, a, lda, columns, tau, work, room);
#endif
    for (int j = 0; j < n; j++) columns[j]--;
  }
  hy_openblas_use(threads);
}

/* An infinity or a NaN times 0 is NaN, and every sum with a NaN is NaN.  Several sums fill a
 * vector. */
static bool NAME(finite)(int m, int n, const void *a, int lda) {
  enum { SUMS = 8 };
  const int64_t parts = (int64_t)m * (1 + COMPLEX_TYPE);
  REAL sums[SUMS] = {0}, sum = 0;
  for (int j = 0; j < n; j++) {
    const REAL *part = (const REAL *)((const ENTRY *)a + (int64_t)j * lda);
    int64_t i = 0;
    for (; i + SUMS <= parts; i += SUMS)
      for (int s = 0; s < SUMS; s++) sums[s] += part[i + s] * 0;
    for (; i < parts; i++) sum += part[i] * 0;
  }
  for (int s = 0; s < SUMS; s++) sum += sums[s];
  return sum == 0;
}
