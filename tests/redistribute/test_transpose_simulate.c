/* The papers' transposes on virtual cubes: every entry, and the counts compared with the
 * predictions. */
#include "hyla_lab.h"
#include "transpose_cases.h"

static hyla_status body(hyla_cube *cube, void *arg) { return redistribute_check(cube, arg); }

static void simulate(int dims, struct redistribute_case *x) {
  hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.01};
  hyla_report report;
  harness_note("%d dimensions: %s", dims, redistribute_name(x));
  hyla_status status = hyla_simulate(&model, body, x, &report);
  if (status != HYLA_OK) fail_msg("%s: %s", hyla_status_name(status), report.message);
}

static void blocks_of_any_array(void **state) {
  (void)state;
  static const int times[] = {4, 0, 24, 16, 12, 4, 2};
  for (int v = 0; v < BLOCK_VARIANTS; v++)
    for (int dims = 0; dims <= 6; dims++)
      for (int i = 0; i < times[dims]; i++) {
        struct redistribute_case x = drawn_case(dims, block_variants[v], true);
        simulate(dims, &x);
      }
}

/* Views that begin inside a block; the second begins `shift' rows later than it must for blocks
 * that match those of the first. */
struct views {
  const char *variant;
  int64_t shift;
};

enum { VIEW_ROWS = 17, VIEW_COLS = 13, VIEW_FIRST = 3 };

static hyla_status transpose_view(hyla_cube *cube, const struct views *v, hyla_matrix *a,
                                  hyla_matrix *b) {
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, a, b};
  hyla_plan *plan = NULL;
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++)
      a->k->set(hy_at(a, l, m), 0, (double)(hyla_matrix_row(a, l) * 100 + hyla_matrix_col(a, m)));
  hyla_status status = hyla_redistribute_plan(cube, 1, &transfer, v->variant, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  TRY(status);
  bool right = true;
  for (int64_t m = 0; m < b->local_cols; m++)
    for (int64_t l = 0; l < b->local_rows; l++)
      right &= b->k->get(hy_at(b, l, m), 0) ==
               (double)(hyla_matrix_col(b, m) * 100 + hyla_matrix_row(b, l));
  return hy_agree(cube, right ? HYLA_OK : hy_fail(&cube->base, HYLA_FORMAT, "wrong entries"));
}

static hyla_status body_of_views(hyla_cube *cube, void *arg) {
  const struct views *v = arg;
  hyla_axis axis = {.dims = 2, .dim = {2, 3}, .storage = HYLA_CYCLIC, .block = 2};
  hyla_layout layout = {.row = axis, .col = axis};
  hyla_matrix *from = NULL, *to = NULL, *a = NULL, *b = NULL;
  int64_t most = VIEW_ROWS + 2 * VIEW_FIRST, row = VIEW_FIRST + v->shift;
  for (int i = 0; i < 2; i++) layout.col.dim[i] = (uint8_t)i;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, most, most, &layout, &from));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, most, most, &layout, &to));
  TRY(hyla_matrix_view(from, VIEW_FIRST, VIEW_FIRST, VIEW_ROWS, VIEW_COLS, &a));
  TRY(hyla_matrix_view(to, row, VIEW_FIRST, VIEW_COLS, VIEW_ROWS, &b));
  hyla_status status = transpose_view(cube, v, a, b);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&to);
  hyla_matrix_destroy(&from);
  return status;
}

/* Blocks are cut alike if both views begin at the same place of a block. */
static void blocks_of_views(void **state) {
  (void)state;
  const hyla_simulation model = {.dims = 4, .alpha = 1, .beta = 0.01};
  for (int v = 0; v < BLOCK_VARIANTS; v++)
    for (int64_t shift = 0; shift < 2; shift++) {
      struct views views = {block_variants[v], shift};
      hyla_report report;
      harness_note("%s, %lld rows later", views.variant, (long long)shift);
      assert_int_equal(hyla_simulate(&model, body_of_views, &views, &report),
                       shift == 0 ? HYLA_OK : HYLA_UNSUPPORTED);
    }
}

