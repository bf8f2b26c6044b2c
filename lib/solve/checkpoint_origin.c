/* A matrix known by its entries: a sum of numbers, each drawn from an entry and its place, so that
 * it is the same in all layouts.  Of matrices that differ it is another one but for one case in
 * 2^64.  Steps: those of one sum over all ranks; one pass over the entries. */
#include "solve/checkpoint.h"

#include <string.h>

/* Each bit of the result depends on all of x (splitmix64). */
static inline uint64_t stir(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* Of `count' words of `size' bytes that begin at a place; the next one is one place on. */
static inline uint64_t sum_words(const char *data, int64_t count, size_t size, uint64_t place) {
  static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t sum = 0, word = 0, at = place * GOLDEN;
  for (int64_t i = 0; i < count; i++, at += GOLDEN) {
    memcpy(&word, data + (size_t)i * size, size);
    sum += stir(word ^ at);
  }
  return sum;
}

/* Neighbours in a column; words of 8 bytes, or of 4. */
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
  enum { PARTS = 4, BITS = 16 }; /* whose sums are exact in doubles */
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
