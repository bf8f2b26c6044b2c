/* A NumPy .npy file: its head, which is a magic number, a version, and a Python dictionary with the
 * keys descr, fortran_order and shape; and its elements, which become entries of a matrix.
 * Format: NumPy Enhancement Proposal 1, versions 1.0, 2.0 and 3.0. */
#include "io/io.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A header with two lengths and a type has 80 bytes; writers may pad it.  A longer one than this is
 * damaged. */
enum { HEADER_MOST = 1 << 26 };

struct dictionary {
  const struct hy_io_file *file;
  const char *start; /* of the text, at byte `offset' of the file */
  int64_t offset;
  const char *at;
  const char *end; /* of the text, where a 0 stands */
};

#define NPY_CHECK(file, condition, offset, format, ...)                                            \
  CHECK((file)->base, condition, FORMAT, "%s: at byte %" PRId64 ": " format,                       \
        hy_path_shown((file)->path), (int64_t)(offset), __VA_ARGS__)

static void skip_space(struct dictionary *d) {
  /* strchr also finds the 0 at the end of its text. */
  while (d->at < d->end && *d->at != '\0' && strchr(" \t\r\n", *d->at) != NULL) d->at++;
}

/* FORMAT; the message says what was expected and quotes what was found. */
static hyla_status reject(struct dictionary *d, const char *what) {
  char quote[HY_IO_QUOTE];
  skip_space(d);
  int64_t length = d->end - d->at;
  while (length > 0 && isspace((unsigned char)d->at[length - 1])) length--; /* what fills it up */
  NPY_CHECK(d->file, false, d->offset + (d->at - d->start), "expected %s in the header, found '%s'",
            what, hy_io_quote(d->at, length, quote));
  return HYLA_OK;
}

static bool next_is(struct dictionary *d, char c) {
  skip_space(d);
  if (d->at == d->end || *d->at != c) return false;
  d->at++;
  return true;
}

static hyla_status expect(struct dictionary *d, char c) {
  char what[] = {'\'', c, '\'', 0};
  return next_is(d, c) ? HYLA_OK : reject(d, what);
}

/* Reads a quoted word without escapes. */
static hyla_status read_string(struct dictionary *d, const char *what, char *text,
                               size_t capacity) {
  skip_space(d);
  char mark = d->at < d->end ? *d->at : 0;
  if (mark != '\'' && mark != '"') return reject(d, what);
  const char *stop = memchr(d->at + 1, mark, (size_t)(d->end - d->at - 1));
  if (stop == NULL || (size_t)(stop - d->at) > capacity) return reject(d, what);
  size_t length = (size_t)(stop - d->at) - 1;
  memcpy(text, d->at + 1, length);
  text[length] = 0;
  d->at = stop + 1;
  return HYLA_OK;
}

static hyla_status read_bool(struct dictionary *d, bool *value) {
  skip_space(d);
  *value = strncmp(d->at, "True", 4) == 0;
  if (!*value && strncmp(d->at, "False", 5) != 0) return reject(d, "True or False");
  d->at += *value ? 4 : 5;
  return HYLA_OK;
}

/* Reads one length of the shape; old files write it as a Python 2 long, "3L". */
static hyla_status read_length(struct dictionary *d, int64_t *value) {
  skip_space(d);
  const char *first = d->at, *at = first;
  bool fits = true;
  for (*value = 0; *at >= '0' && *at <= '9'; at++) {
    fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, *at - '0', value);
  }
  if (at == first || !fits) return reject(d, "a length");
  d->at = *at == 'L' ? at + 1 : at;
  return HYLA_OK;
}

/* Reads the shape (), (n,) or (m, n): a scalar is 1 x 1, a vector is one column. */
static hyla_status read_shape(struct dictionary *d, struct hy_npy_header *header) {
  int64_t lengths[2] = {1, 1};
  int count = 0;
  skip_space(d);
  struct dictionary whole = *d;
  TRY(expect(d, '('));
  while (!next_is(d, ')')) {
    if (count == 2) return reject(&whole, "at most two dimensions");
    TRY(read_length(d, &lengths[count++]));
    if (next_is(d, ',')) continue;
    if (count == 1) return reject(d, "','");
    TRY(expect(d, ')'));
    break;
  }
  header->rows = lengths[0];
  header->cols = lengths[1];
  header->vector = count == 1;
  return HYLA_OK;
}

