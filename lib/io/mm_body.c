/* The data of a Matrix Market file: parses lines into entries. */
#include "io/io.h"

#include <inttypes.h>
#include <string.h>

/* The length of the longest line in which a chunk can end. */
static int64_t longest_line(const struct hy_mm_header *header) {
  return header->format == HY_MM_TABLE ? header->longest : HY_MM_LINE;
}

/* Room for the byte before, the longest line, its end of two characters, and a 0. */
int64_t hy_mm_slack(const struct hy_mm_header *header) {
  return longest_line(header) + HY_MM_SLACK - HY_MM_LINE;
}

hyla_status hy_mm_load(const struct hy_io_file *file, const struct hy_mm_header *header,
                       int64_t start, int64_t bytes, char *buffer, struct hy_mm_chunk *chunk) {
  /* From the byte before, which tells whether a line begins at `start', to the end of a line that
   * begins with the last byte. */
  int64_t from = start > header->body ? start - 1 : start;
  int64_t stop = hy_min(start + bytes, file->size);
  int64_t to = hy_min(stop + longest_line(header) + 2, file->size);
  *chunk = (struct hy_mm_chunk){buffer, buffer, buffer};
  buffer[0] = 0;
  if (start >= stop) return HYLA_OK;
  TRY(hy_io_get(file, buffer, to - from, from));
  buffer[to - from] = 0;
  chunk->end = buffer + (to - from);
  chunk->limit = buffer + (stop - from);
  if (start > header->body) {
    const char *feed = memchr(buffer, '\n', (size_t)(stop - from));
    chunk->first = feed != NULL ? feed + 1 : chunk->limit;
  }
  return HYLA_OK;
}

/* Does the line hold an entry, or a row of a table? */
static bool has_entry(const struct hy_mm_header *header, const struct hy_mm_line *line) {
  return header->format == HY_MM_TABLE ? hy_table_has_row(line) : hy_mm_has_data(line);
}

void hy_mm_count(const struct hy_mm_header *header, const struct hy_mm_chunk *chunk, int64_t *lines,
                 int64_t *entries) {
  *lines = 0;
  *entries = 0;
  struct hy_mm_line line = {0};
  for (const char *text = chunk->first; text != NULL && text < chunk->limit;) {
    text = hy_mm_cut(&line, text, chunk->end);
    ++*lines;
    *entries += has_entry(header, &line);
  }
}

/* The number of entries of an array file before column j. */
static int64_t before_column(const struct hy_mm_header *header, int64_t j) {
  if (header->symmetry == HY_MM_GENERAL) return j * header->rows;
  int64_t first = header->symmetry == HY_MM_SKEW ? header->rows - 1 : header->rows;
  /* first + (first - 1) + ... over j columns; one of the factors is even. */
  int64_t twice = 2 * first - j + 1;
  return j % 2 == 0 ? j / 2 * twice : twice / 2 * j;
}

/* Row and column of an entry. */
struct place {
  int64_t row, col;
};

static int64_t first_row(const struct hy_mm_header *header, int64_t col) {
  if (header->symmetry == HY_MM_GENERAL) return 0;
  return header->symmetry == HY_MM_SKEW ? col + 1 : col;
}

/* Row and column of entry number e; the column is the last one that begins at or before it. */
static struct place find_place(const struct hy_mm_header *header, int64_t e) {
  int64_t low = 0, high = header->cols;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (before_column(header, middle) <= e) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (struct place){first_row(header, low) + e - before_column(header, low), low};
}

static void next_place(const struct hy_mm_header *header, struct place *place) {
  if (++place->row < header->rows) return;
  place->col++;
  place->row = first_row(header, place->col);
}

static hyla_status read_place(const struct hy_mm_header *header, struct hy_mm_line *line,
                              struct place *place) {
  TRY(hy_mm_integer(line, "a row index", &place->row));
  TRY(hy_mm_integer(line, "a column index", &place->col));
  MM_CHECK(line, place->row >= 1 && place->row <= header->rows,
           "expected a row index from 1 to %" PRId64 ", found %" PRId64, header->rows, place->row);
  MM_CHECK(line, place->col >= 1 && place->col <= header->cols,
           "expected a column index from 1 to %" PRId64 ", found %" PRId64, header->cols,
           place->col);
  MM_CHECK(line, header->symmetry == HY_MM_GENERAL || place->row >= place->col,
           "expected entries on or below the diagonal because of symmetry, found (%" PRId64
           ", %" PRId64 ")",
           place->row, place->col);
  place->row--;
  place->col--;
  return HYLA_OK;
}

