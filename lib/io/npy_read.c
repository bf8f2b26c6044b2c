/* Elements of a .npy file, read by each rank for itself with all of its threads.
 *
 * Method: a rank's part of the matrix is cut into pieces of some lines of the file (its rows or
 * columns); a file by rows is cut along its lines too.  A line of a piece is a sequence of runs in
 * the file.  Runs that are close together are read by one system call with the gap between them: up
 * to a page that costs less than another call.
 *
 * Columns of the file go directly to columns of the matrix.  Rows are read into the cache first and
 * are transposed from there: written one by one, each entry would load a cache line.  Lines that
 * lie near each other are transposed from the buffer.  Otherwise, and where elements are not
 * entries, they are put together in a panel before.
 *
 * A file that is truncated meanwhile gives an error message, whichever thread notices it; with a
 * mapped file the process would be killed.  Compressed elements are unpacked by one thread.
 * Memory: a buffer and a panel of at most 1 MB for each thread; a panel has a row of compressed
 * elements even if that is longer. */
#include "io/io.h"

#include <string.h>

enum { BUFFER = 1 << 20, GAP = 4096, PANEL = 1 << 20, LINES = 64, DIRECT = 1 << 14 };
enum { LEAST_LINES = 16, LINE_ENTRIES = 8 }; /* of a piece that needs no panel; in a cache line */

/* A thread's own memory. */
struct hand {
  char *buffer, *panel;
  int64_t fault_piece; /* the piece in which reading failed; -1: none */
  struct hy_io_fault fault;
  hyla_status status; /* of reading compressed elements, which has told its message */
};

struct reader {
  const struct hy_io_file *file;
  const struct hy_npy_header *header;
  hyla_matrix *matrix;
  bool plain;                  /* elements have the same bytes in the file and in memory */
  const struct hy_axis *inner; /* the axis whose neighbours are adjacent in the file */
  const struct hy_axis *outer;
  int inner_part, outer_part;
  int64_t inner_count; /* local indices */
  int64_t outer_count;
  int64_t lines, entries; /* of a piece: outer and inner indices */
  int64_t along;          /* pieces along a line */
  int64_t buffer;         /* bytes of a thread's buffer */
  bool dense;             /* lines are transposed from the buffer */
  _Atomic bool failed;    /* then no thread begins another piece */
  struct hand *hands;
};

/* Local outer lines and inner entries [first, last), and their destination: entry (inner, outer)
 * goes to to + (inner - inner_first) + (outer - outer_first) ld, in entries. */
struct piece {
  int64_t inner_first, inner_last, outer_first, outer_last;
  char *to;
  int64_t ld;
};

/* Elements that are adjacent both in the file and in the local block. */
struct run {
  int64_t inner; /* local index of the first */
  int64_t outer, count;
  int64_t byte; /* offset of the first in the file */
};

/* Finds the run that begins with an element; false at the end of the piece. */
static bool find_run(const struct reader *r, const struct piece *piece, int64_t inner,
                     int64_t outer, struct run *run) {
  if (inner == piece->inner_last) {
    inner = piece->inner_first;
    outer++;
  }
  if (outer >= piece->outer_last || inner >= piece->inner_last) return false;
  int64_t size = r->header->element.size;
  int64_t i = hy_axis_index(r->inner, r->inner_part, inner);
  int64_t o = hy_axis_index(r->outer, r->outer_part, outer);
  int64_t count = hy_min(hy_axis_run(r->inner, i), r->buffer / size);
  *run = (struct run){inner, outer, hy_min(count, piece->inner_last - inner),
                      r->header->body + (o * r->inner->n + i) * size};
  return true;
}

static bool next_run(const struct reader *r, const struct piece *piece, struct run *run) {
  return find_run(r, piece, run->inner + run->count, run->outer, run);
}

static char *place_of(const struct reader *r, const struct piece *piece, const struct run *run) {
  int64_t at = run->inner - piece->inner_first + (run->outer - piece->outer_first) * piece->ld;
  return piece->to + at * (int64_t)r->matrix->k->size;
}

/* Reads bytes of the file; false after a fault.  Compressed ones are read by one thread. */
static bool fetch(const struct reader *r, struct hand *hand, char *to, int64_t bytes, int64_t at) {
  if (r->file->stream == NULL) return hy_io_take(r->file, to, bytes, at, &hand->fault);
  hand->status = hy_io_get(r->file, to, bytes, at);
  return hand->status == HYLA_OK;
}

/* Reads the runs from `run' on that fit into the buffer, and moves `run' past them; false at the
 * end or after a fault. */
