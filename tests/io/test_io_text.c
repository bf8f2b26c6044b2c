/* Matrix Market files and the heads of .npy files, without ranks. */
#include "tests/harness/harness.h"

#include "io/io.h"
#include "io_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 };

/* A file with given bytes, and what was read from it. */
struct fixture {
  struct hy_base base;
  char path[64];
  struct hy_mm_header header;
  double entries[2 * MOST * MOST];
};

static void make_file(struct fixture *f, const void *bytes, size_t length) {
  memset(f, 0, sizeof *f);
  strcpy(f->path, "test_io_XXXXXX");
  int fd = mkstemp(f->path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, length), length);
  close(fd);
}

static void take(void *arg, int64_t row, int64_t col, const double value[2]) {
  struct fixture *f = arg;
  assert_in_range(row, 0, f->header.rows - 1);
  assert_in_range(col, 0, f->header.cols - 1);
  double *entry = &f->entries[2 * (row + col * f->header.rows)];
  bool array = f->header.format == HY_MM_ARRAY;
  for (int i = 0; i < 2; i++) entry[i] = array ? value[i] : entry[i] + value[i];
}

static hyla_status read_body(struct fixture *f, const struct hy_io_file *file, int64_t bytes) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  char *buffer = malloc((size_t)(bytes + hy_mm_slack(&f->header)));
  assert_true(c_locale != (locale_t)0 && buffer != NULL);
  struct hy_mm_parser parser = {file, &f->header, c_locale, take, f};
  int64_t lines = f->header.lines, entries = 0;
  hyla_status status = HYLA_OK;
  for (int64_t at = f->header.body; at < file->size && status == HYLA_OK; at += bytes) {
    struct hy_mm_chunk chunk;
    int64_t lines_here, entries_here;
    assert_int_equal(hy_mm_load(file, &f->header, at, bytes, buffer, &chunk), HYLA_OK);
    hy_mm_count(&f->header, &chunk, &lines_here, &entries_here);
    status = hy_mm_parse(&parser, &chunk, lines, entries);
    lines += lines_here;
    entries += entries_here;
  }
  if (status == HYLA_OK) status = hy_mm_finish(&parser, lines, entries);
  free(buffer);
  freelocale(c_locale);
  return status;
}

/* Reads the file in chunks of `bytes` bytes. */
static hyla_status read_text(struct fixture *f, int64_t bytes) {
  memset(f->entries, 0, sizeof f->entries);
  struct hy_io_file file;
  assert_int_equal(hy_io_open(&f->base, f->path, &file), HYLA_OK);
  hyla_status status = hy_mm_read_header(&file, &f->header);
  bool small = f->header.rows <= MOST && f->header.cols <= MOST;
  if (status == HYLA_OK && small) status = read_body(f, &file, bytes);
  hy_io_close(&file);
  return status;
}

static void good_texts_give_their_entries(void **state) {
  (void)state;
  for (int i = 0; i < GOOD_TEXTS; i++) {
    const struct good_text *good = &good_texts[i];
    struct fixture f;
    make_file(&f, good->text, strlen(good->text));
    for (int64_t bytes = 1; bytes < 40; bytes++) {
      harness_note("text %d in chunks of %d: %s", i, (int)bytes, f.base.message);
      assert_int_equal(read_text(&f, bytes), HYLA_OK);
      assert_int_equal(f.header.rows, good->rows);
      assert_int_equal(f.header.cols, good->cols);
      size_t length = sizeof(double) * (size_t)(2 * good->rows * good->cols);
      assert_memory_equal(f.entries, good->entries, length);
    }
    unlink(f.path);
  }
}

static void bad_texts_give_their_message(void **state) {
  (void)state;
  for (int i = 0; i < BAD_TEXTS; i++) {
    struct fixture f;
    make_file(&f, bad_texts[i].text, strlen(bad_texts[i].text));
    for (int64_t bytes = 1; bytes < 40; bytes += 3) {
      harness_note("text %d in chunks of %d", i, (int)bytes);
      assert_int_equal(read_text(&f, bytes), HYLA_FORMAT);
      assert_memory_equal(f.base.message, f.path, strlen(f.path));
      assert_string_equal(f.base.message + strlen(f.path) + 1, bad_texts[i].message);
    }
    unlink(f.path);
  }
}