static hyla_status read_value(const struct hy_mm_parser *parser, struct hy_mm_line *line,
                              double value[2]) {
  enum hy_mm_field field = parser->header->field;
  value[0] = 1;
  value[1] = 0;
  if (field != HY_MM_PATTERN) TRY(hy_mm_number(line, field, parser->c_locale, &value[0]));
  if (field == HY_MM_COMPLEX) TRY(hy_mm_number(line, field, parser->c_locale, &value[1]));
  return hy_mm_end(line, hy_mm_content(parser->header));
}

/* Passes on the entry and, if symmetry implies one, its mirror image. */
static hyla_status take(const struct hy_mm_parser *parser, const struct hy_mm_line *line,
                        struct place at, const double value[2]) {
  enum hy_mm_symmetry symmetry = parser->header->symmetry;
  bool diagonal = at.row == at.col;
  MM_CHECK(line, !(diagonal && symmetry == HY_MM_SKEW) || (value[0] == 0 && value[1] == 0),
           "expected zero on the diagonal of a skew-symmetric matrix, found (%g, %g)", value[0],
           value[1]);
  MM_CHECK(line, !(diagonal && symmetry == HY_MM_HERMITIAN) || value[1] == 0,
           "expected a real diagonal in a hermitian matrix, found imaginary part %g", value[1]);
  parser->take(parser->arg, at.row, at.col, value);
  if (diagonal || symmetry == HY_MM_GENERAL) return HYLA_OK;
  double image[2] = {symmetry == HY_MM_SKEW ? -value[0] : value[0],
                     symmetry == HY_MM_SYMMETRIC ? value[1] : -value[1]};
  if (parser->header->field != HY_MM_COMPLEX) image[1] = 0;
  parser->take(parser->arg, at.col, at.row, image);
  return HYLA_OK;
}

/* Parses one line of data, number `entry' of the file.  at: its place in an array file. */
static hyla_status parse_line(const struct hy_mm_parser *parser, struct hy_mm_line *line,
                              int64_t entry, struct place *at) {
  const struct hy_mm_header *header = parser->header;
  double value[2];
  if (header->format == HY_MM_TABLE) return hy_table_parse_row(parser, line, entry);
  if (header->format == HY_MM_COORDINATE) TRY(read_place(header, line, at));
  TRY(read_value(parser, line, value));
  TRY(take(parser, line, *at, value));
  if (header->format == HY_MM_ARRAY) next_place(header, at);
  return HYLA_OK;
}

hyla_status hy_mm_parse(const struct hy_mm_parser *parser, const struct hy_mm_chunk *chunk,
                        int64_t lines, int64_t entries) {
  const struct hy_mm_header *header = parser->header;
  const bool array = header->format == HY_MM_ARRAY, table = header->format == HY_MM_TABLE;
  struct place at = {0, 0};
  if (array && entries < header->entries) at = find_place(header, entries);
  struct hy_mm_line line = {
      .base = parser->file->base, .path = parser->file->path, .number = lines};
  for (const char *text = chunk->first; text != NULL && text < chunk->limit;) {
    text = hy_mm_cut(&line, text, chunk->end);
    line.number++;
    MM_CHECK(&line, table || *line.at == '%' || line.end - line.at <= HY_MM_LINE,
             "expected lines of at most %d characters", HY_MM_LINE);
    if (!has_entry(header, &line)) continue;
    MM_CHECK(&line, entries < header->entries,
             "expected the end of the file after %" PRId64 " entries, found another line",
             header->entries);
    TRY(parse_line(parser, &line, entries++, &at));
  }
  return HYLA_OK;
}

hyla_status hy_mm_finish(const struct hy_mm_parser *parser, int64_t lines, int64_t entries) {
  const struct hy_mm_line line = {
      .base = parser->file->base, .path = parser->file->path, .number = lines};
  MM_CHECK(&line, entries == parser->header->entries,
           "expected %" PRId64 " entries, found the end of the file after %" PRId64,
           parser->header->entries, entries);
  return HYLA_OK;
}
