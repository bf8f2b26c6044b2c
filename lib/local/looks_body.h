/* Looks at the entries of one type; looks.c includes this file through types.h.  TARGET: the
 * attribute that selects the instructions. */

/* -------------------------------------------------------------- the largest -- */

#if COMPLEX_TYPE
/* Takes roots only of squares that may be larger. */
static double NAME(largest_exactly)(int m, const REAL *x, double largest) {
  for (int i = 0; i < m; i++) {
    const double re = fabs((double)x[2 * i]), im = fabs((double)x[2 * i + 1]);
    if (!(re + im <= largest)) largest = larger_of(largest, hy_magnitude(re, im));
  }
  return largest;
}

/* Is any entry's square above the bound, or not a number? */
static TARGET bool NAME(any_above)(int m, const REAL *x, double bound) {
  int64_t above = 0;
  for (int i = 0; i < m; i++) {
    const double re = (double)x[2 * i], im = (double)x[2 * i + 1];
    above |= !(re * re + im * im <= bound);
  }
  return above != 0;
}

static TARGET double NAME(largest)(int m, int n, const void *a, int lda) {
  enum { CHUNK = 128 };
  double largest = 0, bound = -1;
  for (int j = 0; j < n; j++) {
    const REAL *column = (const REAL *)a + 2 * j * (int64_t)lda;
    for (int i = 0; i < m; i += CHUNK) {
      const int count = m - i < CHUNK ? m - i : CHUNK;
      if (bound > 0 && !NAME(any_above)(count, column + 2 * i, bound)) continue;
      largest = NAME(largest_exactly)(count, column + 2 * i, largest);
      /* Rounding cannot make a larger entry's square seem smaller than this. */
      const double square = largest * largest;
      bound = square > LEAST_SQUARE && square < MOST_SQUARE ? square * (1 - 0x1p-48) : -1;
    }
  }
  return largest;
}
#else
static double NAME(largest_exactly)(int m, int n, const REAL *a, int lda) {
  double largest = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) largest = larger_of(largest, fabs((double)a[i + j * (int64_t)lda]));
  return largest;
}

/* Zero times an infinity or NaN is NaN, and stays NaN in a sum. */
static TARGET double NAME(largest)(int m, int n, const void *a, int lda) {
  enum { LANES = 32 }; /* a loop that compilers turn into vectors, and do not unroll first */
  if (m * (int64_t)n < 2 * LANES) return NAME(largest_exactly)(m, n, a, lda);
  REAL lane[LANES] = {0}, zeros[LANES] = {0}, most = 0, none = 0;
  for (int j = 0; j < n; j++) {
    const REAL *column = (const REAL *)a + j * (int64_t)lda;
    int i = 0;
    for (; i + LANES <= m; i += LANES)
      for (int l = 0; l < LANES; l++) {
        const REAL size = ABSOLUTE(column[i + l]);
        lane[l] = size > lane[l] ? size : lane[l];
        zeros[l] += size * 0;
      }
    for (; i < m; i++) {
      const REAL size = ABSOLUTE(column[i]);
      most = size > most ? size : most;
      none += size * 0;
    }
  }
  for (int l = 0; l < LANES; l++) {
    most = lane[l] > most ? lane[l] : most;
    none += zeros[l];
  }
  return none == 0 ? (double)most : NAME(largest_exactly)(m, n, a, lda);
}
#endif

/* ----------------------------------------------------------------- the squares -- */

/* In lanes side by side, because each addition waits for the one before. */
static TARGET inline double NAME(add_squares)(int64_t count, const REAL *x, const bool scaled,
                                              double scale) {
  enum { LANES = 16 };
  double lane[LANES] = {0}, sum = 0;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++) {
      const double part = scaled ? (double)x[i + l] / scale : (double)x[i + l];
      lane[l] += part * part;
    }
  for (; i < count; i++) {
    const double part = scaled ? (double)x[i] / scale : (double)x[i];
    sum += part * part;
  }
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

static TARGET double NAME(squares)(int m, int n, const void *a, int lda, double scale) {
  const int64_t count = m * (int64_t)PARTS;
  double sum = 0;
  for (int j = 0; j < n; j++) {
    const REAL *x = (const REAL *)a + j * PARTS * (int64_t)lda;
    sum += scale == 1 ? NAME(add_squares)(count, x, false, 1)
                      : NAME(add_squares)(count, x, true, scale);
  }
  return sum;
}

/* ----------------------------------------------------------------- the range -- */

