/* Fibers, by ucontext.
 *
 * Stacks stand far apart in one mapping.  Untouched pages cost nothing, and the
 * distance serves three ends: what grows too long meets no other stack soon,
 * valgrind takes the step from one to the next for what it is, and clang's
 * address sanitizer does not clear a whole stack's shadow at every switch (it
 * leaves stacks above 4 MiB alone; they are announced to it here instead). */
#include "comm/fiber.h"

#include <stdlib.h>
#include <sys/mman.h>

#define STACK_BYTES ((size_t)8 << 20)

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

bool hy_fibers_create(int64_t count, struct hy_fibers *fibers) {
  *fibers = (struct hy_fibers){.count = count};
  void *stacks = mmap(NULL, (size_t)count * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) return false;
  /* A huge page for the few kilobytes that a stack needs would be a waste. */
  (void)madvise(stacks, (size_t)count * STACK_BYTES, MADV_NOHUGEPAGE);
  fibers->stacks = stacks;
  return true;
}

void hy_fibers_destroy(struct hy_fibers *fibers) {
  if (fibers->stacks != NULL) munmap(fibers->stacks, (size_t)fibers->count * STACK_BYTES);
  fibers->stacks = NULL;
}

void hy_fiber_init(struct hy_fibers *fibers, int64_t index, void (*body)(void *arg), void *arg,
                   struct hy_fiber *fiber) {
  fiber->body = body;
  fiber->arg = arg;
  fiber->stack = fibers->stacks + (size_t)index * STACK_BYTES;
}

/* A fiber's first function.  makecontext hands over ints only: two halves of each
 * of two pointers. */
static void begin(unsigned fibers_high, unsigned fibers_low, unsigned high, unsigned low) {
  struct hy_fibers *fibers = (void *)(uintptr_t)((uint64_t)fibers_high << 32 | fibers_low);
  struct hy_fiber *fiber = (void *)(uintptr_t)((uint64_t)high << 32 | low);
  __sanitizer_finish_switch_fiber(NULL, &fibers->outside_stack, &fibers->outside_size);
  fiber->body(fiber->arg);
  __sanitizer_start_switch_fiber(NULL, fibers->outside_stack, fibers->outside_size);
  (void)swapcontext(&fiber->context, &fibers->outside); /* for ever */
}

static void prepare(struct hy_fibers *fibers, struct hy_fiber *fiber) {
  uint64_t all = (uintptr_t)fibers, one = (uintptr_t)fiber;
  (void)getcontext(&fiber->context); /* does not fail */
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = STACK_BYTES;
  fiber->context.uc_link = NULL;
  makecontext(&fiber->context, (void (*)(void))begin, 4, (unsigned)(all >> 32), (unsigned)all,
              (unsigned)(one >> 32), (unsigned)one);
  fiber->begun = true;
}

void hy_fiber_resume(struct hy_fibers *fibers, struct hy_fiber *fiber) {
  if (!fiber->begun) prepare(fibers, fiber);
  __sanitizer_start_switch_fiber(&fibers->shadow, fiber->stack, STACK_BYTES);
  (void)swapcontext(&fibers->outside, &fiber->context);
  __sanitizer_finish_switch_fiber(fibers->shadow, NULL, NULL);
}

void hy_fiber_yield(struct hy_fibers *fibers, struct hy_fiber *fiber) {
  __sanitizer_start_switch_fiber(&fiber->shadow, fibers->outside_stack, fibers->outside_size);
  (void)swapcontext(&fiber->context, &fibers->outside);
  __sanitizer_finish_switch_fiber(fiber->shadow, &fibers->outside_stack, &fibers->outside_size);
}
