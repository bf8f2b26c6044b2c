/* The same matrices on a cube of all ranks for reproducible results, in layouts that are drawn, and
 * on one of this rank by itself: what is computed from them must have the same bits. */
#ifndef FIXED_CASE_H
#define FIXED_CASE_H 1

#include "draw.h"
#include "harness.h"
#include "hyla.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All ranks, and this one by itself. */
struct fixed_cubes {
  hyla_cube *all, *alone;
};

/* What a matrix is filled with. */
struct fixed_entries {
  uint64_t seed;
  bool hermitian;
  double diagonal;        /* added there */
  int64_t row, col;       /* of one that is spoilt; -1: none */
  double _Complex spoilt; /* it */
  int64_t zeros;          /* a column of zeros; -1: none */
};
#define FIXED_PLAIN ((struct fixed_entries){.row = -1, .col = -1, .zeros = -1})

/* The same matrix on both cubes. */
struct fixed_pair {
  hyla_matrix *all, *alone;
};

/* An entry, for hyla_matrix_fill; arg: the struct. */
double _Complex fixed_entry(void *arg, int64_t row, int64_t col);

/* private_memory: of the cube of all. */
hyla_cube *fixed_cube(MPI_Comm comm, bool private_memory);
struct fixed_cubes fixed_open(bool private_memory);
void fixed_close(struct fixed_cubes *cubes);
/* Fails with the cube's message unless the status is as expected. */
void fixed_must(hyla_cube *cube, hyla_status status, hyla_status expected);
/* drawn: in a layout that is. */
hyla_matrix *fixed_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                        const struct fixed_entries *entries, bool drawn);
struct fixed_pair fixed_pair_make(const struct fixed_cubes *cubes, hyla_type type, int64_t rows,
                                  int64_t cols, const struct fixed_entries *entries);
void fixed_pair_free(struct fixed_pair *pair);
/* Fails, on nodes, unless both have the same bits. */
void fixed_compare(const struct fixed_cubes *cubes, const struct fixed_pair *pair,
                   const char *what);
/* Below the width of a block, about one, several. */
int64_t fixed_draw_size(void);
hyla_type fixed_type(int turn);

#endif
