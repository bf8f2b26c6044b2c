/* ScaLAPACK's arrays as matrices, compared with its definition of where entries lie. */
// ranks: 1 2 3 4 5 6 8
// sample: 1 4 6
#include "matrix_cases.h"

#include <limits.h>
#include <stdlib.h>

enum { CTXT = 1, M, N, MB, NB, RSRC, CSRC, LLD };

/* The definition, entry by entry: the process of a direction that holds global index g, and its
 * local index there. */
static int process_of(int64_t g, int block, int source, int processes) {
  return (int)((source + g / block) % processes);
}

static int64_t local_of(int64_t g, int block, int processes) {
  return g / block / processes * block + g % block;
}

static int rank_of(const hyla_scalapack *array, int i, int j) {
  return array->order == 'R' ? i * array->q + j : i + j * array->p;
}

/* This rank's array, with LLD_ set: sentinels everywhere. */
struct memory {
  hyla_scalapack array;
  int64_t rows, cols; /* NUMROC */
  char *data;
  size_t bytes;
};

/* Draws a grid that the nodes are: on an array of them its sides, in either order, all nodes along
 * one side, or the first row alone. */
static hyla_scalapack draw_grid(const hyla_cube *cube) {
  const int p = (int)harness_draw(0, cube->dims), q = (int)harness_draw(0, cube->dims - p);
  const int rows = (int)cube->sides.rows, cols = (int)cube->sides.cols;
  const char order = harness_draw(0, 1) ? 'R' : 'C';
  if (rows == 0) return (hyla_scalapack){.p = 1 << p, .q = 1 << q, .order = order};
  switch (harness_draw(0, 4)) {
  case 0: return (hyla_scalapack){.p = rows, .q = cols, .order = 'R'};
  case 1: return (hyla_scalapack){.p = cols, .q = rows, .order = 'C'};
  case 2: return (hyla_scalapack){.p = 1, .q = cube->nodes, .order = order};
  case 3: return (hyla_scalapack){.p = cube->nodes, .q = 1, .order = order};
  default: return (hyla_scalapack){.p = 1, .q = cols, .order = order};
  }
}

static hyla_scalapack draw_array(const hyla_cube *cube, int m, int n) {
  hyla_scalapack array = draw_grid(cube);
  const int desc[9] = {1,
                       -17,
                       m,
                       n,
                       (int)harness_draw(1, 7),
                       (int)harness_draw(1, 7),
                       (int)harness_draw(0, array.p - 1),
                       (int)harness_draw(0, array.q - 1),
                       0};
  memcpy(array.desc, desc, sizeof desc);
  harness_note("%d x %d, %d x %d blocks on %d x %d from (%d, %d), order %c", m, n, desc[MB],
               desc[NB], array.p, array.q, desc[RSRC], desc[CSRC], array.order);
  return array;
}

static struct memory make_memory(const hyla_scalapack *array, size_t size) {
  struct memory memory = {.array = *array};
  int *desc = memory.array.desc;
  for (int i = 0; i < array->p; i++)
    for (int j = 0; j < array->q; j++) {
      if (rank_of(array, i, j) != harness_rank()) continue;
      for (int64_t g = 0; g < desc[M]; g++)
        memory.rows += process_of(g, desc[MB], desc[RSRC], array->p) == i;
      for (int64_t g = 0; g < desc[N]; g++)
        memory.cols += process_of(g, desc[NB], desc[CSRC], array->q) == j;
    }
  bool inside = harness_rank() < array->p * array->q;
  desc[LLD] = inside ? (int)hy_max(1, memory.rows) + 2 : -9; /* not read outside */
  memory.bytes = inside ? (size_t)desc[LLD] * (size_t)memory.cols * size : 0;
  memory.data = malloc(memory.bytes + 1);
  assert_non_null(memory.data);
  memset(memory.data, 0x5a, memory.bytes);
  return memory;
}

