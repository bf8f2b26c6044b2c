/* Rehearsals: on a simulated cube a plan's prediction is the time that its run takes, to the last
 * bit, and the chosen variant is the fastest of all. */
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum operation { PRODUCT, REDISTRIBUTION, TRIANGULAR, CHOLESKY, LU };
static const char *const families[] = {"gemm", "redistribute", "trsm", "cholesky", "lu"};

/* A problem, on every node; node 0 fills in the results. */
struct problem {
  enum operation operation;
  hyla_type type;
  int64_t m, n, k;
  hyla_operation op;
  const char *layout[3];
  const char *variant;             /* NULL: the planner chooses */
  bool planned;                    /* the variant applies */
  const hyla_generator *generator; /* for the first matrix; NULL: the identity */
  double seconds;
  int64_t copied, messages;
};

static hyla_status create(hyla_cube *cube, const struct problem *p, int i, int64_t rows,
                          int64_t cols, hyla_matrix **matrix) {
  hyla_layout layout;
  hyla_status status = hyla_layout_parse(cube, p->layout[i], &layout);
  return status ? status : hyla_matrix_create(cube, p->type, rows, cols, &layout, matrix);
}

static hyla_status create_all(hyla_cube *cube, const struct problem *p, hyla_matrix *x[3]) {
  bool transposed = p->op != HYLA_NONE;
  const int64_t rows[][3] = {[PRODUCT] = {transposed ? p->k : p->m, p->k, p->m},
                             [REDISTRIBUTION] = {transposed ? p->n : p->m, p->m, 0},
                             [TRIANGULAR] = {p->m, p->m, 0},
                             [CHOLESKY] = {p->m, p->m, p->m},
                             [LU] = {p->m, p->m, p->m}};
  const int64_t cols[][3] = {[PRODUCT] = {transposed ? p->m : p->k, p->n, p->n},
                             [REDISTRIBUTION] = {transposed ? p->m : p->n, p->n, 0},
                             [TRIANGULAR] = {p->m, p->n, 0},
                             [CHOLESKY] = {p->m, p->n, p->n},
                             [LU] = {p->m, p->n, p->n}};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && !status; i++)
    status = create(cube, p, i, rows[p->operation][i], cols[p->operation][i], &x[i]);
  return status;
}

static hyla_status plan(hyla_cube *cube, const struct problem *p, hyla_matrix *const x[3],
                        hyla_plan **plan) {
  const hyla_transfer transfer = {p->op, 1, x[0], x[1]};
  if (p->operation == PRODUCT)
    return hyla_gemm_plan(cube, p->op, HYLA_NONE, 2, x[0], x[1], -1, x[2], p->variant, plan);
  if (p->operation == REDISTRIBUTION)
    return hyla_redistribute_plan(cube, 1, &transfer, p->variant, plan);
  return hyla_trsm_plan(cube, HYLA_LEFT, HYLA_LOWER, p->op, HYLA_UNIT_DIAGONAL, 2, x[0], x[1],
                        p->variant, plan);
}

static void observe(hyla_cube *cube, struct problem *p, const hyla_plan *made) {
  if (hyla_cube_address(cube) != 0) return;
  p->planned = true;
  p->seconds = hyla_plan_seconds(made);
  p->copied = hyla_plan_cost(made).copied;
  p->messages = hyla_plan_cost(made).messages;
}

/* If a variant does not apply, `planned' stays false; this is no failure. */
static hyla_status run_plan(hyla_cube *cube, struct problem *p, hyla_matrix *const x[3]) {
  hyla_plan *made = NULL;
  hyla_status status = plan(cube, p, x, &made);
  if (status == HYLA_UNSUPPORTED && p->variant != NULL) return HYLA_OK;
  if (!status) observe(cube, p, made);
  if (!status) status = hyla_plan_run(cube, made);
  hyla_plan_destroy(&made);
  return status;
}

