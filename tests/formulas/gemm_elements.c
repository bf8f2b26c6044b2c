/* Products element by element in the simulator.  See gemm_elements.h. */
#include "gemm_elements.h"

#include "formula.h"
#include "hyla_lab.h"
#include "mmc.h"
#include "tests/harness/harness.h"

#include "gemm/gemm.h"

#include <stdlib.h>
#include <string.h>

/* Johnsson 1987, section 5: nodes of a 2^k x 2^k array use all their links at once, for one element
 * a step, and send each element once a block step. */
struct by_elements {
  const struct hy_variant *variant;
  const char *beside; /* text after the name of the row: its particularity */
  const struct algorithm *algorithm;
  hyla_code code;
  int less;     /* steps that the run takes less than the theorem's count, from k = 2 on; */
  int less_one; /* with k = 1 */
  const char *why;
};

static const struct by_elements BY_ELEMENTS[] = {
    {&hy_gemm_dekel, "", &mmc_algorithms[0], HYLA_BINARY, 0, 0, "equal"},
    {&hy_gemm_cannon, "", &mmc_algorithms[1], HYLA_GRAY, 0, 0, "equal"},
    {&hy_gemm_reflect, "", &mmc_algorithms[2], HYLA_GRAY, 0, 1, "equal; k = 1: one less"},
    {&hy_gemm_reflect, ", binary code", &mmc_algorithms[2], HYLA_BINARY, 0, 1,
     "equal; k = 1: one less"},
    {&hy_gemm_outer, "", &mmc_algorithms[3], HYLA_GRAY, 1, 1,
     "one less: what a node has nothing to do in takes no time"},
    {&hy_gemm_outer_pipelined, "", &mmc_algorithms[4], HYLA_GRAY, 0, 0, "equal"},
};

/* A product of matrices with q1 x q2, q2 x q3 elements on a node. */
struct product {
  const struct by_elements *by;
  int k;
  int64_t q1, q2, q3;
  double seconds, predicted;
  char told[400]; /* the text after "published: " */
};

static hyla_layout element_cyclic(const struct product *p) {
  hyla_layout layout = {.rest = HYLA_REPLICATED};
  hyla_axis *axis[] = {&layout.col, &layout.row};
  for (int a = 0; a < 2; a++) {
    *axis[a] = (hyla_axis){.dims = p->k, .code = p->by->code, .storage = HYLA_CYCLIC, .block = 1};
    for (int i = 0; i < p->k; i++) axis[a]->dim[i] = (uint8_t)(a * p->k + i);
  }
  return layout;
}

static void note_published(const hyla_plan *plan, struct product *p) {
  static const char mark[] = "published: ";
  char text[4000];
  assert_true(hyla_plan_explain(plan, text, sizeof text) < sizeof text);
  assert_null(strstr(text, "redistributed"));
  const char *line = strstr(text, mark);
  assert_non_null(line);
  line += strlen(mark);
  snprintf(p->told, sizeof p->told, "%.*s", (int)strcspn(line, "\n"), line);
}

static hyla_status multiply(hyla_cube *cube, struct product *p, hyla_matrix *const x[3]) {
  hyla_plan *plan = NULL;
  const char *name = p->by->variant->name;
  TRY(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, x[0], x[1], 0, x[2], name, &plan));
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_plan_run(cube, plan);
  double seconds = hyla_cube_clock(cube) - begin;
  if (seconds > p->seconds) p->seconds = seconds;
  p->predicted = hyla_plan_seconds(plan);
  if (hyla_cube_address(cube) == 0) note_published(plan, p);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct product *p = arg;
  const hyla_layout layout = element_cyclic(p);
  const int64_t m = p->q1 << p->k, k = p->q2 << p->k, n = p->q3 << p->k;
  const int64_t sizes[3][2] = {{m, k}, {k, n}, {m, n}};
  hyla_matrix *x[3] = {NULL};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 3 && status == HYLA_OK; i++)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, sizes[i][0], sizes[i][1], &layout, &x[i]);
  if (status == HYLA_OK) status = multiply(cube, p, x);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&x[i]);
  return status;
}

