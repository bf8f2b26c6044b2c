/* Fibers: begun by ucontext, switched by _setjmp and _longjmp, which unlike swapcontext
 * make no system calls.
 *
 * Stacks stand far apart in one mapping.  Untouched pages cost nothing, and the
 * distance serves three ends: what grows too long meets no other stack soon,
 * valgrind takes the step from one to the next for what it is, and clang's
 * address sanitizer does not clear a whole stack's shadow at every switch (it
 * leaves stacks above 4 MiB alone; they are announced to it here instead).  Very many
 * stacks stand closer, since each distance of 2 MiB takes a page of page tables.
 * Each begins at another cache line than its neighbours, so that all caches are used. */

/* glibc's checked _longjmp takes a jump to another stack for a fault. */
#undef _FORTIFY_SOURCE

#include "sim/coroutine.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Bytes of a stack, of one of many; how many are many. */
enum { STACK = 8 << 20, STACK_OF_MANY = 256 << 10, MANY = 4096 };
/* Cache lines, and how many of them stacks take turns to leave out. */
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

bool hy_coroutines_create(int64_t count, struct hy_coroutines *fibers) {
  *fibers = (struct hy_coroutines){.count = count, .bytes = count > MANY ? STACK_OF_MANY : STACK};
  size_t all = (size_t)count * fibers->bytes;
  void *stacks =
      mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) return false;
  /* A huge page for the few kilobytes that a stack needs would be a waste. */
  (void)madvise(stacks, all, MADV_NOHUGEPAGE);
  fibers->stacks = stacks;
  return true;
}

void hy_coroutines_destroy(struct hy_coroutines *fibers) {
  if (fibers->stacks != NULL) munmap(fibers->stacks, (size_t)fibers->count * fibers->bytes);
  fibers->stacks = NULL;
}

void hy_coroutine_init(struct hy_coroutines *fibers, int64_t index, void (*body)(void *arg),
                       void *arg, struct hy_coroutine *fiber) {
  fiber->body = body;
  fiber->arg = arg;
  fiber->stack = fibers->stacks + (size_t)index * fibers->bytes;
  fiber->size = fibers->bytes - (size_t)(index % COLOURS) * LINE;
}

/* A fiber's first function.  makecontext hands over ints only: two halves of each
 * of two pointers. */
static void begin(unsigned fibers_high, unsigned fibers_low, unsigned high, unsigned low) {
  struct hy_coroutines *fibers = (void *)(uintptr_t)((uint64_t)fibers_high << 32 | fibers_low);
  struct hy_coroutine *fiber = (void *)(uintptr_t)((uint64_t)high << 32 | low);
  __sanitizer_finish_switch_fiber(NULL, &fibers->outside_stack, &fibers->outside_size);
  fiber->body(fiber->arg);
  __sanitizer_start_switch_fiber(NULL, fibers->outside_stack, fibers->outside_size);
  _longjmp(fibers->outside, 1); /* for ever */
}

static void enter(struct hy_coroutines *fibers, struct hy_coroutine *fiber) {
  uint64_t all = (uintptr_t)fibers, one = (uintptr_t)fiber;
  ucontext_t *context = &fibers->beginning;
  (void)getcontext(context); /* does not fail */
  context->uc_stack.ss_sp = fiber->stack;
  context->uc_stack.ss_size = fiber->size;
  context->uc_link = NULL;
  makecontext(context, (void (*)(void))begin, 4, (unsigned)(all >> 32), (unsigned)all,
              (unsigned)(one >> 32), (unsigned)one);
  fiber->begun = true;
  (void)setcontext(context);
}

void hy_coroutine_resume(struct hy_coroutines *fibers, struct hy_coroutine *fiber) {
  __sanitizer_start_switch_fiber(&fibers->shadow, fiber->stack, fiber->size);
  if (_setjmp(fibers->outside) == 0) {
    if (fiber->begun) _longjmp(fiber->inside, 1);
    enter(fibers, fiber);
  }
  __sanitizer_finish_switch_fiber(fibers->shadow, NULL, NULL);
}

void hy_coroutine_yield(struct hy_coroutines *fibers, struct hy_coroutine *fiber) {
  __sanitizer_start_switch_fiber(&fiber->shadow, fibers->outside_stack, fibers->outside_size);
  if (_setjmp(fiber->inside) == 0) _longjmp(fibers->outside, 1);
  __sanitizer_finish_switch_fiber(fiber->shadow, &fibers->outside_stack, &fibers->outside_size);
}
