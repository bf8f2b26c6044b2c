/* Private to solve: singular values' operation, and the contract of its methods.
 *
 * The front (svd.c) checks the arguments, chooses the method, copies A to where the method wants
 * it, and brings the vectors to where the caller wants them.  Of a matrix with more columns than
 * rows the conjugate transpose is copied, and the vectors change places, so that methods see
 * m >= n alone.  A method is a file or a folder with one row, a struct hy_variant, in the list of
 * svd.c; its traits are a struct hy_svd_traits. */
#ifndef HY_SOLVE_SVD_H
#define HY_SOLVE_SVD_H 1

#include "job/job.h"
#include "solve/solve.h"

/* A method's problem: A = U diag(values) V^H with m >= n; sizes may be 0.
 *   a      m x n, in the method's layout; it is used up
 *   u, v   m x n and n x n, in the method's layouts; what they hold before is of no account; NULL:
 *          these vectors are not wanted.  v is V itself, not V^H
 *   accurate  every value is wanted to many digits of its own
 * For `applies' there are no matrices, but all other members.  In a play (lib/plan) the matrices
 * are on a counting cube and have no entries. */
struct hy_svd_task {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t m, n;
  bool wants_u, wants_v, accurate;
  hyla_matrix *a, *u, *v;
  hyla_matrix *x, *y; /* of methods in two steps; NULL: u, or v, is not wanted, or in a play */
};

/* What a method's state begins with, and leaves there after a run, the same on all ranks, guests
 * included. */
struct hy_svd_found {
  double *values; /* n, descending, not negative; the method's memory */
  hyla_svd_report report;
};

/* The layouts in which a method wants its matrices.  Its other functions are those of its row:
 *   applies   NULL, or why it does not, in words.  May be NULL
 *   create    local: the state, a block that owns all its memory (hy_alloc_for)
 *   allocate  collective over all ranks, agreed: takes the memory of runs
 *   run       collective over nodes and guests, agreed: finds the values and fills u and v.
 *             NOT_FINITE on all ranks if A has a NaN or an infinity; UNRELIABLE, with a message,
 *             instead of going on for ever.  Allocates nothing
 *   explain   lines for people
 * There is no function for the cost: create, allocate and run are played on a counting cube, with
 * hy_compute and hy_count_copied beside the kernels; where k->dry is set, entries must not decide
 * (hy_count_again counts a part of a run many times). */
struct hy_svd_traits {
  /* Local.  The layouts of a, u and v, all different from NULL. */
  void (*layouts)(const hyla_cube *cube, int64_t m, int64_t n, hyla_layout *a, hyla_layout *u,
                  hyla_layout *v);
  /* For methods that reduce A to a real matrix of order n, and lay that one's vectors elsewhere: x
   * and y, n x n, of a's real type.  Their run, which is played, is both steps.  NULL: run does
   * everything.
   *   inner    local: the layout of x and y
   *   values   collective over nodes and guests, agreed: finds the values, x and y
   *   vectors  the same, once x is in the first n rows of u, and y in v: makes A's vectors there */
  hyla_layout (*inner)(const hyla_cube *cube, int64_t n);
  hyla_status (*values)(void *state);
  hyla_status (*vectors)(void *state);
};

/* A square workspace; on a counting cube a counted one. */
struct hy_svd_square {
  hyla_matrix *m;
  hyla_matrix counted;
};
/* Collective, agreed; destroy: local, also of one that was not made. */
hyla_status hy_svd_square_make(hyla_cube *cube, hyla_type type, int64_t n,
                               const hyla_layout *layout, struct hy_svd_square *square);
void hy_svd_square_destroy(struct hy_svd_square *square);

/* svd_round.c: products with matrices whose columns are whole on nodes, at most `share' of them on
 * each.
 *   make    local; the memory, for matrices with `rows' rows, belongs to `owner'
 *   run     collective over the nodes, not agreed: calls `use' for each node with its columns, of
 *           x's height, with zeros where it has fewer
 *   polish  the same: takes x, which is unitary nearly, to the nearest such matrix */
struct hy_svd_round {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t share;
  char *passing[2]; /* columns that go round */
  char *e;          /* this node's columns of X^H X - I */
};
typedef void hy_svd_round_use(void *arg, int64_t node, const char *columns);
hyla_status hy_svd_round_make(hyla_cube *cube, const struct hy_kernels *k, int64_t rows,
                              int64_t share, void *owner, struct hy_svd_round *round);
hyla_status hy_svd_round_run(struct hy_svd_round *round, const hyla_matrix *x,
                             hy_svd_round_use *use, void *arg);
hyla_status hy_svd_polish(struct hy_svd_round *round, const hyla_matrix *x);

/* svd_start.c: vectors to begin Jacobi's rotations with.  l, v: n x n, n > 0, as hy_jacobi_layout
 * says; they outlive the state, a block.
 *   make      collective over all ranks, agreed: takes all memory
 *   run       collective over nodes and guests, agreed: v := the right vectors of l
 *   multiply  collective over the nodes, not agreed: to := l v, of the same layout; round: for n
 *             rows and l's share */
struct hy_svd_start;
hyla_status hy_svd_start_make(hyla_matrix *l, hyla_matrix *v, struct hy_svd_start **start);
hyla_status hy_svd_start_run(struct hy_svd_start *start);
hyla_status hy_svd_start_multiply(struct hy_svd_start *start, struct hy_svd_round *round,
                                  hyla_matrix *to);

extern const struct hy_variant hy_svd_bidiagonal, hy_svd_jacobi_balanced, hy_svd_jacobi_br,
    hy_svd_jacobi_ring, hy_svd_small;

#endif
