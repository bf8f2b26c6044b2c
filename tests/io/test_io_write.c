/* Writing matrix files on ranks: every entry comes back bit for bit, and a write that fails leaves
 * no file. */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "io_check.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *const endings[] = {".mtx", ".npy", ".csv"};

/* Real (part 0) or imaginary part of entry (i, j): all kinds of numbers. */
static double number(int64_t i, int64_t j, int part, bool single) {
  static const double special[] = {NAN,  INFINITY, -INFINITY, -0.0,         0.0,
                                   -NAN, 1,        0.1,       -1.0 / 3.0e7, 123456789};
  int64_t k = 11 * i + 5 * j + 3 * part;
  if (k % 4 == 0) return special[k % 10];
  double x = ldexp(sin((double)(k + 1)), (int)(k % 61) - 30);
  if (k % 4 == 1) x = single ? ldexp(x, -100) : ldexp(x, -1020); /* some of them are denormal */
  if (k % 4 == 2) x = single ? ldexp(x, 97) : ldexp(x, 990);
  return x;
}

/* Rounds to the nearest number of single precision.  Volatile, because gcc 12 at -O2 drops the
 * rounding of two numbers side by side. */
static double round_single(double x) {
  volatile float single = (float)x;
  return (double)single;
}

/* The parts of entry (i, j) of a matrix of a's type. */
static void entry(const hyla_matrix *a, int64_t i, int64_t j, double parts[2]) {
  bool single = a->k->epsilon > 1e-10;
  for (int part = 0; part < 2; part++) {
    parts[part] = part > 0 && !a->k->complex_type ? 0 : number(i, j, part, single);
    if (single) parts[part] = round_single(parts[part]);
  }
}

static void fill(hyla_matrix *a) {
  for (int64_t m = 0; m < a->local_cols; m++) {
    for (int64_t l = 0; l < a->local_rows; l++) {
      double parts[2];
      entry(a, hyla_matrix_row(a, l), hyla_matrix_col(a, m), parts);
      const float single[2] = {(float)parts[0], (float)parts[1]};
      bool is_single = a->k->epsilon > 1e-10;
      memcpy(hy_at(a, l, m), is_single ? (const void *)single : parts, a->k->size);
    }
  }
}

/* Reads the file in some layout; it must hold the entries of matrix a from (row, col) on. */
static void assert_file(hyla_cube *cube, const char *path, const hyla_matrix *a, int64_t row,
                        int64_t col, int64_t rows, int64_t cols) {
  hyla_layout layout;
  hyla_matrix *back = NULL;
  int which = (int)harness_draw(0, LAYOUTS - 1);
  hyla_status status = hyla_matrix_read(cube, path, make_layout(cube, which, &layout), &back);
  if (status != HYLA_OK) harness_note("%s", hyla_cube_message(cube));
  assert_int_equal(status, HYLA_OK);
  assert_int_equal(hyla_matrix_rows(back), rows);
  assert_int_equal(hyla_matrix_cols(back), cols);
  if (strstr(path, ".npy") != NULL) assert_ptr_equal(back->k, a->k);
  assert_int_equal(back->k->complex_type, a->k->complex_type);
  for (int64_t m = 0; m < back->local_cols; m++) {
    for (int64_t l = 0; l < back->local_rows; l++) {
      double got[2], wanted[2];
      local_entry(back, l, m, got);
      entry(a, row + hyla_matrix_row(back, l), col + hyla_matrix_col(back, m), wanted);
      /* Text formats have no single precision: its numbers come back as the nearest doubles. */
      bool rounded = a->k->epsilon > back->k->epsilon;
      for (int part = 0; part < 2 && rounded; part++) got[part] = round_single(got[part]);
      assert_memory_equal(got, wanted, sizeof got);
    }
  }
  hyla_matrix_destroy(&back);
}

