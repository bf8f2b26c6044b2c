/* Private to lib/gemm: a product is compared with sums that were taken of its factors.  Also the
 * state that a product keeps beside its operands. */
#ifndef HY_GEMM_CHECK_H
#define HY_GEMM_CHECK_H 1

#include "gemm/gemm.h"

/* The rows that are wrong; only the first HY_SUSPECTS are examined. */
enum { HY_SUSPECTS = 8 };
struct hy_gemm_suspects {
  int64_t count; /* of all wrong rows */
  int64_t row[HY_SUSPECTS];
  int64_t col[HY_SUSPECTS]; /* the only wrong entry of the row; -1: unknown */
  bool corrected[HY_SUSPECTS];
};

struct hy_gemm_check {
  hyla_cube *cube;
  const struct hy_kernels *k;
  double _Complex alpha, beta;
  int64_t m, n, inner;
  struct hy_summands a, b, c; /* how op() of each matrix is made of its stored entries */
  hyla_matrix *result;        /* C */
  bool again;       /* the run can be repeated: A and B are intact afterwards, and C's old entries
                     * do not matter */
  bool one_by_one;  /* each entry of C is stored once and stands for itself alone */
  double tolerance; /* relative to a row's size */
  struct hy_row_sums work;
  double _Complex *signs;    /* the random signs, one a column of C */
  double _Complex *weighted; /* the signs times the columns' weights */
  double _Complex *middle;   /* op(B) times `signs' or `weighted' */
  double *weights;           /* sizes of the rows of op(B) */
  struct hy_row_sum *rows;   /* sums of op(B)'s rows */
  struct hy_row_sum *due;    /* expected sums of C's rows by the signs */
  struct hy_row_sum *due_weighted;
  struct hy_row_sum *found; /* the sums found */
  struct hy_row_sum *found_weighted;
  int64_t bytes;
};

/* For the two files of the check; collective over the nodes, not agreed.
 *   sum      sums of C's rows by one of the vectors, over the nodes that share this copy of C
 *   correct  looks for the one wrong entry of each row and computes it from the rest of the row, if
 *            the result then fits */
hyla_status hy_gemm_check_sum(const struct hy_gemm_check *check, const double _Complex *x,
                              struct hy_row_sum *sums);
hyla_status hy_gemm_correct(struct hy_gemm_check *check, struct hy_gemm_suspects *suspects);

/* make: takes the memory, for *check, which must be a block of memory and owns it; local.  begin
 * (before the run) and end: collective over all ranks of the cube, spare ones too; the status is
 * this rank's own.  end: *worst is the worst result of all ranks.  If it is HY_DAMAGED and
 * check->again, the product may be computed once more. */
hyla_status hy_gemm_check_make(hyla_cube *cube, const struct hy_call *product,
                               struct hy_gemm_check *check);
hyla_status hy_gemm_check_begin(struct hy_gemm_check *check);
hyla_status hy_gemm_check_end(struct hy_gemm_check *check, enum hy_check_result *worst);
/* Local.  A node's cost of begin and of an end that finds no error. */
hyla_status hy_gemm_check_cost(const struct hy_gemm_check *check, hyla_cost *cost);

/* The state that a product keeps in its job. */
struct hy_gemm_own {
  struct hy_gemm_check *check; /* owned; NULL: results are not checked */
};
void hy_gemm_explain(const hyla_plan *plan, struct hy_text *text);
/* gemm_measure.c.  Replaces the choice by the variant that wisdom names or, on a cube that
 * measures, by the variant that is measured to be the fastest. */
hyla_status hy_gemm_learn(struct hy_job *job);

#endif
