/* The library's triangular systems in the simulator; see triangular.h. */
#include "triangular.h"
#include "formula.h"

#include "harness.h"
#include "hyla_lab.h"

#include "solve/trsm.h"

enum { K_MOST = 4, Q_MOST = 3 };

/* L X = B, or with the transpose of a stored upper triangle, q 2^k x R, one element a block under
 * Gray code on 2^k x 2^k nodes, all right-hand sides on the first rank column. */
struct run {
  int k;
  int64_t q, sides;
  bool transposed;
  bool runs; /* else it is only planned */
};

static hyla_axis axis_of(int first, int dims, int64_t block) {
  hyla_axis axis = {.dims = dims, .code = HYLA_GRAY, .storage = HYLA_CYCLIC, .block = block};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(first + i);
  return axis;
}

static struct hy_triangular_problem problem_of(hyla_cube *cube, const struct run *r) {
  const hyla_axis high = axis_of(r->k, r->k, 1), low = axis_of(0, r->k, 1);
  const hyla_axis across = axis_of(r->transposed ? r->k : 0, r->k, r->sides);
  int64_t n = r->q << r->k;
  struct hy_triangular_problem p = {.cube = cube, .k = hy_kernels_of(HYLA_DOUBLE), .sweep = true};
  p.t_row = hy_axis_make(&high, n);
  p.t_col = hy_axis_make(&low, n);
  p.x_row = r->transposed ? p.t_col : p.t_row;
  p.x_col = hy_axis_make(&across, r->sides);
  p.form = (struct hy_triangular){.block = 1,
                                  .side = HYLA_LEFT,
                                  .triangle = r->transposed ? HYLA_UPPER : HYLA_LOWER,
                                  .op = r->transposed ? HYLA_TRANSPOSE : HYLA_NONE,
                                  .diagonal = HYLA_ANY_DIAGONAL};
  return p;
}

/* The sweep, from right-hand sides on the first rank column to the solution on the diagonal. */
static hyla_status sweep(hyla_cube *cube, const struct run *r, hyla_matrix *t, hyla_matrix *x) {
  const struct hy_triangular_problem problem = problem_of(cube, r);
  struct hy_triangular_system system;
  hyla_status status = hy_triangular_create(&problem, &system);
  if (status == HYLA_OK) status = hy_triangular_take(&system, t);
  if (status == HYLA_OK && r->runs) {
    const hyla_matrix sums = hy_sums_begin(&system.s, x);
    status = hy_sweep_sums(&system.s, &sums);
  }
  hy_triangular_free(&system);
  return hy_agree(cube, status);
}

static hyla_status body(hyla_cube *cube, void *arg) {
  const struct run *r = arg;
  const struct hy_triangular_problem p = problem_of(cube, r);
  hyla_matrix *t = NULL, *x = NULL;
  hyla_status status = hy_trsm_workspace(cube, p.k, &p.t_row, &p.t_col, &t);
  if (status == HYLA_OK) status = hy_trsm_workspace(cube, p.k, &p.x_row, &p.x_col, &x);
  if (status == HYLA_OK) status = sweep(cube, r, t, x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&t);
  return status;
}

/* Units in sequence: all nodes end the planning at once. */
static int64_t counted(struct run run, double beta, double gamma) {
  const hyla_simulation model = {
      .dims = 2 * run.k, .ports = HYLA_ALL_PORTS, .beta = beta, .gamma = gamma, .dry = true};
  double time[2];
  for (int runs = 0; runs < 2; runs++) {
    hyla_report report;
    run.runs = runs == 1;
    if (hyla_simulate(&model, body, &run, &report) != HYLA_OK) fail_msg("%s", report.message);
    time[runs] = report.time;
  }
  return (int64_t)(time[1] - time[0]);
}

static const char ONE_SIDE[] = "2 (N - 1)";
static const char SIDES[] = "max(2 2^k, 2R)(q - 1) + 2 2^k + R - 3";