/* Compares in lanes side by side, because each comparison waits for the one before. */
static TARGET struct hy_magnitudes NAME(magnitudes)(int m, int n, const void *a, int lda) {
  enum { LANES = 32 }; /* a loop that compilers turn into vectors, and do not unroll first */
  const int64_t count = m * (int64_t)PARTS;
  REAL lane[LANES] = {0}, low[LANES], most = 0, least = (REAL)INFINITY;
  for (int l = 0; l < LANES; l++) low[l] = least;
  for (int j = 0; j < n; j++) {
    const REAL *x = (const REAL *)a + j * PARTS * (int64_t)lda;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
      for (int l = 0; l < LANES; l++) {
        const REAL size = ABSOLUTE(x[i + l]), other = size == 0 ? (REAL)INFINITY : size;
        lane[l] = size > lane[l] ? size : lane[l];
        low[l] = other < low[l] ? other : low[l];
      }
    for (; i < count; i++) {
      const REAL size = ABSOLUTE(x[i]), other = size == 0 ? (REAL)INFINITY : size;
      most = size > most ? size : most;
      least = other < least ? other : least;
    }
  }
  for (int l = 0; l < LANES; l++) {
    most = lane[l] > most ? lane[l] : most;
    least = low[l] < least ? low[l] : least;
  }
  return (struct hy_magnitudes){(double)least, (double)most};
}

/* ------------------------------------------------------------------ the pass -- */

/* The magnitudes of m entries, at most HY_PASS_STRIP: by roots of their squares where these are in
 * the range. */
#if COMPLEX_TYPE
static TARGET void NAME(sizes_of)(int m, const REAL *x, double *sizes) {
  int64_t out = 0;
  for (int i = 0; i < m; i++) {
    const double re = (double)x[2 * i], im = (double)x[2 * i + 1], square = re * re + im * im;
    sizes[i] = square;
    out |= !(square > LEAST_SQUARE) | !(square < MOST_SQUARE);
  }
  if (out == 0) {
    FOR(roots)(m, sizes);
    return;
  }
  for (int i = 0; i < m; i++)
    sizes[i] = sizes[i] > LEAST_SQUARE && sizes[i] < MOST_SQUARE
                   ? sqrt(sizes[i])
                   : hy_magnitude((double)x[2 * i], (double)x[2 * i + 1]);
}
#else
static TARGET void NAME(sizes_of)(int m, const REAL *x, double *sizes) {
  for (int i = 0; i < m; i++) sizes[i] = fabs((double)x[i]);
}
#endif

static TARGET double NAME(sum_of)(int m, const double *sizes) {
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0;
  int i = 0;
  for (; i + LANES <= m; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += sizes[i + l];
  for (; i < m; i++) sum += sizes[i];
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

/* `count' columns, at most 4, one behind the other at a distance of `step' REALs, and the
 * magnitudes of their entries. */
static TARGET inline void NAME(pass_columns)(int m, const int count, const REAL *restrict a,
                                             int64_t step, const REAL *x, const double *weights,
                                             const double (*magnitudes)[HY_PASS_STRIP],
                                             REAL *restrict y, double *restrict sizes,
                                             double *restrict rows) {
  for (int i = 0; i < m; i++) {
    double size = 0, row = 0;
    REAL product[PARTS] = {0};
    for (int c = 0; c < count; c++) {
      const REAL *entry = a + c * step + i * PARTS, *factor = x + c * PARTS;
#if COMPLEX_TYPE
      const REAL re = entry[0] * factor[0] - entry[1] * factor[1];
      const REAL im = entry[0] * factor[1] + entry[1] * factor[0];
      product[0] += re;
      product[1] += im;
#else
      product[0] += entry[0] * factor[0];
#endif
      size += magnitudes[c][i] * weights[c];
      row += magnitudes[c][i];
    }
    for (int p = 0; p < PARTS; p++) y[i * PARTS + p] += product[p];
    sizes[i] += size;
    rows[i] += row;
  }
}

static TARGET void NAME(pass)(int m, int n, const void *a, int lda, const void *x,
                              const double *weights, const struct hy_pass *into) {
  enum { STRIP = HY_PASS_STRIP, COLUMNS = 4 };
  const REAL *entries = a, *factors = x;
  REAL piece[STRIP * PARTS];
  double magnitudes[COLUMNS][STRIP];
  const int64_t step = (int64_t)lda * PARTS;
  for (int first = 0; first < m; first += STRIP) {
    const int rows = m - first < STRIP ? m - first : STRIP;
    for (int begin = 0; begin < n; begin += HY_PASS_PIECE) {
      const int end = n - begin < HY_PASS_PIECE ? n : begin + HY_PASS_PIECE;
      memset(piece, 0, sizeof piece);
      for (int j = begin; j < end; j += COLUMNS) {
        const REAL *column = entries + first * PARTS + j * step;
        const int some = end - j < COLUMNS ? end - j : COLUMNS;
        for (int c = 0; c < some; c++) {
          NAME(sizes_of)(rows, column + c * step, magnitudes[c]);
          into->columns[j + c] += NAME(sum_of)(rows, magnitudes[c]);
        }
        if (some == COLUMNS) NAME(pass_columns)
        (rows, COLUMNS, column, step, factors + j * PARTS, weights + j, magnitudes, piece,
         into->sizes + first, into->rows + first);
        else NAME(pass_columns)(rows, some, column, step, factors + j * PARTS, weights + j,
                                magnitudes, piece, into->sizes + first, into->rows + first);
      }
      for (int i = 0; i < rows * PARTS; i++) ((REAL *)into->product)[first * PARTS + i] += piece[i];
    }
  }
}
