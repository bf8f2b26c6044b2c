/* The closed forms of eliminations element by element, as doc/formulas.md prints them, on 2^k x 2^k
 * nodes; q: block columns of the matrix, r: of right-hand sides. */
#ifndef ELIMINATION_FORMS_H
#define ELIMINATION_FORMS_H 1

#include "formula.h"

/* The formulas that the page prints.  In `lu:diagonal', with i block columns, pivots follow after i
 * steps, at least 2, and 3 if a node makes several factors.  The last pivot's elements stay where
 * they are. */
static const char JORDAN[] = "3 (2^k-1) + k";
static const char SQUARE[] = "(q^2+5q)/2 2^k + k - 3";
/* Theorem 6.1, read as the sum of (i + 2) 2^k over i = r + 1 ... n, plus k - 3; for one block this
 * is corollary 6.1.  doc/theory.md explains this reading. */
static const char SIDES[] = "(n^2 - (r+1)^2 + 5n - 3(r+1) + 4)/2 2^k + k - 3";
static const char CLOSER_JORDAN[] = "2 (2^k-1) + k";
static const char CLOSER_SQUARE[] = "(q(q+1)/2 + 1) 2^k + k - 2 + min(q - 1, 1)";
static const char CLOSER_SIDES[] = "q (q+2r+1)/2 2^k + 2k - 1";
static const char DIAGONAL_SQUARE[] = "(q(q+1)/2 + 1) 2^k - 2 + min(q - 1, 1) (2^k - 1)";
static const char DIAGONAL_SIDES[] = "q (q+2r+1)/2 2^k + max(2, k) - r - 2";

/* In `qr:givens', with i block columns, pivots follow after 2i + 1 steps: i quotients leave before
 * the i elements that they rotate. */
static const char ROTATIONS[] = "3 (2^k-1)";
static const char ROTATION_BLOCKS[] = "q(q+2) 2^k - 2q - 1";

static const char PRODUCT[] = "2 (2^k-1) + k";
static const char PRODUCT_BLOCKS[] = "max(3, q) (q 2^k - 1) + k";

static inline int64_t value(const char *text, int k, int q, int r) {
  struct formula_names names = {0};
  formula_set(&names, "k", k);
  formula_set(&names, "q", q);
  formula_set(&names, "r", r);
  formula_set(&names, "n", q + r);
  return formula_whole(text, &names);
}

static inline int64_t theorem(int k, int q, int r) {
  return value(r == 0 ? SQUARE : SIDES, k, q, r);
}

/* The count if last links are chosen apart. */
static inline int64_t fewest(int k, int q, int r) {
  return value(r == 0 ? CLOSER_SQUARE : CLOSER_SIDES, k, q, r);
}

static inline int64_t pipelined(int k, int q, int r) {
  return value(r == 0 ? DIAGONAL_SQUARE : DIAGONAL_SIDES, k, q, r);
}

#endif
