/* The papers' transposes on real ranks. */
// ranks: 1 2 4 8
// sample: 1 4
#include "transpose_cases.h"

static void every_entry_arrives(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  for (int v = 0; v < BLOCK_VARIANTS + LINE_VARIANTS; v++)
    for (int round = 0; round < 8; round++) {
      bool pairs = v < BLOCK_VARIANTS;
      if (pairs && cube->dims == 1) continue; /* there is no pair of dimensions */
      const char *name = pairs ? block_variants[v] : line_variants[v - BLOCK_VARIANTS];
      struct redistribute_case x = drawn_case(cube->dims, name, pairs);
      harness_note("%s", redistribute_name(&x));
      if (redistribute_check(cube, &x) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
    }
  case_cube_end(&cube, before);
}

/* Blocks go to any nodes. */
static void permuted_blocks_arrive(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now, served = 0;
  for (int round = 0; round < 24; round++) {
    struct redistribute_case x = permuted_case(cube->dims);
    harness_note("%s", redistribute_name(&x));
    hyla_status status = redistribute_check(cube, &x);
    served += status == HYLA_OK;
    if (status == HYLA_UNSUPPORTED) continue; /* all blocks stay */
    if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  }
  assert_true(served >= 4 || cube->dims == 1); /* on two nodes all blocks stay */
  case_cube_end(&cube, before);
}

/* One column a node, in all widths that a code serves, and several columns. */
static void bands_arrive(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  for (int b = 0; b < cube->dims; b++)
    for (int times = 1; times < 4; times++) {
      int64_t n = times * cube->nodes, width = (int64_t)1 << b;
      struct redistribute_case x = banded_case(cube->dims, b, n, width);
      harness_note("width %lld: %s", (long long)width, redistribute_name(&x));
      hyla_status status = redistribute_check(cube, &x);
      if (status == HYLA_UNSUPPORTED && times > 1) continue; /* blocks reach too far */
      if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
    }
  case_cube_end(&cube, before);
}

/* Dense columns and rows, as many as there may be, none included. */
static void dense_columns_and_rows_arrive(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  const int64_t p = cube->nodes, sizes[] = {0, 1, p - 1, p, p + 1, 2 * p, 13, 31};
  for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
    struct redistribute_case x = dense_case(cube->dims, sizes[i / 2]);
    harness_note("%d columns, %d rows: %s", x.columns, x.rows, redistribute_name(&x));
    if (redistribute_check(cube, &x) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
    x.variant = NULL;
    if (redistribute_check(cube, &x) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  }
  case_cube_end(&cube, before);
}

static const char *block_variant(int v) {
  v %= BLOCK_VARIANTS + 1;
  return v == BLOCK_VARIANTS ? "transpose-permuted" : block_variants[v];
}

/* Transposing twice, by any two variants, gives the same matrix bit for bit. */
static void transposing_twice(void **state) {
  (void)state;
  const uint64_t strange[] = {0x7ff80000deadbeef, 0xfff0000000000001, 0xfff0000000000000,
                              0x8000000000000000};
  hyla_cube *cube = case_cube();
  bool square = cube->dims % 2 == 0;
  for (int v = 0; v <= BLOCK_VARIANTS; v++) {
    const char *there = square ? block_variant(v) : line_variants[v % 2];
    const char *again = square ? block_variant(v + 1) : line_variants[0];
    struct redistribute_side side = {.op = HYLA_TRANSPOSE};
    if (square)
      square_layouts(cube->dims, v, 5 - v, &side);
    else
      line_layouts(cube->dims, v, v, false, &side);
    hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 13, 7, &side.from);
    hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 7, 13, &side.to);
    hyla_matrix *c = case_matrix(cube, HYLA_DOUBLE, 13, 7, &side.from);
    for (int64_t m = 0; m < a->local_cols; m++)
      for (int64_t l = 0; l < a->local_rows; l++) memcpy(hy_at(a, l, m), &strange[(l + m) % 4], 8);
    hyla_transfer first = {HYLA_TRANSPOSE, 1, a, b}, second = {HYLA_TRANSPOSE, 1, b, c};
    hyla_plan *plan[2] = {NULL, NULL};
    harness_note("%s and %s", there, again);
    assert_int_equal(hyla_redistribute_plan(cube, 1, &first, there, &plan[0]), HYLA_OK);
    assert_int_equal(hyla_redistribute_plan(cube, 1, &second, again, &plan[1]), HYLA_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(hyla_plan_run(cube, plan[i]), HYLA_OK);
    for (int64_t m = 0; m < c->local_cols; m++)
      assert_memory_equal(hy_at(a, 0, m), hy_at(c, 0, m), (size_t)c->local_rows * 8);
    for (int i = 0; i < 2; i++) hyla_plan_destroy(&plan[i]);
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&c);
  }
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  static const char *const variants[] = {"transpose-recursive", "transpose-rows",
                                         "transpose-permuted"};
  for (int v = 0; v < 3; v++) {
    struct redistribute_side side = {.op = HYLA_TRANSPOSE};
    bool line = v == 1;
    if (!line && cube->dims % 2 != 0) continue;
    if (!line)
      square_layouts(cube->dims, 1, 4, &side);
    else
      line_layouts(cube->dims, 1, 4, true, &side);
    hyla_matrix *a = case_matrix(cube, HYLA_COMPLEX, 9, 11, &side.from);
    hyla_matrix *b = case_matrix(cube, HYLA_COMPLEX, 11, 9, &side.to);
    hyla_transfer transfer = {HYLA_CONJUGATE, 1, a, b};
    int64_t before = base->bytes_now, n = 0;
    hyla_status status = HYLA_MEMORY;
    while (status == HYLA_MEMORY) {
      hyla_plan *plan = NULL;
      harness_note("allocation %lld on rank %d", (long long)++n, victim);
      if (harness_rank() == victim) base->fail_at = base->allocations + n;
      status = hyla_redistribute_plan(cube, 1, &transfer, variants[v], &plan);
      base->fail_at = 0;
      hyla_plan_destroy(&plan);
      assert_int_equal(base->bytes_now, before);
    }
    assert_int_equal(status, HYLA_OK);
    assert_true(n > 10);
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&b);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_entry_arrives),
      cmocka_unit_test(permuted_blocks_arrive),
      cmocka_unit_test(dense_columns_and_rows_arrive),
      cmocka_unit_test(bands_arrive),
      cmocka_unit_test(transposing_twice),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
