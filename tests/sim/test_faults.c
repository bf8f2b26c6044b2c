/* A message is lost, delayed or corrupted on a virtual cube: every collective, multiplication,
 * redistribution and solution reports the right fault, with the same status on all nodes, and no
 * node accepts a result. */
#include "tests/collective/cases.h"
#include "cube/cube.h"
#include "hyla_lab.h"

enum { DIMS_MAX = 4, ORDER = 13 };

/* The program of all nodes, and its outcome on each. */
struct program {
  hyla_status (*call)(hyla_cube *cube, const struct program *program);
  const char *operation;
  const char *variant;
  const char *from, *to; /* layouts */
  hyla_status ended[1 << DIMS_MAX];
};

static hyla_status body(hyla_cube *cube, void *arg) {
  struct program *program = arg;
  hyla_status status = program->call(cube, program);
  program->ended[hyla_cube_address(cube)] = status;
  return status;
}

static bool one_of(const char *message, const char *a, const char *b) {
  return strstr(message, a) != NULL || strstr(message, b) != NULL;
}

static void plant(struct program *program, int dims, hyla_fault fault, int64_t at) {
  static const char *const words[][2] = {[HYLA_FAULT_LOST] = {"is lost", "dead lock"},
                                         [HYLA_FAULT_DELAYED] = {"is delayed", "is delayed"},
                                         [HYLA_FAULT_CORRUPTED] = {"is corrupted", "is corrupted"}};
  hyla_simulation model = {
      .dims = dims, .alpha = 1, .limit = 1e6, .fault = fault, .fault_at = at, .fault_delay = 1e9};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, program, &report);
  harness_note("%s %s, %d dimensions, fault %d of message %lld: %s", program->operation,
               program->variant, dims, fault, (long long)at, report.message);
  assert_int_equal(status, fault == HYLA_FAULT_DELAYED ? HYLA_TIMEOUT : HYLA_COMMUNICATION);
  assert_true(one_of(report.message, words[fault][0], words[fault][1]));
  for (int node = 0; node < 1 << dims; node++) assert_int_equal(program->ended[node], status);
}

/* Faults on the first, the last and some other message; a run without a fault counts the messages.
 * -1: the variant does not apply. */
static int64_t hit(struct program *program, int dims) {
  hyla_simulation model = {.dims = dims, .alpha = 1};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, program, &report);
  harness_note("%s %s, %d dimensions: %s", program->operation, program->variant, dims,
               report.message);
  if (status == HYLA_UNSUPPORTED) return -1;
  assert_int_equal(status, HYLA_OK);
  int64_t messages = report.far_messages;
  for (int dim = 0; dim < dims; dim++) messages += report.messages[dim];
  for (int fault = HYLA_FAULT_LOST; fault <= HYLA_FAULT_CORRUPTED && messages > 0; fault++) {
    plant(program, dims, (hyla_fault)fault, 1);
    plant(program, dims, (hyla_fault)fault, messages);
    for (int trial = 0; trial < 4; trial++)
      plant(program, dims, (hyla_fault)fault, harness_draw(1, messages));
  }
  return messages;
}

static hyla_status collective(hyla_cube *cube, const struct program *program) {
  /* All nodes are active, or half of the smaller cube for a variant that takes no more, or one
   * corner. */
  bool half = strcmp(program->variant, hy_partial_exchange_matched.base.name) == 0;
  bool corner = strcmp(program->variant, hy_partial_exchange_corners.base.name) == 0;
  hyla_collective it = {.name = program->operation,
                        .variant = program->variant,
                        .words = 24,
                        .active = half ? 4 : corner ? 1 : 0};
  hyla_collective_result result;
  return hyla_collective_run(cube, &it, &result);
}

static void in_every_collective(void **state) {
  (void)state;
  const struct hy_collective_variant *row = NULL;
  for (int r = 0; (row = hy_variant_at(r)) != NULL; r++) {
    enum hy_task tasks[2];
    int count = tasks_of(row, tasks);
    for (int i = 0; i < count; i++) {
      struct program program = {
          .call = collective, .operation = hy_task_name(tasks[i]), .variant = row->base.name};
      int64_t messages = hit(&program, 3);
      if (messages < 0) messages = hit(&program, 4); /* transpositions */
      assert_true(messages > 0);
    }
  }
}

