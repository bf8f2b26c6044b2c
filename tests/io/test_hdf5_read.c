/* Reading datasets of HDF5 files on ranks: every type, shape, order and way of storing, in every
 * layout; a dataset that cannot be read gives one message. */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "hdf5_check.h"

#include "hyla_lab.h"

static const struct kept keepings[] = {
    {"contiguous", H5D_CONTIGUOUS, {0, 0}, 0},  {"chunks", H5D_CHUNKED, {14, 10}, 0},
    {"packed", H5D_CHUNKED, {4, 16}, 6},        {"lines", H5D_CHUNKED, {1, 1 << 20}, 0},
    {"columns", H5D_CHUNKED, {1 << 20, 1}, 1},  {"compact", H5D_COMPACT, {0, 0}, 0},
    {"small", H5D_CHUNKED, {7, 5}, 0},          {"shuffled", H5D_CHUNKED, {16, 24}, 6 + SHUFFLED},
    {"moved", H5D_CHUNKED, {16, 24}, SHUFFLED}, {"summed", H5D_CHUNKED, {16, 24}, 6 + SUMMED},
};
enum { KEEPINGS = sizeof keepings / sizeof *keepings };

static hid_t create_file(const char *path) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static void all_types_and_ways_of_keeping_are_read(void **state) {
  (void)state;
  enum { SIZES = 7 };
  static const int64_t sizes[SIZES][2] = {{1, 1},  {13, 13}, {30, 1}, {1, 31},
                                          {53, 2}, {2, 53},  {40, 33}};
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  const hid_t pairs[] = {make_pair(H5T_IEEE_F32LE, "r", "i"), make_pair(H5T_IEEE_F64BE, "r", "i"),
                         make_pair(H5T_IEEE_F64LE, "real", "imag"),
                         make_pair(H5T_IEEE_F32BE, "re", "im")};
  const struct {
    hid_t type;
    hyla_type read_as;
  } types[] = {{H5T_IEEE_F64LE, HYLA_DOUBLE},   {H5T_IEEE_F32LE, HYLA_FLOAT},
               {H5T_IEEE_F64BE, HYLA_DOUBLE},   {H5T_IEEE_F32BE, HYLA_FLOAT},
               {H5T_STD_I8LE, HYLA_DOUBLE},     {H5T_STD_I16BE, HYLA_DOUBLE},
               {H5T_STD_I32LE, HYLA_DOUBLE},    {H5T_STD_I64BE, HYLA_DOUBLE},
               {H5T_STD_U8LE, HYLA_DOUBLE},     {H5T_STD_U16LE, HYLA_DOUBLE},
               {H5T_STD_U32BE, HYLA_DOUBLE},    {H5T_STD_U64LE, HYLA_DOUBLE},
               {pairs[0], HYLA_COMPLEX},        {pairs[1], HYLA_DOUBLE_COMPLEX},
               {pairs[2], HYLA_DOUBLE_COMPLEX}, {pairs[3], HYLA_COMPLEX}};
  file_name("test_hdf5_read", ".h5", path);
  for (int t = 0; t < (int)(sizeof types / sizeof *types); t++)
    for (int k = 0; k < KEEPINGS; k++) {
      const int64_t *size = sizes[(t + k) % SIZES];
      const bool by_columns = harness_draw(0, 1);
      if (harness_rank() == 0) {
        hid_t file = create_file(path);
        put_dataset(file, "/g/a", types[t].type, 2, size[0], size[1], by_columns, &keepings[k]);
        assert_true(H5Fclose(file) >= 0);
      }
      harness_barrier();
      snprintf(full, sizeof full, "%s:%s/g/a", path, by_columns ? "columns:" : "");
      assert_int_equal(assert_read(cube, full, size[0], size[1]), types[t].read_as);
      expect_quiet(4);
      drop_file(path);
    }
  for (int p = 0; p < 4; p++) assert_true(H5Tclose(pairs[p]) >= 0);
  hyla_cube_destroy(&cube);
}

