/* Door of the room local: BLAS and LAPACK on one rank's blocks, by type.
 *
 * Distributed code moves bytes and calls through this table; only this folder
 * knows the four types and includes cblas.h and lapacke.h.  Arrays are stored
 * by columns.  Sizes are int: callers have checked local extents at plan time.
 */
#ifndef HY_LOCAL_H
#define HY_LOCAL_H 1

#include "base/base.h"

#include <stdatomic.h>

/* A candidate for a pivot: the magnitude as an ordered integer key and where it
 * stands.  Larger key wins, then smaller index.  The key of |re| + |im| (|x|
 * for real types) is its bit pattern, which orders finite numbers, infinity
 * and, above all, NaN: so every rank makes the same choice whatever is there. */
struct hy_pivot {
  uint64_t key; /* 0 for an exact zero and for an empty search */
  int64_t index;
};

/* Key of infinity: a larger one is NaN, an equal one infinite. */
#define HY_KEY_INFINITY UINT64_C(0x7ff0000000000000)

/* product += A x, summed up in pieces of HY_PASS_PIECE columns: a sum of n terms that goes by one
 * after the other is wrong by up to n u, one of pieces by no more than the piece's terms and the
 * number of pieces (Higham 2002, section 4.2); sizes[i] += sum_j |a_ij| weights[j];
 * rows[i] += sum_j |a_ij|; columns[j] += sum_i |a_ij|.  Strips of HY_PASS_STRIP rows are gone
 * through, so that what is added to stays in the caches. */
enum { HY_PASS_STRIP = 512, HY_PASS_PIECE = 64 };
struct hy_pass {
  void *product;
  double *sizes, *rows, *columns;
};

struct hy_kernels {
  const char *name; /* "s", "d", "c", "z" */
  hyla_type type;
  size_t size;       /* bytes of an entry */
  bool complex_type; /* entries have an imaginary part */
  double epsilon;    /* unit roundoff: 2^-24 or 2^-53 */
  bool dry;          /* there are no data: every function does nothing, searches give 0 */

  /* C := alpha op(A) op(B) + beta C, C m x n, inner dimension k; beta = 0 does not read C. */
  void (*gemm)(hyla_operation op_a, hyla_operation op_b, int m, int n, int k, double _Complex alpha,
               const void *a, int lda, const void *b, int ldb, double _Complex beta, void *c,
               int ldc);
  /* B := alpha op(T)^-1 B (left) or alpha B op(T)^-1 (right), B m x n; of order 1, with alpha 1,
   * quotients rounded once (hy_extended_quotient). */
  void (*trsm)(hyla_side side, hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal,
               int m, int n, double _Complex alpha, const void *t, int ldt, void *b, int ldb);
  /* T := T^-1 for a triangle of order n, in place, no test for zeros. */
  void (*trtri)(hyla_triangle triangle, hyla_diagonal diagonal, int n, void *t, int ldt);
  /* A = L L^H: the lower triangle of A, of order n, becomes L, the other one is not touched.
   * Returns 0, else the order, from 1, of a leading block that is not positive definite. */
  int (*potrf)(int n, void *a, int lda);
  /* C := C + alpha op(A) op(A)^H in the lower triangle, C of order n, inner dimension k, alpha
   * real; op is none or conjugate.  The other triangle is not touched; imaginary parts on the
   * diagonal become zero. */
  void (*herk)(hyla_operation op, int n, int k, double alpha, const void *a, int lda, void *c,
               int ldc);
  /* P A = L U with partial pivoting of an m x n matrix in place: step i < min(m, n) swaps row i
   * with row pivots[i], from 0.  Returns 0, else the first column, from 1, whose pivot is exactly
   * zero. */
  int (*getrf)(int m, int n, void *a, int lda, int *pivots);
  /* A := A + alpha x y^T (no conjugation), A m x n; gerc: A := A + alpha x y^H. */
  void (*ger)(int m, int n, double _Complex alpha, const void *x, int incx, const void *y, int incy,
              void *a, int lda);
  void (*gerc)(int m, int n, double _Complex alpha, const void *x, int incx, const void *y,
               int incy, void *a, int lda);
  /* y := y + alpha op(A) x, A m x n as it is stored, x and y contiguous. */
  void (*gemv)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
               const void *x, void *y);
  /* y := y + alpha A x for a Hermitian (of a real type: symmetric) A of order n of which one
   * triangle is read; imaginary parts on the diagonal are not. */
  void (*hemv)(hyla_triangle triangle, int n, double _Complex alpha, const void *a, int lda,
               const void *x, void *y);
  /* x := alpha x, n entries. */
  void (*scale)(int n, double _Complex alpha, void *x, int incx);
  /* x := x / alpha, entry by entry (correct where 1/alpha would overflow); by a real alpha each
   * part is rounded once. */
  void (*divide)(int n, double _Complex alpha, void *x, int incx);
  /* The entry of largest magnitude among n contiguous ones; index counts from 0. */
  struct hy_pivot (*search)(int n, const void *x);
  /* Swaps n entries of x and y. */
  void (*swap)(int n, void *x, int incx, void *y, int incy);
  /* B := alpha op(A), B m x n; A m x n for HYLA_NONE and n x m otherwise.  No overlap. */
  void (*copy)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
               void *b, int ldb);
  /* The same for a transposing op.  stream: B is larger than the caches and goes
   * past them; hy_stream_end before another rank reads it.  next: what the call after
   * this one reads, of the same lda, NULL if nothing; it is fetched meanwhile. */
  void (*turn)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
               void *b, int ldb, bool stream, const void *next);
  /* B := B + A, m x n. */
  void (*add)(int m, int n, const void *a, int lda, void *b, int ldb);
  /* B := alpha op(A) + beta B, B m x n; alpha = 0 does not read A, beta = 0 does not read B. */
  void (*combine)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                  double _Complex beta, void *b, int ldb);
  /* Entry x[i] as a complex number, and back (the real part for real types). */
  double _Complex (*get)(const void *x, int64_t i);
  void (*set)(void *x, int64_t i, double _Complex value);
  /* Norm pieces of an m x n block: sums[j] += sum_i |a_ij|; sums[i] += sum_j |a_ij|, weighted:
   * sums[i] += sum_j |op(a)_ij| weights[j], squared: |scale op(a)_ij|^2; the largest |a_ij| or NaN;
   * the sum of (|a_ij| / scale)^2. */
  void (*column_sums)(int m, int n, const void *a, int lda, double *sums);
  void (*row_sums)(int m, int n, const void *a, int lda, double *sums);
  void (*weighted_sums)(hyla_operation op, int m, int n, const void *a, int lda,
                        const double *weights, double *sums);
  void (*squared_sums)(hyla_operation op, int m, int n, const void *a, int lda, double scale,
                       double *sums);
  double (*largest)(int m, int n, const void *a, int lda);
  /* One pass over an m x n block; what it adds to is hy_pass. */
  void (*pass)(int m, int n, const void *a, int lda, const void *x, const double *weights,
               const struct hy_pass *into);
  /* Are all entries of an m x n block finite? */
  bool (*finite)(int m, int n, const void *a, int lda);
  double (*squares)(int m, int n, const void *a, int lda, double scale);
  /* Givens' rotations of an entry x and n contiguous ones, with y_0 first.  A rotation stands as
   * the quotient v = y_i / x that it makes 0, no larger than 1 / epsilon^2:
   * x := c x + s y_i, y_i := c y_i - conj(s) x, c = 1 / sqrt(1 + |v|^2), s = c conj(v).
   * annihilate   y_i := v
   * rotate       by the quotients v
   * rotate_back  the inverse, the last one's first */
  void (*annihilate)(int n, void *x, void *y);
  void (*rotate)(int n, const void *v, void *x, void *y);
  void (*rotate_back)(int n, const void *v, void *x, void *y);
};

