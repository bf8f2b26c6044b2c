/* The head of a Matrix Market file: banner, comments, size line.
 * Format: Boisvert, Pozo, Remington, The Matrix Market exchange formats: initial design, NISTIR
 * 5935, 1996. */
#include "io/io.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* The words that may stand at each place of the banner. */
static const char *const objects[] = {"matrix", NULL};
static const char *const formats[] = {"array", "coordinate", NULL};
static const char *const fields[] = {"real",    "integer",          "complex",
                                     "pattern", "unsigned-integer", NULL};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                         NULL};

/* Reads the next word and finds its position in a list. */
static hyla_status read_choice(struct hy_mm_line *line, const char *const *choices, int *choice) {
  int64_t length = hy_mm_word(line);
  for (*choice = 0; choices[*choice] != NULL; ++*choice) {
    if ((int64_t)strlen(choices[*choice]) == length &&
        strncasecmp(choices[*choice], line->at, (size_t)length) == 0) {
      line->at += length;
      return HYLA_OK;
    }
  }
  char all[128];
  struct hy_text list = {.text = all, .capacity = sizeof all};
  for (int i = 0; choices[i] != NULL; i++) {
    hy_text_add(&list, "%s%s", i == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ", choices[i]);
  }
  char quote[HY_IO_QUOTE];
  MM_CHECK(line, length > 0, "expected %s in the banner, found the end of the line", all);
  MM_CHECK(line, false, "expected %s in the banner, found '%s'", all,
           hy_io_quote(line->at, length, quote));
  return HYLA_OK;
}

static hyla_status read_banner(struct hy_mm_line *line, struct hy_mm_header *header) {
  char quote[HY_IO_QUOTE];
  int64_t length = hy_mm_word(line);
  static const char banner[] = "%%MatrixMarket";
  bool known =
      length == (int64_t)strlen(banner) && strncasecmp(banner, line->at, strlen(banner)) == 0;
  MM_CHECK(line, known, "expected %s, found '%s'", banner, hy_io_quote(line->at, length, quote));
  line->at += length;
  int object, format, field, symmetry;
  TRY(read_choice(line, objects, &object));
  TRY(read_choice(line, formats, &format));
  TRY(read_choice(line, fields, &field));
  TRY(read_choice(line, symmetries, &symmetry));
  TRY(hy_mm_end(line, "a banner of five words"));
  header->format = (enum hy_mm_format)format;
  header->field = (enum hy_mm_field)field;
  header->symmetry = (enum hy_mm_symmetry)symmetry;
  bool pattern = header->field == HY_MM_PATTERN;
  MM_CHECK(line, !pattern || header->format == HY_MM_COORDINATE, "%s cannot be pattern",
           formats[format]);
  MM_CHECK(line, !pattern || symmetry <= HY_MM_SYMMETRIC, "pattern cannot be %s",
           symmetries[symmetry]);
  MM_CHECK(line, header->symmetry != HY_MM_HERMITIAN || header->field == HY_MM_COMPLEX,
           "%s cannot be hermitian, only complex can", fields[field]);
  return HYLA_OK;
}

int hy_mm_columns(const struct hy_mm_header *header) {
  static const int numbers[] = {1, 1, 2, 0, 1};
  return numbers[header->field] + (header->format == HY_MM_COORDINATE ? 2 : 0);
}

const char *hy_mm_content(const struct hy_mm_header *header) {
  static const char *const array[] = {"one number", "one integer", "two numbers", "",
                                      "one integer"};
  static const char *const coordinate[] = {"row, column, number", "row, column, integer",
                                           "row, column, two numbers", "row, column",
                                           "row, column, integer"};
  return header->format == HY_MM_ARRAY ? array[header->field] : coordinate[header->field];
}

/* With symmetry the file stores the lower triangle alone, without a zero diagonal. */
static int64_t array_entries(const struct hy_mm_header *header) {
  int64_t n = header->rows;
  if (header->symmetry == HY_MM_GENERAL) return n * header->cols;
  int64_t below = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  return header->symmetry == HY_MM_SKEW ? below : below + n;
}

static hyla_status read_size(struct hy_mm_line *line, struct hy_mm_header *header) {
  bool array = header->format == HY_MM_ARRAY;
  TRY(hy_mm_integer(line, "the number of rows", &header->rows));
  TRY(hy_mm_integer(line, "the number of columns", &header->cols));
  if (!array) TRY(hy_mm_integer(line, "the number of entries", &header->entries));
  TRY(hy_mm_end(line, array ? "rows, columns" : "rows, columns, entries"));
  MM_CHECK(line, header->rows >= 0 && header->cols >= 0,
           "expected a size, found %" PRId64 " x %" PRId64, header->rows, header->cols);
  int64_t all;
  MM_CHECK(line, !__builtin_mul_overflow(header->rows, header->cols, &all),
           "a matrix of %" PRId64 " x %" PRId64 " has more entries than can be counted",
           header->rows, header->cols);
  MM_CHECK(line, header->symmetry == HY_MM_GENERAL || header->rows == header->cols,
           "expected a square matrix because it is %s, found %" PRId64 " x %" PRId64,
           symmetries[header->symmetry], header->rows, header->cols);
  if (array) header->entries = array_entries(header);
  MM_CHECK(line, header->entries >= 0, "expected a number of entries, found %" PRId64,
           header->entries);
  return HYLA_OK;
}

/* Reads the line at an offset.  Header text is short, so every line is read by itself.  buffer:
 * HY_MM_LINE + 3 bytes. */
static hyla_status fetch(const struct hy_io_file *file, int64_t offset, char *buffer,
                         struct hy_mm_line *line, int64_t *next) {
  const int64_t most = HY_MM_LINE + 2;
  line->number++;
  int64_t bytes = hy_min(most, file->size - offset);
  TRY(hy_io_get(file, buffer, bytes, offset));
  buffer[bytes] = 0;
  const char *after = hy_mm_cut(line, buffer, buffer + bytes);
  MM_CHECK(line, line->number > 1 || memchr(buffer, '\r', (size_t)(line->end - buffer)) == NULL,
           "expected lines that end in LF, found CR alone; convert the file, as by tr '%s' '%s'",
           "\\r", "\\n");
  bool comment = line->number > 1 && buffer[0] == '%';
  for (*next = offset + (after != NULL ? after - buffer : bytes);
       after == NULL && comment && *next < file->size; *next += bytes) {
    char more[HY_MM_LINE];
    bytes = hy_min(HY_MM_LINE, file->size - *next);
    TRY(hy_io_get(file, more, bytes, *next));
    after = memchr(more, '\n', (size_t)bytes);
    if (after != NULL) bytes = after + 1 - more;
  }
  MM_CHECK(line, comment || line->end - line->at <= HY_MM_LINE,
           "expected lines of at most %d characters", HY_MM_LINE);
  return HYLA_OK;
}

hyla_status hy_mm_read_header(const struct hy_io_file *file, struct hy_mm_header *header) {
  *header = (struct hy_mm_header){0};
  char buffer[HY_MM_LINE + 3];
  struct hy_mm_line line = {.base = file->base, .path = file->path};
  int64_t next = 0;
  TRY(fetch(file, 0, buffer, &line, &next));
  TRY(read_banner(&line, header));
  do {
    MM_CHECK(&line, next < file->size, "expected a size line, found the end of the file%s", "");
    TRY(fetch(file, next, buffer, &line, &next));
  } while (!hy_mm_has_data(&line));
  TRY(read_size(&line, header));
  header->body = next;
  header->lines = line.number;
  /* Each number of a line takes at least a digit and a separator.  This check reports a file that
   * was cut off before memory is taken for its promised entries. */
  int64_t left = file->size - next;
  MM_CHECK(&line,
           header->format == HY_MM_COORDINATE ||
               header->entries <= (left + 1) / (2 * hy_mm_columns(header)),
           "expected %" PRId64 " entries as the size line says, found only %" PRId64
           " bytes behind it",
           header->entries, left);
  return HYLA_OK;
}
