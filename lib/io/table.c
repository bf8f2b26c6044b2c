/* Tables of numbers in text, as written by NumPy's savetxt, MATLAB's writematrix, pandas and
 * spreadsheets: a row on each line, with blanks, commas, semicolons or another delimiter between
 * the numbers.  Complex ones are written as 1+2j, (1+2j) or 1+2i.  Lines that begin with # may
 * stand before the first row and behind the last one; a line of names may stand above the first
 * row.
 *
 * Method: one rank passes through the file once, counts the rows and finds the longest line; then
 * the nodes read rows as they read Matrix Market data (mm_read.c). */
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* BLOCK: bytes that the first pass reads at a time.  LINE_MOST: the longest line, which a rank
 * holds whole. */
enum { BLOCK = 1 << 20, LINE_MOST = 1 << 26 };

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* May a name begin so?  Letters beyond ASCII have negative bytes, or large ones. */
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '"' || c == '\'' ||
         (unsigned char)c >= 128;
}

bool hy_table_known(const struct hy_io_file *file, const char *start, int64_t length) {
  static const char *const endings[] = {".csv", ".tsv", ".txt", ".dat"};
  if (memchr(start, '\0', (size_t)length) != NULL) return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (file->name.length > 4 && memcmp(file->path + file->name.length - 4, endings[i], 4) == 0)
      return true;
  while (length > 0 && is_space(*start)) start++, length--;
  if (length == 0 || *start == '\0') return false;
  /* Standard input has no name that tells of a first line of names. */
  return strchr("+-.(0123456789#", *start) != NULL ||
         (file->name.standard && *start != '%' && is_letter(*start));
}

/* The state of the first pass. */
struct pass {
  struct hy_mm_header *header;
  struct hy_mm_line line; /* the current line */
  int64_t start;          /* of this line in the file */
  int64_t second;         /* start of the second row; 0: not found yet */
  int64_t second_lines;   /* lines before it */
  char first;             /* its first character that is not blank; 0: none yet */
  bool ended;             /* there was a comment behind a row */
};

/* Handles the end of a line before byte `end' of the file. */
static hyla_status end_line(struct pass *pass, int64_t end) {
  struct hy_mm_header *header = pass->header;
  MM_CHECK(&pass->line, end - pass->start <= LINE_MOST, "expected lines of at most %d characters",
           LINE_MOST);
  header->longest = hy_max(header->longest, end - pass->start);
  if (pass->first == '#') pass->ended = header->rows > 0;
  if (pass->first == 0 || pass->first == '#') return HYLA_OK;
  MM_CHECK(&pass->line, !pass->ended,
           "expected one table in a file, found a row behind a comment that stands behind rows%s",
           "");
  if (header->rows == 0) {
    header->body = pass->start;
    header->lines = pass->line.number - 1;
  } else if (header->rows == 1) {
    pass->second = pass->start;
    pass->second_lines = pass->line.number - 1;
  }
  header->rows++;
  return HYLA_OK;
}

static hyla_status pass_block(struct pass *pass, const char *bytes, int64_t count, int64_t offset) {
  for (int64_t at = 0; at < count;) {
    const char *feed = memchr(bytes + at, '\n', (size_t)(count - at));
    const int64_t end = feed != NULL ? feed - bytes : count;
    for (; pass->first == 0 && at < end; at++)
      if (!is_space(bytes[at])) pass->first = bytes[at];
    at = end + 1;
    if (feed == NULL) return HYLA_OK;
    TRY(end_line(pass, offset + end));
    pass->line.number++;
    pass->start = offset + at;
    pass->first = 0;
  }
  return HYLA_OK;
}

static hyla_status pass_through(const struct hy_io_file *file, struct pass *pass, char *buffer) {
  for (int64_t at = 0; at < file->size; at += BLOCK) {
    const int64_t count = hy_min(BLOCK, file->size - at);
    TRY(hy_io_get(file, buffer, count, at));
    TRY(pass_block(pass, buffer, count, at));
  }
  return pass->start < file->size ? end_line(pass, file->size) : HYLA_OK;
}

