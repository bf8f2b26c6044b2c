/* Turns of matrices on real ranks: every entry, the counts, and sums of turns. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
#include "turn_cases.h"

static const char *const turn_variants[] = {"turn-rings", "turn-pairs", "turn-permuted"};

static void fail_with(hyla_cube *cube) { fail_msg("%s", hyla_cube_message(cube)); }

/* Checks every entry, the counts and the memory of the variants for whole blocks. */
static void blocks_go_where_they_lie_when_turned(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now, served = 0;
  for (int round = 0; round < 96; round++) {
    struct redistribute_case x = whole_turn(cube->dims, turn_variants[round % 3]);
    harness_note("%s", redistribute_name(&x));
    hyla_status status = redistribute_check(cube, &x);
    served += status == HYLA_OK;
    if (status != HYLA_OK && status != HYLA_UNSUPPORTED) fail_with(cube);
  }
  assert_true(served >= 20);
  case_cube_end(&cube, before);
}

/* Draws layouts, with copies and on faces, sizes and variants. */
static void turns_add_up(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  static const char *const variants[] = {NULL, "direct", "moves", "multiphase"};
  for (int round = 0; round < (cube->nodes > 4 ? 12 : 24); round++) {
    struct turn_case x = drawn_turn(cube->dims, variants[round % 4]);
    harness_note("%s", turn_name(&x));
    if (turn_check(cube, &x) != HYLA_OK) fail_with(cube);
  }
  case_cube_end(&cube, before);
}

/* Uses one layout, which the variants for whole blocks and for rows take. */
static void turns_in_place_add_up(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  static const char *const variants[] = {"turn-rings", "turn-pairs", "transpose-rows",
                                         "transpose-pipelined"};
  for (int kind = 0; kind < 6; kind++)
    for (int v = 0; v < 4; v++) {
      int rows = v < 2 ? cube->dims / 2 : cube->dims;
      struct turn_case x = drawn_turn(cube->dims, variants[v]);
      if (v < 2 && cube->dims % 2 == 1) continue;    /* no square array */
      if (v == 0 && kind >= 3 && rows > 1) continue; /* in Gray code some pairs swap */
      x.from = (hyla_layout){.row = case_axis(kind, cube->dims - rows, rows),
                             .col = case_axis(kind, 0, cube->dims - rows)};
      x.transposed = x.half = x.from;
      if (v >= 2) { /* half turns keep rows as rows: by columns */
        x.half.col = x.half.row;
        x.half.row = (hyla_axis){0};
      }
      for (int i = 0; i < TURN_STEPS; i++) x.step[i] = x.from;
      if (v < 2) x.rows = x.cols = 6 << rows;
      x.strict = true;
      harness_note("%s", turn_name(&x));
      if (turn_check(cube, &x) != HYLA_OK) fail_with(cube);
    }
  case_cube_end(&cube, before);
}

/* Calls that take an operation but cannot turn refuse turns on all ranks. */
static void other_calls_refuse_turns(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  hyla_matrix *c = case_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  for (hyla_operation op = HYLA_TURN_LEFT; op <= HYLA_TURN_HALF; op++) {
    const hyla_transfer band = {op, 1, a, b};
    hyla_plan *plan = NULL;
    assert_int_equal(hyla_redistribute_band_plan(cube, &band, 1, NULL, &plan), HYLA_ARGUMENT);
    assert_null(plan);
    assert_int_equal(hyla_add(cube, op, 1, a, 0, b), HYLA_ARGUMENT);
    assert_int_equal(hyla_gemm(cube, op, HYLA_NONE, 1, a, b, 0, c), HYLA_ARGUMENT);
    assert_int_equal(hyla_gemm(cube, HYLA_NONE, op, 1, a, b, 0, c), HYLA_ARGUMENT);
    assert_int_equal(hyla_syrk(cube, HYLA_LOWER, op, 1, a, 0, c), HYLA_ARGUMENT);
    assert_int_equal(hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, op, HYLA_UNIT_DIAGONAL, 1, a, b),
                     HYLA_ARGUMENT);
  }
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&c);
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  const hyla_layout layout = case_layout(cube->dims, 6 * (cube->dims / 2));
  hyla_matrix *a = case_matrix(cube, HYLA_COMPLEX, 16, 24, &layout);
  hyla_matrix *b = case_matrix(cube, HYLA_COMPLEX, 16, 24, &layout);
  const hyla_transfer transfer = {HYLA_TURN_HALF, 1, a, b};
  int64_t before = base->bytes_now, n = 0;
  hyla_status status = HYLA_MEMORY;
  while (status == HYLA_MEMORY) {
    hyla_plan *plan = NULL;
    harness_note("allocation %lld on rank %d", (long long)++n, victim);
    if (harness_rank() == victim) base->fail_at = base->allocations + n;
    status = hyla_redistribute_plan(cube, 1, &transfer, "turn-rings", &plan);
    base->fail_at = 0;
    hyla_plan_destroy(&plan);
    assert_int_equal(base->bytes_now, before);
  }
  assert_int_equal(status, HYLA_OK);
  assert_true(n > 3);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_go_where_they_lie_when_turned),
      cmocka_unit_test(turns_add_up),
      cmocka_unit_test(turns_in_place_add_up),
      cmocka_unit_test(other_calls_refuse_turns),
      cmocka_unit_test(memory_runs_out),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