static void entries_come_back_bit_for_bit(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {13, 13}, {53, 2}, {2, 53}};
  hyla_cube *cube = make_cube();
  char path[64];
  int64_t held = cube->base.bytes_now;
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (int e = 0; e < 3; e++) {
        /* A table without numbers has no size. */
        if (e == 2 && sizes[s][0] * sizes[s][1] == 0) continue;
        hyla_layout layout;
        hyla_matrix *a = NULL;
        int which = (int)harness_draw(0, LAYOUTS - 1);
        int64_t rows = sizes[s][0], cols = sizes[s][1];
        harness_note("type %d, %d x %d, layout %d, %s", type, (int)rows, (int)cols, which,
                     endings[e]);
        assert_int_equal(hyla_matrix_create(cube, (hyla_type)type, rows, cols,
                                            make_layout(cube, which, &layout), &a),
                         HYLA_OK);
        fill(a);
        file_name("test_io_write", endings[e], path);
        assert_int_equal(hyla_matrix_write(cube, a, path), HYLA_OK);
        assert_file(cube, path, a, 0, 0, rows, cols);
        drop_file(path);
        hyla_matrix_destroy(&a);
        assert_int_equal(cube->base.bytes_now, held);
      }
    }
  }
  hyla_cube_destroy(&cube);
}

/* A column written as a vector comes back, and is known as a vector; writing a matrix as a vector
 * is refused. */
static void a_vector_has_one_dimension(void **state) {
  (void)state;
  static const int64_t sizes[] = {0, 1, 13};
  hyla_cube *cube = make_cube();
  char path[64];
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int e = 0; e < 2; e++) {
      hyla_matrix *a = NULL, *wide = NULL;
      bool vector = false;
      assert_int_equal(hyla_matrix_create(cube, HYLA_COMPLEX, sizes[s], 1, NULL, &a), HYLA_OK);
      assert_int_equal(hyla_matrix_create(cube, HYLA_COMPLEX, 2, 2, NULL, &wide), HYLA_OK);
      fill(a);
      file_name("test_io_write", endings[e], path);
      harness_note("%d entries, %s", (int)sizes[s], endings[e]);
      assert_int_equal(hyla_vector_write(cube, wide, path), HYLA_ARGUMENT);
      assert_int_equal(hyla_vector_write(cube, a, path), HYLA_OK);
      assert_file(cube, path, a, 0, 0, sizes[s], 1);
      assert_int_equal(hyla_vector_probe(cube, path, &vector), HYLA_OK);
      assert_int_equal(vector, e == 1);
      assert_int_equal(hyla_matrix_write(cube, a, path), HYLA_OK);
      assert_int_equal(hyla_vector_probe(cube, path, &vector), HYLA_OK);
      assert_false(vector);
      drop_file(path);
      hyla_matrix_destroy(&wide);
      hyla_matrix_destroy(&a);
    }
  hyla_cube_destroy(&cube);
}

static void views_and_borrowed_arrays_are_written(void **state) {
  (void)state;
  enum { N = 37, ROW = 5, COL = 9, ROWS = 20, COLS = 11 };
  hyla_cube *cube = make_cube();
  char path[64];
  for (int which = 0; which < LAYOUTS; which++) {
    hyla_layout layout;
    hyla_matrix *a = NULL, *view = NULL;
    if (make_layout(cube, which, &layout) == NULL)
      assert_int_equal(hyla_layout_default(cube, N, N, &layout), HYLA_OK);
    int64_t rows, cols;
    assert_int_equal(hyla_layout_local(cube, &layout, N, N, &rows, &cols), HYLA_OK);
    double *local = calloc((size_t)((rows + 2) * cols + 1), sizeof *local);
    assert_non_null(local);
    assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, N, N, &layout, local, rows + 2, &a),
                     HYLA_OK);
    fill(a);
    assert_int_equal(hyla_matrix_view(a, ROW, COL, ROWS, COLS, &view), HYLA_OK);
    for (int e = 0; e < 2; e++) {
      harness_note("layout %d, %s", which, endings[e]);
      file_name("test_io_write", endings[e], path);
      assert_int_equal(hyla_matrix_write(cube, view, path), HYLA_OK);
      assert_file(cube, path, a, ROW, COL, ROWS, COLS);
      drop_file(path);
    }
    hyla_matrix_destroy(&view);
    hyla_matrix_destroy(&a);
    free(local);
  }
  hyla_cube_destroy(&cube);
}

