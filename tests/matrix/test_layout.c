/* Axes and layouts: index arithmetic, tested exhaustively. */
#include "matrix_cases.h"

#include <limits.h>

/* Compares everything that the arithmetic says about one axis with counting. */
static void check_axis(const struct hy_axis *axis) {
  int64_t held[8] = {0};
  for (int64_t i = 0; i < axis->n; i++) {
    int owner = hy_axis_owner(axis, i);
    assert_in_range(owner, 0, axis->parts - 1);
    assert_int_equal(owner, (axis->first + i) / axis->block % axis->parts);
    for (int q = 0; q < axis->parts; q++) assert_int_equal(hy_axis_before(axis, q, i), held[q]);
    assert_int_equal(hy_axis_index(axis, owner, held[owner]), i);
    int64_t run = hy_axis_run(axis, i);
    assert_in_range(run, 1, axis->n - i);
    for (int64_t r = 1; r < run; r++) assert_int_equal(hy_axis_owner(axis, i + r), owner);
    if (i + run < axis->n && axis->parts > 1)
      assert_int_not_equal(hy_axis_owner(axis, i + run), owner);
    held[owner]++;
  }
  int64_t most = 0;
  for (int q = 0; q < axis->parts; q++) {
    assert_int_equal(hy_axis_before(axis, q, axis->n), held[q]);
    most = hy_max(most, held[q]);
  }
  assert_int_equal(hy_axis_most(axis), most);
  assert_int_equal(hy_axis_before(axis, -1, axis->n), 0);
}

static void owner_before_and_index_agree(void **state) {
  (void)state;
  for (int dims = 0; dims <= 3; dims++)
    for (int64_t block = -1; block <= 6; block++)
      for (int64_t n = 0; n <= 40; n++) {
        hyla_axis code = case_axis(block < 0 ? 0 : 1, 0, dims);
        code.block = block;
        struct hy_axis axis = hy_axis_make(&code, n);
        check_axis(&axis);
      }
}

static void ranges_of_ranges_agree(void **state) {
  (void)state;
  for (int dims = 0; dims <= 3; dims++)
    for (int kind = 0; kind < 3; kind++)
      for (int64_t n = 0; n <= 25; n++)
        for (int64_t first = 0; first <= n; first++)
          for (int64_t length = 0; length <= n - first; length += 1 + length / 3) {
            hyla_axis code = case_axis(kind, 0, dims);
            struct hy_axis axis = hy_axis_make(&code, n);
            struct hy_axis range = hy_axis_range(&axis, first, length);
            check_axis(&range);
            struct hy_axis inner = hy_axis_range(&range, length / 3, length / 2);
            check_axis(&inner);
            for (int64_t i = 0; i < inner.n; i++)
              assert_int_equal(hy_axis_owner(&inner, i),
                               hy_axis_owner(&axis, first + length / 3 + i));
          }
}

/* By counting: the axes have the same dimensions, and put every index on the same node. */
static bool equal_by_counting(const struct hy_axis *a, const struct hy_axis *b) {
  if (a->n != b->n || hy_axis_mask(&a->code) != hy_axis_mask(&b->code)) return false;
  for (int64_t i = 0; i < a->n; i++)
    if (hy_axis_address(&a->code, (uint32_t)hy_axis_owner(a, i)) !=
        hy_axis_address(&b->code, (uint32_t)hy_axis_owner(b, i)))
      return false;
  return true;
}

static void equal_axes_are_those_with_equal_maps(void **state) {
  (void)state;
  int equal = 0;
  for (int round = 0; round < 200000; round++) {
    struct hy_axis axis[2];
    int dims = (int)harness_draw(0, 3);
    int64_t n = harness_draw(0, 60);
    for (int side = 0; side < 2; side++) {
      hyla_axis code = case_axis((int)harness_draw(0, 5), (int)harness_draw(0, 1), dims);
      code.block = harness_draw(0, 20);
      if (dims > 1 && harness_draw(0, 3) == 0) {
        uint8_t low = code.dim[0];
        code.dim[0] = code.dim[1];
        code.dim[1] = low;
      }
      int64_t first = harness_draw(0, 6);
      struct hy_axis whole = hy_axis_make(&code, n + first + harness_draw(0, 4));
      axis[side] = hy_axis_range(&whole, first, n);
    }
    assert_int_equal(hy_axis_equal(&axis[0], &axis[1]), equal_by_counting(&axis[0], &axis[1]));
    equal += hy_axis_equal(&axis[0], &axis[1]);
  }
  assert_in_range(equal, 1000, 199000); /* both answers occurred */
}

