/* The kernels of one type; kernels.c includes this file through types.h.
 *   CBLAS(name)   cblas_<type><name>        LAPACKE(name)  LAPACKE_<type><name>
 *   GER, GERC     the rank-one update without and with conjugation
 *   HEMV          a Hermitian or symmetric matrix times a vector
 *   EPSILON       the unit roundoff */

#if COMPLEX_TYPE
#define OPERATIONS 8.0 /* real operations of one product and one sum */
#define GER geru
#define GERC gerc
#define HEMV hemv
#define HERK herk
#define SCALAR(x) (&(const ENTRY){(ENTRY)(x)})
#define ENTRY_OF(value) ((ENTRY)(value))
#define MAGNITUDE(x) hy_magnitude((double)creal(x), (double)cimag(x))
#define SQUARE(x, scale)                                                                           \
  (square_of((scale) * (double)creal(x)) + square_of((scale) * (double)cimag(x)))
#define CONJUGATE(x) ((ENTRY)conj(x))
#define QUOTIENT(x, y) ((ENTRY)hy_extended_quotient((double _Complex)(x), (double _Complex)(y)))
#else
#define OPERATIONS 2.0
#define GER ger
#define GERC ger
#define HEMV symv
#define HERK syrk
#define SCALAR(x) ((REAL)creal(x))
#define ENTRY_OF(value) ((ENTRY)creal(value))
#define MAGNITUDE(x) fabs((double)(x))
#define SQUARE(x, scale) square_of((scale) * (double)(x))
#define CONJUGATE(x) (x)
#define QUOTIENT(x, y) ((x) / (y))
#endif

static void NAME(gemm)(hyla_operation op_a, hyla_operation op_b, int m, int n, int k,
                       double _Complex alpha, const void *a, int lda, const void *b, int ldb,
                       double _Complex beta, void *c, int ldc) {
  if (m == 0 || n == 0) return;
  if (TYPE == HYLA_DOUBLE && beta == 0 && hy_openblas_tiles_pay(op_a, op_b, m, n, k)) {
    hy_openblas_multiply_tiles(m, n, k, creal(alpha), a, lda, b, ldb, c, ldc);
    return;
  }
  const int64_t column = m * (int64_t)sizeof(ENTRY);
  if (beta == 0 && hy_openblas_clear_first(column * n)) {
    hy_copies_best()->clear(column, n, c, ldc * (int64_t)sizeof(ENTRY));
    hy_stream_end();
    beta = 1;
  }
  const int strip = hy_openblas_strip(m, n, sizeof(ENTRY), sizeof(REAL));
  const int threads = hy_openblas_use_for(OPERATIONS * m * n * k);
  for (int64_t j = 0; j < n; j += strip) {
    const int some = (int)hy_min(n - j, strip);
    const ENTRY *from = b;
    if (j > 0) from += op_b == HYLA_NONE ? j * ldb : j;
    CBLAS(gemm)
    (CblasColMajor, blas_operation(op_a), blas_operation(op_b), m, some, k, SCALAR(alpha), a, lda,
     from, ldb, SCALAR(beta), (ENTRY *)c + j * ldc, ldc);
  }
  hy_openblas_use(threads);
}

/* Divides each entry.  BLAS would multiply by a rounded reciprocal. */
static void NAME(divide_all)(hyla_operation op, int count, const ENTRY *t, ENTRY *b, int step) {
#if COMPLEX_TYPE
  double _Complex divisor =
      op == HYLA_CONJUGATE ? conj((double _Complex) * t) : (double _Complex) * t;
  for (int64_t i = 0; i < count; i++)
    b[i * step] = (ENTRY)hy_extended_quotient((double _Complex)b[i * step], divisor);
#else
  (void)op;
  for (int64_t i = 0; i < count; i++) b[i * step] /= *t;
#endif
}

/* Do all entries of the diagonal have reciprocals that are normal numbers?  BLAS multiplies by the
 * reciprocals. */
