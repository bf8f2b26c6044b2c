/* See elimination_calls.h. */
#include "elimination_calls.h"
#include "elimination_forms.h"

#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

struct run {
  hyla_method method;
  const char *variant;
  int k, q, r;
  char text[8000]; /* the plan's text */
  double begin, seconds;
};

static hyla_layout elements(int k) {
  hyla_layout layout = {.row = {.dims = k, .code = HYLA_GRAY, .storage = HYLA_CYCLIC, .block = 1}};
  layout.col = layout.row;
  for (int i = 0; i < k; i++) {
    layout.col.dim[i] = (uint8_t)i;
    layout.row.dim[i] = (uint8_t)(k + i);
  }
  return layout;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct run *run = arg;
  const hyla_layout layout = elements(run->k);
  const int64_t n = (int64_t)run->q << run->k, nrhs = (int64_t)run->r << run->k;
  hyla_matrix *a = NULL;
  hyla_factor *factor = NULL;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout, &a);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_DOMINANT, 1);
  if (status == HYLA_OK)
    status =
        hyla_factor_create(cube, run->method, HYLA_DOUBLE, n, nrhs, &layout, run->variant, &factor);
  if (status == HYLA_OK) {
    const hyla_plan *plan = hyla_factor_plan(factor);
    if (hyla_cube_address(cube) == 0)
      assert_true(hyla_plan_explain(plan, run->text, sizeof run->text) < sizeof run->text);
    run->begin = hyla_cube_clock(cube);
    status = hyla_factor_compute(cube, factor, a);
    double seconds = hyla_cube_clock(cube) - run->begin;
    if (seconds > run->seconds) run->seconds = seconds;
  }
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_report simulate(struct run *run, double alpha, double beta) {
  const hyla_simulation model = {
      .dims = 2 * run->k, .ports = HYLA_ALL_PORTS, .alpha = alpha, .beta = beta / 8};
  hyla_report report;
  run->seconds = 0;
  harness_note("%s, k = %d, q = %d, r = %d", run->variant, run->k, run->q, run->r);
  if (hyla_simulate(&model, body, run, &report) != HYLA_OK) fail_msg("%s", report.message);
  return report;
}

/* The time of this part alone. */
static int64_t elimination_of(const hyla_report *report) {
  for (int i = 1; i < report->parts; i++)
    if (strcmp(report->part[i].name, "elimination") == 0)
      return (int64_t)(report->part[i].end - report->part[i - 1].end);
  return -1;
}

/* "published: 49 = 3 (2^k - 1) + k (johnsson-1987, ...": asserts that the figure is the formula's;
 * returns the library's own, after "here". */
static int64_t check_told(const struct run *run, int64_t wanted) {
  static const char mark[] = "  published: ", own[] = "; here ";
  char *end = NULL, formula[200];
  const char *line = strstr(run->text, mark);
  assert_non_null(line);
  int64_t figure = strtoll(line + strlen(mark), &end, 10);
  const char *paper = strstr(end, " (johnsson-1987, "), *here = strstr(end, own);
  assert_true(paper != NULL && here != NULL && paper - end < (ptrdiff_t)sizeof formula);
  snprintf(formula, sizeof formula, "%.*s", (int)(paper - end - 3), end + 3);
  assert_int_equal(figure, value(formula, run->k, run->q, run->r));
  assert_int_equal(figure, wanted);
  return strtoll(here + strlen(own), &end, 10);
}

static void check(hyla_method method, const char *variant, int k, int q, int r, int64_t wanted,
                  int64_t own) {
  struct run run = {.method = method, .variant = variant, .k = k, .q = q, .r = r};
  const hyla_report report = simulate(&run, 0, 1);
  assert_int_equal(check_told(&run, wanted), own);
  if (r == 0) assert_int_equal(elimination_of(&report), own);
}

void elimination_calls_check(int k, int q, int r) {
  check(HYLA_LU, "diagonal", k, q, r, theorem(k, q, r), pipelined(k, q, r));
  if (q > 1 || r > 0) return; /* the paper has no count for them */
  check(HYLA_GAUSS_JORDAN, "diagonal", k, q, r, value(JORDAN, k, q, r), value(PRODUCT, k, q, r));
  check(HYLA_QR, "givens", k, q, r, value(JORDAN, k, q, r), value(ROTATIONS, k, q, r));
}

/* Order k 2^k, for the remark of section 6.1: exactly (3 k + 1) 2^k - 1 starts; elements, on which
 * the drawn pivots bear, stay below 20 k 2^k. */
void elimination_calls_print(FILE *page, int k_most) {
  fprintf(page,
          "| `gauss-jordan:blocked`, N = 2^k, pivots looked for | remark of section 6.1 (J39) | "
          "O(k 2^k) | 1-%d | starts (3k+1) 2^k - 1:",
          k_most);
  for (int elements = 0; elements < 2; elements++) {
    if (elements) fprintf(page, "; elements:");
    for (int k = 1; k <= k_most; k++) {
      struct run run = {.method = HYLA_GAUSS_JORDAN, .variant = "blocked", .k = k, .q = 1};
      (void)simulate(&run, elements ? 0 : 1, elements ? 1 : 0);
      if (elements)
        assert_true(run.seconds <= 20 * k * (1 << k));
      else
        assert_true(run.seconds == (3 * k + 1) * (1 << k) - 1);
      fprintf(page, " %d", (int)run.seconds);
    }
  }
  fprintf(page, " | none |\n");
}
