/* Private to lib/solve: states of a factorization, from which another run goes on. */
#ifndef HY_CHECKPOINT_H
#define HY_CHECKPOINT_H 1

#include "io/io.h"
#include "solve/solve.h"

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
