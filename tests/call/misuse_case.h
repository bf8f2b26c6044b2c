/* The public calls with matrices as a table: their arguments, and functions that call them. */
#ifndef MISUSE_CASE_H
#define MISUSE_CASE_H 1

#include "tests/harness/cube.h"

#include <complex.h>

enum { SIZE = 6, COLS = 2, MATRICES = 4, OPTIONS = 4, PLACES = 2 };

/* Shapes: SIZE x SIZE, SIZE x COLS, SIZE x 1, fixed by another matrix or a factorization.
 *   ALONE  the only matrix, which must be square
 *   TYPED  SIZE x SIZE; the call's matrices may be of different types
 *   ANY    the only matrix, of any size and type */
enum shape { SQUARE, SIDES, VECTOR, ALONE, TYPED, ANY };

/* Flags:
 *   WRITTEN  shares no entry with the others, unless
 *   LATE     it is written after they have been read, or
 *   ITSELF   it is the first one
 *   TAKEN    a successful call leaves other entries, or no matrix: the test gives it none */
enum { WRITTEN = 1, LATE = 2, ITSELF = 4, TAKEN = 8 };

struct misuse_matrix {
  const char *name; /* NULL: the call has no such argument */
  enum shape shape;
  int traits;
};

/* An option's value that does not exist, and one in which ranks may differ; good: for a good
 * call. */
struct misuse_option {
  const char *name;
  int bad, other, good;
};

enum misuse_factor { NO_FACTOR, FACTOR, COMPUTED };

/* The arguments of a call. */
struct given {
  hyla_cube *cube;
  hyla_factor *factor;
  hyla_matrix *m[MATRICES];
  int option[OPTIONS];
  bool nowhere[PLACES]; /* the place of a result is NULL */
  hyla_scalar alpha, beta;
  const char *variant;
  /* Variables for results. */
  hyla_plan *plan;
  hyla_solve_report report;
  hyla_scalar scalar;
  double number;
};

struct misuse_call {
  const char *name;
  hyla_status (*make)(struct given *g);
  struct misuse_matrix matrix[MATRICES];
  struct misuse_option option[OPTIONS];
  const char *place[PLACES];
  int scalars;  /* alpha, or alpha and beta, are used */
  bool variant; /* a variant may be named */
  enum misuse_factor factor;
  bool unitary; /* a good factorization is QR's */
};

/* The i-th call; NULL beyond the last. */
const struct misuse_call *misuse_call_at(int i);
/* The last ones (misuse_spectra.c). */
extern const struct misuse_call misuse_spectra[];
extern const int misuse_spectrum_count;

#define OPTION(name, bad, other, good)                                                             \
  { name, bad, other, good }
#define OP OPTION("op", 3, HYLA_TRANSPOSE, HYLA_NONE)
#define OP_OF(name) OPTION(name, 3, HYLA_TRANSPOSE, HYLA_NONE)
#define TRIANGLE OPTION("triangle", 2, HYLA_UPPER, HYLA_LOWER)
#define SIDE OPTION("side", 2, HYLA_LEFT, HYLA_LEFT)
#define DIAGONAL OPTION("diagonal", 2, HYLA_UNIT_DIAGONAL, HYLA_ANY_DIAGONAL)
#define REFINEMENT OPTION("refinement", 6, HYLA_REFINE_FIXED, HYLA_REFINE_NONE)
#define METHOD OPTION("method", 1000, HYLA_QR, HYLA_LU)

/* The place of a result. */
static inline double *place(struct given *g, int i) { return g->nowhere[i] ? NULL : &g->number; }
static inline hyla_solve_report *report(struct given *g) {
  return g->nowhere[0] ? NULL : &g->report;
}
static inline hyla_plan **plan(struct given *g) { return g->nowhere[0] ? NULL : &g->plan; }
/* The status of a call that plans; its plan is destroyed. */
static inline hyla_status drop(struct given *g, hyla_status status) {
  (void)hyla_plan_destroy(&g->plan);
  return status;
}

#endif
