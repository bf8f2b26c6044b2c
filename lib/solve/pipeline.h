/* Private to lib/solve: elimination with pivots on the diagonal, pipelined element by element.
 *
 * Johnsson 1987, sections 6.1 and 6.2, on element-cyclic storage.  Pivot j leaves its node at
 * start[j]: its row goes down the rank columns, element after element, the factors made of its
 * column along the rank rows.  Element s of the row leaves rank column l dist(l) steps later,
 * factor s leaves rank row p dist(p) steps later, dist being the distance from the pivot's: so
 * both come to node (p, l) s steps after start[j] + dist(p) + dist(l), and no node waits.  Nothing
 * goes farther than to the last rank that needs it.
 *
 * The next pivot may leave while words of this one are still on their way.  Two words of which the
 * later one has caught up come to a node at the same time; that node has then come closer to the
 * next pivot by all bits of its address in which the two pivots differ.  It gets this pivot's
 * words over one of these bits, and the next one's over another: doc/theory.md has the proof. */
#ifndef HY_PIPELINE_H
#define HY_PIPELINE_H 1

#include "solve/solve.h"

struct hy_pipeline {
  struct hy_axis row, col; /* of the matrix, in blocks of one */
  struct hy_axis x_col;    /* of right-hand sides that ride along */
  bool whole;              /* rows above a pivot are eliminated too, and the last one sends */
  int64_t *start;          /* n */
  int64_t rows_at;         /* the words of factors, at most; those of rows stand behind them */
  int64_t words;           /* of a node, at most */
  int64_t steps;           /* after which all words are there */
};

/* start: n entries of the caller's, which are filled in. */
struct hy_pipeline hy_pipeline_of(const struct hy_axis *row, const struct hy_axis *col,
                                  const struct hy_axis *x_col, bool whole, int64_t *start);
/* The generator's: the schedule of a node of the cube that the axes split; table: the pipeline.
 * Word w of a node's buffer is block w of the schedule. */
hyla_status hy_pipeline_make(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule);

/* How many pivots send anything.  Without rows above, the last one has no factors, and its row
 * stays where it is. */
static inline int64_t hy_pipeline_sending(const struct hy_pipeline *p) {
  return p->whole ? p->row.n : hy_max(0, p->row.n - 1);
}

/* How far a node lies from pivot j, counted in steps, and what it holds for it.  Factors go in the
 * order of rows from `row' on; where rows above are eliminated, these come after those behind. */
struct hy_pivot_place {
  uint32_t row_way, col_way; /* of its address, from the pivot's rank row, rank column */
  int64_t row, col;          /* local ones, from which on: behind the pivot; from the pivot on */
  int64_t factors, elements; /* of these rows, one each; of these columns and right-hand sides */
};
struct hy_pivot_place hy_pivot_place(const struct hy_pipeline *p, uint32_t node, int64_t pivot);

/* ----------------------------------------------------------- elimination -- */

/* The first pivot that fails. */
struct hy_pivot_failure {
  int64_t pivot; /* from 1; 0: none */
  int64_t status;
};

struct hy_elimination {
  hyla_cube *cube;
  struct hy_pipeline pipeline;
  struct hy_schedule schedule;
  const struct hy_kernels *k;
  const hyla_matrix *a;            /* there before it is run */
  int64_t *start;                  /* of the pipeline; behind it, in the same memory: */
  int64_t *element_at, *factor_at; /* a pivot's first word of each kind */
  int64_t *offsets;                /* of words that are there; pipeline.words + 1 */
  char *words;                     /* elements and factors, as they come */
  struct hy_pivot_failure failure;
  struct hy_group failures;
};

/* elimination.c, collective over the nodes: eliminates A, and tells all of the first pivot that
 * fails; with x not NULL the same is done to x on the way.
 * Without rows above: A becomes L and U.  With them: column j of A becomes that of J^j in
 * A^-1 = J^(n-1) ... J^0, and x := A^-1 x. */
hyla_status hy_eliminate(struct hy_elimination *e, const hyla_matrix *x);

/* elimination_workspace.c, local.  create: free it also after a failure; take: its memory; cost:
 * of one run without right-hand sides, with that memory. */
hyla_status hy_elimination_create(const struct hy_factorization *problem, bool whole,
                                  struct hy_elimination *e);
hyla_status hy_elimination_take(struct hy_elimination *e, const hyla_matrix *a);
hyla_status hy_elimination_cost(const struct hy_elimination *e, hyla_cost *cost);
void hy_elimination_free(struct hy_elimination *e);

/* Why the layout does not do, NULL if it does: of the variants' rows. */
const char *hy_elimination_applies(const void *given);

#endif
