/* The matrix object: which node holds which entries, and the arguments that it refuses. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "matrix_cases.h"

#include <limits.h>

static void created_matrices_are_zero_and_complete(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now, sizes[HARNESS_SIZES];
  int count = harness_sizes(cube->nodes, sizes);
  for (int number = 0; number < case_layouts(cube->dims); number++) {
    int type = number % TYPES;
    int64_t rows = sizes[harness_draw(0, count - 1)], cols = sizes[harness_draw(0, count - 1)];
    hyla_layout layout = case_layout_of(cube, number);
    harness_note("%s, type %d, %d x %d", case_name(&layout), type, (int)rows, (int)cols);
    hyla_matrix *a = case_matrix(cube, type, rows, cols, &layout);
    assert_int_equal(hyla_matrix_type(a), type);
    assert_int_equal(hyla_matrix_rows(a), rows);
    assert_int_equal(hyla_matrix_cols(a), cols);
    assert_ptr_equal(hyla_matrix_cube(a), cube);
    assert_true(case_same_layout(hyla_matrix_layout(a), &layout));
    void *local = NULL;
    int64_t local_rows = -1, local_cols = -1, ld = -1, expected_rows, expected_cols;
    assert_int_equal(hyla_matrix_local(a, &local, &local_rows, &local_cols, &ld), HYLA_OK);
    hyla_layout_local(cube, &layout, rows, cols, &expected_rows, &expected_cols);
    assert_int_equal(local_rows, expected_rows);
    assert_int_equal(local_cols, expected_cols);
    assert_true(ld >= hy_max(1, local_rows));
    for (int64_t m = 0; m < local_cols; m++)
      for (int64_t l = 0; l < local_rows; l++) assert_true(a->k->get(local, l + m * ld) == 0);
    int64_t mine = local_rows * local_cols, all = 0;
    harness_allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM);
    assert_int_equal(all, rows * cols);
    assert_int_equal(hyla_matrix_destroy(&a), HYLA_OK);
    assert_null(a);
  }
  case_cube_end(&cube, before);
}

static void columns_do_not_share_cache_sets(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_layout layout = case_layout_of(cube, 0); /* one row of nodes */
  for (int type = 0; type < TYPES; type++)
    for (int64_t rows = 1; rows <= 2048; rows = rows * 2 + harness_draw(-1, 1)) {
      hyla_matrix *a = case_matrix(cube, type, rows, cube->nodes, &layout);
      int64_t bytes = a->ld * (int64_t)a->k->size;
      if (a->local_rows * (int64_t)a->k->size > 64) assert_int_equal(bytes % 64, 0);
      assert_int_not_equal(bytes % 4096, 0);
      assert_true(bytes <= hy_max(1, a->local_rows) * (int64_t)a->k->size + 127);
      if (cube->address >= 0) assert_int_equal(a->ld, hy_matrix_peer_ld(a, a->row_part));
      hyla_matrix_destroy(&a);
    }
  hyla_cube_destroy(&cube);
}

static void entries_lie_where_the_axes_say(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int number = 0; number < case_layouts(cube->dims); number++) {
    hyla_layout layout = case_layout_of(cube, number);
    hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 11, 13, &layout);
    case_fill(cube, a, 13);
    case_assert_entries(a, case_entry, &(int64_t){13});
    for (int64_t l = 0; l < a->local_rows; l++) {
      int64_t row = hyla_matrix_row(a, l);
      assert_int_equal(hy_axis_owner(&a->row, row), a->row_part);
      assert_int_equal(hy_matrix_node(a, a->row_part, a->col_part), cube->address);
      if (l > 0) assert_true(row > hyla_matrix_row(a, l - 1));
    }
    assert_int_equal(hyla_matrix_row(a, -1), -1);
    assert_int_equal(hyla_matrix_row(a, a->local_rows), -1);
    assert_int_equal(hyla_matrix_col(a, -1), -1);
    assert_int_equal(hyla_matrix_col(a, a->local_cols), -1);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

static void wrapped_matrices_use_the_callers_array(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int type = 0; type < TYPES; type++) {
    static double _Complex memory[20 * 20];
    memset(memory, 0x5a, sizeof memory);
    hyla_matrix *a = NULL;
    assert_int_equal(hyla_matrix_wrap(cube, (hyla_type)type, 17, 19, NULL, memory, 20, &a),
                     HYLA_OK);
    void *local = NULL;
    int64_t ld = 0;
    assert_int_equal(hyla_matrix_local(a, &local, NULL, NULL, &ld), HYLA_OK);
    assert_ptr_equal(local, memory);
    assert_int_equal(ld, 20);
    case_fill(cube, a, 19);
    case_assert_entries(a, case_entry, &(int64_t){19});
    /* Nothing below the local rows was changed. */
    const unsigned char *bytes = (const unsigned char *)memory;
    for (int64_t at = a->local_rows * (int64_t)a->k->size; at < 20 * (int64_t)a->k->size; at++)
      assert_int_equal(bytes[at], 0x5a);
    assert_int_equal(hyla_matrix_destroy(&a), HYLA_OK);
  }
  case_cube_end(&cube, before);
}

