/* Gather and scatter: any layout and type to an array on one node or on all, and back; the other
 * bytes of the array do not change; the contract. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "tests/matrix/matrix_cases.h"

#include <stdlib.h>

enum { CASES = 20, MORE = 3 };

/* An array of ld x cols entries; none of its bytes is that of an entry. */
static char *array_make(const hyla_matrix *a, int64_t ld) {
  size_t bytes = (size_t)(ld * a->col.n) * a->k->size;
  char *array = malloc(bytes + 1);
  assert_non_null(array);
  memset(array, 0x5a, bytes + 1);
  return array;
}

/* If `filled', every entry of the array is that of its place; no other byte has changed. */
static void assert_array(const hyla_matrix *a, const char *array, int64_t ld, bool filled) {
  for (int64_t j = 0; j < a->col.n; j++)
    for (int64_t i = 0; i < ld; i++) {
      const char *at = array + (size_t)(i + j * ld) * a->k->size;
      int64_t columns = a->col.n;
      if (filled && i < a->row.n) {
        assert_true(case_same(a->k->get(at, 0), case_rounded(a, case_entry(&columns, i, j))));
      } else {
        for (size_t byte = 0; byte < a->k->size; byte++) assert_int_equal(at[byte], 0x5a);
      }
    }
}

static void check_case(hyla_cube *cube) {
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(cube->nodes, sizes);
  int64_t rows = sizes[harness_draw(0, choices - 1)], cols = sizes[harness_draw(0, choices - 1)];
  int type = (int)harness_draw(0, TYPES - 1);
  hyla_layout layout = case_layout_on(cube);
  hyla_rest rest = harness_draw(0, 1) ? HYLA_REPLICATED : HYLA_FACE;
  harness_note("%lld x %lld, type %d, %s, rest %d", (long long)rows, (long long)cols, type,
               case_name(&layout), rest);
  hyla_matrix *a = case_matrix(cube, type, rows, cols, &layout);
  hyla_matrix *back = case_matrix(cube, type, rows, cols, &layout);
  int64_t ld = hy_max(1, rows) + harness_draw(0, MORE);
  bool holds = cube->address == 0 || (cube->address > 0 && rest == HYLA_REPLICATED);
  case_fill(cube, a, cols);
  char *array = array_make(a, ld);
  assert_int_equal(hyla_matrix_gather(cube, a, rest, holds ? array : NULL, holds ? ld : 0),
                   HYLA_OK);
  assert_array(a, array, ld, holds);
  bool first = cube->address == 0;
  assert_int_equal(hyla_matrix_scatter(cube, first ? array : NULL, first ? ld : 0, back), HYLA_OK);
  assert_array(a, array, ld, holds);
  for (int64_t m = 0; m < back->local_cols; m++)
    assert_memory_equal(hy_at(back, 0, m), hy_at(a, 0, m),
                        (size_t)back->local_rows * back->k->size);
  free(array);
  hyla_matrix_destroy(&back);
  hyla_matrix_destroy(&a);
}

static void there_and_back(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int i = 0; i < CASES; i++) check_case(cube);
  case_cube_end(&cube, before);
}

static void assert_same_bits(const hyla_matrix *a, const hyla_matrix *b) {
  assert_int_equal(a->local_rows, b->local_rows);
  assert_int_equal(a->local_cols, b->local_cols);
  for (int64_t m = 0; m < a->local_cols; m++)
    assert_memory_equal(hy_at(a, 0, m), hy_at(b, 0, m), (size_t)a->local_rows * a->k->size);
}

/* Gathers a matrix of one cube and scatters it to one of another. */
static void carry(const hyla_matrix *from, hyla_matrix *to) {
  const int64_t ld = hy_max(1, from->row.n);
  char *whole = array_make(from, ld);
  assert_int_equal(hyla_matrix_gather(from->cube, from, HYLA_FACE, whole, ld), HYLA_OK);
  assert_int_equal(hyla_matrix_scatter(to->cube, whole, ld, to), HYLA_OK);
  free(whole);
}

/* From any layout on an array of nodes to any on a cube of the same ranks and back, by node 0's
 * memory; the same by a file. */
static void arrays_and_cubes_keep_every_bit(void **state) {
  (void)state;
  hyla_cube *array = cube_open_array(), *cube = case_cube();
  char path[64];
  snprintf(path, sizeof path, "test_gather_%d.npy", harness_ranks());
  for (int i = 0; i < CASES / 2; i++) {
    const int type = i % TYPES;
    const int64_t rows = harness_draw(1, 40), cols = harness_draw(1, 40);
    const hyla_layout here = case_layout_on(array), there = case_layout_on(cube);
    harness_note("%lld x %lld, type %d, %s and %s", (long long)rows, (long long)cols, type,
                 case_name(&here), case_name(&there));
    hyla_matrix *a = case_matrix(array, type, rows, cols, &here), *read = NULL;
    hyla_matrix *b = case_matrix(cube, type, rows, cols, &there);
    hyla_matrix *back = case_matrix(array, type, rows, cols, &here);
    assert_int_equal(hyla_matrix_generate(array, a, HYLA_RANDOM, (uint64_t)i), HYLA_OK);
    assert_int_equal(hyla_matrix_set(array, a, rows - 1, 0, -0.0), HYLA_OK);
    carry(a, b);
    carry(b, back);
    assert_same_bits(a, back);
    assert_int_equal(hyla_matrix_write(array, a, path), HYLA_OK);
    assert_int_equal(hyla_matrix_read(cube, path, &there, &read), HYLA_OK);
    assert_int_equal(hyla_matrix_type(read), type);
    assert_same_bits(b, read);
    hyla_matrix_destroy(&read);
    hyla_matrix_destroy(&back);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  harness_barrier();
  if (harness_rank() == 0) remove(path);
  hyla_cube_destroy(&cube);
  hyla_cube_destroy(&array);
}

/* One rank gives a bad argument: all get the same status and message, and no memory leaks. */
static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 5, 4, NULL);
  int64_t kept = cube->base.bytes_now;
  double array[20] = {0};
  bool first = harness_rank() == 0;
  assert_int_equal(hyla_matrix_gather(cube, NULL, HYLA_FACE, array, 5), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_gather: from is NULL"));
  assert_int_equal(hyla_matrix_gather(cube, a, HYLA_FACE, array, first ? 4 : 5), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_gather: ld is 4"));
  assert_int_equal(hyla_matrix_gather(cube, a, HYLA_REPLICATED, first ? NULL : array, 5),
                   HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_gather: local is NULL"));
  assert_int_equal(hyla_matrix_scatter(cube, array, 5, NULL), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_scatter: to is NULL"));
  assert_int_equal(hyla_matrix_scatter(cube, NULL, 5, a), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_matrix_scatter: local is NULL"));
  assert_int_equal(hyla_matrix_scatter(NULL, array, 5, a), HYLA_ARGUMENT);
  if (cube->ranks.all > 1)
    assert_int_equal(hyla_matrix_gather(cube, a, first ? HYLA_FACE : HYLA_REPLICATED, array, 5),
                     HYLA_MISMATCH);
  assert_int_equal(cube->base.bytes_now, kept);
  hyla_matrix_destroy(&a);
  case_cube_end(&cube, before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_and_back),
      cmocka_unit_test(arrays_and_cubes_keep_every_bit),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
