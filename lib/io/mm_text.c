/* Matrix Market text: lines, words and numbers.
 *
 * Numbers are read by strtod in the C locale, so that a program that runs in
 * another locale reads the same file alike. */
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
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

static hyla_status reject(struct hy_mm_line *line, const char *what, const char *found) {
  MM_CHECK(line, false, "expected %s, found %s", what, found);
  return HYLA_OK;
}

/* FORMAT with the next word as what was found. */
static hyla_status reject_word(struct hy_mm_line *line, const char *what) {
  char quote[HY_IO_QUOTE];
  int64_t length = hy_mm_word(line);
  if (length == 0) return reject(line, what, "the end of the line");
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

static bool is_integer(const char *at, const char *stop) {
  if (at < stop && (*at == '-' || *at == '+')) at++;
  if (at == stop) return false;
  while (at < stop && is_digit(*at)) at++;
  return at == stop;
}

hyla_status hy_mm_number(struct hy_mm_line *line, enum hy_mm_field field, locale_t c_locale,
                         double *value) {
  const char *what = field == HY_MM_INTEGER ? "an integer" : "a number";
  skip_blanks(line);
  /* strtod passes over white space, line ends included: it must not meet any. */
  if (line->at == line->end || (unsigned char)*line->at <= ' ') return reject_word(line, what);
  char *stop = NULL;
  errno = 0;
  *value = strtod_l(line->at, &stop, c_locale);
  if (stop == line->at || (stop != line->end && !is_blank(*stop))) return reject_word(line, what);
  if (field == HY_MM_INTEGER && !is_integer(line->at, stop)) return reject_word(line, what);
  if (errno == ERANGE && isinf(*value)) return reject_word(line, "a number below 1.8e308");
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
