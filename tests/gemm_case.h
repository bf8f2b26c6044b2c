/* A multiplication with known entries, and its check against long double sums. */
#ifndef GEMM_CASE_H
#define GEMM_CASE_H 1

#include "harness.h"

#include "gemm/gemm.h"

struct gemm_case {
  hyla_cube *cube;
  hyla_type type;
  hyla_operation op_a, op_b;
  int64_t m, n, k;
  double _Complex alpha, beta;
  hyla_layout layout_a, layout_b, layout_c;
  bool wrapped; /* A, B, C lie in arrays of the caller */
  bool views;   /* A, B, C are views that begin at (2, 1) */
  const char *variant;
  hyla_matrix *a, *b, *c; /* what is multiplied */
  hyla_matrix *owner[3];  /* of the views */
  void *array[3];         /* of the wrapped matrices */
};

/* A cube over all ranks; with memory that the ranks share, or without. */
hyla_cube *case_cube(bool private_memory);
void case_cube_end(hyla_cube **cube);

/* Draws: type, operations, scalars, layouts on arrays of any shape, storage. */
void case_draw(struct gemm_case *x, hyla_cube *cube);
hyla_layout case_draw_layout(const hyla_cube *cube);

/* Makes and fills A, B, C.  What must not be read is NaN: C for beta = 0, A and
 * B for alpha = 0. */
void case_make(struct gemm_case *x);
void case_fill(struct gemm_case *x);
void case_free(struct gemm_case *x);

/* Every local entry of C against the reference. */
void case_check(const struct gemm_case *x);

/* Plans, runs twice, checks both results, the ledger against the cost, and that
 * running allocates nothing. */
void case_run(struct gemm_case *x);

#endif