static void trim(struct hy_mm_line *field) {
  while (field->at < field->end && is_space(*field->at)) field->at++;
}

/* Cuts the next number off a row; false once the row is used up.  Between two commas, or behind the
 * last one, the field may be empty. */
static bool cut_field(struct hy_mm_line *row, char separator, struct hy_mm_line *field) {
  if (separator == ' ') {
    const int64_t length = hy_mm_word(row);
    if (length == 0) return false;
    *field = *row;
    field->end = row->at + length;
    row->at = field->end;
    field->column = ++row->column;
    return true;
  }
  if (row->at == NULL) return false;
  const char *stop = memchr(row->at, separator, (size_t)(row->end - row->at));
  *field = *row;
  if (stop != NULL) field->end = stop;
  while (field->end > field->at && is_space(field->end[-1])) field->end--;
  row->at = stop != NULL ? stop + 1 : NULL;
  field->column = ++row->column;
  return true;
}

/* Is the field a name, and no number that begins with letters, as nan, inf or nan+2j? */
static bool is_name(const struct hy_mm_line *field) {
  static const char *const numbers[] = {"nan", "infinity", "inf"};
  const int64_t length = field->end - field->at;
  if (length == 0 || !is_letter(*field->at)) return false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const int64_t own = (int64_t)strlen(numbers[i]);
    if (length < own || strncasecmp(field->at, numbers[i], (size_t)own) != 0) continue;
    if (length == own || strchr("+-ij", field->at[own]) != NULL) return false;
  }
  return true;
}

static bool is_complex(const struct hy_mm_line *field) {
  if (field->end == field->at) return false;
  const char last = field->end[-1];
  return last == 'i' || last == 'j' || (last == ')' && *field->at == '(');
}

/* Looks at the row in the buffer: its number of numbers and their separator.  *names: all of its
 * fields are names. */
static void look_at_row(struct hy_mm_line *row, char delimiter, struct hy_mm_header *header,
                        bool *names) {
  struct hy_mm_line field;
  const size_t length = (size_t)(row->end - row->at);
  header->separator = delimiter != '\0'                      ? delimiter
                      : memchr(row->at, ';', length) != NULL ? ';'
                      : memchr(row->at, ',', length) != NULL ? ','
                                                             : ' ';
  header->cols = 0;
  header->field = HY_MM_REAL;
  *names = true;
  while (cut_field(row, header->separator, &field)) {
    trim(&field);
    header->cols++;
    *names = *names && is_name(&field);
    if (is_complex(&field)) header->field = HY_MM_COMPLEX;
  }
}

static hyla_status read_row(const struct hy_io_file *file, struct hy_mm_header *header,
                            char *buffer, bool *names) {
  const int64_t bytes = hy_min(header->longest, file->size - header->body);
  struct hy_mm_line row = {.base = file->base, .path = file->path, .number = header->lines + 1};
  TRY(hy_io_get(file, buffer, bytes, header->body));
  buffer[bytes] = '\0';
  (void)hy_mm_cut(&row, buffer, buffer + bytes);
  look_at_row(&row, file->delimiter, header, names);
  return HYLA_OK;
}

/* Reads the first row, or the second if the first one is a line of names. */
static hyla_status read_first(const struct hy_io_file *file, struct hy_mm_header *header,
                              const struct pass *pass, char *buffer) {
  bool names = false;
  TRY(read_row(file, header, buffer, &names));
  if (!names) return HYLA_OK;
  CHECK(file->base, pass->second > 0, FORMAT, "%s: expected rows of numbers, found only names",
        hy_path_shown(file->path));
  header->rows--;
  header->body = pass->second;
  header->lines = pass->second_lines;
  return read_row(file, header, buffer, &names);
}

