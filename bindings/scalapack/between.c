/* p?gemr2d and p?trmr2d: moves a matrix from the processes of one context to those of another.  All
 * processes of a third, the global context, make the call.
 *
 * A process that is in only one of the two contexts learns the other one's grid and descriptor from
 * the processes there: all give theirs to all.  Contexts are numbers that mean something only
 * within a process, and are not compared.  M, N and the gathered records decide whether hyla takes
 * the call, alike on all processes. */
#include "dropin.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { SIDES = 2 };

/* What a process knows about one of the contexts; row < 0: it is not in it. */
struct side {
  int p, q, row, col;
  int i, j, desc[LLD];
};
struct record {
  struct side side[SIDES];
  int lacks; /* enum lack */
};
enum lack { LACKS_NOTHING, LACKS_ARGUMENTS, LACKS_MEMORY };

struct between {
  const struct dropin_call *call;
  struct record *all; /* one for each process */
  int *at[SIDES], *counts, processes, me;
  int desc[SIDES][LLD + 1];
  char *out, *in, *scratch;
};

static bool read(struct dropin_call *call, int at, int global) {
  const int m = dropin_integer(call, at), n = dropin_integer(call, at + 1);
  dropin_operand(call, at + 2, m, n);
  dropin_operand(call, at + 6, m, n);
  call->size = sqrt((double)m * (double)n);
  call->between = true;
  call->grid = dropin_grid_find(dropin_integer(call, global));
  return m > 0 && n > 0;
}

bool dropin_read_gemr2d(struct dropin_call *call) { return read(call, 0, 10); }

bool dropin_read_trmr2d(struct dropin_call *call) {
  const bool letters = dropin_read_triangle(call, 0) && dropin_read_diagonal(call, 1);
  return read(call, 2, 12) && letters;
}

/* Fills in this process' own record of one side. */
static enum lack look(const struct dropin_operand *o, struct side *side) {
  const int *desc = o->desc;
  int p = -1, q = -1, row = -1, col = -1;
  if (desc[CTXT] >= 0) dropin_grid_shape(desc[CTXT], &p, &q, &row, &col);
  *side = (struct side){.p = p, .q = q, .row = row, .col = col, .i = o->i, .j = o->j};
  for (int e = 0; e < LLD; e++) side->desc[e] = e == CTXT ? 0 : desc[e];
  if (row < 0) return LACKS_NOTHING;
  if (desc[DTYPE] != 1 || !dropin_lies_within(o->i, o->rows, desc[M], desc[MB], desc[RSRC], p) ||
      !dropin_lies_within(o->j, o->cols, desc[N], desc[NB], desc[CSRC], q))
    return LACKS_ARGUMENTS;
  const int64_t rows = dropin_held(desc[M], desc[MB], (row - desc[RSRC] + p) % p, p);
  return desc[LLD] >= 1 && desc[LLD] >= rows ? LACKS_NOTHING : LACKS_ARGUMENTS;
}

/* Allocates a buffer for this process' entries on one side. */
static char *take_room(const struct dropin_call *call, int side, const struct side *it,
                       enum lack *lacks) {
  if (it->row < 0 || *lacks == LACKS_ARGUMENTS) return NULL;
  const int64_t entries = dropin_held_of(&call->operand[side], it->p, it->q, it->row, it->col);
  char *room = entries <= INT_MAX /* MPI's counts are int */
                   ? malloc((size_t)(entries + 1) * dropin_entry_size(call->type))
                   : NULL;
  if (room == NULL) *lacks = LACKS_MEMORY;
  return room;
}

static void release(struct between *b) {
  free(b->all);
  free(b->at[0]);
  free(b->counts);
  free(b->out);
  free(b->in);
  free(b->scratch);
}

/* Without memory for the records a process could not even report that; they are as small as the
 * communicator's own. */
