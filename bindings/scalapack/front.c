/* The drop-in's front, where every call arrives.  It goes to the engine if the process' MPI is the
 * one with which the engine is linked, else to ScaLAPACK.  Calls that ScaLAPACK makes while it
 * serves one go to ScaLAPACK too.
 *
 * The process' MPI is recognized by a symbol that this MPI's mpi.h makes programs use and no other
 * MPI has; no function with MPI's handles is called, because handles differ between MPIs.  The rank
 * comes from BLACS, as integers. */
#include "front.h"

#include <dlfcn.h>
#include <mpi.h> /* for its macros: nothing of MPI is linked */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function that only this MPI has and whose address no program takes.  A program at a fixed place
 * has copies of data, and of functions whose address is taken, so these would not tell. */
#ifdef OPEN_MPI
#define MPI_FLAVOUR "Open MPI"
static const char *const mpi_symbol = "ompi_mpi_init";
#elif defined MPICH_VERSION
#define MPI_FLAVOUR "MPICH"
static const char *const mpi_symbol = "MPIR_Err_create_code";
#else
#define MPI_FLAVOUR "another MPI"
static const char *const mpi_symbol = "PMPI_Init"; /* an unknown MPI is taken for the right one */
#endif

/* Rank 0 of the program prints. */
enum rank { RANK_UNKNOWN, RANK_FIRST, RANK_OTHER };

/* inside: the next library is at work.  from_c: it was called under a name of its C interface,
 * where numbers are no addresses.  found: its routines, once they have been looked up. */
static bool inside, decided, from_c;
static enum rank rank;
static const struct dropin_engine *engine;
static dropin_function *found[2][DROPIN_COUNT][DROPIN_TYPES];

#define DROPIN_NAME(name, arguments, characters, from) {#name, arguments, characters},
static const struct routine {
  const char *name;
  int arguments, characters;
} routines[DROPIN_COUNT] = {DROPIN_ROUTINES(DROPIN_NAME)};

/* ---------------------------------------------------------------- the next -- */

typedef void end_job(int context, int status);

dropin_function *dropin_find(const char *name) {
  dropin_function *function = dropin_seek(name);
  if (function != NULL) return function;
  fprintf(stderr,
          "hyla_scalapack: no %s in the libraries of this program; link ScaLAPACK itself after "
          "-lhyla_scalapack, as a shared library\n",
          name);
  function = dropin_seek("Cblacs_abort");
  if (function != NULL) ((end_job *)function)(0, EXIT_FAILURE);
  abort();
}

/* Every argument is an address, and C's calling convention ignores arguments that a routine does
 * not take, so one call serves all routines.  The lengths of characters follow the arguments, as
 * gfortran passes them. */
#define ADDRESSES_10 void *, void *, void *, void *, void *, void *, void *, void *, void *, void *
#define ADDRESSES ADDRESSES_10, ADDRESSES_10, ADDRESSES_10, ADDRESSES_10
typedef void any(ADDRESSES);
typedef float any_float(ADDRESSES);
typedef double any_double(ADDRESSES);
#define TEN(a, k)                                                                                  \
  a[k], a[(k) + 1], a[(k) + 2], a[(k) + 3], a[(k) + 4], a[(k) + 5], a[(k) + 6], a[(k) + 7],        \
      a[(k) + 8], a[(k) + 9]
#define FORTY(a) TEN(a, 0), TEN(a, 10), TEN(a, 20), TEN(a, 30)

typedef void move_all(int, int, void *, int, int, void *, void *, int, int, void *, int);
typedef void move_part(void *, void *, int, int, void *, int, int, void *, void *, int, int, void *,
                       int);

/* One library's Fortran names call its C names, another's may do the reverse; so a call goes to a
 * name of the same kind. */
static void next_in_c(enum dropin_number number, dropin_function *next, void **a) {
  int k[11] = {0};
  const int first = number == DROPIN_gemr2d ? 0 : 2;
  const int numbers[] = {0, 1, 3, 4, 7, 8, 10};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    k[numbers[i]] = *(const int *)a[first + numbers[i]];
  void **from = a + first + 2, **to = a + first + 6;
  if (number == DROPIN_gemr2d)
    ((move_all *)next)(k[0], k[1], from[0], k[3], k[4], from[3], to[0], k[7], k[8], to[3], k[10]);
  else
    ((move_part *)next)(a[0], a[1], k[0], k[1], from[0], k[3], k[4], from[3], to[0], k[7], k[8],
                        to[3], k[10]);
}

/* A function's value comes in a register of its type. */
static void next_in_fortran(enum dropin_number number, hyla_type type, dropin_function *next,
                            void **arguments) {
  const struct routine *routine = &routines[number];
  void *a[DROPIN_ARGUMENTS] = {0};
  const int count = routine->arguments + dropin_more(number, type);
  for (int i = 0; i < count; i++) a[i] = arguments[i];
  for (int i = 0; i < routine->characters; i++) a[count + i] = (void *)(uintptr_t)1;
  void *value = dropin_returns(number) ? arguments[count] : NULL;
  if (value == NULL)
    ((any *)next)(FORTY(a));
  else if (type == HYLA_FLOAT || type == HYLA_COMPLEX)
    *(float *)value = ((any_float *)next)(FORTY(a));
  else
    *(double *)value = ((any_double *)next)(FORTY(a));
}

