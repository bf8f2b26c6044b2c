/* hyla_matrix_structure: properties of a matrix that can be seen without computing with it.
 *
 * Bandwidths: found from the far ends of columns.  Entries that cannot make the band wider are not
 *   read, so only a few entries of a full matrix are.  The diagonal is read whole.
 * Symmetry: in some rows, and the columns of the same numbers, the bits of entries are added modulo
 *   2^64: those below the diagonal, and the conjugates of those above it.  Each is multiplied by a
 *   number that depends on its place or, above, on the mirror of its place.  If the two sums
 *   differ, A is not Hermitian, except perhaps up to rounding, which a few pairs of entries decide.
 *   Nearly all matrices that are not Hermitian are recognised so, and none of their entries moves.
 *   Any other A is compared with A^H (hermitian.c). */
#include "solve/answer/answer.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum {
  BLOCK = 64,  /* rows tested for zeros together */
  SAMPLES = 16 /* number of rows, and of columns */
};

/* The results that all ranks learn. */
struct look {
  int64_t lower, upper;
  uint64_t below, above; /* the two sums */
  int64_t not_real;      /* number of diagonal entries that are not real */
  int64_t not_positive;  /* number of diagonal entries not real and positive */
  int64_t behind;        /* number of columns from the first zero of the diagonal on; 0: it has no
                          * zero */
};

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  struct look *a = into;
  const struct look *b = from;
  (void)arg, (void)count; /* count is 1 */
  a->lower = hy_max(a->lower, b->lower);
  a->upper = hy_max(a->upper, b->upper);
  a->below += b->below;
  a->above += b->above;
  a->not_real += b->not_real;
  a->not_positive += b->not_positive;
  a->behind = hy_max(a->behind, b->behind);
}

/* An odd number that depends on a place. */
static uint64_t weight_of(int64_t row, int64_t col) {
  uint64_t word = (uint64_t)row * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)col;
  word = (word ^ (word >> 32)) * UINT64_C(0xd6e8feb86659fd93);
  return (word ^ (word >> 32)) | 1;
}

