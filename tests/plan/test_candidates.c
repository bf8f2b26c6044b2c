/* A plan's choice as data: every variant of the list in its order, one chosen, with the same
 * figures as the plan's own and the same words as in its text; plans within plans. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_cost(const hyla_cost *a, const hyla_cost *b) {
  return memcmp(a, b, sizeof *a) == 0; /* integers only */
}

static char *text_of(const hyla_plan *plan) {
  size_t length = hyla_plan_explain(plan, NULL, 0);
  char *text = malloc(length + 1);
  assert_non_null(text);
  assert_true(hyla_plan_explain(plan, text, length + 1) == length);
  return text;
}

static void check_variant(const hyla_plan *plan, const hyla_candidate *v, const char *text) {
  const hyla_cost cost = hyla_plan_cost(plan), none = {0};
  assert_true(v->reason[0] != '\0' && strstr(text, v->reason) != NULL);
  assert_true(strstr(text, v->name) != NULL);
  if (v->chosen) {
    assert_string_equal(v->name, hyla_plan_variant(plan));
    assert_true(v->applies && v->priced && v->seconds == hyla_plan_seconds(plan));
    assert_true(same_cost(&v->cost, &cost));
  } else if (!v->priced) {
    assert_true(v->seconds == 0 && same_cost(&v->cost, &none));
  }
}

/* free_choice: no variant was asked for.  Returns how many were priced. */
static int check_plan(const hyla_plan *plan, bool free_choice) {
  hyla_candidate v;
  int i = 0, chosen = 0, priced = 0;
  char *text = text_of(plan);
  const char *what = NULL, *operation = hyla_plan_operation(plan);
  for (; hyla_plan_candidate(plan, i, &v); i++) {
    harness_note("%s %s: %s\n%s", operation, v.name, v.reason, text);
    assert_string_equal(v.name, hyla_variant_name(operation, i));
    check_variant(plan, &v, text);
    if (free_choice && v.applies) assert_true(v.priced && v.seconds >= hyla_plan_seconds(plan));
    chosen += v.chosen;
    priced += v.priced;
  }
  assert_null(hyla_variant_name(operation, i));
  assert_int_equal(chosen, 1);
  const hyla_plan *child = NULL;
  for (int c = 0; (child = hyla_plan_child(plan, c, &what)); c++) {
    assert_true(strstr(text, what) != NULL);
    check_plan(child, true);
  }
  free(text);
  return priced;
}

/* A product whose operands lie as no variant wants them, so that the plan has child plans. */
static hyla_plan *product(hyla_cube *cube, hyla_matrix *x[3], const char *variant) {
  static const char *const layouts[] = {"gray/cyclic:3", "binary/cyclic:2", "binary/consecutive"};
  const int64_t n = harness_draw(1, 40);
  hyla_plan *plan = NULL;
  for (int i = 0; i < 3; i++) {
    hyla_layout layout;
    assert_int_equal(hyla_layout_parse(cube, layouts[i], &layout), HYLA_OK);
    assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout, &x[i]), HYLA_OK);
  }
  assert_int_equal(
      hyla_gemm_plan(cube, HYLA_NONE, HYLA_TRANSPOSE, 1, x[0], x[1], 0, x[2], variant, &plan),
      HYLA_OK);
  return plan;
}

static void drop(hyla_plan **plan, hyla_matrix *x[3]) {
  hyla_plan_destroy(plan);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&x[i]);
}