static void blocks_to_any_nodes(void **state) {
  (void)state;
  static const int times[] = {4, 8, 24, 24, 16, 8, 2};
  int64_t served = 0;
  for (int dims = 0; dims <= 6; dims++)
    for (int i = 0; i < times[dims]; i++) {
      struct redistribute_case x = permuted_case(dims);
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.01};
      hyla_report report;
      harness_note("%d dimensions: %s", dims, redistribute_name(&x));
      hyla_status status = hyla_simulate(&model, body, &x, &report);
      served += status == HYLA_OK;
      if (status == HYLA_UNSUPPORTED && dims > 0) continue; /* all blocks stay */
      if (status != HYLA_OK) fail_msg("%s: %s", hyla_status_name(status), report.message);
    }
  assert_true(served >= 60);
}

static void rows_to_columns_and_back(void **state) {
  (void)state;
  static const int times[] = {4, 12, 12, 12, 8, 2};
  for (int v = 0; v < LINE_VARIANTS; v++)
    for (int dims = 0; dims <= 5; dims++)
      for (int i = 0; i < times[dims]; i++) {
        struct redistribute_case x = drawn_case(dims, line_variants[v], false);
        simulate(dims, &x);
      }
}

static void dense_columns_and_rows(void **state) {
  (void)state;
  for (int dims = 0; dims <= 5; dims++)
    for (int i = 0; i < (dims < 5 ? 8 : 2); i++) {
      struct redistribute_case x = dense_case(dims, harness_draw(0, 40));
      simulate(dims, &x);
    }
}

/* The messages of the exchange within a band. */
struct banded {
  struct redistribute_case x;
  hyla_cost cost;
};

static hyla_status body_of_band(hyla_cube *cube, void *arg) {
  struct banded *banded = arg;
  const struct redistribute_side *side = &banded->x.side[0];
  hyla_matrix *from = NULL, *to = NULL;
  hyla_plan *plan = NULL;
  TRY(redistribute_check(cube, &banded->x));
  TRY(hyla_matrix_create(cube, banded->x.type, side->rows, side->cols, &side->from, &from));
  TRY(hyla_matrix_create(cube, banded->x.type, side->cols, side->rows, &side->to, &to));
  const hyla_transfer transfer = {side->op, side->alpha, from, to};
  TRY(hyla_redistribute_band_plan(cube, &transfer, banded->x.width, banded->x.variant, &plan));
  if (cube->address == 0) banded->cost = hyla_plan_cost(plan);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return HYLA_OK;
}

static hyla_status simulate_band(int dims, struct banded *banded) {
  hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.01};
  hyla_report report;
  harness_note("%d dimensions, width %lld: %s", dims, (long long)banded->x.width,
               redistribute_name(&banded->x));
  hyla_status status = hyla_simulate(&model, body_of_band, banded, &report);
  if (status != HYLA_OK && status != HYLA_UNSUPPORTED)
    fail_msg("%s: %s", hyla_status_name(status), report.message);
  return status;
}

/* One column a node and a band of 2^(b+1) + 1: 2^b steps (chapter 2, theorem 6), on every node. */
static void bands_take_as_many_steps_as_the_paper_says(void **state) {
  (void)state;
  for (int dims = 1; dims <= 6; dims++)
    for (int b = 0; b < dims; b++) {
      int64_t reach = (int64_t)1 << b;
      struct banded banded = {.x = banded_case(dims, b, (int64_t)1 << dims, reach)};
      assert_int_equal(simulate_band(dims, &banded), HYLA_OK);
      assert_int_equal(banded.cost.steps, reach);
      if (b == dims - 1) continue; /* that is all of the matrix */
      struct banded wider = {.x = banded_case(dims, b, (int64_t)1 << dims, reach + 1)};
      assert_int_equal(simulate_band(dims, &wider), HYLA_UNSUPPORTED);
    }
}

/* Any size, storage and width: refused or right, and some are right. */
static void bands_of_any_matrix(void **state) {
  (void)state;
  int64_t done = 0;
  for (int round = 0; round < 300; round++) {
    int dims = (int)harness_draw(1, 5);
    int64_t n = harness_draw(0, 3 << dims), width = harness_draw(0, 1 + n / 4);
    struct banded banded = {.x = banded_case(dims, (int)harness_draw(0, dims - 1), n, width)};
    done += simulate_band(dims, &banded) == HYLA_OK;
  }
  assert_in_range(done, 50, 299);
}

