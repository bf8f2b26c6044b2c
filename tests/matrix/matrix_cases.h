/* Layouts, types and matrices shared by the tests of the matrix layer. */
#ifndef MATRIX_CASES_H
#define MATRIX_CASES_H 1

#include "redistribute/redistribute.h"
#include "tests/harness/cube.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TYPES 4

/* Blocks of cyclic storage; one is no power of two. */
static const int64_t case_blocks[] = {0, 1, 3};

/* One axis: kind 0 ... 5 is code x {consecutive, cyclic, cyclic:3}. */
static inline hyla_axis case_axis(int kind, int low, int dims) {
  hyla_axis axis = {.dims = dims, .code = kind < 3 ? HYLA_BINARY : HYLA_GRAY};
  axis.storage = kind % 3 == 0 ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  axis.block = case_blocks[kind % 3];
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(low + i);
  return axis;
}

/* Layout `number' of case_layouts(dims): every kind on every array 2^r x 2^c, then rows and columns
 * of different kinds with the dimensions in descending order, rows low. */
static inline int case_layouts(int dims) { return 12 * (dims + 1); }

static inline hyla_layout case_layout(int dims, int number) {
  int kind = number % 6, rows = number / 6 % (dims + 1);
  hyla_layout layout = {.row = case_axis(kind, dims - rows, rows),
                        .col = case_axis(kind, 0, dims - rows)};
  if (number < 6 * (dims + 1)) return layout;
  layout.row = case_axis((kind + 4) % 6, 0, rows);
  layout.col = case_axis(kind, rows, dims - rows);
  for (int i = 0; i < rows; i++) layout.row.dim[i] = (uint8_t)(rows - 1 - i);
  return layout;
}

/* Any layout: each dimension serves the rows, the columns or neither, in any order; the dimensions
 * that serve neither mean copies or a face. */
static inline hyla_layout case_any_layout(int dims) {
  hyla_layout layout = {.rest = harness_draw(0, 1) ? HYLA_FACE : HYLA_REPLICATED};
  hyla_axis *axes[] = {&layout.row, &layout.col};
  for (int i = 0; i < 2; i++) {
    axes[i]->code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
    axes[i]->binary = harness_draw(0, 3) ? 0 : (int)harness_draw(0, 3);
    axes[i]->storage = harness_draw(0, 2) ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
    axes[i]->block = harness_draw(0, 4);
  }
  int most = (int)harness_draw(1, 2); /* 1: every dimension is used */
  for (int dim = 0; dim < dims; dim++) {
    int64_t which = harness_draw(0, most);
    if (which == 2) continue;
    hyla_axis *axis = axes[which];
    int place = (int)harness_draw(0, axis->dims);
    memmove(axis->dim + place + 1, axis->dim + place, (size_t)(axis->dims - place));
    axis->dim[place] = (uint8_t)dim;
    axis->dims++;
  }
  return layout;
}

/* The digits of an address: sides that are no powers of two, and single bits; in *bits the number
 * of bits of the one that begins at `low'. */
static inline bool case_is_side(const hyla_cube *cube, int low, int *bits) {
  *bits = 1;
  for (int i = 0; i < cube->sides.count; i++)
    if ((cube->sides.side[i].mask >> low & 1) != 0) {
      *bits = hy_popcount(cube->sides.side[i].mask);
      return true;
    }
  return false;
}

/* Draws the digits that serve the rows (0), the columns (1) or, if `most' is 2, neither; false if
 * an axis does not take a side in one piece with its other dimensions. */
static inline bool case_deal_digits(const hyla_cube *cube, int most, hyla_layout *layout) {
  hyla_axis *axes[] = {&layout->row, &layout->col};
  for (int low = 0, bits = 0; low < cube->dims; low += bits) {
    const bool side = case_is_side(cube, low, &bits);
    const int64_t which = harness_draw(0, most);
    if (which == 2) continue;
    hyla_axis *axis = axes[which];
    for (int i = 0; i < bits; i++) axis->dim[axis->dims++] = (uint8_t)(low + i);
    if (!side) continue;
    axis->code = HYLA_BINARY;
    axis->binary = 0;
  }
  for (int i = 0; i < 2; i++) {
    hy_axis_on_sides(&cube->sides, axes[i]);
    if (axes[i]->parts > 0 && !hy_layout_runs_from(axes[i], axes[i]->dim[0])) return false;
  }
  return true;
}

/* Any layout on an array of nodes; along its sides as case_any_layout. */
static inline hyla_layout case_array_layout(const hyla_cube *cube, int most) {
  const hyla_layout any = case_any_layout(0);
  hyla_layout layout = any;
  while (!case_deal_digits(cube, most, &layout)) layout = any;
  layout.across = hy_layout_across(cube);
  return layout;
}

/* The same on any cube; and, where every dimension is used, layout `number' of a cube or a drawn
 * one of an array. */
static inline hyla_layout case_layout_on(const hyla_cube *cube) {
  return cube->sides.count > 0 ? case_array_layout(cube, (int)harness_draw(1, 2))
                               : case_any_layout(cube->dims);
}
static inline hyla_layout case_layout_of(const hyla_cube *cube, int number) {
  return cube->sides.count > 0 ? case_array_layout(cube, 1) : case_layout(cube->dims, number);
}

