/* Private to solve/papers: elimination with pivots on the diagonal, pipelined element by element,
 * by multiples of rows or by rotations.
 *
 * Reference: Johnsson 1987, sections 6.1 and 6.2, on element-cyclic storage.
 *
 * Multiples of rows.  Pivot j leaves its node at start[j].  Its row goes down the rank columns,
 * element after element; the factors made of its column go along the rank rows.  Let dist be the
 * distance from the pivot's rank row or rank column.  Element s of the row leaves rank column l
 * dist(l) steps later, factor s leaves rank row p dist(p) steps later.  So both come to node (p, l)
 * s steps after start[j] + dist(p) + dist(l), and no node waits.  Nothing travels farther than to
 * the last rank that needs it.
 *
 * Example on 4 nodes, 2 x 2, one element a node, pivot 0 at step 0: the pivot goes from (0, 0) to
 * (1, 0), and a_01 leaves (0, 1) at step 1 for (1, 1).  Node (1, 0) makes the factor f = a_10 /
 * a_00 at step 1 and sends it to (1, 1), where f and a_01 arrive together at step 2: a_11 := a_11 -
 * f a_01.
 *
 * The next pivot may leave while words of this one still travel.  Suppose that a later word has
 * caught up with an earlier one, so that both come to a node at the same time.  That node is then
 * closer to the next pivot by all bits of its address in which the two pivots differ.  It gets this
 * pivot's words over one of these bits, and the next pivot's words over another one; doc/theory.md
 * has the proof.
 *
 * Rotations change the pivot's row with each row that they eliminate.  So the row goes from rank
 * row to rank row, which are neighbours in their order, and home again (section 6.3).  The
 * quotients go along the rank rows as factors do.  If a rank row makes f quotients, elements behind
 * the pivot's rank column stay f - 1 steps behind, so that all quotients are there when an element
 * comes. */
#ifndef HY_PIPELINE_H
#define HY_PIPELINE_H 1

#include "solve/papers/papers.h"

/* The use of a pivot's row. */
enum hy_elimination_kind {
  HY_ELIMINATE_BELOW, /* multiples are added to the rows below it */
  HY_ELIMINATE_ALL,   /* and to those above; the last pivot's row is added too */
  HY_ROTATE,          /* it is rotated with the rows below it */
  HY_ROTATE_SIDES,    /* right-hand sides only, by the quotients that HY_ROTATE has left */
  HY_ROTATE_BACK,     /* the inverse of that, beginning with the last pivot */
};

struct hy_pipeline {
  struct hy_axis row, col; /* of the matrix, in blocks of one */
  struct hy_axis x_col;    /* of right-hand sides eliminated with A */
  enum hy_elimination_kind kind;
  int64_t *start;  /* n */
  int64_t rows_at; /* the most words of factors; the words of rows stand behind them */
  int64_t words;   /* the most words of a node */
  int64_t steps;   /* steps after which all words have arrived */
};

/* start: n entries of the caller's, to be filled in. */
struct hy_pipeline hy_pipeline_of(const struct hy_axis *row, const struct hy_axis *col,
                                  const struct hy_axis *x_col, enum hy_elimination_kind kind,
                                  int64_t *start);
/* The generator's function: the schedule of a node of the cube that the axes split; table: the
 * pipeline.  Word w of a node's buffer is block w of the schedule. */
hyla_status hy_pipeline_make(const struct hy_generator *generator, uint32_t node,
                             struct hy_schedule *schedule);

/* elimination_published.c.  Local.  Adds a line with the pipeline's steps and, if the paper has a
 * count, another one with both.  nrhs: right-hand sides eliminated with A. */
void hy_pipeline_explain(const struct hy_pipeline *p, int64_t nrhs, struct hy_text *text);

static inline bool hy_rotates(const struct hy_pipeline *p) { return p->kind >= HY_ROTATE; }

/* Do A's columns travel? */
static inline bool hy_columns_travel(const struct hy_pipeline *p) { return p->kind <= HY_ROTATE; }

/* The number of pivots that send anything.  Without rows above, the last pivot has no factors, and
 * its row stays. */
static inline int64_t hy_pipeline_sending(const struct hy_pipeline *p) {
  return p->kind == HY_ELIMINATE_ALL ? p->row.n : hy_max(0, p->row.n - 1);
}

/* The i-th pivot in the order of work. */
static inline int64_t hy_pipeline_pivot(const struct hy_pipeline *p, int64_t i) {
  return p->kind == HY_ROTATE_BACK ? p->row.n - 1 - i : i;
}

/* A node's distance from pivot j, and the words that it holds for it.  Factors are in the order of
 * rows from `row' on; if rows above are eliminated, these come after the rows behind. */
struct hy_pivot_place {
  uint32_t row_way, col_way; /* its address relative to the pivot's rank row; to its rank column */
  int64_t row, col;          /* first local row behind the pivot; first local column from the pivot
                              * on */
  int64_t factors, elements; /* one factor for each of these rows; one element for each of these
                              * columns and right-hand sides */
};
struct hy_pivot_place hy_pivot_place(const struct hy_pipeline *p, uint32_t node, int64_t pivot);
/* The number of words that a part of the rank rows (rank columns) sends for a pivot. */
int64_t hy_pivot_factors(const struct hy_pipeline *p, int part, int64_t pivot);
int64_t hy_pivot_elements(const struct hy_pipeline *p, int part, int64_t pivot);