/* The table of a type; NULL for a number that is no hyla_type. */
const struct hy_kernels *hy_kernels_of(hyla_type type);
/* The same for data that are not there. */
const struct hy_kernels *hy_kernels_dry(hyla_type type);

/* B := A, or the real or the imaginary parts of A's entries, m x n, from any type to any other
 * but from complex to real ones with both parts.  Rounds to nearest; no overlap. */
enum hy_component { HY_BOTH_PARTS, HY_REAL_PART, HY_IMAGINARY_PART };
void hy_convert(enum hy_component component, int m, int n, const struct hy_kernels *from,
                const void *a, int lda, const struct hy_kernels *to, void *b, int ldb);

/* The exponents of m entries, x = y 2^e with y in [1/2, 1), of the larger part of complex ones; of
 * zeros and of what is not finite there is none. */
#define HY_NO_EXPONENT (INT32_MIN / 4)
void hy_exponents(const struct hy_kernels *k, int m, const void *x, int32_t *exponents);
/* The least and the largest exponent of the parts of m x n entries; of zeros there is none.  False,
 * and no exponents: there are only zeros, or an infinity. */
struct hy_exponent_range {
  int32_t least, most;
};
bool hy_exponents_range(const struct hy_kernels *k, int m, int n, const void *a, int lda,
                        struct hy_exponent_range *range);
/* x_i := 2^(exponents[i] + more) x_i, rounded once where the result is below the normal numbers. */
void hy_scale_powers(const struct hy_kernels *k, int m, const int32_t *exponents, int32_t more,
                     void *x);

/* A real number as the sum of two, of which `high' is the sum rounded: about twice the precision of
 * double.  An entry takes one of a real type and two, its parts, of a complex one. */
struct hy_double_word {
  double high, low;
};

/* Products and sums in twice the precision of the type, for what is found by cancellation; finite
 * numbers whose products are normal, or what underflows is lost.  words: one each for m entries.
 * products  words += A x, A m x n
 * add       into += from, `count' words
 * rest      r := b - words, m entries, rounded to the type once; r may be b */
int64_t hy_extended_words(const struct hy_kernels *k);
void hy_extended_products(const struct hy_kernels *k, int m, int n, const void *a, int lda,
                          const void *x, struct hy_double_word *words);