/* Comments may be longer than other lines, and longer than a chunk. */
static void long_comments_are_passed_over(void **state) {
  (void)state;
  static const char text[] = ARRAY "real general\n%" TOO_MANY TOO_MANY TOO_MANY
                                   "x\n2 1\n1\n%" TOO_MANY TOO_MANY "3\n2\n%" TOO_MANY TOO_MANY "4";
  struct fixture f;
  make_file(&f, text, strlen(text));
  for (int64_t bytes = 1; bytes < 10000; bytes += 1 + bytes / 7) {
    assert_int_equal(read_text(&f, bytes), HYLA_OK);
    assert_true(f.entries[0] == 1 && f.entries[2] == 2);
  }
  unlink(f.path);
}

static void special_numbers_are_read(void **state) {
  (void)state;
  static const char text[] = ARRAY "real general\n8 1\nnan\n-NaN\ninf\n-Infinity\n-0\n0.125\n"
                                   "4.9406564584124654e-324\n1.7976931348623157e+308\n";
  struct fixture f;
  make_file(&f, text, strlen(text));
  assert_int_equal(read_text(&f, 100), HYLA_OK);
  const double *x = f.entries;
  assert_true(isnan(x[0]) && !signbit(x[0]) && isnan(x[2]) && signbit(x[2]));
  assert_true(x[4] == INFINITY && x[6] == -INFINITY);
  assert_true(x[8] == 0 && signbit(x[8]) && x[10] == 0.125);
  assert_true(x[12] == 0x1p-1074 && x[14] == 0x1.fffffffffffffp1023);
  unlink(f.path);
}

/* Bytes of good files are changed, dropped and doubled: the result is read, or refused, alike for
 * every size of chunk. */
static void damage_is_refused_alike(void **state) {
  (void)state;
  static const char letters[] = "0123456789 \n\r\t%.-+eEnaif,x\v";
  for (int trial = 0; trial < 3000; trial++) {
    const char *from = good_texts[harness_draw(0, GOOD_TEXTS - 1)].text;
    char text[512];
    size_t length = strlen(from);
    memcpy(text, from, length + 1);
    for (int64_t changes = harness_draw(1, 3); changes > 0; changes--) {
      size_t at = (size_t)harness_draw(0, (int64_t)length - 1);
      char letter = letters[harness_draw(0, (int64_t)sizeof letters - 1)];
      int64_t how = harness_draw(0, 3);
      if (how == 0) length = at + 1;
      if (how == 1) text[at] = (char)harness_draw(0, 255);
      if (how >= 2) text[at] = letter;
    }
    struct fixture whole, cut;
    make_file(&whole, text, length);
    cut = whole;
    harness_note("trial %d: %.*s", trial, (int)length, text);
    hyla_status status = read_text(&whole, 4096);
    assert_true(status == HYLA_OK || status == HYLA_FORMAT);
    assert_int_equal(read_text(&cut, harness_draw(1, 30)), status);
    assert_string_equal(cut.base.message, whole.base.message);
    if (status == HYLA_OK) assert_memory_equal(cut.entries, whole.entries, sizeof cut.entries);
    unlink(whole.path);
  }
}

/* A .npy file of version `version`: the dictionary, then `data` bytes of zeros. */
static size_t make_npy(char *bytes, int version, const char *dictionary, size_t data) {
  size_t length = strlen(dictionary), start = version == 1 ? 10 : 12;
  memcpy(bytes, HY_NPY_MAGIC, HY_NPY_MAGIC_LENGTH);
  memset(bytes + HY_NPY_MAGIC_LENGTH, 0, start - HY_NPY_MAGIC_LENGTH + length + data);
  bytes[6] = (char)version;
  bytes[8] = (char)(length & 255);
  bytes[9] = (char)(length >> 8 & 255);
  if (version > 1) bytes[10] = (char)(length >> 16 & 255);
  memcpy(bytes + start, dictionary, length);
  return start + length + data;
}

static hyla_status read_npy(struct fixture *f, struct hy_npy_header *header) {
  struct hy_io_file file;
  assert_int_equal(hy_io_open(&f->base, f->path, &file), HYLA_OK);
  hyla_status status = hy_npy_read_header(&file, header);
  hy_io_close(&file);
  assert_int_equal(f->base.bytes_now, 0);
  return status;
}