static bool read_span(const struct reader *r, const struct piece *piece, struct hand *hand,
                      struct run *run) {
  int64_t size = r->header->element.size, first = run->byte, end = first;
  if (r->plain && run->count * size >= DIRECT) {
    if (!fetch(r, hand, place_of(r, piece, run), run->count * size, first)) return false;
    return next_run(r, piece, run);
  }
  struct run ahead = *run;
  bool near = true, more = true;
  while (near) {
    end = ahead.byte + ahead.count * size;
    near = next_run(r, piece, &ahead) && ahead.byte >= end && ahead.byte - end <= GAP &&
           ahead.byte + ahead.count * size - first <= r->buffer;
  }
  if (!fetch(r, hand, hand->buffer, end - first, first)) return false;
  while (more && run->byte >= first && run->byte < end) {
    hy_npy_convert(&r->header->element, hand->buffer + (run->byte - first), run->count,
                   place_of(r, piece, run));
    more = next_run(r, piece, run);
  }
  return more;
}

/* Transposes lines, the first at `from', into rows of the matrix from `outer' on. */
static void turn(const struct reader *r, int64_t lines, int64_t entries, const char *from,
                 int64_t ld, int64_t outer, int64_t inner) {
  const hyla_matrix *m = r->matrix;
  m->k->turn(HYLA_TRANSPOSE, (int)lines, (int)entries, 1, from, (int)ld, hy_at(m, outer, inner),
             (int)m->ld, hy_direct_streams(m), NULL);
}

/* Reads whole lines and transposes them from the buffer: as many by one call as are neighbours in
 * the file. */
static void read_dense(const struct reader *r, struct hand *hand, int64_t outer, int64_t last) {
  const int64_t size = r->header->element.size;
  for (int64_t lines; outer < last; outer += lines) {
    const int64_t o = hy_axis_index(r->outer, r->outer_part, outer);
    lines = hy_min(hy_axis_run(r->outer, o), last - outer);
    struct piece line = {0, r->inner_count, outer, outer + 1, NULL, 0};
    struct run run;
    if (!find_run(r, &line, 0, outer, &run)) return;
    const int64_t first = run.byte;
    const int64_t end = hy_axis_index(r->inner, r->inner_part, r->inner_count - 1) + 1;
    const int64_t bytes = r->header->body + ((o + lines - 1) * r->inner->n + end) * size - first;
    if (!fetch(r, hand, hand->buffer, bytes, first)) return;
    do {
      turn(r, lines, run.count, hand->buffer + (run.byte - first), r->inner->n, outer, run.inner);
    } while (next_run(r, &line, &run));
  }
}

/* Reads a piece; any thread may. */
static void read_piece(void *arg, int64_t index, int thread) {
  struct reader *r = arg;
  hy_file_step(r->matrix->cube, 1);
  struct hand *hand = &r->hands[thread];
  if (atomic_load(&r->failed)) return;
  int64_t outer = index / r->along * r->lines, inner = index % r->along * r->entries;
  const bool columns = r->header->by_columns;
  const struct piece piece = {inner,
                              hy_min(inner + r->entries, r->inner_count),
                              outer,
                              hy_min(outer + r->lines, r->outer_count),
                              columns ? hy_at(r->matrix, inner, outer) : hand->panel,
                              columns ? r->matrix->ld : r->entries};
  struct run run;
  if (r->dense) read_dense(r, hand, piece.outer_first, piece.outer_last);
  bool more = !r->dense && find_run(r, &piece, inner, outer, &run);
  while (more) more = read_span(r, &piece, hand, &run);
  if (hand->fault.met || hand->status != HYLA_OK) {
    hand->fault_piece = index;
    atomic_store(&r->failed, true);
  } else if (!columns) {
    if (!r->dense)
      turn(r, piece.outer_last - outer, piece.inner_last - inner, piece.to, piece.ld, outer, inner);
    hy_stream_end();
  }
}

/* Reports the fault nearest to the beginning of the file.  Pieces are begun in order, and every
 * begun piece is finished, so it does not depend on timing. */
static hyla_status tell_fault(const struct reader *r, int threads) {
  const struct hand *first = NULL;
  for (int t = 0; t < threads; t++) {
    const struct hand *hand = &r->hands[t];
    if (hand->fault_piece >= 0 && (first == NULL || hand->fault_piece < first->fault_piece))
      first = hand;
  }
  if (first == NULL) return HYLA_OK;
  return first->status != HYLA_OK ? first->status : hy_io_refuse(r->file, &first->fault);
}

