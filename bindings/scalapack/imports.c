/* Finds ScaLAPACK's routines that a program could call and the drop-in lacks: names that the
 * program's objects import, according to their relocations, and that ScaLAPACK's object defines. */
#include "front.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object's symbols, and the relocations with the symbols that it uses: one list for data and
 * functions, one for functions called through a table. */
struct table {
  const ElfW(Sym) * symbols;
  const char *texts;
  struct relocations {
    const char *first;
    size_t bytes;
  } of[2];
  size_t stride;
};

/* The loader may already have added the object's place to these addresses. */
static const void *address(const struct dl_phdr_info *info, ElfW(Addr) value) {
  const ElfW(Addr) at = value < info->dlpi_addr ? value + info->dlpi_addr : value;
  const void *pointer = NULL;
  memcpy(&pointer, &at, sizeof pointer);
  return pointer;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info) {
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return address(info, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return NULL;
}

static struct table read_table(const struct dl_phdr_info *info) {
  struct table table = {.stride = sizeof(ElfW(Rela))};
  const ElfW(Dyn) *entry = dynamic_of(info);
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) switch (entry->d_tag) {
    case DT_SYMTAB: table.symbols = address(info, entry->d_un.d_ptr); break;
    case DT_STRTAB: table.texts = address(info, entry->d_un.d_ptr); break;
    case DT_REL: table.stride = sizeof(ElfW(Rel)); /* fall through */
    case DT_RELA: table.of[0].first = address(info, entry->d_un.d_ptr); break;
    case DT_RELSZ:
    case DT_RELASZ: table.of[0].bytes = entry->d_un.d_val; break;
    case DT_JMPREL: table.of[1].first = address(info, entry->d_un.d_ptr); break;
    case DT_PLTRELSZ: table.of[1].bytes = entry->d_un.d_val; break;
    default: break;
    }
  return table;
}

/* A sorted list of names. */
struct names {
  char **name;
  int count, room;
  const void *without; /* an object to leave out */
};

static bool is_name(const char *text) {
  const size_t length = strlen(text);
  return length > 4 && text[0] == 'p' && strchr("sdczi", text[1]) != NULL &&
         text[length - 1] == '_';
}

/* The position of the text, or where it would be. */
static int place(const struct names *all, const char *text, bool *is_there) {
  int low = 0, high = all->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (strcmp(all->name[middle], text) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *is_there = low < all->count && strcmp(all->name[low], text) == 0;
  return low;
}

static void add(struct names *all, const char *text) {
  bool is_there = false;
  const int at = place(all, text, &is_there);
  if (is_there) return;
  if (all->count == all->room) {
    char **larger = realloc(all->name, (size_t)(2 * all->room + 64) * sizeof *larger);
    if (larger == NULL) return;
    all->name = larger;
    all->room = 2 * all->room + 64;
  }
  char *copy = strdup(text);
  if (copy == NULL) return;
  memmove(all->name + at + 1, all->name + at, (size_t)(all->count - at) * sizeof *all->name);
  all->name[at] = copy;
  all->count++;
}

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF ELF64_R_SYM
#else
#define SYMBOL_OF ELF32_R_SYM
#endif

static int read_imports(struct dl_phdr_info *info, size_t size, void *to) {
  struct names *all = to;
  const struct table table = read_table(info);
  (void)size;
  if (table.symbols == NULL || table.texts == NULL) return 0;
  if (all->without == address(info, info->dlpi_addr)) return 0;
  for (int kind = 0; kind < 2; kind++)
    for (size_t at = 0; at < table.of[kind].bytes; at += table.stride) {
      /* Both kinds of relocations have the same beginning. */
      const ElfW(Rel) *relocation = (const void *)(table.of[kind].first + at);
      const ElfW(Sym) *symbol = &table.symbols[SYMBOL_OF(relocation->r_info)];
      const char *text = table.texts + symbol->st_name;
      if (symbol->st_shndx == SHN_UNDEF && is_name(text)) add(all, text);
    }
  return 0;
}

static const void *object_of(const char *name) {
  dropin_function *function = dropin_seek(name);
  const void *symbol = NULL;
  Dl_info info;
  memcpy(&symbol, &function, sizeof symbol);
  return symbol != NULL && dladdr(symbol, &info) != 0 ? info.dli_fbase : NULL;
}

void dropin_print_lacking(void) {
  static const char here;
  const void *scalapack = object_of("pdgemm_");
  struct names all = {.without = scalapack};
  void *own = dlopen(dropin_file_of(&here), RTLD_LAZY | RTLD_NOLOAD);
  dl_iterate_phdr(read_imports, &all);
  bool some = false;
  for (int i = 0; i < all.count; i++) {
    if (own != NULL && dlsym(own, all.name[i]) == NULL && object_of(all.name[i]) == scalapack) {
      fprintf(stderr, "%s %.*s", some ? "" : "hyla_scalapack has not, and the program imports:",
              (int)strlen(all.name[i]) - 1, all.name[i]);
      some = true;
    }
    free(all.name[i]);
  }
  if (some) fprintf(stderr, "\n");
  free(all.name);
  if (own != NULL) dlclose(own);
}
