/* Door of solve/guard: factorizations are guarded against damage (factors are compared with sums of
 * rows) and against the end of a run (checkpoints on disk). */
#ifndef HY_SOLVE_GUARD_H
#define HY_SOLVE_GUARD_H 1

#include "io/io.h"
#include "solve/answer/answer.h"

/* ------------------------------------------------------------------ sums -- */

/* Factors are compared with sums of the rows of the factored matrix. */

/* The damage found, in positions of P A. */
struct hy_checksum_suspect {
  int64_t count;         /* number of wrong rows */
  int64_t position, row; /* the first wrong row; its number in A */
  bool lower;            /* the entry is one of L */
  int64_t col;           /* of the only wrong entry; -1: unknown */
  int64_t stored;        /* the row in which it is stored */
  bool corrected;
};

struct hy_checksum {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *factors;
  const int64_t *swaps;
  bool hermitian;
  int64_t m, n, block;
  double tolerance; /* relative to a row's size */
  struct hy_row_sums work;
  double _Complex *signs, *weighted;         /* one sign a column of A; the signs times weights */
  double _Complex *middle, *middle_weighted; /* U times these */
  double *sizes;                             /* of U's rows */
  struct hy_row_sum *rows;                   /* of U */
  struct hy_row_sum *due, *due_weighted;     /* expected sums of A's rows */
  struct hy_row_sum *found, *found_weighted; /* sums found, of L U */
  const hyla_matrix *given;                  /* A, as long as it stays; otherwise NULL */
  int64_t *place;                            /* of A's rows in L U */
  int64_t bytes;
};

/* c is a block of memory, which owns all that make takes (hy_alloc_for) except the workspace. make:
 * local; free it also after a failure.  begin (for A before it is factored)
 * and end (once factors and swaps are there): collective over all ranks, the status is this rank's
 * own.  stays: A is unchanged until end returns.  *worst is the worst result of all ranks.  again,
 * as end: does A, which stays, still have the sums that begin took?  *worst: DAMAGED if not.  cost:
 * local; this node's cost of begin and end, if A lies as `a' does and no damage is found. */
hyla_status hy_checksum_make(const struct hy_factorization *problem, bool hermitian,
                             struct hy_checksum *c);
void hy_checksum_free(struct hy_checksum *c);
hyla_status hy_checksum_begin(struct hy_checksum *c, const hyla_matrix *a, bool stays);
hyla_status hy_checksum_again(struct hy_checksum *c, enum hy_check_result *worst);
hyla_status hy_checksum_end(struct hy_checksum *c, enum hy_check_result *worst);
hyla_status hy_checksum_cost(const struct hy_checksum *c, const hyla_matrix *a, bool stays,
                             hyla_cost *cost);

/* For the two files of the check; collective over the nodes, not agreed.
 *   sum      sums of L U's rows by a vector; middle: those of U's rows; sized: with the sizes of
 *            rows
 *   correct  looks for the one wrong entry and computes it from the others, if the result then
 *            fits */
hyla_status hy_checksum_sum(struct hy_checksum *c, const double _Complex *x, bool sized,
                            double _Complex *middle, struct hy_row_sum *found);
hyla_status hy_checksum_correct(struct hy_checksum *c, struct hy_checksum_suspect *suspect);
/* Local.  Follows L's rows of the panel that begins at column `first': place[i] is the place of the
 * row stored as the i-th. */
void hy_checksum_place(const struct hy_checksum *c, int64_t first);
/* Local.  Does A's row i have the expected sum?  weighted: by the second vector, whose sums are
 * larger. */
bool hy_checksum_fits(const struct hy_checksum *c, int64_t row, bool weighted);
/* Local.  The error by rounding of the quotient of the two differences of A's row i, times the
 * first difference. */
double hy_checksum_noise(const struct hy_checksum *c, int64_t row);

/* ----------------------------------------------------------- checkpoints -- */

/* Checkpoints of a factorization, from which another run resumes. */

struct hy_checkpoint {
  struct hyla_factor *factor;
  hyla_cube *cube;
  struct hy_state *state;
  struct hy_state_about about; /* of this run: its blocks, the finished columns */
  int64_t order;
  bool lower;               /* the matrix is Hermitian, and only its lower triangle matters */
  bool there;               /* the folder has a checkpoint of this matrix */
  const hyla_matrix *later; /* A, whose number is computed before the first checkpoint; NULL: it is
                             * known */
  char path[PATH_MAX];
  double begun;  /* this rank's clock */
  double due;    /* seconds from then to the next checkpoint */
  double rate;   /* recent work per second; 0: unknown */
  int64_t bytes; /* of memory taken */
  int64_t stop;  /* for tests: the run ends with BROKEN after this many checkpoints; 0: never */
};

/* Is a checkpoint wanted for a factorization whose variant is chosen? */
bool hy_checkpoint_wanted(const struct hyla_factor *factor);

/* All are collective and agreed; free is local, and to be called also after a failure.
 *
 *   make    takes the memory
 *   begin   a is the matrix to be factored; it is not changed here.  stays: it is unchanged until
 *           `end'.  *resumed: the factors have been set from a checkpoint, and a is not needed.
 *           FILE: the folder cannot be written, or a checkpoint not read; FORMAT: a checkpoint is
 *           damaged
 *   run     calls `run', which is agreed, for some columns at a time, and writes checkpoints
 *           between.  Failed attempts are counted (hyla_checkpoints)
 *   end     deletes the checkpoint, which is no longer needed */
hyla_status hy_checkpoint_make(struct hyla_factor *factor, struct hy_checkpoint *c);
void hy_checkpoint_free(struct hy_checkpoint *c);
hyla_status hy_checkpoint_begin(struct hy_checkpoint *c, const hyla_matrix *a, bool stays,
                                bool *resumed);
hyla_status hy_checkpoint_run(struct hy_checkpoint *c,
                              hyla_status (*run)(struct hyla_factor *factor));
hyla_status hy_checkpoint_end(struct hy_checkpoint *c);

/* checkpoint_origin.c, collective over all ranks, the status is this rank's own: a number computed
 * from all entries (lower: of the lower triangle), wherever they lie. */
hyla_status hy_checkpoint_origin(const hyla_matrix *a, bool lower, uint64_t *origin);

#endif
