/* Multiplication's contract: calls without a plan, allocations that fail anywhere, the choice, and
 * a plan's text.  Bad arguments are test_misuse's. */
// ranks: 1 2 3 4 5 8
// sample: 1 4
// arrays: 3x1
// limit: 120
#include "gemm_case.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* The arguments of one call. */
struct call {
  hyla_cube *cube;
  hyla_operation op_a, op_b;
  double _Complex alpha, beta;
  hyla_matrix *a, *b, *c;
  const char *variant;
};

static hyla_status plan_and_drop(const struct call *x) {
  hyla_plan *plan = NULL;
  hyla_status status = hyla_gemm_plan(x->cube, x->op_a, x->op_b, x->alpha, x->a, x->b, x->beta,
                                      x->c, x->variant, &plan);
  assert_true((plan != NULL) == (status == HYLA_OK));
  hyla_plan_destroy(&plan);
  return status;
}

enum { SIZE = 9 };

static hyla_matrix *square(hyla_cube *cube, hyla_type type, int64_t n) {
  hyla_matrix *matrix = NULL;
  assert_int_equal(hyla_matrix_create(cube, type, n, n, NULL, &matrix), HYLA_OK);
  return matrix;
}

static void plans_that_are_no_plans(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false), *second = cube_open(false);
  struct call good = {.cube = cube, .alpha = 1, .beta = 1};
  hyla_plan *plan = NULL;
  char text[8] = "full";
  good.a = square(cube, HYLA_DOUBLE, SIZE);
  good.b = square(cube, HYLA_DOUBLE, SIZE);
  good.c = square(cube, HYLA_DOUBLE, SIZE);
  assert_int_equal(
      hyla_gemm_plan(NULL, HYLA_NONE, HYLA_NONE, 1, good.a, good.b, 1, good.c, NULL, &plan),
      HYLA_ARGUMENT);
  assert_int_equal(hyla_gemm(NULL, HYLA_NONE, HYLA_NONE, 1, good.a, good.b, 1, good.c),
                   HYLA_ARGUMENT);
  assert_int_equal(hyla_plan_run(NULL, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_plan_run(cube, NULL), HYLA_ARGUMENT);
  assert_int_equal(
      hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, good.a, good.b, 1, good.c, NULL, &plan),
      HYLA_OK);
  hyla_plan *same = NULL;
  const hyla_scalar one = 1;
  assert_int_equal(hyla_gemm_plan_by_address(cube, HYLA_NONE, HYLA_NONE, &one, good.a, good.b, &one,
                                             good.c, NULL, &same),
                   HYLA_OK);
  assert_string_equal(hyla_plan_variant(same), hyla_plan_variant(plan));
  assert_int_equal(hyla_plan_run(cube, same), HYLA_OK);
  hyla_plan_destroy(&same);
  const hyla_scalar *missing = harness_rank() == 0 ? NULL : &one;
  assert_int_equal(hyla_gemm_plan_by_address(cube, HYLA_NONE, HYLA_NONE, &one, good.a, good.b,
                                             missing, good.c, NULL, &same),
                   HYLA_ARGUMENT);
  assert_null(same);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_gemm_plan_by_address: beta is NULL"));
  for (int rank = 0; rank < harness_ranks(); rank++)
    assert_int_equal(hyla_plan_run(cube, rank == harness_rank() ? NULL : plan), HYLA_ARGUMENT);
  assert_int_equal(hyla_plan_run(second, plan), HYLA_ARGUMENT);
  assert_int_equal(hyla_plan_run(cube, plan), HYLA_OK);
  assert_int_equal(hyla_plan_destroy(&plan), HYLA_OK);
  assert_int_equal(hyla_plan_destroy(&plan), HYLA_OK);
  assert_int_equal(hyla_plan_destroy(NULL), HYLA_OK);
  assert_string_equal(hyla_plan_variant(NULL), "");
  assert_int_equal(hyla_plan_cost(NULL).flops, 0);
  assert_int_equal(hyla_plan_explain(NULL, text, sizeof text), 0);
  assert_string_equal(text, "");
  hyla_matrix_destroy(&good.a);
  hyla_matrix_destroy(&good.b);
  hyla_matrix_destroy(&good.c);
  cube_close(&second);
  cube_close(&cube);
}

