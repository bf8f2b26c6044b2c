/* Factorizations that are stopped after a checkpoint and resumed in another run: on another cube,
 * in another layout, by panels of another width. */
#ifndef CHECKPOINT_CASE_H
#define CHECKPOINT_CASE_H 1

#include "hyla_lab.h"
#include "tests/harness/harness.h"

/* The matrix to be factored. */
struct checkpoint_case {
  hyla_method method;
  const char *variant; /* NULL: any */
  hyla_type type;
  int64_t m, n; /* equal for Cholesky */
  uint64_t seed;
};

/* The parameters of one run, and its outcome. */
enum { CHECKPOINT_ROWS = 64 };
struct checkpoint_run {
  const struct checkpoint_case *problem;
  const char *layout; /* of the factors; NULL: the default */
  int64_t stop;       /* checkpoints after which it is stopped; 0: never */
  /* Set when a run ends: */
  hyla_status status;
  char message[512];
  hyla_checkpoints checkpoints;
  int64_t rows[CHECKPOINT_ROWS];                             /* P */
  double _Complex packed[CHECKPOINT_ROWS * CHECKPOINT_ROWS]; /* the factors, m x n */
  double residual[3];                                        /* one for each operation; for a square
                                                              * matrix */
};

/* Called on every rank of a cube with checkpoints: the outcome is the same on all.  run: one a
 * rank, or one for all nodes of a virtual cube.  Cubes without checkpoints give the results to
 * compare with. */
hyla_status checkpoint_compute(hyla_cube *cube, void *run);

/* Options with checkpoints in a folder, one after each panel. */
hyla_options checkpoint_options(const char *folder);
/* The name of the folder's only checkpoint; NULL if it has none.  Fails if it has several. */
const char *checkpoint_state(const char *folder, char path[512]);
/* make: makes a folder anew.  remove: removes it with its checkpoints. */
void checkpoint_folder(const char *folder);
void checkpoint_forget(const char *folder);

/* Each program has a folder of its own, because several may run at the same time. */
extern const char checkpoint_shared[];
/* On real ranks, collective over all.  make: the folder for all ranks.  run_on: one run on the
 * first ranks, while the others wait and get the outcome; options: NULL for the defaults. */
void checkpoint_make_shared(void);
void checkpoint_forget_shared(void);
void checkpoint_run_on(int ranks, const hyla_options *options, struct checkpoint_run *run);

/* Asserts that the residuals are small. */
void checkpoint_residuals(const struct checkpoint_run *run);
/* Asserts that one run's result is as good as the other's; with `bits', that they have the same
 * bits. */
void checkpoint_compare(const struct checkpoint_run *run, const struct checkpoint_run *with,
                        bool bits);

#endif
