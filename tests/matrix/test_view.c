/* Views: the same entries under other indices. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "matrix_cases.h"

/* The view's first row and column in the matrix, and the matrix' number of columns. */
struct window {
  int64_t row, col, columns;
};

static double _Complex shifted_entry(void *arg, int64_t row, int64_t col) {
  struct window *window = arg;
  return case_entry(&window->columns, row + window->row, col + window->col);
}

static hyla_matrix *view_of(hyla_matrix *parent, int64_t row, int64_t col, int64_t rows,
                            int64_t cols) {
  hyla_matrix *view = NULL;
  assert_int_equal(hyla_matrix_view(parent, row, col, rows, cols, &view), HYLA_OK);
  return view;
}

static void views_of_views_hold_the_parents_entries(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int number = 0; number < case_layouts(cube->dims); number++) {
    int64_t rows = harness_draw(0, 30), cols = harness_draw(0, 30);
    int type = (int)harness_draw(0, TYPES - 1);
    hyla_layout layout = case_layout_of(cube, number);
    harness_note("%s, type %d, %d x %d", case_name(&layout), type, (int)rows, (int)cols);
    hyla_matrix *a = case_matrix(cube, type, rows, cols, &layout);
    case_fill(cube, a, cols);
    struct window window = {0, 0, cols};
    hyla_matrix *views[4], *last = a;
    for (int depth = 0; depth < 4; depth++) {
      int64_t row = harness_draw(0, last->row.n), col = harness_draw(0, last->col.n);
      int64_t height = harness_draw(0, last->row.n - row),
              width = harness_draw(0, last->col.n - col);
      if (depth == 0) row = hy_min(row, 3), height = last->row.n - row;
      if (depth == 0) col = hy_min(col, 3), width = last->col.n - col;
      window.row += row;
      window.col += col;
      last = views[depth] = view_of(last, row, col, height, width);
      assert_int_equal(hyla_matrix_rows(last), height);
      assert_int_equal(hyla_matrix_cols(last), width);
      int64_t mine = last->local_rows * last->local_cols, all = 0;
      harness_allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM);
      assert_int_equal(all, height * width);
      case_assert_entries(last, shifted_entry, &window);
    }
    for (int depth = 4; depth-- > 0;) assert_int_equal(hyla_matrix_destroy(&views[depth]), HYLA_OK);
    hyla_matrix_destroy(&a);
  }
  case_cube_end(&cube, before);
}

/* The entry, or 1 in the marked rectangle. */
struct marked {
  int64_t row, col, rows, cols, columns;
};

static double _Complex marked_entry(void *arg, int64_t row, int64_t col) {
  struct marked *m = arg;
  bool inside = row >= m->row && row < m->row + m->rows && col >= m->col && col < m->col + m->cols;
  return inside ? 1 : case_entry(&m->columns, row, col);
}

