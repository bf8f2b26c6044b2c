/* Private to lib/solve: b - A x and what it is measured against, on copies that are scaled by
 * powers of two (residual.c). */
#ifndef HY_RESIDUAL_H
#define HY_RESIDUAL_H 1

#include "solve/solve.h"

/* Each the largest over the columns of x; NaN when anything is NaN or infinite.  r = b - A x. */
struct hy_errors {
  double scaled;        /* |r| / (eps (|A| |x| + |b|) n), infinity norms: HPL's residual */
  double normwise;      /* |r| / (|A| |x| + |b|), infinity norms */
  double componentwise; /* the largest |r|_i / (|A| |x| + |b|)_i */
  double guarded;       /* the same, but for rows that meet little more than zeros of x */
  double spread; /* the 1-norm of |r| + (n + 1) e (|A| |x| + |b|), to that of x, times 2^-exponent;
                  * e: eps, extended its square */
  int exponent;  /* of A's largest entry */
  bool given_finite; /* all of A's and b's entries are */
};

enum hy_residual_kind {
  HY_RESIDUAL_NORMS,      /* the last three errors are 0, and cost nothing */
  HY_RESIDUAL_COMPONENTS, /* all */
  HY_RESIDUAL_EXTENDED    /* all, and b - A x in twice the precision, rounded to the type once */
};

struct hy_residual {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n, nrhs;
  bool componentwise, extended;
  hyla_matrix *a, *x, *b; /* the copies */
  bool copied_a;          /* the copy of A is there; */
  bool has_a;             /* on nodes: scaled, with what is found of it */
  double largest_of_a;    /* before it was scaled */
  uint32_t row_dims, col_dims;
  int64_t *offsets; /* of the ranks' columns of x, in entries */
  struct hy_group group;
  char *x_all;                  /* all columns of x at the rows of this rank's columns of A */
  char *product;                /* A x at this rank's rows; twice, to combine */
  struct hy_double_word *words; /* the same, extended; twice */
  double *sums;                 /* of the rows of A; twice */
  double *largest;              /* entries of x's columns, of b's, of A; twice */
  double *found;                /* largest entries of b - A x by columns, norm of A; twice */
  double *weights;              /* one column of |x| at this rank's columns of A */
  double *sizes;                /* |A| |x| at this rank's rows, then with |b|; twice */
  double *worst;                /* componentwise and guarded errors of the columns; twice */
  double *norms;                /* of the columns, as in `spread`: of the numerators, of x; twice */
};

/* Collective over cube and guests, agreed upon; free is local, also after a failure.
 * find  x, b: in any layouts.  a: the same at each call, copied at the first one.  But for
 *       norms alone r->b becomes 2^e (b - A x), e by columns: hy_residual_shift undoes that,
 * local, in what is made from it by linear steps, in the layout of r->b; by_copy: and that of r->a,
 * 2^e A once anything has been found, in what was solved for with it. */
hyla_status hy_residual_make(hyla_cube *cube, const struct hy_kernels *k, int64_t n, int64_t nrhs,
                             enum hy_residual_kind kind, struct hy_residual *r);
hyla_status hy_residual_find(struct hy_residual *r, const hyla_matrix *a, const hyla_matrix *x,
                             const hyla_matrix *b, struct hy_errors *errors);
void hy_residual_shift(const struct hy_residual *r, hyla_matrix *m, bool by_copy);
void hy_residual_free(struct hy_residual *r);

/* Of this room's files.  On nodes, as run: product or words := A x, with sums of rows and sizes;
 * local: how many words there are; into += from, of double, for hy_allreduce. */
hyla_status hy_residual_multiply(struct hy_residual *r);
void hy_residual_add(void *into, const void *from, int64_t count, const void *arg);
static inline int64_t hy_residual_words(const struct hy_residual *r) {
  return r->a->local_rows * r->nrhs * hy_extended_words(r->k);
}

/* Local.  The errors in a report whose rcond is known; norm: |A|_1.  Can a solution with these
 * errors and that report be trusted?  A verdict, the same on all ranks. */
void hy_errors_report(const struct hy_errors *errors, struct hy_norm norm,
                      hyla_solve_report *report);
hyla_status hy_report_judge(const struct hy_residual *r, hyla_refinement refinement,
                            const struct hy_errors *errors, const hyla_solve_report *report);

#endif
