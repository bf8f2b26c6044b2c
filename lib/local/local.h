/* Door of the room local: BLAS and LAPACK on one rank's blocks, by type.
 *
 * Distributed code moves bytes and calls through a table of kernels.  Only this folder knows the
 * four types and includes cblas.h and lapacke.h.  Arrays are stored by columns.  Sizes are int,
 * because local extents are checked at plan time. */
#ifndef HY_LOCAL_H
#define HY_LOCAL_H 1

#include "base/base.h"

#include <stdatomic.h>

/* A candidate for a pivot: its magnitude as an ordered integer key, and its index.  The larger key
 * wins, then the smaller index.  The key is the bit pattern of |re| + |im| (of |x| for real types).
 * Bit patterns order finite numbers, infinity and, above all, NaN, so every rank makes the same
 * choice whatever the data are. */
struct hy_pivot {
  uint64_t key; /* 0 for an exact zero and for an empty search */
  int64_t index;
};

/* The key of infinity; larger keys are NaNs. */
#define HY_KEY_INFINITY UINT64_C(0x7ff0000000000000)

/* The sums that one pass over an m x n block A makes:
 * product += A x
 * sizes[i] += sum_j |a_ij| weights[j]
 * rows[i] += sum_j |a_ij|
 * columns[j] += sum_i |a_ij|
 * The product is summed in pieces of HY_PASS_PIECE columns.  A plain sum of n terms may be wrong by
 * n u; a sum of p pieces of t terms is wrong by at most (t + p) u (Higham 2002, section 4.2).  The
 * pass takes strips of HY_PASS_STRIP rows, so that the sums stay in the caches. */
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
  bool dry;          /* dry simulation: every function does nothing, searches return 0 */

  /* C := alpha op(A) op(B) + beta C, C m x n, inner dimension k.  beta = 0 does not read C. */
  void (*gemm)(hyla_operation op_a, hyla_operation op_b, int m, int n, int k, double _Complex alpha,
               const void *a, int lda, const void *b, int ldb, double _Complex beta, void *c,
               int ldc);
  /* B := alpha op(T)^-1 B (left) or alpha B op(T)^-1 (right), B m x n.  If T has order 1 and alpha
   * is 1, each quotient is rounded once (hy_extended_quotient). */
  void (*trsm)(hyla_side side, hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal,
               int m, int n, double _Complex alpha, const void *t, int ldt, void *b, int ldb);
  /* x := op(T)^-1 x, n contiguous entries, by the caller's thread alone. */
  void (*trsv)(hyla_triangle triangle, hyla_operation op, hyla_diagonal diagonal, int n,
               const void *t, int ldt, void *x);
  /* T := T^-1 for a triangle of order n, in place, without a test for zeros. */
  void (*trtri)(hyla_triangle triangle, hyla_diagonal diagonal, int n, void *t, int ldt);
  /* A = L L^H: the lower triangle of A, of order n, becomes L; the upper one is not touched.
   * Returns 0, or the order of a leading block that is not positive definite. */
  int (*potrf)(int n, void *a, int lda);
  /* C := C + alpha op(A) op(A)^H in the lower triangle, C of order n, inner dimension k, alpha
   * real; op is none or conjugate.  The upper triangle is not touched; imaginary parts on the
   * diagonal become zero. */
  void (*herk)(hyla_operation op, int n, int k, double alpha, const void *a, int lda, void *c,
               int ldc);
  /* P A = L U with partial pivoting of an m x n matrix in place: step i < min(m, n) swaps row i
   * with row pivots[i], counted from 0.  Returns 0, or the first column, counted from 1, whose
   * pivot is exactly zero. */
  int (*getrf)(int m, int n, void *a, int lda, int *pivots);
  /* A = Q R of an m x n matrix in place by reflections I - tau v v^H: R, and the vectors below its
   * diagonal, without their leading ones.  columns: n numbers; A's columns are pivoted, column i of
   * A P was column columns[i]; NULL: they are not.  tau: min(m, n) entries; work: hy_qr_room(n). */
  void (*qr)(int m, int n, void *a, int lda, int *columns, void *tau, void *work);
  /* A := A + alpha x y^T without conjugation, A m x n.  gerc: A := A + alpha x y^H. */
  void (*ger)(int m, int n, double _Complex alpha, const void *x, int incx, const void *y, int incy,
              void *a, int lda);
  void (*gerc)(int m, int n, double _Complex alpha, const void *x, int incx, const void *y,
               int incy, void *a, int lda);
  /* y := y + alpha op(A) x, A m x n as it is stored, x and y contiguous. */
  void (*gemv)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
               const void *x, void *y);
  /* y := y + alpha A x for a Hermitian A (symmetric for a real type) of order n.  Reads one
   * triangle, and no imaginary parts on the diagonal. */
  void (*hemv)(hyla_triangle triangle, int n, double _Complex alpha, const void *a, int lda,
               const void *x, void *y);
  /* Products for a Hermitian matrix with one triangle stored.  An m x n block A, m >= n if
   * `below', is read from memory once.  below: only the entries below its diagonal count, and those
   * on it, without their imaginary parts, for y alone.  All vectors are contiguous; the team's
   * threads may call these.
   * both   y := y + A x, z := z + A^H w
   * dots   z := z + A^H w
   * pair   y := y - A x, z := z - A x', where x' are the n entries behind x
   * settle w := f_0 w + f_1 v, x := x - f_2 v - w, for m entries and three factors
   * Of the last two the bits of an entry do not depend on its place. */
  void (*both)(bool below, int m, int n, const void *a, int lda, const void *x, const void *w,
               void *y, void *z);
  void (*dots)(int m, int n, const void *a, int lda, const void *w, void *z);
  void (*pair)(int m, int n, const void *a, int lda, const void *x, void *y, void *z);
  void (*settle)(int m, const void *factors, const void *v, void *w, void *x);
  /* x := alpha x, n entries. */
  void (*scale)(int n, double _Complex alpha, void *x, int incx);
  /* x := x / alpha, entry by entry, correct also where 1 / alpha overflows.  With a real alpha each
   * part is rounded once. */
  void (*divide)(int n, double _Complex alpha, void *x, int incx);
  /* The entry of largest magnitude among n contiguous ones; its index counts from 0. */
  struct hy_pivot (*search)(int n, const void *x);
  /* Swaps n entries of x and y. */
  void (*swap)(int n, void *x, int incx, void *y, int incy);
  /* B := alpha op(A), B m x n; A is m x n for HYLA_NONE, otherwise n x m.  No overlap. */
  void (*copy)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
               void *b, int ldb);
  /* The same for a transposing op.  stream: B is larger than the caches and is written past them;
   * call hy_stream_end before another rank reads it.  next: the block that the next call reads,
   * with the same lda; it is prefetched.  NULL: no block. */
  void (*turn)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
               void *b, int ldb, bool stream, const void *next);
  /* B := B + A, m x n. */
  void (*add)(int m, int n, const void *a, int lda, void *b, int ldb);
  /* B := alpha op(A) + beta B, B m x n.  alpha = 0 does not read A, beta = 0 does not read B. */
  void (*combine)(hyla_operation op, int m, int n, double _Complex alpha, const void *a, int lda,
                  double _Complex beta, void *b, int ldb);
  /* Entry x[i] as a complex number, and back; a real type takes the real part. */
  double _Complex (*get)(const void *x, int64_t i);
  void (*set)(void *x, int64_t i, double _Complex value);
  /* Sums for norms of an m x n block:
   * column_sums    sums[j] += sum_i |a_ij|
   * row_sums       sums[i] += sum_j |a_ij|
   * weighted_sums  sums[i] += sum_j |op(a)_ij| weights[j]
   * squared_sums   sums[i] += sum_j |scale op(a)_ij|^2
   * largest        the largest |a_ij|, or NaN
   * squares        the sum of (|a_ij| / scale)^2 */
  void (*column_sums)(int m, int n, const void *a, int lda, double *sums);
  void (*row_sums)(int m, int n, const void *a, int lda, double *sums);
  void (*weighted_sums)(hyla_operation op, int m, int n, const void *a, int lda,
                        const double *weights, double *sums);
  void (*squared_sums)(hyla_operation op, int m, int n, const void *a, int lda, double scale,
                       double *sums);
  double (*largest)(int m, int n, const void *a, int lda);
  /* One pass over an m x n block; hy_pass says what it sums. */
  void (*pass)(int m, int n, const void *a, int lda, const void *x, const double *weights,
               const struct hy_pass *into);
  /* Are all entries of an m x n block finite? */
  bool (*finite)(int m, int n, const void *a, int lda);
  double (*squares)(int m, int n, const void *a, int lda, double scale);
  /* Givens rotations of an entry x with each of n contiguous entries y_i, y_0 first.  A rotation is
   * stored as the quotient v = y_i / x of the entry that it makes 0, at most 1 / epsilon^2:
   * x := c x + s y_i, y_i := c y_i - conj(s) x, c = 1 / sqrt(1 + |v|^2), s = c conj(v).
   * annihilate   makes the rotations and stores them: y_i := v
   * rotate       applies the rotations of the quotients v
   * rotate_back  applies their inverses, the last one's first */
  void (*annihilate)(int n, void *x, void *y);
  void (*rotate)(int n, const void *v, void *x, void *y);
  void (*rotate_back)(int n, const void *v, void *x, void *y);
};

