/* Shared by the tests of HDF5 files: datasets that rank 0 makes with HDF5 itself, and matrices
 * compared with a formula. */
#ifndef HDF5_CHECK_H
#define HDF5_CHECK_H 1

#include "io_check.h"

#include <hdf5.h>

/* Entry (i, j) of all matrices here: an integer that every type can hold. */
static inline int entry_of(int64_t i, int64_t j) { return (int)((7 * i + 3 * j) % 120); }

/* The way a dataset is stored.  deflate: a level, and filters that are added. */
enum { SHUFFLED = 16, SUMMED = 32 };
struct kept {
  const char *name;
  H5D_layout_t layout;
  int64_t chunk[2]; /* at most the dataset's dimensions */
  unsigned deflate;
};

static inline hid_t make_pair(hid_t part, const char *re, const char *im) {
  hid_t type = H5Tcreate(H5T_COMPOUND, 2 * H5Tget_size(part));
  assert_true(type >= 0 && H5Tinsert(type, re, 0, part) >= 0);
  assert_true(H5Tinsert(type, im, H5Tget_size(part), part) >= 0);
  return type;
}

/* Local.  A dataset of the formula's entries, rows x cols; by_columns: with reversed indices; dims
 * 1: one index.  type: that of the stored entries; pairs: (a, -a). */
static inline void put_dataset(hid_t file, const char *name, hid_t type, int dims, int64_t rows,
                               int64_t cols, bool by_columns, const struct kept *kept) {
  const hsize_t size[2] = {(hsize_t)(by_columns ? cols : rows),
                           (hsize_t)(by_columns ? rows : cols)};
  hid_t space = H5Screate_simple(dims, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  assert_true(space >= 0 && how >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0);
  assert_true(H5Pset_layout(how, kept->layout) >= 0);
  if (kept->layout == H5D_CHUNKED) {
    hsize_t chunk[2] = {1, 1};
    for (int d = 0; d < dims; d++)
      chunk[d] = (hsize_t)hy_max(1, hy_min((int64_t)size[d], kept->chunk[d]));
    assert_true(H5Pset_chunk(how, dims, chunk) >= 0);
    const unsigned level = kept->deflate % SHUFFLED;
    if ((kept->deflate & SHUFFLED) != 0) assert_true(H5Pset_shuffle(how) >= 0);
    if (level > 0) assert_true(H5Pset_deflate(how, level) >= 0);
    if ((kept->deflate & SUMMED) != 0) assert_true(H5Pset_fletcher32(how) >= 0);
  }
  hid_t set = H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT);
  assert_true(set >= 0);
  const bool pair = H5Tget_class(type) == H5T_COMPOUND;
  char *re = pair ? H5Tget_member_name(type, 0) : NULL,
       *im = pair ? H5Tget_member_name(type, 1) : NULL;
  hid_t memory = pair ? make_pair(H5T_NATIVE_DOUBLE, re, im) : H5Tcopy(H5T_NATIVE_DOUBLE);
  double *entries = malloc((size_t)(rows * cols + 1) * sizeof(double) * (1 + pair)), *at = entries;
  assert_non_null(entries);
  for (int64_t k = 0; k < rows * cols; k++) {
    int value = by_columns ? entry_of(k % rows, k / rows) : entry_of(k / cols, k % cols);
    *at++ = value;
    if (pair) *at++ = -value;
  }
  assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries) >= 0);
  free(entries);
  if (re != NULL) H5free_memory(re);
  if (im != NULL) H5free_memory(im);
  assert_true(H5Tclose(memory) >= 0 && H5Dclose(set) >= 0 && H5Pclose(how) >= 0);
  assert_true(H5Pclose(links) >= 0 && H5Sclose(space) >= 0);
}

/* Adds a string attribute as MATLAB does. */
static inline void put_mark(hid_t file, const char *name, const char *attribute, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
  assert_true(type >= 0 && H5Tset_size(type, strlen(text)) >= 0);
  hid_t mark =
      H5Acreate_by_name(file, name, attribute, type, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(mark >= 0 && H5Awrite(mark, type, text) >= 0);
  assert_true(H5Aclose(mark) >= 0 && H5Tclose(type) >= 0 && H5Sclose(one) >= 0);
}

/* The number of local entries that differ from the formula. */
static inline int64_t count_wrong(const hyla_matrix *a) {
  int64_t wrong = 0;
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      double parts[2], wanted = entry_of(hyla_matrix_row(a, l), hyla_matrix_col(a, m));
      local_entry(a, l, m, parts);
      wrong += !(parts[0] == wanted && parts[1] == (a->k->complex_type ? -wanted : 0));
    }
  return wrong;
}

/* Reads a matrix in some layout and compares it with the formula; returns the type, or 9 with the
 * message noted. */
static inline int assert_read(hyla_cube *cube, const char *path, int64_t rows, int64_t cols) {
  hyla_layout layout;
  hyla_matrix *a = NULL;
  int which = (int)harness_draw(0, LAYOUTS - 1);
  harness_note("%s, %d x %d, layout %d", path, (int)rows, (int)cols, which);
  hyla_status status = hyla_matrix_read(cube, path, make_layout(cube, which, &layout), &a);
  if (status != HYLA_OK) harness_note("%s", hyla_cube_message(cube));
  assert_int_equal(status, HYLA_OK);
  assert_int_equal(hyla_matrix_rows(a), rows);
  assert_int_equal(hyla_matrix_cols(a), cols);
  assert_int_equal(count_wrong(a), 0);
  int type = (int)hyla_matrix_type(a);
  hyla_matrix_destroy(&a);
  return type;
}

/* Asserts that the library has left HDF5 as it was: `open' objects are open, and errors are
 * printed. */
static inline void expect_quiet(ssize_t open) {
  H5E_auto2_t say = NULL;
  void *to = NULL;
  assert_true(H5Eget_auto2(H5E_DEFAULT, &say, &to) >= 0);
  assert_true(say != NULL);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), open);
}

#endif
