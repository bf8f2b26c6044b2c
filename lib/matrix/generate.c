/* Generated matrices, the same for any number of ranks and any layout.
 *
 * Method: entry (row, col) is a function of seed, row and col alone: Philox
 * 4x32-10 with the seed as key and (row, col) as counter.
 * Reference: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as
 * 1, 2, 3, SC 2011 (the Random123 library).
 * Real and imaginary part take 64 random bits each, of which the upper 52 give
 * (k + 1/2) 2^-52 - 1/2: exact, never 0, symmetric about 0. */
#include "matrix/matrix.h"

#include <Random123/philox.h>
#include <complex.h>
#include <math.h>

static double uniform(uint32_t low, uint32_t high) {
  uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
  return ((double)bits + 0.5) * 0x1p-52 - 0.5;
}

/* limit: the largest number below 1/2 that the matrix' type can hold. */
static double _Complex random_entry(uint64_t seed, int64_t row, int64_t col, double limit) {
  philox4x32_ctr_t counter = {{(uint32_t)row, (uint32_t)((uint64_t)row >> 32), (uint32_t)col,
                               (uint32_t)((uint64_t)col >> 32)}};
  philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  philox4x32_ctr_t bits = philox4x32(counter, key);
  double re = uniform(bits.v[0], bits.v[1]);
  double im = uniform(bits.v[2], bits.v[3]);
  return hy_complex(fmin(fmax(re, -limit), limit), fmin(fmax(im, -limit), limit));
}

struct recipe {
  hyla_generator generator;
  uint64_t seed;
  double limit;
  double diagonal; /* added by DOMINANT */
};

static double _Complex entry_of(const struct recipe *recipe, int64_t row, int64_t col) {
  switch (recipe->generator) {
  case HYLA_ZERO: return 0;
  case HYLA_ONES: return 1;
  case HYLA_IDENTITY: return row == col ? 1 : 0;
  case HYLA_RANDOM: return random_entry(recipe->seed, row, col, recipe->limit);
  case HYLA_HERMITIAN: {
    double _Complex low =
        random_entry(recipe->seed, hy_max(row, col), hy_min(row, col), recipe->limit);
    return row > col ? low : row < col ? conj(low) : creal(low);
  }
  case HYLA_DOMINANT: {
    double _Complex entry = random_entry(recipe->seed, row, col, recipe->limit);
    return row == col ? entry + recipe->diagonal : entry;
  }
  }
  return 0;
}

hyla_status hyla_matrix_generate(hyla_cube *cube, hyla_matrix *matrix, hyla_generator generator,
                                 uint64_t seed) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = hy_matrix_check(cube, matrix, "of hyla_matrix_generate");
  if (mine == HYLA_OK && ((int)generator < HYLA_ZERO || (int)generator > HYLA_DOMINANT))
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_matrix_generate: %d is no generator",
                   (int)generator);
  if (mine == HYLA_OK && generator == HYLA_HERMITIAN && matrix->row.n != matrix->col.n)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT,
                   "hyla_matrix_generate: HYLA_HERMITIAN needs a square; this is %lld x %lld",
                   (long long)matrix->row.n, (long long)matrix->col.n);
  const uint64_t words[] = {(uint64_t)generator, seed};
  uint64_t fingerprint = hy_fingerprint(hy_matrix_fingerprint(0, matrix), words, sizeof words);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_matrix_generate"));
  struct recipe recipe = {.generator = generator,
                          .seed = seed,
                          .limit = 0.5 - matrix->k->epsilon / 2,
                          .diagonal = (double)matrix->row.n};
  for (int64_t m = 0; m < matrix->local_cols; m++) {
    int64_t col = hyla_matrix_col(matrix, m);
    for (int64_t l = 0; l < matrix->local_rows; l++)
      matrix->k->set(hy_at(matrix, 0, m), l, entry_of(&recipe, hyla_matrix_row(matrix, l), col));
  }
  return hy_agree(cube, HYLA_OK);
}
