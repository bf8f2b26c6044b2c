/* A matrix by a vector (Johnsson 1987, 6.4) on simulated cubes, with vectors in the variants'
 * layouts.  One element goes over each directed link in a step, all links of a node at once: a
 * machine with free starts that takes one unit for an entry. */
#include "gemv_counts.h"

#include "base/base.h"
#include "formula.h"
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <string.h>

enum operation { GEMV, GER, SYMV, HEMV };
static const char *const OPERATIONS[] = {"gemv", "ger", "symv", "hemv"};

/* For rows: the layout of the vectors; the array is 2^d x 1, 1 x 2^d or 2^k x 2^k. */
enum lie { ON_A_LINE, IN_SHARES, IN_COPIES };

struct row {
  const char *variant, *reference, *formula;
  enum lie lie;
  int row_axes, col_axes; /* of the array, in multiples of k dimensions */
  hyla_code code;
  enum operation operation; /* SYMV: both sides */
};

static const struct row rows[] = {
    {"tree", "johnsson-1987, 3.4.1 and 6.4.2", "2 k q", ON_A_LINE, 1, 1, HYLA_GRAY, GEMV},
    {"sweep", "johnsson-1987, 6.4.1", "2 (q + 2^k - 2)", ON_A_LINE, 1, 1, HYLA_GRAY, GEMV},
    {"copies", "stout-wagar-1990, section 8", "k q", IN_COPIES, 1, 1, HYLA_GRAY, GEMV},
    {"blocks", "stout-wagar-1990, sections 6 and 8", "2 (1-2^-k) q", IN_SHARES, 1, 1, HYLA_BINARY,
     GEMV},
    {"rows", "johnsson-1987, 6.4.3", "(1-2^-(2k)) 2^k q", IN_SHARES, 2, 0, HYLA_BINARY, GEMV},
    {"columns", "stout-wagar-1990, sections 6 and 8", "(1-2^-(2k)) 2^k q", IN_SHARES, 0, 2,
     HYLA_BINARY, GEMV},
    {"tree", "johnsson-1987, 3.4.1", "2 k q", ON_A_LINE, 1, 1, HYLA_GRAY, GER},
    {"sweep", "johnsson-1987, 6.4.1", "2 (q + 2^k - 2)", ON_A_LINE, 1, 1, HYLA_GRAY, GER},
    {"copies", "stout-wagar-1990, section 8", "0", IN_COPIES, 1, 1, HYLA_GRAY, GER},
    {"blocks", "stout-wagar-1990, sections 6 and 8", "2 (1-2^-k) q", IN_SHARES, 1, 1, HYLA_BINARY,
     GER},
    {"tree", "johnsson-1987, 3.4.1 and 6.4.2", "(6k + 1) q", ON_A_LINE, 1, 1, HYLA_GRAY, SYMV},
    {"sweep", "johnsson-1987, 6.4.1", "4 (k+1) q + 2^k - 1, k > 1; 7 q, k = 1", ON_A_LINE, 1, 1,
     HYLA_GRAY, SYMV},
    {"copies", "stout-wagar-1990, section 8", "4k q", IN_COPIES, 1, 1, HYLA_GRAY, SYMV},
    {"blocks", "stout-wagar-1990, sections 6 and 8", "4 (1 + (k-1) 2^-k) q", IN_SHARES, 1, 1,
     HYLA_BINARY, SYMV},
    {"rows", "johnsson-1987, 6.4.3", "2 (1-2^-(2k)) 2^k q", IN_SHARES, 2, 0, HYLA_BINARY, SYMV},
    {"columns", "stout-wagar-1990, sections 6 and 8", "2 (1-2^-(2k)) 2^k q", IN_SHARES, 0, 2,
     HYLA_BINARY, SYMV},
};
enum { ROWS = sizeof rows / sizeof *rows, K_MOST = 3 };

struct product {
  const struct row *row;
  enum operation operation;
  int k;
  int64_t n;
  double seconds, predicted;
};

/* `axes' k dimensions from `first' on. */
static hyla_axis axis_of(const struct row *row, int k, int axes, int first) {
  hyla_axis axis = {.dims = axes * k, .code = row->code, .storage = HYLA_CYCLIC, .block = 1};
  for (int i = 0; i < axis.dims; i++) axis.dim[i] = (uint8_t)(first + i);
  return axis;
}

static hyla_layout layout_of_matrix(const struct product *p) {
  return (hyla_layout){.row = axis_of(p->row, p->k, p->row->row_axes, 0),
                       .col = axis_of(p->row, p->k, p->row->col_axes, p->row->row_axes * p->k),
                       .rest = HYLA_REPLICATED};
}