/* Datasets of more than one box; a chunk that is larger than a box. */
static void large_datasets_are_read_box_by_box(void **state) {
  (void)state;
  static const struct kept large[] = {{"packed", H5D_CHUNKED, {64, 100}, 1 + SHUFFLED},
                                      {"one chunk", H5D_CHUNKED, {1 << 20, 1 << 20}, 1},
                                      {"contiguous", H5D_CONTIGUOUS, {0, 0}, 0}};
  static const int64_t sizes[][2] = {{1301, 500}, {3, 700001}};
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  file_name("test_hdf5_read", ".hdf5", path);
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 3; k++) {
      const bool by_columns = harness_draw(0, 1);
      if (harness_rank() == 0) {
        hid_t file = create_file(path);
        put_dataset(file, "a", H5T_IEEE_F64LE, 2, sizes[s][0], sizes[s][1], by_columns, &large[k]);
        assert_true(H5Fclose(file) >= 0);
      }
      harness_barrier();
      snprintf(full, sizeof full, "%s:%s/a", path, by_columns ? "columns:" : "rows:");
      assert_read(cube, full, sizes[s][0], sizes[s][1]);
      drop_file(path);
    }
  hyla_cube_destroy(&cube);
}

/* Local.  A file with such datasets. */
static void put_shapes(const char *path) {
  const struct kept plain = keepings[0];
  hid_t file = create_file(path), truth = H5Tenum_create(H5T_NATIVE_INT8);
  assert_true(H5Tenum_insert(truth, "FALSE", &(int8_t){0}) >= 0);
  assert_true(H5Tenum_insert(truth, "TRUE", &(int8_t){1}) >= 0);
  put_dataset(file, "vector", H5T_IEEE_F64LE, 1, 29, 1, false, &plain);
  put_dataset(file, "packed", H5T_IEEE_F32LE, 1, 29, 1, false, &keepings[2]);
  put_dataset(file, "scalar", H5T_IEEE_F64LE, 0, 1, 1, false, &plain);
  put_dataset(file, "none", H5T_IEEE_F64LE, 2, 0, 3, false, &plain);
  put_dataset(file, "m", H5T_IEEE_F64LE, 2, 8, 5, true, &keepings[1]);
  put_mark(file, "m", "MATLAB_class", "double");
  hsize_t two = 2, size[2] = {0, 7};
  hid_t space = H5Screate_simple(1, &two, NULL);
  hid_t set =
      H5Dcreate2(file, "hollow", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(set, H5T_NATIVE_HSIZE, H5S_ALL, H5S_ALL, H5P_DEFAULT, size) >= 0);
  assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0);
  put_mark(file, "hollow", "MATLAB_class", "single");
  put_mark(file, "hollow", "MATLAB_empty", "1");
  assert_true(H5Lcreate_soft("/m", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  space = H5Screate_simple(2, (hsize_t[]){1, 2}, NULL);
  set = H5Dcreate2(file, "truth", truth, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(set, truth, H5S_ALL, H5S_ALL, H5P_DEFAULT, (int8_t[]){0, 1}) >= 0);
  assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0 && H5Tclose(truth) >= 0);
  assert_true(H5Fclose(file) >= 0);
}