static bool NAME(has_reciprocals)(hyla_diagonal diagonal, int order, const ENTRY *t, int ldt) {
  const double least = 4 * (EPSILON > 1e-10 ? (double)FLT_MIN : DBL_MIN);
  for (int j = 0; j < order && diagonal != HYLA_UNIT_DIAGONAL; j++) {
    const ENTRY entry = t[j * (1 + (int64_t)ldt)];
    const double size = fmax(fabs((double)creal(entry)), fabs((double)cimag(entry)));
    if (!(size >= least && size <= 1 / least)) return false;
  }
  return true;
}

/* Solves entry by entry with quotients, for a diagonal without such reciprocals. */
static void NAME(solve_by_quotients)(const struct hy_triangle *m) {
  const ENTRY *t = m->t;
  const int64_t down = m->transposed ? 1 : m->ld, across = m->transposed ? m->ld : 1;
  for (int side = 0; side < m->nrhs; side++) {
    ENTRY *b = (ENTRY *)m->b + side * across;
    for (int j = 0; j < m->order; j++) {
      ENTRY *x = b + (m->backward ? m->order - 1 - j : j) * down;
      ENTRY sum = (m->conjugate ? CONJUGATE(*x) : *x) * ENTRY_OF(m->alpha);
      for (int l = 0; l < j; l++) {
        const ENTRY solved = b[(m->backward ? m->order - 1 - l : l) * down];
        sum -= (m->conjugate ? CONJUGATE(solved) : solved) * t[l * m->down + j * m->across];
      }
      if (!m->unit) sum = QUOTIENT(sum, t[j * (m->down + m->across)]);
      *x = m->conjugate ? CONJUGATE(sum) : sum;
    }
  }
}

static void NAME(solve_by_blas)(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                hyla_diagonal diagonal, int m, int n, double _Complex alpha,
                                const void *t, int ldt, void *b, int ldb) {
  const int threads = hy_openblas_use_for(OPERATIONS / 2 * m * n * (side == HYLA_LEFT ? m : n));
  CBLAS(trsm)
  (CblasColMajor, side == HYLA_LEFT ? CblasLeft : CblasRight,
   triangle == HYLA_LOWER ? CblasLower : CblasUpper, blas_operation(op),
   diagonal == HYLA_UNIT_DIAGONAL ? CblasUnit : CblasNonUnit, m, n, SCALAR(alpha), t, ldt, b, ldb);
  hy_openblas_use(threads);
}

