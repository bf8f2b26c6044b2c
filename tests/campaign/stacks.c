/* The places that make calls: the return addresses of up to FRAMES functions, as one number. */
#include "stacks.h"

#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>

enum { FRAMES = 64, STACKS = 1 << 16 };

/* Open addressing; an entry without a call is free. */
static struct stack {
  uint64_t key;
  long first, second, last, count;
  const char *name;
} stacks[STACKS];
static long full; /* calls for which there was no free entry */

static uint64_t key_of(void *const *frame, int frames) {
  uint64_t key = 0;
  for (int i = 0; i < frames; i++) {
    key = (key ^ (uintptr_t)frame[i]) * UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 29;
  }
  return key;
}

void stacks_note(long call, const char *name) {
  void *frame[FRAMES];
  uint64_t key = key_of(frame, backtrace(frame, FRAMES));
  size_t i = key % STACKS, tried = 0;
  while (stacks[i].count > 0 && stacks[i].key != key && tried++ < STACKS) i = (i + 1) % STACKS;
  struct stack *stack = &stacks[i];
  if (tried > STACKS) {
    full++;
    return;
  }
  if (stack->count == 0) *stack = (struct stack){.key = key, .first = call, .name = name};
  if (stack->count == 1) stack->second = call;
  if (stack->count > 0) stack->last = call;
  stack->count++;
}

void stacks_write(const char *path, int rank) {
  FILE *file = fopen(path, "a");
  if (file == NULL) return;
  setvbuf(file, NULL, _IOLBF, 0); /* other ranks write too: whole lines at a time */
  for (const struct stack *s = stacks; s < stacks + STACKS; s++)
    if (s->count > 0)
      fprintf(file, "%d %ld %ld %ld %ld %s\n", rank, s->first, s->second, s->last, s->count,
              s->name);
  if (full > 0) fprintf(file, "%d 0 0 0 %ld full\n", rank, full);
  fclose(file);
}
