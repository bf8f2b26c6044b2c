/* Matrices that are parts of files: members of .npz archives, and variables of MAT files of the
 * versions 4 and 5, stored or compressed.  They are read bit for bit in any layout; what is missing
 * is told; damaged files give the same status on every rank, and never a matrix with other entries
 * where the format has a check sum. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
#include "io_check.h"

#include <zlib.h>

enum { ROOM = 1 << 15, ROWS = 7, COLS = 5, ENTRIES = ROWS * COLS };

/* Bytes that become a file. */
struct bytes {
  size_t length;
  bool big; /* numbers have the most significant byte first */
  char text[ROOM];
};

static void put(struct bytes *b, const void *data, size_t length) {
  assert_true(b->length + length <= ROOM);
  memcpy(b->text + b->length, data, length);
  b->length += length;
}

static void put_number(struct bytes *b, uint64_t value, int size) {
  for (int i = 0; i < size; i++) {
    const char byte = (char)(value >> 8 * (b->big ? size - 1 - i : i) & 255);
    put(b, &byte, 1);
  }
}

static void put_double(struct bytes *b, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_number(b, bits, sizeof bits);
}

/* Compresses; window < 0: without a head. */
static size_t compress_to(const char *from, size_t length, int window, char *to) {
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (Bytef *)(uintptr_t)from;
  z.avail_in = (uInt)length;
  z.next_out = (Bytef *)to;
  z.avail_out = ROOM;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  assert_int_equal(deflateEnd(&z), Z_OK);
  return z.total_out;
}

/* Entry (i, j) of the matrix whose number is `which'. */
static double entry(int which, int i, int j) { return 100 * which + i + 0.25 * j; }

static void assert_matrix(const hyla_matrix *a, int which, bool complex_type) {
  double table[2 * ENTRIES];
  for (int e = 0; e < ENTRIES; e++) {
    table[2 * e] = entry(which, e % ROWS, e / ROWS);
    table[2 * e + 1] = complex_type ? -table[2 * e] : 0;
  }
  assert_true(hyla_matrix_rows(a) == ROWS && hyla_matrix_cols(a) == COLS);
  assert_int_equal(hyla_matrix_type(a), complex_type ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE);
  assert_entries(a, table);
}

/* --------------------------------------------------------------------- archives -- */

static void make_npy(struct bytes *npy, int which, bool by_columns) {
  char head[128];
  npy->length = 0;
  snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }\n",
           by_columns ? "True" : "False", ROWS, COLS);
  put(npy, HY_NPY_MAGIC "\x01", HY_NPY_MAGIC_LENGTH + 2);
  put_number(npy, strlen(head), 2);
  put(npy, head, strlen(head));
  for (int e = 0; e < ENTRIES; e++)
    put_double(npy,
               by_columns ? entry(which, e % ROWS, e / ROWS) : entry(which, e / COLS, e % COLS));
}

struct zip {
  struct bytes file, directory;
  int members;
};

/* Adds a member; large: as in an archive above 4 GiB. */
static void add_member(struct zip *zip, const char *name, const struct bytes *from, int method,
                       bool large) {
  static char packed[ROOM];
  size_t length = from->length;
  const size_t at = zip->file.length;
  const uint64_t crc = crc32_z(0, (const Bytef *)from->text, length);
  memcpy(packed, from->text, length);
  if (method == 8) length = compress_to(from->text, from->length, -15, packed);
  put(&zip->file, "PK\x03\x04", 4);
  put_number(&zip->file, 0, 22); /* what stands here is not read */
  put_number(&zip->file, strlen(name), 2);
  put_number(&zip->file, 3, 2);
  put(&zip->file, name, strlen(name));
  put(&zip->file, "xyz", 3);
  put(&zip->file, packed, length);
  struct bytes *d = &zip->directory;
  put(d, "PK\x01\x02", 4);
  put_number(d, 0, 6);
  put_number(d, (uint64_t)method, 2);
  put_number(d, 0, 4);
  put_number(d, crc, 4);
  put_number(d, large ? UINT32_MAX : length, 4);
  put_number(d, large ? UINT32_MAX : from->length, 4);
  put_number(d, strlen(name), 2);
  put_number(d, large ? 37 : 0, 2);
  put_number(d, 0, 10);
  put_number(d, large ? UINT32_MAX : at, 4);
  put(d, name, strlen(name));
  zip->members++;
  if (!large) return;
  put_number(d, 0x5455, 2); /* another field */
  put_number(d, 5, 2);
  put(d, "12345", 5);
  put_number(d, 1, 2);
  put_number(d, 24, 2);
  put_number(d, from->length, 8);
  put_number(d, length, 8);
  put_number(d, at, 8);
}

