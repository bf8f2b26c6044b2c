/* Private to this room: the parts from which kernels.c makes its tables, one part a file.  Parts
 * with several forms, for the instructions of different processors, give the form that is asked
 * for, so that tests can compare the forms. */
#ifndef HY_LOCAL_KERNELS_H
#define HY_LOCAL_KERNELS_H 1

#include "local/local.h"

#include <math.h>

/* |re + i im|.  hypot returns infinity for a NaN beside an infinity.  Here the NaN must win. */
static inline double hy_magnitude(double re, double im) {
  return isnan(re) || isnan(im) ? NAN : hypot(re, im);
}

/* -------------------------------------------------------------- openblas.c -- */

/* Code that is tuned to OpenBLAS, and would be wrong or useless for another BLAS.  All of it was
 * measured; see doc/notebook.md.  For another BLAS, let strips be as wide as the matrix, let no
 * tiles pay and let no result be large. */

/* Columns of a product C := alpha op(A) op(B) + beta C (m x n, inner k) to multiply in one call.
 * Entries have `size' bytes, their parts `part' bytes. */
int hy_openblas_strip(int m, int n, size_t size, size_t part);

/* Does it pay to make the product of tiles (double precision, beta = 0)?  The second makes it. */
bool hy_openblas_tiles_pay(hyla_operation op_a, hyla_operation op_b, int m, int n, int k);
void hy_openblas_multiply_tiles(int m, int n, int k, double alpha, const double *a, int lda,
                                const double *b, int ldb, double *c, int ldc);

/* Should the caller clear C, where beta = 0, before BLAS adds to it? */
bool hy_openblas_clear_first(int64_t bytes);

/* use: from now on BLAS uses this number of its threads; 0: unchanged.
 * use_for: uses one thread alone if there are few operations.  Returns the number of threads to
 * give to `use' afterwards, or 0 if it changed nothing.
 * A thread of OpenBLAS that has worked looks for more work for 2^26 cycles; meanwhile it takes half
 * of a core from another thread. */
void hy_openblas_use(int threads);
int hy_openblas_use_for(double flops);
/* The same for work whose time is that of reading `bytes' from memory. */
int hy_openblas_use_for_bytes(double bytes);

/* ---------------------------------------------------------------- copies.c -- */

/* Copies, zeros and transpositions. */
struct hy_copies {
  void (*runs)(const struct hy_runs *runs, const void *from, void *to);
  /* Writes zeros past the caches, in columns that are ld bytes apart. */
  void (*clear)(int64_t bytes, int64_t columns, void *to, int64_t ld);
  /* Transpositions, indexed by hyla_type. */
  void (*turn[4])(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                  void *b, int ldb, bool stream, const void *next);
};

/* The table for vectors of 32 bytes (NULL if this processor lacks them), or for plain
 * instructions. */
const struct hy_copies *hy_copies_of(bool wide);
/* The faster table on this processor. */
const struct hy_copies *hy_copies_best(void);

/* ----------------------------------------------------------------- looks.c -- */

/* Functions that look at each entry of a block. */

/* The least magnitude of parts other than zero (infinity if there is none), and the largest one;
 * NaN counts for neither. */
struct hy_magnitudes {
  double least, most;
};

struct hy_looks {
  /* By hyla_type, as in hy_kernels. */
  double (*largest[4])(int m, int n, const void *a, int lda);
  void (*pass[4])(int m, int n, const void *a, int lda, const void *x, const double *weights,
                  const struct hy_pass *into);
  struct hy_magnitudes (*magnitudes[4])(int m, int n, const void *a, int lda);
  double (*squares[4])(int m, int n, const void *a, int lda, double scale);
};

/* As hy_copies_of and hy_copies_best. */
const struct hy_looks *hy_looks_of(bool wide);
const struct hy_looks *hy_looks_best(void);

/* -------------------------------------------------------------- extended.c -- */

/* Sums of products in two words. */

/* Rows that are summed together. */
enum { HY_STRIP = 64 };

/* high + low += a x, HY_STRIP numbers each.
 * exact    loses nothing of the products and of the sums in `high'
 * rounded  computes in double, for products that are exact in it */
typedef void hy_extended_step(const double *a, double x, double *high, double *low);
struct hy_extended {
  hy_extended_step *exact, *rounded;
};

/* fused: with fused multiply-add, 4 numbers at a time; NULL if this processor lacks it. */
const struct hy_extended *hy_extended_of(bool fused);

/* ---------------------------------------------------------------- narrow.c -- */

/* Products with few columns, in the instructions of a processor.
 *
 * BLAS copies both factors before it multiplies, which pays if each is used often.  Here the rows
 * of A are read in place, so a product of 64 columns is as fast as one of 1000, and C can be
 * computed in strips that stay in the caches. */