/* The layout of a text; on an array, whose sides have no Gray code, in binary code. */
static inline hyla_layout case_parsed(hyla_cube *cube, const char *text) {
  char plain[HYLA_LAYOUT_TEXT];
  size_t length = 0;
  hyla_layout layout;
  for (const char *at = text; *at != '\0' && length + sizeof "binary" < sizeof plain;) {
    const bool gray = cube->sides.count > 0 && strncmp(at, "gray", 4) == 0;
    length += (size_t)snprintf(plain + length, sizeof plain - length, gray ? "binary" : "%c", *at);
    at += gray ? 4 : 1;
  }
  assert_int_equal(hyla_layout_parse(cube, plain, &layout), HYLA_OK);
  return layout;
}

static inline bool case_same_axis(const hyla_axis *a, const hyla_axis *b) {
  if (a->dims != b->dims || a->code != b->code || a->storage != b->storage) return false;
  if (a->storage == HYLA_CYCLIC && hy_max(1, a->block) != hy_max(1, b->block)) return false;
  if (a->code == HYLA_GRAY && a->binary != b->binary) return false;
  if (a->parts != b->parts || a->inner != b->inner) return false;
  return memcmp(a->dim, b->dim, (size_t)a->dims) == 0;
}

/* Do two layouts mean the same?  A block that is never read may differ. */
static inline bool case_same_layout(const hyla_layout *a, const hyla_layout *b) {
  return case_same_axis(&a->row, &b->row) && case_same_axis(&a->col, &b->col) &&
         a->rest == b->rest && a->across == b->across;
}

static inline const char *case_name(const hyla_layout *layout) {
  static char text[2][HYLA_LAYOUT_TEXT];
  static int turn;
  turn = !turn;
  hyla_layout_format(layout, text[turn], sizeof text[turn]);
  return text[turn];
}

static inline hyla_cube *case_cube(void) {
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, NULL, &cube), HYLA_OK);
  return cube;
}

/* Destroys the cube after checking its books. */
static inline void case_cube_end(hyla_cube **cube, int64_t bytes_before) {
  assert_int_equal((*cube)->base.bytes_now, bytes_before);
  assert_int_equal(hyla_cube_destroy(cube), HYLA_OK);
}

/* A cube that has only its numbers. */
static inline hyla_cube case_paper_cube(int dims, int address) {
  return (hyla_cube){
      .dims = dims, .nodes = 1 << dims, .address = address, .ranks = {.all = 1 << dims}};
}

/* The same for node `rank', or a guest for -1, of an array of nodes; and for another node of a cube
 * that has only its numbers. */
static inline hyla_cube case_paper_array(int rows, int cols, int rank) {
  hyla_cube cube = {.nodes = rows * cols, .ranks = {.all = rows * cols}, .base = {.rank = rank}};
  cube.dims = hy_sides_make(&cube.sides, (uint32_t)rows, (uint32_t)cols);
  cube.address = rank < 0 ? -1 : hy_address_of(&cube, rank);
  return cube;
}
static inline hyla_cube case_paper_at(const hyla_cube *like, int rank) {
  hyla_cube cube = *like;
  cube.base.rank = rank;
  cube.address = rank < 0 ? -1 : hy_address_of(&cube, rank);
  return cube;
}
/* A cube of up to `dims' dimensions, or an array of up to 5 x 5 nodes. */
static inline hyla_cube case_any_paper(int dims) {
  if (harness_draw(0, 1) == 0) return case_paper_cube((int)harness_draw(0, dims), 0);
  const int rows = (int)harness_draw(1, 5);
  return case_paper_array(rows, (int)harness_draw(1, 5), 0);
}

static inline hyla_matrix *case_matrix(hyla_cube *cube, int type, int64_t rows, int64_t cols,
                                       const hyla_layout *layout) {
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, (hyla_type)type, rows, cols, layout, &a), HYLA_OK);
  return a;
}

/* An entry whose bits identify its place: i N + j, with the negative as the imaginary part. */
static inline double _Complex case_entry(void *columns, int64_t row, int64_t col) {
  double number = (double)(row * *(const int64_t *)columns + col);
  return hy_complex(number, -1 - number);
}

static inline void case_fill(hyla_cube *cube, hyla_matrix *a, int64_t columns) {
  assert_int_equal(hyla_matrix_fill(cube, a, case_entry, &columns), HYLA_OK);
}

/* Fills without communication. */
static inline void case_fill_local(hyla_matrix *a, hyla_entry *entry, void *arg) {
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++)
      a->k->set(hy_at(a, l, m), 0, entry(arg, hyla_matrix_row(a, l), hyla_matrix_col(a, m)));
}

/* The value in the precision of the matrix' type. */
static inline double _Complex case_rounded(const hyla_matrix *a, double _Complex value) {
  char held[16];
  a->k->set(held, 0, value);
  return a->k->get(held, 0);
}

static inline bool case_same(double _Complex a, double _Complex b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* Asserts that every local entry is entry(arg, row, col). */
static inline void case_assert_entries(const hyla_matrix *a, hyla_entry *entry, void *arg) {
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      double _Complex expected = entry(arg, hyla_matrix_row(a, l), hyla_matrix_col(a, m));
      double _Complex found = a->k->get(hy_at(a, l, m), 0);
      if (!case_same(found, case_rounded(a, expected)))
        fail_msg("entry (%lld, %lld) is %g%+gi, not %g%+gi", (long long)hyla_matrix_row(a, l),
                 (long long)hyla_matrix_col(a, m), creal(found), cimag(found), creal(expected),
                 cimag(expected));
    }
}

#endif
