/* Conversions in waves: every entry in its place, for both codes, both ways, one axis and two,
 * blocks, other axes of any size; the counts are the predicted ones; on machines from those with
 * free starts to those that have no time for two packets. */
// limit: 120
#include "hyla_lab.h"
#include "redistribute/waves.h"
#include "waves_cases.h"

static hyla_status check(hyla_cube *cube, void *arg) { return redistribute_check(cube, arg); }

static void simulate(int dims, struct redistribute_case *x) {
  static const double starts[] = {0, 1, 20, 1000};
  const hyla_simulation machine = {
      .dims = dims, .alpha = starts[harness_draw(0, 3)], .beta = 0.125};
  hyla_report report;
  harness_note("%s, alpha %g", redistribute_name(x), machine.alpha);
  if (hyla_simulate(&machine, check, x, &report) != HYLA_OK)
    fail_msg("d = %d: %s", dims, report.message);
}

static void one_axis(void **state) {
  (void)state;
  for (int dims = 1; dims <= 6; dims++)
    for (int k = 1; k <= dims; k++)
      for (int n = k + 1; n <= k + 4; n++) {
        struct redistribute_case x = draw_one_axis(dims, k, n);
        simulate(dims, &x);
      }
}

static void both_axes(void **state) {
  (void)state;
  for (int rows = 1; rows <= 3; rows++)
    for (int cols = 1; cols <= 3; cols++)
      for (int trial = 0; trial < 8; trial++) {
        struct redistribute_case x =
            draw_both_axes(rows, cols, rows + 1 + trial % 4, cols + 1 + trial / 4 + trial % 2);
        simulate(rows + cols, &x);
      }
}

/* No two elements that cross the same dimension have the same wave, and places are used once. */
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
          char *owner = NULL;
          uint32_t node = (uint32_t)harness_draw(0, (1 << (rows + cols)) - 1);
          harness_note("k = %d and %d, more %d, Gray %d, node %u", rows, cols, more, gray, node);
          assert_int_equal(hy_alloc(&base, 1, 1, &owner), HYLA_OK);
          assert_int_equal(hy_waves_make(&base, owner, node, &waves), HYLA_OK);
          for (int j = 0; j < waves.dims; j++) {
            static bool used[1 << 12];
            memset(used, 0, sizeof used);
            for (int64_t w = 0; w < (int64_t)1 << waves.bits; w++) {
              int32_t place = waves.places[((int64_t)j << waves.bits) + w];
              assert_false(used[place]);
              used[place] = true;
            }
          }
          hy_free(&base, &owner);
          assert_int_equal(base.bytes_now, 0);
        }
}

/* The n-th allocation fails, for every n. */
static void places_need_memory(void **state) {
  (void)state;
  struct hy_wave_axis axes[2] = {{.n = 5, .k = 2, .gray = true, .dim = {0, 1}}, {0}};
  hyla_status status = HYLA_MEMORY;
  for (int64_t n = 1; status != HYLA_OK; n++) {
    struct hy_waves waves = hy_waves_of(axes);
    struct hy_base base = {.fail_at = n + 1};
    char *owner = NULL;
    assert_int_equal(hy_alloc(&base, 1, 1, &owner), HYLA_OK);
    status = hy_waves_make(&base, owner, 1, &waves);
    assert_true(n > 4 || status == HYLA_MEMORY);
    hy_free(&base, &owner);
    assert_int_equal(base.bytes_now, 0);
  }
}

/* Refusals: sizes that are no powers of two, too few indices, other codes, copies. */
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
      cmocka_unit_test(places_need_memory),
      cmocka_unit_test(other_conversions_are_refused),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
