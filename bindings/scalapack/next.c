/* Finds the functions behind the drop-in.  A program that is linked with ScaLAPACK has it in the
 * scope into which this object was loaded, after it.  A program that loads it with a module, as
 * interpreters do, has it in the module's own scope, where only the objects themselves can be
 * asked. */
#include "front.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The loader's names of objects.  They are asked after the loader's lock is released. */
struct names {
  char **name;
  int count, room;
};

static int note_name(struct dl_phdr_info *info, size_t size, void *to) {
  struct names *all = to;
  (void)size;
  if (all->count == all->room) {
    const int room = 2 * all->room + 64;
    char **larger = realloc(all->name, (size_t)room * sizeof *larger);
    if (larger == NULL) return 1;
    all->name = larger;
    all->room = room;
  }
  char *copy = strdup(info->dlpi_name);
  if (copy == NULL) return 1;
  all->name[all->count++] = copy;
  return 0;
}

static int read_loads(struct dl_phdr_info *info, size_t size, void *loads) {
  *(unsigned long long *)loads =
      size > offsetof(struct dl_phdr_info, dlpi_adds) ? info->dlpi_adds : 0;
  return 1;
}

unsigned long long dropin_loads(void) {
  unsigned long long loads = 0;
  dl_iterate_phdr(read_loads, &loads);
  return loads;
}

static const void *object_of(const void *symbol) {
  Dl_info info;
  return symbol != NULL && dladdr(symbol, &info) != 0 ? info.dli_fbase : NULL;
}

const char *dropin_file_of(const void *symbol) {
  Dl_info info;
  return dladdr(symbol, &info) != 0 ? info.dli_fname : "";
}

static bool is_own(const void *symbol) {
  static const char here;
  return object_of(symbol) == object_of(&here);
}

/* The object that had the last function, kept open. */
static void *answered;

static void *ask_all(const char *name) {
  struct names all = {0};
  void *found = NULL;
  dl_iterate_phdr(note_name, &all);
  for (int i = 0; i < all.count; i++) {
    void *object = found == NULL && all.name[i][0] != '\0'
                       ? dlopen(all.name[i], RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    free(all.name[i]);
    if (object == NULL) continue;
    void *symbol = dlsym(object, name);
    if (symbol == NULL || is_own(symbol)) {
      dlclose(object);
    } else {
      found = symbol;
      answered = object;
    }
  }
  free(all.name);
  return found;
}

static void *seek(void *first, const char *name) {
  void *symbol = dlsym(first, name);
  if (symbol == NULL && answered != NULL) symbol = dlsym(answered, name);
  return symbol == NULL || is_own(symbol) ? ask_all(name) : symbol;
}

dropin_function *dropin_seek(const char *name) {
  dropin_function *function = NULL;
  void *symbol = seek(RTLD_NEXT, name);
  memcpy(&function, &symbol, sizeof function);
  return function;
}

void *dropin_seek_symbol(const char *name, const void **object) {
  void *symbol = seek(RTLD_DEFAULT, name);
  *object = object_of(symbol);
  return symbol;
}