/* The layout of the vector that goes with the matrix' rows, or columns. */
static hyla_layout layout_of_vector(const struct product *p, bool with_rows) {
  const hyla_layout a = layout_of_matrix(p);
  const hyla_axis own = with_rows ? a.row : a.col, across = with_rows ? a.col : a.row;
  hyla_layout x = {.row = own, .rest = HYLA_REPLICATED};
  if (p->row->lie == ON_A_LINE) x.col = across;
  for (int i = 0; p->row->lie == IN_SHARES && i < across.dims; i++)
    x.row.dim[x.row.dims++] = across.dim[i];
  if (own.dims == 0) x.row.storage = HYLA_CONSECUTIVE;
  return x;
}

static hyla_status multiply(hyla_cube *cube, struct product *p, hyla_matrix *a,
                            const hyla_matrix *x, hyla_matrix *y) {
  const char *variant = p->row->variant;
  hyla_plan *plan = NULL;
  switch (p->operation) {
  case GEMV: TRY(hyla_gemv_plan(cube, HYLA_NONE, 1, a, x, 0, y, variant, &plan)); break;
  case GER: TRY(hyla_ger_plan(cube, HYLA_TRANSPOSE, 1, y, x, a, variant, &plan)); break;
  case SYMV: TRY(hyla_symv_plan(cube, HYLA_LOWER, 1, a, x, 0, y, variant, &plan)); break;
  case HEMV: TRY(hyla_hemv_plan(cube, HYLA_LOWER, 1, a, x, 0, y, variant, &plan)); break;
  }
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_plan_run(cube, plan);
  double seconds = hyla_cube_clock(cube) - begin;
  if (seconds > p->seconds) p->seconds = seconds;
  p->predicted = hyla_plan_seconds(plan);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct product *p = arg;
  /* If a symmetric matrix is split along one side only, both vectors lie along that side. */
  const bool transposed = p->operation >= SYMV && p->row->col_axes == 0;
  const bool straight = p->operation < SYMV || p->row->row_axes > 0;
  const hyla_layout of_a = layout_of_matrix(p), of_x = layout_of_vector(p, transposed),
                    of_y = layout_of_vector(p, straight);
  hyla_matrix *a = NULL, *x = NULL, *y = NULL;
  hyla_status status = hyla_matrix_create(cube, HYLA_FLOAT, p->n, p->n, &of_a, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_FLOAT, p->n, 1, &of_x, &x);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_FLOAT, p->n, 1, &of_y, &y);
  if (status == HYLA_OK) status = multiply(cube, p, a, x, y);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&y);
  return status;
}

static void check_product(const struct row *row, enum operation operation, int k, int64_t q) {
  struct product p = {.row = row, .operation = operation, .k = k, .n = q << k};
  struct formula_names names = {0};
  hyla_options options;
  hyla_options_init(&options);
  options.collective = "broadcast=doubling,reduce=doubling,allgather=doubling,"
                       "reduce-scatter=doubling,allreduce=doubling";
  const hyla_simulation links = {.dims = 2 * k, .beta = 0.25, .dry = true, .options = &options};
  hyla_report report;
  formula_set(&names, "k", k);
  formula_set(&names, "q", q);
  harness_note("%s %s, k = %d, q = %lld", OPERATIONS[operation], row->variant, k, (long long)q);
  if (hyla_simulate(&links, body, &p, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_true(p.seconds == (double)formula_whole(row->formula, &names));
  assert_true(p.seconds == p.predicted);
}

void gemv_counts_check_all(FILE *page) {
  fprintf(
      page,
      "\n## A matrix by a vector, element by element\n\n"
      "hyla_gemv on N = q 2^k equations, simulated with all ports, one element over a link in a\n"
      "step; the array is 2^k x 2^k, of rows 4^k x 1, of columns 1 x 4^k; element-cyclic, under\n"
      "Gray code but for shares, q a multiple of 2^k.  The vectors lie as the variant wants:\n"
      "on one line of the array (tree, sweep), in copies, in shares on all nodes.  Collectives\n"
      "by doubling; by others the words become fewer, as above.  hyla_ger brings both vectors and\n"
      "adds nothing up.  hyla_symv and hyla_hemv, which count alike, bring x along rows and along\n"
      "columns and add up y along both.  On 2^k x 2^k nodes x lies as A's columns and y as its\n"
      "rows, so that x and the second sums move from the one to the other, which is in the "
      "figure;\n"
      "on 4^k x 1 and 1 x 4^k both lie along the side that is split, and nothing moves.\n\n"
      "| variant | reference | communications | k | result |\n|---|---|---|---|---|\n");
  for (int i = 0; i < ROWS; i++) {
    const enum operation first = rows[i].operation, last = first == SYMV ? HEMV : first;
    for (int k = 1; k <= K_MOST; k++)
      for (int64_t q = 1; q <= 3; q++)
        for (enum operation o = first; o <= last; o++) check_product(&rows[i], o, k, q << k);
    fprintf(page, "| %s:%s | %s | %s | 1-%d | equal |\n", OPERATIONS[first], rows[i].variant,
            rows[i].reference, rows[i].formula, K_MOST);
  }
}