/* `in' is read and `out' is written. */
static hyla_status call_with(hyla_cube *cube, int what, hyla_matrix *in, hyla_matrix *out,
                             hyla_matrix *third) {
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, in, out};
  hyla_plan *plan = NULL;
  hyla_status status = HYLA_OK;
  switch (what) {
  case 0: return hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, in, third, 0, out);
  case 1: return hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, third, in, 0, out);
  case 2: return hyla_symm(cube, HYLA_LEFT, HYLA_LOWER, 1, in, third, 0, out);
  case 3: return hyla_trmm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, in, out);
  case 4: return hyla_syrk(cube, HYLA_LOWER, HYLA_NONE, 1, in, 0, out);
  case 5: return hyla_trsm(cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, 1, in, out);
  case 6: return hyla_redistribute(cube, 1, &transfer);
  case 7: return hyla_matrix_copy(cube, in, out);
  case 8: return hyla_matrix_convert(cube, in, out);
  case 9: return hyla_add(cube, HYLA_NONE, 1, in, 1, out);
  case 10: return hyla_invert(cube, HYLA_LU, in, out, NULL);
  default:
    status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, in, third, 0, out, NULL, &plan);
    hyla_plan_destroy(&plan);
    return status;
  }
}

/* The caller's arrays overlap on one rank alone, by an entry: all ranks refuse.  Interleaved parts
 * of one array, whose columns alternate, do not overlap. */
static void arrays_that_overlap_are_refused(void **state) {
  (void)state;
  enum { CALLS = 12, MOST = 32, ROOM = 4 * MOST * MOST };
  hyla_cube *cube = cube_open_array();
  /* Every rank has entries of such a matrix, on every array. */
  const int64_t n = 2 * (int64_t)cube->nodes;
  assert_true(n <= MOST);
  int64_t before = cube->base.bytes_now, rows = 0, cols = 0;
  static double memory[ROOM], third[ROOM];
  hyla_layout_local(cube, NULL, n, n, &rows, &cols);
  const int64_t ld = hy_max(1, 2 * rows);
  for (int what = 0; what < CALLS; what++)
    for (int where = 0; where <= cube->nodes; where++) {
      harness_note("call %d, arrays that overlap on rank %d", what, where);
      const bool here = harness_rank() == where;
      const int64_t apart = here ? (cols - 1) * ld + rows - 1 : rows;
      hyla_matrix *in = NULL, *out = NULL, *other = NULL;
      for (int i = 0; i < ROOM; i++) memory[i] = third[i] = 1;
      /* One matrix has the first half of each column's rows, the other one the second half. */
      assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, n, n, NULL, memory, ld, &in), HYLA_OK);
      assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, n, n, NULL, memory + apart, ld, &out),
                       HYLA_OK);
      assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, n, n, NULL, third, ld, &other), HYLA_OK);
      for (int64_t i = 0; i < n; i++)
        assert_int_equal(hyla_matrix_set(cube, in, i, i, (double)(2 * n)), HYLA_OK);
      hyla_status status = call_with(cube, what, in, out, other);
      assert_int_equal(status, where < cube->nodes ? HYLA_ARGUMENT : HYLA_OK);
      if (status) assert_non_null(strstr(hyla_cube_message(cube), "share"));
      hyla_matrix_destroy(&in);
      hyla_matrix_destroy(&out);
      hyla_matrix_destroy(&other);
    }
  case_cube_end(&cube, before);
}

static void bad_arguments_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  static double memory[64 * 64];
  hyla_matrix *a = NULL;
  hyla_layout bad = case_layout_of(cube, 0);
  bad.row.code = (hyla_code)9;
  const int64_t huge = INT64_C(1) << 60;
  /* Each is tried on all ranks and on each rank alone. */
  for (int fault = 0; fault < 11; fault++)
    for (int where = -1; where < harness_ranks(); where++) {
      harness_note("fault %d on rank %d", fault, where);
      bool here = where < 0 || where == harness_rank();
      int pick = here ? fault : -1;
      hyla_type type = pick == 0 ? (hyla_type)4 : HYLA_DOUBLE;
      int64_t rows = pick == 1 ? -1 : pick == 2 ? huge : 5;
      int64_t cols = pick == 3 ? -1 : pick == 4 ? INT64_MAX : 6;
      const hyla_layout *layout = pick == 5 ? &bad : NULL;
      hyla_status status;
      bool expected = true;
      if (fault < 7) {
        status = hyla_matrix_create(cube, type, rows, cols, layout, pick == 6 ? NULL : &a);
      } else {
        /* local arguments: bad only on ranks that hold entries */
        int64_t local_rows, local_cols;
        hyla_layout_local(cube, NULL, 5, 6, &local_rows, &local_cols);
        int mine = here && (fault != 7 || local_rows * local_cols > 0), any = 0;
        harness_allreduce(&mine, &any, 1, MPI_INT, MPI_MAX);
        expected = any != 0;
        status = hyla_matrix_wrap(cube, HYLA_DOUBLE, 5, 6, NULL, pick == 7 ? NULL : memory,
                                  pick == 8   ? 0
                                  : pick == 9 ? (int64_t)INT_MAX + 1
                                              : 8,
                                  pick == 10 ? NULL : &a);
      }
      assert_int_equal(status, expected ? HYLA_ARGUMENT : HYLA_OK);
      if (expected) assert_string_not_equal(hyla_cube_message(cube), "");
      if (expected) assert_null(a);
      hyla_matrix_destroy(&a);
    }
  assert_int_equal(hyla_matrix_create(NULL, HYLA_FLOAT, 1, 1, NULL, &a), HYLA_ARGUMENT);
  assert_int_equal(hyla_matrix_wrap(NULL, HYLA_FLOAT, 1, 1, NULL, memory, 1, &a), HYLA_ARGUMENT);
  case_cube_end(&cube, before);
}

