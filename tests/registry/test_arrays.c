/* Arrays of nodes with any sides: which are compared and chosen, and that programs on them cost
 * what their plans say. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "cube/cube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ search -- */

/* The time of a made-up program: the more nodes and the nearer to a shape, the faster. */
struct taste {
  int rows_for_col; /* the best array has about this ratio of rows to columns */
  int best_nodes;   /* more take longer */
  int calls;
  int unsupported_cols; /* columns on which nothing is possible */
  hyla_status fails;
};

static hyla_status made_up(hyla_cube *cube, void *arg, hyla_array *array) {
  struct taste *t = arg;
  const int rows = (int)cube->sides.rows, cols = (int)cube->sides.cols;
  t->calls++;
  assert_int_equal(rows * cols, hyla_cube_nodes(cube));
  if (t->fails != HYLA_OK) return hy_fail(&cube->base, t->fails, "as asked");
  if (cols == t->unsupported_cols) return HYLA_UNSUPPORTED;
  const int far = rows * cols - t->best_nodes;
  array->seconds = 100 + 10 * abs(far) + fabs(log((double)rows / cols / t->rows_for_col));
  array->memory = rows;
  return HYLA_OK;
}

static void the_search_finds_the_fastest(void **state) {
  (void)state;
  static const struct {
    int ranks, nodes, ratio, rows, cols;
  } cases[] = {{6, 6, 1, 2, 3},    {7, 7, 1, 1, 7},    {7, 6, 6, 6, 1},    {24, 24, 1, 4, 6},
               {24, 20, 5, 10, 2}, {36, 36, 4, 12, 3}, {97, 96, 1, 8, 12}, {5, 5, 5, 5, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    enum { ROOM = 40 };
    struct taste taste = {.rows_for_col = cases[i].ratio, .best_nodes = cases[i].nodes};
    hyla_array found[ROOM];
    int count = -1;
    harness_note("%d ranks", cases[i].ranks);
    assert_int_equal(hyla_arrays_compare(hyla_machine_preset(0), cases[i].ranks, NULL, 0, made_up,
                                         &taste, found, ROOM, &count),
                     HYLA_OK);
    assert_in_range(count, 2, ROOM);
    assert_true(count <= taste.calls);
    assert_int_equal(found[0].rows * found[0].cols, cases[i].nodes);
    assert_true(found[0].rows == cases[i].rows ||
                (cases[i].ratio == 1 && found[0].cols == cases[i].rows));
    for (int x = 0; x < count; x++) {
      const int nodes = found[x].rows * found[x].cols;
      assert_true(nodes <= cases[i].ranks && 2 * nodes > cases[i].ranks);
      assert_int_equal(found[x].memory, found[x].rows);
      if (x > 0) assert_true(found[x - 1].seconds <= found[x].seconds);
    }
  }
}

/* What is rehearsed is the time of the made-up program on all nodes of the array; where one array
 * is not rehearsed, all are counted. */
static hyla_status made_up_rehearsed(hyla_cube *cube, void *arg, hyla_array *array) {
  const int most = *(const int *)arg, nodes = hyla_cube_nodes(cube);
  const bool virtual = cube->network.link != NULL;
  array->seconds = (virtual ? 100 : 1000) - nodes;
  array->rehearsed = virtual && nodes <= most;
  return HYLA_OK;
}

static void arrays_are_rehearsed_or_counted(void **state) {
  (void)state;
  enum { ROOM = 40, RANKS = 7 };
  for (int most = RANKS - 1; most <= RANKS; most++) {
    hyla_array found[ROOM];
    int count = 0;
    assert_int_equal(hyla_arrays_compare(hyla_machine_preset(0), RANKS, NULL, 1 << 20,
                                         made_up_rehearsed, &most, found, ROOM, &count),
                     HYLA_OK);
    assert_true(count > 2);
    for (int i = 0; i < count; i++) {
      const bool rehearsed = most == RANKS;
      assert_true(found[i].rehearsed == rehearsed);
      assert_true(found[i].seconds == (rehearsed ? 100 : 1000) - found[i].rows * found[i].cols);
    }
  }
}

static void arrays_that_fail(void **state) {
  (void)state;
  hyla_array found[4];
  int count;
  struct taste none = {.rows_for_col = 1, .best_nodes = 3, .unsupported_cols = 3};
  const hyla_machine *machine = hyla_machine_preset(0);
  assert_int_equal(hyla_arrays_compare(machine, 3, NULL, 0, made_up, &none, found, 4, &count),
                   HYLA_OK);
  for (int i = 0; i < count; i++) assert_int_not_equal(found[i].cols, 3);
  struct taste fails = {.fails = HYLA_MEMORY};
  assert_int_equal(hyla_arrays_compare(machine, 3, NULL, 0, made_up, &fails, found, 4, &count),
                   HYLA_MEMORY);
  assert_int_equal(hyla_arrays_compare(machine, 0, NULL, 0, made_up, &none, found, 4, &count),
                   HYLA_ARGUMENT);
  assert_int_equal(hyla_arrays_compare(NULL, 3, NULL, 0, made_up, &none, found, 4, &count),
                   HYLA_ARGUMENT);
  assert_int_equal(hyla_arrays_compare(machine, 3, NULL, 0, NULL, &none, found, 4, &count),
                   HYLA_ARGUMENT);
}

/* -------------------------------------------------------------------- auto -- */

static hyla_status tell_nodes(hyla_cube *cube, void *nodes) {
  if (cube->address == 0) *(int *)nodes = hyla_cube_nodes(cube);
  return HYLA_OK;
}

static void auto_leaves_few_ranks_idle(void **state) {
  (void)state;
  static const int ranks[] = {3, 5, 6, 7, 8, 12, 16, 24, 48};
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    char network[32];
    int nodes = 0, cluster = 0;
    while (strcmp(hyla_machine_preset(cluster)->name, "cluster") != 0) cluster++;
    snprintf(network, sizeof network, "switch:%d", ranks[i]);
    hyla_simulation model = {
        .network = network, .array = "auto", .machine = hyla_machine_preset(cluster), .dry = true};
    hyla_report report;
    harness_note("%d ranks", ranks[i]);
    assert_int_equal(hyla_simulate(&model, tell_nodes, &nodes, &report), HYLA_OK);
    assert_true(nodes >= .95 * ranks[i]);
  }
}

