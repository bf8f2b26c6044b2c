/* Door of solve/triangle: triangular systems, and the variants that solve them for the user. */
#ifndef HY_SOLVE_TRIANGLE_H
#define HY_SOLVE_TRIANGLE_H 1

#include "solve/contract/contract.h"
#include "solve/panels/panels.h"

/* ---------------------------------------------------------- substitution -- */

/* Triangular systems op(T) X = B and X op(T) = B by substitution, block
 * by block, X in the place of B.
 *
 * T lies block-cyclically on a 2^r x 2^c array with square blocks.  All forms are one: X from
 * the right is transposed (conjugated, too, for op C), and a transposing op exchanges the
 * roles of rank rows and rank columns.  So the left form L X = B or U X = B remains, with the
 * matrix' rows along one axis of T, its columns along the other.  X lies so that no entry
 * changes its rank for that:
 *
 *   form           X lies as T's    along       and is split by the dimensions of T's
 *   left,  N       rows             its rows    columns, along its columns
 *   left,  T, C    columns          its rows    rows, along its columns
 *   right, N       columns          its columns rows, along its rows
 *   right, T, C    rows             its columns columns, along its rows */

/* So many right-hand sides count as few: the matrix stays where it is and partial sums travel.
 * With more, panels travel and all ranks compute. */
enum { HY_FEW_SIDES = 64 };

struct hy_triangular {
  const hyla_matrix *t; /* one triangle is read */
  int64_t block;
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  bool inverse; /* X is T itself, and becomes its inverse; from the left, op NONE, many */
  bool tiled;   /* the diagonal blocks' tiles are inverted (panels.h); many, no inverse */
};

/* What changes rows of X before block k of it is solved for, as the swaps of a factorization
 * with pivoting do.  In the left form, few right-hand sides. */
struct hy_row_swaps {
  void *arg;
  /* Collective over the rank column.  Changes rows of x, all of whose columns are here; those
   * of block k go to `block` on all these ranks, width x columns. */
  hyla_status (*swap)(void *arg, const struct hy_diagonal_block *at, const struct hyla_matrix *x,
                      char *block);
  /* Diagonal block k, which on q_k all ranks have, with its leading dimension. */
  const char *(*diagonal)(void *arg, const struct hy_diagonal_block *at, int *ld);
};

/* What is done with the block rows of the inverse of a lower triangle, on every rank, as they come
 * to be.
 *   pass  collective over the nodes, while no block column of the triangle is on its way, so that
 *         messages along the rank rows cannot be taken for one
 *   use   after all else of the step; may change the matrix in these rows, diagonal block included,
 *         and before them */
struct hy_inverse_row {
  const struct hy_diagonal_block *at;
  const char *rows; /* this rank's columns before the diagonal block; may stand in the matrix */
  int64_t ld;
  const char *diagonal; /* on q_k: the diagonal block, width x width, with zeros above */
};
struct hy_inverse_rows {
  void *arg;
  hyla_status (*pass)(void *arg, const struct hy_inverse_row *row);
  hyla_status (*use)(void *arg, const struct hy_inverse_row *row);
};

/* A system in the left form, and memory, which is the user's. */
struct hy_substitution {
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *t;
  struct hy_block_cyclic array; /* of the matrix of the left form */
  hyla_triangle triangle;       /* of t */
  hyla_operation op;            /* t -> that matrix */
  hyla_diagonal diagonal;
  hyla_operation turn; /* the user's X -> X */
  bool inverse, tiled;
  /* Many, of a lower triangle: the global rows with which X's local columns begin, ascending; what
   * is above is zero and stays so.  NULL: with the first one, all. */
  const int64_t *begins;
  const struct hy_row_swaps *swaps;   /* NULL: none */
  const struct hy_inverse_rows *rows; /* of an inverse; NULL: nothing is done with them */
  const struct hy_group *adds;        /* few: sums over the rank row, as long as `sums` */
  const struct hy_group *spreads;     /* blocks of the solution over the rank column */
  char *sums;                         /* few, sweep: local rows of X x all right-hand sides */
  char *blocks;                       /* few: two blocks x right-hand sides; sweep: one */
  struct hy_panels *panels;           /* many: along the rank rows; sweep: the rank columns */
  struct hy_panels *ahead;            /* many: of blocks of X, down the rank columns, where each is
                                         made ahead; NULL: each is broadcast when its turn comes.
                                         Neither of an inverse nor with `begins' */
  char *solved;                       /* many, on several rank rows: a block x local columns of X;
                                         of an inverse and with tiles always; not with `ahead' */
  struct hy_packed_rows *packed;      /* many: of a block column, for the team; NULL: BLAS' threads
                                         share out its products */
  int64_t groups;                     /* sweep: of right-hand sides, hy_sweep_groups */
  char *travels;                      /* sweep: sums on their way, 2 hy_sweep_rows x all right-hand
                                         sides */
  struct hy_message *messages;        /* sweep: HY_SWEEP_MESSAGES for each group */
  char *turned;                       /* many, where X is turned: as large as X here */
};

