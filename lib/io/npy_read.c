/* Elements of a .npy file, read by each rank for itself.
 *
 * A rank's part of the matrix is a row of runs in the file.  Runs that lie close
 * together are fetched by one system call with what lies between them: up to a
 * page that costs less than another call.
 *
 * Rows of the file go to a panel of a few first, and from there to columns of the matrix: an entry
 * at a time, each would take a line of the cache from memory.  Memory: a buffer, and for a file by
 * rows a panel of 4 MB, or of 8 local rows where that is more. */
#include "io/io.h"

#include <string.h>

enum { BUFFER = 1 << 20, GAP = 4096, PANEL = 1 << 22, LEAST_LINES = 8 };

struct reader {
  const struct hy_io_file *file;
  const struct hy_npy_header *header;
  hyla_matrix *matrix;
  const struct hy_axis *inner; /* the axis along which elements stand in the file */
  const struct hy_axis *outer;
  int inner_part;
  int outer_part;
  int64_t inner_count; /* local */
  int64_t outer_count;
  char *buffer;
  char *panel;   /* outer lines from `first' on, `lines' at most; NULL: of a file by columns */
  int64_t lines; /* outer */
  int64_t first;
};

/* Elements that are neighbours in the file and in the local part. */
struct run {
  int64_t inner; /* local, of the first */
  int64_t outer;
  int64_t count;
  int64_t byte; /* of the first in the file */
};

/* The run that begins with an element; false when there is none. */
static bool find_run(const struct reader *r, int64_t inner, int64_t outer, struct run *run) {
  if (inner == r->inner_count) {
    inner = 0;
    outer++;
  }
  if (outer >= r->outer_count || inner >= r->inner_count) return false;
  int64_t size = r->header->element.size;
  int64_t i = hy_axis_index(r->inner, r->inner_part, inner);
  int64_t o = hy_axis_index(r->outer, r->outer_part, outer);
  int64_t count = hy_min(hy_axis_run(r->inner, i), BUFFER / size);
  *run = (struct run){inner, outer, count, r->header->body + (o * r->inner->n + i) * size};
  return true;
}

static bool next_run(const struct reader *r, struct run *run) {
  return find_run(r, run->inner + run->count, run->outer, run);
}

/* The panel's lines become rows of the matrix; the next ones begin with `next'. */
static void empty_panel(struct reader *r, int64_t next) {
  const hyla_matrix *m = r->matrix;
  m->k->copy(HYLA_TRANSPOSE, (int)(next - r->first), (int)r->inner_count, 1, r->panel,
             (int)r->inner_count, hy_at(m, r->first, 0), (int)m->ld);
  r->first = next;
}

static void store(struct reader *r, const struct run *run, const char *bytes) {
  const struct hy_npy_element *element = &r->header->element;
  if (r->panel == NULL) {
    hy_npy_convert(element, bytes, run->count, hy_at(r->matrix, run->inner, run->outer));
    return;
  }
  if (run->outer == r->first + r->lines) empty_panel(r, run->outer);
  int64_t place = (run->outer - r->first) * r->inner_count + run->inner;
  hy_npy_convert(element, bytes, run->count, r->panel + place * (int64_t)r->matrix->k->size);
}

/* Fetches the runs from `run` on that fit the buffer; false when none is left behind them. */
static hyla_status read_span(struct reader *r, struct run *run, bool *more) {
  int64_t size = r->header->element.size;
  int64_t first = run->byte, end = first;
  struct run ahead = *run;
  bool near = true;
  while (near) {
    end = ahead.byte + ahead.count * size;
    near = next_run(r, &ahead) && ahead.byte - end <= GAP &&
           ahead.byte + ahead.count * size - first <= BUFFER;
  }
  TRY(hy_io_get(r->file, r->buffer, end - first, first));
  do {
    store(r, run, r->buffer + (run->byte - first));
    *more = next_run(r, run);
  } while (*more && run->byte < end);
  return HYLA_OK;
}

static hyla_status take_memory(struct reader *r) {
  struct hy_base *base = r->file->base;
  const int64_t size = (int64_t)r->matrix->k->size;
  TRY(hy_alloc(base, BUFFER, 1, &r->buffer));
  if (r->header->by_columns) return HYLA_OK;
  r->lines = hy_max(LEAST_LINES, PANEL / (r->inner_count * size));
  r->lines = hy_min(r->lines, r->outer_count);
  return hy_alloc(base, r->lines * r->inner_count, (size_t)size, &r->panel);
}

static hyla_status read_all(struct reader *r, struct run *run) {
  bool more = true;
  TRY(take_memory(r));
  while (more) TRY(read_span(r, run, &more));
  if (r->panel != NULL) empty_panel(r, r->outer_count);
  return HYLA_OK;
}

hyla_status hy_npy_read_body(const struct hy_io_file *file, const struct hy_npy_header *header,
                             hyla_matrix *matrix) {
  struct reader r = {.file = file, .header = header, .matrix = matrix};
  bool columns = header->by_columns;
  r.inner = columns ? &matrix->row : &matrix->col;
  r.outer = columns ? &matrix->col : &matrix->row;
  r.inner_part = columns ? matrix->row_part : matrix->col_part;
  r.outer_part = columns ? matrix->col_part : matrix->row_part;
  r.inner_count = columns ? matrix->local_rows : matrix->local_cols;
  r.outer_count = columns ? matrix->local_cols : matrix->local_rows;
  struct run run;
  if (!find_run(&r, 0, 0, &run)) return HYLA_OK;
  hyla_status status = read_all(&r, &run);
  hy_free(file->base, &r.panel);
  hy_free(file->base, &r.buffer);
  return status;
}