/* Solves with a large triangle in two halves, with a product between them. */
static void NAME(trsm)(hyla_side side, hyla_triangle triangle, hyla_operation op,
                       hyla_diagonal diagonal, int m, int n, double _Complex alpha, const void *t,
                       int ldt, void *b, int ldb) {
  const bool left = side == HYLA_LEFT,
             rising = left == ((triangle == HYLA_LOWER) == (op == HYLA_NONE));
  const int order = left ? m : n, nrhs = left ? n : m;
  if (m == 0 || n == 0) return;
  if (order == 1 && alpha == 1) {
    if (diagonal != HYLA_UNIT_DIAGONAL) NAME(divide_all)(op, nrhs, t, b, left ? ldb : 1);
    return;
  }
  if (order <= HY_TRIANGLE_MOST) {
    hy_triangle_solve *solve = hy_triangle_solver(TYPE, 0);
    struct hy_triangle small =
        hy_triangle_of(side, triangle, op, diagonal, order, nrhs, sizeof(ENTRY), t, ldt);
    small.alpha = op == HYLA_CONJUGATE ? conj(alpha) : alpha;
    small.b = b;
    small.ld = ldb;
    /* This room's own kernel is for right-hand sides that fill half a vector. */
    const bool fills = nrhs * (int)sizeof(ENTRY) >= HY_TRIANGLE_BYTES;
    if (solve != NULL && fills && solve(&small)) return;
    if (NAME(has_reciprocals)(diagonal, order, t, ldt))
      NAME(solve_by_blas)(side, triangle, op, diagonal, m, n, alpha, t, ldt, b, ldb);
    else
      NAME(solve_by_quotients)(&small);
    return;
  }
  const int half = (order / 2 + 3) / 4 * 4; /* whole groups of four columns */
  const int sizes[] = {half, order - half}, first = rising ? 0 : 1, last = 1 - first;
  const ENTRY *upper_left = t;
  const ENTRY *const ts[] = {upper_left, upper_left + half * (1 + (int64_t)ldt)};
  const ENTRY *between = upper_left + half * (triangle == HYLA_LOWER ? 1 : (int64_t)ldt);
  ENTRY *const bs[] = {b, (ENTRY *)b + half * (left ? 1 : (int64_t)ldb)};
  const int rows[] = {left ? sizes[0] : nrhs, left ? sizes[1] : nrhs};
  const int cols[] = {left ? nrhs : sizes[0], left ? nrhs : sizes[1]};
  NAME(trsm)
  (side, triangle, op, diagonal, rows[first], cols[first], alpha, ts[first], ldt, bs[first], ldb);
  NAME(gemm)
  (left ? op : HYLA_NONE, left ? HYLA_NONE : op, rows[last], cols[last], sizes[first], -1,
   left ? between : bs[first], left ? ldt : ldb, left ? bs[first] : between, left ? ldb : ldt,
   alpha, bs[last], ldb);
  NAME(trsm)
  (side, triangle, op, diagonal, rows[last], cols[last], 1, ts[last], ldt, bs[last], ldb);
}

static void NAME(trsv)(hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal, int n,
                       const void *t, int ldt, void *x) {
  if (n <= 1 || !NAME(has_reciprocals)(diagonal, n, t, ldt)) {
    NAME(trsm)(HYLA_LEFT, triangle, op, diagonal, n, 1, 1, t, ldt, x, n);
    return;
  }
  const int threads = hy_openblas_use_for(0);
  CBLAS(trsv)
  (CblasColMajor, triangle == HYLA_LOWER ? CblasLower : CblasUpper, blas_operation(op),
   diagonal == HYLA_UNIT_DIAGONAL ? CblasUnit : CblasNonUnit, n, t, ldt, x, 1);
  hy_openblas_use(threads);
}

static void NAME(herk)(hyla_operation op, int n, int k, double alpha, const void *a, int lda,
                       void *c, int ldc) {
  const CBLAS_TRANSPOSE stored = op == HYLA_NONE ? CblasNoTrans
                                 : COMPLEX_TYPE  ? CblasConjTrans
                                                 : CblasTrans;
  if (n == 0 || k == 0) return;
  const int threads = hy_openblas_use_for(OPERATIONS / 2 * n * n * k);
  CBLAS(HERK)(CblasColMajor, CblasLower, stored, n, k, (REAL)alpha, a, lda, 1, c, ldc);
  hy_openblas_use(threads);
}

static void NAME(trtri)(hyla_triangle triangle, hyla_diagonal diagonal, int n, void *t, int ldt) {
  if (n == 0) return;
  LAPACKE(trtri_work)
  (LAPACK_COL_MAJOR, triangle == HYLA_LOWER ? 'L' : 'U', diagonal == HYLA_UNIT_DIAGONAL ? 'U' : 'N',
   n, t, ldt);
}

#include "local/factor_body.h"

static void NAME(ger)(int m, int n, double _Complex alpha, const void *x, int incx, const void *y,
                      int incy, void *a, int lda) {
  if (m == 0 || n == 0) return;
  const int threads = hy_openblas_use_for(0);
  CBLAS(GER)(CblasColMajor, m, n, SCALAR(alpha), x, incx, y, incy, a, lda);
  hy_openblas_use(threads);
}