static void end_zip(struct zip *zip, bool large) {
  struct bytes *f = &zip->file;
  const size_t at = f->length, length = zip->directory.length;
  put(f, zip->directory.text, length);
  if (large) {
    const size_t record = f->length;
    put(f, "PK\x06\x06", 4);
    put_number(f, 44, 8);
    put_number(f, 0, 28);
    put_number(f, length, 8);
    put_number(f, at, 8);
    put(f, "PK\x06\x07", 4);
    put_number(f, 0, 4);
    put_number(f, record, 8);
    put_number(f, 1, 4);
  }
  put(f, "PK\x05\x06", 4);
  put_number(f, 0, 4);
  put_number(f, (uint64_t)zip->members, 2);
  put_number(f, (uint64_t)zip->members, 2);
  put_number(f, large ? UINT32_MAX : length, 4);
  put_number(f, large ? UINT32_MAX : at, 4);
  put_number(f, 7, 2);
  put(f, "comment", 7);
}

/* Members a and bc, the second by columns, and a text. */
static void make_zip(struct zip *zip, int method, bool large) {
  static struct bytes npy;
  memset(zip, 0, sizeof *zip);
  make_npy(&npy, 1, false);
  add_member(zip, "a.npy", &npy, method, large);
  make_npy(&npy, 2, true);
  add_member(zip, "bc.npy", &npy, method, large);
  add_member(zip, "about.txt", &npy, method, large);
  end_zip(zip, large);
}

