/* See triangular_calls.h. */
#include "triangular_calls.h"
#include "formula.h"

#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

struct run {
  const struct triangular_call *call;
  char told[500]; /* the text after "published: " */
  double begin, predicted, seconds;
};

static hyla_axis axis_of(const struct triangular_call *c, bool rows, int64_t block) {
  hyla_axis axis = {.dims = c->k, .code = HYLA_GRAY, .storage = HYLA_CYCLIC, .block = block};
  for (int i = 0; i < c->k; i++) axis.dim[i] = (uint8_t)(i + (rows ? c->k : 0));
  return axis;
}

static bool is(const struct triangular_call *c, const char *variant) {
  return strcmp(c->variant, variant) == 0;
}

/* For the sweep all right-hand sides are on the first rank column; otherwise they are cyclic. */
static void layouts(const struct triangular_call *c, hyla_layout *a, hyla_layout *b) {
  bool by_rows = (c->side == HYLA_LEFT) == !c->transposed;
  hyla_axis along = axis_of(c, by_rows, 1);
  hyla_axis across = axis_of(c, !by_rows, is(c, "sweep") ? c->nrhs : 1);
  *a = (hyla_layout){.row = axis_of(c, true, 1), .col = axis_of(c, false, 1)};
  *b = c->side == HYLA_LEFT ? (hyla_layout){.row = along, .col = across}
                            : (hyla_layout){.row = across, .col = along};
}

static void note_published(const hyla_plan *plan, struct run *run) {
  static const char mark[] = "published: ";
  char text[8000];
  const char *what = NULL;
  assert_true(hyla_plan_explain(plan, text, sizeof text) < sizeof text);
  assert_null(hyla_plan_child(plan, 0, &what)); /* nothing is moved */
  const char *line = strstr(text, mark);
  assert_non_null(line);
  line += strlen(mark);
  snprintf(run->told, sizeof run->told, "%.*s", (int)strcspn(line, "\n"), line);
}

static hyla_status solve(hyla_cube *cube, struct run *run, const hyla_matrix *a, hyla_matrix *b) {
  const struct triangular_call *c = run->call;
  bool lower = (c->side == HYLA_LEFT) == !c->transposed;
  hyla_plan *plan = NULL;
  hyla_status status = hyla_trsm_plan(cube, c->side, lower ? HYLA_LOWER : HYLA_UPPER,
                                      c->transposed ? HYLA_TRANSPOSE : HYLA_NONE, HYLA_ANY_DIAGONAL,
                                      1, a, b, c->variant, &plan);
  if (status != HYLA_OK) return status;
  run->begin = hyla_cube_clock(cube);
  status = hyla_plan_run(cube, plan);
  double seconds = hyla_cube_clock(cube) - run->begin;
  if (seconds > run->seconds) run->seconds = seconds;
  run->predicted = hyla_plan_seconds(plan);
  if (hyla_cube_address(cube) == 0) note_published(plan, run);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct run *run = arg;
  const struct triangular_call *c = run->call;
  int64_t n = c->q << c->k;
  hyla_layout layout_a, layout_b;
  hyla_matrix *a = NULL, *b = NULL;
  layouts(c, &layout_a, &layout_b);
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout_a, &a);
  bool left = c->side == HYLA_LEFT;
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, left ? n : c->nrhs, left ? c->nrhs : n,
                                &layout_b, &b);
  if (status == HYLA_OK) status = solve(cube, run, a, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* "30 = 2 (q 2^k - 1)" and the rest: asserts that the number is the formula's value; returns it. */
static int64_t value_told(const char *told, const struct triangular_call *c) {
  char *end = NULL, formula[200];
  struct formula_names names = {0};
  int64_t value = strtoll(told, &end, 10);
  formula_set(&names, "k", c->k);
  formula_set(&names, "q", c->q);
  formula_set(&names, "R", c->nrhs);
  formula_set(&names, "r", (c->nrhs + (1 << c->k) - 1) >> c->k);
  assert_int_equal(strncmp(end, " = ", 3), 0);
  const char *paper = strstr(end, " (johnsson-1987");
  size_t length = paper != NULL ? (size_t)(paper - end - 3) : strlen(end + 3);
  assert_true(length < sizeof formula);
  snprintf(formula, sizeof formula, "%.*s", (int)length, end + 3);
  assert_int_equal(value, formula_whole(formula, &names));
  return value;
}

/* The letters are given with their values. */
static void check_letters(const struct triangular_call *c, const char *told) {
  char text[80], more[30] = "";
  int64_t r = (c->nrhs + (1 << c->k) - 1) >> c->k;
  if (is(c, "product"))
    snprintf(more, sizeof more, ", r = %d", (int)r);
  else if (is(c, "identity") || c->nrhs > 1)
    snprintf(more, sizeof more, ", R = %d", (int)c->nrhs);
  snprintf(text, sizeof text, ", k = %d, q = %d%s; here ", c->k, (int)c->q, more);
  assert_non_null(strstr(told, text));
}

/* The time of the part that ended last before this one, or that begins the run. */
static int64_t part_of(const hyla_report *report, double begin, const char *name) {
  for (int i = 0; i < report->parts; i++)
    if (strcmp(report->part[i].name, name) == 0)
      return (int64_t)(report->part[i].end - (i > 0 ? report->part[i - 1].end : begin));
  return 0; /* nothing was left to do */
}

int64_t triangular_call_check(const struct triangular_call *call, int64_t *published) {
  static const char mark[] = "; here ";
  const hyla_simulation model = {
      .dims = 2 * call->k, .ports = HYLA_ALL_PORTS, .beta = 0.125, .dry = true};
  struct run run = {.call = call};
  hyla_report report;
  harness_note("hyla_trsm by %s, k = %d, q = %d, R = %d, side %d%s", call->variant, call->k,
               (int)call->q, (int)call->nrhs, (int)call->side,
               call->transposed ? ", transposed" : "");
  if (hyla_simulate(&model, body, &run, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_true(run.seconds == run.predicted);
  assert_true(report.parts > 0);
  assert_true(report.part[report.parts - 1].end - run.begin == run.seconds);
  *published = value_told(run.told, call);
  check_letters(call, run.told);
  const char *here = strstr(run.told, mark) + strlen(mark);
  bool none = strcmp(here, "0: they are the solution") == 0;
  int64_t own = none ? 0 : value_told(here, call);
  const char *part = is(call, "product") ? "solution where B lies" : "solution on the diagonal";
  assert_int_equal(part_of(&report, run.begin, part), own);
  return own;
}