/* The functions of a table. */
#define HY_KERNELS(K)                                                                              \
  K(gemm)                                                                                          \
  K(trsm)                                                                                          \
  K(trsv)                                                                                          \
  K(trtri)                                                                                         \
  K(potrf)                                                                                         \
  K(herk)                                                                                          \
  K(getrf) K(qr) K(ger) K(gerc) K(gemv) K(hemv) K(both) K(dots) K(pair) K(settle) K(scale)         \
      K(divide) K(search) K(swap) K(copy) K(turn) K(add) K(combine) K(get) K(set) K(column_sums)   \
          K(row_sums) K(weighted_sums) K(squared_sums) K(largest) K(pass) K(finite) K(squares)     \
              K(annihilate) K(rotate) K(rotate_back)

/* Entries of workspace for the kernel qr with n columns. */
static inline int64_t hy_qr_room(int64_t n) { return 36 * n + 64; }

/* The table of a type; NULL if the number is no hyla_type. */
const struct hy_kernels *hy_kernels_of(hyla_type type);
/* The table for a dry simulation. */
const struct hy_kernels *hy_kernels_dry(hyla_type type);

/* B := A, or the real or the imaginary parts of A, m x n, from any type to any other.  Complex
 * entries with both parts cannot become real.  Rounds to nearest; no overlap. */
