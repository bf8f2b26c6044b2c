/* The cut of an index that two matrices share: every number occurs once, at its place, in panels
 * that keep their rules, on drawn axes. */
#include "gemm/panelling.h"
#include "tests/harness/harness.h"

enum { CASES = 3000, TRAVELLING = 256 };

static struct hy_axis draw_axis(int64_t n) {
  hyla_axis code = {.dims = (int)harness_draw(0, 3)};
  code.code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
  code.storage = harness_draw(0, 3) ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
  code.block = harness_draw(0, 2) ? harness_draw(1, 70) : harness_draw(100, 500);
  for (int i = 0; i < code.dims; i++) code.dim[i] = (uint8_t)i;
  if (code.dims > 1 && harness_draw(0, 1)) { /* a side that is no power of two */
    code.code = HYLA_BINARY;
    code.parts = (1 << code.dims) - 1;
  }
  return hy_axis_make(&code, n);
}

static int64_t draw_length(void) {
  return harness_draw(0, 1) ? harness_draw(0, 2000) : harness_draw(0, 40);
}

/* Is a panel one stretch of one owner's block, on an axis? */
static bool is_whole(const struct hy_panelling *panelling, const struct hy_index_panel *panel,
                     int x) {
  const struct hy_panel_piece *last = NULL;
  for (int64_t p = panel->first; p >= 0; p = panelling->pieces[p].next) {
    const struct hy_panel_piece *piece = &panelling->pieces[p];
    if (last != NULL &&
        (piece->part[x] != last->part[x] || piece->at[x] != last->at[x] + last->length))
      return false;
    last = piece;
  }
  return true;
}

static bool has_one_owner(const struct hy_panelling *panelling, const struct hy_index_panel *panel,
                          int x) {
  for (int64_t p = panel->first; p >= 0; p = panelling->pieces[p].next)
    if (panelling->pieces[p].part[x] != hy_panelling_owner(panelling, panel, x)) return false;
  return true;
}

/* Counts the numbers of a panel in `seen'; returns how many they are. */
static int64_t check_panel(const struct hy_panelling *panelling, const struct hy_index_panel *panel,
                           int *seen) {
  struct hy_indices numbers = hy_panelling_indices(panelling, panel);
  int64_t width = 0;
  for (int64_t p = panel->first; p >= 0; p = panelling->pieces[p].next) {
    const struct hy_panel_piece *piece = &panelling->pieces[p];
    assert_true(piece->length > 0);
    for (int64_t i = 0; i < piece->length; i++) {
      int64_t number = hy_axis_index(panelling->axis[0], piece->part[0], piece->at[0] + i);
      assert_int_equal(hy_axis_index(panelling->axis[1], piece->part[1], piece->at[1] + i), number);
      assert_int_equal(numbers.number[width++], number);
      seen[number]++;
    }
    if (panelling->pieces[p].next < 0) assert_int_equal(panel->last, p);
  }
  assert_int_equal(panel->width, width);
  assert_int_equal(numbers.count, width);
  for (int x = 0; x < 2; x++) assert_int_equal(panel->whole[x], is_whole(panelling, panel, x));
  return width;
}

/* Every number is in one panel; the pieces fit into the cut's arrays. */
static void check_numbers(struct hy_base *base, void *owner, struct hy_panelling *panelling,
                          int64_t width) {
  int seen[2001] = {0};
  int64_t n = panelling->axis[0]->n, sum = 0, runs = 0;
  for (int64_t i = 0; i < n; runs++)
    i += hy_min(hy_axis_run(panelling->axis[0], i), hy_axis_run(panelling->axis[1], i));
  assert_in_range(panelling->piece_count, 0, runs + n / width + 1);
  assert_in_range(panelling->panel_count, 0, panelling->piece_count);
  assert_int_equal(hy_panelling_list(base, owner, panelling), HYLA_OK);
  for (int64_t x = 0; x < panelling->panel_count; x++)
    sum += check_panel(panelling, &panelling->panels[x], seen);
  assert_int_equal(sum, n);
  for (int64_t i = 0; i < n; i++) assert_int_equal(seen[i], 1);
}

