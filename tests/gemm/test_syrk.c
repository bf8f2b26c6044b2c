/* Updates of one triangle, syrk and herk, on virtual cubes: compared with long double sums; the
 * other triangle is untouched; half the operations, at the traffic of two factors. */
// limit: 120
#include "gemm_case.h"

#include <complex.h>

static void every_variant_and_type(void **state) {
  (void)state;
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++)
    for (int dims = 0; dims <= 5 && hy_gemm_family.rows[v]->applies != hy_gemm_whole; dims++)
      for (int i = 0; i < harness_few(32 >> dims); i++) {
        struct gemm_case x;
        const hyla_cube on = draw_nodes(dims, i % 2 == 1 && hy_gemm_family.rows[v]->arrays);
        case_draw(&x, &on);
        case_draw_update(&x);
        x.variant = hy_gemm_family.rows[v]->name;
        x.type = (hyla_type)((i + v) % 4);
        case_simulate(&on, &x);
      }
}

/* The operations of all nodes together. */
static hyla_status check_operations(hyla_cube *cube, const hyla_plan *plan, int64_t want) {
  int64_t flops = hy_plan_mine(plan).flops;
  double all;
  TRY(hy_cube_max_sum(cube, &flops, &all, 1));
  CHECK(&cube->base, all == (double)want, FORMAT, "%s: %.0f operations", hyla_plan_variant(plan),
        all);
  return HYLA_OK;
}

/* The nodes' operations add up to those of the triangle; other variants refuse, and Fox's may on an
 * array. */
static hyla_status count_operations(hyla_cube *cube, void *arg) {
  const struct gemm_case *x = arg;
  hyla_layout layout;
  hyla_matrix *a = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  const bool odd = cube->sides.count > 0;
  TRY(hyla_layout_parse(cube, odd ? "binary/consecutive" : "gray/consecutive", &layout));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->m, x->k, &layout, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->m, x->m, &layout, &c));
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++) {
    const struct hy_variant *variant = hy_gemm_family.rows[v];
    hyla_status status =
        hyla_syrk_plan(cube, x->triangle, HYLA_NONE, 1, a, 0, c, variant->name, &plan);
    const bool must = variant->applies == hy_gemm_whole || case_needs_cube(cube, variant);
    const bool right = status == (must ? HYLA_UNSUPPORTED : HYLA_OK) ||
                       (status == HYLA_UNSUPPORTED && odd && variant->applies != NULL);
    CHECK(&cube->base, right, FORMAT, "%s: %s", variant->name, hyla_status_name(status));
    if (status == HYLA_OK) TRY(check_operations(cube, plan, x->m * (x->m + 1) * x->k));
    hyla_plan_destroy(&plan);
  }
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
  return HYLA_OK;
}

static void half_the_operations(void **state) {
  (void)state;
  for (int dims = 0; dims <= 4; dims++)
    for (int i = 0; i < 4; i++) {
      struct gemm_case x = {.m = harness_draw(0, 40),
                            .k = harness_draw(0, 9),
                            .triangle = i % 2 ? HYLA_UPPER : HYLA_LOWER,
                            .variant = "all"};
      const hyla_cube on = draw_nodes(dims, i < 2);
      case_simulate_body(&on, count_operations, &x);
    }
}

static hyla_axis axis(hyla_code code, hyla_storage storage, int64_t block, int low, int dims) {
  hyla_axis made = {.dims = dims, .code = code, .storage = storage, .block = block};
  for (int i = 0; i < dims; i++) made.dim[i] = (uint8_t)(low + i);
  return made;
}

/* A lies as C does and is read as both factors: on arrays of any sides, rows and columns of C cut
 * alike or not, inner sizes of several panels. */
static void one_matrix_for_both_factors(void **state) {
  (void)state;
  static const int64_t blocks[] = {0, 1, 3, 16};
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++)
      for (int i = 0; i < harness_few(8); i++) {
        struct gemm_case x;
        const hyla_cube on = case_paper(dims);
        case_draw(&x, &on);
        case_draw_update(&x);
        bool alike = harness_draw(0, 1), short_k = dims > 3 || i > 1;
        int64_t block = blocks[(i + dims) % 4], other = alike ? block : blocks[harness_draw(0, 3)];
        hyla_storage storage = block > 0 ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
        x.type = (hyla_type)((i + rows) % 4);
        x.m = x.n = harness_draw(0, 40);
        x.k = short_k ? harness_draw(0, 20) : harness_draw(300, 700);
        x.variant = "summa";
        x.layout_c = (hyla_layout){
            .row = axis((hyla_code)(i / 4), storage, block, dims - rows, rows),
            .col = axis((hyla_code)harness_draw(0, 1), other > 0 ? HYLA_CYCLIC : HYLA_CONSECUTIVE,
                        other, 0, dims - rows)};
        x.layout_a = x.layout_c;
        case_simulate(&on, &x);
      }
}

/* The costs of one triangle of A A^T or A^T A, and those of a full product whose second factor is
 * another matrix with A's layout. */
struct counted {
  int64_t n, k;
  const char *layout;
  hyla_operation op;
  hyla_cost syrk, gemm;
};

