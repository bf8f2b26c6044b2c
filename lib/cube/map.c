/* Pages of memory: mapped aligned, advised to be huge, and taken before they are used. */
#include "cube/window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux has it from 6.1 on; C libraries name it later */
#endif

static char *reserve(size_t bytes) {
  return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static hyla_status count_allocation(struct hy_base *base) {
  base->allocations++;
  CHECK(base, base->allocations != base->fail_at, MEMORY, "allocation %lld fails as the test asked",
        (long long)base->allocations);
  return HYLA_OK;
}

hyla_status hy_map_create(struct hy_base *base, int segment, int64_t bytes, char **map) {
  *map = NULL;
  TRY(count_allocation(base));
  CHECK(base, bytes > 0 && (uint64_t)bytes <= SIZE_MAX / 4, MEMORY,
        "out of memory: %lld bytes are more than this machine can address", (long long)bytes);
  /* Reserves enough addresses to align the mapping, then gives back the rest. */
  size_t size = (size_t)bytes;
  size_t room = bytes < HY_HUGE_PAGE ? 0 : (size_t)HY_HUGE_PAGE;
  char *reserved = reserve(size + room);
  if (reserved == MAP_FAILED && base->relieve != NULL) {
    base->relieve(base);
    reserved = reserve(size + room);
  }
  CHECK(base, reserved != MAP_FAILED, MEMORY, "out of memory: no room to map %lld bytes: %s",
        (long long)bytes, strerror(errno));
  size_t head = room == 0 ? 0 : (room - (uintptr_t)reserved % room) % room;
  if (head > 0) munmap(reserved, head);
  if (room > head) munmap(reserved + head + size, room - head);
  char *place = reserved + head;
  int flags = segment < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void *mapped = mmap(place, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, segment, 0);
  int error = errno;
  if (mapped == MAP_FAILED) munmap(place, size);
  CHECK(base, mapped != MAP_FAILED, MEMORY, "out of memory: %lld bytes cannot be mapped: %s",
        (long long)bytes, strerror(error));
  (void)madvise(place, size, MADV_HUGEPAGE); /* only advice: small pages serve too */
  *map = place;
  return HYLA_OK;
}

void hy_map_destroy(char **map, int64_t bytes) {
  if (*map != NULL) munmap(*map, (size_t)bytes);
  *map = NULL;
}

hyla_status hy_map_small(struct hy_base *base, int64_t bytes, char **data) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t whole = hy_ceil_div(bytes + HY_GUARD_MOST, page) * page;
  *data = NULL;
  TRY(count_allocation(base));
  *data = aligned_alloc((size_t)page, (size_t)whole);
  if (*data == NULL && base->relieve != NULL) {
    base->relieve(base);
    *data = aligned_alloc((size_t)page, (size_t)whole);
  }
  CHECK(base, *data != NULL, MEMORY,
        "out of memory: %lld bytes on rank %d; use more ranks or a smaller problem",
        (long long)bytes, base->rank);
  memset(*data, 0, (size_t)bytes);
  return HYLA_OK;
}

void hy_map_small_destroy(char **data) {
  free(*data);
  *data = NULL;
}

/* Shared memory comes in small pages even if huge ones are advised, unless the machine's owner
 * decided otherwise.  The kernel can make pages huge once they exist.  Taking the first small page
 * of each huge one is enough for that; hy_map_fill takes the others. */
static void make_huge(char *part, int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const int64_t whole = hy_huge_bytes(bytes);
  if ((uintptr_t)part % HY_HUGE_PAGE != 0) return;
  for (int64_t at = 0; at < whole; at += HY_HUGE_PAGE)
    if (madvise(part + at, (size_t)sysconf(_SC_PAGESIZE), MADV_POPULATE_WRITE) != 0) return;
  if (whole > 0) (void)madvise(part, (size_t)whole, MADV_COLLAPSE); /* only advice, too */
#else
  (void)part, (void)bytes;
#endif
}

/* Pages that the threads of a rank take together, since clearing them takes as long as filling
 * them. */
struct filling {
  char *part;
  int64_t bytes;
  _Atomic int error; /* of a piece that failed; 0: none */
};
enum { FILLED_AT_ONCE = 4 * HY_HUGE_PAGE };

static void fill_piece(void *arg, int64_t index, int thread) {
  struct filling *f = arg;
  int64_t at = index * FILLED_AT_ONCE;
  (void)thread;
#ifdef MADV_POPULATE_WRITE
  int64_t bytes = hy_min(FILLED_AT_ONCE, f->bytes - at);
  if (atomic_load(&f->error) == 0 && madvise(f->part + at, (size_t)bytes, MADV_POPULATE_WRITE) != 0)
    atomic_store(&f->error, errno);
#else
  (void)at;
  atomic_store(&f->error, EINVAL);
#endif
}

static int fill(struct hy_team *team, char *part, int64_t bytes) {
  struct filling filling = {.part = part, .bytes = bytes};
  struct hy_work work = {
      .piece = fill_piece, .arg = &filling, .count = hy_ceil_div(bytes, FILLED_AT_ONCE)};
  work.threads = (int)hy_min(hy_team_threads(team), work.count);
  hy_team_do(team, &work);
  return atomic_load(&filling.error);
}

hyla_status hy_map_fill(struct hy_base *base, struct hy_team *team, int segment, char *part,
                        int64_t offset, int64_t bytes) {
  if (bytes == 0) return HYLA_OK;
  if (segment >= 0) make_huge(part, bytes);
  int error = fill(team, part, bytes);
  /* Kernels before 5.14 do not know this advice. */
  if (error == EINVAL && segment >= 0) error = posix_fallocate(segment, offset, bytes);
  if (error == EINVAL && segment < 0) {
    memset(part, 0, (size_t)bytes);
    error = 0;
  }
  CHECK(base, error == 0, MEMORY,
        "out of memory: %lld bytes on rank %d (%s); use more ranks or a smaller problem",
        (long long)bytes, base->rank, strerror(error));
  return HYLA_OK;
}
