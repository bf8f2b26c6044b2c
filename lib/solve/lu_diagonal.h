/* Private to lib/solve: the pipelined elimination of LU with pivots on the diagonal.
 *
 * Johnsson 1987, section 6.2, on element-cyclic storage.  Pivot j leaves its node at start[j]: its
 * row goes down the rank columns, element after element, the factors made of its column along the
 * rank rows.  Element s of the row leaves rank column l dist(l) steps later, factor s leaves rank
 * row p dist(p) steps later, dist being the distance from the pivot's: so both come to node (p, l)
 * s steps after start[j] + dist(p) + dist(l), and no node waits.
 *
 * The links of a tree are free for the next pivot one step after the row's last element, or two: a
 * node that comes closer to the next pivot gets its elements over the dimension that brings it
 * closer, and so is a leaf of this one's tree. */
#ifndef HY_LU_DIAGONAL_H
#define HY_LU_DIAGONAL_H 1

#include "solve/solve.h"
#include "solve/triangular.h"

struct hy_pipeline {
  struct hy_axis row, col; /* of the matrix, in blocks of one */
  struct hy_axis x_col;    /* of right-hand sides that ride along */
  int64_t *start;          /* n */
  int64_t rows_at;         /* the words of factors, at most; those of rows stand behind them */
  int64_t words;           /* of a node, at most */
};

/* start: n entries of the caller's, which are filled in. */
struct hy_pipeline hy_pipeline_of(const struct hy_axis *row, const struct hy_axis *col,
                                  const struct hy_axis *x_col, int64_t *start);
/* The generator's: the schedule of a node of the cube that the axes split; table: the pipeline.
 * Word w of a node's buffer is block w of the schedule. */
hyla_status hy_pipeline_make(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule);

/* How far a node lies from pivot j, counted in steps, and what it holds behind it. */
struct hy_pivot_place {
  uint32_t row_way, col_way; /* of its address, from the pivot's rank row, rank column */
  int64_t row, col;          /* local ones, from which on: behind the pivot; from the pivot on */
  int64_t factors, elements; /* of these rows, one each; of these columns and right-hand sides */
};
struct hy_pivot_place hy_pivot_place(const struct hy_pipeline *p, uint32_t node, int64_t pivot);

/* The first pivot that fails. */
struct hy_pivot_failure {
  int64_t pivot; /* from 1; 0: none */
  int64_t status;
};

struct hy_diagonal_lu {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  struct hy_pipeline pipeline;
  struct hy_schedule schedule;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  int64_t *start;                  /* of the pipeline; behind it, in the same memory: */
  int64_t *element_at, *factor_at; /* a pivot's first word of each kind */
  int64_t *offsets;                /* of words that are there; pipeline.words + 1 */
  char *words;                     /* elements and factors, as they come */
  struct hy_pivot_failure failure;
  struct hy_group failures;
  /* [with op][U]: L X = B and U X = B; those with op(L) and op(U) are taken when first wanted. */
  struct hy_triangular_system system[2][2];
  bool opposite_taken;
  hyla_cost cost; /* of this node */
};

/* lu_diagonal.c, collective over the nodes: factors A, and tells all of the first pivot that fails;
 * with x not NULL x := L^-1 x on the way. */
hyla_status hy_diagonal_eliminate(struct hy_diagonal_lu *d, const hyla_matrix *x);

/* lu_diagonal_workspace.c: of the variant's row; what solves with op(L) and op(U), collective over
 * cube and guests, agreed upon. */
hyla_status hy_diagonal_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_diagonal_take(void *state);
void hy_diagonal_destroy(void **state);
#define HY_DIAGONAL_WORKSPACE                                                                      \
  .create = hy_diagonal_create, .take = hy_diagonal_take, .destroy = hy_diagonal_destroy
hyla_status hy_diagonal_take_opposite(struct hy_diagonal_lu *d);

#endif
