/* Redistributions that check themselves, on real ranks and on virtual ones. */
#ifndef REDISTRIBUTE_CASE_H
#define REDISTRIBUTE_CASE_H 1

#include "matrix_cases.h"

/* Everything that makes one: a matrix of rows x cols brought into a new one. */
struct redistribute_side {
  hyla_operation op;
  double _Complex alpha; /* of small parts: products are exact */
  int64_t rows, cols;    /* of the source */
  hyla_layout from, to;
};

enum { REDISTRIBUTE_SIDES = 3 };

/* Some of them in one call. */
struct redistribute_case {
  hyla_type type;
  int count;
  struct redistribute_side side[REDISTRIBUTE_SIDES];
  const char *variant;
  bool whole;  /* targets are matrices, not views */
  bool banded; /* one square matrix, 0 where width < |i - j| < n - width */
  int64_t width;
};

/* Collective.  Plans, runs twice, compares every entry of every target and its
 * margin, and what was counted with what was predicted.  UNSUPPORTED when the
 * variant does not apply, FORMAT with a message when something is wrong. */
hyla_status redistribute_check(hyla_cube *cube, const struct redistribute_case *x);

/* Collective; the status is this rank's.  The ledger of one run against the plan's
 * cost, of each count the largest, and the bytes that the plan took: FORMAT when they
 * differ.  size: of an entry. */
hyla_status redistribute_counted(hyla_cube *cube, const hyla_plan *plan, size_t size,
                                 int64_t memory);

/* The case in a line of text, in a buffer that the call after the next one uses. */
const char *redistribute_name(const struct redistribute_case *x);

#endif