void dropin_next(enum dropin_number number, hyla_type type, void **arguments) {
  const bool in_c = from_c, before = inside;
  dropin_function **next = &found[in_c][number][type];
  if (*next == NULL) {
    char name[32];
    snprintf(name, sizeof name, in_c ? "Cp%c%s" : "p%c%s_", dropin_letter(type),
             routines[number].name);
    *next = dropin_find(name);
  }
  inside = true;
  if (in_c)
    next_in_c(number, *next, arguments);
  else
    next_in_fortran(number, type, *next, arguments);
  inside = before;
}

/* -------------------------------------------------------------- the engine -- */

typedef void who_am_i(int *rank, int *processes);

/* Local; finds the rank once BLACS is loaded. */
static void find_rank(void) {
  dropin_function *pinfo = rank == RANK_UNKNOWN ? dropin_seek("Cblacs_pinfo") : NULL;
  if (pinfo == NULL) return;
  int me = 0, processes = 0;
  ((who_am_i *)pinfo)(&me, &processes);
  rank = me == 0 ? RANK_FIRST : RANK_OTHER;
}

/* Loads the engine, which is installed beside this library. */
static const struct dropin_engine *load_engine(void) {
  static const struct dropin_front front = {dropin_seek, dropin_find, dropin_next};
  const char *here = dropin_file_of(&front), *slash = strrchr(here, '/');
  const size_t length = slash != NULL ? (size_t)(slash - here) + 1 : 0;
  char *path = malloc(length + sizeof DROPIN_ENGINE);
  dropin_start *start = NULL;
  const char *missing = NULL;
  if (path == NULL) return NULL;
  memcpy(path, here, length);
  memcpy(path + length, DROPIN_ENGINE, sizeof DROPIN_ENGINE);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym(library, "hyla_scalapack_start") : NULL;
  free(path);
  if (symbol == NULL) {
    if (rank == RANK_FIRST)
      fprintf(stderr, "hyla_scalapack: all calls go to ScaLAPACK: %s\n", dlerror());
    return NULL;
  }
  memcpy(&start, &symbol, sizeof start);
  const struct dropin_engine *started = start(&front, &missing);
  if (started == NULL && rank == RANK_FIRST)
    fprintf(stderr, "hyla_scalapack: all calls go to ScaLAPACK: no %s in the program's libraries\n",
            missing);
  return started;
}

/* The decision is the same on all processes, which run one program.  It stays open until BLACS has
 * been loaded. */
static const struct dropin_engine *decide_engine(void) {
  static unsigned long long loads;
  if (decided || loads == dropin_loads()) return engine;
  loads = dropin_loads();
  decided = dropin_seek("Cblacs_gridinfo") != NULL;
  if (!decided) return NULL;
  find_rank();
  const void *mpi, *like_ours;
  const void *init = dropin_seek_symbol("PMPI_Init", &mpi);
  (void)dropin_seek_symbol(mpi_symbol, &like_ours);
  if (init != NULL && mpi == like_ours)
    engine = load_engine();
  else if (rank == RANK_FIRST)
    fprintf(stderr,
            "hyla_scalapack: all calls go to ScaLAPACK: this library is for " MPI_FLAVOUR
            ", the program's MPI is %s\n",
            init != NULL ? dropin_file_of(init) : "in no shared library");
  return engine;
}

static void call(enum dropin_number number, hyla_type type, void **arguments, bool in_c) {
  const struct dropin_engine *taker = inside ? NULL : decide_engine();
  const bool before = from_c;
  from_c = in_c;
  if (taker != NULL)
    taker->call(number, type, arguments);
  else
    dropin_next(number, type, arguments);
  from_c = before;
}

void dropin_call(enum dropin_number number, hyla_type type, void **arguments) {
  call(number, type, arguments, false);
}

void dropin_call_from_c(enum dropin_number number, hyla_type type, void **arguments) {
  call(number, type, arguments, true);
}

/* ------------------------------------------- the ways in which BLACS ends -- */

typedef void leave(int context);
typedef void leave_by_address(int *context);

static void drop_context(int context) {
  find_rank(); /* as long as MPI works */
  if (engine != NULL) engine->drop_context(context);
}

HYLA_API void Cblacs_gridexit(int context) {
  drop_context(context);
  ((leave *)dropin_find("Cblacs_gridexit"))(context);
}

HYLA_API void blacs_gridexit_(int *context) {
  drop_context(*context);
  ((leave_by_address *)dropin_find("blacs_gridexit_"))(context);
}

HYLA_API void Cblacs_exit(int go_on) {
  if (engine != NULL) engine->drop_all();
  ((leave *)dropin_find("Cblacs_exit"))(go_on);
}

HYLA_API void blacs_exit_(int *go_on) {
  if (engine != NULL) engine->drop_all();
  ((leave_by_address *)dropin_find("blacs_exit_"))(go_on);
}

/* With HYLA_LOG=1, prints the missing routines after the engine's table. */
__attribute__((destructor)) static void end(void) {
  const char *level = getenv("HYLA_LOG");
  if (rank == RANK_FIRST && level != NULL && atoi(level) >= 1) dropin_print_lacking();
}
