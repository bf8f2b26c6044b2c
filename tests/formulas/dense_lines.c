/* Dense columns and rows in the simulator; see dense_lines.h. */
#include "dense_lines.h"

#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "base/base.h"

#include <string.h>

enum { D_MOST = 6, LINES_MOST = 16 };

/* A column a node; the first columns and the first rows are dense. */
struct run {
  int d, columns, rows;
  const char *name, *variant; /* of the collective that is run; NULL: the transposition */
  int64_t steps;
};

static hyla_status transpose(hyla_cube *cube, struct run *r, const hyla_matrix *a, hyla_matrix *b) {
  int64_t numbers[LINES_MOST];
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, a, b};
  hyla_plan *plan = NULL;
  for (int i = 0; i < LINES_MOST; i++) numbers[i] = i;
  hyla_status status = hyla_redistribute_dense_plan(cube, &transfer, numbers, r->columns, numbers,
                                                    r->rows, "transpose-dense", &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) r->steps = hyla_plan_cost(plan).steps;
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status by_matrix(hyla_cube *cube, struct run *r) {
  hyla_axis axis = {.dims = r->d, .code = HYLA_BINARY, .storage = HYLA_CYCLIC, .block = 1};
  for (int i = 0; i < r->d; i++) axis.dim[i] = (uint8_t)i;
  const hyla_layout layout = {.col = axis};
  hyla_matrix *a = NULL, *b = NULL;
  int64_t n = INT64_C(1) << r->d;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout, &b);
  if (status == HYLA_OK) status = transpose(cube, r, a, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct run *r = arg;
  if (r->name == NULL) return by_matrix(cube, r);
  const hyla_collective it = {.name = r->name,
                              .variant = r->variant,
                              .words = 1,
                              .active =
                                  strcmp(r->name, "partial-gather") == 0 ? r->rows : r->columns};
  hyla_collective_result result;
  hyla_status status = hyla_collective_run(cube, &it, &result);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) r->steps = result.counted.steps;
  return status;
}

/* The steps by a variant; -1 if it does not serve. */
static int64_t counted(struct run *r, const char *name, const char *variant) {
  const hyla_simulation model = {
      .dims = r->d, .ports = HYLA_ALL_PORTS, .alpha = 1, .beta = 0.0009765625};
  hyla_report report;
  r->name = name;
  r->variant = variant;
  hyla_status status = hyla_simulate(&model, body, r, &report);
  if (status == HYLA_UNSUPPORTED) return -1;
  if (status != HYLA_OK) fail_msg("%s", report.message);
  return r->steps;
}

/* The fewer steps of both variants. */
static int64_t least(struct run *r, const char *name) {
  int64_t all = counted(r, name, "v92"), few = counted(r, name, "matched");
  return few >= 0 && few < all ? few : all;
}

void dense_lines_check_all(FILE *page) {
  static const int lines[][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 4}, {8, 2}, {16, 16}};
  fprintf(
      page,
      "\n## Dense columns and rows\n\n"
      "varvarigos-1992, section 3.1: the transposition of a matrix, a column a node, with M1\n"
      "dense columns and M2 dense rows (V46) is a partial exchange (V14) and a partial gather\n"
      "(V15), so the paper's count is the sum of theirs.  Steps of\n"
      "`redistribute:transpose-dense` in the simulator, beside those of both collectives, with\n"
      "the first columns and rows dense: equal, or fewer where no node is busiest in both.\n\n"
      "| transposition | d | M1 | M2 | exchange | gather | sum | simulated |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (int d = 1; d <= D_MOST; d++)
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
      struct run run = {.d = d, .columns = lines[i][0], .rows = lines[i][1]};
      if (run.columns > 1 << d || run.rows > 1 << d) continue;
      harness_note("d = %d, %d columns, %d rows", d, run.columns, run.rows);
      int64_t out = run.columns > 0 ? least(&run, "partial-exchange") : 0;
      int64_t in = run.rows > 0 ? least(&run, "partial-gather") : 0;
      int64_t found = counted(&run, NULL, NULL);
      assert_true(found <= out + in && found >= hy_max(out, in));
      if (out == 0 || in == 0) assert_int_equal(found, out + in);
      fprintf(page, "| dense columns and rows | %d | %d | %d | %d | %d | %d | %d |\n", d,
              run.columns, run.rows, (int)out, (int)in, (int)(out + in), (int)found);
    }
}
