#include "io/hdf5_library.h"

#include <dlfcn.h>

/* Finds a function or variable.  A program that is linked with HDF5 itself may have the variables
 * at a place of its own, which all must use.  POSIX lets a pointer of dlsym be stored so. */
static bool find(void *handle, const char *name, void *place) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) found = dlsym(handle, name);
  *(void **)place = found;
  return found != NULL;
}

const char *hy_hdf5_load(struct hy_hdf5_library *lib) {
  void *handle = dlopen(HY_HDF5_FILE, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  bool whole = handle != NULL;
/* Some names of HDF5's are macros of others. */
#define NAME(name) #name
#define FIND(name) whole = whole && find(handle, NAME(name), &lib->name);
  HY_HDF5_CALLS(FIND)
  HY_HDF5_NUMBERS(FIND)
  return whole ? NULL : dlerror();
}
