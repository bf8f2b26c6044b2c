/* symm, hemm and trmm on virtual cubes: compared with long double sums; no reads outside the named
 * triangle; traffic as predicted; half the operations for a triangle. */
// limit: 120
#include "gemm_case.h"

#include "gemm/gemm.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Ragged sizes, any layouts. */
static void every_variant_and_type(void **state) {
  (void)state;
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++)
    for (int dims = 0; dims <= 5; dims++)
      for (int i = 0; i < 48 >> dims; i++) {
        struct gemm_case x;
        const hyla_cube on = draw_nodes(dims, i % 2 == 1 && hy_gemm_family.rows[v]->arrays);
        case_draw(&x, &on);
        case_draw_symm_trmm(&x);
        x.variant = hy_gemm_family.rows[v]->name;
        x.type = (hyla_type)((i + v) % 4);
        case_simulate(&on, &x);
      }
}

/* Triangles of every kind, so large that their zeros are left out. */
static void large_triangles(void **state) {
  (void)state;
  for (int dims = 0; dims <= 3; dims++)
    for (int index = 0; index < CASE_TRIANGLES; index++) {
      struct gemm_case x;
      const hyla_cube on = draw_nodes(dims, (dims + index + index / 2) % 2 == 1);
      case_take_triangle(&x, &on, index);
      case_simulate(&on, &x);
    }
}

/* The predictions of plans, for one variant on one layout: the busiest node's, and the words of
 * all. */
struct counted {
  int64_t n;
  const char *variant, *layout;
  hyla_cost gemm, symm, trmm, trmm_right;
  int64_t words, words_left, words_right;
};

/* Nodes take turns, so each may add to the shared counts. */
static hyla_cost take_cost(hyla_plan **plan, int64_t *words) {
  hyla_cost cost = hyla_plan_cost(*plan);
  if (words != NULL) *words += hy_plan_mine(*plan).words;
  hyla_plan_destroy(plan);
  return cost;
}

static hyla_status count_costs(hyla_cube *cube, void *arg) {
  struct counted *x = arg;
  hyla_layout layout;
  hyla_matrix *m[3] = {NULL};
  hyla_plan *plan = NULL;
  TRY(hyla_layout_parse(cube, x->layout, &layout));
  for (int i = 0; i < 3; i++)
    TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &layout, &m[i]));
  TRY(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, m[0], m[1], 0, m[2], x->variant, &plan));
  x->gemm = take_cost(&plan, &x->words);
  TRY(hyla_symm_plan(cube, HYLA_LEFT, HYLA_UPPER, 1, m[0], m[1], 0, m[2], x->variant, &plan));
  x->symm = take_cost(&plan, NULL);
  TRY(hyla_trmm_plan(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, m[0], m[2],
                     x->variant, &plan));
  x->trmm = take_cost(&plan, &x->words_left);
  TRY(hyla_trmm_plan(cube, HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, m[0], m[2],
                     x->variant, &plan));
  x->trmm_right = take_cost(&plan, &x->words_right);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&m[i]);
  return HYLA_OK;
}

static void simulate(int dims, hyla_body *body, void *arg) {
  /* Without times; rehearsals have their own test. */
  hyla_simulation model = {.dims = dims};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, arg, &report);
  if (status != HYLA_OK) fail_msg("d = %d: %s: %s", dims, hyla_status_name(status), report.message);
}

/* On cyclic layouts all nodes have their share of a triangle: trmm takes half of gemm's operations
 * and, for the triangular factor, half of the words, but for the diagonal; symm adds only a
 * mirrored half of A. */
static void half_of_a_triangle(void **state) {
  (void)state;
  for (int dims = 0; dims <= 4; dims++) {
    struct counted x = {.n = 192, .variant = "summa", .layout = "binary/cyclic:2"};
    harness_note("d = %d", dims);
    simulate(dims, count_costs, &x);
    int64_t nodes = INT64_C(1) << dims, whole = 2 * x.n * x.n * x.n / nodes;
    assert_int_equal(x.gemm.flops, whole);
    assert_int_equal(x.symm.flops, whole);
    assert_true(x.trmm.flops >= whole / 2);
    assert_true(x.trmm.flops <= whole / 2 + whole / 16);
    int64_t saved = 2 * x.gemm.words - x.trmm.words - x.trmm_right.words;
    assert_true(saved <= x.gemm.words / 2);
    assert_true(saved >= x.gemm.words / 2 - x.gemm.words / 32);
    int64_t mirrored = x.symm.words - x.gemm.words;
    assert_true(mirrored <= (x.n * x.n / 2 + x.n * x.n / 32) / nodes);
    assert_true(mirrored > 0 || dims < 2);
    if (dims == 0) assert_int_equal(x.trmm.flops, x.n * x.n * (x.n + 1));
  }
}