static void writing_a_view_changes_nothing_else(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int number = 0; number < case_layouts(cube->dims); number += 3) {
    hyla_layout layout = case_layout_of(cube, number);
    harness_note("%s", case_name(&layout));
    hyla_matrix *a = case_matrix(cube, HYLA_COMPLEX, 13, 17, &layout);
    case_fill(cube, a, 17);
    struct marked marked = {harness_draw(0, 13), harness_draw(0, 17), 0, 0, 17};
    marked.rows = harness_draw(0, 13 - marked.row);
    marked.cols = harness_draw(0, 17 - marked.col);
    hyla_matrix *view = view_of(a, marked.row, marked.col, marked.rows, marked.cols);
    assert_int_equal(hyla_matrix_generate(cube, view, HYLA_ONES, 0), HYLA_OK);
    case_assert_entries(a, marked_entry, &marked);
    hyla_matrix_destroy(&view);
    view = view_of(a, 4, 5, 6, 7);
    assert_int_equal(hyla_matrix_set(cube, view, 5, 6, 1234), HYLA_OK);
    double _Complex value = 0;
    assert_int_equal(hyla_matrix_get(cube, a, 9, 11, &value), HYLA_OK);
    assert_true(value == 1234);
    hyla_matrix_destroy(&view);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

static void views_outside_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 5, 7, NULL);
  int64_t before = cube->base.bytes_now;
  static const int64_t bad[][4] = {
      {-1, 0, 1, 1},        {0, -1, 1, 1},        {0, 0, -1, 1},       {0, 0, 1, -1},
      {0, 0, 6, 1},         {0, 0, 1, 8},         {5, 0, 1, 1},        {0, 7, 1, 1},
      {1, 0, INT64_MAX, 1}, {6, 0, 0, 1},         {0, 8, 1, 0},        {0, 1, 1, INT64_MAX},
      {INT64_MAX, 0, 1, 1}, {INT64_MIN, 0, 0, 0}, {0, 0, INT64_MIN, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    harness_note("case %d", (int)i);
    hyla_matrix *view = a;
    assert_int_equal(hyla_matrix_view(a, bad[i][0], bad[i][1], bad[i][2], bad[i][3], &view),
                     HYLA_ARGUMENT);
    assert_null(view);
  }
  hyla_matrix *view = NULL;
  assert_int_equal(hyla_matrix_view(NULL, 0, 0, 0, 0, &view), HYLA_ARGUMENT);
  assert_int_equal(hyla_matrix_view(a, 0, 0, 1, 1, NULL), HYLA_ARGUMENT);
  cube->base.fail_at = cube->base.allocations + 1;
  assert_int_equal(hyla_matrix_view(a, 0, 0, 1, 1, &view), HYLA_MEMORY);
  assert_null(view);
  cube->base.fail_at = 0;
  assert_int_equal(cube->base.bytes_now, before);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

static void views_of_nothing_held_are_fine(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = NULL;
  hyla_layout layout = case_layout_of(cube, 0);
  static double memory[8];
  int64_t rows = 0, cols = 0;
  assert_int_equal(hyla_layout_local(cube, &layout, 1, 2, &rows, &cols), HYLA_OK);
  void *local = rows * cols > 0 ? memory : NULL;
  assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, 1, 2, &layout, local, 2, &a), HYLA_OK);
  hyla_matrix *view = view_of(a, 0, 1, 1, 1);
  assert_int_equal(hyla_matrix_generate(cube, view, HYLA_ONES, 0), HYLA_OK);
  double sum = 0;
  assert_int_equal(hyla_matrix_norm(cube, a, HYLA_NORM_INF, &sum), HYLA_OK);
  assert_true(sum == 1);
  hyla_matrix_destroy(&view);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* -------------------------------------------------------------- rewrapping -- */

enum { SIDE = 16, ROOM = SIDE + 4, OPERANDS = 3 };

/* An operand of the product: a view of a wrapped matrix, in one of two arrays. */
struct moving {
  double array[2][ROOM * ROOM];
  hyla_matrix *whole, *view;
};

static void move_to(struct moving *m, int which) {
  assert_int_equal(hyla_matrix_rewrap(m->whole, m->array[which], ROOM - 2 * which), HYLA_OK);
  assert_int_equal(hyla_matrix_rewrap(m->view, m->array[which], ROOM - 2 * which), HYLA_OK);
}

static void fill_view(hyla_cube *cube, struct moving *m, int64_t salt) {
  assert_int_equal(hyla_matrix_generate(cube, m->view, HYLA_RANDOM, (uint64_t)salt), HYLA_OK);
}

/* Makes the operands; the view begins in row 2, column 1. */
static void wrap_moving(hyla_cube *cube, struct moving *m, const hyla_layout *layout) {
  assert_int_equal(
      hyla_matrix_wrap(cube, HYLA_DOUBLE, SIDE, SIDE, layout, m->array[0], ROOM, &m->whole),
      HYLA_OK);
  m->view = view_of(m->whole, 2, 1, SIDE - 3, SIDE - 3);
}

