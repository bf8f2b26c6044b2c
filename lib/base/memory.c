/* Checked memory: every byte is counted, and tests choose the allocation that fails.
 *
 * A header before each block holds its size.  So the sums balance: a cube that is destroyed with
 * bytes_now != 0 has leaked memory.  The headers also link each block to those that it owns.  A
 * guard stands behind each block: a workspace that is one element short is found when it is freed.
 *
 * Blocks are aligned here and not by aligned_alloc: malloc keeps small blocks at hand,
 * aligned_alloc cuts each out of a larger one.  On a virtual cube of a thousand nodes that took a
 * fifth of a plan's time. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 };

/* Stands before the data. */
struct header {
  char *block; /* the address that malloc returned */
  size_t bytes;
  struct header *owned; /* the blocks that this one owns, the latest first */
  struct header *next;  /* owned by the same block */
  struct header **link; /* the pointer to this one in that list; NULL: no block owns it */
  struct hy_release *releases;
};

static struct header *header_of(void *data) { return (struct header *)data - 1; }

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

/* Smaller messages are copied as they are sent, so nobody reads them later. */
enum { STAYS_LEAST = 4096 };

/* Read as a number of floating point it is NaN, as an index -1. */
enum { GUARD = 0xff };

void hy_guard_set(void *data, int64_t bytes, int64_t room) {
  if (room > 0) memset((char *)data + bytes, GUARD, (size_t)hy_min(room, HY_GUARD_MOST));
}

void hy_guard_check(const struct hy_base *base, const void *data, int64_t bytes, int64_t room) {
  const unsigned char *byte = data;
  bool whole = true;
  for (int64_t i = 0; i < hy_min(room, HY_GUARD_MOST); i++)
    whole = whole && byte[bytes + i] == GUARD;
  if (!whole) hy_overrun(base, bytes);
}

static void *aligned(char *place) {
  return place + (ALIGNMENT - (uintptr_t)place % ALIGNMENT) % ALIGNMENT;
}

hyla_status hy_alloc(struct hy_base *base, int64_t count, size_t size, void *out) {
  TRY(book(base, count, size, out));
  size_t bytes = (size_t)count * size;
  TRY(hy_afford(base, (int64_t)bytes, (double)bytes));
  size_t whole = bytes + HY_GUARD_MOST + sizeof(struct header) + ALIGNMENT - 1;
  char *block = malloc(whole);
  if (block == NULL && base->relieve != NULL) {
    base->relieve(base);
    block = malloc(whole);
  }
  CHECK(base, block != NULL, MEMORY,
        "out of memory: %zu bytes on rank %d; use more ranks or a smaller problem", bytes,
        base->rank);
  void *data = aligned(block + sizeof(struct header));
  *header_of(data) = (struct header){.block = block, .bytes = bytes};
  memset(data, 0, bytes);
  hy_guard_set(data, (int64_t)bytes, HY_GUARD_MOST);
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
  memcpy(out, &base->no_data, sizeof base->no_data);
  return HYLA_OK;
}

hyla_status hy_alloc_data(struct hy_base *base, int64_t count, size_t size, void *out) {
  if (base->no_data == NULL) return hy_alloc(base, count, size, out);
  if (base->no_data_bytes == 0) return count_data(base, count, size, out);
  TRY(book(base, count, size, out));
  int64_t bytes = (count * (int64_t)size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  CHECK(base, bytes <= base->no_data_bytes - base->nowhere_used, MEMORY,
        "out of addresses: %lld bytes of a dry simulation's data", (long long)bytes);
  char *data = base->no_data + base->nowhere_used;
  base->nowhere_used += bytes;
  memcpy(out, &data, sizeof data);
  return HYLA_OK;
}

char *hy_reserve_nowhere(int64_t *bytes) {
  enum { MOST = 44, LEAST = 30 };
  for (int bits = MOST; bits >= LEAST; bits--) {
    *bytes = INT64_C(1) << bits;
    void *place =
        mmap(NULL, (size_t)*bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) return place;
  }
  return NULL;
}

void hy_release_nowhere(char *place, int64_t bytes) {
  if (place != NULL) munmap(place, (size_t)bytes);
}

static bool is_nowhere(const struct hy_base *base, const char *data) {
  uintptr_t from = (uintptr_t)base->no_data, at = (uintptr_t)data;
  return from != 0 && at >= from && at - from < (uintptr_t)hy_max(1, base->no_data_bytes);
}

void hy_own(void *owner, void *block) {
  if (block == NULL) return;
  struct header *header = header_of(block), **first = &header_of(owner)->owned;
  header->next = *first;
  header->link = first;
  if (*first != NULL) (*first)->link = &header->next;
  *first = header;
}

void hy_on_free(void *owner, struct hy_release *release) {
  struct header *header = header_of(owner);
  release->next = header->releases;
  header->releases = release;
}

hyla_status hy_alloc_for(struct hy_base *base, void *owner, int64_t count, size_t size, void *out) {
  void *block = NULL;
  TRY(hy_alloc(base, count, size, out));
  memcpy(&block, out, sizeof block);
  hy_own(owner, block);
  return HYLA_OK;
}

hyla_status hy_alloc_data_for(struct hy_base *base, void *owner, int64_t count, size_t size,
                              void *out) {
  return base->no_data == NULL ? hy_alloc_for(base, owner, count, size, out)
                               : hy_alloc_data(base, count, size, out);
}

hyla_status hy_alloc_control_for(struct hy_base *base, void *owner, int64_t count, size_t size,
                                 void *out) {
  const bool counts = base->no_data != NULL && base->no_data_bytes == 0;
  TRY(hy_alloc_for(base, owner, count, size, out));
  if (counts) base->nowhere_used += count * (int64_t)size;
  return HYLA_OK;
}

static void free_block(struct hy_base *base, struct header *header) {
  while (header->releases != NULL) {
    struct hy_release *latest = header->releases;
    header->releases = latest->next;
    latest->release(latest);
  }
  while (header->owned != NULL) {
    struct header *latest = header->owned;
    header->owned = latest->next;
    free_block(base, latest);
  }
  int64_t bytes = (int64_t)header->bytes;
  hy_guard_check(base, header + 1, bytes, HY_GUARD_MOST);
  base->bytes_now -= bytes;
  if (!base->stays_mapped || bytes < STAYS_LEAST) free(header->block);
}

void hy_free(struct hy_base *base, void *pointer) {
  char *data = NULL;
  memcpy(&data, pointer, sizeof data);
  if (data == NULL) return;
  if (!is_nowhere(base, data)) { /* addresses of a dry simulation are not reused */
    struct header *header = header_of(data);
    if (header->link != NULL) *header->link = header->next;
    if (header->link != NULL && header->next != NULL) header->next->link = header->link;
    free_block(base, header);
  }
  data = NULL;
  memcpy(pointer, &data, sizeof data);
}