/* The pieces cover every place once, in the order of rounds and nodes. */
static void pieces_follow_each_other(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{0, 9},     {7, 0},      {1, 1},       {40000, 3}, {3, 40000},
                                     {200, 200}, {140000, 9}, {1 << 17, 8}, {70000, 2}};
  hyla_cube *cube = make_cube();
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int64_t rows = sizes[s][0], cols = sizes[s][1], next = 0;
    harness_note("%d x %d", (int)rows, (int)cols);
    struct hy_file_split split = hy_file_split_make(cube, rows, cols, false);
    assert_int_equal(hy_layout_check(cube, &split.layout), HYLA_OK);
    hyla_matrix a = {.cube = cube};
    a.row = hy_axis_make(&split.layout.row, rows);
    a.col = hy_axis_make(&split.layout.col, cols);
    for (int64_t round = 0; round < split.rounds; round++) {
      for (int node = 0; node < cube->nodes; node++) {
        const int address = hy_address_of(cube, node);
        a.row_part = hy_part_of(&a.row, address);
        a.col_part = hy_part_of(&a.col, address);
        a.local_rows = hy_axis_before(&a.row, a.row_part, rows);
        a.local_cols = hy_axis_before(&a.col, a.col_part, cols);
        struct hy_file_piece piece = hy_file_split_piece(&split, &a, round);
        assert_true(piece.rows * piece.cols <= split.most);
        assert_true(piece.cols <= 1 || piece.rows == rows);
        if (piece.rows * piece.cols > 0) assert_int_equal(piece.place, next);
        next += piece.rows * piece.cols;
      }
    }
    assert_int_equal(next, rows * cols);
  }
  hyla_cube_destroy(&cube);
}

static void assert_old(const char *folder, const char *path) {
  char text[8] = {0};
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(text, 1, sizeof text, file), 3);
  fclose(file);
  assert_string_equal(text, "old");
  assert_int_equal(count_files(folder), 1);
  harness_barrier();
}

/* A limit on the size of files simulates a full disk. */
static void set_limit(rlim_t bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  for (int e = 0; e < 2; e++) {
    char folder[64], path[96];
    folder_make("folder_of_io_write", folder, path, endings[e]);
    hyla_matrix *a = NULL;
    assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 60, 60, NULL, &a), HYLA_OK);
    fill(a);
    for (int bad = -1; bad < harness_ranks(); bad++) { /* -1: all ranks */
      harness_note("%s, rank %d: %s", endings[e], bad, hyla_cube_message(cube));
      if (bad < 0 || bad == harness_rank()) set_limit(1000);
      hyla_status status = hyla_matrix_write(cube, a, path);
      set_limit(RLIM_INFINITY);
      bool guest = bad >= hyla_cube_nodes(cube);
      assert_common(cube, status);
      assert_int_equal(status, guest ? HYLA_OK : HYLA_FILE);
      if (guest) {
        put_file(path, "old", 3);
        continue;
      }
      assert_non_null(strstr(hyla_cube_message(cube), "File too large"));
      assert_non_null(strstr(hyla_cube_message(cube), path));
      assert_old(folder, path);
    }
    hyla_matrix_destroy(&a);
    folder_drop(folder, path);
  }
  signal(SIGXFSZ, before);
  hyla_cube_destroy(&cube);
}

static void complete_files_replace_old_ones(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char folder[64], path[96];
  folder_make("folder_of_io_write", folder, path, ".mtx");
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_COMPLEX, 3, 2, NULL, &a), HYLA_OK);
  fill(a);
  assert_int_equal(hyla_matrix_write(cube, a, path), HYLA_OK);
  assert_file(cube, path, a, 0, 0, 3, 2);
  assert_int_equal(count_files(folder), 1);
  hyla_matrix_destroy(&a);
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
}

