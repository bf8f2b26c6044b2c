/* Door of solve/answer: what is said of solutions, factors and matrices once they are there. */
#ifndef HY_SOLVE_ANSWER_H
#define HY_SOLVE_ANSWER_H 1

#include "solve/contract/contract.h"

/* ----------------------------------------------------------------- norms -- */

/* A norm, value times 2^exponent, which may leave the range of numbers that its matrix' entries are
 * in.
 * find      collective over cube and guests, agreed upon; value in [1/2, 1), 0, NaN or infinite
 * fraction  local: the same with such a value
 * condition local: 1 / (|A| |A^-1|); 0 where either is 0 or infinite, NaN where either is */
struct hy_norm {
  double value;
  int exponent;
};
hyla_status hy_norm_find(hyla_cube *cube, const hyla_matrix *m, hyla_norm kind,
                         struct hy_norm *norm);
struct hy_norm hy_norm_fraction(struct hy_norm norm);
double hy_norm_condition(struct hy_norm a, struct hy_norm inverse);

/* Local.  x := 2^exponent x, rows entries, in steps that the type can represent. */
void hy_shift(const struct hy_kernels *k, int64_t rows, int exponent, char *x);

/* ------------------------------------------------------------- residuals -- */

/* b - A x and what it is measured against, on copies that are scaled by powers of two
 * (residual.c). */

/* Each the largest over the columns of x; NaN when anything is NaN or infinite.  r = b - A x. */
struct hy_errors {
  double scaled;        /* |r| / (eps (|A| |x| + |b|) n), infinity norms: HPL's residual */
  double normwise;      /* |r| / (|A| |x| + |b|), infinity norms */
  double componentwise; /* the largest |r|_i / (|A| |x| + |b|)_i */
  double guarded;       /* the same, but for rows that meet little more than zeros of x */
  double spread; /* the 1-norm of |r| + (n + 1) e (|A| |x| + |b|), to that of x, times 2^-exponent;
                  * e: eps, extended its square */
  int exponent;  /* of A's largest entry */
  bool given_finite;            /* all of A's and b's entries are */
  struct hy_norm norm, largest; /* |A|_1, and A's largest entry; NaN where one is not finite */
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
  hyla_layout layout;      /* of A as it is read */
  bool there;              /* A lies so by itself, and a copy is made only where it is far from 1 */
  hyla_matrix *a, *x, *b;  /* the copies; a: NULL where none is made */
  const hyla_matrix *from; /* A as it is read; NULL: not known yet */
  int held;                /* its entries are 2^held of the scaled ones */
  bool has_a;              /* on nodes: what is found of it is */
  double largest_of_a;     /* before it was scaled */
  struct hy_norm norm;     /* |A|_1 */
  uint32_t row_dims, col_dims;
  int64_t *offsets; /* of the ranks' columns of x, in entries */
  struct hy_group group;
  char *x_all;                  /* all columns of x at the rows of this rank's columns of A */
  char *product;                /* A x at this rank's rows; twice, to combine; a column at least */
  struct hy_double_word *words; /* the same, extended; twice */
  double *sums;                 /* of the rows of A; twice */
  double *columns;              /* of the columns, by pieces of rows; and once more to combine */
  double *largest;              /* entries of x's columns, of b's, of A; twice */
  double *found;                /* largest entries of b - A x by columns, norms of A; twice */
  double *weights;              /* one column of |x| at this rank's columns of A */
  double *sizes;                /* |A| |x| at this rank's rows, then with |b|; twice */
  double *worst;                /* componentwise and guarded errors of the columns; twice */
  double *norms;                /* of the columns, as in `spread`: of the numerators, of x; twice */
};

/* Collective over cube and guests, agreed upon; free is local, also after a failure.
 * make  lies: A as it will be given, which is read where it is if it lies well; NULL: it is copied.
 * find  x, b: in any layouts.  a: the same at each call, copied at the first one, if at all.  But
 * for norms alone r->b becomes 2^e (b - A x), e by columns: hy_residual_shift undoes that, local,
 * in what is made from it by linear steps, in the layout of r->b; by_copy: and that of r->a, 2^e A
 * once anything has been found, in what was solved for with it. */
hyla_status hy_residual_make(hyla_cube *cube, const struct hy_kernels *k, int64_t n, int64_t nrhs,
                             enum hy_residual_kind kind, const hyla_matrix *lies,
                             struct hy_residual *r);
hyla_status hy_residual_find(struct hy_residual *r, const hyla_matrix *a, const hyla_matrix *x,
                             const hyla_matrix *b, struct hy_errors *errors);
void hy_residual_shift(const struct hy_residual *r, hyla_matrix *m, bool by_copy);
void hy_residual_free(struct hy_residual *r);

/* Of this room's files.  On nodes, as run: product or words := A x, with sums of rows and sizes;
 * the first column of product and of sizes, and of A what is not yet found; local: the largest
 * entry of A here; in how many pieces it is gone through; how many words there are; into += from,
 * of double, for hy_allreduce. */
hyla_status hy_residual_multiply(struct hy_residual *r);
hyla_status hy_residual_pass(struct hy_residual *r);
double hy_residual_largest(const struct hy_residual *r, const hyla_matrix *a);
int64_t hy_residual_pieces(const struct hy_residual *r);
void hy_residual_add(void *into, const void *from, int64_t count, const void *arg);
static inline int64_t hy_residual_words(const struct hy_residual *r) {
  return r->b->local_rows * r->nrhs * hy_extended_words(r->k);
}

/* -------------------------------------------------------------- symmetry -- */

/* How far a square matrix is from Hermitian. */

/* Collective, agreed upon; of a square matrix with data.
 * find     hyla_matrix_asymmetry; takes the memory of one more matrix
 * perhaps  may it be Hermitian but for rounding?  By a few entries within the band, of which none
 *          moves.  Where the answer is no it is not */
hyla_status hy_asymmetry_find(const hyla_matrix *a, hyla_asymmetry *asymmetry);
hyla_status hy_perhaps_hermitian(const hyla_matrix *a, int64_t band, bool *perhaps);

#endif
