/* Door of solve/triangle: triangular systems, and the variants that solve them for the user. */
#ifndef HY_SOLVE_TRIANGLE_H
#define HY_SOLVE_TRIANGLE_H 1

#include "solve/contract/contract.h"
#include "solve/panels/panels.h"

/* ---------------------------------------------------------- substitution -- */

/* Triangular systems op(T) X = B and X op(T) = B by substitution, block by block; X replaces B.
 *
 * T lies block-cyclically on an array with square blocks.  All forms are brought to one,
 * the left form L X = B or U X = B.  If X stands on the right, the system is transposed (for op C
 * conjugated too); a transposing op exchanges the roles of rank rows and rank columns.  The left
 * form's matrix has its rows along one axis of T and its columns along the other.  X lies so that
 * no entry changes its rank for this:
 *
 *   form           X lies as T's    along       and is split by the dimensions of T's
 *   left,  N       rows             its rows    columns, along its columns
 *   left,  T, C    columns          its rows    rows, along its columns
 *   right, N       columns          its columns rows, along its rows
 *   right, T, C    rows             its columns columns, along its rows */

/* Up to HY_STATIONARY_NRHS right-hand sides count as few: the matrix stays where it is, and partial
 * sums travel.  With more, panels travel and all ranks compute. */
enum { HY_STATIONARY_NRHS = 64 };

struct hy_triangular {
  const hyla_matrix *t; /* one triangle of it is read */
  int64_t block;
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  bool inverse; /* X is T itself and becomes its inverse; only on the left, op NONE, travelling */
  bool tiled;   /* the diagonal blocks' tiles are inverted (panels.h); only many, without inverse */
};

/* Changes rows of X before block k of it is solved for, as the swaps of a factorization with
 * pivoting do.  In the left form, for few right-hand sides. */
struct hy_row_swaps {
  void *arg;
  /* Collective over the rank column.  Changes rows of x, whose columns are all here.  The rows of
   * block k go to `block' on all these ranks, width x columns. */
  hyla_status (*swap)(void *arg, const struct hy_diagonal_block *at, const struct hyla_matrix *x,
                      char *block);
  /* The diagonal block k, which all ranks of q_k have, and its leading dimension. */
  const char *(*diagonal)(void *arg, const struct hy_diagonal_block *at, int *ld);
};

/* The use of the block rows of a lower triangle's inverse, on every rank, as they are made.
 *   pass  collective over the nodes, at a time when no block column of the triangle travels, so
 *         that its messages along the rank rows cannot be mistaken for one
 *   use   called at the end of the step; may change the matrix in these rows, the diagonal block
 *         included, and in the rows before */
struct hy_inverse_row {
  const struct hy_diagonal_block *at;
  const char *rows; /* this rank's columns before the diagonal block; may be part of the matrix */
  int64_t ld;
  const char *diagonal; /* on q_k: the diagonal block, width x width, with zeros above */
};
struct hy_inverse_rows {
  void *arg;
  hyla_status (*pass)(void *arg, const struct hy_inverse_row *row);
  hyla_status (*use)(void *arg, const struct hy_inverse_row *row);
};

/* A system in the left form, and its memory, which the caller owns. */
struct hy_substitution {
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *t;
  struct hy_block_cyclic array; /* of the matrix of the left form */
  hyla_triangle triangle;       /* the triangle of t */
  hyla_operation op;            /* from t to that matrix */
  hyla_diagonal diagonal;
  hyla_operation turn; /* from the user's X to X */
  bool inverse, tiled;
  /* Many, a lower triangle: the global rows with which X's local columns begin, ascending; entries
   * above are zero and stay so.  NULL: all columns begin with the first row. */
  const int64_t *begins;
  const struct hy_row_swaps *swaps;    /* NULL: no swaps */
  const struct hy_inverse_rows *rows;  /* for an inverse; NULL: its block rows are not used */
  const struct hy_subcube_op *adds;    /* stationary: sums over the rank row, as long as `sums' */
  const struct hy_subcube_op *spreads; /* broadcasts blocks of the solution over the rank column */
  char *sums;               /* stationary, sweep: local rows of X x all right-hand sides */
  char *blocks;             /* stationary: two blocks x right-hand sides; sweep: one block */
  struct hy_panels *panels; /* travelling: along the rank rows; sweep: along the rank columns */
  struct hy_panels *ahead;  /* travelling: blocks of X, along the rank columns, each made ahead;
                             * NULL: each is broadcast in its turn.  Not for an inverse,
                             * nor with `begins' */
  char *solved;             /* travelling, several rank rows: a block x local columns of X;
                             * always for an inverse and with tiles; not with `ahead' */
  struct hy_packed_rows *packed; /* travelling: a packed block column, for the team; NULL: BLAS'
                                  * threads share its products */
  int64_t groups;                /* sweep: number of groups of right-hand sides,
                                  * hy_sweep_groups */
  char *travels;                 /* sweep: sums that travel, 2 hy_sweep_rows x all right-hand
                                  * sides */
  struct hy_message *messages;   /* sweep: HY_SWEEP_MESSAGES for each group */
  char *transposed;              /* travelling, if X is transposed: of the size of X on this rank */
};

