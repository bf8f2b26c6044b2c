/* Door of solve/contract: the contract of a method.
 *
 * A method's variants get a problem (hy_factorization), say how they solve with their factors
 * (hy_factor_traits), and are listed in a family (hy_method).  The door also declares the object of
 * a factorization, layouts and verdicts. */
#ifndef HY_SOLVE_CONTRACT_H
#define HY_SOLVE_CONTRACT_H 1

#include "gemm/gemm.h"

/* --------------------------------------------------------------- methods -- */

/* A factorization's operands and results. */
struct hy_factors {
  hyla_matrix *a;               /* becomes the factors, in place */
  hyla_matrix *x;               /* m x nrhs: right-hand sides */
  hyla_matrix *x_along_columns; /* n x nrhs, along a's columns; NULL: not needed so far */
  int64_t *swaps; /* row i was swapped with row swaps[i] at step i; one a pivot, on all ranks; NULL
                   * in a dry simulation */
  int64_t pivot;  /* first failing column, from 1; 0: none failed; valid on nodes */
};

/* The problem of a method's variants; it outlives their states. */
struct hy_factorization {
  hyla_cube *cube;
  const struct hy_method *method;
  const struct hy_kernels *k;
  int64_t m, n; /* A's rows and columns; equal except for methods that take rectangles */
  int64_t nrhs; /* the most right-hand sides at a time; 0 for a rectangle */
  hyla_layout layout, x_layout;
  struct hy_axis row, col; /* of a */
  struct hy_axis x_col;    /* of x, whose rows lie as a's */
  /* Of right-hand sides along a's columns, whose columns lie over the dimensions of a's rows. */
  struct hy_axis turned_row, turned_col;
  hyla_matrix *given; /* its memory becomes the factors' if its entries lie so; NULL: no such
                       * matrix */
  /* The matrices of the system; NULL: unknown, and expected in `layout' as created.  They need not
   * outlive the making of the factorization. */
  const hyla_matrix *from_a, *from_b, *to_x;
  /* For a plan of A^-1, run by hyla_plan_run: A, and the matrix that becomes its inverse, both for
   * the plan's life.  NULL: the calls factor and solve. */
  const hyla_matrix *inverted;
  hyla_matrix *inverse;
  struct hy_factors *factors; /* set before allocate */
  /* For one run: columns of x that become L^-1 P x during the factorization; NULL: none. */
  const struct hyla_matrix *rhs;
  /* For one run of a variant that can be resumed: it works through columns from ... until-1; the
   * columns before have been worked through.  until is the end of a block, or the order.  until 0:
   * all columns. */
  int64_t from, until;
  /* On a counting cube, for methods whose pivots decide what travels: no rows are swapped, so that
   * the least is counted.  False: the most. */
  bool swapless;
  /* For QR: a column without a norm is no failure; R has a zero there. */
  bool through;
};

/* The number of pivots. */
static inline int64_t hy_factor_order(const struct hy_factorization *problem) {
  return hy_min(problem->m, problem->n);
}

static inline void hy_swap_numbers(int64_t *one, int64_t *other) {
  const int64_t held = *one;
  *one = *other;
  *other = held;
}

/* Notes that no row is swapped.  In a dry simulation there is no list of swaps. */
static inline void hy_factor_no_swaps(const struct hy_factorization *problem) {
  for (int64_t i = 0; i < hy_factor_order(problem) && !problem->k->dry; i++)
    problem->factors->swaps[i] = i;
}

/* A norm, value times 2^exponent.  It may lie outside the range of numbers of its matrix' entries;
 * so may the magnitude of a complex entry.
 *   find         collective over all ranks, agreed; value in [1/2, 1), 0, NaN or infinite
 * The others are local:
 *   fraction     the same number with such a value
 *   largest      the largest of m x n entries, with such a value; infinite if a part of an entry
 *                is, NaN if one is NaN
 *   larger       the larger of two with such values; NaN if either is NaN
 *   take_larger  the same, as hy_allreduce combines
 *   condition    1 / (|A| |A^-1|); 0 if either is 0 or infinite, NaN if either is NaN
 *   quotient     a / b, for b other than 0
 *   here         the largest of a matrix' entries on this rank, by its threads */
struct hy_norm {
  double value;
  int exponent;
};
hyla_status hy_norm_find(hyla_cube *cube, const hyla_matrix *m, hyla_norm kind,
                         struct hy_norm *norm);
