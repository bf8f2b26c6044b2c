/* Private to solve: products with Q that are planned once and run any number of times. */
#ifndef HY_SOLVE_APPLY_Q_H
#define HY_SOLVE_APPLY_Q_H 1

#include "solve/solve.h"

/* A Q that can be applied: the layout of its reflections, and how. */
struct hy_unitary {
  hyla_cube *cube;
  const struct hy_kernels *k;
  const struct hy_axis *row, *col;
  hyla_layout layout;
  hyla_status (*times)(void *state, enum hy_q_times what, const hyla_matrix *x);
  void *state;
};

/* x := op(Q) x, or x op(Q).  It must not move in memory once it is planned. */
struct hy_q_product {
  struct hy_unitary u;
  enum hy_q_times what;
  hyla_operation move; /* of x to the workspace and back */
  bool conjugated;     /* the entries, before and after */
  hyla_matrix *x;
  hyla_matrix *work; /* NULL: x is multiplied where it is */
  hyla_plan *there, *back;
  /* Of reflections from outside. */
  struct hy_factorization problem;
  struct hy_factors factors;
  hyla_matrix *copy; /* NULL: the vectors are read where they are */
  hyla_plan *bring;
  struct hy_qr *q;
};

/* of_factor, of_packed  collective over all ranks, agreed: a product with the Q of a factorization
 *            that need not be computed yet, or of reflections; all but its place is zeros before
 *   run      collective over all ranks, agreed; allocates nothing
 *   free     local; to be called also after a failure, and for zeros */
hyla_status hy_q_of_factor(const hyla_factor *factor, hyla_side side, hyla_operation op,
                           hyla_matrix *x, struct hy_q_product *p);
hyla_status hy_q_of_packed(const hyla_matrix *packed, const double _Complex *tau, hyla_side side,
                           hyla_operation op, hyla_matrix *x, struct hy_q_product *p);
hyla_status hy_q_run(struct hy_q_product *p);
void hy_q_free(struct hy_q_product *p);

#endif
