/* Writing datasets of HDF5 files on ranks: every entry comes back bit for bit, as HDF5 itself reads
 * them; other contents of a file stay, and a failed write leaves everything as it was. */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "hdf5_check.h"

#include "hyla_lab.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

/* A part of entry (i, j); some are not numbers. */
static double number(int64_t i, int64_t j, int part) {
  static const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, -NAN};
  int64_t k = 11 * i + 5 * j + 3 * part;
  return k % 4 == 0 ? special[k % 6] : ldexp((double)(k + 1), (int)(k % 61) - 30);
}

/* An entry of the type, as bytes. */
static void put_entry(const struct hy_kernels *k, int64_t i, int64_t j, void *to) {
  const double parts[2] = {number(i, j, 0), number(i, j, 1)};
  const float single[2] = {(float)parts[0], (float)parts[1]};
  memcpy(to, k->epsilon > 1e-10 ? (const void *)single : parts, k->size);
}

static hyla_matrix *make_matrix(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols) {
  hyla_layout layout;
  hyla_matrix *a = NULL;
  int which = (int)harness_draw(0, LAYOUTS - 1);
  assert_int_equal(
      hyla_matrix_create(cube, type, rows, cols, make_layout(cube, which, &layout), &a), HYLA_OK);
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++)
      put_entry(a->k, hyla_matrix_row(a, l), hyla_matrix_col(a, m), hy_at(a, l, m));
  return a;
}

static void assert_back(hyla_cube *cube, const char *path, const hyla_matrix *a) {
  hyla_layout layout;
  hyla_matrix *back = NULL;
  int which = (int)harness_draw(0, LAYOUTS - 1);
  hyla_status status = hyla_matrix_read(cube, path, make_layout(cube, which, &layout), &back);
  if (status != HYLA_OK) harness_note("%s", hyla_cube_message(cube));
  assert_int_equal(status, HYLA_OK);
  /* MATLAB has no complex kind for empty matrices. */
  bool real = strstr(path, ".mat") != NULL && a->row.n * a->col.n == 0;
  assert_true(back->k->epsilon == a->k->epsilon);
  assert_int_equal(back->k->complex_type, a->k->complex_type && !real);
  assert_int_equal(back->row.n, a->row.n);
  assert_int_equal(back->col.n, a->col.n);
  for (int64_t m = 0; m < back->local_cols; m++)
    for (int64_t l = 0; l < back->local_rows; l++) {
      char wanted[16];
      put_entry(a->k, hyla_matrix_row(back, l), hyla_matrix_col(back, m), wanted);
      assert_memory_equal(hy_at(back, l, m), wanted, a->k->size);
    }
  hyla_matrix_destroy(&back);
}

/* Local.  Asserts that HDF5 reads these dimensions and, in the order of its indices, the matrix'
 * bytes. */
static void assert_dataset(const char *path, const char *name, const hyla_matrix *a, int dims,
                           bool by_columns) {
  hsize_t size[2] = {1, 1};
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = file < 0 ? -1 : H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const int64_t rows = a->row.n, cols = a->col.n;
  assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), dims);
  assert_int_equal(size[0], by_columns ? cols : rows);
  assert_int_equal(size[1], dims == 1 ? 1 : by_columns ? rows : cols);
  assert_int_equal(H5Tget_size(type), a->k->size);
  char *bytes = malloc((size_t)(rows * cols) * a->k->size + 1);
  assert_non_null(bytes);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
  for (int64_t e = 0; e < rows * cols; e++) {
    char wanted[16];
    put_entry(a->k, by_columns ? e % rows : e / cols, by_columns ? e / rows : e % cols, wanted);
    assert_memory_equal(bytes + e * (int64_t)a->k->size, wanted, a->k->size);
  }
  free(bytes);
  assert_true(H5Tclose(type) >= 0 && H5Sclose(space) >= 0 && H5Dclose(set) >= 0);
  assert_true(H5Fclose(file) >= 0);
}

