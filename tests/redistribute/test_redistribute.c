/* Redistribution on real ranks: every variant, and the contract of the calls. */
// ranks: 1 3 4 5 6 7 8 9 12
// sample: 1 4 6
#include "redistribute_case.h"

static const double _Complex alphas[] = {1, 1, -2, 2 * I};

static hyla_layout any_layout(const hyla_cube *cube) {
  return case_layout_of(cube, (int)harness_draw(0, case_layouts(cube->dims) - 1));
}

static struct redistribute_case any_case(const hyla_cube *cube, int count, const char *variant) {
  struct redistribute_case x = {
      .type = (hyla_type)harness_draw(0, TYPES - 1), .count = count, .variant = variant};
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(cube->nodes, sizes);
  for (int i = 0; i < count; i++)
    x.side[i] = (struct redistribute_side){.op = (hyla_operation)harness_draw(0, 5),
                                           .alpha = alphas[harness_draw(0, 3)],
                                           .rows = sizes[harness_draw(0, choices - 1)],
                                           .cols = sizes[harness_draw(0, choices - 1)],
                                           .from = any_layout(cube),
                                           .to = any_layout(cube)};
  for (int i = 0; i < count; i++)
    if (x.type < HYLA_COMPLEX && x.side[i].alpha == 2 * I) x.side[i].alpha = 3;
  return x;
}

static void run_case(hyla_cube *cube, const struct redistribute_case *x) {
  harness_note("%s", redistribute_name(x));
  hyla_status status = redistribute_check(cube, x);
  if (status == HYLA_UNSUPPORTED && x->variant != NULL) return;
  if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
}

static void every_variant_moves_every_entry(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int v = 0; v <= hy_family_count(&hy_redistribute_family); v++)
    for (int round = 0; round < (harness_ranks() > 3 ? 8 : 30); round++) {
      const struct hy_variant *variant = hy_redistribute_family.rows[v];
      const char *name = variant == NULL ? NULL : variant->name;
      struct redistribute_case x = any_case(cube, (int)harness_draw(0, 3), name);
      run_case(cube, &x);
    }
  case_cube_end(&cube, before);
}

/* Matrices of several tiles each way; several ranks write parts of the same cache line. */
static void blocks_of_several_tiles(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{131, 197}, {259, 66}, {64, 320}};
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int round = 0; round < 12; round++) {
    struct redistribute_case x = any_case(cube, 1, "direct");
    x.whole = round % 2 == 0;
    x.side[0].rows = sizes[round % 3][0];
    x.side[0].cols = sizes[round % 3][1];
    run_case(cube, &x);
  }
  case_cube_end(&cube, before);
}

/* Two good transfers, which the tests of the contract spoil. */
struct good {
  hyla_matrix *a, *b, *c, *d;
  hyla_transfer transfers[2];
};

static struct good good_make(hyla_cube *cube) {
  hyla_layout here = case_layout_of(cube, 1), there = case_layout_of(cube, 3);
  struct good good = {.a = case_matrix(cube, HYLA_DOUBLE, 6, 9, &here),
                      .b = case_matrix(cube, HYLA_DOUBLE, 9, 6, &there),
                      .c = case_matrix(cube, HYLA_DOUBLE, 11, 4, &here),
                      .d = case_matrix(cube, HYLA_DOUBLE, 11, 4, &there)};
  good.transfers[0] = (hyla_transfer){HYLA_TRANSPOSE, 1, good.a, good.b};
  good.transfers[1] = (hyla_transfer){HYLA_NONE, 2, good.c, good.d};
  return good;
}

static void good_free(struct good *good) {
  hyla_matrix_destroy(&good->a);
  hyla_matrix_destroy(&good->b);
  hyla_matrix_destroy(&good->c);
  hyla_matrix_destroy(&good->d);
}

