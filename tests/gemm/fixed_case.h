/* The same matrices on a cube of all ranks with reproducible results, in drawn layouts, and on a
 * cube of this rank alone.  Results on both must have the same bits. */
#ifndef FIXED_CASE_H
#define FIXED_CASE_H 1

#include "hyla.h"
#include "tests/harness/draw.h"
#include "tests/harness/harness.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cube of all ranks, and that of this rank alone. */
struct fixed_cubes {
  hyla_cube *all, *alone;
};

/* The entries of a matrix. */
struct fixed_entries {
  uint64_t seed;
  bool hermitian;
  double diagonal;        /* added on the diagonal */
  int64_t row, col;       /* place of a spoilt entry; -1: none */
  double _Complex spoilt; /* its value */
  int64_t zeros;          /* a column of zeros; -1: none */
};
#define FIXED_PLAIN ((struct fixed_entries){.row = -1, .col = -1, .zeros = -1})

/* The same matrix on both cubes. */
struct fixed_pair {
  hyla_matrix *all, *alone;
};

/* An entry, for hyla_matrix_fill; arg: the struct. */
double _Complex fixed_entry(void *arg, int64_t row, int64_t col);

/* private_memory: for the cube of all ranks. */
hyla_cube *fixed_cube(MPI_Comm comm, bool private_memory);
struct fixed_cubes fixed_open(bool private_memory);
void fixed_close(struct fixed_cubes *cubes);
/* Fails with the cube's message unless the status is the expected one. */
void fixed_must(hyla_cube *cube, hyla_status status, hyla_status expected);
/* drawn: in a drawn layout. */
hyla_matrix *fixed_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                        const struct fixed_entries *entries, bool drawn);
struct fixed_pair fixed_pair_make(const struct fixed_cubes *cubes, hyla_type type, int64_t rows,
                                  int64_t cols, const struct fixed_entries *entries);
void fixed_pair_free(struct fixed_pair *pair);
/* Fails, on nodes, unless both have the same bits. */
void fixed_compare(const struct fixed_cubes *cubes, const struct fixed_pair *pair,
                   const char *what);
/* Draws a size below the width of a block, around it, or of several blocks. */
int64_t fixed_draw_size(void);
hyla_type fixed_type(int turn);

#endif