/* Sets this rank's entries by the definition if `set', otherwise checks them. */
static void visit(const struct memory *memory, const struct hy_kernels *k, bool set) {
  const int *desc = memory->array.desc;
  for (int64_t i = 0; i < desc[M]; i++)
    for (int64_t j = 0; j < desc[N]; j++) {
      int p = process_of(i, desc[MB], desc[RSRC], memory->array.p);
      int q = process_of(j, desc[NB], desc[CSRC], memory->array.q);
      if (rank_of(&memory->array, p, q) != harness_rank()) continue;
      int64_t l = local_of(i, desc[MB], memory->array.p);
      int64_t m = local_of(j, desc[NB], memory->array.q);
      char *at = memory->data + (size_t)(l + m * desc[LLD]) * k->size, expected[16];
      k->set(expected, 0, case_entry(&(int64_t){desc[N]}, i, j));
      if (set) memcpy(at, expected, k->size);
      assert_memory_equal(at, expected, k->size);
    }
}

static hyla_matrix *wrap(hyla_cube *cube, const struct memory *memory, int type) {
  hyla_matrix *a = NULL;
  int64_t rows = -1, cols = -1;
  assert_int_equal(hyla_scalapack_local(cube, &memory->array, &rows, &cols), HYLA_OK);
  assert_int_equal(rows, memory->rows);
  assert_int_equal(cols, memory->cols);
  hyla_status status = hyla_matrix_wrap_scalapack(cube, (hyla_type)type, &memory->array,
                                                  memory->bytes ? memory->data : NULL, &a);
  if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  assert_int_equal(a->local_rows, memory->rows);
  assert_int_equal(a->local_cols, memory->cols);
  return a;
}

/* Into a matrix in any layout, and from it into another array. */
static void arrays_come_in_and_go_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int round = 0; round < 12; round++) {
    int type = round % TYPES, m = (int)harness_draw(0, 30), n = (int)harness_draw(0, 30);
    hyla_layout layout = case_layout_on(cube);
    const hyla_scalapack first = draw_array(cube, m, n);
    const hyla_scalapack second = draw_array(cube, m, n);
    const struct hy_kernels *k = hy_kernels_of((hyla_type)type);
    struct memory in = make_memory(&first, k->size), out = make_memory(&second, k->size);
    hyla_matrix *a = wrap(cube, &in, type), *b = wrap(cube, &out, type);
    hyla_matrix *middle = case_matrix(cube, type, m, n, &layout);
    visit(&in, k, true);
    case_assert_entries(a, case_entry, &(int64_t){n});
    assert_int_equal(hyla_matrix_copy(cube, a, middle), HYLA_OK);
    case_assert_entries(middle, case_entry, &(int64_t){n});
    assert_int_equal(hyla_matrix_copy(cube, middle, b), HYLA_OK);
    visit(&out, k, false);
    hyla_matrix_destroy(&middle);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
    free(in.data);
    free(out.data);
  }
  case_cube_end(&cube, before);
}

/* A descriptor of a matrix finds its entries where they lie, also for views. */
static void descriptors_find_the_entries(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int described = 0, refused = 0;
  for (int round = 0; round < 150; round++) {
    int64_t m = harness_draw(0, 25), n = harness_draw(0, 25);
    hyla_layout layout = case_layout_on(cube);
    hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, m, n, &layout), *view = NULL, *again = NULL;
    int64_t row = harness_draw(0, 1) ? harness_draw(0, m) : 0;
    int64_t col = harness_draw(0, 1) ? harness_draw(0, n) : 0;
    assert_int_equal(hyla_matrix_view(a, row, col, m - row, n - col, &view), HYLA_OK);
    harness_note("%s, %d x %d from (%d, %d)", case_name(&layout), (int)m, (int)n, (int)row,
                 (int)col);
    hyla_scalapack array;
    hyla_status status = hyla_matrix_scalapack(view, &array);
    if (status == HYLA_OK) {
      assert_int_equal(array.desc[CTXT], -1);
      assert_int_equal(hyla_matrix_wrap_scalapack(cube, HYLA_DOUBLE, &array, view->local, &again),
                       HYLA_OK);
      assert_int_equal(hyla_matrix_fill(cube, view, case_entry, &n), HYLA_OK);
      case_assert_entries(again, case_entry, &n);
      assert_int_equal(again->local_rows, view->local_rows);
      assert_int_equal(again->local_cols, view->local_cols);
      hyla_matrix_destroy(&again);
    } else {
      assert_int_equal(status, HYLA_UNSUPPORTED);
    }
    described += status == HYLA_OK;
    refused += status != HYLA_OK;
    hyla_matrix_destroy(&view);
    hyla_matrix_destroy(&a);
  }
  assert_true(described > 10);
  if (cube->nodes > 2) assert_true(refused > 10);
  hyla_cube_destroy(&cube);
}

