/* Matrix Market text: lines, words and numbers.
 *
 * strtod reads numbers in the C locale, so that a program in another locale reads the same
 * values. */
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char *hy_mm_cut(struct hy_mm_line *line, const char *text, const char *limit) {
  const char *feed = memchr(text, '\n', (size_t)(limit - text));
  line->at = text;
  line->end = feed != NULL ? feed : limit;
  if (line->end > text && line->end[-1] == '\r') line->end--;
  return feed != NULL ? feed + 1 : NULL;
}

static void skip_blanks(struct hy_mm_line *line) {
  while (line->at < line->end && is_blank(*line->at)) line->at++;
}

const char *hy_mm_column(const struct hy_mm_line *line, char text[HY_MM_COLUMN]) {
  text[0] = '\0';
  if (line->column > 0) snprintf(text, HY_MM_COLUMN, " column %" PRId64 ":", line->column);
  return text;
}

bool hy_mm_has_data(const struct hy_mm_line *line) {
  struct hy_mm_line rest = *line;
  skip_blanks(&rest);
  return rest.at < rest.end && *line->at != '%';
}

int64_t hy_mm_word(struct hy_mm_line *line) {
  skip_blanks(line);
  const char *stop = line->at;
  while (stop < line->end && !is_blank(*stop)) stop++;
  return stop - line->at;
}

/* FORMAT; the message quotes the next word. */
static hyla_status reject_word(struct hy_mm_line *line, const char *what) {
  char quote[HY_IO_QUOTE];
  int64_t length = hy_mm_word(line);
  MM_CHECK(line, length > 0, "expected %s, found %s", what,
           line->column > 0 ? "nothing" : "the end of the line");
  MM_CHECK(line, false, "expected %s, found '%s'", what, hy_io_quote(line->at, length, quote));
  return HYLA_OK;
}

hyla_status hy_mm_integer(struct hy_mm_line *line, const char *what, int64_t *value) {
  skip_blanks(line);
  const char *at = line->at;
  bool negative = at < line->end && *at == '-';
  if (negative) at++;
  const char *digits = at;
  int64_t number = 0;
  bool fits = true;
  for (; at < line->end && is_digit(*at); at++) {
    fits = fits && !__builtin_mul_overflow(number, 10, &number) &&
           !__builtin_add_overflow(number, *at - '0', &number);
  }
  bool whole = at > digits && (at == line->end || is_blank(*at));
  if (!whole || !fits) return reject_word(line, what);
  line->at = at;
  *value = negative ? -number : number;
  return HYLA_OK;
}

/* Is it digits, with a sign if the field may have one? */
static bool is_integer(const char *at, const char *stop, enum hy_mm_field field) {
  if (at < stop && (*at == '+' || (*at == '-' && field != HY_MM_UNSIGNED))) at++;
  if (at == stop) return false;
  while (at < stop && is_digit(*at)) at++;
  return at == stop;
}

/* Does a hexadecimal number begin here, as in C? */
static bool is_hexadecimal(const char *at) {
  if (*at == '-' || *at == '+') at++;
  return at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
}

/* Where the digits of a number end, before its exponent if it has one; *point: has it a point? */
static const char *digits_end(const char *at, const char *stop, bool *point) {
  *point = false;
  if (at < stop && (*at == '-' || *at == '+')) at++;
  for (; at < stop && (is_digit(*at) || *at == '.'); at++) *point = *point || *at == '.';
  return at;
}

/* Reads a number with an exponent in Fortran's form: double precision has a D, and exponents of
 * three digits have no letter at all, as 1.5+100.  *stop: that letter or sign; on return the
 * number's end, or unchanged if no exponent begins there. */
static double read_fortran(struct hy_mm_line *line, locale_t c_locale, char **stop) {
  char text[HY_MM_LINE + 4];
  int64_t before = *stop - line->at, length = hy_mm_word(line);
  const bool letter = **stop == 'd' || **stop == 'D';
  char *end = NULL;
  if (length >= (int64_t)sizeof text - 1) return 0;
  memcpy(text, line->at, (size_t)before);
  text[before] = 'e';
  memcpy(text + before + 1, *stop + letter, (size_t)(length - before - letter));
  text[length + !letter] = '\0';
  double value = strtod_l(text, &end, c_locale);
  if (end > text + before) *stop += end - text - before - !letter;
  return value;
}

/* May Fortran's exponent begin where C's number ends? */
static bool may_continue(const struct hy_mm_line *line, const char *stop) {
  bool point;
  if (stop == line->at || stop >= line->end || digits_end(line->at, stop, &point) != stop)
    return false;
  /* 1+2 is two numbers rather than one: Fortran always writes the point. */
  return *stop == 'd' || *stop == 'D' || (point && (*stop == '+' || *stop == '-'));
}

/* Has the number a digit other than 0? */
static bool has_digits(const char *at, const char *stop) {
  bool point;
  const char *end = digits_end(at, stop, &point);
  for (; at < end; at++)
    if (*at >= '1' && *at <= '9') return true;
  return false;
}

hyla_status hy_mm_number(struct hy_mm_line *line, enum hy_mm_field field, locale_t c_locale,
                         double *value) {
  const char *what = field == HY_MM_INTEGER    ? "an integer"
                     : field == HY_MM_UNSIGNED ? "an integer without a sign"
                                               : "a number";
  const bool integer = field == HY_MM_INTEGER || field == HY_MM_UNSIGNED;
  skip_blanks(line);
  /* strtod skips white space and line ends too, so it must not see any. */
  if (line->at == line->end || (unsigned char)*line->at <= ' ') return reject_word(line, what);
  if (is_hexadecimal(line->at)) return reject_word(line, "a decimal number");
  char *stop = NULL;
  errno = 0;
  *value = strtod_l(line->at, &stop, c_locale);
  if (!integer && may_continue(line, stop)) *value = read_fortran(line, c_locale, &stop);
  if (stop == line->at || (stop != line->end && !is_blank(*stop))) return reject_word(line, what);
  if (integer && !is_integer(line->at, stop, field)) return reject_word(line, what);
  if (errno == ERANGE && isinf(*value)) return reject_word(line, "a number below 1.8e308");
  if (*value == 0 && has_digits(line->at, stop))
    return reject_word(line, "0 or a number above 4.9e-324");
  line->at = stop;
  return HYLA_OK;
}

hyla_status hy_mm_end(struct hy_mm_line *line, const char *what) {
  char quote[HY_IO_QUOTE];
  int64_t length = hy_mm_word(line);
  MM_CHECK(line, length == 0, "expected %s, found '%s' after it", what,
           hy_io_quote(line->at, length, quote));
  return HYLA_OK;
}