/* ------------------------------------------------------- counted, predicted -- */

/* One operation's plan on one array, and what its run was counted to cost. */
struct seen {
  const char *what;
  bool most; /* the prediction is the most that pivots can cost */
  int64_t counted[3], predicted[3];
};
enum { OPERATIONS = 6, ORDER = 37, RIGHT = 5 };

static hyla_status keep(hyla_cube *cube, const char *what, const hyla_plan *plan,
                        struct seen *seen) {
  hyla_ledger ledger;
  const hyla_cost cost = hyla_plan_cost(plan);
  struct seen s = {.what = what, .predicted = {cost.steps, cost.messages, cost.words}};
  TRY(hyla_cube_ledger(cube, &ledger));
  s.counted[0] = ledger.steps;
  s.counted[1] = ledger.far_messages;
  s.counted[2] = ledger.far_bytes;
  for (int dim = 0; dim < ledger.dims; dim++) {
    s.counted[1] += ledger.messages[dim];
    s.counted[2] += ledger.bytes[dim];
  }
  s.counted[2] /= (int64_t)sizeof(double);
  TRY(hyla_cube_max(cube, s.counted, 3));
  if (cube->address == 0) *seen = s;
  return HYLA_OK;
}

static hyla_status factor(hyla_cube *cube, hyla_method method, struct seen *seen) {
  hyla_factor *f = NULL;
  hyla_matrix *a = NULL, *x = NULL;
  hyla_status status = hyla_factor_create(cube, method, HYLA_DOUBLE, ORDER, RIGHT, NULL, NULL, &f);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, hyla_factor_layout(f), &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, RIGHT, hyla_factor_layout(f), &x);
  (void)hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, f, a);
  if (status == HYLA_OK) status = hyla_factor_solve(cube, f, HYLA_NONE, x, x);
  if (status == HYLA_OK)
    status = keep(cube, hyla_method_at((int)method)->name, hyla_factor_plan(f), seen);
  seen->most = method == HYLA_LU;
  (void)hyla_matrix_destroy(&x);
  (void)hyla_matrix_destroy(&a);
  (void)hyla_factor_destroy(&f);
  return status;
}

static hyla_status run_plan(hyla_cube *cube, const char *what, hyla_plan **plan,
                            struct seen *seen) {
  (void)hyla_cube_ledger_clear(cube);
  hyla_status status = hyla_plan_run(cube, *plan);
  if (status == HYLA_OK) status = keep(cube, what, *plan, seen);
  (void)hyla_plan_destroy(plan);
  return status;
}

