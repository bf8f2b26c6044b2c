/* Published times of multiplications, against the simulator's.  See gemm_3d.h. */
#include "gemm_3d.h"

#include "formula.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "gemm/gemm.h"

/* Times for sides of q = 2^s nodes; m: a node's part of one matrix if all nodes had equal parts. */
struct published {
  const struct hy_variant *variant;
  int axes; /* d = axes s */
  int s_max;
  hyla_ports ports;
  const char *paper;
  const char *mine; /* the library's own formula, if it is below the paper's; otherwise NULL */
  const char *why;
};

static const struct published PUBLISHED[] = {
    {&hy_gemm_berntsen, 3, 3, HYLA_ONE_PORT,
     "(2 (q-1) + 3 s) beta + (3 (q-1) + 2 s) tau m, d = 3 s",
     "(2 (q-1) + 1 + 2 s) beta + (3 (q-1) + 1 + s) tau m",
     ": set up straight, not place by place, B while A is on its way, and no port is charged for "
     "what passes a node"},
    {&hy_gemm_dns, 3, 3, HYLA_ONE_PORT, "5 s (beta + q tau m), d = 3 s", NULL, "equal"},
    {&hy_gemm_all3d, 3, 3, HYLA_ONE_PORT, "4 s beta + (3 (q-1) + s/2) tau m, d = 3 s", NULL,
     "equal"},
    {&hy_gemm_hje, 2, 4, HYLA_ALL_PORTS, "(q - 1 + s) beta + ((q-1)/s + s) tau m, d = 2 s",
     "(q - 1 + s) (beta + tau m / s)", ": in the set-up too each link carries one part of a block"},
};

/* ----------------------------------------------------------- simulation -- */

struct product {
  const struct hy_variant *variant;
  int64_t n;
  bool runs; /* run; otherwise it is only planned */
};

/* The layouts in which nothing is moved. */
static void wanted_layouts(hyla_cube *cube, const struct product *p, hyla_layout layouts[3]) {
  hyla_layout standard;
  (void)hyla_layout_default(cube, p->n, p->n, &standard);
  struct hy_operand x = {.row = hy_axis_make(&standard.row, p->n),
                         .col = hy_axis_make(&standard.col, p->n)};
  const struct hy_gemm_problem given = {.cube = cube,
                                        .kernels = hy_kernels_of(HYLA_DOUBLE),
                                        .m = p->n,
                                        .n = p->n,
                                        .k = p->n,
                                        .a = x,
                                        .b = x,
                                        .c = x};
  struct hy_gemm_problem wanted = given;
  hy_gemm_traits_of(p->variant)->layouts(&given, &wanted);
  const struct hy_operand *operands[] = {&wanted.a, &wanted.b, &wanted.c};
  for (int i = 0; i < 3; i++)
    layouts[i] = (hyla_layout){
        .row = operands[i]->row.code, .col = operands[i]->col.code, .rest = operands[i]->rest};
}

static hyla_status multiply(hyla_cube *cube, const struct product *p, hyla_matrix *const x[3]) {
  hyla_plan *plan = NULL;
  TRY(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, x[0], x[1], 0, x[2], p->variant->name, &plan));
  hyla_status status = p->runs ? hyla_plan_run(cube, plan) : HYLA_OK;
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  const struct product *p = arg;
  hyla_layout layouts[3];
  hyla_matrix *x[3] = {NULL};
  hyla_status status = HYLA_OK;
  wanted_layouts(cube, p, layouts);
  for (int i = 0; i < 3 && status == HYLA_OK; i++)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, p->n, p->n, &layouts[i], &x[i]);
  if (status == HYLA_OK) status = multiply(cube, p, x);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&x[i]);
  return status;
}

/* The time of a run without the planning, on a dry machine, in words: all nodes end the planning at
 * the same time. */
static double simulated(const struct hy_variant *variant, int64_t n, hyla_simulation model) {
  double time[2];
  model.beta /= 8;
  model.dry = true;
  for (int runs = 0; runs < 2; runs++) {
    struct product p = {variant, n, runs == 1};
    hyla_report report;
    hyla_status status = hyla_simulate(&model, body, &p, &report);
    if (status != HYLA_OK) fail_msg("%s: %s", variant->name, report.message);
    time[runs] = report.time;
  }
  return time[1] - time[0];
}

static void check(const struct published *row, int s, int64_t times) {
  int64_t parts = (int64_t)1 << row->axes * s, n = times * s * ((int64_t)1 << 2 * s);
  static const int64_t machines[][2] = {{1, 0}, {0, 1}, {1000, 1}};
  struct formula_names names = {0};
  formula_set(&names, "s", s);
  formula_set(&names, "q", (int64_t)1 << s);
  formula_set(&names, "d", row->axes * s);
  formula_set(&names, "m", n * n / parts);
  /* the largest cubes take the last machine only */
  for (int i = row->axes * s > 6 ? 2 : 0; i < 3; i++) {
    formula_set(&names, "beta", machines[i][0]);
    formula_set(&names, "tau", machines[i][1]);
    harness_note("%s, s = %d, n = %lld, alpha %lld, beta %lld", row->variant->name, s, (long long)n,
                 (long long)machines[i][0], (long long)machines[i][1]);
    const hyla_simulation model = {.dims = row->axes * s,
                                   .ports = row->ports,
                                   .alpha = (double)machines[i][0],
                                   .beta = (double)machines[i][1]};
    double time = simulated(row->variant, n, model);
    int64_t paper = formula_whole(row->paper, &names);
    assert_true(time == (double)(row->mine ? formula_whole(row->mine, &names) : paper));
    assert_true(time <= (double)paper);
  }
}

void gemm_3d_check_all(FILE *page) {
  fprintf(page,
          "\n## Multiplication by blocks\n\n"
          "Square matrices on cubes with equal sides of q = 2^s nodes, m = n^2 / 2^d entries of\n"
          "each on a node, in the variants' own layouts.  The times of gupta-1996, with the\n"
          "set-up, are compared with simulated ones.\n\n"
          "| variant | reference | ports | time | s | result |\n|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof PUBLISHED / sizeof *PUBLISHED; i++) {
    const struct published *row = &PUBLISHED[i];
    for (int s = 1; s <= row->s_max; s++) check(row, s, s == 1 ? 3 : 1);
    fprintf(page, "| %s | %s | %s | %s | 1-%d | %s%s |\n", row->variant->name,
            row->variant->reference, row->ports == HYLA_ONE_PORT ? "one" : "all", row->paper,
            row->s_max, row->mine ? row->mine : "", row->why);
  }
}