/* In consecutive blocks K (K + 1) / 2 blocks of a K x K array have entries of the triangle; the
 * others do not travel.  From the left a stationary A does not travel anyway. */
static void blocks_of_a_triangle(void **state) {
  (void)state;
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++)
    for (int dims = 2; dims <= 4; dims += 2) {
      struct counted x = {
          .n = 96, .variant = hy_gemm_family.rows[v]->name, .layout = "gray/consecutive"};
      int64_t side = INT64_C(1) << (dims / 2);
      simulate(dims, count_costs, &x);
      int64_t saved = 2 * x.words - x.words_left - x.words_right;
      harness_note("d = %d, %s: %lld, %lld, %lld", dims, x.variant, (long long)x.words,
                   (long long)x.words_left, (long long)x.words_right);
      assert_true(x.words_left <= x.words && x.words_right <= x.words);
      assert_true(hy_gemm_traits_of(hy_gemm_family.rows[v])->sends_zeros || saved >= x.words / 12);
      if (strncmp(x.variant, "outer", 5) == 0)
        assert_int_equal(saved, x.words - x.words * (side + 1) / (2 * side));
      if (strcmp(x.variant, "summa") == 0)
        assert_int_equal(saved, x.words - x.words * (x.n + 1) / (2 * x.n));
    }
}

/* The virtual clock if computing alone takes time: on one node the run takes the predicted time;
 * otherwise no less than the busiest node's operations.  (If shares of C are added up, the
 * prediction includes adding them to C, which beta = 0 saves.) */
static hyla_status run_trmm(hyla_cube *cube, void *arg) {
  const struct counted *x = arg;
  hyla_layout layout;
  hyla_matrix *a = NULL, *b = NULL;
  TRY(hyla_layout_parse(cube, x->layout, &layout));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &layout, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &layout, &b));
  hyla_plan *plan = NULL;
  TRY(hyla_trmm_plan(cube, HYLA_RIGHT, HYLA_UPPER, HYLA_TRANSPOSE, HYLA_UNIT_DIAGONAL, 1, a, b,
                     x->variant, &plan));
  double begin = hyla_cube_clock(cube);
  TRY(hyla_plan_run(cube, plan));
  double took = hyla_cube_clock(cube) - begin;
  int64_t flops = hyla_plan_cost(plan).flops;
  hyla_plan_destroy(&plan);
  int64_t most[] = {(int64_t)llround(took)};
  TRY(hyla_cube_max(cube, most, 1));
  int64_t spared = cube->dims == 0 ? 0 : hy_axis_most(&b->row) * b->col.n;
  bool right = cube->dims == 0 ? most[0] == flops : most[0] >= flops - spared;
  CHECK(&cube->base, right, FORMAT, "%s: %lld operations counted, %lld predicted", x->variant,
        (long long)most[0], (long long)flops);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  return HYLA_OK;
}

static void computed_as_predicted(void **state) {
  (void)state;
  for (int i = 0; i < 4 * hy_family_count(&hy_gemm_family); i++) {
    struct counted x = {
        .n = 50, .variant = hy_gemm_family.rows[i / 4]->name, .layout = "binary/cyclic:3"};
    hyla_simulation model = {.dims = i % 4, .gamma = 1};
    hyla_report report;
    hyla_status status = hyla_simulate(&model, run_trmm, &x, &report);
    if (status != HYLA_OK) fail_msg("%s: %s", x.variant, report.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_and_type), cmocka_unit_test(large_triangles),
      cmocka_unit_test(half_of_a_triangle),     cmocka_unit_test(blocks_of_a_triangle),
      cmocka_unit_test(computed_as_predicted),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
