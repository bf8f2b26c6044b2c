/* Arrays as ScaLAPACK has them, and its routines called by name for any type, for the tests of the
 * drop-in.  Collective over the grid of `grid'. */
#ifndef DROPIN_CASE_H
#define DROPIN_CASE_H 1

#include "tests/harness/harness.h"

#include <complex.h>

/* The types, in the order of ScaLAPACK's letters. */
enum { S, D, C, Z, TYPES };
static const char LETTERS[] = "sdcz";

struct grid {
  int context, p, q, row, col;
};
void grid_open(struct grid *grid, const char *order, int p, int q);
void grid_close(struct grid *grid);

/* Walks through every grid of all ranks, in a drawn order of BLACS.  Starts from zeros; false after
 * the last grid. */
struct walk {
  int p;
  struct grid grid;
};
bool next_grid(struct walk *walk);
/* The first of all types; a drawn type if ranks share cores. */
int first_type(void);
int type_step(void);
/* A walk through `count' trials; through half of them if ranks share cores; through all in a full
 * run. */
struct harness_walk some_trials(int64_t count);
/* Twice the unit roundoff. */
double unit_of(int type);

/* A scalar of any type. */
union scalar {
  float single[2];
  double real[2];
};
union scalar scalar_of(int type, double re, double im);

/* A distributed array.  at: the part that a routine is given, which begins at (i, j), counted from
 * 1. */
struct array {
  int type, m, n, i, j, rows, cols;
  int desc[9];
  int local_rows, local_cols;
  void *data;
};

/* Gives an entry of the part, indices from 0. */
typedef double _Complex entry(int n, int row, int col);
entry entry_random, entry_pivoting, entry_hermitian, entry_singular, entry_indefinite;

/* A part of rows x cols in an array that is larger by a drawn margin, in drawn blocks from drawn
 * processes on.  square: the blocks are square of this size and the part begins with one, as
 * factorizations want it; 0: any. */
struct array array_make(const struct grid *grid, int type, int rows, int cols, int square,
                        entry *of);
struct array array_copy(const struct array *from);
/* Gives the part other entries. */
void array_fill(const struct grid *grid, struct array *array, entry *of);
/* The number of a local row in the part, from 0; outside the part it is negative or too large. */
int array_row(const struct grid *grid, const struct array *array, int local);
void array_free(struct array *array);
/* Multiplies the part, and the array around it, by 2^exponent. */
void array_scale(struct array *array, int exponent);
/* Sets the entries of the other triangle to NaN. */
void array_spoil(const struct grid *grid, struct array *array, bool keeps_lower);
/* Sets the entries below the diagonal to 0. */
void array_clear_below(const struct grid *grid, struct array *array);
/* Sets the part's rows from `first' on to 0; returns their sum of squares, on all processes. */
double array_clear_rows(const struct grid *grid, struct array *array, int first);
/* Do rows of both parts begin on the same process row? */
bool array_rows_begin_together(const struct grid *grid, const struct array *a,
                               const struct array *b);
/* The largest sum of magnitudes in a column of the part, or in a row; part: 'A', or the stored
 * triangle of a Hermitian matrix, 'L' or 'U'.  For at most 64 rows and columns. */
double array_norm(const struct grid *grid, const struct array *array, bool of_rows, char part);
/* The part's entries by columns, on every process; the caller frees them. */
double _Complex *array_whole(const struct grid *grid, const struct array *array);
/* The largest difference in the part, relative to the largest entry of both on this process.
 * Entries around the part, and NaN, must be the same to the bit. */
double array_difference(const struct grid *grid, const struct array *a, const struct array *b);

void assert_near(const struct grid *grid, const struct array *mine, const struct array *theirs,
                 double bound);

/* An array as the arguments of a routine. */
#define PLACE(x) (x).data, &(x).i, &(x).j, (x).desc

/* The routine p<letter><name>_ of the first library that has it.  Its arguments are addresses. */
typedef void routine();
routine *routine_of(int type, const char *name);
/* The integers of getri's workspace, zeroed; the caller frees them.  There are `asked' of them, as
 * the query says, and as many more as x has rows and columns, because ScaLAPACK 2.2 uses more than
 * it asks for on grids that are not square. */
int *getri_integers(const struct array *x, int asked);
/* all: hyla takes all calls; none: it takes none. */
void take_all(void);
void take_none(void);

#endif
