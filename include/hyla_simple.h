/* hyla_simple.h: a linear system, least squares, or eigenvalues in one call, for programs that have
 * the matrix in arrays as for LAPACK.
 *
 *   hyla_answer answer;
 *   if (hyla_dgesv(MPI_COMM_WORLD, n, 1, a, b, &answer) != HYLA_OK) puts(answer.message);
 *
 * The arrays are stored by columns, without gaps: entry (i, j) of an n-row array is at i + j n.
 * hyla.h has the same in steps, for matrices that no rank has whole, and for several systems with
 * one matrix. */
#ifndef HYLA_SIMPLE_H
#define HYLA_SIMPLE_H 1

#include <hyla.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended, the same on every rank.
 *   info     as of LAPACK: 0; the column from 1 of the first pivot that failed (SINGULAR,
 *            INDEFINITE, NOT_FINITE); n + 1 if the answer cannot be trusted (UNRELIABLE); minus the
 *            status otherwise
 *   rcond, forward_bound  as in hyla_solve_report; NaN without an answer
 *   message  one line: what, where, what to do; "" if all is well */
typedef struct hyla_answer {
  int64_t info;
  double rcond, forward_bound;
  char message[512];
} hyla_answer;

/* Collective over comm, on which MPI has been started.  Solves A X = B by a method, and says how
 * good X is: makes a cube with the options that the environment gives, the matrices, and ends them.
 * method: HYLA_LU for any A; HYLA_CHOLESKY for a Hermitian positive definite one, whose both
 * triangles are given; or another one.  a: n x n; b: n x nrhs, becomes X; of the type, read on rank
 * 0 alone.  Ranks that hold no b give NULL.  If all ranks hold one, all get X; otherwise rank 0
 * alone gets it, and b of the others does not change.  After a failure b is B still.
 * comm, method, type, n, nrhs: global.  answer: may be NULL.
 * Memory: n^2 / P entries twice on each of P nodes, besides the arrays.
 * UNRELIABLE: X is valid, but cannot be trusted.  ARGUMENT (also: rank 0 has no array; all nodes
 * have a b and a guest has none), MISMATCH, SINGULAR, INDEFINITE, NOT_FINITE, UNSUPPORTED, MEMORY,
 * COMMUNICATION, TIMEOUT. */
HYLA_API hyla_status hyla_solve_arrays(MPI_Comm comm, hyla_method method, hyla_type type, int64_t n,
                                       int64_t nrhs, const void *a, void *b, hyla_answer *answer);

/* The same for other languages; comm as of hyla_cube_create_f. */
HYLA_API hyla_status hyla_solve_arrays_f(const MPI_Fint *comm, hyla_method method, hyla_type type,
                                         int64_t n, int64_t nrhs, const void *a, void *b,
                                         hyla_answer *answer);

/* The types c and z of LAPACK. */
#ifdef __cplusplus
__extension__ typedef float _Complex hyla_single_scalar;
#else
typedef float _Complex hyla_single_scalar;
#endif

/* hyla_sgesv, hyla_dgesv, hyla_cgesv, hyla_zgesv: hyla_solve_arrays by LU.
 * hyla_sposv, hyla_dposv, hyla_cposv, hyla_zposv: by Cholesky.
 *   hyla_status hyla_dgesv(MPI_Comm comm, int64_t n, int64_t nrhs, const double *a, double *b,
 *                          hyla_answer *answer) */
#define HYLA_SIMPLE_LIST(X)                                                                        \
  X(sgesv, LU, FLOAT, float)                                                                       \
  X(dgesv, LU, DOUBLE, double)                                                                     \
  X(cgesv, LU, COMPLEX, hyla_single_scalar)                                                        \
  X(zgesv, LU, DOUBLE_COMPLEX, hyla_scalar)                                                        \
  X(sposv, CHOLESKY, FLOAT, float)                                                                 \
  X(dposv, CHOLESKY, DOUBLE, double)                                                               \
  X(cposv, CHOLESKY, COMPLEX, hyla_single_scalar)                                                  \
  X(zposv, CHOLESKY, DOUBLE_COMPLEX, hyla_scalar)
