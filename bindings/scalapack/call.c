/* One call: taken by hyla, or passed on to the next library that has a routine of its name.
 *
 * All processes of the grid must decide alike, and do: what is looked at is the same on all of them
 * (sizes, descriptors but for LLD, characters, scalars, the grid's shape, the environment), and
 * what may fail on one alone (LLD, memory, what the numbers show) comes back from hyla's calls as a
 * status that all share.  Until a call succeeds its results are as they were, so that it can still
 * be passed on; the next routine then does what it always did, errors, PXERBLA and INFO included.
 *
 * Calls that the next library makes while it serves a call are its own business. */
#include "dropin.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DROPIN_ROW(name, arguments, characters, from)                                              \
  {#name, arguments, characters, from, dropin_read_##name, dropin_run_##name},
const struct dropin_routine dropin_routines[DROPIN_COUNT] = {DROPIN_ROUTINES(DROPIN_ROW)};

/* Is the next library at work?  And its routines, once they have been looked for. */
static bool inside;
static dropin_function *found[DROPIN_COUNT][DROPIN_TYPES];

char dropin_letter(hyla_type type) { return "sdcz"[type]; }

dropin_function *dropin_find(const char *name) {
  dropin_function *function = NULL;
  void *symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) {
    fprintf(stderr,
            "hyla_scalapack: no %s in the libraries after this one; link ScaLAPACK itself after "
            "-lhyla_scalapack, as a shared library\n",
            name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memcpy(&function, &symbol, sizeof function);
  return function;
}

/* Every argument is an address, those of C's calling convention that a routine does not ask for are
 * not looked at; so one call serves all routines.  After the arguments come the lengths of
 * characters, as gfortran passes them. */
typedef void any(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                 void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                 void *, void *);

void dropin_next(enum dropin_number number, hyla_type type, void **arguments) {
  const struct dropin_routine *routine = &dropin_routines[number];
  dropin_function **next = &found[number][type];
  if (*next == NULL) {
    char name[32];
    snprintf(name, sizeof name, "p%c%s_", dropin_letter(type), routine->name);
    *next = dropin_find(name);
  }
  void *a[DROPIN_ARGUMENTS] = {0};
  for (int i = 0; i < routine->arguments; i++) a[i] = arguments[i];
  for (int i = 0; i < routine->characters; i++) a[routine->arguments + i] = (void *)(uintptr_t)1;
  bool before = inside;
  inside = true;
  ((any *)*next)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                 a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21]);
  inside = before;
}

/* HYLA_SCALAPACK_FROM: one size from which all routines are taken. */
static double least_size(const struct dropin_call *call) {
  const char *text = getenv("HYLA_SCALAPACK_FROM");
  if (text != NULL && text[0] != '\0') return atof(text);
  if (dropin_grid_is_staged(call->grid)) return dropin_staged_from(call);
  return call->from > 0 ? call->from : dropin_routines[call->number].from;
}

/* NULL, or why the call is not for hyla. */
static const char *decide(struct dropin_call *call) {
  const struct dropin_routine *routine = &dropin_routines[call->number];
  bool read = routine->read(call);
  if (call->operands == 0) return "arguments";
  if (call->grid == NULL) return "contexts";
  const char *why = dropin_check(call);
  if (why != NULL) return why;
  if (!read) return "arguments";
  const double least = least_size(call);
  if (least == HUGE_VAL) return call->from > 0 ? "case" : "grid";
  return call->size < least ? "small" : NULL;
}

/* A rank that was lost, or a network: nothing can be passed on. */
static void stop_if_broken(const struct dropin_call *call, hyla_status status) {
  if (status != HYLA_COMMUNICATION && status != HYLA_TIMEOUT && status != HYLA_BROKEN) return;
  fprintf(stderr, "hyla_scalapack: p%c%s: %s\n", dropin_letter(call->type),
          dropin_routines[call->number].name, hyla_cube_message(call->grid->cube));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

const char *dropin_take(struct dropin_call *call) {
  if (dropin_grid_cube(call->grid) == NULL) return "no cube";
  hyla_status status = dropin_open(call);
  if (status == HYLA_OK) status = dropin_routines[call->number].run(call);
  dropin_close(call);
  stop_if_broken(call, status);
  if (status == HYLA_OK) return NULL;
  return call->why != NULL ? call->why : hyla_status_text(status);
}

void dropin_call(enum dropin_number number, hyla_type type, void **arguments) {
  if (inside) {
    dropin_next(number, type, arguments);
    return;
  }
  struct dropin_call call = {.number = number, .type = type, .arguments = arguments};
  double start = MPI_Wtime();
  const char *why = decide(&call);
  if (why == NULL)
    why = dropin_grid_is_staged(call.grid) ? dropin_run_staged(&call) : dropin_take(&call);
  if (why != NULL) dropin_next(number, type, arguments);
  dropin_count(number, type, why, call.on_fewer, MPI_Wtime() - start);
}
