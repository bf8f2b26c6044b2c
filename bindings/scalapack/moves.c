/* Block-cyclic matrices from one grid to another, both of the same processes: process (i, j) of a
 * grid of p x q is number i q + j of the communicator.
 *
 * Each process sends to each other the entries that it has and the other one is to have, columns
 * and within these rows in ascending order, which both know from the descriptors alone.  Nobody
 * waits in MPI, whose waits may keep the core. */
#include "dropin.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --------------------------------------------------------------- messages -- */

static void finish(MPI_Request *request) {
  enum { POLLS = 1000, NAP = 50000 };
  const struct timespec nap = {.tv_nsec = NAP};
  int done = 0;
  for (int polls = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; polls++)
    if (polls < POLLS)
      sched_yield();
    else
      nanosleep(&nap, NULL);
}

void dropin_share(const struct dropin_grid *grid, void *values, int count, MPI_Datatype type,
                  MPI_Op op) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, grid->processes, &request);
  finish(&request);
}

void dropin_tell(const struct dropin_grid *grid, void *values, int bytes) {
  MPI_Request request;
  MPI_Ibcast(values, bytes, MPI_BYTE, 0, grid->processes, &request);
  finish(&request);
}

/* -------------------------------------------------------------- positions -- */

/* One direction of a sub-matrix on its grid: blocks, process of the first, first index from 0. */
struct axis {
  int64_t first, block;
  int source, processes;
};

static struct axis rows_of(const struct dropin_place *x) {
  return (struct axis){x->i - 1, x->desc[MB], x->desc[RSRC], x->p};
}

static struct axis cols_of(const struct dropin_place *x) {
  return (struct axis){x->j - 1, x->desc[NB], x->desc[CSRC], x->q};
}

static int owner(const struct axis *axis, int64_t index) {
  return (int)(((axis->first + index) / axis->block + axis->source) % axis->processes);
}

static int64_t left_in_block(const struct axis *axis, int64_t index) {
  return axis->block - (axis->first + index) % axis->block;
}

static int64_t local(const struct axis *axis, int64_t index) {
  int64_t global = axis->first + index, block = axis->block;
  return global / block / axis->processes * block + global % block;
}

/* Local indices that follow each other. */
struct run {
  int64_t at, length;
};

/* What `me' has on its axis and `him' on the other one, of `count' indices; the number of runs. */
static int64_t list_runs(const struct axis *mine, int me, const struct axis *other, int him,
                         int64_t count, struct run *runs) {
  int64_t found = 0, length = 0;
  for (int64_t k = 0; k < count; k += length) {
    int64_t here = left_in_block(mine, k), there = left_in_block(other, k);
    length = here < there ? here : there;
    if (length > count - k) length = count - k;
    if (owner(mine, k) != me || owner(other, k) != him) continue;
    runs[found++] = (struct run){local(mine, k), length};
  }
  return found;
}

/* ------------------------------------------------------------------ moves -- */

size_t dropin_move_scratch(int64_t rows, int64_t cols) {
  return (size_t)(rows + cols) * sizeof(struct run);
}

/* Does the process of that number have a place on the grid? */
static bool is_on(const struct dropin_place *x, int number) { return number < x->p * x->q; }

/* Process `me' packs what `him' has on the other grid, or unpacks it; the number of entries. */
static int64_t copy(const struct dropin_move *move, const struct dropin_place *mine, int me,
                    const struct dropin_place *other, int him, char *buffer, bool packs) {
  if (!is_on(mine, me) || !is_on(other, him)) return 0;
  const struct axis rows = rows_of(mine), cols = cols_of(mine);
  const struct axis other_rows = rows_of(other), other_cols = cols_of(other);
  struct run *down = move->scratch, *along = down + move->rows;
  const int64_t row_runs =
      list_runs(&rows, me / mine->q, &other_rows, him / other->q, move->rows, down);
  const int64_t col_runs =
      list_runs(&cols, me % mine->q, &other_cols, him % other->q, move->cols, along);
  const size_t size = dropin_entry_size(move->type), ld = (size_t)mine->desc[LLD] * size;
  size_t at = 0;
  for (int64_t c = 0; c < col_runs; c++)
    for (int64_t col = along[c].at; col < along[c].at + along[c].length; col++)
      for (int64_t r = 0; r < row_runs; r++) {
        const size_t bytes = (size_t)down[r].length * size;
        char *here = (char *)mine->array + (size_t)col * ld + (size_t)down[r].at * size;
        if (packs)
          memcpy(buffer + at, here, bytes);
        else
          memcpy(here, buffer + at, bytes);
        at += bytes;
      }
  return (int64_t)(at / size);
}

/* How many entries `me' has that `him' has on the other grid. */
static int entries(const struct dropin_move *move, const struct dropin_place *mine, int me,
                   const struct dropin_place *other, int him) {
  if (!is_on(mine, me) || !is_on(other, him)) return 0;
  const struct axis rows = rows_of(mine), cols = cols_of(mine);
  const struct axis other_rows = rows_of(other), other_cols = cols_of(other);
  struct run *runs = move->scratch;
  int64_t height = 0, width = 0, found;
  found = list_runs(&rows, me / mine->q, &other_rows, him / other->q, move->rows, runs);
  for (int64_t r = 0; r < found; r++) height += runs[r].length;
  found = list_runs(&cols, me % mine->q, &other_cols, him % other->q, move->cols, runs);
  for (int64_t c = 0; c < found; c++) width += runs[c].length;
  return (int)(height * width);
}

void dropin_move(const struct dropin_grid *grid, const struct dropin_move *move) {
  static const MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX,
                                       MPI_C_DOUBLE_COMPLEX};
  const struct dropin_place *from = move->from, *to = move->to;
  const int processes = grid->p * grid->q, me = grid->row * grid->q + grid->col;
  const size_t size = dropin_entry_size(move->type);
  int *sent = move->counts, *sent_at = sent + processes;
  int *got = sent_at + processes, *got_at = got + processes;
  MPI_Request request;
  for (int him = 0, out = 0, in = 0; him < processes; him++) {
    sent[him] = entries(move, from, me, to, him);
    got[him] = entries(move, to, me, from, him);
    sent_at[him] = out;
    got_at[him] = in;
    out += sent[him];
    in += got[him];
    (void)copy(move, from, me, to, him, move->out + (size_t)sent_at[him] * size, true);
  }
  MPI_Ialltoallv(move->out, sent, sent_at, types[move->type], move->in, got, got_at,
                 types[move->type], grid->processes, &request);
  finish(&request);
  for (int him = 0; him < processes; him++)
    (void)copy(move, to, me, from, him, move->in + (size_t)got_at[him] * size, false);
}