static void NAME(gerc)(int m, int n, double _Complex alpha, const void *x, int incx, const void *y,
                       int incy, void *a, int lda) {
  if (m == 0 || n == 0) return;
  const int threads = hy_openblas_use_for(0);
  CBLAS(GERC)(CblasColMajor, m, n, SCALAR(alpha), x, incx, y, incy, a, lda);
  hy_openblas_use(threads);
}

static void NAME(gemv)(hyla_operation op, int m, int n, double _Complex alpha, const void *a,
                       int lda, const void *x, void *y) {
  if (m == 0 || n == 0) return;
  const int threads = hy_openblas_use_for_bytes((double)m * n * sizeof(ENTRY));
  CBLAS(gemv)
  (CblasColMajor, blas_operation(op), m, n, SCALAR(alpha), a, lda, x, 1, SCALAR(1), y, 1);
  hy_openblas_use(threads);
}

static void NAME(hemv)(hyla_triangle triangle, int n, double _Complex alpha, const void *a, int lda,
                       const void *x, void *y) {
  if (n == 0) return;
  const int threads = hy_openblas_use_for(0);
  CBLAS(HEMV)
  (CblasColMajor, triangle == HYLA_LOWER ? CblasLower : CblasUpper, n, SCALAR(alpha), a, lda, x, 1,
   SCALAR(1), y, 1);
  hy_openblas_use(threads);
}

/* Without fused operations: a strip of columns is read from the caches the second time. */
static void NAME(both)(bool below, int m, int n, const void *a, int lda, const void *x,
                       const void *w, void *y, void *z) {
  enum { COLUMNS = 8 };
  const struct hy_mirror *mirror = hy_mirror_products(TYPE, 0);
  if (mirror != NULL) {
    mirror->both(below, m, n, a, lda, x, w, y, z);
    return;
  }
  for (int c = 0; c < n; c += COLUMNS) {
    const int count = n - c < COLUMNS ? n - c : COLUMNS, first = below ? c + count : 0;
    const ENTRY *column = (const ENTRY *)a + (int64_t)c * lda, *xs = (const ENTRY *)x + c;
    const ENTRY *ws = w;
    ENTRY *ys = y, *zs = (ENTRY *)z + c;
    for (int i = 0; i < count && below; i++) {
      const ENTRY *entry = column + (int64_t)i * lda;
      ys[c + i] += (REAL)creal(entry[c + i]) * xs[i];
      for (int row = c + i + 1; row < first && row < m; row++) {
        ys[row] += entry[row] * xs[i];
        zs[i] += CONJUGATE(entry[row]) * ws[row];
      }
    }
    if (first >= m) continue;
    NAME(gemv)(HYLA_NONE, m - first, count, 1, column + first, lda, xs, ys + first);
    NAME(gemv)(HYLA_CONJUGATE, m - first, count, 1, column + first, lda, ws + first, zs);
  }
}

static void NAME(dots)(int m, int n, const void *a, int lda, const void *w, void *z) {
  const struct hy_mirror *mirror = hy_mirror_products(TYPE, 0);
  if (mirror != NULL)
    mirror->dots(m, n, a, lda, w, z);
  else
    NAME(gemv)(HYLA_CONJUGATE, m, n, 1, a, lda, w, z);
}

static void NAME(pair)(int m, int n, const void *a, int lda, const void *x, void *y, void *z) {
  const struct hy_mirror *mirror = hy_mirror_products(TYPE, 0);
  if (mirror != NULL) {
    mirror->pair(m, n, a, lda, x, y, z);
    return;
  }
  const ENTRY *from = a, *factor = x;
  ENTRY *one = y, *other = z;
  for (int c = 0; c < n; c++, from += lda)
    for (int i = 0; i < m; i++) {
      one[i] -= from[i] * factor[c];
      other[i] -= from[i] * factor[n + c];
    }
}