enum hy_component { HY_BOTH_PARTS, HY_REAL_PART, HY_IMAGINARY_PART };
void hy_convert(enum hy_component component, int m, int n, const struct hy_kernels *from,
                const void *a, int lda, const struct hy_kernels *to, void *b, int ldb);

/* The exponents of m entries: x = y 2^e with y in [1/2, 1).  A complex entry has the exponent of
 * its larger part.  HY_NO_EXPONENT: the entry is zero or not finite. */
#define HY_NO_EXPONENT (INT32_MIN / 4)
void hy_exponents(const struct hy_kernels *k, int m, const void *x, int32_t *exponents);
/* The least and the largest exponent of the nonzero parts of m x n entries.  False, and no
 * exponents: all entries are zero, or one is infinite. */
struct hy_exponent_range {
  int32_t least, most;
};
bool hy_exponents_range(const struct hy_kernels *k, int m, int n, const void *a, int lda,
                        struct hy_exponent_range *range);
/* x_i := 2^(exponents[i] + more) x_i, rounded once if the result is below the normal numbers. */
void hy_scale_powers(const struct hy_kernels *k, int m, const int32_t *exponents, int32_t more,
                     void *x);

/* A real number as the sum of two numbers; `high' is the sum rounded.  It has about twice the
 * precision of double.  An entry takes one hy_double_word for a real type and two, for its parts,
 * for a complex type. */
struct hy_double_word {
  double high, low;
};

/* Products and sums in twice the precision of the type, for results with cancellation.  Numbers
 * must be finite; errors of products below the normal numbers are lost.  words: hy_extended_words
 * for each of m entries.
 * products  words += A x, A m x n
 * add       into += from, `count' words
 * rest      r := b - words, m entries, rounded to the type once; r may be b */
int64_t hy_extended_words(const struct hy_kernels *k);
void hy_extended_products(const struct hy_kernels *k, int m, int n, const void *a, int lda,
                          const void *x, struct hy_double_word *words);
void hy_extended_add(int64_t count, const struct hy_double_word *from, struct hy_double_word *into);
void hy_extended_rest(const struct hy_kernels *k, int m, const void *b,
                      const struct hy_double_word *words, void *r);

/* b / a.  For complex numbers each part is within 2^-45 |b / a| u of the exact part rounded
 * once. */
double _Complex hy_extended_quotient(double _Complex b, double _Complex a);

/* The best inner dimension for products of pieces that are copied together.  It is the depth that
 * BLAS multiplies in one go; the pieces are then still in the cache. */
int64_t hy_kernels_depth(const struct hy_kernels *k);