struct hy_norm hy_norm_fraction(struct hy_norm norm);
struct hy_norm hy_norm_largest(const struct hy_kernels *k, int64_t m, int64_t n, const char *a,
                               int64_t lda);
struct hy_norm hy_norm_larger(struct hy_norm a, struct hy_norm b);
void hy_norm_allocate_larger(void *into, const void *from, int64_t count, const void *arg);
double hy_norm_condition(struct hy_norm a, struct hy_norm inverse);
double hy_norm_quotient(struct hy_norm a, struct hy_norm b);
struct hy_norm hy_norm_here(const hyla_matrix *a);

/* The largest of a matrix' entries on this rank, found by an earlier pass over them; matrix NULL:
 * there was none. */
struct hy_seen {
  const hyla_matrix *matrix;
  struct hy_norm largest;
};

/* Local.  x := 2^exponent x, for `rows' entries, in steps that the type can represent. */
void hy_shift(const struct hy_kernels *k, int64_t rows, int exponent, char *x);

/* D of A = L D L^H, with diagonal blocks of order 1 and 2; n entries in each array, valid on
 * nodes. */
struct hy_block_diagonal {
  const double *diagonal;
  const double _Complex *below; /* entry (i + 1, i); 0 where no block of order 2 begins */
  struct hy_norm largest;       /* largest entry of L D, measured in the remaining matrices */
};

/* Where right-hand sides lie in a factorization: with their rows as A's rows, or as A's columns.
 * Outside are the caller's matrices. */
enum hy_along { HY_ALONG_ROWS, HY_ALONG_COLUMNS, HY_OUTSIDE, HY_PLACES_OF_SIDES };

/* A step of a solution.  The caller brings right-hand sides to the place `at'.  There run works on
 * them; or product writes x in the other place, and b may change.  Neither: there is no such step.
 * The functions are called on nodes and spare ranks (which have nothing to do) and are not agreed:
 * the caller agrees on the status.  They may take memory at the first use, collectively over all
 * ranks. */
struct hy_solve_step {
  hyla_status (*run)(void *state, hyla_operation op, hyla_matrix *x);
  hyla_status (*product)(void *state, hyla_operation op, const hyla_matrix *b, hyla_matrix *x);
  enum hy_along at;
};

/* The form of the factors in A's place: triangles, with rows that were swapped for them; A^-1; or
 * factors whose product is A^-1. */
enum hy_factor_form { HY_TRIANGLES, HY_INVERSE, HY_INVERSE_PRODUCT };

/* What comes of x: Q x; Q^H x; Q's leading columns, for x with the identity's. */
enum hy_q_times { HY_Q_PLAIN, HY_Q_ADJOINT, HY_Q_OF_IDENTITY };

/* The traits of a method's variants.  A variant's run is factor(state); the traits say how to solve
 * with the factors, and which other work it can do.  All functions are called as those of steps. */
struct hy_factor_traits {
  enum hy_factor_form form;
  /* x := A^-1 b, and x := op(A)^-1 b for TRANSPOSE and CONJUGATE, which Hermitian methods need not
   * say.  Right-hand sides that are eliminated with A leave run as solve[0].run leaves them; if
   * solve[0] is a product, none are eliminated. */
  struct hy_solve_step solve[2], solve_transposed[2];
  /* U is L^H, and the lower triangle holds both. */
  bool hermitian;
  /* For Hermitian methods: D between L, with ones on its diagonal, and L^H.  NULL: there is no D,
   * and L's diagonal is stored. */
  const struct hy_block_diagonal *(*diagonal)(const void *state);
  /* A = Q R.  The entries below R's diagonal, or beside the matrix, are private to Q: there is no
   * L. */
  bool orthogonal;
  /* Local, on nodes.  For factors by reflections I - tau v v^H: the vectors v stand below the
   * diagonal without their first entry, which is 1, and R has the opposite sign.  Writes one tau a
   * pivot; 0 for reflections that this node does not know.  NULL: the factors are of another
   * kind. */
  void (*reflections)(const void *state, double *tau);
  /* For the same factors: x := Q x or the like.  x's rows lie as A's rows, its columns in any
   * number over the dimensions of A's columns.  Collective over the nodes.  NULL: Q is not
   * applied. */
  hyla_status (*times_q)(void *state, enum hy_q_times what, const hyla_matrix *x);
  /* l is a copy of the factors below the diagonal.  Its rows go to the places that all swaps give
   * them.  NULL: they are there. */
  hyla_status (*apply_later_swaps)(void *state, hyla_matrix *l);
  /* For a problem that asks for the inverse: run turns A into A^-1 instead of its factors.  If A is
   * Hermitian, it makes the lower triangle of A^-1, and the caller mirrors it. */
  bool inverts;
  /* A run may work through a part of the columns.  resume: the first `from' columns of the factors
   * have been worked through, and the other columns have been updated by them, in another run,
   * maybe with blocks of another size.  resume makes the data that a run keeps beside these
   * columns.  from need not be where a block begins.  Collective over the nodes, not agreed.  NULL:
   * a run always takes all columns. */
  hyla_status (*resume)(void *state, int64_t from);
  /* hyla_factor_compute runs even in a dry simulation, where there are no entries to choose pivots
   * by: the variant draws its pivots. */
  bool runs_dry;
};

