/* Turns of a matrix, planned by the library on simulated cubes whose links carry a word in one unit
 * of time, all links at once: Stout and Wagar 1990, section 10. */
#include "turns.h"

#include "formula.h"
#include "hyla_lab.h"
#include "matrix/matrix.h"
#include "moved.h"
#include "tests/harness/harness.h"

#include <string.h>

enum { TURN_DIMS = 8 };

/* A turn of an N x N matrix, and its results. */
struct turned {
  const char *variant;
  hyla_operation op;
  hyla_layout layout;
  int64_t n;
  struct moved moved;
};

static hyla_status turn(hyla_cube *cube, void *arg) {
  struct turned *x = arg;
  hyla_matrix *from = NULL, *to = NULL;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &x->layout, &from));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, x->n, x->n, &x->layout, &to));
  const hyla_transfer transfer = {x->op, 1, from, to};
  hyla_status status = moved_run(cube, &transfer, x->variant, &x->moved);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return status;
}

static hyla_axis axis_of(hyla_code code, int low, int dims) {
  hyla_axis axis = {.dims = dims, .code = code};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(low + i);
  return axis;
}

/* The kinds of turns, a line each.  hops: the most links that a block crosses; 0: its pieces go to
 * different nodes. */
static const struct kind {
  const char *what, *variant, *formula, *hops, *dims;
  bool half, rows, gray; /* rows: N/2^d of them on a node; otherwise square submatrices, d = 2c */
} KINDS[] = {
    {"half turn by rows", "turn-rings", "tau m + d beta", "d", "1-8", true, true, false},
    {"half turn, submatrices", "turn-rings", "tau m + d beta", "d", "2-8", true, false, false},
    {"half turn by rows, Gray", "turn-rings", "tau m + beta", "1", "1-8", true, true, true},
    {"half turn, submatrices, Gray", "turn-rings", "tau m + 2 beta", "2", "2-8", true, false, true},
    {"quarter turn by rows", "transpose-rows", "tau N^2 / 2^(d+1) + d beta", "", "1-6", false, true,
     false},
    {"quarter turn by rows, Gray", "transpose-rows", "tau N^2 / 2^(d+1) + d beta", "", "1-6", false,
     true, true},
    {"quarter turn, submatrices", "turn-rings", "tau m + c beta", "c", "2-8", false, false, false},
    {"quarter turn, submatrices, Gray", "turn-pairs", "tau m + 2 c beta", "2 c - 1", "2-8", false,
     false, true},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static bool serves(const struct kind *kind, int d) {
  if (!kind->rows) return d % 2 == 0;
  return kind->half || d <= 6;
}

static hyla_layout layout_of(const struct kind *kind, int d) {
  hyla_code code = kind->gray ? HYLA_GRAY : HYLA_BINARY;
  int c = d / 2;
  if (kind->rows) return (hyla_layout){.row = axis_of(code, 0, d)};
  return (hyla_layout){.row = axis_of(code, d - c, c), .col = axis_of(code, 0, c)};
}

/* A size for which the parts of all messages are whole words. */
static int64_t size_of(const struct kind *kind, int d) {
  enum { SIDE = 24 }; /* every 2 k up to 2 c divides its square */
  return kind->rows ? (int64_t)d << d : (int64_t)SIDE << (d / 2);
}

static void check_turn(const struct kind *kind, int d, hyla_operation op, int64_t beta) {
  struct turned x = {
      .variant = kind->variant, .op = op, .layout = layout_of(kind, d), .n = size_of(kind, d)};
  const hyla_simulation model = {.dims = d,
                                 .ports = HYLA_ALL_PORTS,
                                 .alpha = (double)beta,
                                 .beta = 1.0 / sizeof(double),
                                 .dry = true};
  hyla_report report;
  harness_note("%s, d = %d, op %d, beta %lld", kind->what, d, (int)op, (long long)beta);
  if (hyla_simulate(&model, turn, &x, &report) != HYLA_OK) fail_msg("%s", report.message);
  int64_t m = x.n * x.n >> d;
  struct formula_names names = {0};
  formula_set(&names, "d", d);
  formula_set(&names, "c", d / 2);
  formula_set(&names, "N", x.n);
  formula_set(&names, "m", m);
  formula_set(&names, "tau", 1);
  formula_set(&names, "beta", beta);
  struct formula_number time = formula_value(kind->formula, &names);
  assert_int_equal(time.den, 1);
  assert_true(x.moved.seconds == (double)time.num);
  assert_true(x.moved.predicted == x.moved.seconds);
  assert_int_equal(x.moved.words, x.moved.cost.words);
  if (*kind->hops != '\0' && strcmp(kind->variant, "turn-rings") == 0)
    assert_int_equal(x.moved.words, m * formula_value(kind->hops, &names).num);
}

/* The largest distance that blocks go, and whether all go equally far. */
static int farthest(const struct kind *kind, int d, hyla_operation op, bool *alike) {
  const hyla_layout layout = layout_of(kind, d);
  int64_t n = size_of(kind, d), rows = n >> layout.row.dims, cols = n >> layout.col.dims;
  int most = 0, least = d;
  for (int64_t i = 0; i < n; i += rows)
    for (int64_t j = 0; j < n; j += cols) {
      int64_t row = op == HYLA_TURN_LEFT ? n - 1 - j : op == HYLA_TURN_RIGHT ? j : n - 1 - i;
      int64_t col = op == HYLA_TURN_LEFT ? i : op == HYLA_TURN_RIGHT ? n - 1 - i : n - 1 - j;
      int away = hy_popcount((uint32_t)hyla_layout_owner(&layout, n, n, i, j) ^
                             (uint32_t)hyla_layout_owner(&layout, n, n, row, col));
      most = (int)hy_max(most, away);
      least = (int)hy_min(least, away);
    }
  *alike = most == least;
  return most;
}

static void check_hops(const struct kind *kind, int d, hyla_operation op) {
  struct formula_names names = {0};
  bool alike;
  if (*kind->hops == '\0') return;
  formula_set(&names, "d", d);
  formula_set(&names, "c", d / 2);
  assert_int_equal(farthest(kind, d, op, &alike), formula_value(kind->hops, &names).num);
  assert_true(alike == (strcmp(kind->variant, "turn-rings") == 0 || d == 2));
}

static void check_kind(const struct kind *kind, int d) {
  static const int64_t starts[] = {0, 1, 1000};
  int first = kind->half ? HYLA_TURN_HALF : HYLA_TURN_LEFT;
  int last = kind->half ? HYLA_TURN_HALF : HYLA_TURN_RIGHT;
  for (int op = first; op <= last; op++) {
    struct harness_walk walk = harness_walk(3, d < TURN_DIMS ? 3 : 1);
    for (int64_t i; harness_next(&walk, &i);) check_turn(kind, d, (hyla_operation)op, starts[i]);
    check_hops(kind, d, (hyla_operation)op);
  }
}

/* If d, or c, does not divide the words of a node, parts are unequal, and the turn takes longer. */
static void check_ragged(void) {
  static const struct {
    int kind;
    hyla_operation op;
    double time;
  } turns[] = {{1, HYLA_TURN_HALF, 36}, {6, HYLA_TURN_LEFT, 26}};
  for (int i = 0; i < 2; i++) {
    const struct kind *kind = &KINDS[turns[i].kind];
    struct turned x = {
        .variant = kind->variant, .op = turns[i].op, .layout = layout_of(kind, 4), .n = 12};
    const hyla_simulation model = {
        .dims = 4, .ports = HYLA_ALL_PORTS, .alpha = 3, .beta = 2.0 / sizeof(double), .dry = true};
    hyla_report report;
    harness_note("%s, ragged", kind->what);
    if (hyla_simulate(&model, turn, &x, &report) != HYLA_OK) fail_msg("%s", report.message);
    assert_true(x.moved.seconds == turns[i].time);
  }
}

void turns_check_all(FILE *page) {
  check_ragged();
  fprintf(
      page,
      "\n## Turns of a matrix\n\n"
      "stout-wagar-1990, section 10, names them; the times follow from its model.  An N x N\n"
      "matrix on 2^d nodes, N^2 / 2^d = m words a node, in rows or, d = 2c, in square\n"
      "submatrices, all consecutive.  d must divide m, for quarter turns of submatrices c must.\n"
      "Otherwise packets have different lengths, and a turn takes longer: for N = 12, d = 4,\n"
      "tau = 2 and beta = 3 the half turn of submatrices takes 36 instead of 30, the quarter turn\n"
      "26 instead of 24.  The time is that of the library's plan, left and right, by the\n"
      "simulator's clock, for beta = 0, tau and 1000 tau.  If blocks stay whole, `links` is the\n"
      "number of links that each block crosses; for the quarter turn of submatrices under Gray\n"
      "code, in which these numbers differ, it is the largest.\n\n"
      "| turn | variant | time | links | d | result |\n|---|---|---|---|---|---|\n");
  for (int k = 0; k < KIND_COUNT; k++) {
    const struct kind *kind = &KINDS[k];
    for (int d = 1; d <= TURN_DIMS; d++)
      if (serves(kind, d)) check_kind(kind, d);
    fprintf(page, "| %s | %s | %s | %s | %s | equal |\n", kind->what, kind->variant, kind->formula,
            *kind->hops != '\0' ? kind->hops : "exchange", kind->dims);
  }
}