#define HYLA_SIMPLE_CALL(NAME, METHOD, TYPE, NUMBER)                                               \
  static inline hyla_status hyla_##NAME(MPI_Comm comm, int64_t n, int64_t nrhs, const NUMBER *a,   \
                                        NUMBER *b, hyla_answer *answer) {                          \
    return hyla_solve_arrays(comm, HYLA_##METHOD, HYLA_##TYPE, n, nrhs, a, b, answer);             \
  }
HYLA_SIMPLE_LIST(HYLA_SIMPLE_CALL)
#undef HYLA_SIMPLE_CALL

/* Collective over comm, as above.  Eigenvalues of a Hermitian (for real types symmetric) matrix
 * and, if rank 0 has room for them, its vectors, which are checked.
 * a: n x n, of the type, read on rank 0 alone, the named triangle alone.  values: n numbers on
 * every rank, ascending.  vectors: n x n, of the type, a column for each value; may be a.  If all
 * ranks give it, all get the vectors; otherwise rank 0 alone; if no rank does, none are computed.
 * answer: info n + 1 for UNRELIABLE, otherwise minus the status.
 * Memory: at most six matrices, of n^2 / P entries on each of P nodes, besides the arrays.
 * UNRELIABLE: values and vectors miss the bounds of hyla_eigen_check, or a value did not converge.
 * ARGUMENT, MISMATCH, NOT_FINITE, UNSUPPORTED, MEMORY, COMMUNICATION, TIMEOUT. */
HYLA_API hyla_status hyla_eigen_arrays(MPI_Comm comm, hyla_triangle triangle, hyla_type type,
                                       int64_t n, const void *a, double *values, void *vectors,
                                       hyla_answer *answer);
HYLA_API hyla_status hyla_eigen_arrays_f(const MPI_Fint *comm, hyla_triangle triangle,
                                         hyla_type type, int64_t n, const void *a, double *values,
                                         void *vectors, hyla_answer *answer);

/* hyla_ssyev, hyla_dsyev, hyla_cheev, hyla_zheev: hyla_eigen_arrays.
 *   hyla_status hyla_dsyev(MPI_Comm comm, hyla_triangle triangle, int64_t n, const double *a,
 *                          double *values, double *vectors, hyla_answer *answer) */
#define HYLA_SIMPLE_EIGEN_LIST(X)                                                                  \
  X(ssyev, FLOAT, float)                                                                           \
  X(dsyev, DOUBLE, double)                                                                         \
  X(cheev, COMPLEX, hyla_single_scalar)                                                            \
  X(zheev, DOUBLE_COMPLEX, hyla_scalar)
#define HYLA_SIMPLE_EIGEN_CALL(NAME, TYPE, NUMBER)                                                 \
  static inline hyla_status hyla_##NAME(MPI_Comm comm, hyla_triangle triangle, int64_t n,          \
                                        const NUMBER *a, double *values, NUMBER *vectors,          \
                                        hyla_answer *answer) {                                     \
    return hyla_eigen_arrays(comm, triangle, HYLA_##TYPE, n, a, values, vectors, answer);          \
  }
HYLA_SIMPLE_EIGEN_LIST(HYLA_SIMPLE_EIGEN_CALL)
#undef HYLA_SIMPLE_EIGEN_CALL

/* Collective over comm, as above.  Least squares: the X of least norm that minimises |A X - B|,
 * column by column, for A of any shape and rank, as of hyla_lstsq.
 * a: m x n, of the type, read on rank 0 alone.  b: max(m, n) x nrhs.  On rank 0 its first m rows
 * are B.  X becomes its first n rows, and the rows behind are not kept.  If all ranks hold a b, all
 * get X; otherwise rank 0 alone.  rank: NULL, or set to A's rank, on every rank.
 * answer: rcond as in hyla_lstsq_report; info minus the status.
 * Memory: A twice and B three times, over all nodes, besides the arrays; more where A's rank is in
 * doubt.  ARGUMENT, MISMATCH, NOT_FINITE, UNSUPPORTED, MEMORY, COMMUNICATION, TIMEOUT. */
HYLA_API hyla_status hyla_lstsq_arrays(MPI_Comm comm, hyla_type type, int64_t m, int64_t n,
                                       int64_t nrhs, const void *a, void *b, int64_t *rank,
                                       hyla_answer *answer);
HYLA_API hyla_status hyla_lstsq_arrays_f(const MPI_Fint *comm, hyla_type type, int64_t m, int64_t n,
                                         int64_t nrhs, const void *a, void *b, int64_t *rank,
                                         hyla_answer *answer);

/* hyla_sgels, hyla_dgels, hyla_cgels, hyla_zgels: hyla_lstsq_arrays.
 *   hyla_status hyla_dgels(MPI_Comm comm, int64_t m, int64_t n, int64_t nrhs, const double *a,
 *                          double *b, int64_t *rank, hyla_answer *answer) */
#define HYLA_SIMPLE_SQUARES_LIST(X)                                                                \
  X(sgels, FLOAT, float)                                                                           \
  X(dgels, DOUBLE, double)                                                                         \
  X(cgels, COMPLEX, hyla_single_scalar)                                                            \
  X(zgels, DOUBLE_COMPLEX, hyla_scalar)
#define HYLA_SIMPLE_SQUARES_CALL(NAME, TYPE, NUMBER)                                               \
  static inline hyla_status hyla_##NAME(MPI_Comm comm, int64_t m, int64_t n, int64_t nrhs,         \
                                        const NUMBER *a, NUMBER *b, int64_t *rank,                 \
                                        hyla_answer *answer) {                                     \
    return hyla_lstsq_arrays(comm, HYLA_##TYPE, m, n, nrhs, a, b, rank, answer);                   \
  }
HYLA_SIMPLE_SQUARES_LIST(HYLA_SIMPLE_SQUARES_CALL)
#undef HYLA_SIMPLE_SQUARES_CALL

#ifdef __cplusplus
}
#endif

#endif
