/* Private to lib/solve: a triangular system with all that its substitution takes: collectives,
 * memory, cost.
 *
 * create, cost and free are local; take is collective over cube and guests and agreed upon; run
 * is collective over the nodes and not agreed. */
#ifndef HY_TRIANGULAR_H
#define HY_TRIANGULAR_H 1

#include "solve/substitution.h"

struct hy_triangular_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  struct hy_axis t_row, t_col, x_row, x_col; /* X as its side and op want it (substitution.h) */
  struct hy_triangular form;                 /* but for t */
  bool many;                                 /* by the way for many right-hand sides */
  bool sweep;                                /* by the sweep; neither: as few */
};

struct hy_triangular_system {
  struct hy_triangular_problem problem;
  struct hy_substitution s;
  struct hy_group adds, spreads, shares;
  struct hy_panels panels, ahead; /* ahead: of blocks of X */
  struct hy_packed_rows packed;   /* of a block column, where the rank has a team */
  int64_t groups;                 /* of right-hand sides, in a sweep */
};

/* Free it also after a failure. */
hyla_status hy_triangular_create(const struct hy_triangular_problem *problem,
                                 struct hy_triangular_system *system);
/* The same for a triangle of a factorization's factors: X's rows lie as A's rows or, where the form
 * has an op, as A's columns. */
struct hy_factorization;
hyla_status hy_triangular_of_factors(const struct hy_factorization *problem,
                                     struct hy_triangular form,
                                     struct hy_triangular_system *system);
/* t: the matrix, which outlives the system. */
hyla_status hy_triangular_take(struct hy_triangular_system *system, const hyla_matrix *t);
/* x becomes the solution; it may have fewer columns, from the right rows, than was planned for. */
hyla_status hy_triangular_run(const struct hy_triangular_system *system, const hyla_matrix *x);
/* Exactly what a run costs this node: counted on a counting cube. */
hyla_status hy_triangular_cost(const struct hy_triangular_system *system, hyla_cost *cost);
void hy_triangular_free(struct hy_triangular_system *system);

#endif
