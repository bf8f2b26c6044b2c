/* Door of solve/tridiagonal: a Hermitian matrix to tridiagonal form and back, A = Q T Q^H.
 *
 * Column j takes the reflection H_j = I - tau_j v_j v_j^H, whose vector begins with 1 in row j + 1;
 * tau_j is such that entry j + 1 of H_j^H a_j is real, also for complex A.  So T is real, and
 * Q = H_0 H_1 ... H_(n-2).  The reflections of w columns together are I - V F V^H, with V's columns
 * the vectors, and F a triangle with tau_j on its diagonal. */
#ifndef HY_SOLVE_TRIDIAGONAL_H
#define HY_SOLVE_TRIDIAGONAL_H 1

#include "solve/contract/contract.h"
#include "solve/panels/panels.h"

/* Columns that are reduced before the rest of the matrix is updated; columns of Z that are
 * reflected at a time. */
enum { HY_TRIDIAGONAL_PANEL = 32, HY_TRIDIAGONAL_STRIP = 512 };
/* Up to this order F is found in long double. */
enum { HY_TRIDIAGONAL_SMALL = 64 };

/* A reduction.  a: in square blocks, cyclic on any array; its lower triangle is read and becomes
 * the vectors, below the diagonal; the upper one is workspace, whatever it holds.  It outlives the
 * state. */
struct hy_tridiagonal_problem {
  hyla_cube *cube;
  hyla_matrix *a;
  struct hy_axis sides; /* of the columns of matrices that Q multiplies, on a's column dimensions */
  bool applies;         /* Q is wanted */
};

/* The norm of a part of a column, scale * sqrt(squares), and the entry above that part, from the
 * rank that has it. */
struct hy_tridiagonal_norm {
  double scale, squares;
  double leading[2];
};

/* The largest magnitude below the diagonal, and the range of the diagonal's entries. */
struct hy_tridiagonal_look {
  struct hy_norm below;
  double low, high;
};

/* The reflection in use. */
struct hy_tridiagonal_step {
  int64_t column;   /* j */
  int order;        /* rows and columns behind j */
  int done;         /* columns of the panel before this one: t */
  int64_t row, col; /* this rank's first row and column behind j */
  int rows, cols;   /* their number */
  double beta;      /* entry j + 1 of T's column j */
  double _Complex tau;
  int64_t read; /* entries of the triangle that this rank multiplied */
};

struct hy_tridiagonal {
  struct hy_tridiagonal_problem problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_matrix *a;
  int64_t n;
  struct hy_block_cyclic array;
  int pieces; /* parts of the triangle that threads multiply */
  int width;  /* columns of a panel, at most */
  struct hy_tridiagonal_step at;
  /* The results, n numbers each, the same on all nodes after a run.  T = 2^-exponent Q^H A Q -
   * mean I has the diagonal d, and e below it. */
  double *numbers; /* owned: d, e, the real parts of tau, the imaginary parts */
  double *d, *e, *tau[2];
  int exponent;
  double mean;
  /* The panel: vectors v and w in turn, for this rank's rows and for its columns; for the update,
   * w before v. */
  char *of_rows, *of_cols, *swapped;
  char *x_rows, *x_cols; /* the column at work */
  char *y_rows, *y_cols; /* A v in parts; y_rows: for each piece */
  char *message, *factors;
  struct hy_packed_rows packed;
  struct hy_tridiagonal_norm norm;
  struct hy_subcube_op sums, norms, looks, results; /* all-reductions */
  /* Q's application: the panel in use; products with its vectors, and their sums over the rank
   * column; panels along the rank rows. */
  bool adjoint;
  struct hy_diagonal_block panel;
  struct hy_panel_slot *slot;
  char *products;
  double _Complex *exact; /* a panel; for small orders */
  struct hy_panels panels;
  struct hy_subcube_op shares, products_sum;
};

/* Local.  The layout for the reduction of a matrix of order n. */
hyla_layout hy_tridiagonal_layout(const hyla_cube *cube, int64_t n);
/* Local.  The same with all of the matrix on every node; then no node sends anything. */
hyla_layout hy_tridiagonal_whole(int64_t n);