/* Does the variant make A^-1 itself for a problem that asks for the inverse? */
static inline bool hy_makes_inverse(const struct hy_factor_traits *traits) {
  return traits->form == HY_INVERSE || traits->inverts;
}

/* A method of solving systems. */
struct hy_method {
  struct hyla_method_traits is;
  /* The family has the method's name.  Create is local; allocate is collective over all ranks and
   * agreed.  The cost is that of one factorization and one solution for nrhs right-hand sides; if
   * the traffic depends on the entries, it is an upper limit. */
  struct hy_family variants;
};

/* The traits of a method's first variant, for those that all variants have in common. */
static inline const struct hy_factor_traits *hy_method_traits(const struct hy_method *method) {
  return method->variants.rows[0]->traits;
}

/* play.c.  Local.  The cost of one factorization, and of one solution if right-hand sides are
 * planned, on the rank at a node: exact or, if the pivots decide what travels, the most that they
 * can make it; swapless: the least.  Its memory is the variant's alone.  A guest's cost is 0. */
hyla_status hy_factor_cost(const struct hy_factorization *problem, const struct hy_variant *variant,
                           int node, bool swapless, hyla_cost *cost);
/* The steps, messages and words of the busiest node if no rows are swapped. */
hyla_status hy_factor_least(const struct hy_factorization *problem,
                            const struct hy_variant *variant, hyla_cost *least);

/* -------------------------------------------------------- factor objects -- */

/* The operands of a factorization's job: the factors, and right-hand sides along A's rows and along
 * its columns. */
enum { HY_FACTOR_A, HY_FACTOR_X, HY_FACTOR_X_ALONG, HY_FACTOR_OPERANDS };

/* The task of a factorization's job. */
struct hyla_factor {
  struct hy_factorization problem; /* first: the variants' problem */
  struct hy_factors factors;
  hyla_plan *plan;
  bool adopted; /* the matrix given is the factorization's own */
  bool computed;
  struct hy_kept_move a; /* A brought */
  /* Right-hand sides between two places: move[from][to]. */
  struct hy_kept_move move[HY_PLACES_OF_SIDES][HY_PLACES_OF_SIDES];
  struct hy_checksum *checksum;     /* owned; NULL: results are not checked */
  struct hy_checkpoint *checkpoint; /* owned; NULL: no checkpoints are written */
  struct hy_row_sum *due;           /* owned; the sums made by hyla_factor_hold; NULL: no sums */
  bool holds;                       /* the sums are those of these factors */
  hyla_cost guards;                 /* of checksum and checkpoint */
  hyla_plan *mirror; /* child of the plan: sets the entries above the factors' diagonal to the
                      * conjugates of those below; NULL: not needed */
};

/* The traits of the chosen variant, and its state. */
static inline const struct hy_factor_traits *hy_factor_traits_of(const struct hyla_factor *factor) {
  return hy_choice_variant(&factor->plan->choice)->traits;
}
static inline void *hy_factor_state(const struct hyla_factor *factor) {
  return hy_choice_state(&factor->plan->choice);
}

/* Right-hand sides pass through the factorization's own memory, which is workspace: the caller sees
 * no change of the factors. */
static inline struct hyla_factor *hy_factor_workspace(const struct hyla_factor *factor) {
  return (struct hyla_factor *)(uintptr_t)factor;
}

/* -------------------------------------------------------------- verdicts -- */

/* Local.  After a run: keeps its failing pivot, numbered from 1, and returns the run's own status
 * or, with the message, SINGULAR, INDEFINITE or NOT_FINITE for the pivot. */
