/* Factorizations that are stopped after a state and go on in another run: on another cube, in
 * another layout, by panels of another width. */
#ifndef CHECKPOINT_CASE_H
#define CHECKPOINT_CASE_H 1

#include "harness.h"
#include "hyla_lab.h"

/* What is factored. */
struct checkpoint_case {
  hyla_method method;
  const char *variant; /* NULL: any */
  hyla_type type;
  int64_t m, n; /* of Cholesky alike */
  uint64_t seed;
};

/* What one run is made with, and what has become of it. */
enum { CHECKPOINT_ROWS = 64 };
struct checkpoint_run {
  const struct checkpoint_case *problem;
  const char *layout; /* of the factors; NULL: the default */
  int64_t stop;       /* states after which it is stopped; 0: never */
  /* Of a run that ends: */
  hyla_status status;
  char message[512];
  hyla_checkpoints states;
  int64_t rows[CHECKPOINT_ROWS];                             /* P */
  double _Complex packed[CHECKPOINT_ROWS * CHECKPOINT_ROWS]; /* the factors, m x n */
  double residual[3];                                        /* of each operation; of a square */
};

/* On every rank of a cube with states: the outcome is the same on all.  run: one of each rank, or
 * one of all nodes of a virtual cube.  Cubes without states serve for what is compared with. */
hyla_status checkpoint_compute(hyla_cube *cube, void *run);

/* Options with states in a folder, one after each panel. */
hyla_options checkpoint_options(const char *folder);
/* The folder's one state: its name; NULL where there is none.  Fails where there are several. */
const char *checkpoint_state(const char *folder, char path[512]);
/* Makes a folder anew; removes it with the states in it. */
void checkpoint_folder(const char *folder);
void checkpoint_forget(const char *folder);

/* Each program has a folder of its own, as several may run at a time. */
extern const char checkpoint_shared[];
/* On real ranks, collective over all: the folder for them all; one run on the first of them, while
 * the others look on and learn what has become of it; options: NULL for the defaults. */
void checkpoint_make_shared(void);
void checkpoint_forget_shared(void);
void checkpoint_run_on(int ranks, const hyla_options *options, struct checkpoint_run *run);

/* Are the residuals small? */
void checkpoint_residuals(const struct checkpoint_run *run);
/* Is the one as good as the other?  With `bits' it has the same bits. */
void checkpoint_compare(const struct checkpoint_run *run, const struct checkpoint_run *with,
                        bool bits);

#endif
