/* Door of the room base: status, messages, memory, files, log.
 *
 * Nothing here is global: all state hangs on a struct hy_base, and every cube owns one.  Internal
 * names begin with hy_; names that hyla.h declares begin with hyla_. */
#ifndef HY_BASE_H
#define HY_BASE_H 1

#include "hyla_types.h"

#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

#define HY_MESSAGE_MAX 512

/* The state that one rank keeps for messages and memory. */
struct hy_base {
  int rank; /* in the cube's communicator; for messages and the log */
  int log_level;
  hyla_status status; /* of the latest failure; HYLA_OK when nothing has failed */
  char message[HY_MESSAGE_MAX];
  int64_t allocations; /* calls of hy_alloc so far */
  int64_t fail_at;     /* which allocation fails, counted from 1; 0: none */
  int64_t bytes_now, bytes_peak;
  /* Transfers that were given up may still read their buffers, from another process, or write to
   * them.  So freed blocks of a page or more stay mapped until the process ends. */
  bool stays_mapped;
  /* Gives back memory that is kept for later use, before an allocation fails.  NULL: no memory is
   * kept. */
  void (*relieve)(struct hy_base *base);
  int64_t memory_limit; /* most bytes of workspace that a variant may take on a rank; 0: any */
  /* Dry simulations: a reserved address range without memory behind it, where matrix data seem to
   * lie.  NULL: this is no dry simulation.  no_data_bytes = 0: data are only counted, and all
   * blocks get the same address.  nowhere_most: the most that was used at a time, where the user
   * says what it has given back. */
  char *no_data;
  int64_t no_data_bytes, nowhere_used, nowhere_most;
};

/* Makes this function return the status of a call that failed. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    hyla_status try_status_ = (call);                                                              \
    if (try_status_ != HYLA_OK) return try_status_;                                                \
  } while (0)

/* Returns HYLA_<code> with a message (printf style: what, where, what to do)
 * unless the condition holds.  base may be NULL: the message is dropped. */
