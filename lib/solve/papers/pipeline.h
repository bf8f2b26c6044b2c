/* Private to solve/papers: elimination with pivots on the diagonal, pipelined element by element,
 * by multiples of rows or by rotations.
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
 * words over one of these bits, and the next one's over another: doc/theory.md has the proof.
 *
 * Rotations change the pivot's row with each row that they eliminate.  So it goes from rank row to
 * rank row, which are neighbours in their order, and home again (section 6.3); their quotients go
 * along the rank rows as factors do.  Where a rank row makes f of them, elements behind the pivot's
 * rank column stay f - 1 steps behind, so that all quotients are there when one comes. */
#ifndef HY_PIPELINE_H
#define HY_PIPELINE_H 1

#include "solve/papers/papers.h"

/* What is done with a pivot's row. */
enum hy_elimination_kind {
  HY_ELIMINATE_BELOW, /* multiples are added to the rows below it */
  HY_ELIMINATE_ALL,   /* and to those above; the last one is added too */
  HY_ROTATE,          /* it is rotated with the rows below it */
  HY_ROTATE_SIDES,    /* right-hand sides alone are, by the quotients that HY_ROTATE has left, */
  HY_ROTATE_BACK,     /* or the inverse of that, the last pivot first */
};

struct hy_pipeline {
  struct hy_axis row, col; /* of the matrix, in blocks of one */
  struct hy_axis x_col;    /* of right-hand sides that ride along */
  enum hy_elimination_kind kind;
  int64_t *start;  /* n */
  int64_t rows_at; /* the words of factors, at most; those of rows stand behind them */
  int64_t words;   /* of a node, at most */
  int64_t steps;   /* after which all words are there */
};

/* start: n entries of the caller's, which are filled in. */
struct hy_pipeline hy_pipeline_of(const struct hy_axis *row, const struct hy_axis *col,
                                  const struct hy_axis *x_col, enum hy_elimination_kind kind,
                                  int64_t *start);
/* The generator's: the schedule of a node of the cube that the axes split; table: the pipeline.
 * Word w of a node's buffer is block w of the schedule. */
hyla_status hy_pipeline_make(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule);

/* elimination_theorem.c.  Local.  Adds a line with the paper's count, where there is one, and the
 * pipeline's own.  nrhs: right-hand sides that ride along. */
void hy_pipeline_published(const struct hy_pipeline *p, int64_t nrhs, struct hy_text *text);

static inline bool hy_rotates(const struct hy_pipeline *p) { return p->kind >= HY_ROTATE; }

/* Do A's columns travel? */
static inline bool hy_columns_travel(const struct hy_pipeline *p) { return p->kind <= HY_ROTATE; }

/* How many pivots send anything.  Without rows above, the last one has no factors, and its row
 * stays where it is. */
static inline int64_t hy_pipeline_sending(const struct hy_pipeline *p) {
  return p->kind == HY_ELIMINATE_ALL ? p->row.n : hy_max(0, p->row.n - 1);
}

/* The i-th pivot on its way. */
static inline int64_t hy_pipeline_pivot(const struct hy_pipeline *p, int64_t i) {
  return p->kind == HY_ROTATE_BACK ? p->row.n - 1 - i : i;
}

/* How far a node lies from pivot j, counted in steps, and what it holds for it.  Factors go in the
 * order of rows from `row' on; where rows above are eliminated, these come after those behind. */
struct hy_pivot_place {
  uint32_t row_way, col_way; /* of its address, from the pivot's rank row, rank column */
  int64_t row, col;          /* local ones, from which on: behind the pivot; from the pivot on */
  int64_t factors, elements; /* of these rows, one each; of these columns and right-hand sides */
};
struct hy_pivot_place hy_pivot_place(const struct hy_pipeline *p, uint32_t node, int64_t pivot);
/* Of a pivot: what a part of the rank rows, of the rank columns has to send. */
int64_t hy_pivot_factors(const struct hy_pipeline *p, int part, int64_t pivot);
int64_t hy_pivot_elements(const struct hy_pipeline *p, int part, int64_t pivot);

