/* Redistributions that check themselves, on real ranks and on virtual ones. */
#ifndef REDISTRIBUTE_CASE_H
#define REDISTRIBUTE_CASE_H 1

#include "tests/matrix/matrix_cases.h"

/* The parameters of one: a matrix of rows x cols is brought into a new one. */
struct redistribute_side {
  hyla_operation op;
  double _Complex alpha; /* with few bits: products are exact */
  int64_t rows, cols;    /* of the source */
  hyla_layout from, to;
};

enum { REDISTRIBUTE_SIDES = 3, REDISTRIBUTE_DENSE = 8 };

/* Several redistributions in one call. */
struct redistribute_case {
  hyla_type type;
  int count;
  struct redistribute_side side[REDISTRIBUTE_SIDES];
  const char *variant;
  bool whole;  /* targets are matrices, not views */
  bool banded; /* one square matrix, 0 where width < |i - j| < n - width */
  int64_t width;
  bool dense; /* one square matrix, 0 outside these columns and rows */
  int64_t column[REDISTRIBUTE_DENSE], row[REDISTRIBUTE_DENSE];
  int columns, rows;
};

/* Collective.  Plans, runs twice, compares every entry of every target and its margin, and the
 * counts with the predictions.  UNSUPPORTED if the variant does not apply, FORMAT with a message if
 * something is wrong. */
hyla_status redistribute_check(hyla_cube *cube, const struct redistribute_case *x);

/* Collective; the status is this rank's own.  Compares the ledger of one run with the plan's cost,
 * by the largest of each count, and the bytes that the plan took: FORMAT if they differ.  size: of
 * an entry. */
hyla_status redistribute_counted(hyla_cube *cube, const hyla_plan *plan, size_t size,
                                 int64_t memory);

/* The case in a line of text, in a buffer that the call after the next one overwrites. */
const char *redistribute_name(const struct redistribute_case *x);

#endif
