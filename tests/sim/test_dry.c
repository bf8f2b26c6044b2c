/* Dry simulations: the same counts and times as with data, without touching data, for every variant
 * of the multiplication, redistribution and the collectives. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "collective/variant.h"

#include <string.h>

/* A multiplication op(A) op(B) of matrices in different layouts. */
struct product {
  const char *variant;
  hyla_type type;
  int64_t m, n, k;
  hyla_operation op_a, op_b;
  const char *layout[3];
  hyla_cost cost; /* of the last plan */
  double seconds;
};

static hyla_status make(hyla_cube *cube, const struct product *p, int i, int64_t rows, int64_t cols,
                        hyla_operation op, hyla_matrix **matrix) {
  hyla_layout layout;
  TRY(hyla_layout_parse(cube, p->layout[i], &layout));
  bool transposed = op != HYLA_NONE;
  return hyla_matrix_create(cube, p->type, transposed ? cols : rows, transposed ? rows : cols,
                            &layout, matrix);
}

static hyla_status multiply(hyla_cube *cube, void *arg) {
  struct product *p = arg;
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  hyla_status status = make(cube, p, 0, p->m, p->k, p->op_a, &a);
  if (status == HYLA_OK) status = make(cube, p, 1, p->k, p->n, p->op_b, &b);
  if (status == HYLA_OK) status = make(cube, p, 2, p->m, p->n, HYLA_NONE, &c);
  if (status == HYLA_OK)
    status = hyla_gemm_plan(cube, p->op_a, p->op_b, 2, a, b, -1, c, p->variant, &plan);
  p->cost = hyla_plan_cost(plan);
  p->seconds = hyla_plan_seconds(plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&c);
  return status;
}

/* Runs a program dry and with data; the two must agree in everything. */
static void compare(hyla_simulation model, hyla_body *body, void *arg, void *arg_with_data) {
  hyla_report dry, wet;
  model.dry = true;
  hyla_simulate(&model, body, arg, &dry);
  model.dry = false;
  hyla_simulate(&model, body, arg_with_data, &wet);
  assert_string_equal(dry.message, wet.message);
  assert_int_equal(dry.status, wet.status);
  assert_true(dry.time == wet.time);
  assert_int_equal(dry.steps, wet.steps);
  assert_memory_equal(dry.messages, wet.messages, sizeof dry.messages);
  assert_memory_equal(dry.bytes, wet.bytes, sizeof dry.bytes);
  assert_memory_equal(dry.most_messages, wet.most_messages, sizeof dry.most_messages);
  assert_memory_equal(dry.most_bytes, wet.most_bytes, sizeof dry.most_bytes);
  assert_int_equal(dry.far_messages, wet.far_messages);
  assert_int_equal(dry.far_bytes, wet.far_bytes);
}

static const char *const layouts[] = {"gray/consecutive", "binary/cyclic:2", "gray/cyclic:3",
                                      "binary/consecutive"};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void every_multiplication(void **state) {
  (void)state;
  const char *name = NULL;
  for (int v = 0; (name = hyla_variant_name("gemm", v)) != NULL; v++)
    for (int dims = 0; dims <= 6; dims += dims < 4 ? 1 : 2) {
      struct harness_walk trials = harness_walk(3, dims < 6 ? 3 : 1);
      for (int64_t trial; harness_next(&trials, &trial);) {
        struct product p = {.variant = name,
                            .type = (hyla_type)harness_draw(0, 3),
                            .m = harness_draw(0, 40),
                            .n = harness_draw(0, 40),
                            .k = harness_draw(0, 40),
                            .op_a = (hyla_operation)harness_draw(0, 2),
                            .op_b = (hyla_operation)harness_draw(0, 2)};
        for (int i = 0; i < 3; i++)
          p.layout[i] = layouts[trial == 0 ? 0 : harness_draw(0, LAYOUTS - 1)];
        if (trial == 0) p.op_a = p.op_b = HYLA_NONE;
        hyla_simulation model = {.dims = dims,
                                 .ports = trial == 1 ? HYLA_ONE_PORT : HYLA_ALL_PORTS,
                                 .alpha = 100,
                                 .beta = 1,
                                 .gamma = 0.125};
        harness_note("%s, d = %d, %lld x %lld x %lld", name, dims, (long long)p.m, (long long)p.n,
                     (long long)p.k);
        struct product with_data = p;
        compare(model, multiply, &p, &with_data);
        assert_memory_equal(&p.cost, &with_data.cost, sizeof p.cost);
        assert_true(p.seconds == with_data.seconds);
      }
    }
}