/* The bits of a number; 0 and -0 are equal numbers and get equal bits. */
static uint64_t bits_of(double number) {
  uint64_t bits;
  number += 0.;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static uint64_t word_of(double re, double im, int64_t row, int64_t col) {
  uint64_t weight = weight_of(row, col);
  return weight * bits_of(re) + (weight ^ (weight << 7)) * bits_of(im);
}

static double _Complex entry_of(const hyla_matrix *a, int64_t row, int64_t col) {
  return a->k->get(hy_at(a, row, col), 0);
}

static void look_at_diagonal(struct look *look, double _Complex entry, int64_t behind) {
  double re = creal(entry), im = cimag(entry);
  look->not_real += isnan(re) || !(im == 0);
  look->not_positive += !(im == 0) || !(re > 0);
  if (entry == 0) look->behind = hy_max(look->behind, behind);
}

/* A nonzero entry in local rows first ... last-1 of a column, the last one or the first one; -1:
 * all are zero.  Blocks of zeros are skipped by their largest magnitude. */
static int64_t last_entry(const hyla_matrix *a, int64_t col, int64_t first, int64_t last) {
  while (last > first) {
    int64_t rows = hy_min(last - first, BLOCK);
    last -= rows;
    if (a->k->largest((int)rows, 1, hy_at(a, last, col), (int)a->ld) == 0) continue;
    for (int64_t l = last + rows - 1; l >= last; l--)
      if (entry_of(a, l, col) != 0) return l;
  }
  return -1;
}

static int64_t first_entry(const hyla_matrix *a, int64_t col, int64_t first, int64_t last) {
  for (; first < last; first += BLOCK) {
    int64_t end = hy_min(last, first + BLOCK);
    if (a->k->largest((int)(end - first), 1, hy_at(a, first, col), (int)a->ld) == 0) continue;
    for (int64_t l = first; l < end; l++)
      if (entry_of(a, l, col) != 0) return l;
  }
  return -1;
}

/* Looks only at entries that would make the band wider. */
static void look_at_band(struct look *look, const hyla_matrix *a, int64_t m, int64_t col) {
  const struct hy_axis *row = &a->row;
  int64_t below = hy_min(row->n, col + look->lower + 1);
  int64_t above = hy_min(row->n, hy_max(0, col - look->upper));
  int64_t last = last_entry(a, m, hy_axis_before(row, a->row_part, below), a->local_rows);
  int64_t first = first_entry(a, m, 0, hy_axis_before(row, a->row_part, above));
  if (last >= 0) look->lower = hyla_matrix_row(a, last) - col;
  if (first >= 0) look->upper = col - hyla_matrix_row(a, first);
}

/* The i-th index whose row and column are added. */
static int64_t sampled(int64_t n, int64_t i) {
  return n <= SAMPLES ? i : (2 * i + 1) * n / (2 * SAMPLES);
}

static void add(struct look *look, double _Complex entry, int64_t row, int64_t col) {
  if (entry == 0 || row == col) return;
  if (row > col)
    look->below += word_of(creal(entry), cimag(entry), row, col);
  else
    look->above += word_of(creal(entry), -cimag(entry), col, row);
}

/* Adds the sampled rows of a column, or all of them. */
static void add_column(struct look *look, const hyla_matrix *a, int64_t m, int64_t col) {
  const struct hy_axis *row = &a->row;
  const int64_t n = a->col.n, samples = hy_min(n, SAMPLES);
  bool whole = false;
  for (int64_t i = 0; i < samples; i++) whole = whole || sampled(n, i) == col;
  for (int64_t l = 0; whole && l < a->local_rows; l++)
    add(look, entry_of(a, l, m), hyla_matrix_row(a, l), col);
  for (int64_t i = 0; !whole && i < samples; i++) {
    int64_t at = sampled(n, i);
    if (hy_axis_owner(row, at) == a->row_part)
      add(look, entry_of(a, hy_axis_before(row, a->row_part, at), m), at, col);
  }
}

static struct look look_here(const hyla_matrix *a) {
  struct look look = {0};
  const struct hy_axis *row = &a->row;
  for (int64_t m = 0; m < a->local_cols && a->local_rows > 0; m++) {
    int64_t col = hyla_matrix_col(a, m);
    look_at_band(&look, a, m, col);
    if (col < row->n && hy_axis_owner(row, col) == a->row_part)
      look_at_diagonal(&look, entry_of(a, hy_axis_before(row, a->row_part, col), m),
                       a->col.n - col);
    if (row->n == a->col.n) add_column(&look, a, m, col);
  }
  return look;
}

/* Decides by the comparison, which moves A once. */
static hyla_status compare(const hyla_matrix *a, bool same, hyla_structure *structure) {
  hyla_asymmetry asymmetry;
  TRY(hy_asymmetry_find(a, &asymmetry));
  structure->hermitian = same && asymmetry.largest == 0;
  structure->nearly_hermitian = !structure->hermitian && asymmetry.rounding;
  if (structure->nearly_hermitian) structure->positive_diagonal = asymmetry.positive_diagonal;
  return HYLA_OK;
}

static hyla_status find(const hyla_matrix *a, hyla_structure *structure) {
  hyla_cube *cube = a->cube;
  struct look look = look_here(a), work;
  uint32_t all = hy_all_dims(cube);
  TRY(hy_agree(cube, hy_allreduce(cube, all, &look, 1, sizeof look, combine, NULL, &work)));
  TRY(hy_agree(cube, hy_tell_guests(cube, &look, sizeof look)));
  bool square = a->row.n == a->col.n;
  *structure = (hyla_structure){.lower = look.lower,
                                .upper = look.upper,
                                .positive_diagonal = square && look.not_positive == 0,
                                .zero = look.behind == 0 ? 0 : a->col.n - look.behind + 1};
  bool same = look.not_real == 0 && look.lower == look.upper && look.below == look.above;
  bool perhaps = same;
  if (!square) return HYLA_OK;
  if (!same) TRY(hy_perhaps_hermitian(a, hy_max(look.lower, look.upper), &perhaps));
  if (same && look.lower == 0)
    structure->hermitian = true;
  else if (perhaps)
    return compare(a, same, structure);
  return HYLA_OK;
}

hyla_status hyla_matrix_structure(hyla_cube *cube, const hyla_matrix *matrix,
                                  hyla_structure *structure) {
  const struct hy_call call = {.name = "hyla_matrix_structure",
                               .place = {{"structure", structure, 1}},
                               .argument = {{"matrix", matrix}},
                               .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  return hy_agree(cube, find(matrix, structure));
}
