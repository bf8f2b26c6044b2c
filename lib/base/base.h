/* Door of the room base: status, messages, memory, log.
 *
 * Nothing here is global: all state hangs on a struct hy_base, of which every
 * cube owns one.  Internal names begin with hy_; what hyla.h declares begins
 * with hyla_.
 */
#ifndef HY_BASE_H
#define HY_BASE_H 1

#include "hyla.h"

#include <stdarg.h>

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
