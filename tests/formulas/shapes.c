/* Matrices whose blocks stay whole while their dimensions are not exchanged in pairs, by the
 * library's plan on simulated cubes: Stout and Wagar 1990, PERMUTED SEND. */
#include "shapes.h"

#include "formula.h"
#include "hyla_lab.h"
#include "matrix/matrix.h"
#include "moved.h"
#include "tests/harness/harness.h"

#include <string.h>

enum { SHAPE_DIMS = 8 };
static const char FORMULA[] = "tau m + 2d beta";

/* The kinds, a line each: the codes before and after. */
static const struct kind {
  const char *what, *variant;
  hyla_operation op;
  hyla_code from, to;
} KINDS[] = {
    {"transpose, binary", "transpose-permuted", HYLA_TRANSPOSE, HYLA_BINARY, HYLA_BINARY},
    {"transpose, Gray", "transpose-permuted", HYLA_TRANSPOSE, HYLA_GRAY, HYLA_GRAY},
    {"transpose, Gray to binary", "transpose-permuted", HYLA_TRANSPOSE, HYLA_GRAY, HYLA_BINARY},
    {"quarter turn, binary", "turn-permuted", HYLA_TURN_LEFT, HYLA_BINARY, HYLA_BINARY},
    {"quarter turn, binary to Gray", "turn-permuted", HYLA_TURN_RIGHT, HYLA_BINARY, HYLA_GRAY},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* An N x N matrix on 2^r x 2^(d-r) nodes, and its results. */
struct shaped {
  const struct kind *kind;
  int d, r;
  int64_t n;
  bool chosen; /* chosen by the planner; otherwise the kind's variant is asked for */
  struct moved moved;
};

static hyla_layout array_of(hyla_code code, int rows, int cols) {
  hyla_layout layout = {.row = {.dims = rows, .code = code}, .col = {.dims = cols, .code = code}};
  for (int i = 0; i < rows; i++) layout.row.dim[i] = (uint8_t)(cols + i);
  for (int i = 0; i < cols; i++) layout.col.dim[i] = (uint8_t)i;
  return layout;
}

static hyla_status move(hyla_cube *cube, void *arg) {
  struct shaped *x = arg;
  hyla_matrix *from = NULL, *to = NULL;
  const hyla_layout before = array_of(x->kind->from, x->r, x->d - x->r),
                    after = array_of(x->kind->to, x->d - x->r, x->r);
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &before, &from));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &after, &to));
  const hyla_transfer transfer = {x->kind->op, 1, from, to};
  hyla_status status = moved_run(cube, &transfer, x->chosen ? NULL : x->kind->variant, &x->moved);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return status;
}

static void simulate(struct shaped *x, int64_t beta) {
  const hyla_simulation model = {.dims = x->d,
                                 .ports = HYLA_ALL_PORTS,
                                 .alpha = (double)beta,
                                 .beta = 1.0 / sizeof(double),
                                 .dry = true};
  hyla_report report;
  harness_note("%s, %d x %d nodes, N = %lld, beta %lld", x->kind->what, 1 << x->r,
               1 << (x->d - x->r), (long long)x->n, (long long)beta);
  if (hyla_simulate(&model, move, x, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_true(x->moved.predicted == x->moved.seconds);
  assert_int_equal(x->moved.words, x->moved.cost.words);
}

/* With m words a block, a multiple of d 2^d. */
static void check_shape(const struct kind *kind, int d, int r, int64_t beta) {
  struct shaped x = {.kind = kind, .d = d, .r = r, .n = (int64_t)d << d};
  struct formula_names names = {0};
  simulate(&x, beta);
  const int64_t m = x.n * x.n >> d;
  formula_set(&names, "d", d);
  formula_set(&names, "m", m);
  formula_set(&names, "tau", 1);
  formula_set(&names, "beta", beta);
  struct formula_number time = formula_value(FORMULA, &names);
  assert_int_equal(time.den, 1);
  assert_true(x.moved.seconds == (double)time.num);
  assert_int_equal(x.moved.words, d * m);
}

/* With other lengths: no link carries as much as one part more a step, and the planner's choice, if
 * starts cost nothing, takes no longer than the kind's variant. */
static void check_any_length(const struct kind *kind, int d, int r) {
  struct shaped x = {.kind = kind, .d = d, .r = r, .chosen = true};
  x.n = harness_draw(1 << (d - 1), 6 << d) >> d << d;
  if (x.n == 0) x.n = INT64_C(1) << d;
  simulate(&x, 0);
  const int64_t piece = hy_ceil_div(x.n * x.n >> d, 1 << d);
  const int64_t most = hy_ceil_div(piece << (d - 1), d) + 1;
  if (strcmp(x.moved.variant, kind->variant) == 0)
    assert_true(x.moved.seconds <= (double)(2 * d * most));
  struct shaped asked = {.kind = kind, .d = d, .r = r, .n = x.n};
  simulate(&asked, 0);
  assert_true(x.moved.seconds <= asked.moved.seconds);
}

static void check_kind(const struct kind *kind) {
  static const int64_t starts[] = {0, 1, 1000};
  int64_t part, parts;
  const int most = harness_part(&part, &parts) ? SHAPE_DIMS : 5;
  for (int d = 2; d <= most; d++) {
    const int times = d <= 6 ? 3 : 1;
    struct harness_walk walk = harness_walk(times * (d - 1), 2);
    for (int64_t i; harness_next(&walk, &i);) {
      const int r = 1 + (int)i / times;
      if (2 * r == d && kind->from == kind->to) continue; /* dimensions are exchanged in pairs */
      check_shape(kind, d, r, starts[i % 3]);
      if (d <= 5) check_any_length(kind, d, r);
    }
  }
}

void shapes_check_all(FILE *page) {
  fprintf(
      page,
      "\n## Blocks between arrays of other shapes\n\n"
      "stout-wagar-1990, PERMUTED SEND of whole blocks: an N x N matrix, consecutive, m words a\n"
      "block, from 2^r x 2^c nodes to 2^c x 2^r, r from 1 to d - 1, r = c only where the code\n"
      "changes.  No dimensions change places in pairs.  The time is that of the library's plan\n"
      "by the simulator's clock, for beta = 0, tau and 1000 tau (one of them for d > 6), where\n"
      "d 2^d divides m.\n\n"
      "| what | variant | time | d | result |\n|---|---|---|---|---|\n");
  for (int k = 0; k < KIND_COUNT; k++) {
    check_kind(&KINDS[k]);
    fprintf(page, "| %s | %s | %s | 2-%d | equal |\n", KINDS[k].what, KINDS[k].variant, FORMULA,
            SHAPE_DIMS);
  }
}
