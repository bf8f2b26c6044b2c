/* A multiplication with known entries, and its check against long double sums. */
#ifndef GEMM_CASE_H
#define GEMM_CASE_H 1

#include "hyla_lab.h"
#include "tests/harness/cube.h"
#include "tests/harness/draw.h"
#include "tests/harness/harness.h"

#include "gemm/gemm.h"

/* The function that is called.  An update, syrk or herk, has A for B.  symm, hemm and trmm read
 * only a triangle of one factor, the first one if the side is left; trmm's other factor is C's old
 * value. */
enum case_kind { CASE_GEMM, CASE_SYRK, CASE_HERK, CASE_SYMM, CASE_HEMM, CASE_TRMM };

/* The cube's own machine; links over which blocks travel in packets; start-ups that cost more than
 * all else. */
enum case_machine { CASE_OWN, CASE_LINKS, CASE_STARTS };

/* A cube of 2^dims nodes on paper. */
static inline hyla_cube case_paper(int dims) { return draw_nodes(dims, false); }

/* Must a row refuse on a cube's nodes, whatever its operands are? */
static inline bool case_needs_cube(const hyla_cube *on, const struct hy_variant *variant) {
  return on->sides.count > 0 && !variant->arrays;
}
/* The layout of a text; "gray" is binary on an array with a side that is no power of two. */
hyla_layout case_parse(const hyla_cube *on, const char *text);

/* The data of a multiplication, drawn by one node and read by all, and a node's matrices. */
struct gemm_case {
  hyla_cube *cube;
  hyla_type type;
  hyla_operation op_a, op_b;
  int64_t m, n, k;
  double _Complex alpha, beta;
  hyla_layout layout_a, layout_b, layout_c;
  bool wrapped;              /* A, B, C lie in the caller's arrays */
  bool views;                /* A, B, C are views that begin at (2, 1) */
  enum case_machine machine; /* the machine that it is planned for */
  const char *variant;       /* NULL: every one in turn, on the same matrices */
  enum case_kind kind;
  hyla_side side;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  hyla_matrix *a, *b, *c;     /* the operands */
  hyla_matrix *owner[3];      /* owners of the views */
  void *array[3];             /* arrays of the wrapped matrices */
  long double _Complex *want; /* expected entries of C on this node, and their tolerances */
  long double *bound;
};

/* Draws for the nodes of a cube, real or on paper: type, operations, scalars, sizes, layouts on
 * arrays of any shape, storage.  The variant and the cube are left open. */
void case_draw(struct gemm_case *x, const hyla_cube *on);
/* Case `index' of CASES: every type and operations with six shapes each; m, n and k are among
 * harness_sizes.  These six parameters are not combined in all ways, but in a design of strength
 * three: any three of them occur with all combinations of their values.  All other parameters are
 * drawn. */
enum { CASES = 4 * 3 * 3 * HARNESS_SIZES };
void case_take(struct gemm_case *x, const hyla_cube *on, int64_t index);
/* Turns a drawn case into an update: draws the triangle and the operations. */
void case_draw_update(struct gemm_case *x);
/* The same for symm, hemm or trmm. */
void case_draw_symm_trmm(struct gemm_case *x);

/* Case `index': a large triangle times a narrow matrix, from either side, so that its zeros are
 * left out. */
enum { CASE_TRIANGLES = 4 };
void case_take_triangle(struct gemm_case *x, const hyla_cube *on, int index);

/* entry: the entry of A, B or C in the precision of the case's type.  factor: the entry of a factor
 * of the product, 0 op(A), 1 op(B), those included that are not stored. */
enum case_seed { SEED_A = 1, SEED_B, SEED_C };
long double _Complex case_entry(const struct gemm_case *x, enum case_seed seed, int64_t row,
                                int64_t col);
long double _Complex case_factor(const struct gemm_case *x, int which, int64_t row, int64_t col);
/* Is this entry of C computed?  Is only a part of C computed? */
bool case_computes(const struct gemm_case *x, int64_t row, int64_t col);
bool case_is_update(const struct gemm_case *x);

/* The functions below may also run on a node of a simulated cube: they assert nothing and return a
 * wrong entry or count as a status with a message. */

/* Makes and fills A, B, C.  Entries that must not be read are NaN: C for beta = 0, A and B for
 * alpha = 0. */
hyla_status case_make(struct gemm_case *x);
hyla_status case_fill(struct gemm_case *x);
void case_free(struct gemm_case *x);

/* Plans and runs twice.  Checks each time: every local entry of C against the reference, every
 * node's ledger against its cost, and that running allocates nothing. */
hyla_status case_run(struct gemm_case *x);

/* Describes the case in one line. */
void case_describe(const struct gemm_case *x, char *text, size_t capacity);

/* On virtual nodes, those of a cube on paper: runs a body that reads the case, or case_run on a
 * copy of it, on every node, and requires success. */
void case_simulate_body(const hyla_cube *on, hyla_body *body, struct gemm_case *x);
void case_simulate(const hyla_cube *on, struct gemm_case *x);

/* Over MPI: notes the case and requires case_run to succeed. */
void case_must_hold(struct gemm_case *x);

#endif
