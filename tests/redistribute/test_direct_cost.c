/* Redistribution on virtual cubes: right at every size, and counted as predicted. */
#include "hyla_lab.h"
#include "tests/matrix/matrix_cases.h"

/* One move, drawn before the nodes run. */
struct trip {
  hyla_operation op;
  hyla_type type;
  int64_t rows, cols; /* of the source */
  hyla_layout from, to;
};

static struct trip draw_trip(int dims) {
  int last = case_layouts(dims) - 1;
  struct trip trip = {.op = (hyla_operation)harness_draw(0, 2),
                      .type = (hyla_type)harness_draw(0, 3),
                      .rows = harness_draw(0, 40),
                      .cols = harness_draw(0, 40),
                      .from = case_layout(dims, (int)harness_draw(0, last)),
                      .to = case_layout(dims, (int)harness_draw(0, last))};
  harness_note("2^%d nodes, op %d, type %d, %d x %d, %s to %s", dims, (int)trip.op, (int)trip.type,
               (int)trip.rows, (int)trip.cols, case_name(&trip.from), case_name(&trip.to));
  return trip;
}

static hyla_status check_entries(hyla_matrix *to, const struct trip *trip) {
  for (int64_t m = 0; m < to->local_cols; m++)
    for (int64_t l = 0; l < to->local_rows; l++) {
      int64_t row = hyla_matrix_row(to, l), col = hyla_matrix_col(to, m);
      int64_t columns = trip->cols;
      double _Complex entry =
          trip->op == HYLA_NONE ? case_entry(&columns, row, col) : case_entry(&columns, col, row);
      if (trip->op == HYLA_CONJUGATE) entry = conj(entry);
      CHECK(&to->cube->base, case_same(to->k->get(hy_at(to, l, m), 0), case_rounded(to, entry)),
            ARGUMENT, "entry (%lld, %lld) is wrong", (long long)row, (long long)col);
    }
  return HYLA_OK;
}

/* The ledger's counts follow from the layouts. */
static hyla_status check_counts(const hyla_matrix *from, const hyla_matrix *to,
                                const struct trip *trip) {
  hyla_cube *cube = from->cube;
  struct hy_operand source = hy_operand_of(from, trip->op), target = hy_operand_of(to, HYLA_NONE);
  const struct hy_direct_ends ends = {&source, &target, from->k->size, HY_WHOLE};
  hyla_cost cost = {0};
  TRY(hy_direct_cost(cube, &ends, 1, &cost));
  hyla_ledger ledger;
  TRY(hyla_cube_ledger(cube, &ledger));
  int64_t messages = ledger.far_messages, bytes = ledger.far_bytes;
  for (int dim = 0; dim < cube->dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  CHECK(&cube->base, messages == cost.messages, ARGUMENT, "%lld messages, %lld predicted",
        (long long)messages, (long long)cost.messages);
  CHECK(&cube->base, bytes == cost.words * (int64_t)from->k->size, ARGUMENT,
        "%lld bytes, %lld words predicted", (long long)bytes, (long long)cost.words);
  CHECK(&cube->base, ledger.steps == cost.steps, ARGUMENT, "%lld steps, %lld predicted",
        (long long)ledger.steps, (long long)cost.steps);
  return HYLA_OK;
}

static hyla_status travel(hyla_cube *cube, const struct trip *trip, hyla_matrix *from,
                          hyla_matrix *to) {
  int64_t columns = trip->cols;
  TRY(hyla_matrix_fill(cube, from, case_entry, &columns));
  struct hy_direct *move = NULL;
  const hyla_transfer transfer = {trip->op, 1, from, to};
  TRY(hy_agree(cube, hy_direct_create(cube, &transfer, 1, &move)));
  TRY(hyla_cube_ledger_clear(cube));
  hyla_status status = hy_direct_run(move);
  if (status == HYLA_OK) status = check_counts(from, to, trip);
  if (status == HYLA_OK) status = check_entries(to, trip);
  hy_direct_destroy(&move);
  return hy_agree(cube, status);
}

static hyla_status body(hyla_cube *cube, void *arg) {
  const struct trip *trip = arg;
  bool transposed = trip->op != HYLA_NONE;
  hyla_matrix *from = NULL, *to = NULL;
  TRY(hyla_matrix_create(cube, trip->type, trip->rows, trip->cols, &trip->from, &from));
  hyla_status status = hyla_matrix_create(cube, trip->type, transposed ? trip->cols : trip->rows,
                                          transposed ? trip->rows : trip->cols, &trip->to, &to);
  if (status == HYLA_OK) status = travel(cube, trip, from, to);
  hyla_matrix_destroy(&to);
  hyla_matrix_destroy(&from);
  return status;
}

static void what_is_counted_is_what_was_predicted(void **state) {
  (void)state;
  for (int dims = 0; dims <= 6; dims++)
    for (int round = 0; round < 24 - 3 * dims; round++) {
      struct trip trip = draw_trip(dims);
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 1};
      hyla_report report;
      hyla_status status = hyla_simulate(&model, body, &trip, &report);
      assert_string_equal(report.message, "");
      assert_int_equal(status, HYLA_OK);
    }
}

/* The same layout sends nothing; a transposition of a square on a square array sends each node's
 * part to one other node. */
static void known_moves_cost_what_is_known(void **state) {
  (void)state;
  for (int half = 0; half <= 3; half++) {
    int dims = 2 * half;
    hyla_layout layout = case_layout(dims, 6 * half + 1);
    struct hy_axis row = hy_axis_make(&layout.row, 5 << half);
    struct hy_axis col = hy_axis_make(&layout.col, 5 << half);
    const struct hy_operand here = {.row = row, .col = col}, across = {.row = col, .col = row};
    const struct hy_direct_ends still = {&here, &here, 8, HY_WHOLE},
                                turned = {&across, &here, 8, HY_WHOLE};
    for (int node = 0; node < 1 << dims; node++) {
      hyla_cube cube = {.dims = dims, .nodes = 1 << dims, .address = node};
      hyla_cost cost = {0};
      assert_int_equal(hy_direct_cost(&cube, &still, 1, &cost), HYLA_OK);
      assert_int_equal(cost.steps + cost.messages + cost.words + cost.memory, 0);
      assert_int_equal(hy_direct_cost(&cube, &turned, 1, &cost), HYLA_OK);
      bool diagonal = node >> half == (node & ((1 << half) - 1));
      assert_int_equal(cost.messages, diagonal ? 0 : 1);
      assert_int_equal(cost.words, diagonal ? 0 : 25);
      assert_int_equal(cost.memory, diagonal ? 0 : 2 * 25 * 8);
      assert_int_equal(cube.base.bytes_now, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_counted_is_what_was_predicted),
      cmocka_unit_test(known_moves_cost_what_is_known),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