static void npy_headers_are_read(void **state) {
  (void)state;
  static const struct {
    const char *dictionary;
    char kind;
    int size;
    bool big, by_columns;
    int64_t rows, cols;
  } good[] = {
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n", 'f', 8, 0, 0, 3, 4},
      {"{\"shape\":(2,),\"descr\":\">c16\",\"fortran_order\":True}", 'c', 16, 1, 1, 2, 1},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': ()}\n", 'u', 1, 0, 0, 1, 1},
      {"{'fortran_order': False, 'descr': '>i2', 'shape': (5L, 0L)}\n", 'i', 2, 1, 0, 5, 0},
      {" {'descr': '<f4' , 'fortran_order' : True , 'shape' : ( 1 , 2 , ) , } \n", 'f', 4, 0, 1, 1,
       2},
  };
  for (int version = 1; version <= 3; version++) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
      char bytes[512];
      size_t data = (size_t)(good[i].rows * good[i].cols * good[i].size);
      size_t length = make_npy(bytes, version, good[i].dictionary, data);
      struct fixture f;
      make_file(&f, bytes, length);
      struct hy_npy_header header;
      hyla_status status = read_npy(&f, &header);
      harness_note("version %d header %d: %s", version, (int)i, f.base.message);
      assert_int_equal(status, HYLA_OK);
      assert_int_equal(header.element.kind, good[i].kind);
      assert_int_equal(header.element.size, good[i].size);
      assert_int_equal(header.element.big, good[i].big);
      assert_int_equal(header.by_columns, good[i].by_columns);
      assert_int_equal(header.rows, good[i].rows);
      assert_int_equal(header.cols, good[i].cols);
      assert_int_equal(header.body, length - data);
      unlink(f.path);
    }
  }
}

/* From version 2 on a header may be longer than two bytes can tell. */
static void long_npy_headers_are_read(void **state) {
  (void)state;
  static const char start[] = "{'descr': '>f2', 'fortran_order': True, 'shape': (1, 2), }";
  static const size_t lengths[] = {65535, 65536, 65537, 1 << 20};
  char *dictionary = malloc((1 << 20) + 1), *bytes = malloc((1 << 20) + 64);
  assert_true(dictionary != NULL && bytes != NULL);
  for (int version = 2; version <= 3; version++)
    for (int i = 0; i < 4; i++) {
      struct fixture f;
      struct hy_npy_header header;
      snprintf(dictionary, lengths[i] + 1, "%-*s", (int)lengths[i], start);
      size_t length = make_npy(bytes, version, dictionary, 4);
      make_file(&f, bytes, length);
      hyla_status status = read_npy(&f, &header);
      harness_note("version %d, %d bytes: %s", version, (int)lengths[i], f.base.message);
      assert_int_equal(status, HYLA_OK);
      assert_int_equal(header.body, length - 4);
      assert_true(header.rows == 1 && header.cols == 2 && header.element.size == 2);
      unlink(f.path);
    }
  free(bytes);
  free(dictionary);
}

static void refuse_npy(const char *bytes, size_t length, const char *message) {
  struct fixture f;
  make_file(&f, bytes, length);
  struct hy_npy_header header;
  hyla_status status = read_npy(&f, &header);
  harness_note("%s; wanted: %s", f.base.message, message);
  assert_int_equal(status, HYLA_FORMAT);
  assert_string_equal(f.base.message + strlen(f.path) + 2, message);
  unlink(f.path);
}