void hy_extended_add(int64_t count, const struct hy_double_word *from, struct hy_double_word *into);
void hy_extended_rest(const struct hy_kernels *k, int m, const void *b,
                      const struct hy_double_word *words, void *r);

/* b / a, of complex numbers each part within 2^-45 of |b / a| u of being rounded once. */
double _Complex hy_extended_quotient(double _Complex b, double _Complex a);

/* The inner dimension of products that are to be made of pieces copied together: as long
 * as BLAS multiplies in one go, and short enough to be in the cache when it does. */
int64_t hy_kernels_depth(const struct hy_kernels *k);

/* Products with a factor that is copied once for many strips of columns, as fast on 32 of these as
 * BLAS on a thousand: so a strip of C can stay in the caches, and what comes after it can be
 * fetched meanwhile.
 * pack      A, m x k, into hy_packed_entries(m, k) entries; up to a depth of HY_PACKED_DEPTH these
 *           are, in order, those of its groups of HY_PACKED_ROWS rows
 * tile      rows of a tile, which divide HY_PACKED_ROWS
 * multiply  C := C - A op(B) in rows first ... m-1, n columns; op is none or conjugate; c: row
 *           `first', a multiple of `tile'.  An entry's sum is in the order of the inner
 *           dimension, wherever it stands.  next: what is fetched meanwhile; NULL: nothing
 * plain     the same by an A that lies where it is, all of its rows; calls no BLAS, either */
enum { HY_PACKED_ROWS = 48, HY_PACKED_DEPTH = 256 };
/* So many columns behind C's, in C's rows; and towards the end, of what the caches have lost again,
 * the entries of these columns in the rows row[0 ... rows-1], counted from C's first one. */
struct hy_next {
  int columns, rows;
  const int64_t *row;
};
struct hy_packed {
  int tile;
  void (*pack)(int m, int k, const void *a, int lda, void *packed);
  void (*multiply)(hyla_operation op, int m, int n, int k, const void *packed, int first,
                   const void *b, int ldb, void *c, int ldc, const struct hy_next *next);
  void (*plain)(hyla_operation op, int m, int n, int k, const void *a, int lda, const void *b,
                int ldb, void *c, int ldc);
};
struct hy_team;
/* NULL where BLAS is better: it has several threads and the caller has not (team), or the processor
 * no fused operations. */
const struct hy_packed *hy_packed_best(const struct hy_kernels *k, const struct hy_team *team);
/* The same whatever the type and the processor. */
int64_t hy_packed_entries(int64_t rows, int64_t columns);

/* Copies `count` entries that lie one after the other; no overlap. */
void hy_copy_entries(const struct hy_kernels *k, void *to, const void *from, int64_t count);

/* Runs of bytes at regular distances: `count` runs in each of `columns` columns. All
 * distances are in bytes. stream: as for turn. next: what is read after them, in as many
 * columns; NULL if nothing. */
struct hy_runs {
  int64_t bytes; /* of a run */
  int64_t count, from_step, to_step;
  int64_t columns, from_ld, to_ld;
  bool stream;
  const char *next;
  int64_t next_ld;
};
void hy_copy_runs(const struct hy_runs *runs, const void *from, void *to);
/* What was streamed is in memory, for all to see. */
void hy_stream_end(void);

/* The BLAS library's name and version; how many threads it uses. */
const char *hy_blas_name(void);
/* Local.  Sets how many threads BLAS uses (0: as many as now) and has it take all memory of its
 * own, which it keeps: products take none later.  MEMORY. */
hyla_status hy_blas_start(struct hy_base *base, int threads);
int hy_blas_threads(void);

/* Threads of one rank that share out work of this library's own kernels.
 *
 * BLAS keeps its threads busy in products alone; between these they wait.  Here pieces of work that
 * need nothing of each other (strips of columns) are taken in turn by whoever is free, while the
 * caller does something else before it takes pieces too.  Pieces call no BLAS, which has a buffer a
 * thread that calls it; while they are worked on, BLAS' other threads rest, so that a call of the
 * caller's finds its core.  NULL: the caller alone. */
struct hy_team;

/* Local.  threads: with the caller's; 1 makes none.  MEMORY, also where the system has no more
 * threads. */
hyla_status hy_team_create(struct hy_base *base, int threads, struct hy_team **team);
void hy_team_destroy(struct hy_base *base, struct hy_team **team);
int hy_team_threads(const struct hy_team *team);

/* Pieces first ... count-1, each done once, in this order but for those under way at a time.
 * thread: 0 for the caller, at most `threads' - 1. */
struct hy_work {
  void (*piece)(void *arg, int64_t index, int thread);
  void *arg;
  int64_t first, count;
  int threads; /* that may take part, the caller among them */
  _Atomic int64_t next;
};

/* Local, by the thread that made the team; between start and finish nothing else is started.
 * start   lets the others begin
 * take    does one piece; its index, or -1: none is left
 * finish  waits until none is under way */
void hy_team_start(struct hy_team *team, struct hy_work *work);
int64_t hy_work_take(struct hy_work *work);
void hy_team_finish(struct hy_team *team);

#endif
