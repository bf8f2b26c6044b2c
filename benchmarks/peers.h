/* Shared by the files of `peers': an operation that hyla and ScaLAPACK both do. */
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
  struct bench_times again; /* of a move that is repeated at once */
  double *values;           /* n eigenvalues or singular values; NULL for other operations */
};

struct contest;

struct operation {
  const char *name;
  int blocks[BLOCKS_MAX]; /* block sizes for ScaLAPACK; 0 ends the list */
  int sizes[3];
  const char *kind;   /* of A in the gallery; NULL: random */
  const char *second; /* of a B that the peer uses up; NULL: random, not used up */
  double cubic;       /* real operations in n^3, without those of solutions */
  bool solves;        /* B and C have `sides` columns; 0 sides: n columns */
  bool triangle;      /* solves with one triangle alone */
  int sides;
  int narrow;         /* A and C are n x narrow, B is narrow x narrow; 0: no */
  bool overwrites[2]; /* hyla overwrites A, as ScaLAPACK does; C is an input of hyla */
  hyla_status (*prepare)(struct contest *contest); /* makes hyla's plan; NULL: none */
  hyla_status (*hyla)(struct contest *contest);
  hyla_status (*finish)(struct contest *contest); /* makes C of hyla's result; NULL: it is C */
  void (*peer_before)(struct contest *contest, struct side *side); /* untimed; NULL: nothing */
  void (*peer)(struct contest *contest, struct side *side);
  bool in_a;     /* ScaLAPACK leaves its result in A, not in C */
  bool lower;    /* ScaLAPACK's result is a lower triangle */
  bool one_rank; /* the peer is LAPACK, on one rank */
  bool spectrum; /* the results are values; ScaLAPACK uses A up */
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
  struct bench_times copy; /* of a plain copy by all ranks at the same time */
};

/* All operations; a row with name NULL ends the list. */
extern const struct operation operations[];
/* Are there two block sizes, for source and target? */
bool is_conversion(const struct operation *operation);
/* The number of columns of B and C, and of A. */
int columns(const struct contest *contest);
int columns_of_a(const struct contest *contest);
/* Real operations; 0 for a move. */
double flops_of(const struct contest *contest);
/* Collective.  The largest difference of the results relative to the largest entry. */
hyla_status compare(struct contest *contest, const struct side *side, double *difference);

/* peers_eigen.c */
hyla_status hyla_vectors(struct contest *contest);
hyla_status hyla_values(struct contest *contest);
void peer_divide(struct contest *contest, struct side *side);
void peer_representations(struct contest *contest, struct side *side);
void peer_values(struct contest *contest, struct side *side);
hyla_status hyla_pencil(struct contest *contest);
void peer_pencil(struct contest *contest, struct side *side);
hyla_status scale_own(struct contest *contest);
void peer_unscaled(struct contest *contest, struct side *side);
void peer_lapack_vectors(struct contest *contest, struct side *side);
void peer_lapack_values(struct contest *contest, struct side *side);
/* peers_svd.c */
hyla_status hyla_decompose(struct contest *contest);
hyla_status hyla_rotate(struct contest *contest);
hyla_status hyla_singular_values(struct contest *contest);
void peer_decompose(struct contest *contest, struct side *side);
void peer_singular_values(struct contest *contest, struct side *side);
void peer_lapack_decompose(struct contest *contest, struct side *side);
void peer_lapack_singular_values(struct contest *contest, struct side *side);
/* peers_eigen.c, local.  The same for values, relative to the largest. */
hyla_status compare_values(struct contest *contest, const struct side *side, double *difference);

#endif
