/* Redistribution on virtual cubes of up to 64 nodes and on arrays: every variant on drawn layouts
 * and sizes, operations and factors; the counts are the predicted ones.  test_redistribute_pairs
 * walks all pairs. */
// limit: 120
#include "hyla_lab.h"
#include "redistribute_case.h"
#include "tests/harness/draw.h"

static const int64_t sizes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                12, 13, 14, 15, 16, 17, 19, 23, 29, 31, 37};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Cases that one simulation runs one after the other. */
enum { BATCH = 40 };
struct batch {
  struct redistribute_case cases[BATCH];
  int count;
  int at;      /* the running case */
  double beta; /* of the machine that plans are chosen for: it decides about the phases */
};

static hyla_status run_batch(hyla_cube *cube, void *arg) {
  struct batch *batch = arg;
  cube->session.machine.beta = batch->beta;
  for (int i = 0; i < batch->count; i++) {
    if (cube->address == 0) batch->at = i;
    hyla_status status = redistribute_check(cube, &batch->cases[i]);
    if (status == HYLA_UNSUPPORTED && batch->cases[i].variant != NULL) continue;
    TRY(status);
  }
  return HYLA_OK;
}

static void simulate(const hyla_cube *on, struct batch *batch) {
  char array[DRAW_ARRAY];
  draw_nodes_array(on, array);
  /* Without times; rehearsals have their own test. */
  hyla_simulation machine = {.dims = on->dims, .array = array};
  hyla_report report;
  if (batch->count == 0) return;
  static const double betas[] = {1e-10, 3e-8, 1e-7, 1e-5};
  batch->beta = betas[harness_draw(0, 3)];
  hyla_status status = hyla_simulate(&machine, run_batch, batch, &report);
  if (status != HYLA_OK)
    fail_msg("%d nodes %s: %s: %s", on->nodes, array, redistribute_name(&batch->cases[batch->at]),
             report.message);
  batch->count = 0;
}

static void add(const hyla_cube *on, struct batch *batch, const struct redistribute_case *x) {
  batch->cases[batch->count++] = *x;
  if (batch->count == BATCH) simulate(on, batch);
}

static const char *variant_name(int64_t v) {
  return v < hy_family_count(&hy_redistribute_family) ? hy_redistribute_family.rows[v]->name : NULL;
}

static int64_t any_size(void) { return sizes[harness_draw(0, SIZES - 1)]; }

static double _Complex any_alpha(hyla_type type) {
  static const double _Complex alphas[] = {1, -2, 3, 2 * I};
  return alphas[harness_draw(0, type >= HYLA_COMPLEX ? 3 : 2)];
}

static struct redistribute_side any_side(hyla_type type) {
  return (struct redistribute_side){.op = (hyla_operation)harness_draw(0, 5),
                                    .alpha = any_alpha(type),
                                    .rows = any_size(),
                                    .cols = any_size()};
}

/* Pairs of layouts, one matrix at a time. */
static void pairs_of_layouts(int dims, int rounds) {
  const hyla_cube on = draw_nodes(dims, false);
  struct batch batch = {.count = 0};
  int last = case_layouts(dims) - 1;
  for (int round = 0; round < rounds; round++) {
    hyla_type type = (hyla_type)harness_draw(0, TYPES - 1);
    struct redistribute_case x = {.type = type, .count = 1, .side = {any_side(type)}};
    x.side[0].from = case_layout(dims, (int)harness_draw(0, last));
    x.side[0].to = case_layout(dims, (int)harness_draw(0, last));
    x.variant = variant_name(harness_draw(0, hy_family_count(&hy_redistribute_family)));
    add(&on, &batch, &x);
  }
  simulate(&on, &batch);
}

static void one_matrix_at_a_time(void **state) {
  (void)state;
  for (int dims = 0; dims <= 6; dims++) pairs_of_layouts(dims, dims < 5 ? 150 : 40);
}

/* Any kinds and blocks on any dimensions in any order; some split no axis. */
static hyla_layout any_layout(int dims) {
  uint8_t order[HYLA_DIMS_MAX];
  for (int i = 0; i < dims; i++) {
    int other = (int)harness_draw(0, i);
    order[i] = order[other];
    order[other] = (uint8_t)i;
  }
  int rows = (int)harness_draw(0, dims), cols = (int)harness_draw(0, dims - rows);
  if (harness_draw(0, 1) == 0) cols = dims - rows;
  hyla_layout layout = {.row = case_axis((int)harness_draw(0, 5), 0, rows),
                        .col = case_axis((int)harness_draw(0, 5), 0, cols),
                        .rest = (hyla_rest)harness_draw(0, 1)};
  for (int i = 0; i < rows; i++) layout.row.dim[i] = order[i];
  for (int i = 0; i < cols; i++) layout.col.dim[i] = order[rows + i];
  if (layout.row.block > 1) layout.row.block = harness_draw(1, 9);
  if (layout.col.block > 1) layout.col.block = harness_draw(1, 9);
  return layout;
}

/* Copies, faces, and several transfers that share their messages. */
static void layouts_that_leave_dimensions_over(void **state) {
  (void)state;
  for (int dims = 1; dims <= 6; dims++) {
    const hyla_cube on = draw_nodes(dims, false);
    struct batch batch = {.count = 0};
    for (int round = 0; round < (dims < 5 ? 120 : 40); round++) {
      struct redistribute_case x = {
          .type = (hyla_type)harness_draw(0, TYPES - 1),
          .count = (int)harness_draw(1, REDISTRIBUTE_SIDES),
          .variant = variant_name(round % hy_family_count(&hy_redistribute_family))};
      for (int i = 0; i < x.count; i++) {
        x.side[i] = any_side(x.type);
        x.side[i].from = any_layout(dims);
        x.side[i].to = any_layout(dims);
      }
      add(&on, &batch, &x);
    }
    simulate(&on, &batch);
  }
}

/* Any layouts of any array, several matrices at a time; sizes below the number of nodes, too. */
static void arrays_of_any_sides(void **state) {
  (void)state;
  for (int array = 0; array < DRAW_ARRAYS; array++) {
    const hyla_cube on = draw_nodes_at(array);
    struct batch batch = {.count = 0};
    for (int round = 0; round < harness_few(30); round++) {
      struct redistribute_case x = {
          .type = (hyla_type)harness_draw(0, TYPES - 1),
          .count = (int)harness_draw(1, REDISTRIBUTE_SIDES),
          .variant = variant_name(round % (hy_family_count(&hy_redistribute_family) + 1))};
      for (int i = 0; i < x.count; i++) {
        x.side[i] = any_side(x.type);
        x.side[i].from = draw_on(&on);
        x.side[i].to = draw_on(&on);
      }
      add(&on, &batch, &x);
    }
    simulate(&on, &batch);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_matrix_at_a_time),
      cmocka_unit_test(layouts_that_leave_dimensions_over),
      cmocka_unit_test(arrays_of_any_sides),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
