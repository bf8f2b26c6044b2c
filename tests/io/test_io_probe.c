/* Probing a file reads only its head, and finds the same as reading the file, on every rank. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
#include "io_cases.h"
#include "io_check.h"

/* Probing a file finds what reading it gives. */
static void assert_as_read(hyla_cube *cube, const char *path) {
  hyla_type type = (hyla_type)-1;
  int64_t rows = -1, cols = -1;
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_read(cube, path, NULL, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_probe(cube, path, &type, &rows, &cols), HYLA_OK);
  assert_int_equal(type, hyla_matrix_type(a));
  assert_int_equal(rows, hyla_matrix_rows(a));
  assert_int_equal(cols, hyla_matrix_cols(a));
  assert_int_equal(hyla_matrix_probe(cube, path, NULL, NULL, NULL), HYLA_OK);
  hyla_matrix_destroy(&a);
}

static void texts_are_known_by_their_heads(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64];
  file_name("test_io_probe", ".mtx", path);
  for (int i = 0; i < GOOD_TEXTS; i++) {
    harness_note("text %d", i);
    put_file(path, good_texts[i].text, strlen(good_texts[i].text));
    assert_as_read(cube, path);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

static void written_files_of_all_types(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{0, 3}, {1, 1}, {5, 7}, {31, 2}};
  hyla_cube *cube = make_cube();
  char path[64];
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++)
    for (int i = 0; i < 8; i++) {
      hyla_matrix *a = NULL;
      const int64_t *size = sizes[i / 2];
      file_name("test_io_probe", i % 2 == 0 ? ".npy" : ".mtx", path);
      harness_note("type %d, %lld x %lld, %s", type, (long long)size[0], (long long)size[1], path);
      assert_int_equal(hyla_matrix_create(cube, (hyla_type)type, size[0], size[1], NULL, &a),
                       HYLA_OK);
      assert_int_equal(hyla_matrix_write(cube, a, path), HYLA_OK);
      assert_as_read(cube, path);
      hyla_matrix_destroy(&a);
      drop_file(path);
    }
  hyla_cube_destroy(&cube);
}

/* A bad head is refused as reading refuses it; the data behind a good head are not read. */
static void bad_heads_give_their_message(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], message[HY_MESSAGE_MAX];
  int refused = 0;
  file_name("test_io_probe", ".mtx", path);
  for (int i = 0; i < BAD_TEXTS; i++) {
    put_file(path, bad_texts[i].text, strlen(bad_texts[i].text));
    harness_note("text %d", i);
    snprintf(message, sizeof message, "%s:%s", path, bad_texts[i].message);
    hyla_type type = (hyla_type)-1;
    int64_t rows = -1, cols = -1, bytes = cube->base.bytes_now;
    hyla_status status = hyla_matrix_probe(cube, path, &type, &rows, &cols);
    if (status != HYLA_OK) {
      assert_message(cube, status, HYLA_FORMAT, message);
      assert_true(type == (hyla_type)-1 && rows == -1 && cols == -1);
      refused++;
    } else {
      assert_true(rows >= 0 && cols >= 0);
    }
    assert_int_equal(cube->base.bytes_now, bytes);
    drop_file(path);
  }
  assert_in_range(refused, 10, BAD_TEXTS - 10);
  assert_message(cube, hyla_matrix_probe(cube, "no/such.mtx", NULL, NULL, NULL), HYLA_FILE,
                 "cannot read no/such.mtx: No such file or directory");
  assert_message(cube, hyla_matrix_probe(cube, "/", NULL, NULL, NULL), HYLA_FILE,
                 "cannot read /: Is a directory");
  hyla_cube_destroy(&cube);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  int64_t rows = 0;
  char path[64];
  file_name("test_io_probe", ".mtx", path);
  put_file(path, good_texts[0].text, strlen(good_texts[0].text));
  assert_int_equal(hyla_matrix_probe(NULL, path, NULL, &rows, NULL), HYLA_ARGUMENT);
  for (int bad = -1; bad < harness_ranks(); bad++) { /* -1: all ranks */
    harness_note("bad rank %d", bad);
    bool here = bad < 0 || bad == harness_rank();
    hyla_status status = hyla_matrix_probe(cube, here ? NULL : path, NULL, &rows, NULL);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_ARGUMENT);
    if (bad < 0 || harness_ranks() == 1) continue;
    status = hyla_matrix_probe(cube, here ? "other.mtx" : path, NULL, &rows, NULL);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_MISMATCH);
  }
  drop_file(path);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_known_by_their_heads),
      cmocka_unit_test(written_files_of_all_types),
      cmocka_unit_test(bad_heads_give_their_message),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