/* create    local; owner: a block that is freed after the state; NULL: none
 * allocate  collective over all ranks, agreed; all memory belongs to the state, a block
 * run       collective over the nodes, not agreed; guests return at once.  NOT_FINITE on all nodes
 * apply     the same, after a run, for a problem that says so: z := Q z, or Q^H z if `adjoint'.
 *           z's rows lie as a's; its columns as the problem's sides, or fewer of them on each rank
 */
hyla_status hy_tridiagonal_create(const struct hy_tridiagonal_problem *problem, void *owner,
                                  struct hy_tridiagonal **state);
hyla_status hy_tridiagonal_allocate(struct hy_tridiagonal *state);
hyla_status hy_tridiagonal_run(struct hy_tridiagonal *state);
hyla_status hy_tridiagonal_apply(struct hy_tridiagonal *state, bool adjoint, const hyla_matrix *z);

/* The same form in two stages, by way of a band: T alone, without Q.  a: as above; it is used up.
 * The functions: as those above. */
struct hy_two_stages {
  double *d, *e; /* of T */
  int exponent;
  double mean;
  int width; /* of the band: entries (i, j) with i - j up to this */
};
hyla_status hy_stages_create(hyla_cube *cube, hyla_matrix *a, void *owner,
                             struct hy_two_stages **state);
hyla_status hy_stages_allocate(struct hy_two_stages *state);
hyla_status hy_stages_run(struct hy_two_stages *state);

/* --------------------------------------------------------- in this folder -- */

/* Consecutive indices of an axis on this rank. */
struct hy_stretch {
  int64_t local, index;
  int count;
};
/* Local.  The next stretch, from `local' on, with `count' 0 at first; false: none is left. */
static inline bool hy_stretch_next(const struct hy_axis *axis, int part, int64_t end,
                                   struct hy_stretch *run) {
  run->local += run->count;
  if (run->local >= end) return false;
  run->index = hy_axis_index(axis, part, run->local);
  run->count = (int)hy_min(hy_axis_run(axis, run->index), end - run->local);
  return true;
}

static inline char *hy_entry(const struct hy_kernels *k, char *m, int64_t ld, int64_t row,
                             int64_t column) {
  return m + (column * ld + row) * (int64_t)k->size;
}
static inline int hy_leading(int64_t rows) { return (int)hy_max(1, rows); }

/* tridiagonal.c.  Local.  The parts in which threads multiply the triangle. */
int hy_tridiagonal_pieces(const hyla_cube *cube);

/* tridiagonal_prepare.c.  Collective over the nodes.  Scales a matrix' lower triangle by
 * 2^-exponent and subtracts mean I; exponent and mean may be 0.  looks: an all-reduction over the
 * array of one struct hy_tridiagonal_look.  NOT_FINITE on all nodes */
struct hy_tridiagonal_triangle {
  hyla_cube *cube;
  hyla_matrix *a;
  const struct hy_block_cyclic *array;
  const struct hy_subcube_op *looks;
};
hyla_status hy_tridiagonal_prepare(const struct hy_tridiagonal_triangle *t, int *exponent,
                                   double *mean);

/* tridiagonal_column.c.  Collective over the nodes.
 * bring    the first column, to all ranks
 * reflect  finds the reflection of the column at work and its vector
 * finish   adds up all ranks' products; finds w, and the next column */
hyla_status hy_tridiagonal_bring(struct hy_tridiagonal *t);
hyla_status hy_tridiagonal_reflect(struct hy_tridiagonal *t);
hyla_status hy_tridiagonal_finish(struct hy_tridiagonal *t);

/* tridiagonal_triangle.c.  Local.
 * multiply  y := A v, this rank's part, by its threads
 * update    A := A - V W^H - W V^H in the triangle behind the panel, whose columns are `done' */
void hy_tridiagonal_multiply(struct hy_tridiagonal *t);
void hy_tridiagonal_update(struct hy_tridiagonal *t);

/* tridiagonal_apply.c.  For create and allocate of a problem that applies Q, and like these. */
hyla_status hy_tridiagonal_apply_create(struct hy_tridiagonal *t);
hyla_status hy_tridiagonal_apply_allocate(struct hy_tridiagonal *t);

#endif
