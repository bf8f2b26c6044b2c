/* Shared by unchanged.c and unchanged_cases.c. */
#ifndef UNCHANGED_H
#define UNCHANGED_H 1

#include "scalapack.h"

#include <stdint.h>

/* Matrices of order n in square blocks on a p x q grid.  This process is at (row, col) and has
 * rows x cols of their entries. */
struct work {
  int n, block, context, p, q, row, col, sides;
  int rows, cols, desc[DESCRIPTOR], desc_half[DESCRIPTOR];
  double *a, *b, *c, *room;
  int *pivots, *integers, words, integer_count;
};

/* The global index of a local row or column of process `me' of `processes', all from 0. */
static inline int global_index(int local, int block, int me, int processes) {
  return (local / block * processes + me) * block + local % block;
}

/* Collective; unchanged_more.c.  run_more: the operations syev, syevd, syevr, syevn (values alone),
 * ormqr, orgqr, langeX, lansyX (norm X), geadd, gemv; INFO, or -1.  factor_for_q: a := its factors
 * by p?geqrf, with TAU in `room'. */
int run_more(const struct work *w, const char *operation);
int factor_for_q(struct work *w);

/* Collective.  Prints a line for each case of p?trsm, type s, d, c or z: its letters and the best
 * seconds of the slowest process, without the first run.  Returns 0 on success. */
int time_cases(const struct work *w, char type, int repeat);

#endif
