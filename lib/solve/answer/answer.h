/* Door of solve/answer: measures of solutions, factors and matrices: norms, residuals, symmetry. */
#ifndef HY_SOLVE_ANSWER_H
#define HY_SOLVE_ANSWER_H 1

#include "solve/contract/contract.h"

/* ------------------------------------------------------------- residuals -- */

/* b - A x and the sizes it is compared with, on copies that are scaled by powers of two
 * (residual.c). */

/* Each is the largest one over the columns of x; NaN if anything is NaN or infinite.  r = b - A
 * x. */
struct hy_errors {
  double scaled;        /* |r| / (eps (|A| |x| + |b|) n), infinity norms: HPL's residual */
  double normwise;      /* |r| / (|A| |x| + |b|), infinity norms */
  double componentwise; /* the largest |r|_i / (|A| |x| + |b|)_i */
  double guarded;       /* the same, except for rows that meet little more than zeros of x */
  double spread;     /* the 1-norm of |r| + (n + 1) e (|A| |x| + |b|), divided by that of x, times
                      * 2^-exponent; e: eps, squared if extended */
  int exponent;      /* exponent of A's largest entry */
  bool given_finite; /* all entries of A and b are finite */
  struct hy_norm norm, largest; /* |A|_1, and A's largest entry; NaN if an entry is not finite */
};

enum hy_residual_kind {
  HY_RESIDUAL_NORMS,      /* only the first two errors; the others are 0, and cost nothing */
  HY_RESIDUAL_COMPONENTS, /* all errors */
  HY_RESIDUAL_EXTENDED    /* all, and b - A x in twice the precision, rounded to the type once */
};

struct hy_residual {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n, nrhs;
  bool componentwise, extended;
  hyla_layout layout;      /* the layout in which A is read */
  bool there;              /* A lies so by itself; a copy is made only if its entries are far from
                            * 1 */
  hyla_matrix *a, *x, *b;  /* the copies; a: NULL if there is no copy */
  const hyla_matrix *from; /* A as it is read; NULL: unknown yet */
  struct hy_seen seen;     /* set by the caller before the first find */
  int held;                /* its entries are 2^held times the scaled ones */
  bool has_a;              /* on nodes: A's sums and norms are known */
  struct hy_norm largest_of_a; /* before A was scaled */
  struct hy_norm norm;         /* |A|_1 */
  uint32_t row_dims, col_dims;
  int64_t *offsets; /* where ranks' columns of x begin, in entries; owns the memory below */
  struct hy_subcube_op group;
  char *x_all;                  /* all columns of x, in the rows of this rank's columns of A */
  char *product;                /* A x in this rank's rows; twice, for combining; at least one
                                 * column */
  struct hy_double_word *words; /* the same, extended; twice */
  double *sums;                 /* of the rows of A; twice */
  double *columns;              /* of A's columns, by pieces of rows; once more for combining */
  struct hy_norm *largest;      /* largest entries: of x's columns, of b's columns, of A; twice */
  double *found;                /* largest entries of b - A x by columns; norms of A; twice */
  double *weights;              /* one column of |x|, in this rank's columns of A */
  double *sizes;                /* |A| |x| in this rank's rows, later with |b|; twice */
  double *worst;                /* componentwise and guarded errors of the columns; twice */
  double *norms;                /* of the columns, as in `spread': numerators, and x; twice */
};

/* Collective over all ranks, agreed; free is local, and to be called also after a failure.
 *   make  lies: A as it will be given, which is read where it is if it lies well; NULL: it is
 *        copied
 *   find  x, b: in any layouts.  a: the same at each call; copied, if at all, at the first one.
 *        Except for norms alone, r->b becomes 2^e (b - A x), with an e for each column
 *   shift local; undoes that scaling in a matrix that was computed from r->b by linear steps, in
 *        the layout of r->b.  by_copy: also the scaling of r->a, which is 2^e A after the first
 *        find, if the matrix is a solution with r->a */
hyla_status hy_residual_make(hyla_cube *cube, const struct hy_kernels *k, int64_t n, int64_t nrhs,
                             enum hy_residual_kind kind, const hyla_matrix *lies,
                             struct hy_residual *r);
hyla_status hy_residual_find(struct hy_residual *r, const hyla_matrix *a, const hyla_matrix *x,
                             const hyla_matrix *b, struct hy_errors *errors);
void hy_residual_shift(const struct hy_residual *r, hyla_matrix *m, bool by_copy);
void hy_residual_free(struct hy_residual *r);

/* For the files of residuals.  multiply, on nodes, as run: product or words := A x, with sums of
 * rows and sizes.  pass: the first column of product and of sizes, and the sums of A that are still
 * unknown.  pieces: the number of pieces of
 * rows in a pass.  add: into += from, for doubles, for hy_allreduce.  words: the number of
 * words. */
hyla_status hy_residual_multiply(struct hy_residual *r);
hyla_status hy_residual_pass(struct hy_residual *r);
int64_t hy_residual_pieces(const struct hy_residual *r);
void hy_residual_add(void *into, const void *from, int64_t count, const void *arg);
static inline int64_t hy_residual_words(const struct hy_residual *r) {
  return r->b->local_rows * r->nrhs * hy_extended_words(r->k);
}

/* --------------------------------------------------------------- factors -- */

/* For factors that are brought by a plan.
 *   set_rest  local: entries of a triangular factor that are not copied: zeros on the other side of
 *             the diagonal and, for a unit triangle, ones on it
 *   negate_upper  local: of a matrix that holds a QR factorization's own factors, R gets the sign
 *             that hyla_factor_packed gives it
 *   gather_reflections  collective, agreed: tau as of hyla_factor_reflections; work: as many */
void hy_factor_set_rest(hyla_matrix *m, hyla_triangle triangle, bool unit);
void hy_factor_negate_upper(hyla_matrix *m);
hyla_status hy_factor_gather_reflections(const hyla_factor *factor, double *tau, double *work);

/* -------------------------------------------------------------- symmetry -- */

/* How far a square matrix is from Hermitian. */

/* Collective, agreed; for a square matrix with data.
 *   find     as hyla_matrix_asymmetry; takes the memory of one more matrix
 *   perhaps  may it be Hermitian up to rounding?  Judged by a few entries within the band; no entry
 *            moves.  The answer no is certain */
hyla_status hy_asymmetry_find(const hyla_matrix *a, hyla_asymmetry *asymmetry);
hyla_status hy_perhaps_hermitian(const hyla_matrix *a, int64_t band, bool *perhaps);

#endif