/* Products with a factor A that is copied once for many strips of columns.  They are as fast on 32
 * columns as BLAS on a thousand.  So a strip of C can stay in the caches, and the next strip can be
 * prefetched meanwhile.
 * pack      copies A, m x k, into hy_packed_entries(m, k) entries.  Up to a depth of
 *           HY_PACKED_DEPTH the groups of HY_PACKED_ROWS rows follow each other in the copy
 * gather    the same for the columns column[0 ... k-1] of A, k up to HY_PACKED_DEPTH
 * tile      rows of a tile; a divisor of HY_PACKED_ROWS
 * multiply  C := C - A op(B) in rows first ... m-1, n columns; op is none or conjugate.  c points
 *           to row `first', a multiple of `tile'.  An entry's sum runs in the order of the inner
 *           dimension, wherever the entry stands.  next: columns to prefetch; NULL: none
 * plain     the same for all rows of an A that is not copied
 * inner     C := A^H B, C m x n, inner dimension k; both are read in place, so it pays from one
 *           column on.  An entry's sum runs in an order that depends on k alone
 * None of the last three calls BLAS. */
enum { HY_PACKED_ROWS = 48, HY_PACKED_DEPTH = 256 };
/* What a product prefetches: `columns' columns behind those of C, in the rows of C.  Towards its
 * end it prefetches again, since the caches may have lost them, the entries of these columns in the
 * rows row[0 ... rows-1], counted from the first row of C. */
struct hy_next {
  int columns, rows;
  const int64_t *row;
};
struct hy_packed {
  int tile;
  void (*pack)(int m, int k, const void *a, int lda, void *packed);
  void (*gather)(int m, int k, const void *a, int lda, const int32_t *column, void *packed);
  void (*multiply)(hyla_operation op, int m, int n, int k, const void *packed, int first,
                   const void *b, int ldb, void *c, int ldc, const struct hy_next *next);
  void (*plain)(hyla_operation op, int m, int n, int k, const void *a, int lda, const void *b,
                int ldb, void *c, int ldc);
  void (*inner)(int m, int n, int k, const void *a, int lda, const void *b, int ldb, void *c,
                int ldc);
};
struct hy_team;
/* NULL where BLAS is better: BLAS has several threads and the caller has no team, or the processor
 * lacks fused operations. */
const struct hy_packed *hy_packed_best(const struct hy_kernels *k, const struct hy_team *team);
/* Entries of a packed factor, the same for every type and processor. */
int64_t hy_packed_entries(int64_t rows, int64_t columns);

/* A secular equation, f(x) = 1 / rho + sum_i square[i] / (pole[i] - x) = 0 with ascending poles,
 * and the matrix of its vectors: entry i of a root's vector is weight[i] / (pole[i] - x), times a
 * factor.  A root is the sum of two numbers, x = shift + mu, shift a pole: so pole[i] - x has few
 * errors also where it is small.  All numbers are double; all sums have one order on all
 * processors. */
struct hy_secular {
  int k;
  const double *pole, *square, *weight;
};
/* Sums over poles below and above a place, with t = pole - x: of square / t, square / t^2 and
 * square / t^3. */
struct hy_secular_sums {
  double below[3], above[3];
};
struct hy_secular_kernels {
  /* The sums at x = shift + mu; below: the poles 0 ... end-1, above: begin ... k-1. */
  void (*sums)(const struct hy_secular *f, int end, int begin, double shift, double mu,
               struct hy_secular_sums *sums);
  /* prod_j (x_j - pole_i) / prod_j!=i (pole_j - pole_i) for the roots x_j = shift[j] + mu[j], which
   * is the square of the weight with which they are exact, up to a common factor. */
  double (*weight)(const struct hy_secular *f, const double *shift, const double *mu, int i);
  /* Of a root's vector v without factor: v^T v, first^T v, last^T v. */
  void (*column)(const struct hy_secular *f, const double *first, const double *last, double shift,
                 double mu, double sums[3]);
  /* Entries of a root's vector, for `count' poles and weights; of type s and d. */
  void (*fill[2])(int count, const double *pole, const double *weight, double shift, double mu,
                  double factor, void *column);
  /* x := c x + s y, y := c y - s x; of type s and d. */
  void (*rotate[2])(int rows, double c, double s, void *x, void *y);
};
/* The functions for this processor; for vectors of 64 or 32 bytes (NULL if it lacks them), or 0:
 * plain instructions. */