static void entries_come_back_bit_for_bit(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{0, 0},     {0, 3},      {3, 0},     {1, 1},
                                     {13, 13},   {53, 2},     {2, 53},    {1, 20000},
                                     {20001, 1}, {2, 140000}, {140000, 1}};
  static const char *const words[] = {".h5:/x", ".hdf5:columns:/deep/in/x", ".mat:/x"};
  hyla_cube *cube = make_cube();
  int64_t held = cube->base.bytes_now;
  char path[96], full[160];
  for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++)
    for (int w = 0; w < 3; w++) {
      const int64_t rows = sizes[s][0], cols = sizes[s][1];
      hyla_type type = (hyla_type)harness_draw(HYLA_FLOAT, HYLA_DOUBLE_COMPLEX);
      hyla_matrix *a = make_matrix(cube, type, rows, cols);
      file_name("test_hdf5_write", words[w], full);
      harness_note("%s: type %d, %d x %d", full, type, (int)rows, (int)cols);
      assert_int_equal(hyla_matrix_writable(cube, full), HYLA_OK);
      assert_int_equal(hyla_matrix_write(cube, a, full), HYLA_OK);
      assert_back(cube, full, a);
      const char *name;
      snprintf(path, sizeof path, "%.*s", (int)hyla_path_file(full, &name), full);
      assert_non_null(name);
      if (harness_rank() == 0 && (w < 2 || rows * cols > 0))
        assert_dataset(path, name, a, 2, w > 0);
      drop_file(path);
      hyla_matrix_destroy(&a);
      assert_int_equal(cube->base.bytes_now, held);
      expect_quiet(0);
    }
  hyla_cube_destroy(&cube);
}

static void vectors_have_one_dimension(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], full[96];
  hyla_matrix *a = make_matrix(cube, HYLA_COMPLEX, 13, 1);
  for (int matlab = 0; matlab < 2; matlab++) {
    bool vector = matlab;
    file_name("test_hdf5_write", matlab ? ".mat" : ".h5", path);
    snprintf(full, sizeof full, "%s:/x", path);
    assert_int_equal(hyla_vector_write(cube, a, full), HYLA_OK);
    assert_back(cube, full, a);
    assert_int_equal(hyla_vector_probe(cube, full, &vector), HYLA_OK);
    assert_int_equal(vector, !matlab);
    if (harness_rank() == 0) assert_dataset(path, "/x", a, matlab ? 2 : 1, matlab);
    drop_file(path);
  }
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* Local.  A file with a dataset of the formula's entries, an attribute, a group, a link. */
static void put_file_of_others(const char *path) {
  const struct kept packed = {"packed", H5D_CHUNKED, {4, 4}, 6};
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  put_dataset(file, "g/other", H5T_STD_I16LE, 2, 9, 7, false, &packed);
  put_dataset(file, "x", H5T_IEEE_F64LE, 2, 30, 30, false, &packed);
  put_mark(file, "g/other", "says", "something");
  assert_true(H5Lcreate_soft("/g/other", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Fclose(file) >= 0);
}

static void assert_others(hyla_cube *cube, const char *path) {
  char full[160];
  snprintf(full, sizeof full, "%s:/soft", path);
  assert_read(cube, full, 9, 7);
  if (harness_rank() == 0) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Aexists_by_name(file, "/g/other", "says", H5P_DEFAULT) > 0);
    assert_true(H5Fclose(file) >= 0);
  }
  harness_barrier();
}

static int64_t size_of(const char *path) {
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  return (int64_t)about.st_size;
}

/* New datasets beside them, in new groups and old ones; one is replaced many times, without growth
 * of the file. */
static void other_datasets_stay(void **state) {
  (void)state;
  static const char *const names[] = {"/g/new", "/deep/in/new", "/x", "//g//again/"};
  hyla_cube *cube = make_cube();
  char path[96], folder[64], full[160];
  folder_make("folder_of_hdf5_write", folder, path, ".h5");
  if (harness_rank() == 0) put_file_of_others(path);
  if (harness_rank() == 0) assert_int_equal(chmod(path, 0640), 0);
  harness_barrier();
  hyla_matrix *a = make_matrix(cube, HYLA_DOUBLE, 30, 30);
  int64_t size = 0;
  for (int round = 0; round < 4; round++) {
    for (int n = 0; n < 4; n++) {
      snprintf(full, sizeof full, "%s:%s", path, names[n]);
      harness_note("%s, round %d", full, round);
      assert_int_equal(hyla_matrix_writable(cube, full), HYLA_OK);
      assert_int_equal(hyla_matrix_write(cube, a, full), HYLA_OK);
      assert_back(cube, full, a);
      assert_others(cube, path);
    }
    if (round == 1) size = size_of(path);
  }
  assert_in_range(size_of(path), 1, size + 4096);
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 07777, 0640);
  assert_int_equal(count_files(folder), 1);
  hyla_matrix_destroy(&a);
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
}