static void unwritable_places_are_named(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 3, 3, NULL, &a), HYLA_OK);
  assert_message(cube, hyla_matrix_write(cube, a, "no/such.mtx"), HYLA_FILE,
                 "cannot write no/such.mtx: No such file or directory");
  char folder[64], path[96], message[192];
  folder_make("folder_of_io_write", folder, path, ".mtx");
  drop_file(path);
  harness_barrier();
  if (harness_rank() == 0) assert_int_equal(mkdir(path, 0777), 0);
  harness_barrier();
  snprintf(message, sizeof message, "cannot write %s: Is a directory", path);
  assert_message(cube, hyla_matrix_write(cube, a, path), HYLA_FILE, message);
  assert_int_equal(count_files(folder), 1);
  harness_barrier();
  if (harness_rank() == 0) assert_int_equal(rmdir(path), 0);
  folder_drop(folder, path);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 3, 3, NULL, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_write(NULL, a, "a.mtx"), HYLA_ARGUMENT);
  assert_message(cube, hyla_matrix_write(cube, a, "a.jpg"), HYLA_ARGUMENT,
                 "hyla_matrix_write: 'a.jpg' has no known ending; use .mtx (Matrix Market), "
                 ".npy (NumPy), .csv, .tsv or .txt (tables), or FILE.h5:/DATASET (HDF5)");
  assert_message(cube, hyla_matrix_write(cube, a, "a.npz:b"), HYLA_ARGUMENT,
                 "hyla_matrix_write: 'a.npz:b' is in an archive, and these are read but not "
                 "written; use .npy (NumPy)");
  for (int bad = -1; bad < harness_ranks(); bad++) { /* -1: all ranks */
    harness_note("bad rank %d", bad);
    bool here = bad < 0 || bad == harness_rank();
    hyla_status status = hyla_matrix_write(cube, here ? NULL : a, "a.mtx");
    assert_common(cube, status);
    assert_int_equal(status, HYLA_ARGUMENT);
    status = hyla_matrix_write(cube, a, here ? NULL : "a.mtx");
    assert_common(cube, status);
    assert_int_equal(status, HYLA_ARGUMENT);
    if (bad < 0 || harness_ranks() == 1) continue;
    status = hyla_matrix_write(cube, a, here ? "b.mtx" : "a.mtx");
    assert_common(cube, status);
    assert_int_equal(status, HYLA_MISMATCH);
  }
  assert_int_not_equal(access("a.mtx", F_OK), 0);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n: all ranks learn of it, and no file is
 * left. */
static void lack_of_memory_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char folder[64], path[96];
  for (int e = 0; e < 2; e++) {
    folder_make("folder_of_io_write", folder, path, endings[e]);
    for (int bad = 0; bad < harness_ranks(); bad += 1 + bad) { /* 0, 1, 3, 7 */
      hyla_matrix *a = NULL;
      assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 5, 5, NULL, &a), HYLA_OK);
      fill(a);
      int64_t held = cube->base.bytes_now;
      hyla_status status = HYLA_MEMORY;
      for (int n = 1; status != HYLA_OK; n++) {
        harness_note("allocation %d on rank %d: %s", n, bad, hyla_cube_message(cube));
        assert_in_range(n, 1, 100);
        cube->base.fail_at = harness_rank() == bad ? cube->base.allocations + n : 0;
        status = hyla_matrix_write(cube, a, path);
        assert_common(cube, status);
        assert_true(status == HYLA_OK || status == HYLA_MEMORY);
        assert_int_equal(cube->base.bytes_now, held);
        if (status != HYLA_OK) assert_old(folder, path);
      }
      cube->base.fail_at = 0;
      assert_int_equal(count_files(folder), 1);
      put_file(path, "old", 3);
      hyla_matrix_destroy(&a);
    }
    folder_drop(folder, path);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_come_back_bit_for_bit),
      cmocka_unit_test(a_vector_has_one_dimension),
      cmocka_unit_test(views_and_borrowed_arrays_are_written),
      cmocka_unit_test(pieces_follow_each_other),
      cmocka_unit_test(a_full_disk_leaves_the_old_file),
      cmocka_unit_test(complete_files_replace_old_ones),
      cmocka_unit_test(unwritable_places_are_named),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(lack_of_memory_is_agreed_upon),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