/* A factorization and a solution, with a matrix that exists only if there is data. */
struct system {
  int method;
  hyla_type type;
  int64_t n, nrhs;
  bool dry;
};

static hyla_status factor_and_solve(hyla_cube *cube, void *arg) {
  const struct system *s = arg;
  const hyla_method_traits *traits = hyla_method_at(s->method);
  hyla_matrix *a = NULL, *b = NULL;
  hyla_factor *made = NULL;
  hyla_status status =
      hyla_factor_create(cube, (hyla_method)s->method, s->type, s->n, s->nrhs, NULL, NULL, &made);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, s->type, s->n, s->n, NULL, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, s->type, s->n, s->nrhs, NULL, &b);
  if (status == HYLA_OK && !s->dry) status = hyla_matrix_gallery(cube, a, traits->sample, 1);
  if (status == HYLA_OK && !s->dry) status = hyla_matrix_generate(cube, b, HYLA_RANDOM, 2);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, made, a);
  if (status == HYLA_OK) status = hyla_factor_solve(cube, made, HYLA_NONE, b, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&made);
  return status;
}

/* Methods whose messages do not depend on the entries. */
static void factorizations(void **state) {
  (void)state;
  int compared = 0;
  for (int method = 0; hyla_method_at(method) != NULL; method++) {
    if (hyla_method_at(method)->needs_data) continue;
    for (int dims = 0; dims <= 4; dims++)
      for (int trial = 0; trial < 4; trial++) {
        struct system dry = {.method = method,
                             .type = (hyla_type)harness_draw(0, 3),
                             .n = trial == 0 ? harness_draw(0, 2) : harness_draw(3, 70),
                             .nrhs = harness_draw(1, 3),
                             .dry = true};
        struct system wet = dry;
        hyla_simulation model = {.dims = dims, .alpha = 100, .beta = 1, .gamma = 0.125};
        wet.dry = false;
        harness_note("%s, d = %d, n = %lld, type %d, nrhs %lld", hyla_method_at(method)->name, dims,
                     (long long)dry.n, (int)dry.type, (long long)dry.nrhs);
        compare(model, factor_and_solve, &dry, &wet);
        compared++;
      }
  }
  assert_true(compared >= 40);
}

static hyla_status collective(hyla_cube *cube, void *arg) {
  hyla_collective_result result;
  return hyla_collective_run(cube, arg, &result);
}

/* All nodes, or half of them for a row that takes no more; for banded matrices the same number. */
static int active_of(const struct hy_collective_variant *row, enum hy_task task, int dims) {
  bool half = row == &hy_partial_exchange_matched || task >= HY_TASK_BAND_EXCHANGE;
  return half ? (1 << dims) / 2 : 0;
}

static void every_collective(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int i = 0; (row = hy_variant_at(i)) != NULL; i++)
    for (enum hy_task task = HY_TASK_BROADCAST; task <= HY_TASK_BAND_BROADCAST; task++)
      for (int dims = 0; dims <= 4 && hy_task_forward(task) == row->task; dims++) {
        hyla_collective wanted = {.name = hy_task_name(task),
                                  .variant = row->base.name,
                                  .words = 60,
                                  .active = active_of(row, task, dims),
                                  .alpha = 50,
                                  .beta = 8};
        hyla_simulation model = {.dims = dims, .alpha = 50, .beta = 1};
        if (task == HY_TASK_ALLREDUCE) continue;
        harness_note("%s %s, d = %d", wanted.name, row->base.name, dims);
        compare(model, collective, &wanted, &wanted);
      }
}

/* A sum of matrices in different layouts, and a conversion. */
static hyla_status add_and_convert(hyla_cube *cube, void *arg) {
  struct product *p = arg;
  hyla_matrix *made[3] = {NULL, NULL, NULL};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && status == HYLA_OK; i++) {
    hyla_layout layout;
    TRY(hyla_layout_parse(cube, p->layout[i], &layout));
    hyla_type type = i < 2 ? p->type : HYLA_DOUBLE_COMPLEX;
    status = hyla_matrix_create(cube, type, p->m, p->m, &layout, &made[i]);
  }
  if (status == HYLA_OK) status = hyla_add(cube, p->op_a, 2, made[0], -1, made[1]);
  if (status == HYLA_OK) status = hyla_scale(cube, 3, made[1]);
  if (status == HYLA_OK) status = hyla_matrix_convert(cube, made[1], made[2]);
  if (status == HYLA_OK) status = hyla_matrix_imag(cube, made[2], made[0]);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&made[i]);
  return status;
}

