/* Turns of matrices on virtual cubes of even and odd dimension: every entry, the counts compared
 * with the predictions, sums of turns, and the price of the chosen variant. */
#include "hyla_lab.h"
#include "tests/formulas/moved.h"
#include "turn_cases.h"

static hyla_status simulate(int dims, hyla_body *body, void *arg, hyla_report *report) {
  const hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.01};
  return hyla_simulate(&model, body, arg, report);
}

static hyla_status moves(hyla_cube *cube, void *arg) { return redistribute_check(cube, arg); }

static void whole_blocks(void **state) {
  (void)state;
  static const int times[] = {8, 40, 60, 40, 30, 12, 6};
  static const char *const variants[] = {"turn-rings", "turn-pairs", "turn-permuted"};
  for (int v = 0; v < 3; v++)
    for (int dims = 0; dims <= 6; dims++) {
      int served = 0;
      for (int i = 0; i < harness_few(times[dims]); i++) {
        struct redistribute_case x = whole_turn(dims, variants[v]);
        hyla_report report;
        harness_note("%d dimensions: %s", dims, redistribute_name(&x));
        hyla_status status = simulate(dims, moves, &x, &report);
        if (status != HYLA_OK && status != HYLA_UNSUPPORTED) fail_msg("%s", report.message);
        served += status == HYLA_OK;
      }
      assert_true(served > 0);
    }
}

static hyla_status adds_up(hyla_cube *cube, void *arg) { return turn_check(cube, arg); }

static void turns_add_up(void **state) {
  (void)state;
  static const char *const variants[] = {NULL, "direct", "moves", "multiphase"};
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < harness_few(dims < 5 ? 32 : 8); i++) {
      struct turn_case x = drawn_turn(dims, variants[i % 4]);
      hyla_report report;
      harness_note("%d dimensions: %s", dims, turn_name(&x));
      if (simulate(dims, adds_up, &x, &report) != HYLA_OK) fail_msg("%s", report.message);
    }
}

/* A turn, planned and run without data: it takes the predicted time. */
struct priced {
  hyla_operation op;
  hyla_type type;
  hyla_layout from, to;
  int64_t rows, cols;
  const char *asked; /* NULL: the planner chooses */
  struct moved moved;
};

static hyla_status price(hyla_cube *cube, void *arg) {
  struct priced *x = arg;
  bool transposed = x->op != HYLA_TURN_HALF;
  hyla_matrix *from = NULL, *to = NULL;
  TRY(hyla_matrix_create(cube, x->type, x->rows, x->cols, &x->from, &from));
  TRY(hyla_matrix_create(cube, x->type, transposed ? x->cols : x->rows,
                         transposed ? x->rows : x->cols, &x->to, &to));
  const hyla_transfer transfer = {x->op, 1, from, to};
  hyla_status status = moved_run(cube, &transfer, x->asked, &x->moved);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return status;
}

/* Starts and words take whole units of time, so sums of times are exact. */
static void what_is_chosen_takes_as_long_as_predicted(void **state) {
  (void)state;
  for (int dims = 0; dims <= 7; dims++)
    for (int round = 0; round < harness_few(dims < 6 ? 24 : 6); round++) {
      struct priced x = {.op = (hyla_operation)harness_draw(HYLA_TURN_LEFT, HYLA_TURN_HALF),
                         .type = (hyla_type)harness_draw(0, TYPES - 1),
                         .rows = harness_draw(0, 5 << dims),
                         .cols = harness_draw(0, 5 << dims),
                         .from = case_any_layout(dims),
                         .to = case_any_layout(dims)};
      const hyla_simulation model = {.dims = dims,
                                     .ports = round % 2 ? HYLA_ALL_PORTS : HYLA_ONE_PORT,
                                     .alpha = (double)harness_draw(0, 1000),
                                     .beta = (double)harness_draw(0, 3),
                                     .dry = true};
      hyla_report report;
      harness_note("%d dimensions, op %d, %lld x %lld, %s to %s", dims, (int)x.op,
                   (long long)x.rows, (long long)x.cols, case_name(&x.from), case_name(&x.to));
      if (hyla_simulate(&model, price, &x, &report) != HYLA_OK) fail_msg("%s", report.message);
      assert_true(x.moved.seconds == x.moved.predicted);
    }
}

/* For large blocks on square arrays the planner takes the paper's variant. */
static void the_papers_turns_are_chosen(void **state) {
  (void)state;
  static const struct {
    hyla_operation op;
    int kind; /* of both axes: binary or Gray, consecutive */
    const char *variant;
  } cases[] = {{HYLA_TURN_HALF, 0, "turn-rings"}, {HYLA_TURN_HALF, 3, "turn-rings"},
               {HYLA_TURN_LEFT, 0, "turn-rings"}, {HYLA_TURN_RIGHT, 0, "turn-rings"},
               {HYLA_TURN_LEFT, 3, "turn-pairs"}, {HYLA_TURN_RIGHT, 3, "turn-pairs"}};
  for (int c = 2; c <= 3; c++)
    for (int i = 0; i < 6; i++) {
      struct redistribute_side side;
      square_layouts(2 * c, cases[i].kind, cases[i].kind, &side);
      struct priced x = {
          .op = cases[i].op, .type = HYLA_DOUBLE, .from = side.from, .to = side.from};
      x.rows = x.cols = 96 << c;
      const hyla_simulation model = {
          .dims = 2 * c, .ports = HYLA_ALL_PORTS, .alpha = 10, .beta = 1, .dry = true};
      hyla_report report;
      harness_note("op %d, kind %d, c = %d", (int)cases[i].op, cases[i].kind, c);
      if (hyla_simulate(&model, price, &x, &report) != HYLA_OK) fail_msg("%s", report.message);
      assert_string_equal(x.moved.variant, cases[i].variant);
      /* Rings have no pair of dimensions that swaps: its two links would be crossed as one. */
      if (strcmp(cases[i].variant, "turn-pairs") != 0) continue;
      x.asked = "turn-rings";
      assert_int_equal(hyla_simulate(&model, price, &x, &report), HYLA_UNSUPPORTED);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_blocks),
      cmocka_unit_test(turns_add_up),
      cmocka_unit_test(what_is_chosen_takes_as_long_as_predicted),
      cmocka_unit_test(the_papers_turns_are_chosen),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
