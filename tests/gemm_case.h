/* A multiplication with known entries, and its check against long double sums. */
#ifndef GEMM_CASE_H
#define GEMM_CASE_H 1

#include "cube.h"
#include "harness.h"
#include "hyla_lab.h"

#include "gemm/gemm.h"

/* What is called.  An update, syrk or herk, has A for B; symm, hemm and trmm have one factor
 * of which a triangle is read, the first one from the left, and trmm has C's old value for
 * the other. */
enum case_kind { CASE_GEMM, CASE_SYRK, CASE_HERK, CASE_SYMM, CASE_HEMM, CASE_TRMM };

/* What is multiplied, drawn by one and read by all nodes, and a node's matrices. */
struct gemm_case {
  hyla_cube *cube;
  hyla_type type;
  hyla_operation op_a, op_b;
  int64_t m, n, k;
  double _Complex alpha, beta;
  hyla_layout layout_a, layout_b, layout_c;
  bool wrapped;        /* A, B, C lie in arrays of the caller */
  bool views;          /* A, B, C are views that begin at (2, 1) */
  bool links;          /* planned for links on which blocks are cut into packets */
  const char *variant; /* NULL: every one in turn, on the same matrices */
  enum case_kind kind;
  hyla_side side;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  hyla_matrix *a, *b, *c;     /* what is multiplied */
  hyla_matrix *owner[3];      /* of the views */
  void *array[3];             /* of the wrapped matrices */
  long double _Complex *want; /* of this node's entries of C, and how far off they may be */
  long double *bound;
};

/* Draws for a cube of 2^dims nodes: type, operations, scalars, sizes, layouts on
 * arrays of any shape, storage.  The variant and the cube are left open. */
void case_draw(struct gemm_case *x, int dims);
/* Case `index` of CASES: every type and operations with six shapes each, m, n and k among
 * harness_sizes.  Not the product of all these six, but a design that covers it three by three:
 * whichever three of them, they occur with all their values together.  The rest is drawn. */
enum { CASES = 4 * 3 * 3 * HARNESS_SIZES };
void case_take(struct gemm_case *x, int dims, int64_t index);
/* Makes a drawn case one of an update: draws the triangle and what it needs. */
void case_draw_update(struct gemm_case *x);
/* The same of symm, hemm or trmm. */
void case_draw_symm_trmm(struct gemm_case *x);

/* Case `index`: a large triangle by a narrow matrix, from either side, so that its zeros are
 * left out. */
enum { CASE_TRIANGLES = 4 };
void case_take_triangle(struct gemm_case *x, int dims, int index);

/* The entry of A, B or C as a matrix of the case's type holds it; that of a factor of the
 * product, 0 op(A), 1 op(B), as it is meant: what is not stored included. */
enum case_seed { SEED_A = 1, SEED_B, SEED_C };
long double _Complex case_entry(const struct gemm_case *x, enum case_seed seed, int64_t row,
                                int64_t col);
long double _Complex case_factor(const struct gemm_case *x, int which, int64_t row, int64_t col);
/* Is this entry of C computed?  Is only a part of C computed? */
bool case_computes(const struct gemm_case *x, int64_t row, int64_t col);
bool case_is_update(const struct gemm_case *x);

/* The functions below may run on any node of a simulated cube too: they assert
 * nothing, and a wrong entry or count is a status with a message. */

/* Makes and fills A, B, C.  What must not be read is NaN: C for beta = 0, A and
 * B for alpha = 0. */
hyla_status case_make(struct gemm_case *x);
hyla_status case_fill(struct gemm_case *x);
void case_free(struct gemm_case *x);

/* Plans, runs twice, checks every local entry of C against the reference each
 * time, the ledger of every node against its cost, and that running allocates
 * nothing. */
hyla_status case_run(struct gemm_case *x);

/* One line that says what the case is. */
void case_describe(const struct gemm_case *x, char *text, size_t capacity);

/* On a virtual cube: runs a body that reads the case, or case_run on a copy of it
 * on every node, and wants it to succeed. */
void case_simulate_body(int dims, hyla_body *body, struct gemm_case *x);
void case_simulate(int dims, struct gemm_case *x);

/* Over MPI: notes the case and wants case_run to succeed. */
void case_must_hold(struct gemm_case *x);

#endif
