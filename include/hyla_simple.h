/* hyla_simple.h: a linear system in one call, for programs that have it in arrays as for LAPACK.
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

#ifdef __cplusplus
}
#endif

#endif
