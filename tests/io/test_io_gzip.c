/* Matrix files that gzip has compressed: they are read like plain ones, wherever they are cut, and
 * damaged ones give the same status and message on every rank. */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "io_cases.h"
#include "io_check.h"

#include <zlib.h>

static const int64_t chunks[] = {1, 7, 64, 0};
enum { CHUNKS = sizeof chunks / sizeof *chunks };

/* Rank 0 writes the bytes compressed, as several members one after the other. */
static void put_compressed(const char *path, const char *bytes, size_t length, size_t members) {
  for (size_t m = 0; m < members && harness_rank() == 0; m++) {
    gzFile file = gzopen(path, m == 0 ? "wb" : "ab");
    assert_non_null(file);
    size_t from = length * m / members, to = length * (m + 1) / members;
    if (to > from) assert_int_equal(gzwrite(file, bytes + from, (unsigned)(to - from)), to - from);
    assert_int_equal(gzclose(file), Z_OK);
  }
  harness_barrier();
}

static void good_texts_give_their_entries(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64];
  file_name("test_io_gzip", ".mtx.gz", path);
  for (int i = 0; i < GOOD_TEXTS; i++) {
    const struct good_text *good = &good_texts[i];
    put_compressed(path, good->text, strlen(good->text), (size_t)(1 + i % 3));
    hyla_layout layout;
    hyla_matrix *a = NULL;
    hyla_status status =
        hy_io_read(cube, path, make_layout(cube, i % LAYOUTS, &layout), chunks[i % CHUNKS], &a);
    harness_note("text %d: %s", i, hyla_cube_message(cube));
    assert_int_equal(status, HYLA_OK);
    assert_entries(a, good->entries);
    hyla_matrix_destroy(&a);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

static void bad_texts_give_their_message(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], message[HY_MESSAGE_MAX];
  file_name("test_io_gzip", ".mtx.gz", path);
  for (int i = 0; i < BAD_TEXTS; i++) {
    put_compressed(path, bad_texts[i].text, strlen(bad_texts[i].text), 1);
    snprintf(message, sizeof message, "%s:%s", path, bad_texts[i].message);
    int64_t bytes = cube->base.bytes_now;
    hyla_matrix *a = NULL;
    harness_note("text %d", i);
    assert_message(cube, hy_io_read(cube, path, NULL, chunks[i % CHUNKS], &a), HYLA_FORMAT,
                   message);
    assert_int_equal(cube->base.bytes_now, bytes);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

/* An array whose text is longer than one unpacked piece; NULL on all ranks but the first. */
enum { N = 101 };
static char *make_text(size_t *length) {
  char *text = malloc(64 + (size_t)N * N * 32);
  assert_non_null(text);
  int at = sprintf(text, "%s%d %d\n", ARRAY "real general\n", N, N);
  for (int i = 0; i < N * N; i++)
    at += sprintf(text + at, "%.17g\n", (double)harness_draw(-1000000, 1000000) / 7);
  *length = (size_t)at;
  return text;
}

static void long_files_read_as_plain_ones(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char plain[64], packed[64];
  file_name("test_io_gzip", ".mtx", plain);
  file_name("test_io_gzip", ".mtx.gz", packed);
  size_t length = 0;
  char *text = make_text(&length);
  assert_true(length > 2 * 65536);
  put_file(plain, text, length);
  put_compressed(packed, text, length, 2);
  static const int64_t some[] = {1000, 40000, 0};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    hyla_matrix *a = NULL, *b = NULL;
    hyla_layout layout;
    const hyla_layout *where = make_layout(cube, (int)i, &layout);
    assert_int_equal(hy_io_read(cube, plain, where, some[i], &a), HYLA_OK);
    assert_int_equal(hy_io_read(cube, packed, where, some[i], &b), HYLA_OK);
    assert_int_equal(a->local_rows, b->local_rows);
    assert_int_equal(a->local_cols, b->local_cols);
    for (int64_t j = 0; j < a->local_cols && a->local_rows > 0; j++)
      assert_memory_equal(hy_at(a, 0, j), hy_at(b, 0, j), (size_t)a->local_rows * sizeof(double));
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&b);
  }
  hyla_type type = HYLA_FLOAT;
  int64_t rows = 0, cols = 0;
  assert_int_equal(hyla_matrix_probe(cube, packed, &type, &rows, &cols), HYLA_OK);
  assert_true(type == HYLA_DOUBLE && rows == N && cols == N);
  drop_file(plain);
  drop_file(packed);
  free(text);
  hyla_cube_destroy(&cube);
}

/* Rank 0 cuts a file, or changes the byte at this distance from its end. */
static void damage(const char *path, long cut, long change) {
  if (harness_rank() == 0) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -change, SEEK_END), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, -change, SEEK_END), 0);
    if (cut == 0) assert_true(fputc(byte ^ 1, file) != EOF);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_int_equal(fclose(file), 0);
    if (cut > 0) assert_int_equal(truncate(path, size - cut), 0);
  }
  harness_barrier();
}

static void damaged_files_are_refused(void **state) {
  (void)state;
  /* Cut off: all of the check sum, or much of the data.  Changed: the length, the check sum, or
   * data. */
  static const struct {
    long cut, change;
  } damages[] = {{1, 1}, {8, 1}, {2000, 1}, {0, 1}, {0, 6}, {0, 3000}};
  hyla_cube *cube = make_cube();
  char path[64];
  file_name("test_io_gzip", ".mtx.gz", path);
  size_t length = 0;
  char *text = make_text(&length);
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    put_compressed(path, text, length, 1);
    damage(path, damages[i].cut, damages[i].change);
    int64_t bytes = cube->base.bytes_now;
    hyla_matrix *a = NULL;
    hyla_status status = hyla_matrix_read(cube, path, NULL, &a);
    harness_note("damage %d: %s", (int)i, hyla_cube_message(cube));
    assert_common(cube, status);
    assert_int_equal(status, HYLA_FILE);
    assert_non_null(strstr(hyla_cube_message(cube), "the compressed data are damaged: "));
    assert_null(a);
    assert_int_equal(cube->base.bytes_now, bytes);
    drop_file(path);
  }
  free(text);
  hyla_cube_destroy(&cube);
}

static void numpy_files_are_to_be_unpacked(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], message[192], bytes[HY_NPY_HEADER_MAX + 8] = {0};
  file_name("test_io_gzip", ".npy.gz", path);
  int64_t length = hy_npy_format_header(HYLA_DOUBLE, 1, 1, false, bytes);
  put_compressed(path, bytes, (size_t)length + 8, 1);
  snprintf(message, sizeof message,
           "%s: a .npy file compressed by gzip; only .mtx files may be compressed; unpack it, as "
           "by gunzip",
           path);
  hyla_matrix *a = NULL;
  assert_message(cube, hyla_matrix_read(cube, path, NULL, &a), HYLA_FORMAT, message);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_texts_give_their_entries),
      cmocka_unit_test(bad_texts_give_their_message),
      cmocka_unit_test(long_files_read_as_plain_ones),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(numpy_files_are_to_be_unpacked),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