/* Reads an element type, as "<f8": byte order, kind, size. */
static hyla_status read_element(struct dictionary *d, struct hy_npy_element *element) {
  static const char what[] = "an element type f2, f4, f8, c8, c16, b1, i1 to i8 or u1 to u8 "
                             "with its byte order, such as '<f8',";
  struct dictionary before = *d;
  char text[8];
  TRY(read_string(d, what, text, sizeof text));
  static const char *const known[] = {"f2", "f4", "f8", "c8", "c16", "b1", "i1",
                                      "i2", "i4", "i8", "u1", "u2",  "u4", "u8"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (text[0] == 0 || strcmp(text + 1, known[i]) != 0) continue;
    int size = 0;
    if (sscanf(text + 2, "%d", &size) != 1) break;
    *element = (struct hy_npy_element){.kind = text[1], .size = size};
    if (strchr("<>=", text[0]) == NULL && !(text[0] == '|' && size == 1)) break;
    element->big = text[0] == '>' || (text[0] == '=' && hy_npy_machine_is_big());
    return HYLA_OK;
  }
  return reject(&before, what);
}

enum key { DESCR, FORTRAN_ORDER, SHAPE, KEYS };

static hyla_status read_pair(struct dictionary *d, struct hy_npy_header *header, unsigned *seen) {
  static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};
  static const char what[] = "descr, fortran_order or shape, each once,";
  struct dictionary before = *d;
  char key[16];
  TRY(read_string(d, what, key, sizeof key));
  unsigned which = 0;
  while (which < KEYS && strcmp(key, keys[which]) != 0) which++;
  if (which == KEYS || (*seen & 1u << which) != 0) return reject(&before, what);
  *seen |= 1u << which;
  TRY(expect(d, ':'));
  if (which == DESCR) return read_element(d, &header->element);
  if (which == FORTRAN_ORDER) return read_bool(d, &header->by_columns);
  return read_shape(d, header);
}

static hyla_status read_dictionary(struct dictionary *d, struct hy_npy_header *header) {
  unsigned seen = 0;
  TRY(expect(d, '{'));
  while (!next_is(d, '}')) {
    TRY(read_pair(d, header, &seen));
    if (next_is(d, ',')) continue;
    TRY(expect(d, '}'));
    break;
  }
  skip_space(d);
  if (d->at != d->end) return reject(d, "the end");
  if (seen != (1u << KEYS) - 1) return reject(d, "all of descr, fortran_order and shape");
  return HYLA_OK;
}