/* Local.  The system in the left form; no memory. */
struct hy_substitution hy_substitution_of(const struct hy_triangular *system);

/* Local.  On a counting cube: memory that is none, and the groups of a cube that it stands in
 * for, of which that of the panels is the third, that of blocks made ahead the second.  messages,
 * groups: the caller's to set, as is `ahead'. */
struct hy_counted_groups {
  struct hy_group adds, spreads, shares;
  struct hy_panels panels, ahead;
};
void hy_substitution_counted(struct hy_substitution *s, struct hy_counted_groups *groups);

/* Local.  Bytes on a rank that holds a part of X: for few right-hand sides, nrhs of them,
 * sums; for many, a panel's slot. */
int64_t hy_substitution_sums(const struct hy_substitution *s, int64_t nrhs);
int64_t hy_substitution_slot(const struct hy_substitution *s);
/* Local.  Of many: may strips of right-hand sides be solved for each by itself, where X is not its
 * matrix and the block columns are stored as they are multiplied by? */
bool hy_substitution_strips(const struct hy_substitution *s);

/* Local.  Of a sweep: into how many groups so many right-hand sides go, 1 for none, by the cube's
 * machine; rows of sums that travel at a time, at most. */
enum { HY_SWEEP_MESSAGES = 2 };
int64_t hy_sweep_groups(const struct hy_substitution *s, int64_t nrhs);
int64_t hy_sweep_rows(const struct hy_substitution *s);
/* Collective over the nodes; not agreed.  The sweep itself: sums of hy_sums_begin become the
 * solution, block k on rank column q_k, zeros elsewhere. */
hyla_status hy_sweep_sums(const struct hy_substitution *s, const hyla_matrix *sums);

/* Collective over the nodes; not agreed.  x becomes the solution.
 * few   T stays where it is, partial sums travel
 * many  T's block columns travel, all ranks compute; not with swaps; x is T for an inverse
 * sweep T stays where it is, partial sums go from one rank column to the next; not with swaps */
hyla_status hy_substitute_sweep(const struct hy_substitution *s, const hyla_matrix *x);
hyla_status hy_substitute_few(const struct hy_substitution *s, const hyla_matrix *x);
hyla_status hy_substitute_many(const struct hy_substitution *s, const hyla_matrix *x);

/* Collective over the group's members, not agreed: data on the member at an address becomes the
 * sum of all members'.  What is added counts in a cost. */
hyla_status hy_sum_sides(const struct hy_group *adds, const struct hy_kernels *k, int root,
                         char *data, int64_t words);

/* ---- shared by the ways ---- */

/* Into how many groups so many right-hand sides go that cross so many links one behind the other, a
 * block of each at a time; 1 for none. */
enum { HY_GROUPS_MOST = 4096 };
int64_t hy_groups_of_sides(const struct hy_substitution *s, int64_t hops, int64_t nrhs);

/* How many right-hand sides x has. */
int64_t hy_sides(const struct hy_substitution *s, const hyla_matrix *x);
/* Sums over the rank row in s->sums, local rows by all right-hand sides, those of the first rank
 * column first: the right-hand sides that x has here, zeros for the others.  Local. */
struct hyla_matrix hy_sums_begin(const struct hy_substitution *s, const hyla_matrix *x);
/* Adds the sums up over the rank row, each rank column's right-hand sides there, into x.
 * Collective over the rank row, not agreed. */
hyla_status hy_sums_end(const struct hy_substitution *s, const struct hyla_matrix *sums,
                        const hyla_matrix *x);

/* Parts of a run that papers count by themselves (hy_part). */
#define HY_ON_DIAGONAL "solution on the diagonal"
#define HY_AT_HOME "solution where B lies"

/* Is the matrix of the left form lower triangular? */
static inline bool hy_substitution_lower(const struct hy_substitution *s) {
  return (s->triangle == HYLA_LOWER) == (s->op == HYLA_NONE);
}
/* A matrix transposed where it lies: sizes and axes, no entries. */
struct hyla_matrix hy_substitution_turned(const hyla_matrix *x);
/* The user's X as it is in the left form: sizes and axes; local only where it is not turned. */
struct hyla_matrix hy_substitution_x(const struct hy_substitution *s, const hyla_matrix *x);
/* Entry (row, column) of the left form's matrix as t holds it. */
static inline char *hy_substitution_at(const struct hy_substitution *s, int64_t row,
                                       int64_t column) {
  return s->op == HYLA_NONE ? hy_at(s->t, row, column) : hy_at(s->t, column, row);
}
/* Step i solves for block: ascending for a lower triangle, else descending; -1: none left. */
static inline int64_t hy_substitution_block(const struct hy_substitution *s, int64_t step) {
  if (step >= s->array.count) return -1;
  return hy_substitution_lower(s) ? step : s->array.count - 1 - step;
}
/* Local rows that are to be solved for after a block. */
struct hy_row_range {
  int64_t first, count;
};
struct hy_row_range hy_rows_after(const struct hy_substitution *s,
                                  const struct hy_diagonal_block *at);