static bool prepare(struct between *b) {
  const struct dropin_call *call = b->call;
  const struct dropin_operand *o = call->operand;
  b->all = calloc((size_t)b->processes, sizeof *b->all);
  if (b->all == NULL) return false;
  struct record *mine = &b->all[b->me];
  enum lack lacks = look(&o[0], &mine->side[0]);
  const enum lack other = look(&o[1], &mine->side[1]);
  if (other > lacks) lacks = other;
  b->at[0] = malloc(SIDES * (size_t)b->processes * sizeof *b->at[0]);
  b->counts = malloc(4 * (size_t)b->processes * sizeof *b->counts);
  b->scratch = malloc(dropin_move_scratch(o[0].rows, o[0].cols));
  b->out = take_room(call, 0, &mine->side[0], &lacks);
  b->in = take_room(call, 1, &mine->side[1], &lacks);
  if (b->at[0] == NULL || b->counts == NULL || b->scratch == NULL) lacks = LACKS_MEMORY;
  mine->lacks = (int)lacks;
  return true;
}

/* Is every process of one side's grid there, with one descriptor?  Stores their places. */
static bool place(struct between *b, int s) {
  const struct side *known = NULL;
  int held = 0;
  b->at[s] = b->at[0] + s * b->processes;
  for (int k = 0; k < b->processes; k++) {
    const struct side *side = &b->all[k].side[s];
    b->at[s][k] = side->row < 0 ? -1 : side->row * side->q + side->col;
    if (side->row < 0) continue;
    held++;
    if (known == NULL) known = side;
    bool same =
        side->p == known->p && side->q == known->q && side->i == known->i && side->j == known->j;
    for (int e = 0; e < LLD; e++) same &= side->desc[e] == known->desc[e];
    if (!same) return false;
  }
  if (known == NULL || held != known->p * known->q) return false;
  for (int e = 0; e < LLD; e++) b->desc[s][e] = known->desc[e];
  b->desc[s][LLD] = b->call->operand[s].desc[LLD];
  return true;
}

/* The grid as its first process knows it. */
static struct dropin_place place_on(const struct between *b, int s) {
  int k = 0;
  while (b->at[s][k] < 0) k++;
  const struct side *side = &b->all[k].side[s];
  return (struct dropin_place){
      side->p, side->q, side->i, side->j, b->desc[s], b->call->operand[s].array, b->at[s]};
}

static const char *decide(struct between *b) {
  int lacks = LACKS_NOTHING;
  for (int k = 0; k < b->processes; k++)
    if (b->all[k].lacks > lacks) lacks = b->all[k].lacks;
  if (lacks == LACKS_MEMORY) return hyla_status_text(HYLA_MEMORY);
  if (lacks == LACKS_ARGUMENTS) return "arguments";
  return place(b, 0) && place(b, 1) ? NULL : "contexts";
}

static const char *run(const struct dropin_call *call, const struct dropin_part *part) {
  struct dropin_grid *grid = call->grid;
  struct between b = {
      .call = call, .processes = grid->p * grid->q, .me = grid->row * grid->q + grid->col};
  if (!dropin_grid_processes(grid)) return "contexts";
  const bool prepared = prepare(&b);
  int lost = !prepared;
  dropin_share(grid, &lost, 1, MPI_INT, MPI_MAX);
  const char *why = lost ? hyla_status_text(HYLA_MEMORY) : NULL;
  if (why == NULL) {
    dropin_gather(grid, b.all, sizeof *b.all);
    why = decide(&b);
  }
  if (why == NULL) {
    const struct dropin_place from = place_on(&b, 0), to = place_on(&b, 1);
    const struct dropin_move move = {call->type,
                                     call->operand[0].rows,
                                     call->operand[0].cols,
                                     part,
                                     &from,
                                     &to,
                                     b.out,
                                     b.in,
                                     b.scratch,
                                     b.counts};
    dropin_move(grid, &move);
  }
  release(&b);
  return why;
}

hyla_status dropin_run_gemr2d(struct dropin_call *call) {
  call->why = run(call, NULL);
  return call->why == NULL ? HYLA_OK : HYLA_UNSUPPORTED;
}

hyla_status dropin_run_trmr2d(struct dropin_call *call) {
  const struct dropin_part part = {call->triangle, call->diagonal};
  call->why = run(call, &part);
  return call->why == NULL ? HYLA_OK : HYLA_UNSUPPORTED;
}
