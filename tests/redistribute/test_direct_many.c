/* Redistribution of several matrices at once, and from copies. */
// ranks: 1 3 4 6 8 9 12
// sample: 1 4 6
#include "tests/matrix/matrix_cases.h"

static double _Complex twice(void *arg, int64_t row, int64_t col) {
  return 2 * case_entry(arg, row, col);
}

/* Matrices of all types at once, from and to copies and faces, scaled: at most one packed message
 * in each step. */
static void all_types_share_the_steps(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  char array[CUBE_ARRAY];
  cube_draw_array(&options, array);
  options.private_memory = true;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  for (int round = 0; round < 10; round++) {
    hyla_matrix *from[TYPES], *to[TYPES];
    hyla_transfer transfers[TYPES];
    int64_t cols = harness_draw(1, 20);
    for (int type = 0; type < TYPES; type++) {
      hyla_layout here = case_layout_on(cube), there = case_layout_on(cube);
      from[type] = case_matrix(cube, type, 7, cols, &here);
      to[type] = case_matrix(cube, type, 7, cols, &there);
      case_fill_local(from[type], case_entry, &cols);
      transfers[type] = (hyla_transfer){HYLA_NONE, 2, from[type], to[type]};
    }
    struct hy_direct *move = NULL;
    hyla_cost cost = {0};
    assert_int_equal(hy_direct_create(cube, transfers, TYPES, &move), HYLA_OK);
    assert_int_equal(hy_direct_expect(cube, transfers, NULL, TYPES, &cost), HYLA_OK);
    assert_true(cost.steps < cube->nodes && cost.messages <= cost.steps);
    hyla_cube_ledger_clear(cube);
    assert_int_equal(hy_direct_run(move), HYLA_OK);
    hyla_ledger ledger;
    hyla_cube_ledger(cube, &ledger);
    assert_int_equal(ledger.steps, cost.steps);
    hy_direct_destroy(&move);
    for (int type = 0; type < TYPES; type++) {
      case_assert_entries(to[type], twice, &cols);
      hyla_matrix_destroy(&from[type]);
      hyla_matrix_destroy(&to[type]);
    }
  }
  hyla_cube_destroy(&cube);
}

/* Matrices that every node has are taken from no other node; those that some nodes have come from
 * the copy in the same face. */
static void copies_are_taken_from_near(void **state) {
  (void)state;
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.array = "cube";
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  hyla_layout copies = {.rest = HYLA_REPLICATED}, rows = {.rest = HYLA_REPLICATED};
  rows.row.dims = cube->dims > 0;
  for (int round = 0; round < 10; round++) {
    hyla_layout there = case_layout_on(cube);
    const hyla_layout *from[] = {&copies, &rows};
    for (int i = 0; i < 2; i++) {
      hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 9, 8, from[i]);
      hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 9, 8, &there);
      case_fill_local(a, case_entry, &(int64_t){8});
      hyla_cube_ledger_clear(cube);
      const hyla_transfer transfer = {HYLA_NONE, 1, a, b};
      assert_int_equal(hyla_redistribute(cube, 1, &transfer), HYLA_OK);
      hyla_ledger ledger;
      hyla_cube_ledger(cube, &ledger);
      for (int dim = 0; dim < cube->dims; dim++)
        assert_true(ledger.messages[dim] == 0 || (i == 1 && dim == 0));
      assert_int_equal(ledger.far_messages, 0);
      case_assert_entries(b, case_entry, &(int64_t){8});
      hyla_matrix_destroy(&a);
      hyla_matrix_destroy(&b);
    }
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_types_share_the_steps),
      cmocka_unit_test(copies_are_taken_from_near),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
