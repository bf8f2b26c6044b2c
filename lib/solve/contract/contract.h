/* Door of solve/contract: what a method is.
 *
 * A method's variants get a problem (hy_factorization), say how they solve with their factors
 * (hy_substitutions), and are listed in a family (hy_method).  With these stand the object of a
 * factorization, the redistributions that it keeps, layouts and verdicts. */
#ifndef HY_SOLVE_CONTRACT_H
#define HY_SOLVE_CONTRACT_H 1

#include "gemm/gemm.h"

/* --------------------------------------------------------------- methods -- */

/* What a factorization works in and finds. */
struct hy_factors {
  hyla_matrix *a;      /* becomes the factors, in place */
  hyla_matrix *x;      /* m x nrhs: right-hand sides */
  hyla_matrix *turned; /* n x nrhs, along a's columns; NULL: not needed so far */
  int64_t *swaps; /* row i was swapped with row swaps[i] at step i; one a pivot, on all ranks; in
                     a dry simulation they are not there */
  int64_t pivot;  /* first failing column, from 1; 0: none; on nodes */
};

/* The problem of a method's variants; outlives their states. */
struct hy_factorization {
  hyla_cube *cube;
  const struct hy_method *method;
  const struct hy_kernels *k;
  int64_t m, n; /* A's rows and columns; alike but for methods that take rectangles */
  int64_t nrhs; /* right-hand sides at a time, at most; of a rectangle 0 */
  hyla_layout layout, x_layout;
  struct hy_axis row, col;   /* of a */
  struct hy_axis x_col;      /* of x, whose rows lie as a's */
  hyla_layout turned_layout; /* rows as a's columns, columns over the dimensions of a's rows */
  struct hy_axis turned_row, turned_col;
  hyla_matrix *given; /* whose memory becomes the factors' if its entries lie so; NULL: none */
  /* The matrices of the system; NULL: not known, and expected in `layout', as created.  They need
   * not outlive the making of the factorization. */
  const hyla_matrix *from_a, *from_b, *to_x;
  /* Of a plan of A^-1, which hyla_plan_run runs: A, and what becomes its inverse, for as long as
   * the plan.  NULL: calls factor and solve. */
  const hyla_matrix *inverted;
  hyla_matrix *inverse;
  /* Its run, and its rehearsal. */
  hyla_status (*invert)(struct hyla_factor *factor);
  hy_rehearse *rehearse;
  struct hy_factors *factors; /* there before take */
  /* For one run: columns of x that become L^-1 P x on the way; NULL: none. */
  const struct hyla_matrix *along;
  /* For one run of a variant that can be resumed: it goes through columns from ... until-1, of
   * which those before have been through, and until is where a block ends, or the order.  until 0:
   * through all. */
  int64_t from, until;
};

/* How many pivots there are. */
static inline int64_t hy_factor_order(const struct hy_factorization *problem) {
  return hy_min(problem->m, problem->n);
}

/* No row is swapped.  In a dry simulation there is no list of swaps. */
static inline void hy_factor_no_swaps(const struct hy_factorization *problem) {
  for (int64_t i = 0; i < hy_factor_order(problem) && !problem->k->dry; i++)
    problem->factors->swaps[i] = i;
}

/* D of A = L D L^H, whose blocks are of order 1 and 2; n entries each, on nodes. */
struct hy_block_diagonal {
  const double *diagonal;
  const double _Complex *below; /* entry (i + 1, i); 0 where no block of order 2 begins */
  double largest;               /* of the entries of L D, which stood in the matrices left */
};

/* The traits of a method's variants: what they do with their factors.  As run: on nodes and
 * guests (which have nothing to do), without agreement: the caller agrees on the status. */
