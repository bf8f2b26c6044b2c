/* States in files.
 *
 * Method: to be written, the matrix is redistributed so that each rank has whole columns, unless it
 * has them already.  Each rank writes its columns and their check sums at their places; node 0
 * writes the rest (output.c).  The old file keeps its name until the new one is complete and on the
 * disk.  Steps: one redistribution and some agreements.
 *
 * A file that is damaged, cut off or another computation's is reported and not used.  A rank that
 * has entries of a column reads the whole column, so that it can verify the check sum: the r ranks
 * of a column read the same part of the file r times. */
#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct hy_state {
  hyla_cube *cube;
  const hyla_matrix *matrix;
  hyla_matrix *dealt; /* has whole columns; NULL: the matrix itself has them */
  struct hy_direct *deal;
  bool lower;
  int64_t numbers;
  uint64_t origin; /* the expected one */
  uint64_t *sums;  /* check sums of the columns */
  char *column;    /* the one being read */
  struct hy_io_file file;
  struct hy_output output;
};

/* ----------------------------------------------------------------- make -- */

/* Columns of a block that goes to one rank. */
enum { TOGETHER = 32 };

static hyla_status deal(struct hy_state *s) {
  const hyla_matrix *m = s->matrix;
  const hyla_layout whole = {.row = hy_axis_whole(m->row.n).code,
                             .col = hy_axis_dealt(s->cube, TOGETHER, m->col.n).code};
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

/* The first row of a column that is kept. */
static int64_t first_row(const struct hy_state *s, int64_t col) {
  return s->lower ? hy_min(col, s->matrix->row.n) : 0;
}

/* Where the check sums begin in the file; where a column does. */
static int64_t sums_at(const struct hy_state *s) {
  return HY_STATE_HEAD + s->numbers * (int64_t)sizeof(int64_t);
}

static int64_t place_of(const struct hy_state *s, int64_t col) {
  int64_t rows = s->matrix->row.n, cut = first_row(s, col);
  int64_t entries = s->lower ? cut * rows - cut * (cut - 1) / 2 : col * rows;
  return sums_at(s) + s->matrix->col.n * (int64_t)sizeof *s->sums +
         entries * (int64_t)s->matrix->k->size;
}

/* The check sum of a column's entries, from its first kept row on. */
static uint64_t sum_of(const struct hy_state *s, int64_t col, const char *entries) {
  size_t rows = (size_t)(s->matrix->row.n - first_row(s, col));
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
    int64_t col = hyla_matrix_col(m, c), first = first_row(s, col);
    const char *entries = hy_at(m, first, c);
    s->sums[col] = sum_of(s, col, entries);
    TRY(hy_io_put(&s->file, entries, (m->row.n - first) * size, place_of(s, col)));
  }
  for (int64_t c = 0; c < m->local_cols; c += run) {
    int64_t col = hyla_matrix_col(m, c);
    run = hy_min(hy_axis_run(&m->col, col), m->col.n - col);
    TRY(hy_io_put(&s->file, s->sums + col, run * (int64_t)sizeof *s->sums,
                  sums_at(s) + col * (int64_t)sizeof *s->sums));
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

#define STATE_CHECK(s, condition, format, ...)                                                     \
  CHECK(&(s)->cube->base, condition, FORMAT, "%s: " format "; remove it to begin anew",            \
        hy_path_shown((s)->file.path), __VA_ARGS__)

/* ----------------------------------------------------------------- find -- */

static hyla_status check_head(const struct hy_state *s, const struct hy_state_head *head) {
  const hyla_matrix *m = s->matrix;
  STATE_CHECK(s, memcmp(head->magic, HY_STATE_MAGIC, sizeof head->magic) == 0, "%s",
              "it is no state: its first bytes are others");
  STATE_CHECK(s, head->order == HY_STATE_ORDER, "%s",
              "its numbers have another byte order than this machine's");
  STATE_CHECK(s, head->version == HY_STATE_VERSION, "it is a state of version %" PRId64 ", not %d",
              head->version, HY_STATE_VERSION);
  STATE_CHECK(s, head->sum == hy_fingerprint(0, head, offsetof(struct hy_state_head, sum)), "%s",
              "its head is damaged");
  STATE_CHECK(s,
              head->rows == m->row.n && head->cols == m->col.n &&
                  head->type == (int64_t)m->k->type && head->lower == (int64_t)s->lower &&
                  head->numbers == s->numbers,
              "it is a state of another matrix, of %" PRId64 " x %" PRId64, head->rows, head->cols);
  STATE_CHECK(s, head->origin == s->origin, "%s", "it is a state of another matrix");
  STATE_CHECK(
      s, head->block > 0 && head->columns >= 0 && head->columns <= hy_min(head->rows, head->cols),
      "its head is damaged: column %" PRId64, head->columns);
  int64_t size = place_of(s, m->col.n);
  STATE_CHECK(s, s->file.size == size, "it has %" PRId64 " bytes, and must have %" PRId64,
              s->file.size, size);
  return HYLA_OK;
}

static hyla_status read_head(struct hy_state *s, struct hy_state_head *head) {
  STATE_CHECK(s, s->file.size >= HY_STATE_HEAD, "%s", "it is no state: it is shorter than a head");
  TRY(hy_io_get(&s->file, head, sizeof *head, 0));
  return check_head(s, head);
}

/* The number of names in the folder with the same prefix and ending; -1: it cannot be read. */
static int64_t count_alike(const char *path, size_t prefix) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  const char *ending = strrchr(name, '.');
  char folder[PATH_MAX] = ".";
  int64_t count = 0;
  if (slash != NULL) snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - path), path);
  DIR *entries = opendir(folder);
  if (entries == NULL) return -1;
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    const char *end = strrchr(entry->d_name, '.');
    count += strncmp(entry->d_name, name, prefix) == 0 && end != NULL && ending != NULL &&
             strcmp(end, ending) == 0;
  }
  closedir(entries);
  return count;
}

