/* Door of the room base: status, messages, memory, log.
 *
 * Nothing here is global: all state hangs on a struct hy_base, of which every
 * cube owns one.  Internal names begin with hy_; what hyla.h declares begins
 * with hyla_.
 */
#ifndef HY_BASE_H
#define HY_BASE_H 1

#include "hyla.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#define HY_MESSAGE_MAX 512

/* One rank's books. */
struct hy_base {
  int rank; /* in the cube's communicator; for messages and the log */
  int log_level;
  hyla_status status; /* of the latest failure, HYLA_OK when none */
  char message[HY_MESSAGE_MAX];
  int64_t allocations; /* calls of hy_alloc so far */
  int64_t fail_at;     /* the allocation, counted from 1, that fails; 0: none */
  int64_t bytes_now;
  int64_t bytes_peak;
  /* Gives memory back that is kept for later, before an allocation fails; NULL: there is none. */
  void (*relieve)(struct hy_base *base);
  int64_t memory_limit; /* bytes of workspace that a variant may take on a rank; 0: any */
  /* Where matrix data lie in a dry simulation: addresses behind which there is no
   * memory.  NULL: it is none.  nowhere_bytes = 0: the data are counted alone, and all
   * stand at the one address. */
  char *nowhere;
  int64_t nowhere_bytes;
  int64_t nowhere_used;
};

/* Returns the status of a failed call from this function. */
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

/* Records the message, in which control characters become '?', and returns status. */
hyla_status hy_fail(struct hy_base *base, hyla_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says which rank the message comes from, unless it says so already. */
void hy_message_sign(struct hy_base *base);

/* Checked memory: count objects of `size` bytes, zeroed, 64-byte aligned; *out is NULL and
 * the status MEMORY on failure or overflow.  count = 0 gives a valid pointer.
 * hy_free takes the pointer's address and clears it; NULL inside is fine. */
hyla_status hy_alloc(struct hy_base *base, int64_t count, size_t size, void *out);
void hy_free(struct hy_base *base, void *pointer);

/* The same for matrix data, which in a dry simulation take no memory and must not be
 * touched. */
hyla_status hy_alloc_data(struct hy_base *base, int64_t count, size_t size, void *out);

/* Local.  How much memory there is, and how much of it can still be had: of the machine, within
 * the limits of the control groups (versions 1 and 2) that hold this process.  Bytes; INT64_MAX
 * where the system does not say.  root: what stands before the names of the system's files; ""
 * but in tests. */
struct hy_memory {
  int64_t total;
  int64_t available;
};
struct hy_memory hy_memory_there(const char *root);

/* Local.  Can the process have `bytes' more?  All processes of this machine take `together' at the
 * same time, these bytes included.  The answer goes by the memory that the system calls available
 * and by the process' limit on addresses; memory that is kept for later goes first.  Asked before
 * anything is taken: a system that has promised too much swaps for minutes and ends processes.
 * Small needs are not asked about.  MEMORY. */
hyla_status hy_afford(struct hy_base *base, int64_t bytes, double together);

/* ---------------------------------------------------------------- files -- */

/* The end of a long path, so that a message has room for what it says. */
const char *hy_path_shown(const char *path);
/* FILE, with errno's reason. */
hyla_status hy_fail_to_write(struct hy_base *base, const char *path);

/* A file that one process makes, and that gets its name, or takes the place of the one that has it,
 * when it is complete.  All calls are local. */
struct hy_target {
  char path[PATH_MAX]; /* behind symbolic links */
  /* What other processes have to know to open it until then. */
  struct hy_target_at {
    char name[PATH_MAX + 64];
    uint64_t device, inode, number; /* of one without a name; number: its first bytes */
  } at;
  bool replaces; /* another file, whose mode is kept */
  unsigned mode;
  bool secret; /* for its owner alone, whatever it replaces */
  bool made;   /* under a name that must go if it is not completed */
};
/* May the path be written?  Removes what dead processes of this host left beside it.  FILE. */
hyla_status hy_target_find(struct hy_base *base, const char *path, struct hy_target *target);
/* A new file without a name, or with a temporary one.  A descriptor, or -1 and errno. */
int hy_target_nameless(struct hy_target *target);
int hy_target_named(struct hy_target *target);
/* What other processes do to have node 0's file without a name: it puts a drawn number into the
 * file (show), they open what is under that name in /proc and compare (meet), and when all have it
 * the number goes (hide), before anything is written.  The other machine's /proc may have another
 * process' file there.  show, hide: false and errno; meet: a descriptor, or -1. */
bool hy_target_show(struct hy_target *target, int fd);
int hy_target_meet(const struct hy_target_at *at);
bool hy_target_hide(int fd);
/* The complete file gets its name; path: for the message.  FILE. */
hyla_status hy_target_place(struct hy_base *base, const char *path, int fd,
                            struct hy_target *target);
/* Removes the file unless it has got its name; fine in any state. */
void hy_target_drop(struct hy_target *target);

/* A text that one process writes into such a file.  Local.  open: FILE, MEMORY; path stays the
 * caller's.  close: whole says that all of it was written to the stream, unless that itself knows
 * otherwise; the file is on the disk before it gets its name, or else is gone.  *file is NULL
 * afterwards, and may be before.  FILE. */
struct hy_text_file {
  FILE *stream;
  const char *path;
  struct hy_target target;
};
hyla_status hy_text_open(struct hy_base *base, const char *path, struct hy_text_file **file);
hyla_status hy_text_close(struct hy_base *base, bool whole, struct hy_text_file **file);

/* A fingerprint of global arguments: start with 0, add each argument's bytes. */
uint64_t hy_fingerprint(uint64_t fingerprint, const void *bytes, size_t size);
/* A number that no other call has had. */
uint64_t hy_drawn_number(void);
/* Processes that see the same machine and the same /proc have equal numbers, clones of a machine
 * too: that they can open what the other one has open is to be seen, by a drawn number, before they
 * rely on it.  Never 0. */
uint64_t hy_host_number(void);
/* Each start of a kernel has its own; 0: it cannot be read, for want of a descriptor. */
uint64_t hy_start_number(void);

/* To standard error, when the cube's log level is at least `level`. */
void hy_log(const struct hy_base *base, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text being written into a buffer that may be too small; `length` goes on
 * counting, so that the caller learns what is needed.  capacity 0 is fine.
 * indent: blanks before each line.  A line ends where a format does, in a newline. */
struct hy_text {
  char *text;
  size_t capacity;
  size_t length;
  int indent;
  bool inside; /* a line */
};
void hy_text_add(struct hy_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline int64_t hy_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hy_max(int64_t a, int64_t b) { return a > b ? a : b; }
/* For a >= 0, b > 0. */
static inline int64_t hy_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* re + i im, whatever the two are (re + im * I is wrong for infinities).  C11's
 * CMPLX is not known to every compiler. */
static inline double _Complex hy_complex(double re, double im) {
  union {
    double parts[2];
    double _Complex value;
  } number = {.parts = {re, im}};
  return number.value;
}

#endif
