/* Sums along the rows of op(A) of one type, for kernels_body.h.  Sums over rows of A take four
 * columns at a time, to read and write the sums less often.  Sums over columns of A run in eight
 * lanes, because each addition waits for the one before it. */

static double NAME(weighted_column)(int m, const ENTRY *column, const double *weights) {
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0;
  int i = 0;
  for (; i + LANES <= m; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += MAGNITUDE(column[i + l]) * weights[i + l];
  for (; i < m; i++) sum += MAGNITUDE(column[i]) * weights[i];
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

static double NAME(squared_column)(int m, const ENTRY *column, double scale) {
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0;
  int i = 0;
  for (; i + LANES <= m; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += SQUARE(column[i + l], scale);
  for (; i < m; i++) sum += SQUARE(column[i], scale);
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

static void NAME(weighted_sums)(hyla_operation op, int m, int n, const void *a, int lda,
                                const double *weights, double *sums) {
  enum { COLUMNS = 4 };
  const ENTRY *c0 = a;
  int j = 0;
  for (; op == HYLA_NONE && j + COLUMNS <= n; j += COLUMNS, c0 += COLUMNS * (int64_t)lda) {
    const ENTRY *c1 = c0 + lda, *c2 = c1 + lda, *c3 = c2 + lda;
    for (int i = 0; i < m; i++)
      sums[i] += (MAGNITUDE(c0[i]) * weights[j] + MAGNITUDE(c1[i]) * weights[j + 1]) +
                 (MAGNITUDE(c2[i]) * weights[j + 2] + MAGNITUDE(c3[i]) * weights[j + 3]);
  }
  for (; j < n; j++, c0 += lda)
    if (op == HYLA_NONE)
      for (int i = 0; i < m; i++) sums[i] += MAGNITUDE(c0[i]) * weights[j];
    else
      sums[j] += NAME(weighted_column)(m, c0, weights);
}

static void NAME(squared_sums)(hyla_operation op, int m, int n, const void *a, int lda,
                               double scale, double *sums) {
  enum { COLUMNS = 4 };
  const ENTRY *c0 = a;
  int j = 0;
  for (; op == HYLA_NONE && j + COLUMNS <= n; j += COLUMNS, c0 += COLUMNS * (int64_t)lda) {
    const ENTRY *c1 = c0 + lda, *c2 = c1 + lda, *c3 = c2 + lda;
    for (int i = 0; i < m; i++)
      sums[i] += (SQUARE(c0[i], scale) + SQUARE(c1[i], scale)) +
                 (SQUARE(c2[i], scale) + SQUARE(c3[i], scale));
  }
  for (; j < n; j++, c0 += lda)
    if (op == HYLA_NONE)
      for (int i = 0; i < m; i++) sums[i] += SQUARE(c0[i], scale);
    else
      sums[j] += NAME(squared_column)(m, c0, scale);
}
