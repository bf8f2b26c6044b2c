/* What unchanged.c and unchanged_cases.c share. */
#ifndef UNCHANGED_H
#define UNCHANGED_H 1

#include "scalapack.h"

#include <stdint.h>

/* Matrices of order n in square blocks on a p x q grid, this process at (row, col) with rows x cols
 * of their entries. */
struct work {
  int n, block, context, p, q, row, col, sides;
  int rows, cols, desc[DESCRIPTOR], desc_half[DESCRIPTOR];
  double *a, *b, *c, *room;
  int *pivots, *integers, words, integer_count;
};

/* Of a local row or column of the `me'-th of so many processes, from 0. */
static inline int global_index(int local, int block, int me, int processes) {
  return (local / block * processes + me) * block + local % block;
}

/* Collective.  Prints for each case of p?trsm, type s, d, c or z, a line: its letters and the best
 * seconds of the slowest process, after a first run that does not count.  0, or not. */
int time_cases(const struct work *w, char type, int repeat);

#endif
