/* Arrays as ScaLAPACK has them, and its routines called by name for any type: what the tests of the
 * drop-in are made of.  Collective over the grid of `grid`. */
#ifndef DROPIN_CASE_H
#define DROPIN_CASE_H 1

#include "harness.h"

#include <complex.h>

/* The types, as ScaLAPACK's letters number them. */
enum { S, D, C, Z, TYPES };
static const char LETTERS[] = "sdcz";

struct grid {
  int context, p, q, row, col;
};
void grid_open(struct grid *grid, const char *order, int p, int q);
void grid_close(struct grid *grid);

/* Every grid of all ranks, of a square number that is no power of two the square one, in a drawn
 * order of BLACS; starts from zeros, false after the last. */
struct walk {
  int p;
  struct grid grid;
};
bool next_grid(struct walk *walk);
/* All types, or a drawn one where ranks crowd the cores. */
int first_type(void);
int type_step(void);
/* So many trials; where ranks crowd the cores half of them, in full all. */
struct harness_walk some_trials(int64_t count);
/* The unit roundoff, twice. */
double unit_of(int type);

/* A scalar of any type. */
union scalar {
  float single[2];
  double real[2];
};
union scalar scalar_of(int type, double re, double im);

/* A distributed array; at: the part that a routine is given, from (i, j), counted from 1, on. */
struct array {
  int type, m, n, i, j, rows, cols;
  int desc[9];
  int local_rows, local_cols;
  void *data;
};

/* An entry of the part, indices from 0. */
typedef double _Complex entry(int n, int row, int col);
entry entry_random, entry_pivoting, entry_hermitian, entry_singular, entry_indefinite;

/* A part of rows x cols in an array that is larger by what is drawn, in drawn blocks from drawn
 * processes on.  square: the blocks are so long and square, the part begins with one, as
 * factorizations want it; 0: anything goes. */
struct array array_make(const struct grid *grid, int type, int rows, int cols, int square,
                        entry *of);
struct array array_copy(const struct array *from);
/* The row, from 0, that a local one has in the part; outside it is negative or too large. */
int array_row(const struct grid *grid, const struct array *array, int local);
void array_free(struct array *array);
/* The part, and what is round it in the array, times 2^exponent. */
void array_scale(struct array *array, int exponent);
/* Entries of the other triangle become NaN. */
void array_spoil(const struct grid *grid, struct array *array, bool keeps_lower);
/* Entries under the diagonal become 0. */
void array_clear_below(const struct grid *grid, struct array *array);
/* The sum of squares in the part's rows from `first' on, on all processes; they become 0. */
double array_clear_rows(const struct grid *grid, struct array *array, int first);
/* Do rows of both parts begin on the same process row? */
bool array_rows_begin_together(const struct grid *grid, const struct array *a,
                               const struct array *b);
/* The largest sum of magnitudes in a column of the part, or in a row; part: 'A', or of a Hermitian
 * matrix the triangle that holds it, 'L' or 'U'.  Of at most 64 rows and columns. */
double array_norm(const struct grid *grid, const struct array *array, bool of_rows, char part);
/* The largest difference in the part, relative to its largest entry (of both, on this process);
 * what is round the part, and NaN, must be the same to the bit. */
double array_difference(const struct grid *grid, const struct array *a, const struct array *b);

void assert_near(const struct grid *grid, const struct array *mine, const struct array *theirs,
                 double bound);

/* An array as arguments. */
#define PLACE(x) (x).data, &(x).i, &(x).j, (x).desc

/* The routine p<letter><name>_ of the first library that has it.  Arguments are addresses. */
typedef void routine();
routine *routine_of(int type, const char *name);
/* The integers of getri's workspace, zeroed, for the caller to free: `asked', what its query says,
 * and as many more as x has rows and columns, as ScaLAPACK 2.2 uses more than it asks for where the
 * grid is not square. */
int *getri_integers(const struct array *x, int asked);
/* Makes hyla take all calls, or none. */
void take_all(void);
void take_none(void);

#endif