hyla_status hy_table_read_header(const struct hy_io_file *file, struct hy_mm_header *header) {
  char *buffer = NULL;
  *header = (struct hy_mm_header){.format = HY_MM_TABLE};
  struct pass pass = {.header = header, .line = {file->base, file->path, 1, 0, NULL, NULL}};
  TRY(hy_alloc(file->base, BLOCK, 1, &buffer));
  hyla_status status = pass_through(file, &pass, buffer);
  hy_free(file->base, &buffer);
  TRY(status);
  CHECK(file->base, header->rows > 0, FORMAT, "%s: expected rows of numbers, found none",
        hy_path_shown(file->path));
  TRY(hy_alloc(file->base, header->longest + 1, 1, &buffer));
  status = read_first(file, header, &pass, buffer);
  hy_free(file->base, &buffer);
  TRY(status);
  header->entries = header->rows;
  int64_t all;
  CHECK(file->base, !__builtin_mul_overflow(header->rows, header->cols, &all), FORMAT,
        "%s: %" PRId64 " x %" PRId64 " are more entries than can be counted",
        hy_path_shown(file->path), header->rows, header->cols);
  return HYLA_OK;
}

bool hy_table_has_row(const struct hy_mm_line *line) {
  const char *at = line->at;
  while (at < line->end && is_space(*at)) at++;
  return at < line->end && *at != '#';
}

/* Reads the sign and the digits of a part of a complex number; false if there are none. */
static bool read_part(struct hy_mm_line *field, locale_t c_locale, double *part) {
  char *stop = NULL;
  if (field->at == field->end || is_space(*field->at)) return false;
  /* Some writers put a plus before a negative imaginary part. */
  if (field->end - field->at > 1 && field->at[0] == '+' && field->at[1] == '-') field->at++;
  errno = 0;
  *part = strtod_l(field->at, &stop, c_locale);
  const bool good =
      stop != field->at && stop <= field->end && !(errno == ERANGE && (isinf(*part) || *part == 0));
  field->at = stop;
  return good;
}

static bool is_unit(const struct hy_mm_line *field) {
  return field->end - field->at == 1 && (*field->at == 'i' || *field->at == 'j');
}

/* Parses 1+2j, 1, 2j, (1+2j). */
static hyla_status parse_complex(const struct hy_mm_line *whole, locale_t c_locale,
                                 double value[2]) {
  char quote[HY_IO_QUOTE];
  struct hy_mm_line field = *whole;
  trim(&field);
  if (field.end - field.at > 2 && field.at[0] == '(' && field.end[-1] == ')') {
    field.at++;
    field.end--;
  }
  value[1] = 0;
  bool good = read_part(&field, c_locale, &value[0]);
  if (good && is_unit(&field)) {
    value[1] = value[0];
    value[0] = 0;
  } else if (good && field.at < field.end) {
    good = (*field.at == '+' || *field.at == '-') && read_part(&field, c_locale, &value[1]) &&
           is_unit(&field);
  }
  MM_CHECK(whole, good, "expected a complex number as 1+2j, found '%s'",
           hy_io_quote(whole->at, whole->end - whole->at, quote));
  return HYLA_OK;
}

static hyla_status parse_field(const struct hy_mm_parser *parser, struct hy_mm_line *field,
                               double value[2]) {
  if (parser->header->field == HY_MM_COMPLEX) return parse_complex(field, parser->c_locale, value);
  TRY(hy_mm_number(field, HY_MM_REAL, parser->c_locale, &value[0]));
  return hy_mm_end(field, "one number");
}

hyla_status hy_table_parse_row(const struct hy_mm_parser *parser, const struct hy_mm_line *line,
                               int64_t row) {
  const struct hy_mm_header *header = parser->header;
  struct hy_mm_line rest = *line, field;
  int64_t col = 0;
  double value[2] = {0, 0};
  for (; cut_field(&rest, header->separator, &field); col++) {
    MM_CHECK(line, col < header->cols,
             "expected %" PRId64 " numbers as in the first row, found more", header->cols);
    TRY(parse_field(parser, &field, value));
    parser->take(parser->arg, row, col, value);
  }
  MM_CHECK(line, col == header->cols,
           "expected %" PRId64 " numbers as in the first row, found %" PRId64, header->cols, col);
  return HYLA_OK;
}