/* Panels that travel have one owner on either axis, and a bounded width. */
static void panels_that_travel_have_one_owner(void **state) {
  (void)state;
  struct hy_base base = {0};
  for (int i = 0; i < CASES; i++) {
    int64_t n = draw_length();
    struct hy_axis first = draw_axis(n), second = draw_axis(n);
    struct hy_panelling panelling;
    char *owner = NULL; /* of what the cut takes */
    harness_note("case %d: %lld numbers, blocks of %lld and %lld", i, (long long)n,
                 (long long)first.block, (long long)second.block);
    assert_int_equal(hy_alloc(&base, 1, 1, &owner), HYLA_OK);
    assert_int_equal(hy_panelling_create(&base, owner, &first, &second, &panelling), HYLA_OK);
    check_numbers(&base, owner, &panelling, TRAVELLING);
    for (int64_t x = 0; x < panelling.panel_count; x++) {
      assert_in_range(panelling.panels[x].width, 1, TRAVELLING);
      assert_true(has_one_owner(&panelling, &panelling.panels[x], 0));
      assert_true(has_one_owner(&panelling, &panelling.panels[x], 1));
    }
    hy_free(&base, &owner);
  }
  assert_int_equal(base.bytes_now, 0);
}

/* Panels in place are stretches on one of the axes, the same for all of them.  A panel that is not
 * one stretch on the other axis, and so must be copied together, has a bounded width. */
static void panels_in_place_are_stretches_of_the_one_that_leads(void **state) {
  (void)state;
  struct hy_base base = {0};
  for (int i = 0; i < CASES; i++) {
    int64_t n = draw_length(), width = harness_draw(0, 1) ? 320 : harness_draw(1, 400);
    struct hy_axis first = draw_axis(n), second = draw_axis(n);
    const int64_t across[] = {harness_draw(0, 3000), harness_draw(0, 3000)};
    struct hy_panelling panelling;
    char *owner = NULL; /* of what the cut takes */
    harness_note("case %d: %lld numbers, blocks of %lld and %lld, width %lld", i, (long long)n,
                 (long long)first.block, (long long)second.block, (long long)width);
    assert_int_equal(hy_alloc(&base, 1, 1, &owner), HYLA_OK);
    assert_int_equal(
        hy_panelling_create_in_place(&base, owner, &first, &second, across, width, &panelling),
        HYLA_OK);
    check_numbers(&base, owner, &panelling, width);
    bool leads[2] = {true, true};
    for (int64_t x = 0; x < panelling.panel_count; x++) {
      const struct hy_index_panel *panel = &panelling.panels[x];
      for (int side = 0; side < 2; side++) leads[side] &= panel->whole[side];
      if (!panel->whole[0] || !panel->whole[1]) assert_in_range(panel->width, 1, width);
    }
    assert_true(leads[0] || leads[1]);
    hy_free(&base, &owner);
  }
  assert_int_equal(base.bytes_now, 0);
}

/* On p x q nodes A's columns lie on q parts of k and B's rows on p: blocks of whole panels, and no
 * part has more than its share of the panels. */
static void inner_axes_share_their_panels(void **state) {
  enum { MOST = 13 };
  (void)state;
  for (int p = 1; p <= MOST; p++)
    for (int q = 1; q <= MOST; q++) {
      const int panels = hy_inner_panels(p, q), parts[] = {p, q};
      const int64_t k = harness_draw(0, 400), width = hy_max(1, hy_ceil_div(k, panels));
      harness_note("%d x %d, k = %lld", p, q, (long long)k);
      assert_int_equal(panels % p + panels % q, 0);
      for (int less = 1; less < panels; less++) assert_true(less % p + less % q > 0);
      for (int x = 0; x < 2; x++) {
        hyla_axis code = {.dims = hy_sides_bits((uint32_t)parts[x]), .parts = parts[x]};
        for (int i = 0; i < code.dims; i++) code.dim[i] = (uint8_t)i;
        const struct hy_axis axis = hy_inner_axis(&code, k, panels);
        assert_true(hy_axis_most(&axis) <= panels / parts[x] * width);
        for (int64_t i = 0; i < k; i++)
          assert_int_equal(hy_axis_owner(&axis, i), i / width / (panels / parts[x]));
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(panels_that_travel_have_one_owner),
      cmocka_unit_test(panels_in_place_are_stretches_of_the_one_that_leads),
      cmocka_unit_test(inner_axes_share_their_panels),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