static void bad_npy_heads_give_their_message(void **state) {
  (void)state;
  static const char good[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }\n";
  static const struct {
    const char *dictionary, *message;
  } bad[] = {
      {"", "at byte 10: expected '{' in the header, found ''"},
      {"{'descr': '<f3', 'fortran_order': False, 'shape': (1, 1)}",
       "at byte 20: expected an element type f2, f4, f8, c8, c16, b1, i1 to i8 or u1 to u8 with "
       "its byte order, such as '<f8', in the header, found ''<f3', 'fortran_order': False, "
       "'shape': ...'"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1)}",
       "at byte 20: expected an element type f2, f4, f8, c8, c16, b1, i1 to i8 or u1 to u8 with "
       "its byte order, such as '<f8', in the header, found '[('a', '<f8')], 'fortran_order': "
       "False, ...'"},
      {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 1)}",
       "at byte 44: expected True or False in the header, found 'Maybe, 'shape': (1, 1)}'"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1, 1)}",
       "at byte 59: expected at most two dimensions in the header, found '(1, 1, 1)}'"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (1)}",
       "at byte 61: expected ',' in the header, found ')}'"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (-1,)}",
       "at byte 60: expected a length in the header, found '-1,)}'"},
      {"{'descr': '<f8', 'fortran_order': True}",
       "at byte 49: expected all of descr, fortran_order and shape in the header, found ''"},
      {"{'descr': '<f8', 'descr': '<f8'}", "at byte 27: expected descr, fortran_order or shape, "
                                           "each once, in the header, found ''descr': '<f8'}'"},
      {"{'descr': '<f8', 'size': 3}", "at byte 27: expected descr, fortran_order or shape, "
                                      "each once, in the header, found ''size': 3}'"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1)} x",
       "at byte 67: expected the end in the header, found 'x'"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (4000000000, 4000000000)}",
       "at byte 0: a matrix of 4000000000 x 4000000000 has more entries than can be counted"},
  };
  char bytes[512];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    refuse_npy(bytes, make_npy(bytes, 1, bad[i].dictionary, 8), bad[i].message);
  }
  size_t length = make_npy(bytes, 1, good, 8);
  bytes[19] = '\0'; /* in place of a blank */
  refuse_npy(
      bytes, length,
      "at byte 19: expected an element type f2, f4, f8, c8, c16, b1, i1 to i8 or u1 to u8 with "
      "its byte order, such as '<f8', in the header, found '?'<f8', 'fortran_order': False, "
      "'shape':...'");
  bytes[19] = ' ';
  refuse_npy(bytes, length - 1, "at byte 70: expected 8 bytes of data, found 7");
  refuse_npy(bytes, length + 1, "at byte 70: expected 8 bytes of data, found 9");
  refuse_npy(bytes, 30, "at byte 8: expected a header that fits the file, found length 60");
  refuse_npy(bytes, 9, "at byte 9: expected the length of the header, found the end");
  refuse_npy(bytes, 4, "at byte 0: expected the magic number of .npy");
  refuse_npy(bytes, make_npy(bytes, 4, good, 8),
             "at byte 6: expected format version 1.0, 2.0 or 3.0, found 4.0");
}

