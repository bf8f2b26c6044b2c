/* System calls that fail: preloaded into a command or a program of the library.
 *
 * The calls below are counted if hyla's own objects make them, or jansson, zlib and the C library
 * for hyla's objects; calls of MPI and BLAS are not counted.  From the environment:
 *   HYLA_FAIL_AT     the call, counted from 1, that fails; 0: none
 *   HYLA_FAIL_ON     if set, all later ones of its kind (memory, files) fail too
 *   HYLA_FAIL_RANK   the rank, as the launcher numbers it, in which the call fails
 *   HYLA_FAIL_REPORT a file to which each rank adds a line: its number, the counted calls,
 *                    the numbers of their blocks and mappings of memory and of their descriptors
 *                    that are left, and the name of the call that failed
 *   HYLA_FAIL_STACKS a file to which each rank adds the places that made calls (stacks.h)
 *   HYLA_FAIL_SERVE  on one rank: many runs, whose calls are counted from MPI's start on (serve.c)
 */
#include "failing.h"
#include "stacks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANGES = 64, FRAMES = 24, BLOCKS = 1 << 18, DESCRIPTORS = 1024 };
enum whose { OTHER, LIBC, OWN };
enum kind { MEMORY, FILES };

/* The shim's own state: it lives as long as the process that it is loaded into. */
static struct {
  struct range {
    uintptr_t from, to;
    enum whose whose;
  } range[RANGES];
  int ranges;
  bool ready;
  long at, counted;
  bool on, here;
  bool listing; /* stacks are noted */
  bool served;
  int rank;
  enum kind failed_kind;
  const char *failed;
  pthread_mutex_t mutex;
  void *block[BLOCKS]; /* open addressing; GONE marks a removed block */
  long blocks, maps;
  bool descriptor[DESCRIPTORS];
} shim = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static char gone;
static _Thread_local int inside; /* the shim's own calls are ignored */

/* -------------------------------------------------------------- callers -- */

static enum whose whose_object(const char *name) {
  const char *base = strrchr(name, '/');
  base = base != NULL ? base + 1 : name;
  if (*name == '\0' || strncmp(base, "libhyla", 7) == 0) return OWN;
  if (strncmp(base, "libjansson", 10) == 0 || strncmp(base, "libz.", 5) == 0) return OWN;
  return strncmp(base, "libc.", 5) == 0 || strncmp(base, "failing", 7) == 0 ? LIBC : OTHER;
}

static int add_object(struct dl_phdr_info *object, size_t size, void *none) {
  (void)size, (void)none;
  enum whose whose = whose_object(object->dlpi_name);
  for (int i = 0; i < object->dlpi_phnum && whose != OTHER && shim.ranges < RANGES; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uintptr_t from = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0)
      shim.range[shim.ranges++] = (struct range){from, from + part->p_memsz, whose};
  }
  return 0;
}

static enum whose whose_call(const void *address) {
  for (int i = 0; i < shim.ranges; i++)
    if ((uintptr_t)address >= shim.range[i].from && (uintptr_t)address < shim.range[i].to)
      return shim.range[i].whose;
  return OTHER;
}

/* Does one of hyla's objects call, perhaps through the C library? */
static bool is_own(const void *caller) {
  enum whose whose = whose_call(caller);
  if (whose != LIBC) return whose == OWN;
  void *frame[FRAMES];
  int frames = backtrace(frame, FRAMES);
  for (int i = 0; i < frames; i++) {
    whose = whose_call(frame[i]);
    if (whose != LIBC) return whose == OWN;
  }
  return false;
}

/* ------------------------------------------------------------- failures -- */

static long number(const char *name) {
  const char *text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
  static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
  void *frame[2];
  inside++;
  (void)backtrace(frame, 2); /* loads the libraries that it needs */
  dl_iterate_phdr(add_object, NULL);
  for (int i = 0; i < 3; i++)
    if (getenv(ranks[i]) != NULL) shim.rank = (int)number(ranks[i]);
  shim.at = number("HYLA_FAIL_AT");
  shim.on = getenv("HYLA_FAIL_ON") != NULL;
  shim.here = number("HYLA_FAIL_RANK") == shim.rank;
  shim.listing = getenv("HYLA_FAIL_STACKS") != NULL;
  shim.ready = true;
  inside--;
}

/* Counts a call; true: it fails. */
static bool fails(const void *caller, enum kind kind, const char *name) {
  if (!shim.ready || inside > 0) return false;
  inside++;
  bool failing = false;
  if (is_own(caller)) {
    pthread_mutex_lock(&shim.mutex);
    shim.counted++;
    if (shim.listing) stacks_note(shim.counted, name);
    bool first = shim.here && shim.counted == shim.at;
    failing = first || (shim.on && shim.failed != NULL && shim.failed_kind == kind);
    if (first) shim.failed_kind = kind;
    if (first) shim.failed = name;
    pthread_mutex_unlock(&shim.mutex);
  }
  inside--;
  return failing;
}