static hyla_status plan_and_drop(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                 const char *variant) {
  hyla_plan *plan = NULL;
  hyla_status status = hyla_redistribute_plan(cube, count, transfers, variant, &plan);
  assert_true((status == HYLA_OK) == (plan != NULL));
  hyla_plan_destroy(&plan);
  return status;
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = case_cube(), *second = case_cube();
  struct good good = good_make(cube);
  hyla_matrix *stranger = case_matrix(second, HYLA_DOUBLE, 9, 6, NULL);
  hyla_matrix *single = case_matrix(cube, HYLA_FLOAT, 9, 6, NULL);
  hyla_matrix *view = NULL;
  hyla_plan *plan = NULL;
  assert_int_equal(hyla_matrix_view(good.b, 3, 1, 4, 5, &view), HYLA_OK);
  hyla_matrix *const targets[] = {NULL, stranger, single, good.c};
  int64_t before = cube->base.bytes_now;
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    for (int i = 0; i < 4; i++) {
      harness_note("target %d on rank %d", i, where);
      hyla_transfer bad[] = {good.transfers[1], good.transfers[0]};
      if (here) bad[1].to = targets[i];
      assert_int_equal(plan_and_drop(cube, 2, bad, NULL), HYLA_ARGUMENT);
    }
    hyla_transfer bad[] = {good.transfers[0], good.transfers[1]};
    if (here) bad[0].op = (hyla_operation)(HYLA_TURN_HALF + 1);
    assert_int_equal(plan_and_drop(cube, 2, bad, NULL), HYLA_ARGUMENT);
    assert_int_equal(plan_and_drop(cube, here ? -1 : 2, good.transfers, NULL), HYLA_ARGUMENT);
    assert_int_equal(plan_and_drop(cube, 2, here ? NULL : good.transfers, NULL), HYLA_ARGUMENT);
  }
  /* Two transfers write the same entries, or one reads entries that another one writes. */
  hyla_transfer both[] = {good.transfers[0], {HYLA_NONE, 1, view, good.d}};
  both[1].from = good.b;
  hyla_matrix *copy = case_matrix(cube, HYLA_DOUBLE, 9, 6, NULL);
  both[1].to = copy;
  assert_int_equal(plan_and_drop(cube, 2, both, NULL), HYLA_ARGUMENT);
  both[1] = (hyla_transfer){HYLA_NONE, 1, copy, good.b};
  assert_int_equal(plan_and_drop(cube, 2, both, NULL), HYLA_ARGUMENT);
  both[0] = (hyla_transfer){HYLA_NONE, 1, good.b, good.b};
  assert_int_equal(plan_and_drop(cube, 1, both, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_redistribute_plan(NULL, 2, good.transfers, NULL, &plan), HYLA_ARGUMENT);
  assert_int_equal(hyla_redistribute_plan(cube, 2, good.transfers, NULL, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_redistribute(NULL, 2, good.transfers), HYLA_ARGUMENT);
  assert_int_equal(plan_and_drop(cube, 2, good.transfers, "dirct"), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "direct"));
  hyla_matrix_destroy(&copy);
  assert_int_equal(cube->base.bytes_now, before);
  assert_int_equal(hyla_redistribute(cube, 2, good.transfers), HYLA_OK);
  assert_int_equal(hyla_redistribute(cube, 0, NULL), HYLA_OK);
  hyla_matrix_destroy(&view);
  hyla_matrix_destroy(&single);
  hyla_matrix_destroy(&stranger);
  good_free(&good);
  hyla_cube_destroy(&second);
  hyla_cube_destroy(&cube);
}