static hyla_status count_costs(hyla_cube *cube, void *arg) {
  struct counted *x = arg;
  bool transposed = x->op != HYLA_NONE;
  int64_t rows = transposed ? x->k : x->n, cols = transposed ? x->n : x->k;
  hyla_layout layout;
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  TRY(hyla_layout_parse(cube, x->layout, &layout));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, rows, cols, &layout, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, rows, cols, &layout, &b));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &layout, &c));
  TRY(hyla_syrk_plan(cube, HYLA_LOWER, x->op, 1, a, 0, c, "summa", &plan));
  x->syrk = hyla_plan_cost(plan);
  hyla_plan_destroy(&plan);
  TRY(hyla_gemm_plan(cube, x->op, transposed ? HYLA_NONE : HYLA_TRANSPOSE, 1, a, b, 0, c, "summa",
                     &plan));
  x->gemm = hyla_plan_cost(plan);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&c);
  return HYLA_OK;
}

/* The same traffic and memory, but only the triangle's operations. */
static void costs_are_those_of_two_matrices(void **state) {
  (void)state;
  static const char *const layouts[] = {"binary/cyclic:2", "gray/cyclic:3", "gray/consecutive"};
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < 6; i++) {
      struct counted x = {
          .n = 96, .k = 192, .layout = layouts[i / 2], .op = i % 2 ? HYLA_TRANSPOSE : HYLA_NONE};
      harness_note("d = %d, %s, op %d", dims, x.layout, (int)x.op);
      /* Without times; rehearsals have their own test. */
      hyla_simulation model = {.dims = dims};
      hyla_report report;
      assert_int_equal(hyla_simulate(&model, count_costs, &x, &report), HYLA_OK);
      assert_int_equal(x.syrk.steps, x.gemm.steps);
      assert_int_equal(x.syrk.messages, x.gemm.messages);
      assert_int_equal(x.syrk.words, x.gemm.words);
      assert_int_equal(x.syrk.memory, x.gemm.memory);
      assert_true(x.syrk.flops <= x.gemm.flops);
      if (dims == 0) assert_int_equal(x.syrk.flops, x.n * (x.n + 1) * x.k);
    }
}

/* In one call; bad arguments. */
static hyla_status calls(hyla_cube *cube, void *arg) {
  (void)arg;
  hyla_matrix *a = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  double _Complex value;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE_COMPLEX, 3, 2, NULL, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE_COMPLEX, 3, 3, NULL, &c));
  for (int64_t i = 0; i < 3; i++) TRY(hyla_matrix_set(cube, a, i, 0, 1 + (double)i * I));
  TRY(hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 2, a, 0, c));
  TRY(hyla_matrix_get(cube, c, 2, 1, &value));
  CHECK(&cube->base, value == 2 * (1 + 2 * I) * (1 + I), FORMAT, "syrk is wrong");
  TRY(hyla_herk(cube, HYLA_UPPER, HYLA_NONE, 1, a, 0, c));
  TRY(hyla_matrix_get(cube, c, 1, 2, &value));
  CHECK(&cube->base, value == (1 + I) * (1 - 2 * I), FORMAT, "herk is wrong");
  TRY(hyla_matrix_get(cube, c, 2, 1, &value));
  CHECK(&cube->base, value == 2 * (1 + 2 * I) * (1 + I), FORMAT, "the other triangle changed");
  TRY(hyla_gemm(cube, HYLA_NONE, HYLA_CONJUGATE, 1, a, a, 0, c)); /* all of C */
  TRY(hyla_matrix_get(cube, c, 2, 1, &value));
  CHECK(&cube->base, value == (1 + 2 * I) * (1 - I), FORMAT, "gemm of one matrix is wrong");
  const hyla_status bad[] = {
      hyla_syrk(cube, HYLA_LOWER, HYLA_CONJUGATE, 1, a, 0, c),
      hyla_herk(cube, HYLA_LOWER, HYLA_TRANSPOSE, 1, a, 0, c),
      hyla_syrk(cube, (hyla_triangle)2, HYLA_NONE, 1, a, 0, c),
      hyla_syrk(cube, HYLA_LOWER, HYLA_TRANSPOSE, 1, a, 0, c), /* 2 x 2 */
      hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 1, c, 0, c),
      hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 1, NULL, 0, c),
      hyla_syrk(NULL, HYLA_LOWER, HYLA_NONE, 1, a, 0, c),
      hyla_syrk_plan(cube, HYLA_LOWER, HYLA_NONE, 1, a, 0, c, NULL, NULL),
      hyla_herk_plan(cube, HYLA_LOWER, HYLA_NONE, 1, a, 0, c, "strassen", &plan),
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(&cube->base, bad[i] == HYLA_ARGUMENT, FORMAT, "bad call %zu: %s", i,
          hyla_status_name(bad[i]));
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
  return HYLA_OK;
}

static void calls_and_arguments(void **state) {
  (void)state;
  struct gemm_case none = {.variant = "calls"};
  for (int dims = 0; dims <= 2; dims++) {
    const hyla_cube on = case_paper(dims);
    case_simulate_body(&on, calls, &none);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_and_type),
      cmocka_unit_test(half_the_operations),
      cmocka_unit_test(one_matrix_for_both_factors),
      cmocka_unit_test(costs_are_those_of_two_matrices),
      cmocka_unit_test(calls_and_arguments),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
