/* The tests' table of the methods' variants: the systems and the layouts that each takes.  A
 * variant without a row fails the tests. */
#ifndef TEST_VARIANTS_H
#define TEST_VARIANTS_H 1

#include "factors_case.h"

enum layouts { ANY_BLOCK, ONE_ELEMENT, ONE_ELEMENT_GRAY, ITS_OWN };
/* Where a NaN or an infinity at (row, col) is found. */
enum found { IN_ITS_COLUMN, IN_THE_LATER, SOMEWHERE };

struct variant_row {
  const char *method, *variant;
  enum known_kind systems[2];
  int system_count;
  enum known_kind stopped; /* the kind that has a pivot of zero */
  enum layouts layouts;
  enum found found;
  bool draws_pivots; /* the counts are at most as predicted; otherwise exactly */
  bool asked;        /* never chosen unasked */
  bool same_bits;    /* of X, whether or not B rides along */
  double multiplier; /* the largest entry of L for random matrices */
  double residual;   /* the largest, where X is not known */
};

#define ROW(METHOD, VARIANT) .method = METHOD, .variant = VARIANT
static const struct variant_row VARIANTS[] = {
    {ROW("lu", "partial"), .systems = {SWAPPED, RANDOM}, .system_count = 2, .stopped = SWAPPED,
     .draws_pivots = true, .multiplier = 1.5, .residual = 1},
    {ROW("lu", "tournament"), .systems = {RANDOM}, .system_count = 1, .stopped = RANDOM,
     .draws_pivots = true, .multiplier = 20, .residual = 2},
    {ROW("lu", "diagonal"), .systems = {SETTLED}, .system_count = 1, .stopped = SETTLED,
     .layouts = ONE_ELEMENT, .found = IN_THE_LATER, .asked = true},
    {ROW("lu", "fixed"), .systems = {SWAPPED, RANDOM}, .system_count = 2, .stopped = SWAPPED,
     .layouts = ITS_OWN, .asked = true, .multiplier = 1.5, .residual = 1},
    {ROW("cholesky", "right-looking"), .systems = {DEFINITE}, .system_count = 1,
     .stopped = DEFINITE, .found = IN_THE_LATER},
    {ROW("cholesky", "fixed"), .systems = {DEFINITE}, .system_count = 1, .stopped = DEFINITE,
     .layouts = ITS_OWN, .found = IN_THE_LATER, .asked = true},
    {ROW("ldl", "bunch-kaufman"), .systems = {INDEFINITE, BALANCED}, .system_count = 2,
     .stopped = BALANCED, .found = SOMEWHERE, .draws_pivots = true, .residual = 1},
    {ROW("gauss-jordan", "blocked"), .systems = {DOMINANT}, .system_count = 1, .stopped = DOMINANT,
     .draws_pivots = true},
    {ROW("gauss-jordan", "diagonal"), .systems = {PRODUCT}, .system_count = 1, .stopped = PRODUCT,
     .layouts = ONE_ELEMENT, .found = IN_THE_LATER, .asked = true},
    {ROW("qr", "householder"), .systems = {RANDOM}, .system_count = 1, .stopped = RANDOM,
     .same_bits = true, .residual = 1},
    {ROW("qr", "tsqr"), .systems = {RANDOM}, .system_count = 1, .stopped = RANDOM,
     .same_bits = true, .residual = 1},
    {ROW("qr", "givens"), .systems = {RANDOM}, .system_count = 1, .stopped = RANDOM,
     .layouts = ONE_ELEMENT_GRAY, .asked = true, .same_bits = true, .residual = 1},
};
#undef ROW
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

static inline hyla_method method_of(const struct variant_row *row) {
  int method = 0;
  while (strcmp(hyla_method_at(method)->name, row->method) != 0) method++;
  return (hyla_method)method;
}

/* Does it run on these nodes? */
static inline bool serves(const hyla_cube *cube, const struct variant_row *row) {
  return lu_serves(cube, hy_family_find(&hy_methods[method_of(row)].variants, row->variant));
}

/* A layout that the variant takes. */
static inline hyla_layout as_taken(const struct variant_row *row, hyla_layout layout,
                                   int64_t block) {
  bool element = row->layouts == ONE_ELEMENT || row->layouts == ONE_ELEMENT_GRAY;
  layout.row.block = layout.col.block = element ? 1 : block;
  if (row->layouts == ONE_ELEMENT_GRAY) layout.row.code = HYLA_GRAY, layout.row.binary = 0;
  return layout;
}

#endif
