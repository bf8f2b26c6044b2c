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
  const char *kind; /* of A, in the gallery; NULL: random */
  double cubic;     /* real operations, in n^3, beside those of solutions; */
  bool solves;      /* B and C have `sides` columns, 0: n, */
  bool triangle;    /* with one triangle alone */
  int sides;
  bool overwrites[2]; /* does hyla use up A, as ScaLAPACK does, and is C what it is given? */
  hyla_status (*prepare)(struct contest *contest); /* hyla's plan, where it has one */
  hyla_status (*hyla)(struct contest *contest);
  void (*peer_before)(struct contest *contest, struct side *side); /* untimed; NULL: nothing */
  void (*peer)(struct contest *contest, struct side *side);
  bool in_a;     /* that leaves its result in A, not in C, */
  bool lower;    /* its lower triangle alone */
  bool one_rank; /* it is LAPACK, which knows no others */
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
/* Do two block sizes stand for source and target? */
bool is_conversion(const struct operation *operation);
/* The columns of B and C. */
int columns(const struct contest *contest);
/* Real operations; 0: it is a move. */
double flops_of(const struct contest *contest);
/* The largest difference of the results, C, relative to the largest entry. */
hyla_status compare(struct contest *contest, const struct side *side, double *difference);

#endif
