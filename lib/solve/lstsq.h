/* Private to solve: a least squares problem that is factored, and then solved for right-hand
 * sides. */
#ifndef HY_SOLVE_LSTSQ_H
#define HY_SOLVE_LSTSQ_H 1

#include "solve/pivoted/pivoted.h"
#include "solve/played.h"

/* The taller of op(A) and op(A)^H is `rows' x k.  lstsq.c says what Q, R, U, Q2, Q3 and S are. */
struct hy_lstsq {
  hyla_cube *cube;
  hyla_lstsq_options options;
  const hyla_matrix *a;
  hyla_type type;
  bool wide; /* op(A) has more columns than rows */
  int64_t rows, k;
  struct hy_norm norm; /* |A|_F */
  hyla_matrix *tall;   /* becomes Q and R */
  struct hyla_factor *factor;
  hyla_matrix r;        /* its leading rows */
  hyla_matrix *u;       /* U and Q2; NULL: there are no pivots */
  double _Complex *tau; /* Q2's */
  int64_t *columns;
  hyla_matrix *turned; /* becomes Q3 and S; NULL: the rank is full */
  struct hyla_factor *second;
  hyla_plan *plan; /* that is being priced on a counting cube; NULL: none */
  hyla_lstsq_report report;
};

/* Collective over all ranks, agreed; open is local, and free, which is to be called also after a
 * failure.
 *   open       the options outlive the problem
 *   take       zeros for numbers that are there on counting cubes, too
 *   times_q    x := op(Q) x
 *   factor     up to the rank
 *   solve      x := op(A)^+ b
 *   measure    sets the report's residual and backward error
 *   find_rank  from U's diagonal
 *   reveal     makes that rank certain
 *   factor_packed  U and Q2 := those of a matrix, which is used up, without pivots
 *   refine     x, with residuals in twice the precision, if the rank is full and op(A) not wide
 *   sides      *made: right-hand sides with `rows' rows, lying so that Q multiplies them in place
 *   substitute x := op(R)^-1 x for a leading triangle of `order' rows
 *   bring      to := the taller of op(A) and op(A)^H, or that of a matrix of A's size
 *   project    *made: the coordinates of r in an orthonormal basis of op(A)'s range, then zeros
 *   move       to := op(from) */
struct hy_lstsq hy_lstsq_open(hyla_cube *cube, const hyla_lstsq_options *options,
                              const hyla_matrix *a);
hyla_status hy_lstsq_take(const struct hy_lstsq *s, int64_t count, size_t size, void *out);
hyla_status hy_lstsq_times_q(const struct hy_lstsq *s, const struct hyla_factor *factor,
                             hyla_operation op, hyla_matrix *x);
hyla_status hy_lstsq_factor(struct hy_lstsq *s);
hyla_status hy_lstsq_solve(const struct hy_lstsq *s, const hyla_matrix *b, hyla_matrix *x);
hyla_status hy_lstsq_measure(struct hy_lstsq *s, const hyla_matrix *b, const hyla_matrix *x);
hyla_status hy_lstsq_find_rank(struct hy_lstsq *s);
hyla_status hy_lstsq_reveal(struct hy_lstsq *s);
hyla_status hy_lstsq_factor_packed(struct hy_lstsq *s, hyla_matrix *matrix);
hyla_status hy_lstsq_project(const struct hy_lstsq *s, const hyla_matrix *r, hyla_matrix **made);
hyla_status hy_lstsq_refine(struct hy_lstsq *s, const hyla_matrix *b, hyla_matrix *x);
hyla_status hy_lstsq_sides(const struct hy_lstsq *s, int64_t rows, int64_t count,
                           hyla_matrix **made);
hyla_status hy_lstsq_substitute(const struct hy_lstsq *s, const hyla_matrix *r, hyla_operation op,
                                int64_t order, const hyla_matrix *x);
hyla_status hy_lstsq_bring(const struct hy_lstsq *s, const hyla_matrix *from, hyla_matrix *to);
hyla_status hy_lstsq_move(hyla_cube *cube, hyla_operation op, const hyla_matrix *from,
                          hyla_matrix *to);
void hy_lstsq_free(struct hy_lstsq *s);

/* For hy_allreduce of doubles: the larger one, NaN if either is. */
void hy_lstsq_larger(void *into, const void *from, int64_t count, const void *arg);

#endif
