/* Private to solve/papers: triangular systems with identities on the diagonal.
 *
 * Reference: Johnsson 1987, 6.4.2 and 6.4.3.
 *
 * A *span* is a range of as many blocks as the longer side of the rank array has ranks.  So every
 * rank has a part of the square that a span occupies on the diagonal.  First each block row of
 * spans, right-hand sides included, is multiplied by the inverse of its square (block_jacobi.c).
 * Then a span of X is known without further solving as soon as the spans before it have been
 * subtracted, and all blocks of a span are handled at once: by trees (block_jacobi_trees.c) or by a
 * product (block_jacobi_product.c).
 *
 * All forms are brought to the left one (triangle.h).  The triangle lies in a copy, and X too if it
 * is transposed. */
#ifndef HY_BLOCK_JACOBI_H
#define HY_BLOCK_JACOBI_H 1

#include "solve/papers/papers.h"

/* This rank's view of the system in the left form. */
struct hy_block_jacobi {
  void *owner;
  hyla_cube *cube;
  const struct hy_kernels *k;
  bool product;
  struct hy_substitution given; /* the user's system */
  struct hy_substitution s;     /* the system with the identities, on the copy: t, array, sums,
                                 * adds */
  int64_t span, spans;          /* blocks of a span; number of spans */
  struct hy_axis across;        /* the axis of right-hand sides */
  hyla_matrix t, x;             /* copies; x.local is the user's if nothing is transposed */
  const hyla_matrix *user_t, *user_x;
  char *copy_t, *copy_x; /* owned, like all memory below */
  /* Identities: the data that travel along a rank row, and down a rank column. */
  struct hy_subcube_op along, down;
  char *column, *row;
  /* Trees: sums, and blocks of the solution and sums that travel, in groups of right-hand sides. */
  struct hy_subcube_op adds;
  int64_t groups, width;
  bool beside; /* do right-hand sides also travel in the rank row beside theirs? */
  char *sums, *blocks, *leaving, *coming, *passing;
  struct hy_message *messages;
  /* Product: a span's block column and its rows of X, gathered; those rows in the columns'
   * order. */
  struct hy_subcube_op columns, rows;
  int64_t *offsets;
  char *whole_columns, *whole_rows, *ordered;
};

/* A span, numbered in the order of solving. */
struct hy_block_span {
  int64_t first, end;         /* its blocks */
  int64_t before, before_end; /* blocks solved for before it */
  int64_t after, after_end;   /* blocks solved for after it */
};
struct hy_block_span hy_block_jacobi_span(const struct hy_block_jacobi *e, int64_t step);
/* Local rows (local columns) of blocks from ... to-1 in a part. */
struct hy_row_range hy_block_jacobi_rows(const struct hy_block_jacobi *e, int part, int64_t from,
                                         int64_t to);
struct hy_row_range hy_block_jacobi_columns(const struct hy_block_jacobi *e, int part, int64_t from,
                                            int64_t to);

/* Local.  make: groups and sizes.  allocate: the memory of a run, for these matrices.  Both belong
 * to the owner.  control: bytes of the messages. */
hyla_status hy_block_jacobi_make(void *owner, const struct hy_triangular_problem *problem,
                                 bool product, struct hy_block_jacobi *e);
hyla_status hy_block_jacobi_allocate(struct hy_block_jacobi *e, const hyla_matrix *t,
                                     const hyla_matrix *x);
int64_t hy_block_jacobi_control(const struct hy_block_jacobi *e);

/* Collective over the nodes, not agreed.
 *   prepare  makes identities on the diagonal of T's copy, and changes X accordingly
 *   run      everything: user_x becomes the solution
 *   trees    the sums made by hy_sums_begin become the solution, block k on the rank with diagonal
 *            block k, zeros elsewhere; a single span is already the solution
 *   product  x becomes the solution by products */
hyla_status hy_block_jacobi_prepare(const struct hy_block_jacobi *e);
hyla_status hy_block_jacobi_run(const struct hy_block_jacobi *e);
hyla_status hy_block_jacobi_trees(const struct hy_block_jacobi *e, const hyla_matrix *sums);
hyla_status hy_block_jacobi_product(const struct hy_block_jacobi *e);

/* block_jacobi_trees.c, block_jacobi_product.c: their parts of make and allocate. */
hyla_status hy_block_jacobi_trees_make(struct hy_block_jacobi *e);
hyla_status hy_block_jacobi_trees_allocate(struct hy_block_jacobi *e);
hyla_status hy_block_jacobi_product_make(struct hy_block_jacobi *e);
hyla_status hy_block_jacobi_product_allocate(struct hy_block_jacobi *e);

/* trsm_span_tree.c: the functions of both rows. */
hyla_status hy_trsm_span_create(const struct hy_variant *variant, const void *task, void **state);
hyla_status hy_trsm_span_allocate(void *state);
hyla_status hy_trsm_span_run(void *state);
void hy_trsm_span_explain(const void *state, struct hy_text *text);
#define HY_TRSM_SPAN_OPERATIONS                                                                    \
  .create = hy_trsm_span_create, .allocate = hy_trsm_span_allocate, .run = hy_trsm_span_run,       \
  .explain = hy_trsm_span_explain
/* The reason why they must be asked for. */
#define HY_TRSM_SPAN_ASKED                                                                         \
  "its residual grows with the condition of the triangle's blocks, so it must be asked for"

#endif