static void differing_arguments_are_a_mismatch(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = NULL;
  hyla_layout other = case_layout_of(cube, 4);
  bool last = harness_rank() == harness_ranks() - 1;
  hyla_status expected = harness_ranks() > 1 ? HYLA_MISMATCH : HYLA_OK;
  for (int what = 0; what < 4; what++) {
    harness_note("argument %d", what);
    int pick = last ? what : -1;
    hyla_status status =
        hyla_matrix_create(cube, pick == 0 ? HYLA_FLOAT : HYLA_DOUBLE, pick == 1 ? 4 : 5,
                           pick == 2 ? 6 : 5, pick == 3 ? &other : NULL, &a);
    assert_int_equal(status, expected);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

/* More than any machine has, but without an overflow. */
static void too_much_memory_is_an_error(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  hyla_matrix *a = NULL;
  const bool cubic = cube->sides.count == 0;
  hyla_layout layout = case_layout_of(cube, 0);
  const int64_t down = cubic ? 1 : hy_array_rows(cube), across = cube->nodes / down;
  for (int64_t n = INT64_C(1) << 27; n < INT_MAX - 4096; n = 2 * n - 4096) {
    harness_note("%lld x %lld", (long long)(n * down), (long long)(n * across));
    assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE_COMPLEX, n * down, n * across,
                                        cubic ? &layout : NULL, &a),
                     HYLA_MEMORY);
    assert_null(a);
  }
  case_cube_end(&cube, before);
}

static void every_failing_allocation_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  int failures = 0;
  for (int where = 0; where < harness_ranks(); where++)
    for (int64_t nth = 1, failed = 1; failed; nth++) {
      harness_note("allocation %lld on rank %d", (long long)nth, where);
      hyla_matrix *a = NULL;
      if (where == harness_rank()) cube->base.fail_at = cube->base.allocations + nth;
      hyla_status status = hyla_matrix_create(cube, HYLA_FLOAT, 20, 30, NULL, &a);
      int reached = where == harness_rank() && cube->base.allocations >= cube->base.fail_at;
      cube->base.fail_at = 0;
      harness_broadcast(&reached, 1, MPI_INT, where);
      failed = reached;
      /* Shared memory that one rank cannot get is replaced by private memory. */
      bool replaced = failed && cube->session.why_private[0] != 0 && status == HYLA_OK;
      assert_int_equal(status, failed && !replaced ? HYLA_MEMORY : HYLA_OK);
      int code = (int)status;
      harness_broadcast(&code, 1, MPI_INT, 0);
      assert_int_equal(status, code);
      failures += status == HYLA_MEMORY;
      hyla_matrix_destroy(&a);
      assert_int_equal(cube->base.bytes_now, before);
      assert_in_range(nth, 1, 100);
    }
  assert_true(failures >= harness_ranks());
  case_cube_end(&cube, before);
}

static void nothing_is_known_of_null(void **state) {
  (void)state;
  assert_int_equal(hyla_matrix_type(NULL), HYLA_DOUBLE);
  assert_int_equal(hyla_matrix_rows(NULL), 0);
  assert_int_equal(hyla_matrix_cols(NULL), 0);
  assert_null(hyla_matrix_layout(NULL));
  assert_null(hyla_matrix_cube(NULL));
  assert_int_equal(hyla_matrix_row(NULL, 0), -1);
  assert_int_equal(hyla_matrix_col(NULL, 0), -1);
  assert_int_equal(hyla_matrix_local(NULL, NULL, NULL, NULL, NULL), HYLA_ARGUMENT);
  hyla_matrix *none = NULL;
  assert_int_equal(hyla_matrix_destroy(&none), HYLA_OK);
  assert_int_equal(hyla_matrix_destroy(NULL), HYLA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(created_matrices_are_zero_and_complete),
      cmocka_unit_test(columns_do_not_share_cache_sets),
      cmocka_unit_test(entries_lie_where_the_axes_say),
      cmocka_unit_test(wrapped_matrices_use_the_callers_array),
      cmocka_unit_test(arrays_that_overlap_are_refused),
      cmocka_unit_test(bad_arguments_are_refused_everywhere),
      cmocka_unit_test(differing_arguments_are_a_mismatch),
      cmocka_unit_test(too_much_memory_is_an_error),
      cmocka_unit_test(every_failing_allocation_is_agreed_upon),
      cmocka_unit_test(nothing_is_known_of_null),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
