/* Private to lib/gemm: a product held against sums that were taken of its factors, and what else a
 * product keeps beside its operands. */
#ifndef HY_GEMM_CHECK_H
#define HY_GEMM_CHECK_H 1

#include "gemm/gemm.h"

/* Rows that are wrong, of which some are looked into. */
enum { HY_SUSPECTS = 8 };
struct hy_gemm_suspects {
  int64_t count; /* of all that are wrong */
  int64_t row[HY_SUSPECTS];
  int64_t col[HY_SUSPECTS]; /* the one entry that is; -1: it is not known */
  bool corrected[HY_SUSPECTS];
};

struct hy_gemm_check {
  hyla_cube *cube; /* NULL: nothing is checked */
  const struct hy_kernels *k;
  double _Complex alpha, beta;
  int64_t m, n, inner;
  struct hy_summands a, b, c; /* what the entries are of that is stored */
  hyla_matrix *result;        /* C */
  bool again;       /* A and B are there after the run, and C's old entries do not matter */
  bool one_by_one;  /* each entry of C stands for itself alone */
  double tolerance; /* of a row's size */
  struct hy_row_sums work;
  double _Complex *signs;    /* of C's columns */
  double _Complex *weighted; /* the same times their weights */
  double _Complex *middle;   /* op(B) times one of them */
  double *weights;           /* how large the rows of op(B) are */
  struct hy_row_sum *rows;   /* of op(B) */
  struct hy_row_sum *due;    /* of C by the signs, what they must be */
  struct hy_row_sum *due_weighted;
  struct hy_row_sum *found; /* what they are */
  struct hy_row_sum *found_weighted;
  int64_t bytes;
};

/* Of this room's two files; collective over the nodes, not agreed.
 * sum      sums of C's rows by one of the vectors, over the nodes that have this copy of C
 * correct  looks for the one entry in each row that is wrong, and makes it from the rest of the
 *          row where that fits */
hyla_status hy_gemm_check_sum(const struct hy_gemm_check *check, const double _Complex *x,
                              struct hy_row_sum *sums);
hyla_status hy_gemm_correct(struct hy_gemm_check *check, struct hy_gemm_suspects *suspects);

/* make: takes the memory.  Local; free also after a failure.  begin, before the run, and end: the
 * status is this rank's; collective over cube and guests.  end: *worst is what it has come to on
 * all ranks: where that is HY_DAMAGED and check->again, the product may be made once more. */
hyla_status hy_gemm_check_make(hyla_cube *cube, const struct hy_call *product,
                               struct hy_gemm_check *check);
void hy_gemm_check_free(struct hy_gemm_check *check);
hyla_status hy_gemm_check_begin(struct hy_gemm_check *check);
hyla_status hy_gemm_check_end(struct hy_gemm_check *check, enum hy_finding *worst);
/* Local.  What a node spends on begin and an end that finds nothing. */
hyla_status hy_gemm_check_cost(const struct hy_gemm_check *check, hyla_cost *cost);

/* What a product keeps in its job. */
struct hy_gemm_own {
  struct hy_gemm_check *check; /* owned; NULL: results are not checked */
};
void hy_gemm_explain(const hyla_plan *plan, struct hy_text *text);
/* gemm_measure.c.  Replaces the choice by the one that wisdom has or, on a cube that measures, by
 * the one that is measured to be the fastest. */
hyla_status hy_gemm_learn(struct hy_job *job);

#endif