static void simulate(struct product *p, double beta, double gamma) {
  const hyla_simulation model = {
      .dims = 2 * p->k, .ports = HYLA_ALL_PORTS, .beta = beta / 8, .gamma = gamma, .dry = true};
  hyla_report report;
  p->seconds = 0;
  harness_note("%s, k = %d, q = %lld %lld %lld", p->by->variant->name, p->k, (long long)p->q1,
               (long long)p->q2, (long long)p->q3);
  if (hyla_simulate(&model, body, p, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_true(p->seconds == p->predicted);
}

/* The value of a formula in k, q products and s elements of the larger factor on a node. */
static int64_t count_of(const char *text, const struct product *p) {
  struct formula_names names = {0};
  formula_set(&names, "k", p->k);
  formula_set(&names, "q", p->q1 * p->q2 * p->q3);
  formula_set(&names, "s", hy_max(p->q1, p->q3) * p->q2);
  return formula_whole(text, &names);
}

/* "37 = s 2^k + k - 1" and the rest: asserts that figure and formula are the theorem's. */
static void check_told(const struct product *p, const char *told, const char *formula) {
  char *end = NULL;
  assert_int_equal(strtoll(told, &end, 10), count_of(formula, p));
  assert_int_equal(strncmp(end, " = ", 3), 0);
  assert_int_equal(strncmp(end + 3, formula, strlen(formula)), 0);
}

static void check(const struct by_elements *by, int k, const int64_t q[3]) {
  static const char mark[] = "each sent once a block step: ";
  struct product p = {.by = by, .k = k, .q1 = q[0], .q2 = q[1], .q3 = q[2]};
  simulate(&p, 1, 0);
  int64_t once = count_of(by->algorithm->once, &p);
  assert_true(p.seconds == (double)(once - (k == 1 ? by->less_one : by->less)));
  check_told(&p, p.told, by->algorithm->formula);
  const char *told = strstr(p.told, mark);
  assert_non_null(told);
  check_told(&p, told + strlen(mark), by->algorithm->once);
  /* A product is a multiplication and an addition. */
  simulate(&p, 0, 1);
  assert_true(p.seconds == 2.0 * (double)(q[0] * q[1] * q[2] * (1 << k)));
}

static double seconds_of(const struct by_elements *by, int k, int64_t q) {
  struct product p = {.by = by, .k = k, .q1 = q, .q2 = q, .q3 = q};
  simulate(&p, 1, 0);
  return p.seconds;
}

static void print_row(FILE *page, const struct by_elements *x) {
  const struct product shown = {.by = x, .k = 2, .q1 = 3, .q2 = 3, .q3 = 3};
  fprintf(page, "| %s%s | %s | %s | 1-5 | %s |", x->variant->name, x->beside,
          x->algorithm->theorem + strlen("theorem "), x->algorithm->once, x->why);
  for (int k = 1; k <= 4; k++) fprintf(page, " %g", seconds_of(x, k, 1));
  fprintf(page, " | %lld %lld %g |\n", (long long)count_of(x->algorithm->formula, &shown),
          (long long)count_of(x->algorithm->once, &shown), seconds_of(x, 2, 3));
}

void gemm_elements_check_all(FILE *page) {
  static const int64_t shapes[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4},
                                      {2, 1, 1}, {1, 2, 3}, {3, 2, 1}};
  enum { SHAPES = sizeof shapes / sizeof *shapes };
  int64_t part, parts;
  fprintf(page,
          "\nThe library's own variants, run by the simulator with all ports, on matrices in "
          "element-cyclic\nstorage with q1 x q2 and q2 x q3 elements of A and B on a node, s = "
          "max(q1, q3) q2: blocks\nare cut into packets of one element, which is best if starts "
          "are free, and each is sent once\na block step.  So they take the column `sent once` "
          "above; q1, q2, q3 to 4, equal or not.\nThe last column has three counts for k = 2, q1 = "
          "q2 = q3 = 3.  The arithmetic is q 2^k\nsteps, equal to the paper's.  `hyla simulate "
          "gemm --size 12 --dims 4 --layout\ngray/cyclic:1 --variant cannon --alpha 0 --beta 1 "
          "--gamma 0` prints the figures.\n\n| variant | theorem | steps | k | result | N = 2^k, k "
          "= 1 ... 4 | paper, sent once, simulated |\n|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof BY_ELEMENTS / sizeof *BY_ELEMENTS; i++) {
    const struct by_elements *x = &BY_ELEMENTS[i];
    const bool whole = harness_part(&part, &parts);
    /* On 1024 nodes a square and the shape with three sizes. */
    for (int k = 1; k <= 5; k++)
      for (int shape = 0; shape < SHAPES; shape++)
        if (k < 4 || (k == 4 && (whole || shape == 2)) || (whole && shape % 4 == 1))
          check(x, k, shapes[shape]);
    print_row(page, x);
  }
}