/* C := C - A op(B), C m x n, inner dimension k; op is none or conjugate.  An entry's sum runs in
 * the order of the inner dimension, wherever the entry stands. */
typedef void hy_narrow_product(hyla_operation op, int m, int n, int k, const void *a, int lda,
                               const void *b, int ldb, void *c, int ldc);

/* The products for a hyla_type, with fused operations on vectors of `bytes' bytes: 32, 64, or 0 for
 * the widest that this processor has.  NULL if it lacks them.  packed: with a factor that is copied
 * first (local.h). */
hy_narrow_product *hy_narrow_multiplier(hyla_type type, int bytes);
const struct hy_packed *hy_packed_multiplier(hyla_type type, int bytes);

/* -------------------------------------------------------------- triangle.c -- */

/* Triangular systems of small order with many right-hand sides, in the instructions of a processor.
 *
 * BLAS solves them at a third of a product's speed (OpenBLAS 0.3.21, order 64).  Here right-hand
 * sides fill the lanes of vectors, and all data that are read again stay in the cache. */

/* The largest order of a triangle. */
enum { HY_TRIANGLE_MOST = 128 };
/* Right-hand sides that fill fewer bytes of a vector are left to BLAS. */
enum { HY_TRIANGLE_BYTES = 32 };

/* X M = alpha B, M upper triangular.  From the right M is op(T).  From the left M is the transpose
 * of op(T), and the array holds X and B transposed.  A lower M becomes upper by counting its rows
 * and columns from the end. */
struct hy_triangle {
  int order;
  const void *t;         /* entry (0, 0) of M */
  int64_t down, across;  /* entries from there to (1, 0) and (0, 1) of M */
  bool unit;             /* the diagonal holds ones and is not read */
  bool conjugate;        /* B and X are conjugated instead of T */
  bool backward;         /* the columns of B and X are counted from the end too */
  bool transposed;       /* the array holds the columns of B and X as rows */
  int nrhs;              /* rows of B and X */
  double _Complex alpha; /* multiplies B after its conjugation */
  void *b;               /* the array; becomes X */
  int ld;
};

/* X op(T) = alpha B or op(T) X = alpha B; T has the order `order', X has `nrhs' right-hand sides,
 * entries have `size' bytes. */
struct hy_triangle hy_triangle_of(hyla_side side, hyla_triangle triangle, hyla_operation op,
                                  hyla_diagonal diagonal, int order, int nrhs, size_t size,
                                  const void *t, int ldt);

/* Returns false, with B unchanged, if the reciprocal of some diagonal entry is no normal number. */
typedef bool hy_triangle_solve(const struct hy_triangle *triangle);

/* The solver for a hyla_type and vectors of `bytes' bytes, as hy_narrow_multiplier. */
hy_triangle_solve *hy_triangle_solver(hyla_type type, int bytes);

/* ---------------------------------------------------------------- mirror.c -- */

/* Products with the stored triangle of a Hermitian matrix, in the instructions of a processor; as
 * in hy_kernels. */
struct hy_mirror {
  void (*both)(bool below, int m, int n, const void *a, int lda, const void *x, const void *w,
               void *y, void *z);
  void (*dots)(int m, int n, const void *a, int lda, const void *w, void *z);
  void (*pair)(int m, int n, const void *a, int lda, const void *x, void *y, void *z);
  void (*settle)(int m, const void *factors, const void *v, void *w, void *x);
};

/* The products for a hyla_type and vectors of `bytes' bytes, as hy_narrow_multiplier. */
const struct hy_mirror *hy_mirror_products(hyla_type type, int bytes);

/* ------------------------------------------------------------------ tall.c -- */

/* LU of panels that are taller than wide, in the instructions of a processor.
 *
 * LAPACK factors them at half to two thirds of a product's speed (OpenBLAS 0.3.21, 30 to 60
 * columns).  It reads a column from memory for each operation, and its narrow products copy their
 * factors.  Here up to eight columns are eliminated together, and one pass reads a column once: it
 * updates the column by the earlier ones, finds its pivot and divides the column before.  Products
 * multiply in place. */

/* Panels have at most this number of columns; wider ones are better cut, with BLAS products between
 * the parts. */
enum { HY_TALL_MOST = 128 };

/* P A = L U with partial pivoting of an m x n panel, n <= m, in place: step i < n swaps row i with
 * row pivots[i], counted from 0.  The pivot is the first entry of largest |re| + |im|, NaNs left
 * out.  Multipliers are products with the pivot's reciprocal if that is a normal number, otherwise
 * quotients.  A column without a pivot stays as it is.  Returns 0, or the first such column, from
 * 1. */
typedef int hy_tall_factor(int m, int n, void *a, int lda, int *pivots);

/* The function for a hyla_type and vectors of `bytes' bytes, as hy_narrow_multiplier. */
hy_tall_factor *hy_tall_factorer(hyla_type type, int bytes);

#endif