/* Likewise a variant that cannot run without data. */
static hyla_status run_factor(hyla_cube *cube, struct problem *p, hyla_matrix *const x[3]) {
  hyla_factor *factor = NULL;
  hyla_status status =
      hyla_factor_create(cube, p->operation == LU ? HYLA_LU : HYLA_CHOLESKY, p->type, p->m, p->n,
                         hyla_matrix_layout(x[0]), p->variant, &factor);
  bool planned = status == HYLA_OK;
  if (!status) status = hyla_factor_compute(cube, factor, x[0]);
  bool runs = status != HYLA_UNSUPPORTED || p->variant == NULL;
  if (planned && runs) observe(cube, p, hyla_factor_plan(factor));
  if (!status) status = hyla_factor_solve(cube, factor, HYLA_NONE, x[1], x[2]);
  if (!runs) status = HYLA_OK;
  hyla_factor_destroy(&factor);
  return status;
}

static double _Complex identity(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return row == col;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct problem *p = arg;
  hyla_matrix *x[3] = {NULL, NULL, NULL};
  hyla_status status = create_all(cube, p, x);
  if (!status && p->generator != NULL)
    status = hyla_matrix_generate(cube, x[0], *p->generator, 1);
  else if (!status)
    status = hyla_matrix_fill(cube, x[0], identity, NULL);
  if (!status) status = p->operation >= CHOLESKY ? run_factor(cube, p, x) : run_plan(cube, p, x);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&x[i]);
  return status;
}

/* Each variant runs, and then the planner's choice, which must be the fastest variant that the
 * planner may take unasked.  LU runs without data: a rehearsal draws its pivots, and only a run
 * without data draws the same ones. */
static void compare_all(struct problem *p, const hyla_simulation *model) {
  enum { VARIANTS = 32 };
  hyla_report report;
  double best = INFINITY;
  const char *family = families[p->operation];
  for (int v = 0;; v++) {
    p->variant = hyla_variant_name(family, v);
    p->planned = false;
    hyla_simulate(model, body, p, &report);
    harness_note("%s %s, d = %d, %lld x %lld x %lld, type %d, op %d, %s %s %s, ports %d: %s",
                 family, p->variant ? p->variant : "chosen", model->dims, (long long)p->m,
                 (long long)p->n, (long long)p->k, (int)p->type, (int)p->op, p->layout[0],
                 p->layout[1], p->layout[2], (int)model->ports, report.message);
    assert_int_equal(report.status, HYLA_OK);
    bool asked_only = p->variant != NULL && hyla_variant_asked_only(family, v);
    /* The factors of the fixed variants lie in another layout, and a plan does not know that A must
     * be moved there. */
    bool brought = asked_only && p->operation >= CHOLESKY;
    if (p->planned && !brought) assert_true(p->seconds == report.time);
    if (p->variant == NULL) break;
    assert_true(v < VARIANTS);
    if (p->planned && !asked_only) best = fmin(best, report.time);
  }
  assert_true(p->planned);
  assert_true(p->seconds == best);
}

static const char *const layouts[] = {"gray/consecutive", "binary/cyclic:2", "gray/cyclic:3",
                                      "binary/consecutive"};

static struct problem draw(enum operation operation, int trial) {
  struct problem p = {.operation = operation,
                      .type = (hyla_type)harness_draw(0, 3),
                      .m = harness_draw(0, 30),
                      .n = harness_draw(0, 30),
                      .k = harness_draw(0, 30),
                      .op = trial == 0 ? HYLA_NONE : (hyla_operation)harness_draw(0, 2)};
  for (int i = 0; i < 3; i++) p.layout[i] = layouts[trial == 0 ? 0 : harness_draw(0, 3)];
  if (operation >= CHOLESKY) p.layout[0] = p.layout[1] = p.layout[2] = layouts[1];
  return p;
}