/* The function that the shim's replaces. */
static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }
#define NEXT(name)                                                                                 \
  static __typeof__(&name) real;                                                                   \
  if (real == NULL) {                                                                              \
    void *found = next(#name);                                                                     \
    memcpy(&real, &found, sizeof real);                                                            \
  }
#define CALLER __builtin_return_address(0)
#define FAIL(kind, name, code, value)                                                              \
  do {                                                                                             \
    if (fails(CALLER, kind, name)) {                                                               \
      errno = code;                                                                                \
      return value;                                                                                \
    }                                                                                              \
  } while (0)

/* ---------------------------------------------------------------- leaks -- */

static size_t place_of(const void *block) {
  return (size_t)((uintptr_t)block / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BLOCKS;
}

/* Notes blocks that hyla's objects request themselves: the C library may keep its own. */
static void *note(const void *caller, void *block) {
  if (block == NULL || !shim.ready || inside > 0 || whose_call(caller) != OWN) return block;
  pthread_mutex_lock(&shim.mutex);
  size_t i = place_of(block);
  while (shim.block[i] != NULL && shim.block[i] != &gone) i = (i + 1) % BLOCKS;
  shim.block[i] = block;
  shim.blocks++;
  pthread_mutex_unlock(&shim.mutex);
  return block;
}

static bool forget(const void *block) {
  if (block == NULL || shim.blocks == 0) return false;
  bool found = false;
  pthread_mutex_lock(&shim.mutex);
  for (size_t i = place_of(block); shim.block[i] != NULL && !found; i = (i + 1) % BLOCKS)
    if (shim.block[i] == block) {
      shim.block[i] = &gone;
      shim.blocks--;
      found = true;
    }
  pthread_mutex_unlock(&shim.mutex);
  return found;
}

static int note_descriptor(const void *caller, int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS && whose_call(caller) == OWN)
    shim.descriptor[descriptor] = true;
  return descriptor;
}

void failing_arm(long at, bool on) {
  shim.here = true;
  shim.counted = 0;
  shim.failed = NULL;
  shim.at = at;
  shim.on = on;
}

void failing_apart(int step) { inside += step; }

void failing_look(struct failing *failing) {
  *failing = (struct failing){shim.counted, shim.blocks, shim.maps, 0, shim.failed};
  for (int i = 0; i < DESCRIPTORS; i++) failing->descriptors += shim.descriptor[i];
}

static void report(void) {
  const char *path = getenv("HYLA_FAIL_REPORT"), *stacks = getenv("HYLA_FAIL_STACKS");
  if (path == NULL) return;
  inside++;
  if (stacks != NULL) stacks_write(stacks, shim.rank);
  struct failing all;
  failing_look(&all);
  FILE *file = fopen(path, "a");
  if (file != NULL) {
    fprintf(file, "%d %ld %ld %ld %d %s\n", shim.rank, all.counted, all.blocks, all.maps,
            all.descriptors, all.failed != NULL ? all.failed : "-");
    fclose(file);
  }
  inside--;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  static int (*real)(int *, char ***, int, int *);
  void *found = next("MPI_Init_thread");
  memcpy(&real, &found, sizeof real);
  int status = real(argc, argv, required, provided);
  shim.served = failing_serve();
  return status;
}

/* When the command ends MPI, it has released everything. */
int MPI_Finalize(void);
int MPI_Finalize(void) {
  static int (*real)(void);
  void *found = next("MPI_Finalize");
  memcpy(&real, &found, sizeof real);
  report();
  return shim.served ? 0 : real();
}

/* --------------------------------------------------------------- memory -- */

/* dlsym itself may allocate memory. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

void *malloc(size_t size) {
  FAIL(MEMORY, "malloc", ENOMEM, NULL);
  return note(CALLER, __libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
  FAIL(MEMORY, "calloc", ENOMEM, NULL);
  return note(CALLER, __libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
  FAIL(MEMORY, "realloc", ENOMEM, NULL);
  bool known = forget(block);
  void *grown = __libc_realloc(block, size);
  (void)note(CALLER, grown == NULL && known ? block : grown);
  return grown;
}

void *aligned_alloc(size_t alignment, size_t size) {
  FAIL(MEMORY, "aligned_alloc", ENOMEM, NULL);
  return note(CALLER, __libc_memalign(alignment, size));
}

void free(void *block) {
  (void)forget(block);
  __libc_free(block);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  NEXT(mmap)
  FAIL(MEMORY, "mmap", ENOMEM, MAP_FAILED);
  void *map = real(address, bytes, protection, flags, fd, offset);
  bool new = map != MAP_FAILED && (flags & MAP_FIXED) == 0;
  if (new &&inside == 0 && whose_call(CALLER) == OWN)
    __atomic_add_fetch(&shim.maps, 1, __ATOMIC_SEQ_CST);
  return map;
}

int munmap(void *address, size_t bytes) {
  NEXT(munmap)
  if (whose_call(CALLER) == OWN) __atomic_sub_fetch(&shim.maps, 1, __ATOMIC_SEQ_CST);
  return real(address, bytes);
}

int memfd_create(const char *name, unsigned flags) {
  NEXT(memfd_create)
  FAIL(MEMORY, "memfd_create", EMFILE, -1);
  return note_descriptor(CALLER, real(name, flags));
}

int dup(int fd) {
  NEXT(dup)
  FAIL(FILES, "dup", EMFILE, -1);
  return note_descriptor(CALLER, real(fd));
}

/* ---------------------------------------------------------------- files -- */

int open(const char *path, int flags, ...) {
  NEXT(open)
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  FAIL(FILES, "open", EMFILE, -1);
  return note_descriptor(CALLER, real(path, flags, mode));
}

int close(int fd) {
  NEXT(close)
  bool failing = fails(CALLER, FILES, "close");
  int status = real(fd); /* the descriptor is closed even if the call fails */
  if (fd >= 0 && fd < DESCRIPTORS) shim.descriptor[fd] = false;
  if (failing) errno = EIO;
  return failing ? -1 : status;
}

int fclose(FILE *file) {
  NEXT(fclose)
  bool failing = fails(CALLER, FILES, "fclose");
  int fd = fileno(file);
  int status = real(file);
  if (fd >= 0 && fd < DESCRIPTORS) shim.descriptor[fd] = false;
  if (failing) errno = ENOSPC;
  return failing ? EOF : status;
}

/* ----------------------------------------------- calls that only fail -- */

/* type, name, parameters, arguments; the return value of a failure, and errno. */
#define CALLS(_)                                                                                   \
  _(MEMORY, int, mprotect, (void *address, size_t bytes, int protection),                          \
    (address, bytes, protection), -1, ENOMEM)                                                      \
  _(MEMORY, int, posix_fallocate, (int fd, off_t offset, off_t bytes), (fd, offset, bytes),        \
    ENOSPC, ENOSPC)                                                                                \
  _(MEMORY, int, pthread_create,                                                                   \
    (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg),       \
    (thread, attributes, run, arg), EAGAIN, EAGAIN)                                                \
  _(MEMORY, int, ftruncate, (int fd, off_t bytes), (fd, bytes), -1, ENOSPC)                        \
  _(FILES, FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)        \
  _(FILES, FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, ENOMEM)                   \
  _(FILES, DIR *, opendir, (const char *path), (path), NULL, EMFILE)                               \
  _(FILES, ssize_t, read, (int fd, void *data, size_t bytes), (fd, data, bytes), -1, EIO)          \
  _(FILES, ssize_t, pread, (int fd, void *data, size_t bytes, off_t offset),                       \
    (fd, data, bytes, offset), -1, EIO)                                                            \
  _(FILES, ssize_t, write, (int fd, const void *data, size_t bytes), (fd, data, bytes), -1,        \
    ENOSPC)                                                                                        \
  _(FILES, ssize_t, pwrite, (int fd, const void *data, size_t bytes, off_t offset),                \
    (fd, data, bytes, offset), -1, ENOSPC)                                                         \
  _(FILES, int, fflush, (FILE * file), (file), EOF, ENOSPC)                                        \
  _(FILES, char *, fgets, (char *line, int size, FILE *file), (line, size, file), NULL, EIO)       \
  _(FILES, int, fstat, (int fd, struct stat *facts), (fd, facts), -1, EIO)                         \
  _(FILES, int, fsync, (int fd), (fd), -1, EIO)                                                    \
  _(FILES, int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EPERM)                              \
  _(FILES, int, rename, (const char *from, const char *to), (from, to), -1, EIO)                   \
  _(FILES, int, linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags),     \
    (from_fd, from, to_fd, to, flags), -1, ENOENT)

#define DEFINE(kind, type, name, parameters, arguments, value, code)                               \
  type name parameters {                                                                           \
    NEXT(name)                                                                                     \
    FAIL(kind, #name, code, value);                                                                \
    return real arguments;                                                                         \
  }
CALLS(DEFINE)
