/* Private to solve: a least squares problem that is planned, factored, and then solved for
 * right-hand sides. */
#ifndef HY_SOLVE_LSTSQ_H
#define HY_SOLVE_LSTSQ_H 1

#include "solve/apply_q.h"
#include "solve/pivoted/pivoted.h"
#include "solve/played.h"

/* A step of a run, planned once: a plan and the matrices that it goes by, or a product with Q. */
struct hy_lstsq_step {
  hyla_matrix from, to;
  bool copies; /* each rank copies its entries, without a plan */
  hyla_plan *plan;
  struct hy_q_product product;
};

enum hy_lstsq_steps {
  /* the factorization */
  HY_LSTSQ_BRING, /* A to `tall' */
  HY_LSTSQ_PROBE, /* R^-1 times `probes' */
  /* pivots */
  HY_LSTSQ_UPPER,  /* R to `u' */
  HY_LSTSQ_PIVOTS, /* R P = Q2 U */
  HY_LSTSQ_COPY,   /* U to `inverse' */
  HY_LSTSQ_INVERT,
  HY_LSTSQ_AGAIN,  /* R to `columns_of_r' */
  HY_LSTSQ_PACKED, /* the factors of `permuted' to `u' */
  HY_LSTSQ_TURN,   /* U^H to `turned' */
  /* the solution */
  HY_LSTSQ_SIDES, /* b to `c' */
  HY_LSTSQ_TIMES_Q,
  HY_LSTSQ_BY_R,
  HY_LSTSQ_ANSWER, /* `c' to x */
  /* the same with pivots */
  HY_LSTSQ_TIMES_Q2,
  HY_LSTSQ_BY_U,
  HY_LSTSQ_BY_S,
  HY_LSTSQ_TIMES_Q3,
  HY_LSTSQ_TO_PERMUTE, /* y to `order[0]' */
  HY_LSTSQ_PERMUTED,   /* `order[1]' to y */
  HY_LSTSQ_STEPS
};

struct hy_refinement;
struct hy_measure;

/* The taller of op(A) and op(A)^H is `rows' x k.  lstsq.c says what Q, R, U, Q2, Q3 and S are.
 * What is NULL is not planned yet. */
struct hy_lstsq {
  hyla_cube *cube;
  hyla_lstsq_options options;
  const hyla_matrix *a, *b;
  hyla_matrix *x;
  hyla_type type;
  bool wide;    /* op(A) has more columns than rows */
  bool refined; /* at least by one step */
  int64_t rows, k;
  struct hy_norm norm; /* |A|_F */
  struct hy_lstsq_step step[HY_LSTSQ_STEPS];
  hyla_matrix *tall; /* becomes Q and R */
  struct hyla_factor *factor;
  hyla_matrix r; /* its leading rows */
  hyla_matrix *probes;
  bool pivoted;         /* the run has come to pivots */
  hyla_matrix *u;       /* U and Q2 */
  double _Complex *tau; /* Q2's */
  int64_t *columns;
  hyla_matrix *inverse, *columns_of_r, *permuted;
  struct hyla_factor *again;  /* of `permuted', in its place */
  hyla_matrix *turned;        /* becomes Q3 and S, if the rank is not full */
  struct hyla_factor *second; /* in its place */
  double *numbers;            /* 2 (k + 1), for the diagonal, for sums, for reflections */
  hyla_matrix *c;             /* right-hand sides with `rows' rows */
  hyla_matrix *order[2];
  struct hy_refinement *refinement;
  struct hy_measure *measure;
  hyla_plan *plan; /* that is being priced on a counting cube; NULL: none */
  hyla_lstsq_report report;
};