const struct hy_secular_kernels *hy_secular_best(void);
const struct hy_secular_kernels *hy_secular_of(int bytes);

/* Copies `count' contiguous entries; no overlap. */
void hy_copy_entries(const struct hy_kernels *k, void *to, const void *from, int64_t count);

/* Runs of bytes at regular distances: `count' runs in each of `columns' columns.  All distances are
 * in bytes.  stream: as for turn.  next: the data to read after them, in the same number of
 * columns, or NULL. */
struct hy_runs {
  int64_t bytes; /* of a run */
  int64_t count, from_step, to_step, columns, from_ld, to_ld;
  bool stream;
  const char *next;
  int64_t next_ld;
};
void hy_copy_runs(const struct hy_runs *runs, const void *from, void *to);
/* Waits until streamed data are in memory, where all ranks can see them. */
void hy_stream_end(void);

/* Columns as they look to each other: x_i = 2^exponent[i] y_i, with lengths of y_i about 1, and the
 * Gram matrix G = Y^H Y.  Matrices are double, by columns, ld numbers each, a multiple of 8 that is
 * at least the order; numbers behind the order are zeros.
 *   g         the real and the imaginary part of G, both triangles; the latter NULL for a real G
 *   w         set: I + W is what the identity becomes with the columns, once these are sorted
 *   from      set: column i was column from[i]
 *   exponent  of the columns, sorted in the end; before: set: as they were
 *   trusted   a length's square that rotations make smaller than this share of itself is not known
 *             from G, and the column is left alone */
struct hy_gram {
  int order, ld;
  double *g[2], *w[2];
  int *from;
  int32_t *exponent, *before;
  double trusted;
};
/* What rotations have found: of the first turn the largest cosine of the angle between two columns
 * and the largest change of a column by another of the same length. */
struct hy_gram_found {
  double cosine, tangent;
  int64_t rotations;
};
/* Local.  Sorts the columns by their length, the longest first, and rotates all pairs of them,
 * `turns' times, whose angle has a larger cosine.  Adds to *found. */
void hy_gram_rotate(const struct hy_gram *gram, double tolerance, int turns,
                    struct hy_gram_found *found);

/* The name and version of the BLAS library. */
const char *hy_blas_name(void);
/* Local.  Sets the number of threads that BLAS uses (0: unchanged) and makes BLAS allocate all the
 * memory that it keeps, so that products allocate none.  MEMORY. */
hyla_status hy_blas_start(struct hy_base *base, int threads);
int hy_blas_threads(void);

/* Threads of one rank that share the work of this library's own kernels.
 *
 * BLAS keeps its threads busy during its products only.  Here pieces of work that do not depend on
 * each other (strips of columns) are taken in turn by any free thread.  The caller does something
 * else before it takes pieces too.  Pieces call no BLAS, which needs a buffer for each thread that
 * calls it.  While pieces are under way, the other threads of BLAS rest, so that a call by the
 * caller finds its core free.  A team that is NULL is the caller alone. */
struct hy_team;

/* Local.  threads: their number with the caller's; 1 makes none.  MEMORY, also if the system has no
 * more threads. */
hyla_status hy_team_create(struct hy_base *base, int threads, struct hy_team **team);
void hy_team_destroy(struct hy_base *base, struct hy_team **team);
int hy_team_threads(const struct hy_team *team);

/* A work: pieces first ... count-1.  Each is done once; pieces start in this order.  thread: 0 for
 * the caller, at most `threads' - 1. */
struct hy_work {
  void (*piece)(void *arg, int64_t index, int thread);
  void *arg;
  int64_t first, count;
  int threads; /* threads that may take part, the caller among them */
  _Atomic int64_t next;
};

/* Local, for the thread that made the team.  Between start and finish it starts no other work.
 * start   lets the other threads begin
 * take    does one piece; returns its index, or -1 if no piece is left
 * finish  waits until no piece is under way */
void hy_team_start(struct hy_team *team, struct hy_work *work);
int64_t hy_work_take(struct hy_work *work);
void hy_team_finish(struct hy_team *team);
/* Local.  A work from its start to its end. */
void hy_team_do(struct hy_team *team, struct hy_work *work);

/* Local.  x := op(A)^-1 x for a triangle A of order n, as hy_kernels.trsv, by a team's threads
 * where that is faster. */
void hy_substitute(const struct hy_kernels *k, struct hy_team *team, hyla_triangle triangle,
                   hyla_operation op, hyla_diagonal diagonal, int n, const void *a, int lda,
                   void *x);

#endif