static void walk(enum operation operation) {
  for (int dims = 0; dims <= 5; dims++)
    for (int trial = 0; trial < 4; trial++) {
      struct problem p = draw(operation, trial);
      const hyla_simulation model = {.dims = dims,
                                     .dry = trial % 2 == 1 || operation == LU,
                                     .ports = trial < 2 ? HYLA_ALL_PORTS : HYLA_ONE_PORT,
                                     .alpha = 1e-6,
                                     .beta = 1e-10,
                                     .gamma = trial == 0 ? 0 : 2e-11};
      compare_all(&p, &model);
    }
}

static void products(void **state) {
  (void)state;
  walk(PRODUCT);
}
static void redistributions(void **state) {
  (void)state;
  walk(REDISTRIBUTION);
}
static void triangular_systems(void **state) {
  (void)state;
  walk(TRIANGULAR);
}
static void factorizations(void **state) {
  (void)state;
  walk(CHOLESKY);
  walk(LU);
}

/* In a run with data the pivots decide how many rows move.  Their messages are few beside those of
 * the panels, so that drawn pivots take nearly the same time. */
static void drawn_pivots_are_near_those_of_entries(void **state) {
  (void)state;
  static const hyla_generator generator = HYLA_RANDOM;
  for (int dims = 1; dims <= 5; dims++) {
    struct problem p = draw(LU, 0);
    hyla_report report;
    p.type = HYLA_DOUBLE;
    p.m = 100;
    p.generator = &generator;
    const hyla_simulation model = {.dims = dims, .alpha = 1e-6, .beta = 1e-10, .gamma = 2e-11};
    for (int v = 0; (p.variant = hyla_variant_name("lu", v)) != NULL; v++) {
      if (hyla_variant_asked_only("lu", v)) continue;
      assert_int_equal(hyla_simulate(&model, body, &p, &report), HYLA_OK);
      harness_note("lu:%s, d = %d: %g s, predicted %g", p.variant, dims, report.time, p.seconds);
      assert_true(p.seconds > 0.97 * report.time && p.seconds < 1.03 * report.time);
    }
  }
}

/* Problems one after the other on one cube, each of them twice. */
enum { SEVERAL = 6 };
struct several {
  struct problem problem[SEVERAL];
  double seconds[2][SEVERAL];
};

static hyla_status plan_several(hyla_cube *cube, void *arg) {
  struct several *all = arg;
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 2 * SEVERAL && !status; i++) {
    struct problem *p = &all->problem[i % SEVERAL];
    hyla_matrix *x[3] = {NULL, NULL, NULL};
    hyla_plan *made = NULL;
    status = create_all(cube, p, x);
    if (!status) status = plan(cube, p, x, &made);
    if (!status) observe(cube, p, made);
    hyla_plan_destroy(&made);
    for (int j = 0; j < 3; j++) hyla_matrix_destroy(&x[j]);
    if (hyla_cube_address(cube) == 0) all->seconds[i / SEVERAL][i % SEVERAL] = p->seconds;
  }
  return status;
}

/* The time of a rehearsal is kept; it equals that on a cube without earlier rehearsals. */
static void kept_times_are_those_of_new_rehearsals(void **state) {
  (void)state;
  for (int trial = 0; trial < 8; trial++) {
    struct several all;
    hyla_report report;
    const hyla_simulation model = {.dims = 1 + trial % 5,
                                   .dry = trial % 2 == 1,
                                   .ports = trial < 4 ? HYLA_ALL_PORTS : HYLA_ONE_PORT,
                                   .alpha = 1e-6,
                                   .beta = 1e-10};
    for (int i = 0; i < SEVERAL; i++)
      all.problem[i] = draw(i % 3 == 0 ? PRODUCT : REDISTRIBUTION, trial + i);
    all.problem[2] = all.problem[1];
    all.problem[2].op = all.problem[1].op == HYLA_NONE ? HYLA_TRANSPOSE : HYLA_NONE;
    assert_int_equal(hyla_simulate(&model, plan_several, &all, &report), HYLA_OK);
    for (int i = 0; i < SEVERAL; i++) {
      struct problem p = all.problem[i];
      assert_int_equal(hyla_simulate(&model, body, &p, &report), HYLA_OK);
      assert_true(all.seconds[0][i] == p.seconds && all.seconds[1][i] == p.seconds);
    }
  }
}