/* A tree, in which a node is `way' from the root. */
struct hy_pivot_tree {
  uint32_t way, dims, changed;
  int reach; /* the farthest distance that words go */
};
/* Adds one word's way through a tree; the word is at the node at step `here'. */
hyla_status hy_pivot_tree_add(struct hy_schedule *schedule, const struct hy_pivot_tree *tree,
                              int64_t here, int64_t word);

/* --------------------------------------------------- rotation_pipeline.c -- */

/* A pivot's row on its way through `parts' rank rows.  It passes those up to the farthest behind
 * its own, or all of them in a circle. */
struct hy_row_path {
  int parts, farthest, hops;
  bool circle, back; /* back: against the order of rank rows */
};
struct hy_row_path hy_row_path_of(const struct hy_pipeline *p, int64_t pivot);
/* Sets *hops: the hops after which the row comes to the rank row `offset' behind its own; returns
 * the number of visits.  The rows there are rotated at the first visit, on a tour back at the last
 * one. */
int hy_row_path_visits(const struct hy_row_path *path, int offset, int hops[2]);
/* The offset of a node's rank row behind the pivot's. */
int hy_row_path_offset(const struct hy_pipeline *p, uint32_t node, int64_t pivot);
/* The steps that elements stay behind on a node `way' from the pivot's rank column. */
int64_t hy_row_path_wait(const struct hy_pipeline *p, uint32_t way, int64_t pivot);

/* The parts of hy_pipeline_of and hy_pipeline_make for rotations. */
void hy_row_path_times(struct hy_pipeline *p);
hyla_status hy_row_path_make(const struct hy_pipeline *p, uint32_t node,
                             struct hy_schedule *schedule);

/* ----------------------------------------------------------- elimination -- */

/* The first failing pivot. */
struct hy_pivot_failure {
  int64_t pivot; /* from 1; 0: none failed */
  int64_t status;
};

struct hy_elimination {
  struct hy_release release; /* of the schedule */
  void *owner;
  hyla_cube *cube;
  struct hy_pipeline pipeline;
  struct hy_schedule schedule;
  const struct hy_kernels *k;
  const hyla_matrix *a;            /* set before it is run */
  int64_t *start;                  /* the pipeline's; behind it, in the same memory: */
  int64_t *element_at, *factor_at; /* a pivot's first word of each kind */
  int64_t *offsets;                /* of the words present; pipeline.words + 1 */
  char *words;                     /* elements and factors as they arrive */
  struct hy_pivot_failure failure;
  struct hy_subcube_op failures;
};

/* elimination.c, collective over the nodes: eliminates A and tells all nodes the first pivot that
 * fails.  If x is not NULL, the same is done to x.
 *   HY_ELIMINATE_BELOW  A becomes L and U
 *   HY_ELIMINATE_ALL    column j of A becomes that of J^j in A^-1 = J^(n-1) ... J^0; x := A^-1 x
 *   HY_ROTATE           A becomes R, with the rotations' quotients below its diagonal; x := Q^H x
 *   HY_ROTATE_SIDES, _BACK  x := Q^H x, x := Q x; no pivot fails */
hyla_status hy_eliminate(struct hy_elimination *e, const hyla_matrix *x);

/* A node's view of a pivot; its words are set if it sends any. */
struct hy_pivot_step {
  struct hy_pivot_place at;
  int64_t pivot, own;   /* own: number of elements that are a's columns */
  const hyla_matrix *x; /* NULL: no right-hand sides */
  char *elements, *factors;
};
struct hy_pivot_step hy_pivot_step_of(const struct hy_elimination *e, const hyla_matrix *x,
                                      int64_t pivot);
/* The place of element `slot' of the pivot's row in a local row; NULL: it does not travel. */
char *hy_pivot_step_entry(const struct hy_elimination *e, const struct hy_pivot_step *l,
                          int64_t row, int64_t slot);
/* verdict_of: the verdict on a pivot.  judge: keeps the first pivot that is 0 or not finite. */
hyla_status hy_pivot_status(const struct hy_kernels *k, const void *pivot);
void hy_pivot_judge(struct hy_elimination *e, int64_t pivot, const void *value);

/* elimination_add.c, elimination_rotate.c, for hy_eliminate: all work of a node in a step.
 * *oldest: the first pivot, in their order, that is not finished. */
void hy_add_rows_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x, int64_t *oldest);
void hy_rotate_rows_at(struct hy_elimination *e, int64_t step, const hyla_matrix *x,
                       int64_t *oldest);

/* The run of a method's variant: eliminates A and the right-hand sides that ride with it; the
 * verdict on the pivots. */
hyla_status hy_elimination_run(struct hy_elimination *e, const struct hy_factorization *problem);

/* Local.  create: its memory belongs to the owner.  allocate: its memory. */
hyla_status hy_elimination_create(void *owner, const struct hy_factorization *problem,
                                  enum hy_elimination_kind kind, struct hy_elimination *e);
hyla_status hy_elimination_allocate(struct hy_elimination *e, const hyla_matrix *a);

/* The predicate `applies' of the variants' rows: the reason why the layout does not do; NULL if it
 * does. */
const char *hy_elimination_applies(const void *given);

#endif
