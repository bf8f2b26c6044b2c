/* hyla_matrix_structure: what can be seen of a matrix without computing with it.
 *
 * One pass over the local entries finds bandwidths and what the diagonal is, and adds up, modulo
 * 2^64, the bits of the entries below the diagonal, and of the conjugates of those above, each
 * times a number that depends on its place or, above, on the mirror of it.  Where these sums differ
 * A is not Hermitian, unless for rounding, of which a few entries tell: so it goes for nearly all
 * that are not, without any entry moved.  Where A may be, it is compared with A^H (hermitian.c). */
#include "solve/hermitian.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* What all ranks learn of it. */
struct look {
  int64_t lower, upper;
  uint64_t below, above; /* the sums */
  int64_t not_real;      /* how many diagonal entries are not real; */
  int64_t not_positive;  /* not real and positive */
  int64_t behind;        /* columns from the first zero of the diagonal on; 0: there is none */
};

static void combine(void *into, const void *from, int64_t count, const void *arg) {
  struct look *a = into;
  const struct look *b = from;
  (void)arg, (void)count; /* one */
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

/* Of equal numbers equal bits: 0 and -0 are equal. */
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

static void look_at(struct look *look, double _Complex entry, int64_t row, int64_t col,
                    int64_t cols) {
  double re = creal(entry), im = cimag(entry);
  if (row == col) {
    look->not_real += isnan(re) || !(im == 0);
    look->not_positive += !(im == 0) || !(re > 0);
    if (entry == 0) look->behind = hy_max(look->behind, cols - col);
  } else if (entry != 0 && row > col) {
    look->lower = hy_max(look->lower, row - col);
    look->below += word_of(re, im, row, col);
  } else if (entry != 0) {
    look->upper = hy_max(look->upper, col - row);
    look->above += word_of(re, -im, col, row);
  }
}

static struct look look_here(const hyla_matrix *a) {
  struct look look = {0};
  for (int64_t m = 0; m < a->local_cols; m++) {
    int64_t col = hyla_matrix_col(a, m);
    const char *entries = hy_at(a, 0, m);
    for (int64_t l = 0; l < a->local_rows; l++)
      look_at(&look, a->k->get(entries, l), hyla_matrix_row(a, l), col, a->col.n);
  }
  return look;
}

/* By the comparison, which takes a move of A. */
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
  uint32_t all = (uint32_t)cube->nodes - 1;
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
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = hy_matrix_check(cube, matrix, "of hyla_matrix_structure");
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_structure");
  if (mine == HYLA_OK && structure == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_matrix_structure: structure is NULL");
  TRY(hy_enter(cube, mine, hy_matrix_fingerprint(0, matrix), "hyla_matrix_structure"));
  return hy_agree(cube, find(matrix, structure));
}
