/* The same matrices on many ranks and on one; see fixed_case.h. */
#include "fixed_case.h"

hyla_cube *fixed_cube(MPI_Comm comm, bool private_memory) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.reproducible = true;
  options.private_memory = private_memory;
  if (comm == MPI_COMM_SELF) options.array = NULL;
  assert_int_equal(hyla_cube_create(comm, &options, &cube), HYLA_OK);
  return cube;
}

struct fixed_cubes fixed_open(bool private_memory) {
  return (struct fixed_cubes){fixed_cube(MPI_COMM_WORLD, private_memory),
                              fixed_cube(MPI_COMM_SELF, false)};
}

void fixed_close(struct fixed_cubes *cubes) {
  assert_int_equal(hyla_cube_destroy(&cubes->alone), HYLA_OK);
  assert_int_equal(hyla_cube_destroy(&cubes->all), HYLA_OK);
}

void fixed_must(hyla_cube *cube, hyla_status status, hyla_status expected) {
  if (status != expected)
    fail_msg("status %s, not %s: %s", hyla_status_name(status), hyla_status_name(expected),
             hyla_cube_message(cube));
}

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

double _Complex fixed_entry(void *arg, int64_t row, int64_t col) {
  const struct fixed_entries *e = arg;
  bool mirrored = e->hermitian && row < col;
  int64_t i = mirrored ? col : row, j = mirrored ? row : col;
  uint64_t bits = mix(e->seed + mix((uint64_t)(i * 100003 + j)));
  double re = (double)(bits >> 40) / (1 << 24) - 0.5;
  double im = (double)(bits << 24 >> 40) / (1 << 24) - 0.5;
  if (row == e->row && col == e->col) return e->spoilt;
  if (col == e->zeros) return 0;
  if (row == col) return re + e->diagonal + (e->hermitian ? 0 : im * (double _Complex)_Complex_I);
  return re + (mirrored ? -im : im) * (double _Complex)_Complex_I;
}

hyla_matrix *fixed_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                        const struct fixed_entries *entries, bool drawn) {
  hyla_matrix *m = NULL;
  struct fixed_entries copy = *entries;
  hyla_layout layout = draw_on(cube);
  fixed_must(cube, hyla_matrix_create(cube, type, rows, cols, drawn ? &layout : NULL, &m), HYLA_OK);
  fixed_must(cube, hyla_matrix_fill(cube, m, fixed_entry, &copy), HYLA_OK);
  return m;
}

struct fixed_pair fixed_pair_make(const struct fixed_cubes *cubes, hyla_type type, int64_t rows,
                                  int64_t cols, const struct fixed_entries *entries) {
  return (struct fixed_pair){fixed_make(cubes->all, type, rows, cols, entries, true),
                             fixed_make(cubes->alone, type, rows, cols, entries, false)};
}

void fixed_pair_free(struct fixed_pair *pair) {
  hyla_matrix_destroy(&pair->all);
  hyla_matrix_destroy(&pair->alone);
}

static void *gather(hyla_cube *cube, const hyla_matrix *m, size_t *bytes) {
  static const size_t sizes[] = {4, 8, 8, 16};
  int64_t rows = hyla_matrix_rows(m), cols = hyla_matrix_cols(m);
  *bytes = (size_t)(rows * cols) * sizes[hyla_matrix_type(m)];
  void *array = calloc(1, *bytes + 1);
  assert_non_null(array);
  fixed_must(cube, hyla_matrix_gather(cube, m, HYLA_REPLICATED, array, rows > 0 ? rows : 1),
             HYLA_OK);
  return array;
}

void fixed_compare(const struct fixed_cubes *cubes, const struct fixed_pair *pair,
                   const char *what) {
  size_t bytes = 0;
  char *all = gather(cubes->all, pair->all, &bytes);
  char *alone = gather(cubes->alone, pair->alone, &bytes);
  size_t at = 0;
  while (hyla_cube_address(cubes->all) >= 0 && at < bytes && all[at] == alone[at]) at++;
  if (hyla_cube_address(cubes->all) >= 0 && at < bytes)
    fail_msg("%s: byte %zu of %zu differs from that of one rank", what, at, bytes);
  free(all);
  free(alone);
}

int64_t fixed_draw_size(void) {
  static const int64_t most[] = {12, 70, 290};
  return harness_draw(1, most[harness_draw(0, 2)]);
}

hyla_type fixed_type(int turn) { return (hyla_type)(turn % 4); }
