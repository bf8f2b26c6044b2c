/* Private to this room: functions that take turns in one thread, each on a stack
 * of its own.  There is no limit on their number but that of addresses and of the
 * pages that their stacks touch. */
#ifndef HY_COROUTINE_H
#define HY_COROUTINE_H 1

#include "base/base.h"

#include <setjmp.h>
#include <ucontext.h>

struct hy_coroutine {
  void (*body)(void *arg);
  void *arg;
  char *stack; /* its lowest address */
  size_t size;
  bool begun;
  jmp_buf inside;
  void *shadow; /* what the address sanitizer keeps of it while it stands still */
};

/* What a set of fibers shares: their stacks, and the one who resumes them. */
struct hy_coroutines {
  char *stacks;
  int64_t count;
  size_t bytes; /* of one */
  jmp_buf outside;
  /* What the next fiber begins with; not in a frame that is left for ever, which the
   * address sanitizer would go on guarding. */
  ucontext_t beginning;
  void *shadow;
  const void *outside_stack;
  size_t outside_size;
};

/* Addresses for the stacks of `count` fibers; the pages come as they are touched.
 * False when there are not so many addresses. */
bool hy_coroutines_create(int64_t count, struct hy_coroutines *fibers);
void hy_coroutines_destroy(struct hy_coroutines *fibers);

/* Makes fiber number `index`, which begins when it is first resumed. */
void hy_coroutine_init(struct hy_coroutines *fibers, int64_t index, void (*body)(void *arg),
                       void *arg, struct hy_coroutine *fiber);
/* From outside: goes on with the fiber until it yields or its body returns, after
 * which it must not be resumed.  From inside: back to whoever resumed it. */
void hy_coroutine_resume(struct hy_coroutines *fibers, struct hy_coroutine *fiber);
void hy_coroutine_yield(struct hy_coroutines *fibers, struct hy_coroutine *fiber);

#endif
