/* Door of solve/guard: factorizations guarded against damage (sums of rows that factors are held
 * against) and against the end of a run (states on disk). */
#ifndef HY_SOLVE_GUARD_H
#define HY_SOLVE_GUARD_H 1

#include "io/io.h"
#include "solve/answer/answer.h"

/* ------------------------------------------------------------------ sums -- */

/* Factors held against sums of the rows of what was factored. */

/* What is wrong, in positions of P A. */
struct hy_checksum_suspect {
  int64_t count;         /* of rows */
  int64_t position, row; /* of the first one; of it in A */
  bool lower;            /* the entry is one of L */
  int64_t col;           /* of the one entry that is wrong; -1: it is not known */
  int64_t stored;        /* the row as which it is stored */
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
  double tolerance; /* of a row's size */
  struct hy_row_sums work;
  double _Complex *signs, *weighted;         /* of A's columns; the same times their weights */
  double _Complex *middle, *middle_weighted; /* U times these */
  double *sizes;                             /* of U's rows */
  struct hy_row_sum *rows;                   /* of U */
  struct hy_row_sum *due, *due_weighted;     /* of A's rows */
  struct hy_row_sum *found, *found_weighted; /* of L U's */
  const hyla_matrix *given;                  /* A, while it stays; else NULL */
  int64_t *place;                            /* of A's rows in L U */
  int64_t bytes;
};

/* make: local, takes the memory; free also after a failure.  stays: A is as it is until end
 * returns. begin, of A before it is factored, and end, once factors and swaps are there: collective
 * over cube and guests, the status is this rank's; *worst is what it has come to on all ranks.
 * again, as end: has A, which stays, still the sums that begin took?  *worst: DAMAGED where not.
 * cost: local, what this node spends on both where A lies as `a' does and nothing is found. */
hyla_status hy_checksum_make(const struct hy_factorization *problem, bool hermitian,
                             struct hy_checksum *c);
void hy_checksum_free(struct hy_checksum *c);
hyla_status hy_checksum_begin(struct hy_checksum *c, const hyla_matrix *a, bool stays);
hyla_status hy_checksum_again(struct hy_checksum *c, enum hy_finding *worst);
hyla_status hy_checksum_end(struct hy_checksum *c, enum hy_finding *worst);
hyla_status hy_checksum_cost(const struct hy_checksum *c, const hyla_matrix *a, bool stays,
                             hyla_cost *cost);

/* Of this room's two files; collective over the nodes, not agreed.
 * sum      L U's rows by a vector, and what U's are; sized: with the sizes of rows
 * correct  looks for the one entry that is wrong, and makes it from the rest where that fits */
hyla_status hy_checksum_sum(struct hy_checksum *c, const double _Complex *x, bool sized,
                            double _Complex *middle, struct hy_row_sum *found);
hyla_status hy_checksum_correct(struct hy_checksum *c, struct hy_checksum_suspect *suspect);
/* Local.  Where L's rows of the panel that begins at column `first' have come: place[i] of the row
 * that is stored as the i-th. */
void hy_checksum_place(const struct hy_checksum *c, int64_t first);
/* Local.  Is what stands at A's row i what is due?  weighted: by the second vector, whose sums are
 * larger. */
bool hy_checksum_fits(const struct hy_checksum *c, int64_t row, bool weighted);
/* Local.  By how much the quotient of the two differences of A's row i, times the first of them,
 * may be wrong by rounding. */
double hy_checksum_noise(const struct hy_checksum *c, int64_t row);

/* ---------------------------------------------------------------- states -- */

/* States of a factorization, from which another run goes on. */

struct hy_checkpoint {
  struct hyla_factor *factor;
  hyla_cube *cube;
  struct hy_state *state;
  struct hy_state_about about; /* of this run: its blocks, the columns that are done */
  int64_t order;
  bool lower;               /* the matrix is Hermitian, and its lower triangle alone matters */
  bool there;               /* a state of it is in the folder */
  const hyla_matrix *later; /* A, whose number is drawn before the first state; NULL: it is known */
  char path[PATH_MAX];
  double begun;  /* this rank's clock */
  double due;    /* seconds from then to the next state */
  double rate;   /* of the work done in a second, lately; 0: not known */
  int64_t bytes; /* of memory taken */
  int64_t stop;  /* for tests: the run ends with BROKEN after so many states; 0: never */
};

/* Is one wanted, of a factorization whose variant is chosen? */
bool hy_checkpoint_wanted(const struct hyla_factor *factor);

/* All collective and agreed upon; free, local, also after a failure.
 *
 *   make    takes the memory
 *   begin   a, which is to be factored, is not changed here; stays: nor until `end'.  *resumed: the
 *           factors have been brought to where a state says, and a is not needed.  FILE: the folder
 *           cannot be written, a state not read; FORMAT: one that is damaged
 *   run     calls `run', which is agreed upon, for some columns at a time, and writes states
 *           between; what stands in their way is counted (hyla_checkpoints)
 *   end     no state is needed any more */
hyla_status hy_checkpoint_make(struct hyla_factor *factor, struct hy_checkpoint *c);
void hy_checkpoint_free(struct hy_checkpoint *c);
hyla_status hy_checkpoint_begin(struct hy_checkpoint *c, const hyla_matrix *a, bool stays,
                                bool *resumed);
hyla_status hy_checkpoint_run(struct hy_checkpoint *c,
                              hyla_status (*run)(struct hyla_factor *factor));
hyla_status hy_checkpoint_end(struct hy_checkpoint *c);

/* checkpoint_origin.c, collective over cube and guests, the status is this rank's: a number that is
 * drawn from all entries, of the lower triangle alone, wherever they lie. */
hyla_status hy_checkpoint_origin(const hyla_matrix *a, bool lower, uint64_t *origin);

#endif