static void npy_damage_never_crashes(void **state) {
  (void)state;
  static const char good[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
  for (int trial = 0; trial < 3000; trial++) {
    char bytes[512];
    size_t length = make_npy(bytes, (int)harness_draw(1, 3), good, 48);
    for (int64_t changes = harness_draw(1, 3); changes > 0; changes--) {
      bytes[harness_draw(0, 72)] = (char)harness_draw(harness_draw(0, 1) * 32, 255);
    }
    struct fixture f;
    make_file(&f, bytes, length);
    struct hy_npy_header header;
    hyla_status status = read_npy(&f, &header);
    assert_true(status == HYLA_OK || status == HYLA_FORMAT);
    if (status == HYLA_OK) {
      assert_int_equal(header.rows * header.cols * header.element.size,
                       (int64_t)length - header.body);
    }
    unlink(f.path);
  }
}

static void npy_elements_are_converted(void **state) {
  (void)state;
  const struct hy_npy_element big = {'f', 8, true}, little = {'f', 8, false};
  const struct hy_npy_element big_complex = {'c', 8, true};
  double value = 0;
  hy_npy_convert(&big, "\x3f\xf8\0\0\0\0\0\0", 1, &value);
  assert_true(value == 1.5);
  hy_npy_convert(&little, "\0\0\0\0\0\0\xf8\x3f", 1, &value);
  assert_true(value == 1.5);
  const struct hy_npy_element truth = {'b', 1, false};
  for (int byte = 0; byte < 3; byte++) {
    hy_npy_convert(&truth, (const char[]){(char)byte}, 1, &value);
    assert_true(value == (byte != 0));
  }
  static const struct {
    unsigned char bytes[2];
    float value;
  } halves[] = {{{0x3c, 0x00}, 1},         {{0xc0, 0x00}, -2},       {{0x35, 0x55}, 0x1.554p-2f},
                {{0x7b, 0xff}, 65504},     {{0x04, 0x00}, 0x1p-14f}, {{0x03, 0xff}, 0x1.ff8p-15f},
                {{0x80, 0x01}, -0x1p-24f}, {{0x7c, 0x00}, INFINITY}, {{0xfc, 0x00}, -INFINITY},
                {{0x80, 0x00}, -0.0F},     {{0x00, 0x00}, 0}};
  const struct hy_npy_element half[2] = {{'f', 2, false}, {'f', 2, true}};
  for (size_t i = 0; i <= sizeof halves / sizeof *halves; i++)
    for (int order = 0; order < 2; order++) {
      const bool nan = i == sizeof halves / sizeof *halves;
      const unsigned char *from = nan ? (const unsigned char[]){0x7e, 0x01} : halves[i].bytes;
      const char stored[2] = {(char)from[!order], (char)from[order]};
      float got = 7;
      hy_npy_convert(&half[order], stored, 1, &got);
      harness_note("half %d order %d: %a", (int)i, order, (double)got);
      assert_true(nan ? isnan(got) : got == halves[i].value);
      assert_int_equal(signbit(got) != 0, !nan && signbit(halves[i].value) != 0);
    }
  assert_int_equal(hy_npy_type(&half[0]), HYLA_FLOAT);
  float pair[2];
  hy_npy_convert(&big_complex, "\x3f\x80\0\0\xc0\0\0\0", 1, pair);
  assert_true(pair[0] == 1 && pair[1] == -2);
  static const char bytes[] = "\x80\0\0\0\0\0\0\x01";
  static const double wanted[2][2][4] = {
      {{-128, 128, 128, 0x1p56 + 128}, {128, 128, 128, 0x1p56 + 128}},
      {{-128, -32768, -0x1p31, -0x1p63}, {128, 32768, 0x1p31, 0x1p63}}};
  for (int order = 0; order < 2; order++) {
    for (int sign = 0; sign < 2; sign++) {
      for (int log = 0; log < 4; log++) {
        const struct hy_npy_element element = {sign ? 'u' : 'i', 1 << log, order};
        double expected = wanted[order][sign][log];
        hy_npy_convert(&element, bytes, 1, &value);
        harness_note("%c%d order %d: %.17g, wanted %.17g", element.kind, element.size, order, value,
                     expected);
        assert_true(value == expected);
        assert_int_equal(hy_npy_type(&element), HYLA_DOUBLE);
      }
    }
  }
}

static void npy_header_is_read_back(void **state) {
  (void)state;
  static const hyla_type types[] = {HYLA_FLOAT, HYLA_DOUBLE, HYLA_COMPLEX, HYLA_DOUBLE_COMPLEX};
  static const int sizes[] = {4, 8, 8, 16};
  for (int t = 0; t < 4; t++) {
    char bytes[HY_NPY_HEADER_MAX + 16 * 35] = {0};
    int64_t length = hy_npy_format_header(types[t], 5, 7, false, bytes);
    assert_int_equal(length % 64, 0);
    assert_int_equal(bytes[length - 1], '\n');
    struct fixture f;
    make_file(&f, bytes, (size_t)(length + 35 * sizes[t]));
    struct hy_npy_header header;
    assert_int_equal(read_npy(&f, &header), HYLA_OK);
    assert_int_equal(hy_npy_type(&header.element), types[t]);
    assert_true(header.by_columns && header.rows == 5 && header.cols == 7);
    unlink(f.path);
  }
}

static void unreadable_files_are_named(void **state) {
  (void)state;
  struct hy_base base = {0};
  struct hy_io_file file;
  assert_int_equal(hy_io_open(&base, "no/such.mtx", &file), HYLA_FILE);
  assert_string_equal(base.message, "cannot read no/such.mtx: No such file or directory");
  assert_int_equal(hy_io_open(&base, "/", &file), HYLA_FILE);
  assert_string_equal(base.message, "cannot read /: Is a directory");
  assert_int_equal(hy_io_open(&base, "/dev/null", &file), HYLA_FILE);
  assert_string_equal(base.message, "cannot read /dev/null: it is not a regular file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_texts_give_their_entries),
      cmocka_unit_test(bad_texts_give_their_message),
      cmocka_unit_test(long_comments_are_passed_over),
      cmocka_unit_test(special_numbers_are_read),
      cmocka_unit_test(damage_is_refused_alike),
      cmocka_unit_test(npy_headers_are_read),
      cmocka_unit_test(long_npy_headers_are_read),
      cmocka_unit_test(bad_npy_heads_give_their_message),
      cmocka_unit_test(npy_damage_never_crashes),
      cmocka_unit_test(npy_elements_are_converted),
      cmocka_unit_test(npy_header_is_read_back),
      cmocka_unit_test(unreadable_files_are_named),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
