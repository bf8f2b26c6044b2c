/* Conversions in waves: every entry where it belongs, for both codes, both ways, one axis and two,
 * blocks, other axes of any size; what is counted is what was predicted; on machines from those
 * whose starts are free to those that have no time for two packets. */
// limit: 120
#include "hyla_lab.h"
#include "redistribute/waves.h"
#include "redistribute_case.h"

/* An axis of b 2^n indices on 2^k parts, on dimensions in any order. */
struct side {
  int n, k;
  int64_t block;
  hyla_axis from, to;
};

static struct side draw_side(int n, int k, bool to_cyclic, const uint8_t *dims) {
  struct side side = {.n = n, .k = k, .block = harness_draw(1, 3)};
  side.from = (hyla_axis){.dims = k, .code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY};
  for (int i = 0; i < k; i++) side.from.dim[i] = dims[i];
  side.from.block = side.block;
  side.to = side.from;
  side.from.storage = to_cyclic ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  side.to.storage = to_cyclic ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
  return side;
}

/* The dimensions of a cube in any order. */
static void draw_order(int count, uint8_t *dims) {
  for (int i = 0; i < count; i++) {
    int other = (int)harness_draw(0, i);
    dims[i] = dims[other];
    dims[other] = (uint8_t)i;
  }
}

static hyla_status check(hyla_cube *cube, void *arg) { return redistribute_check(cube, arg); }

static void simulate(int dims, struct redistribute_case *x) {
  static const double starts[] = {0, 1, 20, 1000};
  const hyla_simulation machine = {
      .dims = dims, .alpha = starts[harness_draw(0, 3)], .beta = 0.125};
  hyla_report report;
  x->type = (hyla_type)harness_draw(0, TYPES - 1);
  x->variant = "waves";
  x->whole = true;
  x->count = 1;
  x->side[0].alpha = 1;
  harness_note("%s, alpha %g", redistribute_name(x), machine.alpha);
  if (hyla_simulate(&machine, check, x, &report) != HYLA_OK)
    fail_msg("d = %d: %s", dims, report.message);
}

static int64_t length(const struct side *side) { return side->block << side->n; }

static void one_axis(void **state) {
  (void)state;
  for (int dims = 1; dims <= 6; dims++)
    for (int k = 1; k <= dims; k++)
      for (int n = k + 1; n <= k + 4; n++) {
        uint8_t order[HYLA_DIMS_MAX];
        draw_order(dims, order);
        struct side side = draw_side(n, k, harness_draw(0, 1), order);
        hyla_axis other = {.dims = dims - k, .storage = HYLA_CYCLIC, .block = harness_draw(1, 3)};
        for (int i = k; i < dims; i++) other.dim[i - k] = order[i];
        int64_t others = harness_draw(0, 9);
        struct redistribute_case x = {0};
        bool rows = harness_draw(0, 1);
        x.side[0].rows = rows ? length(&side) : others;
        x.side[0].cols = rows ? others : length(&side);
        x.side[0].from =
            (hyla_layout){.row = rows ? side.from : other, .col = rows ? other : side.from};
        x.side[0].to = (hyla_layout){.row = rows ? side.to : other, .col = rows ? other : side.to};
        simulate(dims, &x);
      }
}

static void both_axes(void **state) {
  (void)state;
  for (int rows = 1; rows <= 3; rows++)
    for (int cols = 1; cols <= 3; cols++)
      for (int trial = 0; trial < 8; trial++) {
        uint8_t order[HYLA_DIMS_MAX];
        bool to_cyclic = harness_draw(0, 1);
        draw_order(rows + cols, order);
        struct side row = draw_side(rows + 1 + trial % 4, rows, to_cyclic, order);
        struct side col =
            draw_side(cols + 1 + trial / 4 + trial % 2, cols, to_cyclic, order + rows);
        struct redistribute_case x = {0};
        x.side[0].rows = length(&row);
        x.side[0].cols = length(&col);
        x.side[0].from = (hyla_layout){.row = row.from, .col = col.from};
        x.side[0].to = (hyla_layout){.row = row.to, .col = col.to};
        simulate(rows + cols, &x);
      }
}

/* Of those that cross a dimension no two have one wave, and places are used once. */
static void waves_are_apart(void **state) {
  (void)state;
  for (int gray = 0; gray < 2; gray++)
    for (int rows = 0; rows <= 4; rows++)
      for (int cols = rows == 0; cols <= 4; cols++)
        for (int more = 1; more <= 3; more++) {
          struct hy_wave_axis axes[2] = {
              {.n = rows > 0 ? rows + more : 0, .k = rows, .gray = gray},
              {.n = cols > 0 ? cols + 1 + more % 2 : 0, .k = cols, .gray = gray}};
          for (int i = 0; i < 4; i++) axes[0].dim[i] = (uint8_t)i;
          for (int i = 0; i < 4; i++) axes[1].dim[i] = (uint8_t)(rows + i);
          struct hy_waves waves = hy_waves_of(axes);
          struct hy_base base = {0};
          uint32_t node = (uint32_t)harness_draw(0, (1 << (rows + cols)) - 1);
          harness_note("k = %d and %d, more %d, Gray %d, node %u", rows, cols, more, gray, node);
          assert_int_equal(hy_waves_make(&base, node, &waves), HYLA_OK);
          for (int j = 0; j < waves.dims; j++) {
            static bool used[1 << 12];
            memset(used, 0, sizeof used);
            for (int64_t w = 0; w < (int64_t)1 << waves.bits; w++) {
              int32_t place = waves.places[((int64_t)j << waves.bits) + w];
              assert_false(used[place]);
              used[place] = true;
            }
          }
          hy_waves_free(&base, &waves);
          assert_int_equal(base.bytes_now, 0);
        }
}

/* What it refuses: sizes that are no powers of two, too few of them, other codes, copies. */
static hyla_status refuse(hyla_cube *cube, void *arg) {
  static const struct {
    int64_t rows;
    const char *from, *to;
  } cases[] = {{24, "binary/consecutive@4x1", "binary/cyclic:1@4x1"},
               {4, "gray/consecutive@4x1", "gray/cyclic:1@4x1"},
               {16, "binary/consecutive@4x1", "gray/cyclic:1@4x1"},
               {16, "binary/cyclic:2@4x1", "binary/cyclic:1@4x1"},
               {16, "binary/consecutive@2x2", "binary/cyclic:1@4x1"},
               {16, "binary/consecutive@2x1", "binary/cyclic:1@2x1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct redistribute_case x = {.count = 1, .variant = "waves", .whole = true};
    x.side[0] = (struct redistribute_side){.alpha = 1, .rows = cases[i].rows, .cols = 3};
    TRY(hyla_layout_parse(cube, cases[i].from, &x.side[0].from));
    TRY(hyla_layout_parse(cube, cases[i].to, &x.side[0].to));
    hyla_status status = redistribute_check(cube, &x);
    if (status != HYLA_UNSUPPORTED) *(int *)arg = (int)i;
  }
  return HYLA_OK;
}

static void other_conversions_are_refused(void **state) {
  (void)state;
  const hyla_simulation machine = {.dims = 2};
  hyla_report report;
  int taken = -1;
  if (hyla_simulate(&machine, refuse, &taken, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_int_equal(taken, -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_axis),
      cmocka_unit_test(both_axes),
      cmocka_unit_test(waves_are_apart),
      cmocka_unit_test(other_conversions_are_refused),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
