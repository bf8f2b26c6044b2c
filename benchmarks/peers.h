/* Of the program `peers`: an operation that hyla and ScaLAPACK do side by side. */
#ifndef PEERS_H
#define PEERS_H 1

#include "bench.h"
#include "scalapack.h"

enum { BLOCKS_MAX = 4, MATRICES = 3 };

/* One side of a contest: matrices A, B, C in a layout. */
struct side {
  int block;
  hyla_matrix *matrix[MATRICES];
  int descriptor[MATRICES][DESCRIPTOR];
  struct bench_times times;
  struct bench_times again; /* of a move: done once more, at once */
};

struct contest;

struct operation {
  const char *name;
  int blocks[BLOCKS_MAX]; /* that ScaLAPACK tries; 0 ends the list */
  int sizes[3];
  bool limit;                                      /* is it compared with the limit? */
  bool overwrites;                                 /* does hyla use up A, as ScaLAPACK does? */
  hyla_status (*prepare)(struct contest *contest); /* hyla's plan, where it has one */
  hyla_status (*hyla)(struct contest *contest);
  void (*peer)(struct contest *contest, struct side *side);
  hyla_status (*agree)(struct contest *contest, struct side *side, double *difference);
};

struct contest {
  hyla_cube *cube;
  const struct operation *operation;
  int64_t n;
  int repeat;
  int grid_rows, grid_cols;
  int context;
  struct side own;
  struct side peer[BLOCKS_MAX];
  int peers;
  hyla_plan *plan;
  hyla_factor *factor;
  int *pivots;
  struct bench_limit limit;
  struct bench_times copy; /* of a move's source, by all ranks at the same time */
};

/* All operations; a name of NULL ends the list. */
extern const struct operation operations[];
/* Do two block sizes stand for source and target?  Are A and b used up? */
bool is_conversion(const struct operation *operation);
bool is_solution(const struct operation *operation);

#endif
