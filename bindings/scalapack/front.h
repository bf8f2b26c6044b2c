/* The drop-in's two halves.  The front (libhyla_scalapack: front.c, entries.c, lacon.c, next.c,
 * imports.c) takes ScaLAPACK's place.  It is linked with no MPI, so that it brings none into a
 * program with another one.  At its first call it finds out which MPI and which ScaLAPACK the
 * process has.  If that MPI is hyla's, it loads the engine (libhyla_scalapack_core: all other
 * files), which is linked with libhyla and its MPI. */
#ifndef DROPIN_FRONT_H
#define DROPIN_FRONT_H 1

#include "dropin.h"

/* Functions of the front for the engine.  seek: NULL if no loaded object has such a function; find
 * ends the job then. */
struct dropin_front {
  dropin_function *(*seek)(const char *name), *(*find)(const char *name);
  void (*next)(enum dropin_number number, hyla_type type, void **arguments);
};

/* Functions of the engine for the front. */
struct dropin_engine {
  void (*call)(enum dropin_number number, hyla_type type, void **arguments);
  void (*drop_context)(int context);
  void (*drop_all)(void);
};

/* The one function that the engine exports.  NULL if the process lacks the function `missing'. */
typedef const struct dropin_engine *dropin_start(const struct dropin_front *front,
                                                 const char **missing);
HYLA_API dropin_start hyla_scalapack_start;

/* next.c.  The function of that name behind the drop-in: in the objects that were loaded with this
 * one and come after it, else in any object loaded so far, as by dlopen.  It stays loaded.  NULL:
 * no object has it. */
dropin_function *dropin_seek(const char *name);
/* The same for any symbol, also in objects before this one; object: the address of the object that
 * has it. */
void *dropin_seek_symbol(const char *name, const void **object);
/* The number of objects loaded so far. */
unsigned long long dropin_loads(void);
/* The file of the object that has the symbol. */
const char *dropin_file_of(const void *symbol);

/* imports.c.  Prints one line on standard error with ScaLAPACK's routines that loaded objects
 * import and the drop-in lacks; nothing if there are none. */
void dropin_print_lacking(void);

#endif
