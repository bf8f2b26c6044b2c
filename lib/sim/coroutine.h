/* Private to this room: coroutines, functions that take turns in one thread, each on a stack of its
 * own.  Their number is limited only by addresses and by the pages that their stacks touch. */
#ifndef HY_COROUTINE_H
#define HY_COROUTINE_H 1

#include "base/base.h"

#include <setjmp.h>
#include <ucontext.h>

struct hy_coroutine {
  void (*body)(void *arg);
  void *arg;
  char *stack; /* the lowest address */
  size_t size;
  const char *top; /* where the stack ended at its last yield; NULL: it has not begun */
  bool begun;
  jmp_buf inside;
  void *shadow; /* the address sanitizer's state of it while it waits */
};

/* The shared state of a set of coroutines: their stacks, and the context that resumes them. */
struct hy_coroutines {
  char *stacks;
  int64_t count;
  size_t bytes; /* of one stack */
  jmp_buf outside;
  /* The context in which a coroutine begins.  It must not lie in a frame that is never left,
   * because the address sanitizer would guard it for ever. */
  ucontext_t beginning;
  void *shadow;
  const void *outside_stack;
  size_t outside_size;
};

/* Reserves addresses for the stacks of `count' coroutines; pages come when they are touched.  False
 * if there are too few addresses. */
bool hy_coroutines_create(int64_t count, struct hy_coroutines *coroutines);
void hy_coroutines_destroy(struct hy_coroutines *coroutines);

/* Makes coroutine number `index', which begins when it is first resumed. */
void hy_coroutine_init(struct hy_coroutines *coroutines, int64_t index, void (*body)(void *arg),
                       void *arg, struct hy_coroutine *coroutine);
/* resume: from outside, continues the coroutine until it yields or its body returns; after that it
 * must not be resumed.  yield: from inside, returns to the code that resumed it. */
void hy_coroutine_resume(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine);
/* Prefetches the memory of the coroutine that is resumed next, while another one runs. */
void hy_coroutine_fetch(const struct hy_coroutine *coroutine);
void hy_coroutine_yield(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine);

#endif