/* block := L_kk^-1 block on this rank, width x columns; t: the diagonal block. */
void hy_solve_diagonal(const struct hy_substitution *s, const struct hy_diagonal_block *at,
                       const char *t, int ld_t, int64_t columns, char *block, int64_t ld);

/* --------------------------------------------------------------- systems -- */

/* A triangular system with all that its substitution takes: collectives,
 * memory, cost.
 *
 * create, cost and free are local; take is collective over cube and guests and agreed upon; run
 * is collective over the nodes and not agreed. */

struct hy_triangular_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  struct hy_axis t_row, t_col, x_row, x_col; /* X as its side and op want it (triangle.h) */
  struct hy_triangular form;                 /* but for t */
  bool many;                                 /* by the way for many right-hand sides */
  bool sweep;                                /* by the sweep; neither: as few */
};

struct hy_triangular_system {
  struct hy_triangular_problem problem;
  struct hy_substitution s;
  struct hy_group adds, spreads, shares;
  struct hy_panels panels, ahead; /* ahead: of blocks of X */
  struct hy_packed_rows packed;   /* of a block column, where the rank has a team */
  int64_t groups;                 /* of right-hand sides, in a sweep */
};

/* Free it also after a failure. */
hyla_status hy_triangular_create(const struct hy_triangular_problem *problem,
                                 struct hy_triangular_system *system);
/* The same for a triangle of a factorization's factors: X's rows lie as A's rows or, where the form
 * has an op, as A's columns. */
struct hy_factorization;
hyla_status hy_triangular_of_factors(const struct hy_factorization *problem,
                                     struct hy_triangular form,
                                     struct hy_triangular_system *system);
/* t: the matrix, which outlives the system. */
hyla_status hy_triangular_take(struct hy_triangular_system *system, const hyla_matrix *t);
/* x becomes the solution; it may have fewer columns, from the right rows, than was planned for. */
hyla_status hy_triangular_run(const struct hy_triangular_system *system, const hyla_matrix *x);
/* Exactly what a run costs this node: counted on a counting cube. */
hyla_status hy_triangular_cost(const struct hy_triangular_system *system, hyla_cost *cost);
void hy_triangular_free(struct hy_triangular_system *system);

/* -------------------------------------------------------------- variants -- */

/* The variants of triangular systems for the user, X := alpha op(A)^-1 B or
 * alpha B op(A)^-1, B scaled by the front end; and of inverses, where X is the triangle. */

/* The problem of the variants; outlives their states. */
struct hy_trsm_task {
  struct hy_triangular_problem system; /* `many` is the variant's to say */
  const hyla_matrix *t;                /* there before take: the triangle; right-hand sides, */
  hyla_matrix *x;                      /* which become the solution */
};

/* trsm_theorem.c.  Local.  Adds a line with the paper's count of the way and the library's own,
 * where the system is one of the paper's.  groups: of right-hand sides; a product has none. */
enum hy_trsm_way { HY_TRSM_BY_SWEEP, HY_TRSM_BY_TREES, HY_TRSM_BY_PRODUCT };
void hy_trsm_published(const struct hy_triangular_problem *p, enum hy_trsm_way way, int64_t groups,
                       struct hy_text *text);

/* The traits of a row that solves by substitution. */
struct hy_trsm_traits {
  bool many;  /* the triangle's block columns travel, else partial sums */
  bool sweep; /* these go from one rank column to the next */
  bool tiled; /* the tiles of the diagonal blocks are inverted; many */
};

/* trsm_substitution.c: the members of such a row.  Create is local; take is collective over
 * cube and guests and agreed upon; the cost is exact. */
hyla_status hy_trsm_create(const struct hy_variant *variant, const void *task, void **state);
hyla_cost hy_trsm_cost(const void *state);
hyla_status hy_trsm_take(void *state);
hyla_status hy_trsm_run(void *state);
void hy_trsm_explain(const void *state, struct hy_text *text);
void hy_trsm_destroy(void **state);
#define HY_TRSM_OPERATIONS                                                                         \
  .create = hy_trsm_create, .cost = hy_trsm_cost, .take = hy_trsm_take, .run = hy_trsm_run,        \
  .explain = hy_trsm_explain, .destroy = hy_trsm_destroy

#endif
