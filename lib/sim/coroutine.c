/* Coroutines: begun by ucontext, switched by _setjmp and _longjmp, which unlike swapcontext make no
 * system calls.
 *
 * Stacks stand far apart in one mapping; untouched pages cost nothing.  The distance has three
 * uses.  A stack that grows too long does not soon meet another.  Valgrind recognizes the step from
 * one stack to another.  Clang's address sanitizer, which is told of each stack here, does not
 * clear the whole shadow of a stack at every switch: it leaves stacks above 4 MiB alone.  Very many
 * stacks stand closer, since each distance of 2 MiB takes a page of page tables.  Each stack begins
 * at another cache line than its neighbours, so that all sets of the caches are used. */

/* glibc's checked _longjmp would report a jump to another stack as a fault. */
#undef _FORTIFY_SOURCE

#include "sim/coroutine.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Bytes of a stack; the same when there are many; the number that counts as many. */
enum { STACK = 8 << 20, STACK_OF_MANY = 256 << 10, MANY = 4096 };
/* Bytes of a cache line; the number of different first lines, which stacks use in turn. */
enum { LINE = 64, COLOURS = 256 };

#if defined(__SANITIZE_ADDRESS__)
#define ANNOUNCE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ANNOUNCE 1
#endif
#endif

#ifdef ANNOUNCE
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void **shadow, const void *stack, size_t size) {
  (void)shadow, (void)stack, (void)size;
}
static void __sanitizer_finish_switch_fiber(void *shadow, const void **stack, size_t *size) {
  (void)shadow, (void)stack, (void)size;
}
#endif

bool hy_coroutines_create(int64_t count, struct hy_coroutines *coroutines) {
  *coroutines =
      (struct hy_coroutines){.count = count, .bytes = count > MANY ? STACK_OF_MANY : STACK};
  size_t all = (size_t)count * coroutines->bytes;
  void *stacks =
      mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) return false;
  /* A huge page would be wasted on the few kilobytes that a stack needs. */
  (void)madvise(stacks, all, MADV_NOHUGEPAGE);
  coroutines->stacks = stacks;
  return true;
}

void hy_coroutines_destroy(struct hy_coroutines *coroutines) {
  if (coroutines->stacks != NULL)
    munmap(coroutines->stacks, (size_t)coroutines->count * coroutines->bytes);
  coroutines->stacks = NULL;
}

void hy_coroutine_init(struct hy_coroutines *coroutines, int64_t index, void (*body)(void *arg),
                       void *arg, struct hy_coroutine *coroutine) {
  coroutine->body = body;
  coroutine->arg = arg;
  coroutine->stack = coroutines->stacks + (size_t)index * coroutines->bytes;
  coroutine->size = coroutines->bytes - (size_t)(index % COLOURS) * LINE;
}

/* The first function of a coroutine.  makecontext passes ints only, so two pointers come in two
 * halves each. */
static void begin(unsigned set_high, unsigned set_low, unsigned high, unsigned low) {
  struct hy_coroutines *coroutines = (void *)(uintptr_t)((uint64_t)set_high << 32 | set_low);
  struct hy_coroutine *coroutine = (void *)(uintptr_t)((uint64_t)high << 32 | low);
  __sanitizer_finish_switch_fiber(NULL, &coroutines->outside_stack, &coroutines->outside_size);
  coroutine->body(coroutine->arg);
  __sanitizer_start_switch_fiber(NULL, coroutines->outside_stack, coroutines->outside_size);
  _longjmp(coroutines->outside, 1); /* never comes back */
}

static void enter(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine) {
  uint64_t all = (uintptr_t)coroutines, one = (uintptr_t)coroutine;
  ucontext_t *context = &coroutines->beginning;
  (void)getcontext(context); /* does not fail */
  context->uc_stack.ss_sp = coroutine->stack;
  context->uc_stack.ss_size = coroutine->size;
  context->uc_link = NULL;
  makecontext(context, (void (*)(void))begin, 4, (unsigned)(all >> 32), (unsigned)all,
              (unsigned)(one >> 32), (unsigned)one);
  coroutine->begun = true;
  (void)setcontext(context);
}

void hy_coroutine_resume(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine) {
  __sanitizer_start_switch_fiber(&coroutines->shadow, coroutine->stack, coroutine->size);
  if (_setjmp(coroutines->outside) == 0) {
    if (coroutine->begun) _longjmp(coroutine->inside, 1);
    enter(coroutines, coroutine);
  }
  __sanitizer_finish_switch_fiber(coroutines->shadow, NULL, NULL);
}

/* The stacks of thousands of coroutines do not fit into the caches.  Unused prefetches do no
 * harm. */
void hy_coroutine_fetch(const struct hy_coroutine *coroutine) {
  enum { LINES = 24 };
  const char *end = coroutine->stack + coroutine->size;
  if (coroutine->top == NULL) return;
  __builtin_prefetch(coroutine->inside);
  for (const char *line = coroutine->top; line < end && line < coroutine->top + LINES * LINE;
       line += LINE)
    __builtin_prefetch(line);
}

void hy_coroutine_yield(struct hy_coroutines *coroutines, struct hy_coroutine *coroutine) {
  coroutine->top = __builtin_frame_address(0);
  __sanitizer_start_switch_fiber(&coroutine->shadow, coroutines->outside_stack,
                                 coroutines->outside_size);
  if (_setjmp(coroutine->inside) == 0) _longjmp(coroutines->outside, 1);
  __sanitizer_finish_switch_fiber(coroutine->shadow, &coroutines->outside_stack,
                                  &coroutines->outside_size);
}
