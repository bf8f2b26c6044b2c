/* Turns of matrices that check themselves, on real ranks and on virtual ones. */
#ifndef TURN_CASES_H
#define TURN_CASES_H 1

#include "transpose_cases.h"

/* A square array (with twice as many rows if the number of dimensions is odd) whose pairs of
 * dimensions change places. */
static inline void square_pairs(int dims, int i, int j, struct redistribute_side *side) {
  int c = dims / 2, more = dims % 2;
  hyla_axis row = case_axis(i, c, dims - c), col = case_axis(j, 0, c);
  side->from = (hyla_layout){.row = row, .col = col};
  for (int x = more; x < row.dims; x++) row.dim[x] = (uint8_t)(x - more);
  for (int x = 0; x < col.dims; x++) col.dim[x] = (uint8_t)(dims - c + x);
  side->to = (hyla_layout){.row = col, .col = row};
}

/* A quarter or half turn in which every node's block goes to one node as a whole; half of the cases
 * are in layouts that both variants for pairs of dimensions serve. */
static inline struct redistribute_case whole_turn(int dims, const char *variant) {
  uint8_t image[HYLA_DIMS_MAX];
  bool plain = harness_draw(0, 1) == 1;
  hyla_type type = (hyla_type)harness_draw(0, TYPES - 1);
  struct redistribute_case x = {.type = type, .count = 1, .variant = variant, .whole = true};
  struct redistribute_side *side = &x.side[0];
  int i = (int)harness_draw(0, 5), j = (int)harness_draw(0, 5);
  side->op = (hyla_operation)harness_draw(HYLA_TURN_LEFT, HYLA_TURN_HALF);
  side->alpha = harness_draw(0, 1) ? 1 : -2;
  draw_images(dims, image);
  if (strcmp(variant, "turn-permuted") == 0)
    permuted_layouts(dims, i, j, side);
  else if (plain)
    square_pairs(dims, i % 3, j % 3, side);
  else
    paired_layouts(dims, image, i, j, side);
  if (side->op == HYLA_TURN_HALF) { /* rows stay rows, on the images or in their place */
    hyla_axis row = side->to.row;
    side->to.row = side->to.col;
    side->to.col = row;
    if (plain && strcmp(variant, "turn-permuted") != 0) side->to = side->from;
  }
  side->rows = harness_draw(0, 2) * (3 << side->from.row.dims);
  side->cols = harness_draw(0, 2) * (3 << side->from.col.dims);
  return x;
}

/* A matrix with odd bits, NaN among them, and its images: its transpose, a half turn, and four
 * quarter turns one after another, in layouts of any kind. */
enum { TURN_STEPS = 4 };
struct turn_case {
  hyla_type type;
  int64_t rows, cols;
  hyla_layout from, transposed, half, step[TURN_STEPS];
  const char *variant; /* NULL: the planner's choice */
  bool strict;         /* the variant serves all turns; otherwise other variants may be chosen */
  bool right;          /* turned to the right */
};

struct turn_case drawn_turn(int dims, const char *variant);
const char *turn_name(const struct turn_case *x);
/* Collective.  Two quarter turns must be a half turn, four the matrix itself, and one the transpose
 * with its rows, or columns, in opposite order: bit for bit, otherwise FORMAT with a message. */
hyla_status turn_check(hyla_cube *cube, const struct turn_case *x);

#endif