/* The layout in which matrices are created by default has a descriptor. */
static void the_default_layout_has_a_descriptor(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 700, 700, NULL);
  hyla_scalapack array;
  assert_int_equal(hyla_matrix_scalapack(a, &array), HYLA_OK);
  const int block = (int)a->col.block;
  const int expected[] = {1, -1, 700, 700, block, block, 0, 0, (int)a->ld};
  assert_memory_equal(array.desc, expected, sizeof expected);
  assert_int_equal(array.p, cube->sides.rows > 0 ? (int)cube->sides.rows : 1 << cube->dims / 2);
  assert_int_equal(array.p * array.q, cube->nodes);
  assert_int_equal(array.order, 'R');
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* Every way to describe an array wrongly, on all ranks and on one: the index in desc, or p, q,
 * order (9, 10, 11), NULL (12), matrix NULL (13), no memory (14). */
static const struct {
  int what, value;
  hyla_status status;
  const char *message;
} faults[] = {
    {0, 2, HYLA_ARGUMENT, "DTYPE_ is 2; only 1"},
    {M, -1, HYLA_ARGUMENT, "M_ is -1; it cannot be negative"},
    {N, -3, HYLA_ARGUMENT, "N_ is -3; it cannot be negative"},
    {MB, 0, HYLA_ARGUMENT, "MB_ is 0; blocks have 1 or more"},
    {NB, -2, HYLA_ARGUMENT, "NB_ is -2; blocks have 1 or more"},
    {RSRC, -1, HYLA_ARGUMENT, "RSRC_ is -1; it must be from 0 to 0"},
    {RSRC, 1, HYLA_ARGUMENT, "RSRC_ is 1; it must be from 0 to 0"},
    {CSRC, 1, HYLA_ARGUMENT, "CSRC_ is 1; it must be from 0 to 0"},
    {LLD, 4, HYLA_ARGUMENT, "ld is 4; with 5 local rows it must be from 5"},
    {9, 0, HYLA_ARGUMENT, "grid of 0 x 1 processes; give 1 or more"},
    {9, 16, HYLA_ARGUMENT, "grid of 16 x 1 processes; there are "},
    {10, -1, HYLA_ARGUMENT, "grid of 1 x -1 processes; give 1 or more"},
    {11, 'r', HYLA_ARGUMENT, "order 'r'; give 'R'"},
    {12, 0, HYLA_ARGUMENT, "array of ScaLAPACK is NULL"},
    {13, 0, HYLA_ARGUMENT, "hyla_matrix_wrap_scalapack: matrix is NULL"},
    {14, 0, HYLA_ARGUMENT, "local is NULL on a rank that holds 5 x 6 entries"},
};