static void sums_and_conversions(void **state) {
  (void)state;
  for (int dims = 0; dims <= 4; dims++)
    for (int trial = 0; trial < 6; trial++) {
      struct product p = {.type = (hyla_type)harness_draw(0, 3),
                          .m = harness_draw(0, 40),
                          .op_a = (hyla_operation)harness_draw(0, 2)};
      for (int i = 0; i < 3; i++) p.layout[i] = layouts[harness_draw(0, LAYOUTS - 1)];
      hyla_simulation model = {.dims = dims, .alpha = 100, .beta = 1, .gamma = 0.125};
      harness_note("type %d, m = %lld, d = %d", (int)p.type, (long long)p.m, dims);
      struct product with_data = p;
      compare(model, add_and_convert, &p, &with_data);
    }
}

/* Calls that answer or decide by data. */
static hyla_status norm(hyla_cube *cube, void *arg) {
  double value = 0;
  return hyla_matrix_norm(cube, arg, HYLA_NORM_ONE, &value);
}
static hyla_status get(hyla_cube *cube, void *arg) {
  double _Complex value = 0;
  return hyla_matrix_get(cube, arg, 1, 1, &value);
}
static hyla_status write(hyla_cube *cube, void *arg) {
  return hyla_matrix_write(cube, arg, "dry.mtx");
}
static hyla_status read(hyla_cube *cube, void *arg) {
  (void)arg;
  hyla_matrix *matrix = NULL;
  return hyla_matrix_read(cube, "dry.mtx", NULL, &matrix);
}
static hyla_status probe(hyla_cube *cube, void *arg) {
  (void)arg;
  return hyla_matrix_probe(cube, "dry.mtx", NULL, NULL, NULL);
}
static hyla_status residual(hyla_cube *cube, void *arg) {
  double value = 0;
  return hyla_residual(cube, arg, arg, arg, &value);
}
static hyla_status solve(hyla_cube *cube, void *arg) {
  return hyla_solve(cube, arg, arg, arg, NULL);
}
static hyla_status factor(hyla_cube *cube, void *arg) {
  hyla_factor *made = NULL;
  TRY(hyla_factor_create(cube, HYLA_GAUSS_JORDAN, HYLA_DOUBLE, 4, 1, NULL, NULL, &made));
  hyla_status status = hyla_factor_compute(cube, made, arg);
  hyla_factor_destroy(&made);
  return status;
}
static hyla_status invert(hyla_cube *cube, void *arg) {
  hyla_plan *plan = NULL;
  TRY(hyla_invert_plan(cube, HYLA_LDL, arg, arg, NULL, &plan));
  hyla_status status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_body *const refused[] = {norm,     get,   write,  read,  probe,
                                     residual, solve, factor, invert};
enum { REFUSED = sizeof refused / sizeof *refused };

static double _Complex one(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 1;
}

/* Filling does nothing; arg: the number of refused calls, on all nodes. */
static hyla_status ask_for_data(hyla_cube *cube, void *arg) {
  int *count = arg;
  hyla_matrix *matrix = NULL;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, 4, 4, NULL, &matrix));
  hyla_status status = hyla_matrix_fill(cube, matrix, one, NULL);
  if (status == HYLA_OK) status = hyla_matrix_set(cube, matrix, 2, 2, 7);
  for (int i = 0; i < REFUSED && status == HYLA_OK; i++)
    *count += refused[i](cube, matrix) == HYLA_UNSUPPORTED;
  hyla_matrix_destroy(&matrix);
  return status;
}

static void data_are_refused(void **state) {
  (void)state;
  int count = 0;
  hyla_simulation model = {.dims = 2, .dry = true};
  hyla_report report;
  assert_int_equal(hyla_simulate(&model, ask_for_data, &count, &report), HYLA_OK);
  assert_int_equal(count, 4 * REFUSED);
  model.fault = HYLA_FAULT_CORRUPTED;
  assert_int_equal(hyla_simulate(&model, ask_for_data, &count, &report), HYLA_ARGUMENT);
}

