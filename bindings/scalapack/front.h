/* The drop-in's two halves.  The front (libhyla_scalapack: front.c, entries.c, lacon.c, next.c,
 * imports.c) is what stands before ScaLAPACK.  It is linked with no MPI, so that it brings none
 * into a program that has another one.  Its first call looks which MPI and which ScaLAPACK the
 * process has by then, and loads the engine (libhyla_scalapack_core: all other files), which is
 * linked with libhyla and its MPI, where that MPI is the process' own. */
#ifndef DROPIN_FRONT_H
#define DROPIN_FRONT_H 1

#include "dropin.h"

/* What the engine asks of the front.  seek: NULL when no loaded object has such a function; find
 * ends the job then. */
struct dropin_front {
  dropin_function *(*seek)(const char *name), *(*find)(const char *name);
  void (*next)(enum dropin_number number, hyla_type type, void **arguments);
};

/* What the front asks of the engine. */
struct dropin_engine {
  void (*call)(enum dropin_number number, hyla_type type, void **arguments);
  void (*drop_context)(int context);
  void (*drop_all)(void);
};

/* The one function that the engine exports.  NULL: the process lacks the function `missing'. */
typedef const struct dropin_engine *dropin_start(const struct dropin_front *front,
                                                 const char **missing);
HYLA_API dropin_start hyla_scalapack_start;

/* next.c.  The function of that name behind the drop-in: in the objects that were loaded with this
 * one and come after it, else in any that are loaded by now, as those of dlopen are.  It stays
 * loaded.  NULL: none has it. */
dropin_function *dropin_seek(const char *name);
/* The same of any symbol and in objects before this one too; object: where the one that has it
 * begins. */
void *dropin_seek_symbol(const char *name, const void **object);
/* How many objects have been loaded so far. */
unsigned long long dropin_loads(void);
/* The file of the object that has the symbol. */
const char *dropin_file_of(const void *symbol);

/* imports.c.  One line on standard error with ScaLAPACK's routines that loaded objects import and
 * the drop-in lacks; nothing where there are none. */
void dropin_print_lacking(void);

#endif