hyla_status hy_pivot_verdict(const struct hy_factorization *problem, hyla_status run,
                             hyla_status pivot_status, int64_t pivot);

/* Properties that a call can require of its factorization: it has been computed; its matrix is
 * square; its factors are triangles, with rows that were swapped for them, and not the inverse. */
enum { HY_COMPUTED = 1, HY_SQUARE = 2, HY_WITH_TRIANGLES = 4 };
/* Local.  Verdict on a call's factorization, before that on its other arguments: the factorization
 * exists, belongs to this cube and has the required properties.  It becomes the model that the
 * call's matrices must fit, and the ranks agree upon it. */
hyla_status hy_factor_call(hyla_cube *cube, const hyla_factor *factor, int required,
                           struct hy_call *call);

/* ---------------------------------------------------------------- memory -- */

/* An array of a state's data: the address of the pointer to it, and its size. */
struct hy_owned {
  void *at;
  int64_t bytes;
};
/* A collective of a state, for the longest message of any rank, so that all ranks choose alike. */
struct hy_group {
  struct hy_subcube_op *op;
  uint32_t dims;
  enum hy_task task;
  int64_t words;
  size_t size;
};
/* Local.  The lists end with a row of zeros, with NULL.  All memory belongs to the owner.
 *   take_arrays      takes the arrays
 *   make_groups      makes the collectives, without the memory of a run
 *   allocate_groups  takes that memory
 *   explain_asked    explains a collective if the user asked for its variant */
hyla_status hy_take_arrays(struct hy_base *base, void *owner, const struct hy_owned *array);
hyla_status hy_make_groups(void *owner, hyla_cube *cube, const struct hy_group *group);
hyla_status hy_allocate_groups(struct hy_subcube_op *const *group);
void hy_explain_asked(const struct hy_subcube_op *group, const char *what, struct hy_text *text);

/* --------------------------------------------------------------- layouts -- */

/* The layout of m x n factors if none is asked for: square blocks, cyclic on a nearly square array;
 * or, if ranks share the cores of one machine, cyclic by columns only. */
hyla_layout hy_factor_layout(const hyla_cube *cube, int64_t m, int64_t n);
/* The same for a triangle of order n in a triangular system: always on a nearly square array,
 * because the right-hand sides keep all ranks busy. */
hyla_layout hy_triangle_layout(const hyla_cube *cube, int64_t n);
/* For variants on square blocks.  factor_block: the block of the factors' layout, at most the
 * order; 0 if the two axes' blocks differ.  applies: the predicate of their rows. */
int64_t hy_factor_block(const struct hy_factorization *problem);
int64_t hy_square_block(const hyla_cube *cube, const struct hy_axis *row,
                        const struct hy_axis *col);
/* The same for a triangle.  On one rank, where the layout's blocks mean nothing, the best block for
 * `nrhs' right-hand sides; nrhs 0: for its inverse. */
int64_t hy_triangle_block(const hyla_cube *cube, const struct hy_axis *row,
                          const struct hy_axis *col, int64_t nrhs);
/* Can a triangle be used for solving where it lies? */
bool hy_triangle_serves(const hyla_matrix *a);
/* Does a matrix lie well enough as it is?  sides: the right-hand sides that would move if the
 * triangle did not.  From order / HY_NRHS_ENOUGH right-hand sides on, moving half of the matrix
 * one way is cheaper than moving these both ways. */
enum { HY_NRHS_ENOUGH = 4 };
bool hy_factor_fits(const hyla_matrix *a);
bool hy_triangle_fits(const hyla_matrix *a, int64_t nrhs);
/* layout_of: the layout of its factors: the matrix' own if it fits; NULL for the default layout. */
const hyla_layout *hy_factor_layout_of(const hyla_matrix *a);
const char *hy_factor_applies(const void *given);

/* --------------------------------------------------------------- entries -- */

/* Local.  Conjugates every entry on this rank. */
void hy_conjugate_entries(hyla_matrix *m);

/* into := into + from, for hy_reduce and hy_allreduce; arg: the kernels. */
void hy_solve_sum(void *into, const void *from, int64_t count, const void *arg);

/* Local.  Shares out pieces 0 ... count-1 of a pass over the matrix' local entries among as many of
 * the rank's threads as the pass is worth. */
void hy_solve_share(const hyla_matrix *m, void (*piece)(void *arg, int64_t index, int thread),
                    void *arg, int64_t count);

#endif