/* A rehearsal that would send more messages than the simulation allows is only counted. */
static void long_rehearsals_are_left(void **state) {
  (void)state;
  struct problem p = draw(PRODUCT, 0);
  hyla_report report;
  p.m = p.n = p.k = 20;
  p.variant = "cannon";
  hyla_simulation model = {.dims = 4, .dry = true, .alpha = 1e-6, .beta = 1e-10};
  double seconds[4];
  for (int i = 0; i < 4; i++) {
    /* A rehearsal that sends as many messages as it may, and one more. */
    const int64_t all = p.messages << model.dims, most[] = {0, 1, all, all - 1};
    model.rehearsed = most[i];
    assert_int_equal(hyla_simulate(&model, body, &p, &report), HYLA_OK);
    seconds[i] = p.seconds;
  }
  assert_true(seconds[0] == report.time && seconds[2] == report.time);
  assert_true(seconds[1] != report.time && seconds[3] != report.time);
}

/* The machines with presets; copies take no time in a run. */
static void machines(void **state) {
  (void)state;
  const hyla_machine *preset = NULL;
  for (int i = 0; (preset = hyla_machine_preset(i)) != NULL; i++) {
    struct problem p = draw((enum operation)harness_draw(0, 2), 1);
    hyla_machine machine = *preset;
    machine.rho = 0;
    const hyla_simulation model = {.dims = 4, .dry = true, .machine = &machine};
    compare_all(&p, &model);
  }
}

/* If the machine has times for copies, these are predicted besides the run. */
static void copies_are_added(void **state) {
  (void)state;
  struct problem p = draw(PRODUCT, 0);
  const hyla_machine *machine = hyla_machine_preset(2);
  hyla_report report;
  p.m = p.n = p.k = 20;
  p.variant = "reflect";
  const hyla_simulation model = {.dims = 2, .dry = true, .machine = machine};
  assert_int_equal(hyla_simulate(&model, body, &p, &report), HYLA_OK);
  const double size = p.type == HYLA_FLOAT ? 4 : p.type == HYLA_DOUBLE_COMPLEX ? 16 : 8;
  assert_true(machine->rho > 0 && p.copied > 0);
  assert_true(p.seconds == report.time + machine->rho * (double)p.copied * size);
}

/* The first message of the run is lost, not one of the rehearsals' messages. */
static void faults_are_not_rehearsed(void **state) {
  (void)state;
  struct problem p = draw(PRODUCT, 0);
  hyla_report report;
  p.m = p.n = p.k = 20;
  const hyla_simulation model = {
      .dims = 3, .alpha = 1, .beta = 1, .fault = HYLA_FAULT_LOST, .fault_at = 1};
  assert_int_equal(hyla_simulate(&model, body, &p, &report), HYLA_COMMUNICATION);
  assert_true(p.planned && p.seconds > 0);
}

/* Where nothing takes time, runs do not differ; then the machine's prices decide. */
static void without_times_nothing_is_rehearsed(void **state) {
  (void)state;
  struct problem p = draw(PRODUCT, 0);
  hyla_report report;
  p.m = p.n = p.k = 20;
  const hyla_simulation model = {.dims = 3};
  assert_int_equal(hyla_simulate(&model, body, &p, &report), HYLA_OK);
  assert_true(report.time == 0 && p.seconds > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(redistributions),
      cmocka_unit_test(triangular_systems),
      cmocka_unit_test(factorizations),
      cmocka_unit_test(drawn_pivots_are_near_those_of_entries),
      cmocka_unit_test(kept_times_are_those_of_new_rehearsals),
      cmocka_unit_test(long_rehearsals_are_left),
      cmocka_unit_test(machines),
      cmocka_unit_test(copies_are_added),
      cmocka_unit_test(faults_are_not_rehearsed),
      cmocka_unit_test(without_times_nothing_is_rehearsed),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