/* Each is refused beforehand with the message, and the write with the same one. */
static void bad_names_and_places_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *name;
    hyla_status status;
    const char *message; /* FILE in it stands for the file's name */
  } bad[] = {
      {":/g", HYLA_FILE, "cannot write %s:/g: a group of that name is there"},
      {":/x/y", HYLA_FILE, "cannot write %s:/x/y: /x is there, and no group"},
      {":/", HYLA_ARGUMENT, "%s:/: the dataset has no name"},
      {":columns://", HYLA_ARGUMENT, "%s://: the dataset has no name"},
  };
  hyla_cube *cube = make_cube();
  char path[96], folder[64], full[160], message[256];
  folder_make("folder_of_hdf5_write", folder, path, ".h5");
  hyla_matrix *a = make_matrix(cube, HYLA_DOUBLE, 3, 3);
  snprintf(full, sizeof full, "%s:/x", path);
  snprintf(message, sizeof message,
           "cannot write %s: the existing file is no HDF5 file; take another name, or remove it",
           path);
  assert_message(cube, hyla_matrix_writable(cube, full), HYLA_FILE, message);
  assert_message(cube, hyla_matrix_write(cube, a, full), HYLA_FILE, message);
  if (harness_rank() == 0) put_file_of_others(path);
  harness_barrier();
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    snprintf(full, sizeof full, "%s%s", path, bad[b].name);
    snprintf(message, sizeof message, bad[b].message, path);
    assert_message(cube, hyla_matrix_writable(cube, full), bad[b].status, message);
    assert_message(cube, hyla_matrix_write(cube, a, full), bad[b].status, message);
    assert_others(cube, path);
    expect_quiet(0);
  }
  assert_int_equal(count_files(folder), 1);
  assert_int_equal(hyla_matrix_write(cube, a, path), HYLA_ARGUMENT);
  snprintf(full, sizeof full, "%s/no.mat:/1x", folder);
  snprintf(
      message, sizeof message,
      "%s/no.mat:/1x: no name for a variable of MATLAB's: give letters, digits and _, after one /",
      folder);
  assert_message(cube, hyla_matrix_writable(cube, full), HYLA_ARGUMENT, message);
  snprintf(full, sizeof full, "%s/none/no.h5:/x", folder);
  assert_int_equal(hyla_matrix_write(cube, a, full), HYLA_FILE);
  assert_common(cube, HYLA_FILE);
  hyla_matrix_destroy(&a);
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
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
  char path[96], folder[64], full[160];
  folder_make("folder_of_hdf5_write", folder, path, ".h5");
  if (harness_rank() == 0) put_file_of_others(path);
  harness_barrier();
  snprintf(full, sizeof full, "%s:/new", path);
  hyla_matrix *a = make_matrix(cube, HYLA_DOUBLE, 60, 60);
  const int64_t size = size_of(path), held = cube->base.bytes_now;
  for (int bad = -1; bad < hyla_cube_nodes(cube); bad++)
    for (int more = -1000; more <= 1000; more += 2000) {
      harness_note("rank %d, %d bytes more", bad, more);
      harness_barrier();
      if (bad < 0 || bad == harness_rank()) set_limit((rlim_t)(size + more));
      hyla_status status = hyla_matrix_write(cube, a, full);
      set_limit(RLIM_INFINITY);
      assert_common(cube, status);
      assert_int_equal(status, HYLA_FILE);
      assert_int_equal(count_files(folder), 1);
      assert_int_equal(size_of(path), size);
      assert_others(cube, path);
      assert_int_equal(cube->base.bytes_now, held);
    }
  hyla_matrix_destroy(&a);
  folder_drop(folder, path);
  signal(SIGXFSZ, before);
  hyla_cube_destroy(&cube);
}

static void lack_of_memory_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[96], folder[64], full[160];
  folder_make("folder_of_hdf5_write", folder, path, ".h5");
  snprintf(full, sizeof full, "%s:/new", path);
  hyla_matrix *a = make_matrix(cube, HYLA_FLOAT, 20, 20);
  const int64_t held = cube->base.bytes_now;
  for (int bad = 0; bad < harness_ranks(); bad++) {
    hyla_status status = HYLA_MEMORY;
    harness_barrier();
    if (harness_rank() == 0) put_file_of_others(path);
    harness_barrier();
    for (int n = 1; status != HYLA_OK; n++) {
      cube->base.fail_at = harness_rank() == bad ? cube->base.allocations + n : 0;
      harness_note("rank %d, allocation %d", bad, n);
      status = hyla_matrix_write(cube, a, full);
      cube->base.fail_at = 0;
      assert_common(cube, status);
      assert_true((status == HYLA_OK || status == HYLA_MEMORY) && n < 100);
      assert_int_equal(cube->base.bytes_now, held);
      assert_int_equal(count_files(folder), 1);
      assert_others(cube, path);
    }
    assert_back(cube, full, a);
  }
  hyla_matrix_destroy(&a);
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_come_back_bit_for_bit),
      cmocka_unit_test(vectors_have_one_dimension),
      cmocka_unit_test(other_datasets_stay),
      cmocka_unit_test(bad_names_and_places_are_refused),
      cmocka_unit_test(a_full_disk_leaves_the_old_file),
      cmocka_unit_test(lack_of_memory_is_agreed_upon),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