static void NAME(settle)(int m, const void *factors, const void *v, void *w, void *x) {
  const struct hy_mirror *mirror = hy_mirror_products(TYPE, 0);
  if (mirror != NULL) {
    mirror->settle(m, factors, v, w, x);
    return;
  }
  const ENTRY *f = factors, *vs = v;
  ENTRY *ws = w, *xs = x;
  for (int i = 0; i < m; i++) {
    ws[i] = f[0] * ws[i] + f[1] * vs[i];
    xs[i] = xs[i] - f[2] * vs[i] - ws[i];
  }
}

static void NAME(scale)(int n, double _Complex alpha, void *x, int incx) {
  CBLAS(scal)(n, SCALAR(alpha), x, incx);
}

static void NAME(divide)(int n, double _Complex alpha, void *x, int incx) {
  ENTRY *entry = x;
#if COMPLEX_TYPE
  REAL *part = x, real = (REAL)creal(alpha);
  for (int64_t i = 0; i < n && cimag(alpha) == 0; i++) {
    part[2 * i * incx] /= real;
    part[2 * i * incx + 1] /= real;
  }
  if (cimag(alpha) == 0) return;
#endif
  ENTRY divisor = ENTRY_OF(alpha);
  for (int i = 0; i < n; i++) entry[(int64_t)i * incx] /= divisor;
}

static uint64_t NAME(key)(ENTRY x) {
#if COMPLEX_TYPE
  double re = fabs((double)creal(x)), im = fabs((double)cimag(x)), sum = re + im;
  /* The sum of two finite parts must not look infinite. */
  if (isinf(sum) && isfinite(re) && isfinite(im)) sum = DBL_MAX;
#else
  double sum = fabs((double)x);
#endif
  uint64_t key;
  memcpy(&key, &sum, sizeof key);
  return key & UINT64_C(0x7fffffffffffffff);
}

static struct hy_pivot NAME(search)(int n, const void *x) {
  const ENTRY *entry = x;
  struct hy_pivot pivot = {0, 0};
  for (int i = 0; i < n; i++) pivot.key = key_larger(pivot.key, NAME(key)(entry[i]));
  while (pivot.index < n && NAME(key)(entry[pivot.index]) != pivot.key) pivot.index++;
  return pivot;
}

static void NAME(swap)(int n, void *x, int incx, void *y, int incy) {
  CBLAS(swap)(n, x, incx, y, incy);
}

static void NAME(turn)(hyla_operation op, int m, int n, double _Complex alpha, const void *a,
                       int lda, void *b, int ldb, bool stream, const void *next) {
  hy_copies_best()->turn[TYPE](op, m, n, alpha, a, lda, b, ldb, stream, next);
}

static void NAME(copy)(hyla_operation op, int m, int n, double _Complex alpha, const void *a,
                       int lda, void *b, int ldb) {
  const ENTRY *from = a;
  ENTRY *to = b, factor = ENTRY_OF(alpha);
  if (m == 0 || n == 0) return;
  if (op != HYLA_NONE) {
    NAME(turn)(op, m, n, alpha, a, lda, b, ldb, false, NULL);
  } else if (factor != 1) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) to[i + (int64_t)j * ldb] = factor * from[i + (int64_t)j * lda];
  } else if (m == lda && m == ldb) {
    memcpy(to, from, (size_t)m * (size_t)n * sizeof(ENTRY));
  } else {
    for (int j = 0; j < n; j++)
      memcpy(to + (int64_t)j * ldb, from + (int64_t)j * lda, (size_t)m * sizeof(ENTRY));
  }
}

static void NAME(add)(int m, int n, const void *a, int lda, void *b, int ldb) {
  const ENTRY *from = a;
  ENTRY *to = b;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) to[i + (int64_t)j * ldb] += from[i + (int64_t)j * lda];
}

/* B := beta B; beta = 0 gives zeros whatever B holds. */
static void NAME(scale_block)(int m, int n, double _Complex beta, void *b, int ldb) {
  ENTRY *to = b, factor = ENTRY_OF(beta);
  for (int j = 0; j < n && factor != 1; j++) {
    ENTRY *column = to + (int64_t)j * ldb;
    if (factor == 0)
      memset(column, 0, (size_t)m * sizeof(ENTRY));
    else
      CBLAS(scal)(m, SCALAR(beta), column, 1);
  }
}