/* 1,024 nodes multiply matrices that would each fill a terabyte. */
static void matrices_take_no_memory(void **state) {
  (void)state;
  struct product p = {.variant = "cannon", .type = HYLA_DOUBLE, .m = 400000, .n = 400000};
  p.k = 400000;
  for (int i = 0; i < 3; i++) p.layout[i] = layouts[0];
  hyla_simulation model = {.dims = 10, .dry = true, .alpha = 1e-6, .beta = 1e-10, .gamma = 2e-11};
  hyla_report report;
  assert_int_equal(hyla_simulate(&model, multiply, &p, &report), HYLA_OK);
  double arithmetic = 2.0 * 4e5 * 4e5 * 4e5 / 1024 * 2e-11;
  assert_true(report.time > arithmetic && report.time < 2 * arithmetic);
}

/* Sums over all nodes, over rows and over columns, from clocks that differ; some while another
 * message is in flight, so that nodes cannot play them together.  (With one port such a message may
 * arrive before or behind the sum's, as nodes' turns come.) */
struct summed {
  bool counts;
  int flights;
};

static void add_summed(void *into, const void *from, int64_t count, const void *arg) {
  hyla_cube *cube = (hyla_cube *)(uintptr_t)arg;
  if (cube != NULL) hy_compute(cube, count, sizeof(double), false);
  if (cube == NULL || hy_cube_dry(cube)) return;
  for (int64_t i = 0; i < count; i++) ((double *)into)[i] += ((const double *)from)[i];
}

static hyla_status sum_over(hyla_cube *cube, const struct summed *it, uint32_t dims,
                            int64_t words) {
  const int peer = cube->address ^ 1;
  double out = 1, in = 0;
  struct hy_message pair[] = {{.verb = HY_RECV, .peer = peer, .bytes = sizeof in, .data = &in},
                              {.verb = HY_SEND, .peer = peer, .bytes = sizeof out, .data = &out}};
  void *data = NULL, *work = NULL;
  const bool flies = cube->address < it->flights && hy_has_node(cube, peer);
  TRY(hy_alloc_data(&cube->base, words, sizeof(double), &data));
  hyla_status status = hy_alloc_data(&cube->base, words, sizeof(double), &work);
  hy_compute(cube, 100 * (cube->address * 7 % 5), sizeof(double), false);
  if (status == HYLA_OK && flies) status = hy_link_start(cube, pair, 2);
  if (status == HYLA_OK)
    status = hy_allreduce(cube, dims, data, words, sizeof(double), add_summed,
                          it->counts ? cube : NULL, work);
  if (status == HYLA_OK && flies) status = hy_link_wait(cube, pair, 2);
  hy_free(&cube->base, &work);
  hy_free(&cube->base, &data);
  return status;
}

static hyla_status sum(hyla_cube *cube, void *arg) {
  static const int64_t words[] = {1, 3, 40, 5000, 4099};
  const uint32_t all = hy_all_dims(cube),
                 low = (uint32_t)hy_sides_bits((uint32_t)hy_array_rows(cube));
  const uint32_t dims[] = {all, all >> low << low, (1u << low) - 1};
  for (int i = 0; i < 15; i++) {
    const uint32_t those = dims[i % 3];
    if (cube->sides.count > 0 && i % 3 != 0) continue; /* these bits may be no side's */
    TRY(sum_over(cube, arg, those, words[i / 3]));
  }
  return HYLA_OK;
}

static void sums_together(void **state) {
  (void)state;
  static const char *const arrays[] = {NULL, "3x5", "1x7"};
  for (int i = 0; i < 3; i++)
    for (int dims = 0; dims <= (arrays[i] == NULL ? 5 : 0); dims++)
      for (int flights = 0; flights <= 2; flights += 2)
        for (int counts = 0; counts < 2; counts++)
          for (int ports = 0; ports < 2; ports++) {
            struct summed it = {counts, ports ? flights : 0};
            const hyla_simulation model = {.dims = dims,
                                           .array = arrays[i],
                                           .ports = ports ? HYLA_ALL_PORTS : HYLA_ONE_PORT,
                                           .alpha = 100,
                                           .beta = 1,
                                           .gamma = .125};
            harness_note("array %s, d = %d, %d nodes with flights, counted %d, ports %d",
                         arrays[i] == NULL ? "cube" : arrays[i], dims, flights, counts, ports);
            compare(model, sum, &it, &it);
          }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_multiplication), cmocka_unit_test(factorizations),
      cmocka_unit_test(every_collective),     cmocka_unit_test(sums_and_conversions),
      cmocka_unit_test(data_are_refused),     cmocka_unit_test(matrices_take_no_memory),
      cmocka_unit_test(sums_together),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