/* Local.  The system in the left form; no memory. */
struct hy_substitution hy_substitution_of(const struct hy_triangular *system);

/* Local.  Bytes on a rank that holds a part of X.  sums: the sums for few right-hand sides, nrhs of
 * them; slot: a panel's slot for many. */
int64_t hy_substitution_sums(const struct hy_substitution *s, int64_t nrhs);
int64_t hy_substitution_slot(const struct hy_substitution *s);
/* Local, for many.  May each strip of right-hand sides be solved for by itself?  Yes if X is not
 * its matrix and block columns are stored as the products need them. */
bool hy_substitution_strips(const struct hy_substitution *s);

/* Local, for a sweep.  groups: the number of groups of nrhs right-hand sides, 1 if there is none,
 * by the cube's machine.  rows: the most rows of sums that travel at a time. */
enum { HY_SWEEP_MESSAGES = 2 };
int64_t hy_sweep_groups(const struct hy_substitution *s, int64_t nrhs);
int64_t hy_sweep_rows(const struct hy_substitution *s);
/* Collective over the nodes; not agreed.  The sweep itself: the sums made by hy_sums_begin become
 * the solution, block k on rank column q_k, zeros elsewhere. */
hyla_status hy_sweep_sums(const struct hy_substitution *s, const hyla_matrix *sums);

/* Collective over the nodes; not agreed.  x becomes the solution.
 *   few    T stays where it is, partial sums travel
 *   many   T's block columns travel, all ranks compute; not with swaps; x is T for an inverse
 *   sweep  T stays where it is, partial sums go from one rank column to the next; not with swaps */
hyla_status hy_substitute_sweep(const struct hy_substitution *s, const hyla_matrix *x);
hyla_status hy_substitute_stationary(const struct hy_substitution *s, const hyla_matrix *x);
hyla_status hy_substitute_travelling(const struct hy_substitution *s, const hyla_matrix *x);

/* Collective over the group's members, not agreed.  On the member at address `root', data becomes
 * the sum of all members' data.  The additions count in a cost. */
hyla_status hy_sum_sides(const struct hy_subcube_op *adds, const struct hy_kernels *k, int root,
                         char *data, int64_t words);

/* ---- shared by the three ---- */

/* The number of groups for nrhs right-hand sides that cross `hops' links in sequence, one block of
 * each at a time; 1 if there is none. */
enum { HY_GROUPS_MOST = 4096 };
int64_t hy_groups_of_sides(const struct hy_substitution *s, int64_t hops, int64_t nrhs);

/* The number of right-hand sides in x. */
int64_t hy_nrhs_of(const struct hy_substitution *s, const hyla_matrix *x);
/* Local.  Makes the sums over the rank row in s->sums, local rows x all right-hand sides, the first
 * rank column's first: the right-hand sides that x has here, zeros for the others. */
struct hyla_matrix hy_sums_begin(const struct hy_substitution *s, const hyla_matrix *x);
/* Adds the sums over the rank row, on each rank column for its right-hand sides, into x.
 * Collective over the rank row, not agreed. */
hyla_status hy_sums_end(const struct hy_substitution *s, const struct hyla_matrix *sums,
                        const hyla_matrix *x);

/* Parts of a run that papers count separately (hy_part). */
#define HY_ON_DIAGONAL "solution on the diagonal"
#define HY_AT_HOME "solution where B lies"

/* Is the matrix of the left form lower triangular? */
static inline bool hy_substitution_lower(const struct hy_substitution *s) {
  return (s->triangle == HYLA_LOWER) == (s->op == HYLA_NONE);
}
/* The transpose of a matrix in its place: sizes and axes, no entries. */
struct hyla_matrix hy_substitution_transposed(const hyla_matrix *x);
/* The user's X in the left form: sizes and axes; `local' only if it is not transposed. */
struct hyla_matrix hy_substitution_x(const struct hy_substitution *s, const hyla_matrix *x);
/* The address in t of entry (row, column) of the left form's matrix. */
static inline char *hy_substitution_at(const struct hy_substitution *s, int64_t row,
                                       int64_t column) {
  return s->op == HYLA_NONE ? hy_at(s->t, row, column) : hy_at(s->t, column, row);
}
/* The block that step i solves for: ascending for a lower triangle, otherwise descending; -1: the
 * steps are over. */
static inline int64_t hy_substitution_block(const struct hy_substitution *s, int64_t step) {
  if (step >= s->array.count) return -1;
  return hy_substitution_lower(s) ? step : s->array.count - 1 - step;
}
/* The local rows that are solved for after a block. */
struct hy_row_range {
  int64_t first, count;
};
struct hy_row_range hy_rows_after(const struct hy_substitution *s,
                                  const struct hy_diagonal_block *at);
/* block := L_kk^-1 block on this rank, width x columns; t: the diagonal block. */
void hy_solve_diagonal(const struct hy_substitution *s, const struct hy_diagonal_block *at,
                       const char *t, int ld_t, int64_t columns, char *block, int64_t ld);