static void huge_axes_do_not_overflow(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++)
    for (int64_t block = 1; block > 0 && block < INT64_MAX / 2; block = 3 * block + 1) {
      hyla_axis code = case_axis(kind, 0, HYLA_DIMS_MAX);
      code.block = block;
      struct hy_axis axis = hy_axis_make(&code, INT64_MAX);
      int owner = hy_axis_owner(&axis, INT64_MAX - 1);
      int64_t last = hy_axis_before(&axis, owner, INT64_MAX - 1);
      assert_int_equal(hy_axis_index(&axis, owner, last), INT64_MAX - 1);
      assert_int_equal(hy_axis_before(&axis, owner, INT64_MAX), last + 1);
    }
}

static void default_layout_is_nearly_square(void **state) {
  (void)state;
  for (int dims = 0; dims <= HYLA_DIMS_MAX; dims++) {
    hyla_cube cube = case_paper_cube(dims, 0);
    hyla_layout layout;
    assert_int_equal(hyla_layout_default(&cube, 1, 99999, &layout), HYLA_OK);
    assert_int_equal(hy_layout_check(&cube, &layout), HYLA_OK);
    assert_in_range(layout.col.dims - layout.row.dims, 0, 1);
    assert_int_equal(hy_axis_mask(&layout.col), (1 << layout.col.dims) - 1);
    assert_int_equal(layout.row.code | layout.col.code, HYLA_BINARY);
    assert_int_equal(layout.row.storage & layout.col.storage, HYLA_CYCLIC);
  }
  hyla_cube cube = case_paper_cube(1, 0);
  hyla_layout layout;
  assert_int_equal(hyla_layout_default(&cube, INT64_MAX, INT64_MAX, &layout), HYLA_OK);
  assert_int_equal(layout.row.block, 64);
  assert_int_equal(layout.col.block, 64);
  assert_int_equal(hyla_layout_default(NULL, 1, 1, &layout), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_default(&cube, 1, 1, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_default(&cube, -1, 1, &layout), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_default(&cube, 1, -1, &layout), HYLA_ARGUMENT);
}

static int64_t most_held(hyla_axis axis, int64_t n, int64_t block) {
  axis.block = block;
  struct hy_axis cut = hy_axis_make(&axis, n);
  return hy_axis_most(&cut);
}

/* The largest block of whole lines for which no part holds more than `allowed'; 0: no block
 * does. */
static int64_t largest_near(hyla_axis axis, int64_t n, int64_t allowed) {
  for (int64_t block = 64; block >= 32; block -= 8)
    if (most_held(axis, n, block) <= allowed) return block;
  return 0;
}

/* The default block is the largest multiple of 8 from 32 to 64 that keeps every part within 1
 * percent of the mean, or else within 2 percent.  If none does, no block from 32 to 64 is better,
 * and no larger one in that range is as good. */
static void default_blocks_are_even(void **state) {
  (void)state;
  int seen[3] = {0};
  for (int round = 0; round < 300; round++) {
    hyla_cube cube = case_paper_cube((int)harness_draw(0, 9), 0);
    int64_t n = round < 130 ? round : harness_draw(0, 20000);
    harness_note("%lld indices, %d dimensions", (long long)n, cube.dims);
    hyla_layout layout;
    assert_int_equal(hyla_layout_default(&cube, n, n, &layout), HYLA_OK);
    assert_int_equal(layout.row.block, layout.col.block);
    int64_t parts = INT64_C(1) << layout.col.dims, chosen = layout.col.block;
    int64_t share = hy_ceil_div(n, parts), most = most_held(layout.col, n, chosen);
    assert_in_range(chosen, hy_max(1, hy_min(32, share)), 64);
    const int64_t nearest = largest_near(layout.col, n, share + share / 100);
    const int64_t near = nearest > 0 ? nearest : largest_near(layout.col, n, share + share / 50);
    seen[nearest > 0 ? 0 : near > 0 ? 1 : 2]++;
    if (near > 0) assert_int_equal(chosen, near);
    if (n <= 64 * parts && near == 0) assert_int_equal(most, share);
    for (int64_t block = 32; block <= 64 && near == 0; block++) {
      int64_t other = most_held(layout.col, n, block);
      assert_true(other > most || (other == most && block <= chosen));
    }
  }
  for (int kind = 0; kind < 3; kind++) assert_true(seen[kind] > 0);
}

/* The default layout of an array of nodes lies on its sides, and its blocks are even along the
 * longer one. */
static void default_layout_is_the_array(void **state) {
  (void)state;
  for (int rows = 1; rows <= 7; rows++)
    for (int cols = 1; cols <= 7; cols++) {
      hyla_cube cube = case_paper_array(rows, cols, 0);
      const int64_t n = harness_draw(0, 3000);
      hyla_layout layout;
      harness_note("%lld indices, %d x %d nodes", (long long)n, rows, cols);
      assert_int_equal(hyla_layout_default(&cube, n, n, &layout), HYLA_OK);
      assert_int_equal(hy_layout_check(&cube, &layout), HYLA_OK);
      assert_int_equal(hy_axis_parts(&layout.row), rows);
      assert_int_equal(hy_axis_parts(&layout.col), cols);
      for (int rank = 0; rank < cube.nodes; rank++) {
        int p, q;
        assert_int_equal(hyla_layout_part(&layout, rank, &p, &q), HYLA_OK);
        assert_int_equal(p, rank / cols);
        assert_int_equal(q, rank % cols);
      }
      const hyla_axis *longer = rows > cols ? &layout.row : &layout.col;
      const int64_t parts = hy_max(rows, cols), share = hy_ceil_div(n, parts);
      const int64_t nearest = largest_near(*longer, n, share + share / 100);
      const int64_t near = nearest > 0 ? nearest : largest_near(*longer, n, share + share / 50);
      assert_int_equal(layout.row.block, layout.col.block);
      if (near > 0) assert_int_equal(layout.col.block, near);
    }
}

static void bad_layouts_are_refused(void **state) {
  (void)state;
  hyla_cube cube = case_paper_cube(3, 0);
  const hyla_layout good = case_layout(3, 8);
  assert_int_equal(hy_layout_check(&cube, &good), HYLA_OK);
  for (int fault = 0; fault < 10; fault++) {
    harness_note("fault %d", fault);
    hyla_layout layout = good;
    switch (fault) {
    case 0: layout.row.dim[0] = 3; break;                 /* no such dimension */
    case 1: layout.row.dim[0] = layout.col.dim[0]; break; /* taken twice */
    case 2: layout.rest = (hyla_rest)2; break;
    case 3: layout.row.dims = HYLA_DIMS_MAX + 1; break;
    case 4: layout.row.dims = -1; break;
    case 5: layout.row.code = (hyla_code)2; break;
    case 6: layout.col.storage = (hyla_storage)2; break;
    case 7: layout.col.block = -1; break;
    case 8:
    case 9:
      layout.col.code = HYLA_GRAY;
      layout.col.binary = fault == 8 ? -1 : HYLA_DIMS_MAX + 1;
      break;
    }
    assert_int_equal(hy_layout_check(&cube, &layout), HYLA_ARGUMENT);
    assert_memory_equal(cube.base.message, "layout: ", 8);
  }
  assert_int_equal(hy_layout_check(&cube, NULL), HYLA_ARGUMENT);
  char text[4] = "abc";
  assert_int_equal(hyla_layout_format(NULL, text, sizeof text), 0);
  assert_string_equal(text, "");
}

/* The owner of an entry agrees with the arithmetic of the parts: each node counts the entries that
 * it owns, and finds its own parts. */
static void owners_hold_what_they_own(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    const hyla_cube shape = case_any_paper(4);
    hyla_layout layout = case_layout_on(&shape);
    int64_t rows = harness_draw(0, 9), cols = harness_draw(0, 9);
    harness_note("%s, %d x %d", case_name(&layout), (int)rows, (int)cols);
    int64_t owned[25] = {0};
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < cols; j++) owned[hyla_layout_owner(&layout, rows, cols, i, j)]++;
    for (int node = 0; node < shape.nodes; node++) {
      hyla_cube cube = case_paper_at(&shape, node);
      int64_t local_rows, local_cols;
      int p, q;
      assert_int_equal(hyla_layout_local(&cube, &layout, rows, cols, &local_rows, &local_cols),
                       HYLA_OK);
      assert_int_equal(hyla_layout_part(&layout, node, &p, &q), HYLA_OK);
      bool face = ((uint32_t)cube.address & hy_layout_others(cube.dims, &layout)) == 0;
      if (hy_layout_holds(cube.dims, &layout, cube.address)) {
        assert_int_equal(p, hy_axis_part(&layout.row, (uint32_t)cube.address));
        assert_int_equal(q, hy_axis_part(&layout.col, (uint32_t)cube.address));
      }
      if (face) assert_int_equal(owned[node], local_rows * local_cols);
      if (!face) assert_int_equal(owned[node], 0);
      assert_int_equal(p >= 0, face || layout.rest == HYLA_REPLICATED);
      assert_int_equal(q >= 0, p >= 0);
    }
    assert_int_equal(hyla_layout_owner(&layout, rows, cols, rows, 0), -1);
    assert_int_equal(hyla_layout_owner(&layout, rows, cols, 0, -1), -1);
  }
  hyla_layout layout = case_layout(2, 0), bad = layout;
  int p, q;
  bad.row.code = (hyla_code)7;
  assert_int_equal(hyla_layout_owner(&bad, 5, 5, 0, 0), -1);
  assert_int_equal(hyla_layout_owner(NULL, 5, 5, 0, 0), -1);
  assert_int_equal(hyla_layout_part(&bad, 0, &p, &q), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_part(&layout, -1, &p, &q), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_part(&layout, 0, NULL, &q), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_part(&layout, 0, &p, NULL), HYLA_ARGUMENT);
}

