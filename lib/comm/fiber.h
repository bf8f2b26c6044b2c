/* Private to lib/comm: functions that take turns in one thread, each on a stack
 * of its own.  There is no limit on their number but that of addresses and of the
 * pages that their stacks touch. */
#ifndef HY_FIBER_H
#define HY_FIBER_H 1

#include "base/base.h"

#include <setjmp.h>
#include <ucontext.h>

struct hy_fiber {
  void (*body)(void *arg);
  void *arg;
  char *stack; /* its lowest address */
  size_t size;
  bool begun;
  jmp_buf inside;
  void *shadow; /* what the address sanitizer keeps of it while it stands still */
};

/* What a set of fibers shares: their stacks, and the one who resumes them. */
struct hy_fibers {
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
bool hy_fibers_create(int64_t count, struct hy_fibers *fibers);
void hy_fibers_destroy(struct hy_fibers *fibers);

/* Makes fiber number `index`, which begins when it is first resumed. */
void hy_fiber_init(struct hy_fibers *fibers, int64_t index, void (*body)(void *arg), void *arg,
                   struct hy_fiber *fiber);
/* From outside: goes on with the fiber until it yields or its body returns, after
 * which it must not be resumed.  From inside: back to whoever resumed it. */
void hy_fiber_resume(struct hy_fibers *fibers, struct hy_fiber *fiber);
void hy_fiber_yield(struct hy_fibers *fibers, struct hy_fiber *fiber);

#endif
