/* The path of a matrix names a file, or a dataset in one. */
#include "tests/harness/harness.h"

#include "io/io.h"

#include <string.h>

static void paths_are_taken_apart(void **state) {
  (void)state;
  static const struct {
    const char *path;
    int64_t length;
    const char *dataset;
    enum hy_io_order order;
    bool matlab;
  } cases[] = {
      {"", 0, NULL, HY_IO_AS_MARKED, false},
      {"a.mtx", 5, NULL, HY_IO_AS_MARKED, false},
      {"a.h5", 4, NULL, HY_IO_AS_MARKED, false},
      {"a.mat", 5, NULL, HY_IO_AS_MARKED, true},
      {"a.h5:/x", 4, "/x", HY_IO_AS_MARKED, false},
      {"d.h5/a.hdf5:/x/y", 11, "/x/y", HY_IO_AS_MARKED, false},
      {"d:/a.h5:/x", 7, "/x", HY_IO_AS_MARKED, false},
      {"a.h5:rows:/x", 4, "/x", HY_IO_BY_ROWS, false},
      {"a.mat:columns:/x", 5, "/x", HY_IO_BY_COLUMNS, true},
      {"a.h5:/x.mat:/y", 4, "/x.mat:/y", HY_IO_AS_MARKED, false},
      {"a.h5:column:/x", 14, NULL, HY_IO_AS_MARKED, false},
      {"a.h5:x", 6, NULL, HY_IO_AS_MARKED, false},
      {"a.h5:", 5, NULL, HY_IO_AS_MARKED, false},
      {".h5:/x", 6, NULL, HY_IO_AS_MARKED, false},
      {"a.npz:x", 5, "x", HY_IO_AS_MARKED, false},
      {"a.npz:/x:y", 5, "/x:y", HY_IO_AS_MARKED, false},
      {"a.npz:", 6, NULL, HY_IO_AS_MARKED, false},
      {"a.npy:/x", 8, NULL, HY_IO_AS_MARKED, false},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const char *dataset = "unset";
    struct hy_io_name name = hy_io_name_of(cases[c].path);
    harness_note("'%s'", cases[c].path);
    assert_int_equal(name.length, cases[c].length);
    assert_int_equal(name.order, cases[c].order);
    assert_int_equal(name.matlab, cases[c].matlab);
    assert_int_equal(hyla_path_file(cases[c].path, NULL), cases[c].length);
    assert_int_equal(hyla_path_file(cases[c].path, &dataset), cases[c].length);
    assert_ptr_equal(dataset, name.member != NULL ? name.member : name.dataset);
    assert_int_equal(dataset != NULL, cases[c].dataset != NULL);
    if (dataset != NULL) assert_string_equal(dataset, cases[c].dataset);
  }
  const char *dataset = "unset";
  assert_int_equal(hyla_path_file(NULL, &dataset), 0);
  assert_null(dataset);
}

/* A file's name is kept apart from the rest of the path until it is closed. */
static void a_name_takes_and_gives_back_memory(void **state) {
  (void)state;
  struct hy_base base = {0};
  struct hy_io_file file;
  base.fail_at = 1;
  assert_int_equal(hy_io_name(&base, "a.h5:/x", &file), HYLA_MEMORY);
  base.fail_at = 0;
  assert_int_equal(hy_io_name(&base, "a.h5:/x", &file), HYLA_OK);
  assert_string_equal(file.path, "a.h5");
  assert_true(base.bytes_now > 0);
  hy_io_shut(&file);
  assert_string_equal(file.path, "a.h5");
  hy_io_close(&file);
  assert_int_equal(base.bytes_now, 0);
  assert_int_equal(hy_io_open(&base, "no/such.h5:/x", &file), HYLA_FILE);
  assert_string_equal(base.message, "cannot read no/such.h5: No such file or directory");
  assert_int_equal(base.bytes_now, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_are_taken_apart),
      cmocka_unit_test(a_name_takes_and_gives_back_memory),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