static hyla_status matrix_of(hyla_cube *cube, int order, const char *text, hyla_matrix **made) {
  hyla_layout layout;
  TRY(hyla_layout_parse(cube, text, &layout));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, order, order, &layout, made));
  return hyla_matrix_generate(cube, *made, HYLA_RANDOM, 1);
}

static hyla_status matrix(hyla_cube *cube, const char *text, hyla_matrix **made) {
  return matrix_of(cube, ORDER, text, made);
}

static hyla_status multiply(hyla_cube *cube, const struct program *program) {
  hyla_matrix *m[3] = {NULL};
  hyla_plan *plan = NULL;
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && status == HYLA_OK; i++) status = matrix(cube, program->from, &m[i]);
  if (status == HYLA_OK)
    status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_TRANSPOSE, 1, m[0], m[1], 0, m[2],
                            program->variant, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&m[i]);
  return status;
}

/* Transposes.  In waves storage is converted, with sizes that are powers of two, and the matrix is
 * turned too if the variant is for that. */
static hyla_status redistribute(hyla_cube *cube, const struct program *program) {
  hyla_matrix *a = NULL, *b = NULL;
  hyla_plan *plan = NULL;
  bool waves = strcmp(program->variant, "waves") == 0;
  bool turns = strncmp(program->variant, "turn-", 5) == 0;
  int order = waves || turns ? 16 : ORDER;
  hyla_status status = matrix_of(cube, order, program->from, &a);
  if (status == HYLA_OK) status = matrix_of(cube, order, program->to, &b);
  hyla_operation op = waves ? HYLA_NONE : turns ? HYLA_TURN_HALF : HYLA_TRANSPOSE;
  hyla_transfer transfer = {op, 1, a, b};
  const int64_t dense[] = {0, 5};
  const char *variant = program->variant;
  if (status == HYLA_OK && strcmp(variant, "transpose-band") == 0)
    status = hyla_redistribute_band_plan(cube, &transfer, 1, variant, &plan);
  else if (status == HYLA_OK && strcmp(variant, "transpose-dense") == 0)
    status = hyla_redistribute_dense_plan(cube, &transfer, dense, 2, dense, 2, variant, &plan);
  else if (status == HYLA_OK)
    status = hyla_redistribute_plan(cube, 1, &transfer, variant, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  return status;
}

static hyla_status solve(hyla_cube *cube, const struct program *program) {
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = matrix(cube, program->from, &a);
  if (status == HYLA_OK) status = matrix(cube, program->from, &b);
  if (status == HYLA_OK) status = hyla_solve(cube, a, b, b, NULL);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  return status;
}

/* Every variant of an operation, on the first cube and pair of layouts that it takes. */
static void hit_variants(const struct program *of) {
  static const char *const layouts[][2] = {
      {"gray/consecutive", "gray/consecutive"},
      {"binary/cyclic:2", "gray/consecutive"},
      {"gray/consecutive", "gray/cyclic:1"},
      {"gray/consecutive@8x1", "gray/consecutive@8x1"},
      {"binary-gray:1/consecutive@[]x[1,0,2]", "binary-gray:1/consecutive@[]x[1,0,2]"}};
  const char *name = NULL;
  for (int v = 0; (name = hyla_variant_name(of->operation, v)) != NULL; v++) {
    int64_t messages = -1;
    for (int dims = 3; dims >= 2 && messages < 0; dims--)
      for (int i = 0; i < (dims == 3 ? 5 : 3) && messages < 0; i++) {
        struct program program = *of;
        program.variant = name;
        program.from = layouts[i][0];
        program.to = layouts[i][1];
        messages = hit(&program, dims);
      }
    harness_note("%s %s: %lld messages", of->operation, name, (long long)messages);
    assert_true(messages > 0);
  }
}

static void in_every_multiplication(void **state) {
  (void)state;
  hit_variants(&(struct program){.call = multiply, .operation = "gemm"});
}

static void in_every_redistribution(void **state) {
  (void)state;
  hit_variants(&(struct program){.call = redistribute, .operation = "redistribute"});
}

static void in_every_solution(void **state) {
  (void)state;
  hit_variants(&(struct program){.call = solve, .operation = "lu"});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_every_collective),
      cmocka_unit_test(in_every_multiplication),
      cmocka_unit_test(in_every_redistribution),
      cmocka_unit_test(in_every_solution),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