static hyla_status plan_band(hyla_cube *cube, const hyla_transfer *transfer, int64_t width) {
  hyla_plan *plan = NULL;
  hyla_status status = hyla_redistribute_band_plan(cube, transfer, width, NULL, &plan);
  assert_true((status == HYLA_OK) == (plan != NULL));
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status plan_dense(hyla_cube *cube, const hyla_transfer *transfer,
                              const int64_t *columns, int64_t count) {
  const int64_t rows[] = {0, 6};
  hyla_plan *plan = NULL;
  hyla_status status =
      hyla_redistribute_dense_plan(cube, transfer, columns, count, rows, 2, NULL, &plan);
  assert_true((status == HYLA_OK) == (plan != NULL));
  hyla_plan_destroy(&plan);
  return status;
}

static void bad_dense_lines_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 7, 7, NULL);
  hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 7, 7, NULL);
  const hyla_transfer square = {HYLA_TRANSPOSE, 1, a, b}, turn = {HYLA_TURN_LEFT, 1, a, b};
  const int64_t good[] = {2, 5}, falling[] = {5, 2}, twice[] = {2, 2}, beyond[] = {2, 7};
  const int64_t *bad[] = {falling, twice, beyond, NULL};
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    harness_note("on rank %d", where);
    for (int i = 0; i < 4; i++)
      assert_int_equal(plan_dense(cube, &square, here ? bad[i] : good, 2), HYLA_ARGUMENT);
    assert_int_equal(plan_dense(cube, &square, good, here ? -1 : 2), HYLA_ARGUMENT);
    assert_int_equal(plan_dense(cube, here ? &turn : &square, good, 2), HYLA_ARGUMENT);
  }
  if (harness_ranks() > 1)
    assert_int_equal(plan_dense(cube, &square, good, harness_rank() == 0 ? 2 : 1), HYLA_MISMATCH);
  assert_int_equal(plan_dense(cube, &square, good, 2), HYLA_OK);
  assert_int_equal(plan_dense(cube, &square, NULL, 0), HYLA_OK);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_cube_destroy(&cube);
}

static void bad_bands_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  struct good good = good_make(cube);
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 7, 7, NULL);
  hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 7, 7, NULL);
  const hyla_transfer square = {HYLA_TRANSPOSE, 1, a, b}, self = {HYLA_TRANSPOSE, 1, a, a};
  hyla_plan *plan = NULL;
  int64_t before = cube->base.bytes_now;
  for (int where = -1; where < harness_ranks(); where++) {
    bool here = where < 0 || where == harness_rank();
    harness_note("on rank %d", where);
    assert_int_equal(plan_band(cube, &square, here ? -1 : 2), HYLA_ARGUMENT);
    assert_int_equal(plan_band(cube, here ? NULL : &square, 2), HYLA_ARGUMENT);
    assert_int_equal(plan_band(cube, &self, 2), HYLA_ARGUMENT);
    assert_int_equal(plan_band(cube, here ? &good.transfers[0] : &square, 2), HYLA_ARGUMENT);
    assert_int_equal(hyla_redistribute_band_plan(cube, &square, 2, NULL, here ? NULL : &plan),
                     HYLA_ARGUMENT);
    assert_null(plan);
  }
  if (harness_ranks() > 1)
    assert_int_equal(plan_band(cube, &square, harness_rank() == 0 ? 2 : 3), HYLA_MISMATCH);
  assert_int_equal(hyla_redistribute_band_plan(NULL, &square, 2, NULL, &plan), HYLA_ARGUMENT);
  hyla_status status = hyla_redistribute_band_plan(cube, &square, 2, "transpose-band", &plan);
  assert_int_equal(status, cube->nodes == 2 ? HYLA_OK : HYLA_UNSUPPORTED);
  hyla_plan_destroy(&plan);
  assert_int_equal(plan_band(cube, &square, 0), HYLA_OK);
  assert_int_equal(cube->base.bytes_now, before);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  good_free(&good);
  hyla_cube_destroy(&cube);
}

static void ranks_that_do_not_agree(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  struct good good = good_make(cube);
  bool last = harness_rank() == harness_ranks() - 1;
  for (int i = 0; i < 4 && harness_ranks() > 1; i++) {
    hyla_transfer two[] = {good.transfers[0], good.transfers[1]};
    harness_note("argument %d", i);
    if (last && i == 0) two[0].op = HYLA_CONJUGATE;
    if (last && i == 1) two[1].alpha = 3;
    assert_int_equal(
        plan_and_drop(cube, last && i == 2 ? 1 : 2, two, last && i == 3 ? "direct" : NULL),
        HYLA_MISMATCH);
  }
  good_free(&good);
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  struct good good = good_make(cube);
  int64_t before = base->bytes_now;
  for (int v = 0; hy_redistribute_family.rows[v] != NULL; v++) {
    hyla_status status = HYLA_MEMORY;
    int64_t n = 0;
    while (status == HYLA_MEMORY) {
      const char *name = hy_redistribute_family.rows[v]->name;
      harness_note("%s, allocation %lld on rank %d", name, (long long)++n, victim);
      if (harness_rank() == victim) base->fail_at = base->allocations + n;
      status = plan_and_drop(cube, 2, good.transfers, name);
      base->fail_at = 0;
      assert_int_equal(base->bytes_now, before);
    }
    assert_true(status == HYLA_OK || status == HYLA_UNSUPPORTED);
    assert_true(n > 3);
  }
  good_free(&good);
  hyla_cube_destroy(&cube);
}

