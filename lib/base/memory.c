/* Checked memory, counted, with a failure that tests can place.
 *
 * Each block is preceded by a header that holds its size, so that the books
 * balance: a cube that is destroyed with bytes_now != 0 has leaked. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

hyla_status hy_alloc(struct hy_base *base, int64_t count, size_t size, void *out) {
  void *none = NULL;
  memcpy(out, &none, sizeof none);
  base->allocations++;
  CHECK(base, base->allocations != base->fail_at, MEMORY, "allocation %lld fails as the test asked",
        (long long)base->allocations);
  CHECK(base, count >= 0 && (uint64_t)count <= (SIZE_MAX / 4) / (size + 1), MEMORY,
        "out of memory: %lld objects of %zu bytes are more than this machine can address",
        (long long)count, size);
  size_t bytes = (size_t)count * size;
  size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *block = aligned_alloc(ALIGNMENT, whole);
  CHECK(base, block != NULL, MEMORY,
        "out of memory: %zu bytes on rank %d; use more ranks or a smaller problem", bytes,
        base->rank);
  memset(block, 0, whole);
  memcpy(block, &bytes, sizeof bytes);
  base->bytes_now += (int64_t)bytes;
  base->bytes_peak = hy_max(base->bytes_peak, base->bytes_now);
  void *data = block + ALIGNMENT;
  memcpy(out, &data, sizeof data);
  return HYLA_OK;
}

void hy_free(struct hy_base *base, void *pointer) {
  char *data = NULL;
  memcpy(&data, pointer, sizeof data);
  if (data == NULL) return;
  size_t bytes = 0;
  memcpy(&bytes, data - ALIGNMENT, sizeof bytes);
  base->bytes_now -= (int64_t)bytes;
  free(data - ALIGNMENT);
  data = NULL;
  memcpy(pointer, &data, sizeof data);
}