/* Vectors, scalars, empty datasets, MATLAB's order and marks; soft links; true and false. */
static void shapes_and_marks_are_understood(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  file_name("test_hdf5_read", ".h5", path);
  if (harness_rank() == 0) put_shapes(path);
  harness_barrier();
  static const struct {
    const char *name;
    int64_t rows, cols;
    hyla_type type;
    bool vector;
  } cases[] = {
      {":/vector", 29, 1, HYLA_DOUBLE, true},       {":/packed", 29, 1, HYLA_FLOAT, true},
      {":/scalar", 1, 1, HYLA_DOUBLE, false},       {":/none", 0, 3, HYLA_DOUBLE, false},
      {":columns:/none", 3, 0, HYLA_DOUBLE, false}, {":/m", 8, 5, HYLA_DOUBLE, false},
      {":/soft", 8, 5, HYLA_DOUBLE, false},         {":columns:/m", 8, 5, HYLA_DOUBLE, false},
      {":/hollow", 0, 7, HYLA_FLOAT, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    bool vector = !cases[c].vector;
    snprintf(full, sizeof full, "%s%s", path, cases[c].name);
    assert_int_equal(assert_read(cube, full, cases[c].rows, cases[c].cols), cases[c].type);
    assert_int_equal(hyla_vector_probe(cube, full, &vector), HYLA_OK);
    assert_int_equal(vector, cases[c].vector);
  }
  int64_t rows = 0, cols = 0;
  snprintf(full, sizeof full, "%s:rows:/m", path);
  assert_int_equal(hyla_matrix_probe(cube, full, NULL, &rows, &cols), HYLA_OK);
  assert_true(rows == 5 && cols == 8);
  hyla_matrix *a = NULL;
  snprintf(full, sizeof full, "%s:/truth", path);
  assert_int_equal(hyla_matrix_read(cube, full, NULL, &a), HYLA_OK);
  for (int64_t j = 0; j < a->local_cols; j++)
    for (int64_t i = 0; i < a->local_rows; i++)
      assert_true(*(const double *)hy_at(a, i, j) == (double)hyla_matrix_col(a, j));
  hyla_matrix_destroy(&a);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* Local.  Turns a group into a variable of Octave's, of a kind. */
static void put_kind(hid_t file, const char *group, const char *kind) {
  char name[64];
  const uint8_t one = 1;
  hid_t text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
  assert_true(H5Tset_size(text, strlen(kind) + 1) >= 0);
  snprintf(name, sizeof name, "%s/type", group);
  hid_t set = H5Dcreate2(file, name, text, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(set >= 0 && H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, kind) >= 0);
  hid_t mark = H5Acreate_by_name(file, group, "OCTAVE_NEW_FORMAT", H5T_NATIVE_UINT8, scalar,
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(mark >= 0 && H5Awrite(mark, H5T_NATIVE_UINT8, &one) >= 0);
  assert_true(H5Aclose(mark) >= 0 && H5Dclose(set) >= 0);
  assert_true(H5Sclose(scalar) >= 0 && H5Tclose(text) >= 0);
}

/* Local.  A file of Octave's variables; only: just the first one. */
static void put_octave(const char *path, bool only) {
  const struct kept plain = keepings[0];
  hid_t file = create_file(path), pair = make_pair(H5T_IEEE_F64LE, "real", "imag");
  put_dataset(file, "A/value", H5T_IEEE_F64LE, 2, 8, 5, true, &plain);
  put_kind(file, "A", "matrix");
  if (!only) {
    put_dataset(file, "z/value", pair, 2, 5, 8, true, &plain);
    put_kind(file, "z", "complex matrix");
    put_dataset(file, "f/value", H5T_IEEE_F32LE, 2, 3, 1, true, &plain);
    put_kind(file, "f", "float matrix");
    put_dataset(file, "i/value", H5T_STD_I8LE, 2, 1, 3, true, &plain);
    put_kind(file, "i", "int8 matrix");
    put_dataset(file, "s/value", H5T_IEEE_F64LE, 0, 1, 1, false, &plain);
    put_kind(file, "s", "scalar");
    put_dataset(file, "sparse/value/data", H5T_IEEE_F64LE, 2, 2, 1, true, &plain);
    put_kind(file, "sparse", "sparse matrix");
    put_dataset(file, "range/value", pair, 0, 1, 1, false, &plain);
    put_kind(file, "range", "double_range");
    put_dataset(file, "text/value", H5T_STD_I8LE, 2, 1, 3, true, &plain);
    put_kind(file, "text", "sq_string");
    put_dataset(file, "none/value", H5T_IEEE_F64LE, 1, 2, 1, false, &plain); /* 0 7 */
    put_kind(file, "none", "float complex matrix");
    put_mark(file, "none", "OCTAVE_EMPTY_MATRIX", "1");
    put_dataset(file, "ours", H5T_IEEE_F64LE, 2, 8, 5, false, &plain);
    assert_true(H5Lcreate_soft("/A/value", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  assert_true(H5Tclose(pair) >= 0 && H5Fclose(file) >= 0);
}

/* Octave's variables are by columns, and are found by their own names and by those of their values;
 * a variable that is no full matrix is reported. */
static void octaves_variables_are_understood(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  file_name("test_hdf5_read", ".h5", path);
  if (harness_rank() == 0) put_octave(path, false);
  harness_barrier();
  static const struct {
    const char *name;
    int64_t rows, cols;
    hyla_type type;
  } cases[] = {{":/A", 8, 5, HYLA_DOUBLE},         {":/A/value", 8, 5, HYLA_DOUBLE},
               {":/A/", 8, 5, HYLA_DOUBLE},        {":columns:/A", 8, 5, HYLA_DOUBLE},
               {":/z", 5, 8, HYLA_DOUBLE_COMPLEX}, {":/f", 3, 1, HYLA_FLOAT},
               {":/i", 1, 3, HYLA_DOUBLE},         {":/s", 1, 1, HYLA_DOUBLE},
               {":/soft", 8, 5, HYLA_DOUBLE},      {":/ours", 8, 5, HYLA_DOUBLE},
               {":/none", 0, 7, HYLA_COMPLEX}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    snprintf(full, sizeof full, "%s%s", path, cases[c].name);
    assert_int_equal(assert_read(cube, full, cases[c].rows, cases[c].cols), cases[c].type);
  }
  static const char *const refused[][2] = {
      {":/sparse", "Octave's sparse matrix; save full(...) of it"},
      {":/range", "Octave's double_range; save full(...) of it"},
      {":/range/value", "Octave's double_range; save full(...) of it"},
      {":/text", "expected numbers, found Octave's sq_string"},
      {"", "there are /A, /f, /i, /none, /ours, /range, /s, /soft, /sparse, /text, /z"}};
  for (size_t c = 0; c < sizeof refused / sizeof *refused; c++) {
    hyla_matrix *a = NULL;
    snprintf(full, sizeof full, "%s%s", path, refused[c][0]);
    assert_int_equal(hyla_matrix_read(cube, full, NULL, &a), HYLA_FORMAT);
    harness_note("%s: %s", full, hyla_cube_message(cube));
    assert_non_null(strstr(hyla_cube_message(cube), refused[c][1]));
  }
  snprintf(full, sizeof full, "%s:/A/value", path);
  assert_int_equal(hyla_matrix_writable(cube, full), HYLA_FILE);
  assert_non_null(strstr(hyla_cube_message(cube), "/A is a variable of Octave's"));
  harness_barrier();
  if (harness_rank() == 0) put_octave(path, true);
  harness_barrier();
  assert_int_equal(assert_read(cube, path, 8, 5), HYLA_DOUBLE);
  expect_quiet(0);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* A dataset of three chunks: the second one is written, the others have the fill value 2.5. */
enum { HOLE = 100 };
static void put_holes(hid_t file, hid_t how) {
  double entries[HOLE];
  for (int i = 0; i < HOLE; i++) entries[i] = 1.5;
  hid_t space = H5Screate_simple(1, (hsize_t[]){3 * HOLE}, NULL);
  hid_t memory = H5Screate_simple(1, (hsize_t[]){HOLE}, NULL);
  assert_true(H5Pset_chunk(how, 1, (hsize_t[]){HOLE}) >= 0);
  hid_t set = H5Dcreate2(file, "holes", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){HOLE}, NULL, (hsize_t[]){HOLE},
                                  NULL) >= 0);
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, entries) >= 0);
  assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0 && H5Sclose(memory) >= 0);
}

/* Integers that no double can hold become the nearest double; what nobody wrote, in chunks or
 * without, has the fill value. */
static void values_are_kept(void **state) {
  (void)state;
  static const int64_t numbers[] = {INT64_MIN, -1, (INT64_C(1) << 53) + 1, INT64_MAX};
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  file_name("test_hdf5_read", ".h5", path);
  if (harness_rank() == 0) {
    hid_t file = create_file(path), how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, (hsize_t[]){4}, NULL);
    hid_t set = H5Dcreate2(file, "n", H5T_STD_I64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    assert_true(H5Dclose(set) >= 0);
    assert_true(H5Pset_fill_value(how, H5T_NATIVE_DOUBLE, &(double){2.5}) >= 0);
    set = H5Dcreate2(file, "fill", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dclose(set) >= 0 && H5Sclose(space) >= 0);
    put_holes(file, how);
    assert_true(H5Pclose(how) >= 0 && H5Fclose(file) >= 0);
  }
  harness_barrier();
  static const char *const sets[] = {"n", "fill", "holes"};
  for (int f = 0; f < 3; f++) {
    hyla_matrix *a = NULL;
    snprintf(full, sizeof full, "%s:/%s", path, sets[f]);
    assert_int_equal(hyla_matrix_read(cube, full, NULL, &a), HYLA_OK);
    for (int64_t i = 0; a->local_cols > 0 && i < a->local_rows; i++) {
      const int64_t row = hyla_matrix_row(a, i);
      const bool written = f == 2 && row / HOLE == 1;
      const double wanted = f == 0 ? (double)numbers[row] : written ? 1.5 : 2.5;
      assert_true(*(const double *)hy_at(a, i, 0) == wanted);
    }
    hyla_matrix_destroy(&a);
  }
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* On virtual cubes nodes read in turn, in one process. */
static hyla_status read_on_node(hyla_cube *cube, void *arg) {
  hyla_matrix *a = NULL;
  hyla_status status = hyla_matrix_read(cube, arg, NULL, &a);
  if (status == HYLA_OK && count_wrong(a) != 0) status = HYLA_FORMAT;
  hyla_matrix_destroy(&a);
  return status;
}

static void virtual_cubes_read_alike(void **state) {
  (void)state;
  char path[64], full[160];
  if (harness_ranks() > 1) skip();
  file_name("test_hdf5_virtual", ".h5", path);
  hid_t file = create_file(path);
  for (int k = 0; k < KEEPINGS; k++)
    put_dataset(file, keepings[k].name, H5T_IEEE_F32LE, 2, 41, 37, false, &keepings[k]);
  assert_true(H5Fclose(file) >= 0);
  for (int dims = 0; dims <= 5; dims++)
    for (int k = 0; k < KEEPINGS; k++) {
      const hyla_simulation cube = {.dims = dims};
      hyla_report report;
      snprintf(full, sizeof full, "%s:/%s", path, keepings[k].name);
      hyla_status status = hyla_simulate(&cube, read_on_node, full, &report);
      harness_note("%d nodes, %s: %s", 1 << dims, keepings[k].name, report.message);
      assert_int_equal(status, HYLA_OK);
    }
  unlink(path);
}

/* If memory runs out on one rank, all ranks get the message. */
static void lack_of_memory_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  file_name("test_hdf5_read", ".h5", path);
  if (harness_rank() == 0) {
    hid_t file = create_file(path);
    put_dataset(file, "a", H5T_IEEE_F32BE, 2, 20, 20, false, &keepings[2]);
    assert_true(H5Fclose(file) >= 0);
  }
  harness_barrier();
  snprintf(full, sizeof full, "%s:/a", path);
  int64_t held = cube->base.bytes_now;
  for (int bad = 0; bad < harness_ranks(); bad++) {
    hyla_status status = HYLA_MEMORY;
    for (int n = 1; status != HYLA_OK; n++) {
      hyla_matrix *a = NULL;
      cube->base.fail_at = harness_rank() == bad ? cube->base.allocations + n : 0;
      harness_note("rank %d, allocation %d", bad, n);
      status = hyla_matrix_read(cube, full, NULL, &a);
      cube->base.fail_at = 0;
      assert_common(cube, status);
      assert_true(status == HYLA_OK || status == HYLA_MEMORY);
      assert_true(n < 100);
      hyla_matrix_destroy(&a);
      assert_int_equal(cube->base.bytes_now, held);
      expect_quiet(0);
    }
  }
  drop_file(path);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_types_and_ways_of_keeping_are_read),
      cmocka_unit_test(large_datasets_are_read_box_by_box),
      cmocka_unit_test(shapes_and_marks_are_understood),
      cmocka_unit_test(octaves_variables_are_understood),
      cmocka_unit_test(values_are_kept),
      cmocka_unit_test(virtual_cubes_read_alike),
      cmocka_unit_test(lack_of_memory_is_agreed_upon),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