static int64_t published(const struct run *r) {
  struct formula_names names = {0};
  formula_set(&names, "k", r->k);
  formula_set(&names, "q", r->q);
  formula_set(&names, "R", r->sides);
  formula_set(&names, "N", r->q << r->k);
  return formula_whole(r->sides == 1 ? ONE_SIDE : SIDES, &names);
}

/* With nearly as many right-hand sides as there are rank columns some sums wait behind others. */
static void check(struct run run) {
  int64_t side = INT64_C(1) << run.k;
  harness_note("k = %d, q = %d, R = %d%s", run.k, (int)run.q, (int)run.sides,
               run.transposed ? ", transposed" : "");
  int64_t late = counted(run, 0.125, 0) - published(&run);
  if (run.sides <= side / 4 + 2 || run.sides >= 2 * side)
    assert_int_equal(late, 0);
  else
    assert_true(late >= 0 && late <= (run.q - 1) * (side / 2 + 2));
}

/* A row of the page: what was published and what was counted for q = 1, 2 and all k. */
static void print_row(FILE *page, const char *theorem, const char *formula, int64_t sides) {
  fprintf(page, "| sweep | %s | %s | 1-%d |", theorem, formula, K_MOST);
  for (int simulated = 0; simulated < 2; simulated++) {
    if (sides > 1) fprintf(page, " R = %d:", (int)sides);
    for (int k = 1; k <= K_MOST; k++)
      for (int q = 1; q <= 2; q++) {
        const struct run run = {.k = k, .q = q, .sides = sides};
        fprintf(page, " %d", (int)(simulated ? counted(run, 0.125, 0) : published(&run)));
      }
    fprintf(page, " |");
  }
  fprintf(page, "\n");
}

/* A division, and for each unknown but the last a multiplication and a subtraction until the next
 * can be divided. */
static void check_arithmetic(void) {
  for (int k = 1; k <= K_MOST; k++)
    assert_int_equal(counted((struct run){.k = k, .q = 1, .sides = 1}, 0, 1),
                     3 * ((1 << k) - 1) + 1);
}

void triangular_check_all(FILE *page) {
  static const int sides[] = {1, 2, 3, 4, 6, 7, 8, 11, 16, 20, 32};
  for (int k = 1; k <= K_MOST; k++)
    for (int64_t q = 1; q <= Q_MOST; q++)
      for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int transposed = 0; transposed < 2; transposed++)
          check((struct run){.k = k, .q = q, .sides = sides[i], .transposed = transposed == 1});
  check_arithmetic();
  fprintf(
      page,
      "\n## Triangular systems, element by element\n\n"
      "johnsson-1987, section 6.4: the library's own column sweep, run by the simulator with all\n"
      "ports, on N = q 2^k equations element-cyclic on 2^k x 2^k nodes under Gray code, from\n"
      "right-hand sides on the first rank column to the solution on the diagonal; R right-hand\n"
      "sides go one behind the other.  With the transpose stored the same (J37, simulated too).\n"
      "Equal for q = 1-3: 6.2 always, 6.3 for R to 2^k / 4 + 2 and from 2^(k+1) on.  Between,\n"
      "sums wait behind others on a link: up to 2^(k-1) + 2 steps more for each 2^k unknowns\n"
      "after the first.  A block of the solution goes only to ranks with unknowns to come.  The\n"
      "arithmetic is 3 (2^k - 1) + 1 steps for N = 2^k, equal to theorem 6.2's.  To bring the\n"
      "solution to where the right-hand sides lay takes one reduction beside that.\n\n"
      "| variant | theorem | communications | k | N = 2^k and 2^(k+1), k = 1 ... 4: paper | "
      "simulated |\n|---|---|---|---|---|---|\n");
  print_row(page, "6.2 (J33, J37)", ONE_SIDE, 1);
  print_row(page, "6.3 (J34, J37)", SIDES, 2);
}