static void NAME(combine)(hyla_operation op, int m, int n, double _Complex alpha, const void *a,
                          int lda, double _Complex beta, void *b, int ldb) {
  const ENTRY *from = a;
  ENTRY *to = b, turned[COMBINE_TILE * COMBINE_TILE];
  if (m == 0 || n == 0) return;
  if (ENTRY_OF(alpha) != 0 && ENTRY_OF(beta) == 0) {
    NAME(copy)(op, m, n, alpha, a, lda, b, ldb);
    return;
  }
  NAME(scale_block)(m, n, beta, b, ldb);
  if (ENTRY_OF(alpha) == 0) return;
  if (op == HYLA_NONE) {
    for (int j = 0; j < n; j++)
      CBLAS(axpy)(m, SCALAR(alpha), from + (int64_t)j * lda, 1, to + (int64_t)j * ldb, 1);
    return;
  }
  for (int j = 0; j < n; j += COMBINE_TILE)
    for (int i = 0; i < m; i += COMBINE_TILE) {
      const int rows = m - i < COMBINE_TILE ? m - i : COMBINE_TILE;
      const int cols = n - j < COMBINE_TILE ? n - j : COMBINE_TILE;
      NAME(turn)
      (op, rows, cols, alpha, from + j + (int64_t)i * lda, lda, turned, COMBINE_TILE, false, NULL);
      NAME(add)(rows, cols, turned, COMBINE_TILE, to + i + (int64_t)j * ldb, ldb);
    }
}

static double _Complex NAME(get)(const void *x, int64_t i) { return ((const ENTRY *)x)[i]; }

static void NAME(set)(void *x, int64_t i, double _Complex value) {
  ((ENTRY *)x)[i] = ENTRY_OF(value);
}

static void NAME(column_sums)(int m, int n, const void *a, int lda, double *sums) {
  const ENTRY *entry = a;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) sums[j] += MAGNITUDE(entry[i + (int64_t)j * lda]);
}

static void NAME(row_sums)(int m, int n, const void *a, int lda, double *sums) {
  const ENTRY *entry = a;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) sums[i] += MAGNITUDE(entry[i + (int64_t)j * lda]);
}

#define SUMS(name) NAME(weighted_##name)
#define FACTOR const double *
#define TERM(x, f, j) (MAGNITUDE(x) * (f)[j])
#include "local/sums_body.h"

#define SUMS(name) NAME(squared_##name)
#define FACTOR double
#define TERM(x, f, j) SQUARE(x, f)
#include "local/sums_body.h"

static double NAME(largest)(int m, int n, const void *a, int lda) {
  return hy_looks_best()->largest[TYPE](m, n, a, lda);
}

static void NAME(pass)(int m, int n, const void *a, int lda, const void *x, const double *weights,
                       const struct hy_pass *into) {
  hy_looks_best()->pass[TYPE](m, n, a, lda, x, weights, into);
}

static double NAME(squares)(int m, int n, const void *a, int lda, double scale) {
  return hy_looks_best()->squares[TYPE](m, n, a, lda, scale);
}

#include "local/givens_body.h"

#define KERNEL(name) .name = NAME(name),
static const struct hy_kernels NAME(kernels) = {.name = TEXT(LETTER),
                                                .type = TYPE,
                                                .size = sizeof(ENTRY),
                                                .complex_type = COMPLEX_TYPE,
                                                .epsilon = EPSILON,
                                                HY_KERNELS(KERNEL)};

#undef OPERATIONS
#undef GER
#undef GERC
#undef HEMV
#undef HERK
#undef SCALAR
#undef ENTRY_OF
#undef MAGNITUDE
#undef SQUARE
#undef CONJUGATE
#undef QUOTIENT
#undef KERNEL
