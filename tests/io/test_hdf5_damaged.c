/* Damaged HDF5 files on ranks: wherever they are cut off, the status and the message are the same
 * on all ranks, HDF5 prints nothing and no memory stays allocated; an undamaged file in between is
 * read as usual. */
// ranks: 1 3 4 7
// sample: 1 3
#include "hdf5_check.h"

#include "hyla_lab.h"

static const struct kept packed = {"packed", H5D_CHUNKED, {6, 7}, 4};
static const struct kept plain = {"plain", H5D_CONTIGUOUS, {0, 0}, 0};

/* Local.  A file with two datasets; its bytes, to be freed. */
static char *make_bytes(const char *path, size_t *length) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  put_dataset(file, "g/packed", H5T_IEEE_F64LE, 2, 19, 23, false, &packed);
  put_dataset(file, "plain", H5T_IEEE_F32LE, 2, 19, 23, false, &plain);
  assert_true(H5Fclose(file) >= 0);
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  *length = (size_t)about.st_size;
  char *bytes = malloc(*length);
  FILE *from = fopen(path, "rb");
  assert_true(bytes != NULL && from != NULL);
  assert_int_equal(fread(bytes, 1, *length, from), *length);
  assert_int_equal(fclose(from), 0);
  return bytes;
}

static void expect_end(hyla_cube *cube, const char *path, int64_t held) {
  static const char *const names[] = {"/g/packed", "/plain", "/none"};
  char full[160];
  for (int n = 0; n < 3; n++) {
    hyla_matrix *a = NULL;
    snprintf(full, sizeof full, "%s:%s", path, names[n]);
    hyla_status status = hyla_matrix_read(cube, full, NULL, &a);
    assert_common(cube, status);
    assert_true(status == HYLA_OK || status == HYLA_FILE || status == HYLA_FORMAT);
    if (status != HYLA_OK) {
      assert_null(a);
      assert_non_null(strstr(hyla_cube_message(cube), path));
    }
    hyla_matrix_destroy(&a);
    assert_int_equal(cube->base.bytes_now, held);
    expect_quiet(0);
  }
}

static void files_that_are_cut_give_a_message(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], full[160], *bytes = NULL;
  size_t length = 0;
  file_name("test_hdf5_damaged", ".h5", path);
  if (harness_rank() == 0) bytes = make_bytes(path, &length);
  harness_barrier();
  const int64_t held = cube->base.bytes_now;
  for (int part = 0; part < 40; part++) {
    size_t kept = length * (size_t)part / 40;
    harness_note("part %d of 40", part);
    put_file(path, bytes, kept);
    expect_end(cube, path, held);
  }
  put_file(path, bytes, length);
  snprintf(full, sizeof full, "%s:/g/packed", path);
  assert_read(cube, full, 19, 23);
  free(bytes);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* Bytes within compressed chunks: their checksum, which zlib keeps, is wrong. */
static void entries_that_are_changed_are_found(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], full[160], *bytes = NULL;
  size_t length = 0;
  file_name("test_hdf5_damaged", ".h5", path);
  if (harness_rank() == 0) {
    bytes = make_bytes(path, &length);
    int changed = 0;
    for (size_t at = 0; at + 40 < length; at++) {
      /* the beginning of zlib's streams */
      bool start = bytes[at] == 0x78 && (unsigned char)bytes[at + 1] == 0x5e;
      if (start) bytes[at + 20] = (char)(bytes[at + 20] ^ 0x55);
      changed += start;
    }
    assert_true(changed > 0);
  }
  put_file(path, bytes, length);
  hyla_matrix *a = NULL;
  snprintf(full, sizeof full, "%s:/g/packed", path);
  hyla_status status = hyla_matrix_read(cube, full, NULL, &a);
  assert_common(cube, status);
  assert_int_equal(status, HYLA_FILE);
  assert_non_null(strstr(hyla_cube_message(cube), ":/g/packed: HDF5: "));
  snprintf(full, sizeof full, "%s:/plain", path);
  assert_read(cube, full, 19, 23);
  free(bytes);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* A size that no machine can hold, in a file of two kilobytes: refused before memory is taken. */
static void huge_sizes_are_refused(void **state) {
  (void)state;
  static const hsize_t sizes[][2] = {{1000000000, 1000000000}, {UINT64_MAX / 32, 16}};
  static const hyla_status statuses[] = {HYLA_MEMORY, HYLA_FORMAT};
  hyla_cube *cube = make_cube();
  char path[64], full[160];
  file_name("test_hdf5_damaged", ".h5", path);
  snprintf(full, sizeof full, "%s:/huge", path);
  for (int s = 0; s < 2; s++) {
    if (harness_rank() == 0) {
      hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      hid_t space = H5Screate_simple(2, sizes[s], NULL), how = H5Pcreate(H5P_DATASET_CREATE);
      assert_true(H5Pset_chunk(how, 2, (hsize_t[]){16, 16}) >= 0);
      hid_t set = H5Dcreate2(file, "huge", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
      assert_true(set >= 0 && H5Dclose(set) >= 0 && H5Pclose(how) >= 0 && H5Sclose(space) >= 0);
      assert_true(H5Fclose(file) >= 0);
    }
    harness_barrier();
    hyla_matrix *a = NULL;
    hyla_status status = hyla_matrix_read(cube, full, NULL, &a);
    harness_note("size %d: %s", s, hyla_cube_message(cube));
    assert_common(cube, status);
    assert_int_equal(status, statuses[s]);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_that_are_cut_give_a_message),
      cmocka_unit_test(entries_that_are_changed_are_found),
      cmocka_unit_test(huge_sizes_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