static hyla_status products(hyla_cube *cube, struct seen *seen) {
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  hyla_layout far;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, NULL, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, NULL, &b);
  if (status == HYLA_OK) status = hyla_layout_parse(cube, "binary/cyclic:5", &far);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, &far, &c);
  if (status == HYLA_OK)
    status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, b, 0, c, NULL, &plan);
  if (status == HYLA_OK) status = run_plan(cube, "gemm", &plan, &seen[0]);
  if (status == HYLA_OK)
    status = hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, b,
                            NULL, &plan);
  if (status == HYLA_OK) status = run_plan(cube, "trsm", &plan, &seen[1]);
  const hyla_transfer transfer = {.alpha = 1, .from = a, .to = c};
  if (status == HYLA_OK) status = hyla_redistribute_plan(cube, 1, &transfer, NULL, &plan);
  if (status == HYLA_OK) status = run_plan(cube, "redistribute", &plan, &seen[2]);
  (void)hyla_matrix_destroy(&c);
  (void)hyla_matrix_destroy(&b);
  (void)hyla_matrix_destroy(&a);
  return status;
}

static hyla_status all_operations(hyla_cube *cube, void *arg) {
  struct seen *seen = arg;
  TRY(products(cube, seen));
  TRY(factor(cube, HYLA_LU, &seen[3]));
  TRY(factor(cube, HYLA_CHOLESKY, &seen[4]));
  return factor(cube, HYLA_QR, &seen[5]);
}

static void check_array(int rows, int cols) {
  char array[32];
  snprintf(array, sizeof array, "%dx%d", rows, cols);
  struct seen seen[OPERATIONS] = {0};
  hyla_simulation model = {.array = array, .dry = true};
  hyla_report report;
  harness_note("array %s", array);
  assert_int_equal(hyla_simulate(&model, all_operations, seen, &report), HYLA_OK);
  assert_int_equal(report.nodes, rows * cols);
  for (int i = 0; i < OPERATIONS; i++) {
    const struct seen *s = &seen[i];
    harness_note("array %s, %s", array, s->what);
    for (int x = 0; x < 3; x++)
      if (s->most)
        assert_true(s->counted[x] <= s->predicted[x]);
      else
        assert_int_equal(s->counted[x], s->predicted[x]);
    assert_true(rows * cols == 1 || i == 2 || s->counted[1] > 0);
  }
}

static void what_is_counted_was_predicted(void **state) {
  (void)state;
  static const int more[][2] = {{4, 6}, {1, 24}, {6, 6}, {12, 3}, {6, 8}, {8, 12}};
  for (int nodes = 1; nodes <= 16; nodes++)
    for (int rows = 1; rows <= nodes; rows++)
      if (nodes % rows == 0) check_array(rows, nodes / rows);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) check_array(more[i][0], more[i][1]);
}

/* --------------------------------------------------------------- dead locks -- */

/* A rank of a sweep does its tasks in an order that is made from times; a wrong one is a dead lock,
 * and only with many blocks and groups. */
static hyla_status sweep(hyla_cube *cube, void *arg) {
  enum { N = 500, SIDES = 200 };
  const hyla_triangle triangle = *(const hyla_triangle *)arg;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_plan *plan = NULL;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, N, N, NULL, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, N, SIDES, NULL, &b);
  if (status == HYLA_OK)
    status = hyla_trsm_plan(cube, HYLA_LEFT, triangle, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, a, b,
                            "sweep", &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  (void)hyla_plan_destroy(&plan);
  (void)hyla_matrix_destroy(&b);
  (void)hyla_matrix_destroy(&a);
  return status;
}

static void sweeps_end(void **state) {
  (void)state;
  static const char *const arrays[] = {"2x3", "3x2", "5x3", "4x3", "6x3", "5x1", "8x4", "7x3"};
  for (size_t i = 0; i < 2 * sizeof arrays / sizeof *arrays; i++) {
    hyla_triangle triangle = i % 2 ? HYLA_UPPER : HYLA_LOWER;
    hyla_simulation model = {.array = arrays[i / 2], .dry = true};
    hyla_report report;
    harness_note("array %s, triangle %d", arrays[i / 2], (int)triangle);
    (void)hyla_simulate(&model, sweep, &triangle, &report);
    assert_string_equal(report.message, "");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_search_finds_the_fastest),
      cmocka_unit_test(arrays_are_rehearsed_or_counted),
      cmocka_unit_test(arrays_that_fail),
      cmocka_unit_test(auto_leaves_few_ranks_idle),
      cmocka_unit_test(what_is_counted_was_predicted),
      cmocka_unit_test(sweeps_end),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