struct hy_substitutions {
  hyla_status (*forward)(void *state, hyla_matrix *x);  /* x := L^-1 P x */
  hyla_status (*backward)(void *state, hyla_matrix *x); /* x := U^-1 x */
  /* U is L^H, and the lower triangle holds both: backward takes the matrix `turned`, in which x
   * lies along a's columns, so that no entry changes its rank. */
  bool hermitian;
  /* Right-hand sides stay as they lie along a's rows for the backward step of Hermitian methods and
   * for `opposite' too, each whole on one rank; there is no `turned'.  The factors lie as hy_fixed
   * wants them (panels.h). */
  bool straight;
  /* Of Hermitian methods: D between L, with ones on its diagonal, and L^H; forward divides by it.
   * NULL: there is none, and L's diagonal is stored. */
  const struct hy_block_diagonal *(*diagonal)(const void *state);
  /* A = Q R instead: forward is x := Q^H x, unswap x := op(Q)^-1 x.  What stands below R's
   * diagonal, or beside, is Q's own business: there is no L. */
  bool orthogonal;
  /* Local, on nodes: of reflections I - tau v v^H, whose vectors v stand below the diagonal, entry
   * 1 of each left out, while R has the opposite sign: tau of those that this node knows, of others
   * 0; one a pivot.  NULL: the factors are not these. */
  void (*reflections)(const void *state, double *tau);
  /* The two that solve with op(A), TRANSPOSE or CONJUGATE; NULL of Hermitian methods.
   * opposite: in the matrix `turned', x := op(L)^-1 op(U)^-1 x; takes its memory at the first use,
   * is collective over cube and guests and agreed upon.  unswap: where x's rows lie as a's,
   * then x := P^T x. */
  hyla_status (*opposite)(void *state, hyla_operation op, hyla_matrix *x);
  hyla_status (*unswap)(void *state, hyla_operation op, hyla_matrix *x);
  /* l, a copy of what stands below the diagonal of the factors, gets its rows where all swaps
   * have put them; NULL: they are there. */
  hyla_status (*settle)(void *state, hyla_matrix *l);
  /* Of a problem that is an inverse: run makes of A not its factors but A^-1, of a Hermitian one
   * the lower triangle, whose mirror image the caller makes. */
  bool inverts;
  /* A run may go through some columns alone.  resume: the first `from' columns of the factors have
   * been through, and so have the others by them, in another run, maybe by blocks of another size;
   * makes what a run keeps beside them.  from need not be where a block begins.  Collective over
   * the nodes, not agreed.  NULL: all columns go at once. */
  hyla_status (*resume)(void *state, int64_t from);
  /* In a dry simulation, where there are no entries to choose pivots by, hyla_factor_compute runs
   * it nevertheless: it draws them. */
  bool draws;
  /* The factors are A^-1 itself: x := op(A^-1) b, in place of all the above.  For HYLA_NONE b is
   * the matrix `turned', and x lies as the factors' x; for another op the other way round. */
  hyla_status (*multiply)(void *state, hyla_operation op, const hyla_matrix *b, hyla_matrix *x);
  /* The factors are those of A^-1 as a product: x := op(A^-1) x, in place of all the above; what
   * rides along becomes A^-1 b. */
  hyla_status (*apply)(void *state, hyla_operation op, hyla_matrix *x);
};

/* Are there triangles, and rows that were swapped for them? */
static inline bool hy_has_triangles(const struct hy_substitutions *steps) {
  return steps->multiply == NULL && steps->apply == NULL;
}

/* Are the factors of a problem that is an inverse A^-1 itself? */
static inline bool hy_makes_inverse(const struct hy_substitutions *steps) {
  return steps->multiply != NULL || steps->inverts;
}

/* A way of solving systems. */
struct hy_method {
  struct hyla_method_traits is;
  /* Named as the method.  Create is local; take is collective over cube and guests and agreed
   * upon.  The cost is of one factorization and one solution of nrhs right-hand sides; where
   * the traffic depends on the entries, the most that it can be. */
  struct hy_family variants;
};

/* -------------------------------------------------------- factor objects -- */

/* A redistribution, planned for the matrices that are expected and again for the first of other
 * shapes, and kept, a child of the factorization's plan.  The copies of what it goes between
 * outlive the caller's matrices. */
struct hy_staged {
  const char *what; /* it is for; static */
  hyla_plan *move;  /* NULL: none planned */
  struct hyla_matrix from, to;
  bool shared; /* whose source others read in place; its window may be gone by now */
};

/* The state of its plan. */
struct hyla_factor {
  hyla_plan *plan;
  struct hy_factorization problem;
  struct hy_factors factors;
  bool adopted; /* the matrix given is the factorization's own */
  bool computed;
  struct hy_staged a, b, x, turned; /* what is brought in, and out, and turned between */
  struct hy_staged across, back;    /* for op(A): brought in along a's columns, turned back */
  struct hy_checksum *checksum;     /* owned; NULL: results are not checked */
  struct hy_checkpoint *checkpoint; /* owned; NULL: no states are written */
  struct hy_row_sum *due;           /* owned; what hyla_factor_hold has summed; NULL: nothing */
  bool holds;                       /* since these factors were computed */
  hyla_plan *mirror; /* a child of the plan: what is above the diagonal of the factors becomes the
                        conjugate of what is below; NULL: none */
};

