/* One call: hyla takes it, or it is passed on to the next library with a routine of that name.
 *
 * All processes of the grid must decide alike.  The decision depends only on values that are the
 * same on all of them: sizes, descriptors except for LLD, characters, scalars, the grid's shape,
 * the environment.  What may fail on one process alone (LLD, memory, the numbers) comes back from
 * hyla's calls as a status that all share.  Until a call succeeds its results are unchanged, so
 * that it can still be passed on.  The next routine then does what it always does, including
 * errors, PXERBLA and INFO. */
#include "front.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DROPIN_ROW(name, arguments, characters, from)                                              \
  {#name, arguments, characters, from, dropin_read_##name, dropin_run_##name},
const struct dropin_routine dropin_routines[DROPIN_COUNT] = {DROPIN_ROUTINES(DROPIN_ROW)};

static const struct dropin_front *front;

dropin_function *dropin_find(const char *name) { return front->find(name); }

void dropin_next(enum dropin_number number, hyla_type type, void **arguments) {
  front->next(number, type, arguments);
}

/* The size from which hyla takes the routine; HYLA_SCALAPACK_FROM sets one size for all
 * routines. */
static double least_size(const struct dropin_call *call) {
  const char *text = getenv("HYLA_SCALAPACK_FROM");
  if (text != NULL && text[0] != '\0') return atof(text);
  return dropin_from(call);
}

/* Are there no entries to work at, and is there no INFO to set?  A workspace of order 0 may have a
 * descriptor without blocks, and parts may begin behind its end. */
static bool is_idle(const struct dropin_call *call) {
  bool empty = false;
  for (int x = 0; x < call->operands; x++) {
    const struct dropin_operand *o = &call->operand[x];
    if (o->rows < 0 || o->cols < 0) return false;
    empty |= o->rows == 0 || o->cols == 0;
  }
  return call->alone && empty;
}

/* NULL if hyla takes the call, else the reason why not. */
static const char *decide(struct dropin_call *call) {
  const struct dropin_routine *routine = &dropin_routines[call->number];
  bool read = routine->read(call);
  if (call->operands == 0) return "arguments";
  if (call->grid == NULL) return "contexts";
  const char *why = call->between || is_idle(call) ? NULL : dropin_check(call);
  if (why != NULL) return why;
  if (!read) return call->asks ? "query" : "arguments";
  const double least = least_size(call);
  if (least == HUGE_VAL) return "case";
  return call->size < least ? "small" : NULL;
}

/* Ends the job if a rank or the network was lost: then nothing can be passed on. */
static void stop_if_broken(const struct dropin_call *call, hyla_status status) {
  if (status != HYLA_COMMUNICATION && status != HYLA_TIMEOUT && status != HYLA_BROKEN) return;
  fprintf(stderr, "hyla_scalapack: p%c%s: %s\n", dropin_letter(call->type),
          dropin_routines[call->number].name, hyla_cube_message(call->grid->cube));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective over the grid.  NULL if hyla has run the call, or the reason why it did not. */
static const char *take_in_place(struct dropin_call *call) {
  if (dropin_grid_cube(call->grid) == NULL) return "no cube";
  hyla_status status = dropin_keep_begin(call);
  if (status == HYLA_OK) status = dropin_routines[call->number].run(call);
  dropin_keep_end(call, status);
  stop_if_broken(call, status);
  if (status == HYLA_OK) return NULL;
  return call->why != NULL ? call->why : hyla_status_text(status);
}

static const char *take(struct dropin_call *call) {
  if (is_idle(call)) return NULL;
  if (!call->between && !call->bare) return take_in_place(call);
  const hyla_status status = dropin_routines[call->number].run(call);
  if (status == HYLA_OK) return NULL;
  return call->why != NULL ? call->why : hyla_status_text(status);
}

static void call(enum dropin_number number, hyla_type type, void **arguments) {
  struct dropin_call call = {.number = number, .type = type, .arguments = arguments};
  double start = MPI_Wtime();
  const char *why = decide(&call);
  if (why == NULL) why = take(&call);
  if (why != NULL) dropin_next(number, type, arguments);
  dropin_count(number, type, why, MPI_Wtime() - start);
}

/* Functions that are called after results have changed, or collectively, are looked up here. */
const struct dropin_engine *hyla_scalapack_start(const struct dropin_front *from,
                                                 const char **missing) {
  static const struct dropin_engine engine = {call, dropin_drop_context, dropin_drop_all};
  static const char *const names[] = {"Cblacs_get", "Cblacs_gridinfo", "Cblacs2sys_handle",
                                      "pdlapiv_",   "pdormqr_",        "pdlauum_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (from->seek(names[i]) == NULL) {
      *missing = names[i];
      return NULL;
    }
  front = from;
  return &engine;
}