static hyla_status read_pieces(struct reader *r, struct hy_team *team, int threads) {
  const int64_t size = (int64_t)r->matrix->k->size;
  const int64_t panel =
      r->header->by_columns || r->dense ? 0 : hy_ceil_div(r->lines * r->entries * size, 64) * 64;
  struct hy_base *base = r->file->base;
  char *memory = NULL;
  TRY(hy_alloc(base, threads * (r->buffer + panel), 1, &memory));
  for (int t = 0; t < threads; t++) {
    char *own = memory + t * (r->buffer + panel);
    r->hands[t] = (struct hand){.buffer = own, .panel = own + r->buffer, .fault_piece = -1};
  }
  struct hy_work work = {.piece = read_piece,
                         .arg = r,
                         .count = r->along * hy_ceil_div(r->outer_count, r->lines),
                         .threads = threads};
  hy_file_begin(r->matrix->cube, work.count);
  hy_team_do(team, &work);
  hy_file_begin(r->matrix->cube, 0);
  hy_free(base, &memory);
  return tell_fault(r, threads);
}

/* Can lines be transposed from the buffer?  A piece's lines fit into it, with gaps between runs
 * that cost less than another call. */
static bool is_dense(const struct reader *r) {
  const int64_t size = r->header->element.size, line = r->inner->n * size;
  if (!r->plain || r->file->stream != NULL || r->header->by_columns) return false;
  if (line > BUFFER / LEAST_LINES) return false;
  int64_t end = hy_axis_index(r->inner, r->inner_part, r->inner_count - 1) + 1 - r->inner->n;
  for (int64_t i = 0, count; i < r->inner_count; i += count) {
    const int64_t begin = hy_axis_index(r->inner, r->inner_part, i);
    if ((begin - end) * size > GAP) return false;
    count = hy_min(hy_axis_run(r->inner, begin), r->inner_count - i);
    end = begin + count;
  }
  return true;
}

/* Cuts the part into pieces.  By columns a piece fills a buffer.  By rows it has LINES rows, which
 * fill whole cache lines of the matrix, and the columns that a panel holds.  Compressed rows are
 * whole, because they are unpacked in the order of the file; so are those that need no panel. */
static void cut(struct reader *r) {
  const int64_t size = (int64_t)r->matrix->k->size;
  if (r->header->by_columns) {
    r->lines = hy_max(1, BUFFER / (r->inner_count * size));
    r->entries = r->inner_count;
  } else if (r->dense) {
    const int64_t fit = BUFFER / (r->inner->n * r->header->element.size);
    r->lines = hy_min(LINES, fit / LINE_ENTRIES * LINE_ENTRIES);
    r->entries = r->inner_count;
  } else if (r->file->stream != NULL) {
    r->lines = hy_max(1, hy_min(LINES, PANEL / (r->inner_count * size)));
    r->entries = r->inner_count;
  } else {
    r->lines = LINES;
    r->entries = hy_min(r->inner_count, PANEL / (LINES * size));
  }
  r->along = hy_ceil_div(r->inner_count, r->entries);
  /* The lines of a piece, with what lies between their entries. */
  const int64_t element = r->header->element.size;
  r->buffer = hy_min(BUFFER, hy_min(r->lines, r->outer_count) * r->inner->n * element);
  r->buffer = hy_ceil_div(r->buffer, GAP) * GAP;
}

static hyla_status read_all(struct reader *r) {
  struct hy_base *base = r->file->base;
  struct hy_team *team = r->matrix->cube->session.team;
  const bool large = r->file->stream == NULL &&
                     r->inner_count * r->outer_count * (int64_t)r->matrix->k->size > BUFFER;
  const int threads = large ? hy_team_threads(team) : 1;
  cut(r);
  TRY(hy_alloc(base, threads, sizeof *r->hands, &r->hands));
  hyla_status status = read_pieces(r, team, threads);
  hy_free(base, &r->hands);
  return status;
}

hyla_status hy_npy_read_body(const struct hy_io_file *file, const struct hy_npy_header *header,
                             hyla_matrix *matrix) {
  const struct hy_npy_element *element = &header->element;
  struct reader r = {.file = file, .header = header, .matrix = matrix};
  bool columns = header->by_columns;
  r.plain = hy_npy_is_plain(element);
  r.inner = columns ? &matrix->row : &matrix->col;
  r.outer = columns ? &matrix->col : &matrix->row;
  r.inner_part = columns ? matrix->row_part : matrix->col_part;
  r.outer_part = columns ? matrix->col_part : matrix->row_part;
  r.inner_count = columns ? matrix->local_rows : matrix->local_cols;
  r.outer_count = columns ? matrix->local_cols : matrix->local_rows;
  r.dense = r.inner_count > 0 && is_dense(&r);
  return r.inner_count == 0 || r.outer_count == 0 ? HYLA_OK : read_all(&r);
}
