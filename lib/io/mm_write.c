/* Matrix Market array files, written by all nodes together.
 *
 * In each round every node formats its piece, learns the lengths of the other nodes' texts, and
 * writes its own at its place.  17 digits (9 in single precision) restore every number bit for bit,
 * NaN with its sign. */
#include "collective/collective.h"
#include "io/io.h"

#include <complex.h>
#include <inttypes.h>
#include <stdio.h>

/* "-1.7976931348623157e+308" and a separator. */
enum { NUMBER_MOST = 25, HEADER_MOST = 128 };

int64_t hy_mm_piece_bytes(const struct hy_kernels *k, int64_t entries) {
  return entries * NUMBER_MOST * (k->complex_type ? 2 : 1) + 1; /* for sprintf's final 0 */
}

/* Formats a piece; returns the length of the text. */
static int64_t format(const struct hy_writer *w, const struct hy_file_piece *piece) {
  const hyla_matrix *m = w->matrix;
  int digits = m->k->epsilon > 1e-10 ? 9 : 17;
  char *at = w->buffer;
  /* printf uses the thread's locale, but files always have decimal points. */
  locale_t before = uselocale(w->c_locale);
  for (int64_t j = piece->col; j < piece->col + piece->cols; j++) {
    const char *column = hy_at(m, piece->row, j);
    for (int64_t i = 0; i < piece->rows; i++) {
      double _Complex x = m->k->get(column, i);
      at += sprintf(at, "%.*g", digits, creal(x));
      if (m->k->complex_type) at += sprintf(at, " %.*g", digits, cimag(x));
      *at++ = '\n';
    }
  }
  uselocale(before);
  return at - w->buffer;
}

/* Exchanges the lengths of all texts; negative for a node that has failed. */
static hyla_status swap_lengths(struct hy_writer *w, int64_t mine, bool *failed) {
  const hyla_cube *cube = w->matrix->cube;
  w->lengths[cube->address] = mine;
  TRY(hy_subcube_allgather(&w->group, w->lengths, w->offsets));
  *failed = false;
  for (int x = 0; x < cube->nodes; x++) *failed = *failed || w->lengths[x] < 0;
  return HYLA_OK;
}

hyla_status hy_mm_write(struct hy_writer *writer) {
  const hyla_matrix *m = writer->matrix;
  const hyla_cube *cube = m->cube;
  char header[HEADER_MOST];
  int64_t at = snprintf(header, sizeof header,
                        "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n",
                        m->k->complex_type ? "complex" : "real", m->row.n, m->col.n);
  hyla_status mine = HYLA_OK;
  if (cube->address == 0) mine = hy_io_put(&writer->file, header, at, 0);
  for (int64_t round = 0; round < writer->split.rounds; round++) {
    struct hy_file_piece piece = hy_file_split_piece(&writer->split, m, round);
    int64_t length = mine == HYLA_OK ? format(writer, &piece) : -1;
    bool failed;
    TRY(swap_lengths(writer, length, &failed));
    if (failed) return mine;
    for (int x = 0; x < cube->nodes; x++) {
      if (x == cube->address) mine = hy_io_put(&writer->file, writer->buffer, length, at);
      at += writer->lengths[x];
    }
  }
  return mine;
}