static void bad_arrays_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  int64_t before = cube->base.bytes_now;
  static double memory[30];
  for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
    /* All entries lie on process (0, 0): the other ranks do not read LLD_ and local. */
    hyla_scalapack array = {{1, 0, 5, 6, 2, 2, 0, 0, 5}, 1, 1, 'R'};
    int what = faults[f].what;
    if (what < 9) array.desc[what] = faults[f].value;
    if (what == 9) array.p = faults[f].value;
    if (what == 10) array.q = faults[f].value;
    if (what == 11) array.order = (char)faults[f].value;
    harness_note("%s", faults[f].message);
    hyla_matrix *a = NULL;
    assert_int_equal(hyla_matrix_wrap_scalapack(cube, HYLA_DOUBLE, what == 12 ? NULL : &array,
                                                what == 14 ? NULL : memory, what == 13 ? NULL : &a),
                     faults[f].status);
    assert_null(a);
    if (strstr(hyla_cube_message(cube), faults[f].message) == NULL)
      fail_msg("'%s' does not say so", hyla_cube_message(cube));
    assert_int_equal(cube->base.bytes_now, before);
  }
  const hyla_scalapack three = {{1, 0, 5, 6, 2, 2, 0, 0, 5}, 3, 1, 'C'};
  hyla_matrix *a = NULL;
  int64_t extent;
  assert_int_equal(hyla_matrix_wrap_scalapack(cube, HYLA_DOUBLE, &three, memory, &a),
                   harness_ranks() < 3 ? HYLA_ARGUMENT : HYLA_UNSUPPORTED);
  assert_int_equal(hyla_scalapack_local(cube, &three, &extent, &extent),
                   harness_ranks() < 3 ? HYLA_ARGUMENT : HYLA_UNSUPPORTED);
  if (harness_ranks() >= 3)
    assert_non_null(strstr(hyla_cube_message(cube),
                           "grid of 3 x 1 processes: the nodes are no such "
                           "array; make the cube with the option array = "
                           "\"1x3\""));
  assert_int_equal(hyla_scalapack_local(cube, &three, NULL, &extent), HYLA_ARGUMENT);
  assert_int_equal(hyla_scalapack_local(NULL, &three, &extent, &extent), HYLA_ARGUMENT);
  assert_int_equal(hyla_matrix_wrap_scalapack(NULL, HYLA_DOUBLE, &three, memory, &a),
                   HYLA_ARGUMENT);
  hyla_cube_destroy(&cube);
}

/* A layout without a descriptor gets the reason. */
static void layouts_without_a_descriptor_say_why(void **state) {
  (void)state;
  if (harness_ranks() != 8) skip();
  static const struct {
    const char *layout;
    int64_t row;
    const char *reason;
  } cases[] = {
      {"gray/cyclic:2@4x2", 0, "the rows lie in Gray code over 4 parts"},
      {"gray/cyclic:2@1x8", 0, "the columns lie in Gray code over 8 parts"},
      {"binary/cyclic:2@[1]x[2,0]", 0, "are no grid by rows or by columns"},
      {"binary/cyclic:2@2x2", 0, "there are copies"},
      {"binary/cyclic:2@2x4", 3, "the view begins 1 rows into a block"},
  };
  hyla_cube *cube = case_cube();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_layout layout;
    hyla_scalapack array;
    assert_int_equal(hyla_layout_parse(cube, cases[i].layout, &layout), HYLA_OK);
    hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 20, 20, &layout), *view = NULL;
    assert_int_equal(hyla_matrix_view(a, cases[i].row, 0, 10, 10, &view), HYLA_OK);
    assert_int_equal(hyla_matrix_scalapack(view, &array), HYLA_UNSUPPORTED);
    if (strstr(hyla_cube_message(cube), cases[i].reason) == NULL)
      fail_msg("'%s' does not say '%s'", hyla_cube_message(cube), cases[i].reason);
    assert_int_equal(hyla_matrix_scalapack(view, NULL), HYLA_ARGUMENT);
    assert_int_equal(hyla_matrix_scalapack(NULL, &array), HYLA_ARGUMENT);
    hyla_matrix_destroy(&view);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

/* The descriptor is global, but its LLD_ is local. */
static void differing_descriptors_are_a_mismatch(void **state) {
  (void)state;
  hyla_cube *cube = case_cube();
  static double memory[90];
  hyla_matrix *a = NULL;
  bool last = harness_rank() == harness_ranks() - 1;
  for (int what = M; what <= LLD; what++) {
    if (what == RSRC || what == CSRC) continue;
    hyla_scalapack array = {{1, 0, 5, 6, 2, 2, 0, 0, 7}, 1, 1, 'R'};
    array.desc[what] += last;
    hyla_status expected = harness_ranks() > 1 && what != LLD ? HYLA_MISMATCH : HYLA_OK;
    assert_int_equal(hyla_matrix_wrap_scalapack(cube, HYLA_DOUBLE, &array, memory, &a), expected);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_come_in_and_go_out),
      cmocka_unit_test(descriptors_find_the_entries),
      cmocka_unit_test(the_default_layout_has_a_descriptor),
      cmocka_unit_test(bad_arrays_are_refused_everywhere),
      cmocka_unit_test(layouts_without_a_descriptor_say_why),
      cmocka_unit_test(differing_descriptors_are_a_mismatch),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