/* Reads magic number and version, and finds the dictionary. */
static hyla_status read_preamble(const struct hy_io_file *file, int64_t *start, int64_t *length) {
  unsigned char head[12] = {0};
  int64_t have = hy_min(file->size, (int64_t)sizeof head);
  TRY(hy_io_get(file, head, have, 0));
  bool magic = have >= HY_NPY_MAGIC_LENGTH && memcmp(head, HY_NPY_MAGIC, HY_NPY_MAGIC_LENGTH) == 0;
  NPY_CHECK(file, magic, 0, "expected the magic number of .npy%s", "");
  int major = head[6], minor = head[7];
  NPY_CHECK(file, have >= 10, have, "expected the length of the header, found the end%s", "");
  NPY_CHECK(file, major >= 1 && major <= 3 && minor == 0, 6,
            "expected format version 1.0, 2.0 or 3.0, found %d.%d", major, minor);
  *start = major == 1 ? 10 : 12;
  *length = head[8] | head[9] << 8;
  if (major > 1) *length |= (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
  NPY_CHECK(file, *length <= HEADER_MOST && *length <= file->size - *start, 8,
            "expected a header that fits the file, found length %" PRId64, *length);
  return HYLA_OK;
}

static hyla_status check_length(const struct hy_io_file *file, const struct hy_npy_header *header) {
  int64_t bytes;
  bool fits = !__builtin_mul_overflow(header->rows, header->cols, &bytes) &&
              !__builtin_mul_overflow(bytes, header->element.size, &bytes);
  NPY_CHECK(file, fits, 0,
            "a matrix of %" PRId64 " x %" PRId64 " has more entries than can be counted",
            header->rows, header->cols);
  NPY_CHECK(file, bytes == file->size - header->body, header->body,
            "expected %" PRId64 " bytes of data, found %" PRId64, bytes, file->size - header->body);
  return HYLA_OK;
}

hyla_status hy_npy_read_header(const struct hy_io_file *file, struct hy_npy_header *header) {
  *header = (struct hy_npy_header){0};
  int64_t start = 0, length = 0;
  TRY(read_preamble(file, &start, &length));
  char *text;
  TRY(hy_alloc(file->base, length + 1, 1, &text));
  struct dictionary d = {
      .file = file, .start = text, .offset = start, .at = text, .end = text + length};
  hyla_status status = hy_io_get(file, text, length, start);
  if (status == HYLA_OK) status = read_dictionary(&d, header);
  hy_free(file->base, &text);
  TRY(status);
  header->body = start + length;
  return check_length(file, header);
}

/* descr: the element type without its byte order. */
static int64_t format(const char *descr, const char *shape, char text[HY_NPY_HEADER_MAX]) {
  char order = hy_npy_machine_is_big() ? '>' : '<';
  char dictionary[HY_NPY_HEADER_MAX];
  int length =
      snprintf(dictionary, sizeof dictionary,
               "{'descr': '%c%s', 'fortran_order': True, 'shape': %s, }", order, descr, shape);
  const int start = 10;
  int whole = (start + length + 1 + 63) / 64 * 64;
  memset(text, ' ', HY_NPY_HEADER_MAX);
  memcpy(text, HY_NPY_MAGIC, HY_NPY_MAGIC_LENGTH);
  text[6] = 1;
  text[7] = 0;
  text[8] = (char)((whole - start) & 255);
  text[9] = (char)((whole - start) >> 8);
  memcpy(text + start, dictionary, (size_t)length);
  text[whole - 1] = '\n';
  return whole;
}

/* Room for a shape: two lengths of 20 characters, with punctuation. */
enum { SHAPE_MOST = 48 };

int64_t hy_npy_format_header(hyla_type type, int64_t rows, int64_t cols, bool vector,
                             char text[HY_NPY_HEADER_MAX]) {
  static const char *const types[] = {"f4", "f8", "c8", "c16"};
  char shape[SHAPE_MOST];
  if (vector)
    snprintf(shape, sizeof shape, "(%" PRId64 ",)", rows);
  else
    snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", rows, cols);
  return format(types[type], shape, text);
}

int64_t hy_npy_format_integers(int64_t count, char text[HY_NPY_HEADER_MAX]) {
  char shape[SHAPE_MOST];
  snprintf(shape, sizeof shape, "(%" PRId64 ",)", count);
  return format("i8", shape, text);
}

/* ---------------------------------------------------------------- elements -- */

bool hy_npy_machine_is_big(void) {
  const uint16_t probe = 1;
  unsigned char first;
  memcpy(&first, &probe, 1);
  return first == 0;
}

hyla_type hy_npy_type(const struct hy_npy_element *element) {
  if (element->kind == 'c') return element->size == 8 ? HYLA_COMPLEX : HYLA_DOUBLE_COMPLEX;
  return element->kind == 'f' && element->size <= 4 ? HYLA_FLOAT : HYLA_DOUBLE;
}

static uint64_t bits_of(const struct hy_npy_element *element, const char *bytes) {
  int size = element->size;
  uint64_t bits = 0;
  for (int b = 0; b < size; b++) {
    bits = bits << 8 | (unsigned char)bytes[element->big ? b : size - 1 - b];
  }
  return bits;
}

/* The double nearest to an integer element; true is 1. */
static double integer_value(const struct hy_npy_element *element, const char *bytes) {
  const int size = element->size;
  const uint64_t bits = bits_of(element, bytes);
  if (element->kind == 'b') return bits != 0;
  uint64_t all = UINT64_MAX >> (64 - 8 * size);
  bool negative = element->kind == 'i' && bits > all >> 1;
  return negative ? (double)(-(int64_t)(all - bits) - 1) : (double)bits;
}

/* Converts IEEE's half precision (a sign, 5 bits of exponent, 10 of fraction) to single, which
 * holds it exactly.  A NaN keeps its fraction. */
static float half_value(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = (float)fraction * 0x1p-24f; /* if the exponent is 0 */
  uint32_t single;
  if (exponent == 31)
    single = UINT32_C(0xff) << 23 | fraction << 13;
  else if (exponent > 0)
    single = (exponent + 112) << 23 | fraction << 13;
  else
    memcpy(&single, &value, sizeof single);
  single |= (bits & 0x8000) << 16;
  memcpy(&value, &single, sizeof value);
  return value;
}

bool hy_npy_is_plain(const struct hy_npy_element *element) {
  return strchr("fc", element->kind) != NULL && element->size > 2 &&
         element->big == hy_npy_machine_is_big();
}

void hy_npy_convert(const struct hy_npy_element *element, const char *from, int64_t count,
                    void *to) {
  int size = element->size;
  char *out = to;
  if (strchr("biu", element->kind) != NULL) {
    for (int64_t i = 0; i < count; i++) {
      double value = integer_value(element, from + i * size);
      memcpy(out + i * (int64_t)sizeof value, &value, sizeof value);
    }
  } else if (element->kind == 'f' && size == 2) {
    for (int64_t i = 0; i < count; i++) {
      float value = half_value((uint32_t)bits_of(element, from + i * size));
      memcpy(out + i * (int64_t)sizeof value, &value, sizeof value);
    }
  } else if (hy_npy_is_plain(element)) {
    memcpy(out, from, (size_t)(count * size));
  } else {
    /* Real and imaginary part of a complex number are byte-swapped separately. */
    int part = element->kind == 'c' ? size / 2 : size;
    for (int64_t i = 0; i < count * size; i += part) {
      for (int b = 0; b < part; b++) out[i + b] = from[i + part - 1 - b];
    }
  }
}