/* The n-th allocation fails on one rank, for some n in every stretch of eight: all ranks return
 * MEMORY, nothing leaks, and the next call succeeds. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(harness_draw(0, 1) == 0);
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++) {
    struct gemm_case x = {.cube = cube,
                          .type = HYLA_COMPLEX,
                          .op_a = HYLA_CONJUGATE,
                          .m = 5,
                          .n = 7,
                          .k = 6,
                          .alpha = 1,
                          .beta = 1,
                          .variant = hy_gemm_family.rows[v]->name};
    if (case_needs_cube(cube, hy_gemm_family.rows[v])) continue;
    x.layout_a = case_parse(cube, "gray/cyclic:2");
    x.layout_b = case_parse(cube, "binary/cyclic:3");
    x.layout_c = case_parse(cube, "binary/consecutive");
    assert_int_equal(case_make(&x), HYLA_OK);
    assert_int_equal(case_fill(&x), HYLA_OK);
    int64_t before = base->bytes_now;
    struct call call = {cube, x.op_a, x.op_b, x.alpha, x.beta, x.a, x.b, x.c, x.variant};
    hyla_status status = HYLA_MEMORY;
    int64_t n = 0;
    while (status == HYLA_MEMORY) {
      n += harness_draw(1, 8);
      harness_note("%s, allocation %lld on rank %d", x.variant, (long long)n, victim);
      if (harness_rank() == victim) base->fail_at = base->allocations + n;
      status = plan_and_drop(&call);
      base->fail_at = 0;
      assert_int_equal(base->bytes_now, before);
    }
    assert_int_equal(status, HYLA_OK);
    assert_true(n > 3);
    case_free(&x);
  }
  cube_close(&cube);
}

static void explain(const hyla_plan *plan, char *text, size_t capacity) {
  size_t length = hyla_plan_explain(plan, text, capacity);
  assert_in_range(length, 1, capacity - 1);
  assert_int_equal(strlen(text), length);
  char small[10];
  assert_int_equal(hyla_plan_explain(plan, small, sizeof small), length);
  assert_int_equal(strlen(small), sizeof small - 1);
  assert_int_equal(hyla_plan_explain(plan, NULL, 0), length);
}

static double seconds_of(const hyla_cube *cube, const hyla_plan *plan) {
  hyla_cost cost = hyla_plan_cost(plan);
  return hy_machine_seconds(&cube->session.machine, &cost, 8, false);
}

/* The planner takes the variant with the smallest predicted time; on Cannon's own layout nothing is
 * redistributed; the text says all of it. */
static void the_choice_and_its_reasons(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const char *const layouts[] = {"gray/consecutive", "binary/cyclic:2"};
  for (int i = 0; i < 2; i++) {
    const hyla_layout layout = case_parse(cube, layouts[i]);
    hyla_matrix *x[3];
    hyla_plan *plan = NULL;
    char text[4096];
    double fastest = INFINITY;
    for (int j = 0; j < 3; j++)
      assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 64, 64, &layout, &x[j]), HYLA_OK);
    for (int v = 0; v < hy_family_count(&hy_gemm_family); v++) {
      const char *name = hy_gemm_family.rows[v]->name;
      if (case_needs_cube(cube, hy_gemm_family.rows[v])) continue;
      assert_int_equal(
          hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, x[0], x[1], 0, x[2], name, &plan), HYLA_OK);
      fastest = fmin(fastest, seconds_of(cube, plan));
      explain(plan, text, sizeof text);
      assert_non_null(strstr(text, "because it was asked for"));
      const char *to = cube->sides.count > 0 ? "redistributed to binary/consecutive"
                                             : "redistributed to gray/consecutive";
      bool moved = strstr(text, to) != NULL;
      if (strcmp(name, "cannon") == 0) assert_int_equal(moved, i == 1 && cube->nodes > 1);
      hyla_plan_destroy(&plan);
    }
    assert_int_equal(
        hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, x[0], x[1], 0, x[2], NULL, &plan), HYLA_OK);
    assert_true(seconds_of(cube, plan) == fastest);
    explain(plan, text, sizeof text);
    harness_note("%s", text);
    assert_non_null(strstr(text, "predicted to be the fastest"));
    assert_non_null(strstr(text, "not "));
    assert_non_null(strstr(text, "steps"));
    assert_non_null(strstr(text, "idle ranks"));
    if (cube->sides.count > 0) assert_non_null(strstr(text, "needs a cube, whose sides"));
    hyla_plan_destroy(&plan);
    for (int j = 0; j < 3; j++) hyla_matrix_destroy(&x[j]);
  }
  cube_close(&cube);
}

/* The options force a variant, unless the call names another one. */
static void options_force_a_variant(void **state) {
  (void)state;
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++) {
    hyla_options options;
    hyla_cube *cube = NULL;
    char forced[64] = "lu:partial,gemm:";
    hyla_options_init(&options);
    strcat(forced, hy_gemm_family.rows[v]->name);
    options.variant = forced;
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
    hyla_matrix *a = square(cube, HYLA_DOUBLE, SIZE), *c = square(cube, HYLA_DOUBLE, SIZE);
    hyla_plan *plan = NULL;
    const bool refused = case_needs_cube(cube, hy_gemm_family.rows[v]);
    assert_int_equal(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, a, 0, c, NULL, &plan),
                     refused ? HYLA_UNSUPPORTED : HYLA_OK);
    if (!refused)
      assert_string_equal(hyla_plan_variant(plan), hy_gemm_family.rows[v]->name);
    else
      assert_non_null(strstr(hyla_cube_message(cube), "it needs a cube, whose sides are powers"));
    hyla_plan_destroy(&plan);
    assert_int_equal(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, a, 0, c, "summa", &plan),
                     HYLA_OK);
    assert_string_equal(hyla_plan_variant(plan), "summa");
    hyla_plan_destroy(&plan);
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&c);
    cube_close(&cube);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_that_are_no_plans),
      cmocka_unit_test(memory_runs_out),
      cmocka_unit_test(the_choice_and_its_reasons),
      cmocka_unit_test(options_force_a_variant),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