/* Collective over all ranks, agreed; open is local, and free, which is to be called also after a
 * failure.  A problem must not move in memory once a part of it is planned.  Each part is planned
 * once: by the run when it comes there, or before, so that the run allocates nothing.
 *   open       the options, and the matrices, outlive the problem; b and x may be NULL if it is
 * only factored plan_all   all parts that a run may come to, as the options say; measured: also the
 * report's take       zeros, also on counting cubes factor     up to the rank solve      x :=
 * op(A)^+ b measure    sets the report's residual and backward error plan_pivots, pivot      R P =
 * Q2 U with a certain rank, and if that is not full Q3 and S solve_pivoted  y := the solution of
 * least norm of R y = y, or of R^H y = y rotate_pivoted y := its coordinates in an orthonormal
 * basis, those behind the rank last; as a solution, which is planned, begins find_rank  from U's
 * diagonal plan_reveal, reveal     makes that rank certain plan_refinement, refine  x, with
 * residuals in twice the precision, if the rank is full project    c := the coordinates of what is
 * there in an orthonormal basis of op(A)'s range, then zeros; after a solution sides      *made:
 * right-hand sides with `rows' rows, lying so that Q multiplies them in place clear_rows local:
 * rows first ... of m become zeros factor_in  T = Q R in place of a matrix, which the factorization
 * uses while it lives plan_move, plan_bring, plan_by, plan_times  a step: to := op(from) or, by
 * bring, the taller of op(A) and op(A)^H or that of a matrix of A's size; x := op(R)^-1 x for a
 * leading triangle of `order' rows; x := op(Q) x run, run_bring  a step */
struct hy_lstsq hy_lstsq_open(hyla_cube *cube, const hyla_lstsq_options *options,
                              const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x);
hyla_status hy_lstsq_plan_all(struct hy_lstsq *s, bool measured);
hyla_status hy_lstsq_take(const struct hy_lstsq *s, int64_t count, size_t size, void *out);
hyla_status hy_lstsq_factor(struct hy_lstsq *s);
hyla_status hy_lstsq_solve(struct hy_lstsq *s);
hyla_status hy_lstsq_plan_measure(struct hy_lstsq *s);
hyla_status hy_lstsq_measure(struct hy_lstsq *s);
hyla_status hy_lstsq_plan_pivots(struct hy_lstsq *s);
hyla_status hy_lstsq_pivot(struct hy_lstsq *s);
hyla_status hy_lstsq_plan_solve_pivoted(struct hy_lstsq *s);
hyla_status hy_lstsq_solve_pivoted(struct hy_lstsq *s, hyla_matrix *y);
hyla_status hy_lstsq_rotate_pivoted(struct hy_lstsq *s);
hyla_status hy_lstsq_find_rank(struct hy_lstsq *s);
hyla_status hy_lstsq_plan_reveal(struct hy_lstsq *s);
hyla_status hy_lstsq_reveal(struct hy_lstsq *s);
hyla_status hy_lstsq_plan_refinement(struct hy_lstsq *s);
hyla_status hy_lstsq_refine(struct hy_lstsq *s);
hyla_status hy_lstsq_project(struct hy_lstsq *s);
hyla_status hy_lstsq_sides(const struct hy_lstsq *s, int64_t rows, int64_t count,
                           hyla_matrix **made);
void hy_lstsq_clear_rows(hyla_matrix *m, int64_t first);
hyla_status hy_lstsq_factor_in(const struct hy_lstsq *s, hyla_matrix *matrix,
                               struct hyla_factor **factor);
hyla_status hy_lstsq_plan_move(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                               hyla_operation op, const hyla_matrix *from, const hyla_matrix *to,
                               enum hy_part part);
hyla_status hy_lstsq_plan_bring(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                                const hyla_matrix *from, const hyla_matrix *to);
hyla_status hy_lstsq_plan_by(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                             const hyla_matrix *r, hyla_operation op, int64_t order,
                             const hyla_matrix *x);
hyla_status hy_lstsq_plan_times(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                                const struct hyla_factor *factor, hyla_operation op,
                                const hyla_matrix *x);
hyla_status hy_lstsq_run(const struct hy_lstsq *s, struct hy_lstsq_step *step);
hyla_status hy_lstsq_run_bring(const struct hy_lstsq *s, struct hy_lstsq_step *step,
                               hyla_matrix *to);
void hy_lstsq_free_step(struct hy_lstsq_step *step);
void hy_lstsq_free_refinement(struct hy_lstsq *s);
void hy_lstsq_free_measure(struct hy_lstsq *s);
void hy_lstsq_free(struct hy_lstsq *s);

/* For hy_allreduce of doubles: the larger one, NaN if either is. */
void hy_lstsq_larger(void *into, const void *from, int64_t count, const void *arg);

#endif