/* One plan, run where the operands were and where they are then. */
static void rewrapped_plans_work_in_the_other_array(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const int64_t before = cube->base.bytes_now;
  static struct moving m[OPERANDS];
  for (int i = 0; hyla_variant_name("gemm", i) != NULL; i++) {
    const char *variant = hyla_variant_name("gemm", i);
    hyla_layout layout = case_layout_of(cube, (int)harness_draw(0, case_layouts(cube->dims) - 1));
    hyla_plan *plan = NULL;
    harness_note("%s, %s", variant, case_name(&layout));
    for (int x = 0; x < OPERANDS; x++) wrap_moving(cube, &m[x], x == 0 ? NULL : &layout);
    const hyla_status planned = hyla_gemm_plan(cube, HYLA_NONE, HYLA_TRANSPOSE, 1, m[0].view,
                                               m[1].view, 0, m[2].view, variant, &plan);
    for (int which = 1; which >= 0 && planned == HYLA_OK; which--) {
      static double unchanged[ROOM * ROOM];
      memcpy(unchanged, m[2].array[1 - which], sizeof unchanged);
      for (int x = 0; x < OPERANDS; x++) move_to(&m[x], which);
      for (int x = 0; x < 2; x++) fill_view(cube, &m[x], 5 * x + which);
      assert_int_equal(hyla_plan_run(cube, plan), HYLA_OK);
      assert_memory_equal(unchanged, m[2].array[1 - which], sizeof unchanged);
      /* C := A B^T - C must be nearly 0. */
      double most = 1;
      assert_int_equal(hyla_gemm(cube, HYLA_NONE, HYLA_TRANSPOSE, 1, m[0].view, m[1].view, -1,
                                 m[2].view),
                       HYLA_OK);
      assert_int_equal(hyla_matrix_norm(cube, m[2].view, HYLA_NORM_MAX, &most), HYLA_OK);
      assert_true(most < 1e-13);
    }
    hyla_plan_destroy(&plan);
    for (int x = 0; x < OPERANDS; x++) {
      hyla_matrix_destroy(&m[x].view);
      hyla_matrix_destroy(&m[x].whole);
    }
  }
  case_cube_end(&cube, before);
}

static void rewrapping_refuses_what_does_not_fit(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  static struct moving m;
  hyla_matrix *own = case_matrix(cube, HYLA_DOUBLE, 5, 7, NULL);
  wrap_moving(cube, &m, NULL);
  assert_int_equal(hyla_matrix_rewrap(NULL, m.array[1], ROOM), HYLA_ARGUMENT);
  if (own->window != NULL)
    assert_int_equal(hyla_matrix_rewrap(own, m.array[1], ROOM), HYLA_ARGUMENT);
  const char *local = m.view->local;
  const bool holds = m.view->local_rows * m.view->local_cols > 0;
  assert_int_equal(hyla_matrix_rewrap(m.view, NULL, ROOM), holds ? HYLA_ARGUMENT : HYLA_OK);
  assert_int_equal(hyla_matrix_rewrap(m.view, m.array[1], m.view->local_rows - 1),
                   holds ? HYLA_ARGUMENT : HYLA_OK);
  assert_ptr_equal(m.view->local, local);
  hyla_matrix_destroy(&m.view);
  hyla_matrix_destroy(&m.whole);
  hyla_matrix_destroy(&own);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rewrapped_plans_work_in_the_other_array),
      cmocka_unit_test(rewrapping_refuses_what_does_not_fit),
      cmocka_unit_test(views_of_views_hold_the_parents_entries),
      cmocka_unit_test(writing_a_view_changes_nothing_else),
      cmocka_unit_test(views_outside_are_refused),
      cmocka_unit_test(views_of_nothing_held_are_fine),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
