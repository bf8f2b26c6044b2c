/* Layer 2: bits, subcubes and axes, compared with their definitions. */
#include "tests/harness/harness.h"

#include "address/address.h"

static uint32_t draw_bits(void) { return (uint32_t)harness_draw(0, UINT32_MAX); }

static void check_bits(uint32_t bits) {
  int count = 0, highest = -1, lowest = -1;
  for (int i = 0; i < 32; i++) {
    if (!(bits >> i & 1u)) continue;
    count++;
    highest = i;
    if (lowest < 0) lowest = i;
  }
  harness_note("bits %#x", bits);
  assert_int_equal(hy_popcount(bits), count);
  assert_int_equal(hy_log2_floor(bits), highest);
  assert_int_equal(hy_lowest(bits), lowest);
}

static void bits_are_counted_and_found(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits < 1u << 12; bits++) check_bits(bits);
  for (int i = 0; i < 32; i++) check_bits(UINT32_C(1) << i);
  for (int i = 0; i < 2000; i++) check_bits(draw_bits());
  check_bits(UINT32_MAX);
}

static void gray_codes_have_an_inverse_on_all_words(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    uint32_t x = i == 0 ? UINT32_MAX : draw_bits();
    assert_int_equal(hy_gray_inverse(hy_gray(x)), x);
    assert_int_equal(hy_gray(hy_gray_inverse(x)), x);
    if (x != UINT32_MAX) assert_int_equal(hy_popcount(hy_gray(x) ^ hy_gray(x + 1)), 1);
  }
}

/* Members 0, 1, ... of a subcube are the addresses within its mask, ascending. */
static void subcubes_list_their_members_in_order(void **state) {
  (void)state;
  assert_int_equal(hy_deposit(5, 0x16), 0x12);
  for (uint32_t dims = 0; dims < 1u << 9; dims++) {
    harness_note("dims %#x", dims);
    uint32_t member = 0;
    for (uint32_t address = 0; address <= dims; address++) {
      if (address & ~dims) continue;
      assert_int_equal(hy_deposit(member, dims), address);
      assert_int_equal(hy_extract(address, dims), member);
      member++;
    }
    assert_int_equal(member, 1u << hy_popcount(dims));
  }
}

static void bits_outside_a_subcube_do_not_count(void **state) {
  (void)state;
  for (int i = 0; i < 5000; i++) {
    uint32_t dims = draw_bits(), x = draw_bits();
    if (i % 3 == 0) dims &= draw_bits() & draw_bits();
    harness_note("dims %#x, x %#x", dims, x);
    int count = hy_popcount(dims);
    uint32_t low = count == 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
    assert_int_equal(hy_extract(x, dims), hy_extract(x & dims, dims));
    assert_int_equal(hy_deposit(x, dims), hy_deposit(x & low, dims));
    assert_int_equal(hy_deposit(hy_extract(x, dims), dims), x & dims);
    assert_int_equal(hy_extract(hy_deposit(x, dims), dims), x & low);
  }
}

/* Draws an axis on dims different dimensions from 0 ... 19. */
static hyla_axis draw_axis(int dims, hyla_code code) {
  hyla_axis axis = {.dims = dims, .code = code};
  uint8_t all[HYLA_DIMS_MAX];
  for (int i = 0; i < HYLA_DIMS_MAX; i++) all[i] = (uint8_t)i;
  for (int i = 0; i < dims; i++) {
    int64_t j = harness_draw(i, HYLA_DIMS_MAX - 1);
    axis.dim[i] = all[j];
    all[j] = all[i];
  }
  return axis;
}

static void check_axis(const hyla_axis *axis) {
  uint32_t mask = hy_axis_mask(axis);
  assert_int_equal(hy_popcount(mask), axis->dims);
  for (int i = 0; i < axis->dims; i++) assert_true(mask >> axis->dim[i] & 1u);
  uint32_t parts = UINT32_C(1) << axis->dims;
  for (uint32_t part = 0; part < parts; part++) {
    harness_note("code %d, dims %d, part %u", (int)axis->code, axis->dims, part);
    uint32_t address = hy_axis_address(axis, part);
    uint32_t other = (uint32_t)harness_draw(0, (1 << HYLA_DIMS_MAX) - 1) & ~mask;
    assert_int_equal(address & ~mask, 0);
    assert_int_equal(hy_axis_part(axis, address), part);
    assert_int_equal(hy_axis_part(axis, address | other), part);
    uint32_t next = hy_axis_address(axis, (part + 1) % parts);
    uint32_t code = axis->code == HYLA_GRAY ? part ^ part >> 1 : part;
    for (int i = 0; i < axis->dims; i++)
      assert_int_equal(address >> axis->dim[i] & 1u, code >> i & 1u);
    if (axis->code == HYLA_GRAY && axis->dims > 0) assert_int_equal(hy_popcount(address ^ next), 1);
  }
}

/* Gray axes are rings of neighbours on any dimensions. */
static void axes_map_parts_to_addresses_and_back(void **state) {
  (void)state;
  for (int dims = 0; dims <= 8; dims++) {
    for (int i = 0; i < 5; i++) {
      hyla_axis binary = draw_axis(dims, HYLA_BINARY), gray = draw_axis(dims, HYLA_GRAY);
      check_axis(&binary);
      check_axis(&gray);
    }
  }
}

/* The Binary-Gray assignment (Varvarigos 1992): the low b bits of a column's number, in binary, are
 * the high address bits; its other bits, in Gray code, are the low ones; columns 2^b apart lie on
 * neighbours.  With b = 0 this is Gray code, with b = d binary code. */
static void low_bits_may_stay_binary(void **state) {
  (void)state;
  for (int d = 0; d <= 10; d++)
    for (int b = 0; b <= d + 1; b++) {
      hyla_axis axis = {.dims = d, .code = HYLA_GRAY, .binary = b};
      int low = b < d ? b : d, high = d - low;
      for (int i = 0; i < d; i++) axis.dim[i] = (uint8_t)(i < low ? high + i : i - low);
      for (uint32_t c = 0; c >> d == 0; c++) {
        harness_note("d = %d, b = %d, c = %u", d, b, c);
        uint32_t c1 = c & ((1u << low) - 1), c2 = c >> low;
        uint32_t address = hy_axis_address(&axis, c);
        assert_int_equal(address, c1 << high | hy_gray(c2));
        assert_int_equal(hy_axis_part(&axis, address), c);
        uint32_t next = hy_axis_address(&axis, (c + (1u << low)) & ((1u << d) - 1));
        if (high > 0) assert_int_equal(hy_popcount(address ^ next), 1);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_are_counted_and_found),
      cmocka_unit_test(gray_codes_have_an_inverse_on_all_words),
      cmocka_unit_test(subcubes_list_their_members_in_order),
      cmocka_unit_test(bits_outside_a_subcube_do_not_count),
      cmocka_unit_test(axes_map_parts_to_addresses_and_back),
      cmocka_unit_test(low_bits_may_stay_binary),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
