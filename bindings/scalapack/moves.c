/* Moves block-cyclic matrices from one grid to another, among processes of a grid that have places
 * on one or on both.
 *
 * Each process sends to each other process the entries that it has and the other one will have, by
 * columns, with rows in ascending order; both know them from the descriptors alone.  No process
 * waits inside MPI, whose waits may keep the core. */
#include "dropin.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --------------------------------------------------------------- messages -- */

/* Waits for a request that moves `bytes' of this process.  A process with a core of its own first
 * polls and keeps it: if it left the core to a computing program, it would get it back a tick
 * later, which may be 4 ms.  It keeps the core for this time and for a copy of the bytes at 1 GB/s,
 * because MPI copies pieces within the polls.  Then it sleeps, because a sleeping process is woken
 * before computing ones.  Processes that share cores leave them at once. */
static void finish(const struct dropin_grid *grid, double bytes, MPI_Request *request) {
  enum { YIELDS = 1000, NAP = 50000 };
  const struct timespec nap = {.tv_nsec = NAP};
  const double kept = 4e-3 + bytes * 1e-9, start = MPI_Wtime();
  int done = 0;
  for (int polls = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; polls++)
    if (grid->has_cores && MPI_Wtime() - start < kept)
      continue;
    else if (!grid->has_cores && polls < YIELDS)
      sched_yield();
    else
      nanosleep(&nap, NULL);
}

void dropin_share(const struct dropin_grid *grid, void *values, int count, MPI_Datatype type,
                  MPI_Op op) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, grid->processes, &request);
  finish(grid, 0, &request);
}

void dropin_gather(const struct dropin_grid *grid, void *records, int bytes) {
  MPI_Request request;
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, records, bytes, MPI_BYTE, grid->processes,
                 &request);
  finish(grid, bytes, &request);
}

/* -------------------------------------------------------------- positions -- */

/* One direction of a sub-matrix on its grid: its blocks, the first one's process, the first
 * index. */
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

/* Adjacent local indices, and the index of the first in the sub-matrix. */
struct run {
  int64_t at, length, first;
};

/* Lists the runs of `count' indices that `me' has on its axis and `him' on the other axis; returns
 * their number. */
static int64_t list_runs(const struct axis *mine, int me, const struct axis *other, int him,
                         int64_t count, struct run *runs) {
  int64_t found = 0, length = 0;
  for (int64_t k = 0; k < count; k += length) {
    int64_t here = left_in_block(mine, k), there = left_in_block(other, k);
    length = here < there ? here : there;
    if (length > count - k) length = count - k;
    if (owner(mine, k) != me || owner(other, k) != him) continue;
    runs[found++] = (struct run){local(mine, k), length, k};
  }
  return found;
}

/* ------------------------------------------------------------------ moves -- */

size_t dropin_move_scratch(int64_t rows, int64_t cols) {
  return (size_t)(rows + cols) * sizeof(struct run);
}

/* The place of the process with that number, or -1. */
static int place_of(const struct dropin_place *x, int number) {
  if (x->at != NULL) return x->at[number];
  return number < x->p * x->q ? number : -1;
}

/* The indices that one process has on its grid and another process has on the other grid. */
struct meeting {
  struct run *down, *along;
  int64_t row_runs, col_runs;
};

static bool meet(const struct dropin_move *move, const struct dropin_place *mine, int me,
                 const struct dropin_place *other, int him, struct meeting *it) {
  const int here = place_of(mine, me), there = place_of(other, him);
  if (here < 0 || there < 0) return false;
  const struct axis rows = rows_of(mine), cols = cols_of(mine);
  const struct axis other_rows = rows_of(other), other_cols = cols_of(other);
  it->down = move->scratch;
  it->along = it->down + move->rows;
  it->row_runs =
      list_runs(&rows, here / mine->q, &other_rows, there / other->q, move->rows, it->down);
  it->col_runs =
      list_runs(&cols, here % mine->q, &other_cols, there % other->q, move->cols, it->along);
  return it->row_runs > 0 && it->col_runs > 0;
}

