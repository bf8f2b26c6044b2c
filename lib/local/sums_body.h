/* Sums along the rows of op(A) of one type, for kernels_body.h: a column at a time, as entries lie.
 */

static void NAME(weighted_sums)(hyla_operation op, int m, int n, const void *a, int lda,
                                const double *weights, double *sums) {
  for (int j = 0; j < n; j++) {
    const ENTRY *column = (const ENTRY *)a + (int64_t)j * lda;
    double sum = 0;
    if (op == HYLA_NONE)
      for (int i = 0; i < m; i++) sums[i] += MAGNITUDE(column[i]) * weights[j];
    else
      for (int i = 0; i < m; i++) sum += MAGNITUDE(column[i]) * weights[i];
    if (op != HYLA_NONE) sums[j] += sum;
  }
}

static void NAME(squared_sums)(hyla_operation op, int m, int n, const void *a, int lda,
                               double *sums) {
  for (int j = 0; j < n; j++) {
    const ENTRY *column = (const ENTRY *)a + (int64_t)j * lda;
    double sum = 0;
    if (op == HYLA_NONE)
      for (int i = 0; i < m; i++) sums[i] += SQUARE(column[i]);
    else
      for (int i = 0; i < m; i++) sum += SQUARE(column[i]);
    if (op != HYLA_NONE) sums[j] += sum;
  }
}
