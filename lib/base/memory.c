/* Checked memory: every byte is counted, and tests choose the allocation that fails.
 *
 * A header before each block holds its size.  So the sums balance: a cube that is destroyed with
 * bytes_now != 0 has leaked memory.
 *
 * Blocks are aligned here and not by aligned_alloc: malloc keeps small blocks at hand,
 * aligned_alloc cuts each out of a larger one.  On a virtual cube of a thousand nodes that took a
 * fifth of a plan's time. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Stands before the data. */
struct header {
  char *block; /* the address that malloc returned */
  size_t bytes;
};

static hyla_status check_size(struct hy_base *base, int64_t count, size_t size) {
  CHECK(base, count >= 0 && (uint64_t)count <= (SIZE_MAX / 4) / (size + 1), MEMORY,
        "out of memory: %lld objects of %zu bytes are more than this machine can address",
        (long long)count, size);
  return HYLA_OK;
}

/* Counts the allocation and checks its size. */
static hyla_status book(struct hy_base *base, int64_t count, size_t size, void *out) {
  void *none = NULL;
  memcpy(out, &none, sizeof none);
  base->allocations++;
  CHECK(base, base->allocations != base->fail_at, MEMORY, "allocation %lld fails as the test asked",
        (long long)base->allocations);
  return check_size(base, count, size);
}

static void *aligned(char *place) {
  return place + (ALIGNMENT - (uintptr_t)place % ALIGNMENT) % ALIGNMENT;
}

hyla_status hy_alloc(struct hy_base *base, int64_t count, size_t size, void *out) {
  TRY(book(base, count, size, out));
  size_t bytes = (size_t)count * size;
  TRY(hy_afford(base, (int64_t)bytes, (double)bytes));
  size_t lines = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  size_t whole = lines + sizeof(struct header) + ALIGNMENT - 1;
  char *block = malloc(whole);
  if (block == NULL && base->relieve != NULL) {
    base->relieve(base);
    block = malloc(whole);
  }
  CHECK(base, block != NULL, MEMORY,
        "out of memory: %zu bytes on rank %d; use more ranks or a smaller problem", bytes,
        base->rank);
  void *data = aligned(block + sizeof(struct header));
  struct header *header = (struct header *)data - 1;
  *header = (struct header){block, bytes};
  memset(data, 0, lines);
  base->bytes_now += (int64_t)bytes;
  base->bytes_peak = hy_max(base->bytes_peak, base->bytes_now);
  memcpy(out, &data, sizeof data);
  return HYLA_OK;
}

/* Counts matrix data that take no memory.  It cannot fail like an allocation, so it is not counted
 * as one. */
static hyla_status count_data(struct hy_base *base, int64_t count, size_t size, void *out) {
  TRY(check_size(base, count, size));
  base->nowhere_used += count * (int64_t)size;
  memcpy(out, &base->nowhere, sizeof base->nowhere);
  return HYLA_OK;
}

hyla_status hy_alloc_data(struct hy_base *base, int64_t count, size_t size, void *out) {
  if (base->nowhere == NULL) return hy_alloc(base, count, size, out);
  if (base->nowhere_bytes == 0) return count_data(base, count, size, out);
  TRY(book(base, count, size, out));
  int64_t bytes = (count * (int64_t)size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  CHECK(base, bytes <= base->nowhere_bytes - base->nowhere_used, MEMORY,
        "out of addresses: %lld bytes of a dry simulation's data", (long long)bytes);
  char *data = base->nowhere + base->nowhere_used;
  base->nowhere_used += bytes;
  memcpy(out, &data, sizeof data);
  return HYLA_OK;
}

static bool is_nowhere(const struct hy_base *base, const char *data) {
  uintptr_t from = (uintptr_t)base->nowhere, at = (uintptr_t)data;
  return from != 0 && at >= from && at - from < (uintptr_t)hy_max(1, base->nowhere_bytes);
}

void hy_free(struct hy_base *base, void *pointer) {
  char *data = NULL;
  memcpy(&data, pointer, sizeof data);
  if (data == NULL) return;
  if (!is_nowhere(base, data)) { /* addresses of a dry simulation are not reused */
    struct header header;
    memcpy(&header, data - sizeof header, sizeof header);
    base->bytes_now -= (int64_t)header.bytes;
    free(header.block);
  }
  data = NULL;
  memcpy(pointer, &data, sizeof data);
}
