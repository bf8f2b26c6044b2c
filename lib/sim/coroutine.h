/* Private to this room: coroutines, functions that take turns in one thread, each on a
 * stack of its own. Their number is limited only by addresses and by the pages that their
 * stacks touch. */
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
  const char *top; /* where the stack ended when it last yielded; NULL: it has not begun */
  bool begun;
  jmp_buf inside;
  void *shadow; /* what the address sanitizer keeps of it while it stands still */
};

/* What a set of coroutines shares: their stacks, and the one who resumes them. */
struct hy_coroutines {
  char *stacks;
  int64_t count;
  size_t bytes; /* of one */
  jmp_buf outside;
  /* What the next coroutine begins with. It must not stand in a frame that is left for
   * ever: the address sanitizer would go on guarding that. */
  ucontext_t beginning;
  void *shadow;
  const void *outside_stack;
  size_t outside_size;
};

/* Addresses for the stacks of `count` coroutines; the pages come as they are touched.
 * False when there are not so many addresses. */
bool hy_coroutines_create(int64_t count, struct hy_coroutines *coroutines);
void hy_coroutines_destroy(struct hy_coroutines *coroutines);

/* Makes coroutine number `index`, which begins when it is first resumed. */
void hy_coroutine_init(struct hy_coroutines *coroutines, int64_t index, void (*body)(void *arg),
                       void *arg, struct hy_coroutine *coroutine);
/* From outside: goes on with the coroutine until it yields or its body returns, after
 * which it must not be resumed.  From inside: back to whoever resumed it. */
void hy_coroutine_resume(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine);
/* It will be resumed next: its memory is fetched while another one runs. */
void hy_coroutine_fetch(const struct hy_coroutine *coroutine);
void hy_coroutine_yield(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine);

#endif
