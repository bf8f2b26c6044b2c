/* Door of the room solve: factorizations and linear systems, one file a variant.
 *
 * A variant works in place on factor->a, which lies in factor->layout, and on
 * right-hand sides that lie as factor->x; the front end (factor.c, solve.c)
 * copies the caller's matrices in and out, redistributing where they lie
 * otherwise.
 */
#ifndef HY_SOLVE_H
#define HY_SOLVE_H 1

#include "gemm/gemm.h"

/* A redistribution, planned when it is first needed and kept for the next
 * matrices of the same shapes.  The copies of what it goes between outlive the
 * caller's matrices. */
struct hy_staged {
  struct hy_direct *move; /* NULL: none planned */
  struct hyla_matrix from, to;
};

struct hyla_factor {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n;
  int64_t nrhs;
  hyla_layout layout;
  hyla_layout x_layout;
  struct hy_axis row, col;         /* of a */
  struct hy_axis x_col;            /* of x, whose rows lie as a's */
  struct hy_candidate *candidates; /* the variants as they were compared */
  int count;
  int choice;
  bool forced; /* chosen by name */
  const struct hy_solve_variant *variant;
  hyla_matrix *a; /* becomes L and U */
  hyla_matrix *x; /* n x nrhs */
  int64_t *swaps; /* row i was swapped with row swaps[i] at step i; n, on all ranks */
  int64_t pivot;  /* first failing column, from 1; 0: none */
  bool computed;
  struct hy_staged move_a, move_b, move_x;
  void *workspace; /* of the variant */
};

struct hy_solve_variant {
  struct hy_variant row; /* first */
  /* NULL when it applies, else the reason.  n, nrhs, layouts and axes are set. */
  const char *(*applies)(const struct hyla_factor *factor);
  /* Exact, of the busiest rank, for one factorization and one solution of nrhs
   * right-hand sides, where the traffic does not depend on the entries; where
   * it does, `least` and `most` enclose it.  Same preconditions. */
  void (*cost)(const struct hyla_factor *factor, hyla_cost *least, hyla_cost *most);
  /* Takes the workspace.  Collective over cube and guests; agreed upon.  What was
   * taken before a failure is given back by release. */
  hyla_status (*prepare)(struct hyla_factor *factor);
  /* The following three run on nodes and guests (which have nothing to do),
   * without agreement: the caller agrees on what they return.
   * factor: factor->a in place; a failing pivot sets factor->pivot on all nodes;
   * x, when not NULL, becomes L^-1 P x on the way. */
  hyla_status (*factor)(struct hyla_factor *factor, hyla_matrix *x);
  hyla_status (*forward)(const struct hyla_factor *factor, hyla_matrix *x);  /* L^-1 P x */
  hyla_status (*backward)(const struct hyla_factor *factor, hyla_matrix *x); /* U^-1 x */
  void (*release)(struct hyla_factor *factor);
};

/* The list: one row a variant. */
extern const struct hy_solve_variant hy_solve_lu;

extern const struct hy_family hy_solve_family;
static inline const struct hy_solve_variant *hy_solve_variant_of(const struct hy_variant *row) {
  return (const struct hy_solve_variant *)row;
}

/* The parts of which the public calls are made.
 * want     checks the arguments and says in *wanted what is to be made: local,
 *          a verdict for hy_enter
 * make     makes it; on failure *factor is NULL
 * compute  factor->a := a and its factors; with b not NULL the first columns of
 *          factor->x become L^-1 P b on the way
 * finish   x := U^-1 times the first columns of factor->x
 * The last three are collective and agreed upon. */
hyla_status hy_factor_want(hyla_cube *cube, hyla_type type, int64_t n, int64_t nrhs,
                           const hyla_layout *layout, struct hyla_factor *wanted);
hyla_status hy_factor_make(hyla_cube *cube, const struct hyla_factor *wanted, const char *variant,
                           struct hyla_factor **factor);
hyla_status hy_factor_compute(struct hyla_factor *factor, const hyla_matrix *a,
                              const hyla_matrix *b);
hyla_status hy_factor_finish(struct hyla_factor *factor, hyla_matrix *x);

/* The layout of n x n factors when none is asked for. */
hyla_layout hy_factor_layout(const hyla_cube *cube, int64_t n);

/* to := from, through `kept`; agreed upon. */
hyla_status hy_staged_run(struct hy_staged *kept, const hyla_matrix *from, hyla_matrix *to);
void hy_staged_destroy(struct hy_staged *kept);

/* into := into + from, for hy_reduce and hy_allreduce; arg: the kernels. */
void hy_solve_sum(void *into, const void *from, int64_t count, const void *arg);

#endif
