/* Matrices written as texts: Matrix Market, by columns, and tables, by rows.
 *
 * In each round every node formats its piece, learns the lengths of the other nodes' texts, and
 * writes its own at its place.  17 digits (9 in single precision) restore every number bit for bit,
 * NaN with its sign. */
#include "collective/collective.h"
#include "io/write.h"

#include <complex.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "-1.7976931348623157e+308" and a separator, or the j of an imaginary part. */
enum { NUMBER_MOST = 25, HEADER_MOST = 128 };

int64_t hy_text_bytes(const struct hy_kernels *k, int64_t entries) {
  return entries * NUMBER_MOST * (k->complex_type ? 2 : 1) + 1; /* for sprintf's final 0 */
}

/* Formats a piece of a Matrix Market file. */
static char *format_column(const struct writer *w, const struct hy_file_piece *piece, int digits) {
  const hyla_matrix *m = w->matrix;
  char *at = w->buffer;
  for (int64_t j = piece->col; j < piece->col + piece->cols; j++) {
    const char *column = hy_at(m, piece->row, j);
    for (int64_t i = 0; i < piece->rows; i++) {
      double _Complex x = m->k->get(column, i);
      at += sprintf(at, "%.*g", digits, creal(x));
      if (m->k->complex_type) at += sprintf(at, " %.*g", digits, cimag(x));
      *at++ = '\n';
    }
  }
  return at;
}

/* Formats a piece of a table. */
static char *format_rows(const struct writer *w, const struct hy_file_piece *piece, int digits) {
  const hyla_matrix *m = w->matrix;
  const int64_t left = m->col.n - piece->place % m->col.n; /* of the row, in the piece or behind */
  char *at = w->buffer;
  for (int64_t i = piece->row; i < piece->row + piece->rows; i++) {
    for (int64_t j = 0; j < piece->cols; j++) {
      double _Complex x = m->k->get(hy_at(m, i, piece->col + j), 0);
      at += sprintf(at, "%.*g", digits, creal(x));
      if (m->k->complex_type) at += sprintf(at, "%+.*gj", digits, cimag(x));
      *at++ = j == left - 1 ? '\n' : w->separator;
    }
  }
  return at;
}

/* Formats a piece; returns the length of the text. */
static int64_t format(const struct writer *w, const struct hy_file_piece *piece) {
  const int digits = w->matrix->k->epsilon > 1e-10 ? 9 : 17;
  if (piece->rows == 0 || piece->cols == 0) return 0;
  /* printf uses the thread's locale, but files always have decimal points. */
  locale_t before = uselocale(w->c_locale);
  const char *end =
      w->format->by_rows ? format_rows(w, piece, digits) : format_column(w, piece, digits);
  uselocale(before);
  return end - w->buffer;
}

/* Exchanges the lengths of all texts; negative for a node that has failed. */
static hyla_status swap_lengths(struct writer *w, int64_t mine, bool *failed) {
  const hyla_cube *cube = w->matrix->cube;
  w->lengths[cube->base.rank] = mine;
  TRY(hy_subcube_allgather(&w->group, w->lengths, w->offsets));
  *failed = false;
  for (int x = 0; x < cube->nodes; x++) *failed = *failed || w->lengths[x] < 0;
  return HYLA_OK;
}

/* Writes the header and then the pieces, round by round. */
static hyla_status write_text(struct writer *writer, const char *header) {
  const hyla_matrix *m = writer->matrix;
  const hyla_cube *cube = m->cube;
  int64_t at = (int64_t)strlen(header);
  hyla_status mine = HYLA_OK;
  if (cube->address == 0) mine = hy_io_put(&writer->file, header, at, 0);
  for (int64_t round = 0; round < writer->split.rounds; round++) {
    struct hy_file_piece piece = hy_file_split_piece(&writer->split, m, round);
    hy_file_step(m->cube, 1);
    int64_t length = mine == HYLA_OK ? format(writer, &piece) : -1;
    bool failed;
    TRY(swap_lengths(writer, length, &failed));
    if (failed) return mine;
    for (int x = 0; x < cube->nodes; x++) {
      if (x == cube->base.rank) mine = hy_io_put(&writer->file, writer->buffer, length, at);
      at += writer->lengths[x];
    }
  }
  return mine;
}

hyla_status hy_write_mm(struct writer *writer) {
  const hyla_matrix *m = writer->matrix;
  char header[HEADER_MOST];
  snprintf(header, sizeof header,
           "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n",
           m->k->complex_type ? "complex" : "real", m->row.n, m->col.n);
  return write_text(writer, header);
}

hyla_status hy_write_table(struct writer *writer) { return write_text(writer, ""); }