/* A variant refuses operations that it is not made for. */
static void refuse(int dims, const struct redistribute_side *side, const char *const *variants,
                   int count) {
  for (int v = 0; v < count; v++) {
    struct redistribute_case x = {
        .type = HYLA_DOUBLE, .count = 1, .variant = variants[v], .whole = true, .side = {*side}};
    hyla_simulation model = {.dims = dims};
    hyla_report report;
    harness_note("%d dimensions: %s", dims, redistribute_name(&x));
    assert_int_equal(hyla_simulate(&model, body, &x, &report), HYLA_UNSUPPORTED);
  }
}

static void other_layouts_are_refused(void **state) {
  (void)state;
  static const char *const permuted = "transpose-permuted";
  struct redistribute_side side = {.op = HYLA_TRANSPOSE, .alpha = 1, .rows = 13, .cols = 11};
  square_layouts(4, 0, 1, &side);
  refuse(4, &side, line_variants, LINE_VARIANTS);
  side.to.row = side.from.row; /* cut as the source's rows, not its columns */
  refuse(4, &side, block_variants, BLOCK_VARIANTS);
  refuse(4, &side, &permuted, 1);
  square_layouts(4, 1, 1, &side);
  side.to.row.code = HYLA_GRAY;
  refuse(4, &side, block_variants, BLOCK_VARIANTS);
  square_layouts(4, 1, 1, &side);
  side.op = HYLA_NONE;
  refuse(4, &side, block_variants, BLOCK_VARIANTS);
  refuse(4, &side, &permuted, 1);
  side.op = HYLA_TRANSPOSE;
  line_layouts(3, 1, 4, false, &side);
  refuse(3, &side, block_variants, BLOCK_VARIANTS);
  side.op = HYLA_NONE; /* from rows to rows */
  refuse(3, &side, line_variants, LINE_VARIANTS);
}

/* A square matrix in blocks of side x side entries on a 2^k x 2^k array, transposed by straight
 * messages. */
struct straight {
  int k;
  int64_t side;
  double seconds, predicted;
};

static hyla_status transpose_straight(hyla_cube *cube, void *arg) {
  struct straight *x = arg;
  struct redistribute_side blocks;
  hyla_matrix *from = NULL, *to = NULL;
  hyla_plan *plan = NULL;
  square_layouts(2 * x->k, 1, 1, &blocks);
  int64_t n = x->side << x->k;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &blocks.from, &from);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &blocks.from, &to);
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, from, to};
  if (status == HYLA_OK) status = hyla_redistribute_plan(cube, 1, &transfer, "direct", &plan);
  double begin = hyla_cube_clock(cube);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  double seconds = hyla_cube_clock(cube) - begin;
  if (seconds > x->seconds) x->seconds = seconds;
  if (status == HYLA_OK) x->predicted = hyla_plan_seconds(plan);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return status;
}

static void check_straight(int k, int64_t alpha) {
  struct straight x = {.k = k, .side = 32};
  const hyla_simulation model = {
      .dims = 2 * k, .ports = HYLA_ALL_PORTS, .alpha = (double)alpha, .beta = 1.0 / 8, .dry = true};
  hyla_report report;
  harness_note("k = %d, alpha %lld", k, (long long)alpha);
  if (hyla_simulate(&model, transpose_straight, &x, &report) != HYLA_OK)
    fail_msg("%s", report.message);
  int64_t crossing = alpha + x.side * x.side;
  assert_true(x.seconds == (double)(((1 << (k - 1)) + k) * crossing));
  assert_true(x.predicted == x.seconds);
}

/* Messages cross the lowest dimensions first, and a link carries one at a time.  When the k
 * dimensions of one axis are right, all 2^k messages of a line are stored at one node, and half of
 * them need the same link.  The first of these have crossed k links by then, and no message waits
 * longer elsewhere. */
static void straight_messages_wait_for_links(void **state) {
  (void)state;
  int64_t part, parts;
  for (int k = 1; k <= (harness_part(&part, &parts) ? 6 : 4); k++) {
    check_straight(k, 0);
    check_straight(k, 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_columns_and_rows),
      cmocka_unit_test(blocks_of_any_array),
      cmocka_unit_test(blocks_of_views),
      cmocka_unit_test(blocks_to_any_nodes),
      cmocka_unit_test(rows_to_columns_and_back),
      cmocka_unit_test(bands_take_as_many_steps_as_the_paper_says),
      cmocka_unit_test(bands_of_any_matrix),
      cmocka_unit_test(other_layouts_are_refused),
      cmocka_unit_test(straight_messages_wait_for_links),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
