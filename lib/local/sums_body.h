/* Sums of terms along the rows of op(A) of one type.  kernels_body.h includes this file for each
 * kind of sums, with these macros set, which are undefined here:
 *   SUMS(name)     the name of the kind's function
 *   FACTOR         the type of the factor of the entries
 *   TERM(x, f, j)  the term of an entry x in position j of the sum; f: the FACTOR
 * Sums over rows of A take four columns at a time, to read and write the sums less often.  Sums
 * over columns of A run in eight lanes, because each addition waits for the one before it. */

static double SUMS(column)(int m, const ENTRY *column, FACTOR f) {
  enum { LANES = 8 };
  double lane[LANES] = {0}, sum = 0;
  int i = 0;
  for (; i + LANES <= m; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += TERM(column[i + l], f, i + l);
  for (; i < m; i++) sum += TERM(column[i], f, i);
  for (int l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}

static void SUMS(sums)(hyla_operation op, int m, int n, const void *a, int lda, FACTOR f,
                       double *sums) {
  enum { COLUMNS = 4 };
  const ENTRY *c0 = a;
  int j = 0;
  for (; op == HYLA_NONE && j + COLUMNS <= n; j += COLUMNS, c0 += COLUMNS * (int64_t)lda) {
    const ENTRY *c1 = c0 + lda, *c2 = c1 + lda, *c3 = c2 + lda;
    for (int i = 0; i < m; i++)
      sums[i] += (TERM(c0[i], f, j) + TERM(c1[i], f, j + 1)) +
                 (TERM(c2[i], f, j + 2) + TERM(c3[i], f, j + 3));
  }
  for (; j < n; j++, c0 += lda)
    if (op == HYLA_NONE)
      for (int i = 0; i < m; i++) sums[i] += TERM(c0[i], f, j);
    else
      sums[j] += SUMS(column)(m, c0, f);
}

#undef SUMS
#undef FACTOR
#undef TERM