/* Node 0 tells all ranks what it has found. */
static hyla_status tell_all(hyla_cube *cube, hyla_status mine, void *found, int64_t bytes) {
  if (cube->address >= 0) {
    mine = hy_io_share_status(cube, 0, mine);
    if (mine == HYLA_OK) mine = hy_broadcast(cube, hy_all_dims(cube), 0, found, bytes);
  }
  TRY(hy_agree(cube, mine));
  return hy_agree(cube, hy_tell_guests(cube, found, bytes));
}

hyla_status hy_state_count(struct hy_state *s, const char *path, size_t prefix, int64_t *count) {
  *count = s->cube->address == 0 ? count_alike(path, prefix) : 0;
  return tell_all(s->cube, HYLA_OK, count, sizeof *count);
}

/* On node 0: looks at the file and the folder. */
static hyla_status look(struct hy_state *s, size_t prefix, struct hy_state_found *found) {
  struct hy_state_head head = {.rows = 0};
  struct stat about;
  found->there = lstat(s->file.path, &about) == 0;
  found->others = hy_max(count_alike(s->file.path, prefix) - found->there, 0);
  if (!found->there) return HYLA_OK;
  TRY(hy_io_open_plain(&s->cube->base, s->file.path, &s->file));
  hyla_status status = read_head(s, &head);
  hy_io_close(&s->file);
  found->about = (struct hy_state_about){head.origin, head.columns, head.block};
  return status;
}

hyla_status hy_state_find(struct hy_state *s, const char *path, size_t prefix, uint64_t origin,
                          struct hy_state_found *found) {
  hyla_cube *cube = s->cube;
  hyla_status mine = HYLA_OK;
  memset(found, 0, sizeof *found);
  s->file.path = path;
  s->origin = origin;
  if (cube->address == 0) mine = look(s, prefix, found);
  return tell_all(cube, mine, found, sizeof *found);
}

/* ----------------------------------------------------------------- read -- */

/* Copies this rank's rows of a column to their places. */
static void place_rows(const struct hy_state *s, int64_t c, int64_t first) {
  const hyla_matrix *m = s->matrix;
  int64_t run = 1;
  for (int64_t l = hy_axis_before(&m->row, m->row_part, first); l < m->local_rows; l += run) {
    int64_t row = hyla_matrix_row(m, l);
    run = hy_min(hy_axis_run(&m->row, row), m->local_rows - l);
    memcpy(hy_at(m, l, c), s->column + (size_t)row * m->k->size, (size_t)run * m->k->size);
  }
}

static hyla_status get_column(struct hy_state *s, int64_t c, const struct hy_state_taker *taker) {
  const hyla_matrix *m = s->matrix;
  int64_t col = hyla_matrix_col(m, c), first = first_row(s, col), size = (int64_t)m->k->size;
  char *entries = s->column + first * size;
  TRY(hy_io_get(&s->file, entries, (m->row.n - first) * size, place_of(s, col)));
  STATE_CHECK(s, sum_of(s, col, entries) == s->sums[col],
              "column %" PRId64 " is damaged: its sum is another", col);
  taker->adjust(taker->arg, col, s->column);
  place_rows(s, c, first);
  return HYLA_OK;
}

/* On a node: reads the state from the open file. */
static hyla_status get(struct hy_state *s, const struct hy_state_taker *taker, int64_t *numbers) {
  const hyla_matrix *m = s->matrix;
  struct hy_state_head head;
  int64_t length = s->numbers * (int64_t)sizeof *numbers;
  TRY(read_head(s, &head));
  TRY(hy_io_get(&s->file, numbers, length, HY_STATE_HEAD));
  STATE_CHECK(s, hy_fingerprint(0, numbers, (size_t)length) == head.numbers_sum, "%s",
              "its numbers are damaged");
  const char *wrong = taker->check(taker->arg, numbers);
  STATE_CHECK(s, wrong == NULL, "%s", wrong);
  TRY(hy_io_get(&s->file, s->sums, m->col.n * (int64_t)sizeof *s->sums, sums_at(s)));
  for (int64_t c = 0; c < m->local_cols; c++) TRY(get_column(s, c, taker));
  return HYLA_OK;
}

hyla_status hy_state_read(struct hy_state *s, const char *path, const struct hy_state_taker *taker,
                          int64_t *numbers) {
  hyla_status mine = HYLA_OK;
  s->file.path = path;
  if (s->cube->address >= 0) mine = hy_io_open_plain(&s->cube->base, path, &s->file);
  if (s->cube->address >= 0 && mine == HYLA_OK) mine = get(s, taker, numbers);
  hy_io_close(&s->file);
  return hy_agree(s->cube, mine);
}