static hyla_cube *cube_with(const char *machine, int64_t memory) {
  hyla_cube *cube = NULL;
  hyla_options options;
  hyla_options_init(&options);
  options.machine = machine;
  options.memory = memory;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

static void products(void **state) {
  (void)state;
  hyla_cube *cube = cube_with(NULL, 0);
  hyla_matrix *x[3] = {NULL, NULL, NULL};
  for (int trial = 0; trial < 4; trial++) {
    hyla_plan *plan = product(cube, x, trial == 0 ? "cannon" : NULL);
    int priced = check_plan(plan, trial > 0);
    assert_true(trial > 0 ? priced > 1 : priced == 1);
    if (trial == 0 && hyla_cube_nodes(cube) > 1) assert_non_null(hyla_plan_child(plan, 0, NULL));
    assert_null(hyla_plan_child(plan, 6, NULL));
    assert_false(hyla_plan_candidate(plan, -1, &(hyla_candidate){0}));
    drop(&plan, x);
  }
  assert_false(hyla_plan_candidate(NULL, 0, &(hyla_candidate){0}));
  assert_string_equal(hyla_plan_operation(NULL), "");
  assert_null(hyla_plan_child(NULL, 0, NULL));
  hyla_cube_destroy(&cube);
}

/* Variants that take more than the limit do not apply; their figures stay, and the text says so. */
static void limited_memory(void **state) {
  (void)state;
  hyla_cube *cube = cube_with(NULL, 0);
  const int64_t n = 64;
  hyla_factor *factor = NULL;
  assert_int_equal(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, 1, NULL, "partial", &factor),
                   HYLA_OK);
  const int64_t needed = hyla_plan_cost(hyla_factor_plan(factor)).memory;
  hyla_factor_destroy(&factor);
  hyla_cube_destroy(&cube);
  cube = cube_with(NULL, needed);
  assert_int_equal(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, 1, NULL, NULL, &factor),
                   HYLA_OK);
  hyla_candidate v;
  const hyla_plan *plan = hyla_factor_plan(factor);
  check_plan(plan, true);
  for (int i = 0; hyla_plan_candidate(plan, i, &v); i++) {
    if (v.applies) assert_true(v.cost.memory <= needed);
    if (v.priced && !v.applies)
      assert_true(v.cost.memory > needed && strstr(v.reason, "the limit is") != NULL);
  }
  hyla_factor_destroy(&factor);
  hyla_cube_destroy(&cube);
}

/* A collective's plan predicts the report of its run. */
static void collectives(void **state) {
  (void)state;
  static const char *const names[] = {"broadcast", "reduce",        "allreduce", "scatter",
                                      "gather",    "allgather",     "exchange",  "permute",
                                      "partial",   "reduce-scatter"};
  hyla_cube *cube = cube_with("ipsc860", 0);
  for (int i = 0; i < 10; i++)
    for (int trial = 0; trial < 3; trial++) {
      const hyla_collective c = {.name = names[i],
                                 .words = harness_draw(0, 300),
                                 .alpha = trial == 2 ? 1 : 0,
                                 .beta = trial == 2 ? 0.5 : 0,
                                 .variant = trial == 1 ? hyla_variant_name(names[i], 0) : NULL};
      hyla_collective_result result;
      hyla_plan *plan = NULL;
      harness_note("%s, %lld words, trial %d", c.name, (long long)c.words, trial);
      assert_int_equal(hyla_collective_plan(cube, &c, &plan), HYLA_OK);
      assert_int_equal(hyla_collective_run(cube, &c, &result), HYLA_OK);
      check_plan(plan, trial != 1);
      const hyla_cost cost = hyla_plan_cost(plan);
      char *text = text_of(plan);
      assert_string_equal(hyla_plan_variant(plan), result.variant);
      assert_string_equal(text, result.reason);
      assert_true(same_cost(&cost, &result.predicted));
      assert_true(hyla_plan_seconds(plan) == result.seconds_predicted);
      assert_int_equal(hyla_plan_run(cube, plan), HYLA_ARGUMENT);
      free(text);
      hyla_plan_destroy(&plan);
    }
  hyla_plan *plan = NULL;
  const hyla_collective wrong = {.name = "weather"};
  assert_int_equal(hyla_collective_plan(cube, &wrong, &plan), HYLA_ARGUMENT);
  assert_null(plan);
  assert_int_equal(hyla_collective_plan(cube, NULL, &plan), HYLA_ARGUMENT);
  assert_int_equal(hyla_collective_plan(cube, &wrong, NULL), HYLA_ARGUMENT);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(limited_memory),
      cmocka_unit_test(collectives),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
