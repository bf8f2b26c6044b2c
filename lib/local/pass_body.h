/* One pass over a block of one type, for kernels_body.h: the sums over A that a residual and its
 * bound need.  The pass takes strips of rows and four columns at a time, so that the sums stay in
 * the caches and each entry of A is brought there once. */

enum { NAME(PASS_COLUMNS) = 4, NAME(PASS_PARTS) = 1 + COMPLEX_TYPE };

#if COMPLEX_TYPE
/* Uses a square root where the squares neither overflow nor lose bits. */
static inline double NAME(quick_magnitude)(const REAL *x) {
  const double re = (double)x[0], im = (double)x[1], square = re * re + im * im;
  return square > 1e-280 && square < 1e280 ? sqrt(square) : magnitude_of(re, im);
}
#else
static inline double NAME(quick_magnitude)(const REAL *x) { return fabs((double)x[0]); }
#endif

/* y += a x for entries. */
static inline void NAME(add_product)(const REAL *a, const REAL *x, REAL *y) {
#if COMPLEX_TYPE
  const REAL re = a[0] * x[0] - a[1] * x[1], im = a[0] * x[1] + a[1] * x[0];
  y[0] += re;
  y[1] += im;
#else
  y[0] += a[0] * x[0];
#endif
}

static double NAME(column_sum)(int m, const REAL *column) {
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0;
  int i = 0;
  for (; i + LANES <= m; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += NAME(quick_magnitude)(column + (i + l) * NAME(PASS_PARTS));
  for (; i < m; i++) sum += NAME(quick_magnitude)(column + i * NAME(PASS_PARTS));
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

/* Passes over `count' columns, at most 4, that stand `step' REALs apart. */
static inline void NAME(pass_columns)(int m, const int count, const REAL *restrict a, int64_t step,
                                      const REAL *x, const double *weights, REAL *restrict y,
                                      double *restrict sizes, double *restrict rows) {
  enum { PARTS = NAME(PASS_PARTS) };
  for (int i = 0; i < m; i++) {
    double size = 0, row = 0;
    REAL product[PARTS] = {0};
    for (int c = 0; c < count; c++) {
      const double magnitude = NAME(quick_magnitude)(a + c * step + i * PARTS);
      NAME(add_product)(a + c * step + i * PARTS, x + c * PARTS, product);
      size += magnitude * weights[c];
      row += magnitude;
    }
    for (int p = 0; p < PARTS; p++) y[i * PARTS + p] += product[p];
    sizes[i] += size;
    rows[i] += row;
  }
}

static void NAME(pass)(int m, int n, const void *a, int lda, const void *x, const double *weights,
                       const struct hy_pass *into) {
  enum { PARTS = NAME(PASS_PARTS), STRIP = HY_PASS_STRIP };
  const REAL *entries = a, *factors = x;
  REAL piece[STRIP * PARTS];
  const int64_t step = (int64_t)lda * PARTS;
  for (int first = 0; first < m; first += STRIP) {
    const int rows = m - first < STRIP ? m - first : STRIP;
    for (int begin = 0; begin < n; begin += HY_PASS_PIECE) {
      const int end = n - begin < HY_PASS_PIECE ? n : begin + HY_PASS_PIECE;
      memset(piece, 0, sizeof piece);
      for (int j = begin; j < end; j += NAME(PASS_COLUMNS)) {
        const REAL *column = entries + first * PARTS + j * step;
        if (j + NAME(PASS_COLUMNS) <= end)
          NAME(pass_columns)
          (rows, NAME(PASS_COLUMNS), column, step, factors + j * PARTS, weights + j, piece,
           into->sizes + first, into->rows + first);
        else
          NAME(pass_columns)
          (rows, end - j, column, step, factors + j * PARTS, weights + j, piece,
           into->sizes + first, into->rows + first);
        for (int c = j; c < end && c < j + NAME(PASS_COLUMNS); c++)
          into->columns[c] += NAME(column_sum)(rows, column + (c - j) * step);
      }
      for (int i = 0; i < rows * PARTS; i++) ((REAL *)into->product)[first * PARTS + i] += piece[i];
    }
  }
}
