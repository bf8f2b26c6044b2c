/* Door of solve/bidiagonal: a matrix to upper bidiagonal form and back, A = Q B P^H.
 *
 * A is m x n, m >= n.  Step j takes a reflection H_j = I - tau_j v_j v_j^H from the left, whose
 * vector begins with 1 in row j, and G_j = I - rho_j u_j u_j^H from the right, whose vector begins
 * with 1 in column j + 1.  tau_j and rho_j are such that B is real, also for complex A.  So
 * Q = H_0 H_1 ... H_(n-1) and P = G_0 G_1 ... G_(n-2).  The reflections of w steps together are
 * I - V S^-1 V^H, with V's columns the vectors, and S the upper triangle of V^H V with 1 / tau_j on
 * its diagonal. */
#ifndef HY_SOLVE_BIDIAGONAL_H
#define HY_SOLVE_BIDIAGONAL_H 1

#include "solve/contract/contract.h"
#include "solve/panels/panels.h"

/* Steps before the rest of the matrix is updated; reflections that are applied together; columns of
 * Z that are reflected at a time. */
enum { HY_BIDIAGONAL_PANEL = 32, HY_BIDIAGONAL_APPLIED = 64, HY_BIDIAGONAL_STRIP = 256 };

/* A reduction.  a: as hy_bidiagonal_layout says; its entries on and below the diagonal become the
 * vectors v, those above the vectors u.  It outlives the state. */
struct hy_bidiagonal_problem {
  hyla_cube *cube;
  hyla_matrix *a;
  struct hy_axis sides; /* of the columns of matrices that Q and P multiply */
  bool applies;         /* Q or P is wanted */
};

/* A reflection: of a vector x, (I - tau v v^H)^H x = beta e_1, v = x / pivot behind its first
 * entry. */
struct hy_bidiagonal_reflection {
  double beta;
  double _Complex tau, pivot;
};

/* The step in use. */
struct hy_bidiagonal_step {
  int64_t column; /* j */
  int done;       /* steps of the panel before this one: t */
  int rows;       /* rows from j on */
  int64_t col;    /* this rank's first column behind j */
  int cols;       /* the number of its columns behind j */
};

struct hy_bidiagonal {
  struct hy_bidiagonal_problem problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_matrix *a;
  int64_t m, n;
  struct hy_axis col;
  int part;    /* this rank's of the columns */
  int pieces;  /* parts of a product that threads find */
  int width;   /* steps of a panel, at most */
  int64_t own; /* columns of A on this rank */
  struct hy_bidiagonal_step at;
  /* The results, n numbers each, the same on all nodes after a run.  B = 2^-exponent Q^H A P has
   * the diagonal d, and e above it. */
  double *numbers; /* owned: d, e, then the parts of tau and of rho */
  double *d, *e, *tau[2], *rho[2];
  int exponent;
  /* The panel: v and x in turn for A's rows, y and u in turn for this rank's columns. */
  char *of_rows, *of_cols;
  char *column;   /* at work, m entries */
  char *y, *s;    /* of this rank's columns */
  char *products; /* A s in parts, for each piece */
  char *unused;   /* of products that are not wanted */
  char *message, *factors;
  struct hy_packed_rows packed;
  struct hy_norm largest;
  struct hy_subcube_op sums, looks; /* all-reductions */
  /* Applications of Q and P: a panel of vectors, as it is sent and in columns; S; products. */
  char *sent, *vectors, *triangle, *shares;
  int64_t *offsets;
  struct hy_subcube_op gathers;
};

/* Local.  The layout for the reduction of an m x n matrix: columns dealt to all nodes in blocks,
 * each whole on one. */
hyla_layout hy_bidiagonal_layout(const hyla_cube *cube, int64_t m, int64_t n);

/* create    local; owner: a block that is freed after the state; NULL: none
 * allocate  collective over all ranks, agreed; all memory belongs to the state, a block
 * scale     collective over the nodes, not agreed; guests return at once.  Before a run: scales by
 *           a power of two the matrix, or one from which a unitary one makes it; its columns lie as
 *           A's.  The largest entry is about 1 then.  NOT_FINITE on all nodes
 * run       collective over the nodes, not agreed; guests return at once
 * apply     likewise, after a run, for a problem that says so: z := Q z, or P z if `right'.  z has
 *           m rows, or n, whole on each node; its columns lie as the problem's sides, or fewer of
 *           them on each rank */
hyla_status hy_bidiagonal_create(const struct hy_bidiagonal_problem *problem, void *owner,
                                 struct hy_bidiagonal **state);
hyla_status hy_bidiagonal_allocate(struct hy_bidiagonal *state);
hyla_status hy_bidiagonal_scale(struct hy_bidiagonal *state, const hyla_matrix *a);
hyla_status hy_bidiagonal_run(struct hy_bidiagonal *state);
hyla_status hy_bidiagonal_apply(struct hy_bidiagonal *state, bool right, const hyla_matrix *z);

/* --------------------------------------------------------- in this folder -- */

static inline char *hy_entry_of(const struct hy_kernels *k, char *m, int64_t ld, int64_t row,
                                int64_t column) {
  return m + (column * ld + row) * (int64_t)k->size;
}
static inline int hy_distance(int64_t rows) { return (int)hy_max(1, rows); }

/* bidiagonal_step.c.  Collective over the nodes.
 * bring   the first column, to all ranks
 * left    the reflection of the column at work
 * finish  adds up all ranks' products; the reflection of row j, x, and the next column */
hyla_status hy_bidiagonal_bring(struct hy_bidiagonal *t);
void hy_bidiagonal_left(struct hy_bidiagonal *t);
hyla_status hy_bidiagonal_finish(struct hy_bidiagonal *t);

/* bidiagonal_products.c.  Local, by this rank's threads.
 * multiply  y, s and this rank's part of A s
 * update    A := A - V Y^H - X U^H behind the panel */
void hy_bidiagonal_multiply(struct hy_bidiagonal *t);
void hy_bidiagonal_update(struct hy_bidiagonal *t);

/* bidiagonal_apply.c.  For create and allocate of a problem that applies Q or P. */
hyla_status hy_bidiagonal_apply_create(struct hy_bidiagonal *t);
hyla_status hy_bidiagonal_apply_allocate(struct hy_bidiagonal *t);

#endif