#define CHECK(base, condition, code, ...)                                                          \
  do {                                                                                             \
    if (!(condition)) return hy_fail((base), HYLA_##code, __VA_ARGS__);                            \
  } while (0)

/* Records the message and returns status.  Control characters in the message become '?'. */
hyla_status hy_fail(struct hy_base *base, hyla_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends the rank to the message, unless the message names it already. */
void hy_message_sign(struct hy_base *base);

/* Checked memory: `count' objects of `size' bytes, zeroed, aligned to 64 bytes.  On failure or
 * overflow *out is NULL and the status MEMORY.  count = 0 gives a valid pointer.  hy_free takes the
 * pointer's address and clears the pointer; the pointer may be NULL. */
hyla_status hy_alloc(struct hy_base *base, int64_t count, size_t size, void *out);
void hy_free(struct hy_base *base, void *pointer);

/* The same for matrix data.  In a dry simulation they take no memory, and nobody may touch them. */
hyla_status hy_alloc_data(struct hy_base *base, int64_t count, size_t size, void *out);

/* Addresses without memory for such data, the largest power of two that the system gives; NULL: it
 * gives none.  They are given back by release, which takes NULL too. */
char *hy_reserve_nowhere(int64_t *bytes);
void hy_release_nowhere(char *place, int64_t bytes);

/* The same, owned by a block: freed with it, the latest first.  So a state that is made as one
 * block owns all the memory that it takes, and one hy_free frees it, also when only half of it was
 * made. owner: the address that hy_alloc gave.  A block that has an owner may be freed before it.
 */
hyla_status hy_alloc_for(struct hy_base *base, void *owner, int64_t count, size_t size, void *out);
hyla_status hy_alloc_data_for(struct hy_base *base, void *owner, int64_t count, size_t size,
                              void *out);
/* The same for indices and messages, which a dry run needs too.  They take memory on every cube; a
 * counting cube counts their bytes with those of data. */
hyla_status hy_alloc_control_for(struct hy_base *base, void *owner, int64_t count, size_t size,
                                 void *out);
/* Gives a block, which may be NULL and has no owner, to one. */
void hy_own(void *owner, void *block);
/* Registers a function that releases something together with a block: `release' is called before
 * the block is freed, while all that the block owns is still there, the latest one first.  The
 * record is a member of the thing that it releases, and stays in its place. */
struct hy_release {
  void (*release)(struct hy_release *self);
  struct hy_release *next;
};
void hy_on_free(void *owner, struct hy_release *release);

/* Bytes behind a block that nobody may write.  set writes them, check compares them when the block
 * of `bytes' goes, overrun is told that they changed and says so in the log.  The tests' harness
 * has an overrun of its own, which ends the test (guard.c).  room: how many bytes are free behind
 * the block; a guard takes HY_GUARD_MOST of them at most. */
enum { HY_GUARD_MOST = 64 };
void hy_guard_set(void *data, int64_t bytes, int64_t room);
void hy_guard_check(const struct hy_base *base, const void *data, int64_t bytes, int64_t room);
void hy_overrun(const struct hy_base *base, int64_t bytes);

/* Local.  The machine's memory and the part of it that is still available, in bytes, both within
 * the limits of the control groups (versions 1 and 2) that hold this process.  INT64_MAX where the
 * system does not say.  root: prefix for the names of the system's files; "" outside tests. */
struct hy_memory {
  int64_t total, available;
};
struct hy_memory hy_memory_probe(const char *root);

/* Local.  Can this process take `bytes' more, while all processes of this machine together take
 * `together'?  The latter includes `bytes'.  The limits are the memory that the system calls
 * available and the process' limit on addresses.  Memory that is kept for later use is given back
 * first.  Callers ask before they take anything, because a system that has promised too much memory
 * swaps for minutes and kills processes.  Small needs are not checked.  MEMORY. */
hyla_status hy_afford(struct hy_base *base, int64_t bytes, double together);

/* ---------------------------------------------------------------- files -- */

/* The end of a long path, short enough that the rest of a message fits beside it. */
const char *hy_path_shown(const char *path);
/* Fails with FILE, the path and errno's reason. */
hyla_status hy_fail_to_write(struct hy_base *base, const char *path);

/* A file that one process writes.  It gets its name only when it is complete, and then replaces any
 * file of that name.  All calls are local. */
struct hy_output_file {
  char path[PATH_MAX]; /* after symbolic links are followed */
  /* What other processes must know to open the file before it has its name. */
  struct hy_output_file_at {
    char name[PATH_MAX + 64];
    uint64_t device, inode, number; /* of a file without a name; number: the first bytes in it */
  } at;
  bool replaces; /* an older file, and keeps its mode */
  unsigned mode;
  bool secret; /* only the owner may read it, whatever it replaces */
  bool made;   /* has a temporary name, which must go if the file is not completed */
};
/* May the path be written?  Also removes files that dead processes of this host left beside it.
 * FILE. */
hyla_status hy_output_file_find(struct hy_base *base, const char *path,
                                struct hy_output_file *target);
/* Make a new file, without a name or with a temporary one.  Return a descriptor, or -1 and
 * errno. */
int hy_output_file_nameless(struct hy_output_file *target);
int hy_output_file_named(struct hy_output_file *target);
/* How other processes open a file of node 0 that has no name.
 * show  node 0 writes a random number into the file; false and errno on failure
 * meet  the others open the file of that name in /proc and compare the number, since /proc of
 *       another machine may hold another process' file there; a descriptor, or -1
 * hide  node 0 removes the number when all have opened the file, before anything else is
 *       written; false and errno on failure */
bool hy_output_file_show(struct hy_output_file *target, int fd);
int hy_output_file_meet(const struct hy_output_file_at *at);
bool hy_output_file_hide(int fd);
/* Gives the complete file its name.  path: for the message.  FILE. */
hyla_status hy_output_file_place(struct hy_base *base, const char *path, int fd,
                                 struct hy_output_file *target);
/* Removes the file unless it has its name by now.  Allowed in any state. */
void hy_output_file_drop(struct hy_output_file *target);

/* Local.  Opens a regular file for reading.  Returns NULL on success, otherwise the reason in
 * words, which errno gives too. */
const char *hy_file_open(const char *path, FILE **file);

/* Local.  The locale "C", in which numbers are read and written; the caller frees it.  MEMORY. */
hyla_status hy_c_locale(struct hy_base *base, locale_t *locale);

/* A text that one process writes into such a file.  Local.
 * open   the path stays the caller's.  FILE, MEMORY
 * close  `whole' says that the caller wrote all of the text; the stream's own errors count too.
 *        A complete file is on the disk before it gets its name; an incomplete one is removed.
 *        *file may be NULL before and is NULL afterwards.  FILE */
struct hy_text_file {
  FILE *stream;
  const char *path;
  struct hy_output_file target;
};
hyla_status hy_text_open(struct hy_base *base, const char *path, struct hy_text_file **file);
hyla_status hy_text_close(struct hy_base *base, bool whole, struct hy_text_file **file);

/* A fingerprint of global arguments: start with 0, then add the bytes of each argument. */
uint64_t hy_fingerprint(uint64_t fingerprint, const void *bytes, size_t size);
/* A random number; no two calls return the same one. */
uint64_t hy_drawn_number(void);
/* Identifies the host: processes with the same machine and the same /proc get equal numbers.
 * Clones of a machine get equal numbers too, so before processes rely on it they must prove, by a
 * random number, that they can open each other's files.  Never 0. */
uint64_t hy_host_number(void);
/* Identifies this start of the kernel.  0: the process has no free descriptor to read it with. */
uint64_t hy_start_number(void);

/* Writes a line to standard error when the cube's log level is at least `level'. */
void hy_log(const struct hy_base *base, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text written into a buffer that may be too small.  `length' keeps counting, so that the caller
 * learns the size that the text needs.  capacity may be 0.  indent: blanks before each line.  A
 * line ends when a format ends in a newline. */
struct hy_text {
  char *text;
  size_t capacity, length;
  int indent;
  bool inside; /* the text so far ends inside a line */
};
void hy_text_add(struct hy_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline int64_t hy_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hy_max(int64_t a, int64_t b) { return a > b ? a : b; }
/* For a >= 0, b > 0. */
static inline int64_t hy_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* re + i im for any two numbers; re + im * I is wrong for infinities.  Some compilers lack C11's
 * CMPLX. */
static inline double _Complex hy_complex(double re, double im) {
  union {
    double parts[2];
    double _Complex value;
  } number = {.parts = {re, im}};
  return number.value;
}

#endif