/* Cuts a run to the rows of column `col' that are moved.  The upper part ends with the diagonal
 * that ends in the last row of the last column.  The lower part begins with the diagonal that
 * begins in the first row. */
static struct run cut(const struct dropin_move *move, int64_t col, struct run run) {
  if (move->part == NULL) return run;
  const bool upper = move->part->triangle == HYLA_UPPER;
  const int64_t unit = move->part->diagonal == HYLA_UNIT_DIAGONAL;
  const int64_t more = move->rows - move->cols;
  const int64_t end = upper ? col + 1 - unit + (more > 0 ? more : 0) : move->rows;
  const int64_t begin = upper ? 0 : col + unit + (more < 0 ? more : 0);
  int64_t first = run.first > begin ? run.first : begin, last = run.first + run.length;
  if (last > end) last = end;
  return (struct run){run.at + first - run.first, last > first ? last - first : 0, first};
}

/* Process `me' packs the entries that `him' has on the other grid, or unpacks them. */
static void copy(const struct dropin_move *move, const struct dropin_place *mine, int me,
                 const struct dropin_place *other, int him, char *buffer, bool packs) {
  struct meeting it;
  if (!meet(move, mine, me, other, him, &it)) return;
  const size_t size = dropin_entry_size(move->type), ld = (size_t)mine->desc[LLD] * size;
  for (int64_t c = 0; c < it.col_runs; c++)
    for (int64_t k = 0; k < it.along[c].length; k++) {
      char *column = (char *)mine->array + (size_t)(it.along[c].at + k) * ld;
      for (int64_t r = 0; r < it.row_runs; r++) {
        const struct run run = cut(move, it.along[c].first + k, it.down[r]);
        const size_t bytes = (size_t)run.length * size;
        char *here = column + (size_t)run.at * size;
        if (packs)
          memcpy(buffer, here, bytes);
        else
          memcpy(here, buffer, bytes);
        buffer += bytes;
      }
    }
}

/* The number of entries that `me' has and `him' has on the other grid. */
static int entries(const struct dropin_move *move, const struct dropin_place *mine, int me,
                   const struct dropin_place *other, int him) {
  struct meeting it;
  int64_t height = 0, width = 0, count = 0;
  if (!meet(move, mine, me, other, him, &it)) return 0;
  for (int64_t r = 0; r < it.row_runs; r++) height += it.down[r].length;
  for (int64_t c = 0; c < it.col_runs; c++) width += it.along[c].length;
  if (move->part == NULL) return (int)(height * width);
  for (int64_t c = 0; c < it.col_runs; c++)
    for (int64_t k = 0; k < it.along[c].length; k++)
      for (int64_t r = 0; r < it.row_runs; r++)
        count += cut(move, it.along[c].first + k, it.down[r]).length;
  return (int)count;
}

void dropin_move(const struct dropin_grid *grid, const struct dropin_move *move) {
  static const MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX,
                                       MPI_C_DOUBLE_COMPLEX, MPI_INT};
  const struct dropin_place *from = move->from, *to = move->to;
  const int processes = grid->p * grid->q, me = grid->row * grid->q + grid->col;
  const size_t size = dropin_entry_size(move->type);
  int *sent = move->counts, *sent_at = sent + processes;
  int *got = sent_at + processes, *got_at = got + processes;
  MPI_Request request;
  int out = 0, in = 0;
  for (int him = 0; him < processes; him++) {
    sent[him] = entries(move, from, me, to, him);
    got[him] = entries(move, to, me, from, him);
    sent_at[him] = out;
    got_at[him] = in;
    out += sent[him];
    in += got[him];
    copy(move, from, me, to, him, move->out + (size_t)sent_at[him] * size, true);
  }
  MPI_Ialltoallv(move->out, sent, sent_at, types[move->type], move->in, got, got_at,
                 types[move->type], grid->processes, &request);
  finish(grid, ((double)out + in) * (double)size, &request);
  for (int him = 0; him < processes; him++)
    copy(move, to, me, from, him, move->in + (size_t)got_at[him] * size, false);
}