/* --------------------------------------------------------------- systems -- */

/* A triangular system with the collectives and the memory of its substitution.
 *
 * create is local; allocate is collective over all ranks and agreed; run is collective over the
 * nodes and not agreed. */

struct hy_triangular_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  struct hy_axis t_row, t_col, x_row, x_col; /* X as its side and op need it (see above) */
  struct hy_triangular form;                 /* all members except t */
  bool travelling;                           /* in the way for many right-hand sides */
  bool sweep; /* by the sweep; if neither: the triangle is stationary */
};

struct hy_triangular_system {
  void *owner;
  struct hy_triangular_problem problem;
  struct hy_substitution s;
  struct hy_subcube_op adds, spreads, shares;
  struct hy_panels panels, ahead; /* ahead: blocks of X */
  struct hy_packed_rows packed;   /* a block column, if the rank has a team */
  int64_t groups;                 /* number of groups of right-hand sides, in a sweep */
};

/* Its memory belongs to the owner. */
hyla_status hy_triangular_create(void *owner, const struct hy_triangular_problem *problem,
                                 struct hy_triangular_system *system);
/* Local.  The factors' blocks as this rank sees them. */
static inline struct hy_block_cyclic hy_factor_array(const struct hy_factorization *problem) {
  return hy_block_cyclic_at(&problem->row, &problem->col, hy_factor_block(problem),
                            problem->cube->address);
}
/* The same for a triangle of a factorization's factors.  X's rows lie as A's rows or, if the form
 * has an op, as A's columns. */
hyla_status hy_triangular_of_factors(void *owner, const struct hy_factorization *problem,
                                     struct hy_triangular form,
                                     struct hy_triangular_system *system);
/* t: the matrix, which outlives the system. */
hyla_status hy_triangular_allocate(struct hy_triangular_system *system, const hyla_matrix *t);
/* x becomes the solution; it may have fewer columns (on the right: rows) than was planned for. */
hyla_status hy_triangular_run(const struct hy_triangular_system *system, const hyla_matrix *x);

/* -------------------------------------------------------------- variants -- */

/* The user's triangular systems, X := alpha op(A)^-1 B or alpha B op(A)^-1, where the front end
 * scales B; and inverses, where X is the triangle. */

/* The problem of the variants; it outlives their states. */
struct hy_trsm_task {
  struct hy_triangular_problem system; /* the variant sets `travelling' */
  const hyla_matrix *t;                /* set before take: the triangle, and the right-hand
                                        * sides, */
  hyla_matrix *x;                      /* which become the solution */
};

/* trsm_published.c.  Local.  Adds a line with the paper's count and the library's own, if the
 * system is one of the paper's.  groups: of right-hand sides; a product has none. */
enum hy_trsm_way { HY_TRSM_BY_SWEEP, HY_TRSM_BY_TREES, HY_TRSM_BY_PRODUCT };
void hy_trsm_published(const struct hy_triangular_problem *p, enum hy_trsm_way way, int64_t groups,
                       struct hy_text *text);

/* A user's call, for rows that say where they want its matrices. */
struct hy_trsm_call {
  hyla_cube *cube;
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  const hyla_matrix *a, *b;
  int64_t order, nrhs;
};

/* trsm_place.c.  Local.  The system of a call, by where the triangle and X are to lie.
 *   system_in      the triangle in that layout, X along it
 *   place_square   the triangle where it lies, if that is cyclic in square blocks of any size; else
 *                  as place_brought
 *   place_brought  the triangle where it lies if its blocks are of a good size; else in the default
 *                  layout.  As op(A) if X then stays where it lies, and is not much smaller than A
 */
struct hy_triangular_problem hy_trsm_system_in(const struct hy_trsm_call *call,
                                               const hyla_layout *layout);
struct hy_triangular_problem hy_trsm_place_square(const struct hy_trsm_call *call);
struct hy_triangular_problem hy_trsm_place_brought(const struct hy_trsm_call *call);

/* The traits of a row; NULL: all 0. */
struct hy_trsm_traits {
  /* Local.  Where the row wants the matrices, in any layouts that split both over the whole cube.
   * NULL: place_square. */
  struct hy_triangular_problem (*place)(const struct hy_trsm_call *call);
  bool travelling; /* the triangle's block columns travel; otherwise partial sums */
  bool sweep;      /* the sums go from one rank column to the next */
  bool tiled;      /* the tiles of the diagonal blocks are inverted; only with travelling */
  bool product;    /* identities on the diagonal: block columns travel; otherwise partial sums */
};

/* trsm_substitution.c: the functions of such a row.  Create is local; allocate is collective over
 * all ranks and agreed. */
hyla_status hy_trsm_create(const struct hy_variant *variant, const void *task, void **state);
hyla_status hy_trsm_allocate(void *state);
hyla_status hy_trsm_run(void *state);
void hy_trsm_explain(const void *state, struct hy_text *text);
#define HY_TRSM_OPERATIONS                                                                         \
  .create = hy_trsm_create, .allocate = hy_trsm_allocate, .run = hy_trsm_run,                      \
  .explain = hy_trsm_explain

#endif
