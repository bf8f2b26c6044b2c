/* Private to solve/tridiagonal: the form in two stages, first a band, then T. */
#ifndef HY_SOLVE_TRIDIAGONAL_BAND_H
#define HY_SOLVE_TRIDIAGONAL_BAND_H 1

#include "solve/qr/qr.h"
#include "solve/tridiagonal/tridiagonal.h"

/* Columns of the triangle that are multiplied at a time, at most. */
enum { HY_STAGES_CHUNK = 128 };

/* A block column at work: columns first ... first+width-1, which have `order' rows behind them. */
struct hy_stages_step {
  int64_t index, first;
  int width, order;
  int pivots;       /* reflections, at most the width; 0: no rows are behind */
  int64_t row, col; /* this rank's first row and column behind it */
  int rows, cols;   /* their number */
};

/* This rank's run of the sweeps, and the messages to its neighbours' runs.  Sweep s has blocks of
 * `width' rows from row s + 1 on; a run is blocks begin ... end-1 of every sweep. */
struct hy_stages_run {
  int64_t begin, end;
  int left, right;                      /* addresses; -1: no run is there */
  struct hy_message back[2], onward[2]; /* to one side, from the other */
  char *in, *out;                       /* a reflection's vector, and its tau */
  char *given, *taken;                  /* the column that changes hands, to the left, from there */
  /* Messages that fly: a sweep from the left, a column to the left, a column from the right, a
   * sweep to the right. */
  bool expects, gives, takes, passes;
};

struct hy_stages {
  struct hy_two_stages result; /* first */
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_matrix *a;
  int64_t n;
  int width;  /* of the band: b */
  int steps;  /* rows that a column of it has room for */
  int pieces; /* parts of the triangle that threads multiply */
  struct hy_block_cyclic array;
  struct hy_stages_step at;
  /* QR of the panels, those of `below': A's rows from b on; NULL: no row is outside the band. */
  hyla_matrix below;
  struct hy_factorization problem;
  struct hy_factors factors;
  struct hy_qr *q;
  char *column;          /* a block column's message: S, then the members' rows */
  int64_t *offsets;      /* of the members in it */
  char *block;           /* the block column, its rows in order, and then V */
  char *message;         /* A V, then V^H A V */
  char *of_rows;         /* V and W, this rank's rows */
  char *of_cols;         /* W and V, this rank's columns */
  char *y_rows, *y_cols; /* A V in parts; y_rows: for each piece */
  char *square;          /* a block on the diagonal, for each piece */
  struct hy_packed_rows packed;
  struct hy_subcube_op looks, gathers, shares, sums, ends;
  /* The band, with room for what grows out of it: entry (i, j) at j * steps + i - j. */
  char *band;
  struct hy_stages_run run;
  char *vector[2], *work; /* of a sweep's reflections */
};

/* tridiagonal_panel.c.  Collective over the nodes.  A to the band: every node that has a run gets
 * it. */
hyla_status hy_stages_reduce(struct hy_stages *b);

/* tridiagonal_chase.c.
 *   place  local: this rank's run
 *   chase  collective over the nodes: the band to d and e, on the node of the first run */
void hy_stages_place(struct hy_stages *b);
hyla_status hy_stages_chase(struct hy_stages *b);
/* Local: the address of the first run's node. */
int hy_stages_first(const struct hy_stages *b);

#endif