/* The right-hand sides pass through the factorization's own, which are workspace: to the caller
 * the factors do not change. */
static inline struct hyla_factor *hy_factor_workspace(const struct hyla_factor *factor) {
  return (struct hyla_factor *)(uintptr_t)factor;
}

/* to := from, through `kept`; agreed upon. */
hyla_status hy_staged_run(hyla_plan *plan, struct hy_staged *kept, const hyla_matrix *from,
                          hyla_matrix *to);
/* Plans it; all ranks return the same.  Entries are neither read nor written. */
hyla_status hy_staged_plan(hyla_plan *plan, struct hy_staged *kept, const hyla_matrix *from,
                           const hyla_matrix *to);
/* The same, with a plan that is not kept. */
hyla_status hy_staged_once(const hyla_matrix *from, hyla_matrix *to);

/* -------------------------------------------------------------- verdicts -- */

/* Local.  OK, SINGULAR or NOT_FINITE of a pivot, from 1, with the message. */
hyla_status hy_pivot_verdict(struct hy_base *base, hyla_status verdict, int64_t pivot);

/* Verdicts for hy_enter: the factorization is of this cube; the factors have been computed; those
 * of a square matrix; a matrix of that name is of the cube and of the factors' type, rows x cols.
 * The factorization added to a fingerprint. */
hyla_status hy_factor_check_cube(hyla_cube *cube, const hyla_factor *factor);
hyla_status hy_factor_check_computed(hyla_cube *cube, const hyla_factor *factor);
hyla_status hy_factor_check_square(hyla_cube *cube, const hyla_factor *factor, const char *call);
/* UNSUPPORTED of methods that need data where there are none. */
hyla_status hy_factor_need_data(const hyla_factor *factor, const char *call);
/* The factors are triangles, with rows that were swapped for them, and not the inverse. */
hyla_status hy_factor_check_triangular(hyla_cube *cube, const hyla_factor *factor,
                                       const char *call);
hyla_status hy_factor_check_matrix(const hyla_factor *factor, const hyla_matrix *a, int64_t rows,
                                   int64_t cols, const char *name);
uint64_t hy_factor_fingerprint(uint64_t fingerprint, const hyla_factor *factor);

/* --------------------------------------------------------------- layouts -- */

/* The layout of m x n factors when none is asked for: square blocks, cyclic on a nearly square
 * array, or by columns alone where ranks share the cores of one machine. */
hyla_layout hy_factor_layout(const hyla_cube *cube, int64_t m, int64_t n);
/* The same of a triangle of order n that is solved with: always on a nearly square array, as
 * right-hand sides keep all ranks busy. */
hyla_layout hy_triangle_layout(const hyla_cube *cube, int64_t n);
/* For variants on square blocks: the block of the factors' layout, no larger than the order, 0
 * where the axes' blocks differ before it; `applies` of their rows. */
int64_t hy_factor_block(const struct hy_factorization *problem);
int64_t hy_square_block(const hyla_cube *cube, const struct hy_axis *row,
                        const struct hy_axis *col);
/* The same for a triangle; on one rank, where the layout's blocks mean nothing, the best one for so
 * many right-hand sides; 0: for its inverse. */
int64_t hy_triangle_block(const hyla_cube *cube, const struct hy_axis *row,
                          const struct hy_axis *col, int64_t sides);
/* Can a triangle be solved with where it lies? */
bool hy_triangle_serves(const hyla_matrix *a);
/* Does a matrix lie well enough for them as it is?  sides: right-hand sides that would move with a
 * triangle.  To move half of it one way is cheaper than these both ways from order /
 * HY_SIDES_ENOUGH of them on. */
enum { HY_SIDES_ENOUGH = 4 };
bool hy_factor_fits(const hyla_matrix *a);
bool hy_triangle_fits(const hyla_matrix *a, int64_t sides);
/* The layout of its factors: its own where it fits; NULL for that of none asked for. */
const hyla_layout *hy_factor_layout_of(const hyla_matrix *a);
const char *hy_factor_applies(const void *given);

/* --------------------------------------------------------------- entries -- */

/* Local.  Every entry here becomes its conjugate. */
void hy_conjugate_entries(hyla_matrix *m);

/* into := into + from, for hy_reduce and hy_allreduce; arg: the kernels. */
void hy_solve_sum(void *into, const void *from, int64_t count, const void *arg);

/* Local.  How many threads a pass over the local entries of a matrix is worth. */
int hy_solve_threads(const hyla_matrix *m);

#endif