/* The parts of all nodes make up the matrix, for any order of the dimensions. */
static void local_parts_make_up_the_matrix(void **state) {
  (void)state;
  for (int dims = 0; dims <= 4; dims++)
    for (int number = 0; number < case_layouts(dims); number++) {
      int64_t rows = harness_draw(0, 40), cols = harness_draw(0, 40), entries = 0;
      hyla_layout layout = case_layout(dims, number);
      for (int address = -1; address < 1 << dims; address++) {
        hyla_cube cube = case_paper_cube(dims, address);
        assert_int_equal(hy_layout_check(&cube, &layout), HYLA_OK);
        int64_t local_rows = -1, local_cols = -1;
        assert_int_equal(hyla_layout_local(&cube, &layout, rows, cols, &local_rows, &local_cols),
                         HYLA_OK);
        if (address < 0) assert_int_equal(local_rows + local_cols, 0);
        entries += local_rows * local_cols;
      }
      assert_int_equal(entries, rows * cols);
    }
  hyla_cube cube = case_paper_cube(2, 0);
  int64_t extent;
  assert_int_equal(hyla_layout_local(&cube, NULL, 130, 130, &extent, &extent), HYLA_OK);
  assert_int_equal(extent, 66);
  assert_int_equal(hyla_layout_local(&cube, NULL, -1, 1, &extent, &extent), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_local(&cube, NULL, 1, -1, &extent, &extent), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_local(NULL, NULL, 1, 1, &extent, &extent), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_local(&cube, NULL, 1, 1, NULL, &extent), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_local(&cube, NULL, 1, 1, &extent, NULL), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(owner_before_and_index_agree),
      cmocka_unit_test(ranges_of_ranges_agree),
      cmocka_unit_test(equal_axes_are_those_with_equal_maps),
      cmocka_unit_test(huge_axes_do_not_overflow),
      cmocka_unit_test(default_layout_is_nearly_square),
      cmocka_unit_test(default_blocks_are_even),
      cmocka_unit_test(default_layout_is_the_array),
      cmocka_unit_test(bad_layouts_are_refused),
      cmocka_unit_test(owners_hold_what_they_own),
      cmocka_unit_test(local_parts_make_up_the_matrix),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