/* A tree, of which a node is `way' from the root. */
struct hy_pivot_tree {
  uint32_t way, dims, turned;
  int reach; /* how far it goes */
};
/* One word's way through a tree, at step `here' of the node. */
hyla_status hy_pivot_tree_add(struct hy_schedule *schedule, const struct hy_pivot_tree *tree,
                              int64_t here, int64_t word);

/* --------------------------------------------------- rotation_pipeline.c -- */

/* A pivot's row on its way through `parts' rank rows, of which it passes those up to the farthest
 * behind its own, or all of them in a circle. */
struct hy_tour {
  int parts, farthest, hops;
  bool circle, back; /* back: against the order of rank rows */
};
struct hy_tour hy_tour_of(const struct hy_pipeline *p, int64_t pivot);
/* After how many hops it comes to the rank row `offset' behind its own, in *hops; how many times it
 * does.  Rows there are rotated with at the first of them, or at the last of a tour back. */
int hy_tour_visits(const struct hy_tour *tour, int offset, int hops[2]);
/* How far a node's rank row lies behind the pivot's. */
int hy_tour_offset(const struct hy_pipeline *p, uint32_t node, int64_t pivot);
/* How many steps elements stay behind where a node is `way' from the pivot's rank column. */
int64_t hy_tour_wait(const struct hy_pipeline *p, uint32_t way, int64_t pivot);

/* Of hy_pipeline_of and hy_pipeline_make, where there are rotations. */
void hy_tour_times(struct hy_pipeline *p);
hyla_status hy_tour_make(const struct hy_pipeline *p, uint32_t node, struct hy_schedule *schedule);

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
 *   HY_ELIMINATE_BELOW  A becomes L and U
 *   HY_ELIMINATE_ALL    column j of A becomes that of J^j in A^-1 = J^(n-1) ... J^0; x := A^-1 x
 *   HY_ROTATE           A becomes R, with the rotations' quotients below its diagonal; x := Q^H x
 *   HY_ROTATE_SIDES, _BACK  x := Q^H x, x := Q x; nothing fails */
hyla_status hy_eliminate(struct hy_elimination *e, const hyla_matrix *x);

/* A pivot as this node meets it; its words are there where it sends any. */
struct hy_layer {
  struct hy_pivot_place at;
  int64_t pivot, own;   /* own: of the elements, columns of a */
  const hyla_matrix *x; /* NULL: none rides along */
  char *elements, *factors;
};
struct hy_layer hy_layer_of(const struct hy_elimination *e, const hyla_matrix *x, int64_t pivot);
/* Where element `slot' of the pivot's row belongs, in a local row; NULL: it does not travel. */
char *hy_layer_entry(const struct hy_elimination *e, const struct hy_layer *l, int64_t row,
                     int64_t slot);
/* Keeps the first pivot that is 0 or not finite. */
hyla_status hy_pivot_verdict_of(const struct hy_kernels *k, const void *pivot);
void hy_pivot_judge(struct hy_elimination *e, int64_t pivot, const void *value);

/* elimination_add.c, elimination_rotate.c, of hy_eliminate: all that there is to do on a node in a
 * step; *oldest, of the pivots in their order, the first that is not done with. */
void hy_add_rows_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x, int64_t *oldest);
void hy_rotate_rows_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x,
                       int64_t *oldest);

/* elimination_workspace.c, local.  create: free it also after a failure; take: its memory; cost:
 * of one run, with that memory; of A alone, or of nrhs right-hand sides where A does not travel. */
hyla_status hy_elimination_create(const struct hy_factorization *problem,
                                  enum hy_elimination_kind kind, struct hy_elimination *e);
hyla_status hy_elimination_take(struct hy_elimination *e, const hyla_matrix *a);
hyla_status hy_elimination_cost(const struct hy_elimination *e, hyla_cost *cost);
void hy_elimination_free(struct hy_elimination *e);

/* Why the layout does not do, NULL if it does: of the variants' rows. */
const char *hy_elimination_applies(const void *given);

#endif