/* NaN with its payload, infinities, and the sign of zero survive both ways. */
static void no_bit_changes(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int v = 0; hy_redistribute_family.rows[v] != NULL; v++) {
    struct good good = good_make(cube);
    hyla_matrix *back = case_matrix(cube, HYLA_DOUBLE, 6, 9, &good.a->layout);
    const uint64_t strange[] = {0x7ff80000deadbeef, 0xfff0000000000001, 0xfff0000000000000,
                                0x8000000000000000};
    for (int64_t m = 0; m < good.a->local_cols; m++)
      for (int64_t l = 0; l < good.a->local_rows; l++)
        memcpy(hy_at(good.a, l, m), &strange[(l + m) % 4], 8);
    hyla_transfer there = {HYLA_TRANSPOSE, 1, good.a, good.b};
    hyla_transfer again = {HYLA_TRANSPOSE, 1, good.b, back};
    const char *name = hy_redistribute_family.rows[v]->name;
    hyla_plan *plan[2] = {NULL, NULL};
    harness_note("%s", name);
    hyla_status status = hyla_redistribute_plan(cube, 1, &there, name, &plan[0]);
    if (status == HYLA_OK) {
      assert_int_equal(hyla_redistribute_plan(cube, 1, &again, name, &plan[1]), HYLA_OK);
      assert_int_equal(hyla_plan_run(cube, plan[0]), HYLA_OK);
      assert_int_equal(hyla_plan_run(cube, plan[1]), HYLA_OK);
      for (int64_t m = 0; m < back->local_cols; m++)
        assert_memory_equal(hy_at(good.a, 0, m), hy_at(back, 0, m), (size_t)back->local_rows * 8);
    } else {
      assert_int_equal(status, HYLA_UNSUPPORTED);
    }
    hyla_plan_destroy(&plan[0]);
    hyla_plan_destroy(&plan[1]);
    hyla_matrix_destroy(&back);
    good_free(&good);
  }
  hyla_cube_destroy(&cube);
}

static void the_plan_says_what_it_does(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct good good = good_make(cube);
  hyla_plan *plan = NULL;
  char text[4000];
  assert_int_equal(hyla_redistribute_plan(cube, 2, good.transfers, NULL, &plan), HYLA_OK);
  size_t length = hyla_plan_explain(plan, text, sizeof text);
  assert_in_range(length, 1, sizeof text - 1);
  assert_int_equal(strlen(text), length);
  assert_int_equal(hyla_plan_explain(plan, NULL, 0), length);
  const char *const parts[] = {"redistribute: variant ",
                               hyla_plan_variant(plan),
                               "6 x 9",
                               "transposed",
                               "scaled",
                               "reference: "};
  for (int i = 0; i < 6; i++) assert_non_null(strstr(text, parts[i]));
  for (int v = 0; hy_redistribute_family.rows[v] != NULL; v++)
    assert_non_null(strstr(text, hy_redistribute_family.rows[v]->name));
  assert_string_equal(hyla_variant_name("redistribute", 0), "direct");
  hyla_plan_destroy(&plan);
  good_free(&good);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_moves_every_entry),
      cmocka_unit_test(blocks_of_several_tiles),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(bad_bands_are_refused_everywhere),
      cmocka_unit_test(bad_dense_lines_are_refused_everywhere),
      cmocka_unit_test(ranks_that_do_not_agree),
      cmocka_unit_test(memory_runs_out),
      cmocka_unit_test(no_bit_changes),
      cmocka_unit_test(the_plan_says_what_it_does),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
