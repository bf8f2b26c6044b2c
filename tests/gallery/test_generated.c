/* The gallery: a kind is the same matrix on any ranks and in any layout; refusals. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "generators.h"

/* ------------------------------------------------------ ranks and layouts -- */

static double _Complex whole_entry(void *arg, int64_t row, int64_t col) {
  const hyla_matrix *a = arg;
  return a->k->get(hy_at(a, row, col), 0);
}

static void the_same_matrix_for_any_ranks_and_layout(void **state) {
  (void)state;
  hyla_cube *cube = case_cube(), *alone = cube_alone();
  for (int kind = 0; kind < kind_count(); kind++)
    for (int type = 0; type < TYPES; type++) {
      hyla_properties known;
      int64_t rows = harness_draw(0, 20), cols = harness_draw(0, 20);
      uint64_t seed = (uint64_t)harness_draw(0, INT64_MAX);
      assert_int_equal(hyla_kind_properties(name_of(kind), (hyla_type)type, rows, &known), HYLA_OK);
      if (!known.rectangular) cols = rows;
      hyla_layout layout = case_any_layout(cube->dims);
      harness_note("%s, %lld x %lld, type %d, %s", name_of(kind), (long long)rows, (long long)cols,
                   type, case_name(&layout));
      hyla_matrix *whole = case_matrix(alone, type, rows, cols, NULL);
      hyla_matrix *other = case_matrix(alone, type, rows, cols, NULL);
      hyla_matrix *a = case_matrix(cube, type, rows, cols, &layout);
      int64_t before = cube->base.bytes_now;
      assert_int_equal(hyla_matrix_gallery(alone, whole, name_of(kind), seed), HYLA_OK);
      assert_int_equal(hyla_matrix_gallery(cube, a, name_of(kind), seed), HYLA_OK);
      assert_int_equal(cube->base.bytes_now, before);
      case_assert_entries(a, whole_entry, whole);
      /* The seed must matter, or not, as declared. */
      assert_int_equal(hyla_matrix_gallery(alone, other, name_of(kind), seed + 1), HYLA_OK);
      if (!known.random) case_assert_entries(other, whole_entry, whole);
      hyla_matrix_destroy(&a);
      hyla_matrix_destroy(&other);
      hyla_matrix_destroy(&whole);
    }
  hyla_cube_destroy(&alone);
  hyla_cube_destroy(&cube);
}

static void the_first_kinds_are_the_generators(void **state) {
  (void)state;
  static const char *const names[] = {"zero",   "ones",      "identity",
                                      "random", "hermitian", "dominant"};
  hyla_cube *alone = cube_alone();
  for (int generator = HYLA_ZERO; generator <= HYLA_DOMINANT; generator++) {
    assert_string_equal(name_of(generator), names[generator]);
    hyla_matrix *one = case_matrix(alone, HYLA_DOUBLE_COMPLEX, 7, 7, NULL);
    hyla_matrix *other = case_matrix(alone, HYLA_DOUBLE_COMPLEX, 7, 7, NULL);
    assert_int_equal(hyla_matrix_generate(alone, one, (hyla_generator)generator, 3), HYLA_OK);
    assert_int_equal(hyla_matrix_gallery(alone, other, names[generator], 3), HYLA_OK);
    case_assert_entries(other, whole_entry, one);
    hyla_matrix_destroy(&other);
    hyla_matrix_destroy(&one);
  }
  hyla_cube_destroy(&alone);
}

static void seeds_give_other_random_matrices(void **state) {
  (void)state;
  hyla_cube *alone = cube_alone();
  for (int kind = 0; kind < kind_count(); kind++) {
    hyla_properties known;
    assert_int_equal(hyla_kind_properties(name_of(kind), HYLA_DOUBLE, 9, &known), HYLA_OK);
    if (!known.random) continue;
    hyla_matrix *x[2];
    for (int s = 0; s < 2; s++) {
      x[s] = case_matrix(alone, HYLA_DOUBLE, 9, 9, NULL);
      assert_int_equal(hyla_matrix_gallery(alone, x[s], name_of(kind), (uint64_t)s), HYLA_OK);
    }
    harness_note("%s", name_of(kind));
    int columns = 0; /* that differ; a diagonal matrix has one entry in each */
    for (int64_t j = 0; j < 9; j++)
      columns += memcmp(hy_at(x[0], 0, j), hy_at(x[1], 0, j), 9 * sizeof(double)) != 0;
    assert_true(columns > 0);
    for (int s = 0; s < 2; s++) hyla_matrix_destroy(&x[s]);
  }
  hyla_cube_destroy(&alone);
}

/* ------------------------------------------------------------ the contract -- */

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  hyla_matrix *a = case_matrix(cube, HYLA_FLOAT, 4, 3, NULL);
  hyla_matrix *large = case_matrix(cube, HYLA_FLOAT, 40, 40, NULL);
  int64_t before = cube->base.bytes_now;
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    assert_int_equal(hyla_matrix_gallery(cube, a, here ? NULL : "ones", 0), HYLA_ARGUMENT);
    assert_int_equal(hyla_matrix_gallery(cube, a, here ? "frank" : "ones", 0), HYLA_ARGUMENT);
  }
  /* The type cannot hold the entries; some ranks have no entries. */
  assert_int_equal(hyla_matrix_gallery(cube, large, "invhilb", 0), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "too large"));
  bool last = harness_rank() == harness_ranks() - 1;
  hyla_status expected = harness_ranks() > 1 ? HYLA_MISMATCH : HYLA_OK;
  assert_int_equal(hyla_matrix_gallery(cube, a, last ? "ones" : "random", 0), expected);
  assert_int_equal(hyla_matrix_gallery(cube, a, "random", last ? 1 : 0), expected);
  assert_int_equal(cube->base.bytes_now, before);
  hyla_properties known;
  assert_int_equal(hyla_kind_properties("nothing", HYLA_FLOAT, 3, &known), HYLA_ARGUMENT);
  assert_int_equal(hyla_kind_properties(NULL, HYLA_FLOAT, 3, &known), HYLA_ARGUMENT);
  assert_int_equal(hyla_kind_properties("ones", (hyla_type)9, 3, &known), HYLA_ARGUMENT);
  assert_int_equal(hyla_kind_properties("ones", HYLA_FLOAT, -1, &known), HYLA_ARGUMENT);
  assert_int_equal(hyla_kind_properties("ones", HYLA_FLOAT, 3, NULL), HYLA_ARGUMENT);
  assert_null(hyla_kind_at(-1));
  hyla_matrix_destroy(&large);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* If one rank has no memory, all ranks give up, and nothing leaks. */
static void memory_that_is_missing_is_told_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 9, 8, NULL);
  int64_t before = cube->base.bytes_now;
  for (int allocation = 1; allocation <= 3; allocation++) {
    bool last = harness_rank() == harness_ranks() - 1;
    cube->base.fail_at = last ? cube->base.allocations + allocation : 0;
    assert_int_equal(hyla_matrix_gallery(cube, a, "randsvd-small", 0), HYLA_MEMORY);
    assert_int_equal(cube->base.bytes_now, before);
  }
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_matrix_for_any_ranks_and_layout),
      cmocka_unit_test(the_first_kinds_are_the_generators),
      cmocka_unit_test(seeds_give_other_random_matrices),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(memory_that_is_missing_is_told_everywhere),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
