/* Door of solve/pivoted: A P = Q R by reflections, with columns chosen on the way.
 *
 * Each node holds whole columns, in blocks that are dealt out to all nodes.  So norms, choices
 * among a node's own columns and reflections of these take no message; a column that is chosen
 * comes to all nodes, which all make its reflection, and the column in whose place it goes travels
 * with it.  A node holds the vectors of a panel besides its share of A: for matrices with many more
 * rows than columns, R is to be pivoted instead. */
#ifndef HY_SOLVE_PIVOTED_H
#define HY_SOLVE_PIVOTED_H 1

#include "solve/contract/contract.h"

/* Columns of a panel, at most. */
enum { HY_PIVOTED_PANEL = 32 };

/* A variant's problem.  a: m x n, each column whole on one node, in blocks of hy_pivoted_block
 * columns; becomes R and, below its diagonal, the vectors without their leading ones.  tau: one a
 * reflection; columns: column j of A P is column columns[j] of A.  Both are written on nodes; NULL
 * where the variant is played. */
struct hy_pivoted_task {
  hyla_cube *cube;
  hyla_matrix *a;
  double _Complex *tau;
  int64_t *columns;
};

struct hy_pivoting;
struct hy_pivoted {
  const struct hy_pivoted_task *task;
  const struct hy_pivoting *pivoting;
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_matrix *a;
  int64_t m, n, order; /* order: the fewer of both */
  int block;
  int64_t first; /* the panel in use: its first column, and the number of its columns */
  int width;
  char *message; /* the columns that are offered */
  int64_t bytes; /* of it */
  char *v;       /* m x block: the panel's vectors */
  char *factor;  /* for each of this node's columns a row of the panel's F, or W turned */
  char *room;    /* the variant's own */
  double *norms; /* two for each of this node's columns */
  double _Complex *tau;
  int64_t *columns;
  struct hy_subcube_op offers; /* an all-reduction */
};

/* What makes a variant.
 *   bytes  of a message, and of the variant's own memory: for m rows, panels of w columns, c
 *          columns of this node
 *   panel  factors the panel; collective over the nodes, not agreed */
struct hy_pivoting {
  int64_t (*bytes)(int64_t m, int64_t w, int64_t size);
  int64_t (*room)(int64_t m, int64_t w, int64_t c, int64_t size);
  void (*begin)(struct hy_pivoted *p); /* before the first panel; NULL: nothing is done */
  hyla_status (*panel)(struct hy_pivoted *p);
};

/* Local.  The width of blocks, and the layout that the variants need. */
int64_t hy_pivoted_block(const hyla_cube *cube, int64_t n);

/* Local, for the variants.
 * local     the local position of a column from which on this node's columns stand at `index' or
 *           behind it; `index' may be n
 * mine      does this node hold the column at `index'?
 * entry     an entry of a, by its row and local column
 * reflect   x, `rows' entries, becomes the vector of a reflection, with its leading 1, that takes
 *           it to (beta, 0 ... 0); *beta is set
 * fail      an entry is not finite */
static inline int64_t hy_pivoted_local(const struct hy_pivoted *p, int64_t index) {
  return hy_axis_before(&p->a->col, p->a->col_part, index);
}
static inline bool hy_pivoted_mine(const struct hy_pivoted *p, int64_t index) {
  return hy_axis_owner(&p->a->col, index) == p->a->col_part;
}
static inline char *hy_pivoted_entry(const struct hy_pivoted *p, int64_t row, int64_t local) {
  return p->a->local + (local * p->a->ld + row) * (int64_t)p->k->size;
}
/* An entry of an array with m rows, as a. */
static inline char *hy_pivoted_at(const struct hy_pivoted *p, char *array, int64_t row,
                                  int64_t column) {
  return array + (column * p->m + row) * (int64_t)p->k->size;
}
double _Complex hy_pivoted_reflect(const struct hy_pivoted *p, int64_t rows, char *x,
                                   double _Complex *beta);
double hy_pivoted_norm(const struct hy_kernels *k, int64_t rows, const char *x);
hyla_status hy_pivoted_fail(const struct hy_pivoted *p);

/* The functions of a row. */
hyla_status hy_pivoted_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_pivoted_allocate(void *state);
hyla_status hy_pivoted_run(void *state);
void hy_pivoted_explain(const void *state, struct hy_text *text);
#define HY_PIVOTED_OPERATIONS                                                                      \
  .create = hy_pivoted_create, .allocate = hy_pivoted_allocate, .run = hy_pivoted_run,             \
  .explain = hy_pivoted_explain

extern const struct hy_variant hy_pivoted_classic, hy_pivoted_tournament;

#endif
