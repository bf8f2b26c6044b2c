/* Identifies a matrix by its entries: a sum of numbers, each computed from an entry and its place,
 * so that it is the same in all layouts.
 *
 * Method: the word of an entry, combined with the bits of its place, is multiplied by an odd 64-bit
 *   number that depends on the place too.  The two halves of the product, combined by exclusive or,
 *   are the entry's number.  Matrices that differ in a bit, in signs, or in entries that changed
 *   places, have different sums except for about one case in 2^64.  The method protects against
 *   accidents only: whoever knows it can construct two matrices with the same sum.
 * Steps: those of one sum over all ranks; one pass over the entries, with one product a word. */
#include "solve/guard/guard.h"

#include <string.h>

static inline uint64_t fold(uint64_t word, uint64_t odd) {
  unsigned __int128 both = (unsigned __int128)word * odd;
  return (uint64_t)both ^ (uint64_t)(both >> 64);
}

/* The sum for `count' words of `size' bytes; consecutive words have consecutive places. */
static inline uint64_t sum_words(const char *data, int64_t count, size_t size, uint64_t place) {
  static const uint64_t STEP = UINT64_C(0x9e3779b97f4a7c15), OTHER = UINT64_C(0xd1342543de82ef95),
                        FIRST = UINT64_C(0x5851f42d4c957f2d);
  uint64_t sum = 0, word = 0, bits = place * STEP, by = FIRST + place * OTHER;
  for (int64_t i = 0; i < count; i++, bits += STEP, by += OTHER) {
    memcpy(&word, data + (size_t)i * size, size);
    sum += fold(word ^ bits, by | 1);
  }
  return sum;
}

/* The sum for neighbours in a column; words have 8 bytes, or 4. */
static uint64_t sum_run(const hyla_matrix *a, int64_t row, int64_t count, int64_t c) {
  size_t size = a->k->size;
  int64_t words = size > sizeof(uint64_t) ? 2 : 1;
  uint64_t col = (uint64_t)hyla_matrix_col(a, c), first = (uint64_t)hyla_matrix_row(a, row);
  uint64_t place = (col * (uint64_t)a->row.n + first) * (uint64_t)words;
  const char *data = hy_at(a, row, c);
  if (size < sizeof(uint64_t)) return sum_words(data, count, sizeof(uint32_t), place);
  return sum_words(data, count * words, sizeof(uint64_t), place);
}

static uint64_t sum_local(const hyla_matrix *a, bool lower) {
  uint64_t sum = 0;
  for (int64_t c = 0; c < a->local_cols; c++) {
    int64_t first = lower ? hy_min(hyla_matrix_col(a, c), a->row.n) : 0, run = 1;
    for (int64_t l = hy_axis_before(&a->row, a->row_part, first); l < a->local_rows; l += run) {
      run = hy_min(hy_axis_run(&a->row, hyla_matrix_row(a, l)), a->local_rows - l);
      sum += sum_run(a, l, run, c);
    }
  }
  return sum;
}

hyla_status hy_checkpoint_origin(const hyla_matrix *a, bool lower, uint64_t *origin) {
  enum { PARTS = 4, BITS = 16 }; /* sums of 16 bits are exact in doubles */
  hyla_cube *cube = a->cube;
  int64_t parts[PARTS];
  double sums[PARTS];
  uint64_t mine = 0;
  bool holds = cube->address >= 0 && a->local_rows > 0;
  if (holds && hy_matrix_node(a, a->row_part, a->col_part) == cube->address)
    mine = sum_local(a, lower);
  for (int i = 0; i < PARTS; i++) parts[i] = (int64_t)(mine >> BITS * i & 0xffff);
  TRY(hy_cube_max_sum(cube, parts, sums, PARTS));
  *origin = 0;
  for (int i = 0; i < PARTS; i++) *origin += (uint64_t)sums[i] << BITS * i;
  return HYLA_OK;
}