static void members_are_read(void **state) {
  (void)state;
  static const char *const names[] = {":a", ":bc", ":a.npy"};
  static struct zip zip;
  hyla_cube *cube = make_cube();
  char path[64], whole[96];
  file_name("test_io_archive", ".npz", path);
  for (int kind = 0; kind < 4; kind++) {
    make_zip(&zip, kind % 2 == 0 ? 0 : 8, kind >= 2);
    put_file(path, zip.file.text, zip.file.length);
    for (int n = 0; n < 3; n++) {
      hyla_layout layout;
      hyla_matrix *a = NULL;
      int64_t bytes = cube->base.bytes_now;
      snprintf(whole, sizeof whole, "%s%s", path, names[n]);
      hyla_status status = hyla_matrix_read(cube, whole, make_layout(cube, kind, &layout), &a);
      harness_note("kind %d %s: %s", kind, whole, hyla_cube_message(cube));
      assert_int_equal(status, HYLA_OK);
      assert_matrix(a, n == 1 ? 2 : 1, false);
      hyla_matrix_destroy(&a);
      assert_int_equal(cube->base.bytes_now, bytes);
    }
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

/* Message: the text after "PATH". */
static void assert_refused(hyla_cube *cube, const char *path, const char *name,
                           const char *message) {
  char whole[96], text[HY_MESSAGE_MAX];
  hyla_matrix *a = NULL;
  const int64_t bytes = cube->base.bytes_now;
  snprintf(whole, sizeof whole, "%s%s", path, name);
  snprintf(text, sizeof text, "%s%s", path, message);
  assert_message(cube, hyla_matrix_read(cube, whole, NULL, &a), HYLA_FORMAT, text);
  assert_message(cube, hyla_matrix_probe(cube, whole, NULL, NULL, NULL), HYLA_FORMAT, text);
  assert_null(a);
  assert_int_equal(cube->base.bytes_now, bytes);
}

static void what_is_missing_is_told(void **state) {
  (void)state;
  static struct zip zip;
  static struct bytes npy;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  char path[64];
  file_name("test_io_archive", ".npz", path);
  make_zip(&zip, 8, false);
  put_file(path, zip.file.text, zip.file.length);
  assert_refused(cube, path, "", ": say which of its members, as in FILE:a; there are a, bc");
  assert_refused(cube, path, ":xyz", ": there is no member xyz; there are a, bc");
  assert_refused(cube, path, ":about.txt", ": there is no member about.txt; there are a, bc");
  assert_refused(cube, path, ":bd", ": there is no member bd; did you mean bc?");
  memset(&zip, 0, sizeof zip);
  make_npy(&npy, 3, false);
  add_member(&zip, "alone.npy", &npy, 0, false);
  end_zip(&zip, false);
  put_file(path, zip.file.text, zip.file.length);
  assert_int_equal(hyla_matrix_read(cube, path, NULL, &a), HYLA_OK);
  assert_matrix(a, 3, false);
  hyla_matrix_destroy(&a);
  memset(&zip, 0, sizeof zip);
  add_member(&zip, "x.npy", &npy, 12, false);
  end_zip(&zip, false);
  put_file(path, zip.file.text, zip.file.length);
  assert_refused(cube, path, ":x",
                 ": member x is compressed by ZIP's method 12; only stored and deflated ones are "
                 "read");
  memset(&zip, 0, sizeof zip);
  end_zip(&zip, false);
  put_file(path, zip.file.text, zip.file.length);
  assert_refused(cube, path, "", ": a ZIP archive without a member");
  put_file(path, npy.text, npy.length);
  assert_refused(cube, path, ":x", ":1: expected a ZIP archive, found '?NUMPY'");
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* -------------------------------------------------------------------- MAT files -- */

static void put_element(struct bytes *b, int type, const struct bytes *from) {
  const bool small = from->length <= 4;
  if (small && b->big) {
    put_number(b, from->length, 2);
    put_number(b, (uint64_t)type, 2);
  } else {
    put_number(b, (uint64_t)type, small ? 2 : 4);
    put_number(b, from->length, small ? 2 : 4);
  }
  put(b, from->text, from->length);
  while (b->length % 8 != 0) put(b, "", 1);
}

/* A variable of version 5 with entries of double, or of int8. */
static void put_variable(struct bytes *file, const char *name, int which, int class, bool packed) {
  static struct bytes v, part;
  static char text[ROOM];
  const bool complex_type = class > 255;
  v.length = 0;
  part.big = v.big = file->big;
  part.length = 0;
  put_number(&part, (uint64_t) class, 4);
  put_number(&part, 0, 4);
  put_element(&v, 6, &part);
  part.length = 0;
  put_number(&part, ROWS, 4);
  put_number(&part, COLS, 4);
  put_element(&v, 5, &part);
  part.length = 0;
  put(&part, name, strlen(name));
  put_element(&v, 1, &part);
  for (int p = 0; p < 1 + complex_type; p++) {
    part.length = 0;
    for (int e = 0; e < ENTRIES; e++)
      put_double(&part, (p == 0 ? 1 : -1) * entry(which, e % ROWS, e / ROWS));
    put_element(&v, 9, &part);
  }
  part.length = 0;
  put_number(&part, 14, 4);
  put_number(&part, v.length, 4);
  put(&part, v.text, v.length);
  if (!packed) {
    put(file, part.text, part.length);
    return;
  }
  const size_t length = compress_to(part.text, part.length, 15, text);
  put_number(file, 15, 4);
  put_number(file, length, 4);
  put(file, text, length);
}

enum { CLASS_STRUCT = 2, CLASS_DOUBLE = 6, CLASS_COMPLEX = 6 | 0x800 };

static void make_mat_5(struct bytes *file, bool big, bool packed) {
  char head[128];
  memset(head, ' ', sizeof head);
  memcpy(head, "MATLAB 5.0 MAT-file", 19);
  memcpy(head + 124, big ? "\1\0MI" : "\0\1IM", 4);
  file->length = 0;
  file->big = big;
  put(file, head, sizeof head);
  put_variable(file, "a", 1, CLASS_DOUBLE, packed);
  put_variable(file, "record", 2, CLASS_STRUCT, packed);
  put_variable(file, "longer_name", 3, CLASS_COMPLEX, packed);
}

static void put_variable_4(struct bytes *file, const char *name, int which, bool complex_type,
                           int kind) {
  put_number(file, (uint64_t)(file->big ? 1000 : 0) + (uint64_t)kind, 4);
  put_number(file, ROWS, 4);
  put_number(file, COLS, 4);
  put_number(file, complex_type, 4);
  put_number(file, strlen(name) + 1, 4);
  put(file, name, strlen(name) + 1);
  for (int p = 0; p < 1 + complex_type; p++)
    for (int e = 0; e < ENTRIES; e++)
      put_double(file, (p == 0 ? 1 : -1) * entry(which, e % ROWS, e / ROWS));
}

static void make_mat_4(struct bytes *file, bool big) {
  file->length = 0;
  file->big = big;
  put_variable_4(file, "a", 1, false, 0);
  put_variable_4(file, "record", 2, false, 1);
  put_variable_4(file, "longer_name", 3, true, 0);
}

/* kind: the version, the byte order, and whether it is compressed. */
enum { MAT_KINDS = 6 };
static void make_mat(struct bytes *file, int kind) {
  if (kind < 2)
    make_mat_4(file, kind == 1);
  else
    make_mat_5(file, kind % 2 == 1, kind >= 4);
}

static void variables_are_read(void **state) {
  (void)state;
  static struct bytes file;
  hyla_cube *cube = make_cube();
  char path[64], whole[96];
  file_name("test_io_archive", ".mat", path);
  for (int kind = 0; kind < MAT_KINDS; kind++) {
    make_mat(&file, kind);
    put_file(path, file.text, file.length);
    for (int n = 0; n < 2; n++) {
      hyla_layout layout;
      hyla_matrix *a = NULL;
      const int64_t bytes = cube->base.bytes_now;
      snprintf(whole, sizeof whole, "%s:/%s", path, n == 0 ? "a" : "longer_name");
      hyla_status status =
          hyla_matrix_read(cube, whole, make_layout(cube, kind % LAYOUTS, &layout), &a);
      harness_note("kind %d %s: %s", kind, whole, hyla_cube_message(cube));
      assert_int_equal(status, HYLA_OK);
      assert_matrix(a, n == 0 ? 1 : 3, n == 1);
      hyla_matrix_destroy(&a);
      assert_int_equal(cube->base.bytes_now, bytes);
    }
    assert_refused(cube, path, "",
                   ": say which of its variables, as in FILE:/a; there are /a, /longer_name");
    snprintf(whole, sizeof whole, ":/record: expected a matrix of numbers, found %s",
             kind < 2 ? "a text" : "a struct");
    assert_refused(cube, path, ":/record", whole);
    assert_refused(cube, path, ":/q", ": there is no variable /q; did you mean /a?");
    drop_file(path);
  }
  file.length = 0;
  file.big = false;
  put_variable_4(&file, "note", 1, false, 1);
  put_file(path, file.text, file.length);
  assert_refused(cube, path, "", ":/note: expected a matrix of numbers, found a text");
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* ----------------------------------------------------------------------- damage -- */

/* Reads a damaged file: any status, the same on all ranks; a matrix that has a check sum is right.
 */
static void read_damaged(hyla_cube *cube, const char *whole, int which, bool summed) {
  hyla_matrix *a = NULL;
  const int64_t bytes = cube->base.bytes_now;
  hyla_status status = hyla_matrix_read(cube, whole, NULL, &a);
  assert_common(cube, status);
  assert_true(status == HYLA_OK || status == HYLA_FORMAT || status == HYLA_FILE ||
              status == HYLA_MEMORY);
  if (status == HYLA_OK && summed && hyla_matrix_rows(a) == ROWS && hyla_matrix_cols(a) == COLS)
    assert_matrix(a, which, which == 3);
  hyla_matrix_destroy(&a);
  assert_int_equal(cube->base.bytes_now, bytes);
}

static void damage_is_told_alike(void **state) {
  (void)state;
  static struct zip zip;
  static struct bytes file;
  hyla_cube *cube = make_cube();
  char path[64], whole[96];
  for (int trial = 0; trial < 240; trial++) {
    const int kind = trial % (2 + MAT_KINDS);
    const bool archive = kind < 2, packed = kind == 1 || kind >= 6;
    if (archive) make_zip(&zip, kind == 1 ? 8 : 0, trial % 3 == 0);
    if (archive)
      file = zip.file;
    else
      make_mat(&file, kind - 2);
    file_name("test_io_archive", archive ? ".npz" : ".mat", path);
    snprintf(whole, sizeof whole, "%s:%s", path, archive ? "bc" : "/longer_name");
    const size_t at = (size_t)harness_draw(0, (int64_t)file.length - 1);
    const char mask = (char)(1 << harness_draw(0, 7));
    const bool cut = harness_draw(0, 3) == 0;
    if (cut) file.length = at;
    file.text[at] = (char)(file.text[at] ^ mask);
    harness_note("trial %d kind %d byte %d %s", trial, kind, (int)at, cut ? "cut" : "changed");
    put_file(path, file.text, file.length);
    read_damaged(cube, whole, archive ? 2 : 3, packed);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_are_read),
      cmocka_unit_test(what_is_missing_is_told),
      cmocka_unit_test(variables_are_read),
      cmocka_unit_test(damage_is_told_alike),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
