/* Writes states into files.
 *
 * Method: the matrix is redistributed so that each rank has whole columns, unless it has them
 * already.  Each rank writes its columns and their check sums at their places; node 0 writes the
 * rest (output.c).  The old file keeps its name until the new one is complete and on the disk.
 * Steps: one redistribution and some agreements. */
#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ----------------------------------------------------------------- make -- */

/* Columns of a block that goes to one rank. */
enum { TOGETHER = 32 };

static hyla_status deal(struct hy_state *s) {
  const hyla_matrix *m = s->matrix;
  const hyla_layout whole = {.row = hy_axis_whole(m->row.n).code,
                             .col = hy_axis_dealt(s->cube->dims, TOGETHER, m->col.n).code};
  if (m->row.parts == 1) return HYLA_OK;
  TRY(hy_matrix_make_private(s->cube, m->k->type, m->row.n, m->col.n, &whole, &s->dealt));
  const hyla_transfer move = {HYLA_NONE, 1, m, s->dealt};
  return hy_agree(s->cube, hy_direct_create(s->cube, &move, 1, &s->deal));
}

static hyla_status allocate(struct hy_state *s) {
  struct hy_base *base = &s->cube->base;
  bool node = s->cube->address >= 0;
  TRY(hy_alloc_for(base, s, node ? s->matrix->col.n : 0, sizeof *s->sums, &s->sums));
  TRY(hy_alloc_for(base, s, node ? s->matrix->row.n : 0, s->matrix->k->size, &s->column));
  return hy_output_allocate(&s->output, s->cube);
}

hyla_status hy_state_make(const hyla_matrix *matrix, bool lower, int64_t numbers,
                          struct hy_state **state) {
  hyla_cube *cube = matrix->cube;
  struct hy_state *s = NULL;
  TRY(hy_agree(cube, hy_alloc(&cube->base, 1, sizeof *s, state)));
  s = *state;
  s->cube = cube;
  s->matrix = matrix;
  s->lower = lower;
  s->numbers = numbers;
  s->file = (struct hy_io_file){.base = &cube->base, .fd = -1};
  s->output.file = &s->file;
  s->output.secret = true;
  TRY(hy_agree(cube, allocate(s)));
  return deal(s);
}

void hy_state_free(struct hy_state **state) {
  struct hy_state *s = *state;
  if (s == NULL) return;
  if (s->output.file != NULL) hy_output_free(&s->output, s->cube);
  hy_direct_destroy(&s->deal);
  (void)hyla_matrix_destroy(&s->dealt);
  hy_free(&s->cube->base, state);
}

/* --------------------------------------------------------------- places -- */

int64_t hy_state_first(const struct hy_state *s, int64_t col) {
  return s->lower ? hy_min(col, s->matrix->row.n) : 0;
}

int64_t hy_state_sums_at(const struct hy_state *s) {
  return HY_STATE_HEAD + s->numbers * (int64_t)sizeof(int64_t);
}

int64_t hy_state_place(const struct hy_state *s, int64_t col) {
  int64_t rows = s->matrix->row.n, cut = hy_state_first(s, col);
  int64_t entries = s->lower ? cut * rows - cut * (cut - 1) / 2 : col * rows;
  return hy_state_sums_at(s) + s->matrix->col.n * (int64_t)sizeof *s->sums +
         entries * (int64_t)s->matrix->k->size;
}

uint64_t hy_state_sum(const struct hy_state *s, int64_t col, const char *entries) {
  size_t rows = (size_t)(s->matrix->row.n - hy_state_first(s, col));
  return hy_fingerprint((uint64_t)col + 1, entries, rows * s->matrix->k->size);
}

/* ---------------------------------------------------------------- write -- */

/* Closes the file, and removes it unless it has got its name. */
static void drop(struct hy_state *s) {
  hy_io_close(&s->file);
  hy_output_file_drop(s->output.target);
}

hyla_status hy_state_try(struct hy_state *s, const char *path) {
  s->file.path = path;
  hyla_status status = hy_output_open(&s->output);
  drop(s);
  return status;
}

_Static_assert(sizeof(struct hy_state_head) == HY_STATE_HEAD, "the head is as long as it says");

static hyla_status put_head(const struct hy_state *s, const struct hy_state_about *about,
                            const int64_t *numbers) {
  const hyla_matrix *m = s->matrix;
  struct hy_state_head head = {.magic = HY_STATE_MAGIC,
                               .order = HY_STATE_ORDER,
                               .version = HY_STATE_VERSION,
                               .type = (int64_t)m->k->type,
                               .rows = m->row.n,
                               .cols = m->col.n,
                               .lower = s->lower,
                               .numbers = s->numbers,
                               .origin = about->origin,
                               .columns = about->columns,
                               .block = about->block};
  size_t length = (size_t)s->numbers * sizeof *numbers;
  head.numbers_sum = hy_fingerprint(0, numbers, length);
  head.sum = hy_fingerprint(0, &head, offsetof(struct hy_state_head, sum));
  TRY(hy_io_put(&s->file, &head, sizeof head, 0));
  return hy_io_put(&s->file, numbers, (int64_t)length, HY_STATE_HEAD);
}

static hyla_status put_columns(const struct hy_state *s) {
  const hyla_matrix *m = s->dealt != NULL ? s->dealt : s->matrix;
  int64_t size = (int64_t)m->k->size, run = 1;
  for (int64_t c = 0; c < m->local_cols; c++) {
    int64_t col = hyla_matrix_col(m, c), first = hy_state_first(s, col);
    const char *entries = hy_at(m, first, c);
    s->sums[col] = hy_state_sum(s, col, entries);
    TRY(hy_io_put(&s->file, entries, (m->row.n - first) * size, hy_state_place(s, col)));
  }
  for (int64_t c = 0; c < m->local_cols; c += run) {
    int64_t col = hyla_matrix_col(m, c);
    run = hy_min(hy_axis_run(&m->col, col), m->col.n - col);
    TRY(hy_io_put(&s->file, s->sums + col, run * (int64_t)sizeof *s->sums,
                  hy_state_sums_at(s) + col * (int64_t)sizeof *s->sums));
  }
  return HYLA_OK;
}

/* Writes this node's share. */
static hyla_status put(struct hy_state *s, const struct hy_state_about *about,
                       const int64_t *numbers) {
  if (s->cube->address == 0) TRY(put_head(s, about, numbers));
  TRY(put_columns(s));
  return hy_output_flush(&s->output);
}

static hyla_status write_file(struct hy_state *s, const struct hy_state_about *about,
                              const int64_t *numbers) {
  TRY(hy_output_open(&s->output));
  TRY(hy_agree(s->cube, s->cube->address >= 0 ? put(s, about, numbers) : HYLA_OK));
  return hy_output_name(&s->output);
}

hyla_status hy_state_write(struct hy_state *s, const char *path, const struct hy_state_about *about,
                           const int64_t *numbers) {
  s->file.path = path;
  if (s->deal != NULL) TRY(hy_agree(s->cube, hy_direct_run(s->deal)));
  hyla_status status = write_file(s, about, numbers);
  drop(s);
  return status;
}

hyla_status hy_state_remove(struct hy_state *s, const char *path) {
  hyla_status mine = HYLA_OK;
  if (s->cube->address == 0 && unlink(path) != 0 && errno != ENOENT)
    mine = hy_fail(&s->cube->base, HYLA_FILE, "cannot remove %s: %s", hy_path_shown(path),
                   strerror(errno));
  return hy_agree(s->cube, mine);
}
