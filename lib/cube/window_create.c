/* Making windows: memory that the ranks of one machine map together.
 *
 * The first node of each machine makes a segment without a name (memfd_create), large enough for
 * the parts of all its nodes.  The others open it through /proc and recognize it by a random
 * number.  So nothing is left behind whatever happens, and no limit on /dev/shm applies.  If that
 * fails on any rank, all ranks take private memory, and data travel as messages instead of being
 * read in place. */
#include "cube/link.h"
#include "cube/window.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* How the other nodes open the segment of a machine's first node. */
struct segment {
  int64_t process; /* -1: the segment could not be made */
  int64_t descriptor;
  uint64_t device, inode;
  uint64_t number; /* random; part of the segment's name */
  int64_t bytes;
};

static int64_t round_up(int64_t bytes, int64_t unit) { return hy_ceil_div(bytes, unit) * unit; }

/* Lays out the parts.  Large parts begin on a huge page and own the whole of their last one. */
static int64_t place_parts(struct hy_window *w) {
  int64_t largest = 0, end = 0;
  for (int i = 0; i < w->members; i++) largest = hy_max(largest, w->part[2 * i + 1]);
  const int64_t unit = hy_huge_bytes(largest) > 0 ? HY_HUGE_PAGE : sysconf(_SC_PAGESIZE);
  for (int i = 0; i < w->members; i++) {
    w->part[2 * i] = end;
    end += round_up(hy_max(w->part[2 * i + 1], 1), unit);
  }
  return end;
}

static void name_segment(uint64_t number, char name[32]) {
  snprintf(name, 32, "hyla-%016" PRIx64, number);
}

static hyla_status make_segment(struct hy_base *base, int64_t bytes, int *descriptor,
                                struct segment *segment) {
  struct rlimit limit;
  /* Growing a file beyond this limit raises a signal instead of an error. */
  bool fits = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
              (rlim_t)bytes <= limit.rlim_cur;
  CHECK(base, fits, MEMORY, "%lld bytes are above the limit on file sizes", (long long)bytes);
  const uint64_t number = hy_drawn_number();
  char name[32];
  name_segment(number, name);
  *descriptor = memfd_create(name, MFD_CLOEXEC);
  CHECK(base, *descriptor >= 0, MEMORY, "memfd_create: %s", strerror(errno));
  CHECK(base, ftruncate(*descriptor, bytes) == 0, MEMORY, "%lld bytes of shared memory: %s",
        (long long)bytes, strerror(errno));
  struct stat facts;
  CHECK(base, fstat(*descriptor, &facts) == 0, MEMORY, "fstat: %s", strerror(errno));
  *segment = (struct segment){getpid(), *descriptor, (uint64_t)facts.st_dev, (uint64_t)facts.st_ino,
                              number,   bytes};
  return HYLA_OK;
}

static hyla_status open_segment(struct hy_base *base, const struct segment *segment,
                                int *descriptor) {
  CHECK(base, segment->process >= 0, MEMORY, "another rank could not make shared memory");
  char path[64], name[32], found[64] = "";
  struct stat facts;
  snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)segment->process,
           (long long)segment->descriptor);
  /* Two machines may be taken for one.  The path then names another process' file, which must not
   * be opened. */
  CHECK(base, readlink(path, found, sizeof found - 1) > 0, MEMORY, "%s: %s", path, strerror(errno));
  name_segment(segment->number, name);
  bool same = strstr(found, name) != NULL;
  if (same) *descriptor = open(path, O_RDWR | O_CLOEXEC);
  CHECK(base, !same || *descriptor >= 0, MEMORY, "%s: %s", path, strerror(errno));
  same = same && fstat(*descriptor, &facts) == 0 && (uint64_t)facts.st_dev == segment->device &&
         (uint64_t)facts.st_ino == segment->inode && facts.st_size == segment->bytes;
  CHECK(base, same, MEMORY, "%s is not the memory of the other rank", path);
  return HYLA_OK;
}

/* The first member learns all sizes, makes the segment and tells all where it is.  A failure on one
 * rank alone goes to *verdict; the status is that of the messages. */
static hyla_status find_segment(hyla_cube *cube, struct hy_window *w, int *descriptor,
                                struct segment *segment, hyla_status *mine) {
  int64_t bytes = (int64_t)sizeof w->part[0] * 2 * w->members;
  int first = w->member[0];
  if (cube->address != first) {
    TRY(hy_control(cube, hy_rank_at(cube, first), &w->bytes, NULL, sizeof w->bytes));
    TRY(hy_control(cube, hy_rank_at(cube, first), NULL, w->part, bytes));
    TRY(hy_control(cube, hy_rank_at(cube, first), NULL, segment, sizeof *segment));
    *mine = open_segment(&cube->base, segment, descriptor);
    return HYLA_OK;
  }
  w->part[1] = w->bytes;
  for (int i = 1; i < w->members; i++)
    TRY(hy_control(cube, hy_rank_at(cube, w->member[i]), NULL, &w->part[2 * i + 1],
                   sizeof w->bytes));
  segment->process = -1;
  *mine = make_segment(&cube->base, place_parts(w), descriptor, segment);
  for (int i = 1; i < w->members; i++) {
    TRY(hy_control(cube, hy_rank_at(cube, w->member[i]), w->part, NULL, bytes));
    TRY(hy_control(cube, hy_rank_at(cube, w->member[i]), segment, NULL, sizeof *segment));
  }
  return HYLA_OK;
}

/* Smaller parts come from the heap: a mapping takes four system calls, and a fault for each
 * page. */
enum { SMALL = 512 << 10 };

static hyla_status map_private(hyla_cube *cube, struct hy_window *w, bool zeroed) {
  struct hy_base *base = &cube->base;
  if (base->no_data != NULL) return hy_alloc_data(base, w->bytes, 1, &w->data);
  if (w->bytes < SMALL) {
    w->small = true;
    return hy_map_small(base, w->bytes, &w->data);
  }
  if (hy_window_again_private(cube, w)) {
    if (zeroed) memset(w->data, 0, (size_t)w->bytes);
    return HYLA_OK;
  }
  w->map_bytes = hy_max(round_up(w->bytes, sysconf(_SC_PAGESIZE)), hy_huge_bytes(w->bytes));
  TRY(hy_map_create(base, -1, w->map_bytes, &w->map));
  w->data = w->map;
  return hy_map_fill(base, cube->session.team, -1, w->map, 0, w->bytes);
}

static hyla_status map_shared(hyla_cube *cube, struct hy_window *w, int descriptor,
                              const struct segment *segment) {
  w->map_bytes = segment->bytes;
  TRY(hy_map_create(&cube->base, descriptor, w->map_bytes, &w->map));
  int own = 0;
  while (w->member[own] != cube->address) own++;
  int64_t offset = w->part[2 * own];
  w->data = w->map + offset;
  return hy_map_fill(&cube->base, cube->session.team, descriptor, w->data, offset, w->bytes);
}

/* Tries to share memory on all machines; returns the agreed status. */
static hyla_status share(hyla_cube *cube, struct hy_window *w, bool zeroed) {
  int descriptor = -1;
  struct segment segment = {0};
  hyla_status mine = HYLA_OK;
  if (w->members > 1) {
    hyla_status status = find_segment(cube, w, &descriptor, &segment, &mine);
    if (status != HYLA_OK) mine = status;
    if (mine == HYLA_OK) mine = map_shared(cube, w, descriptor, &segment);
  } else if (cube->address >= 0) {
    mine = map_private(cube, w, zeroed);
  }
  hyla_status status = hy_agree(cube, mine);
  if (descriptor >= 0) close(descriptor); /* only now have all opened it */
  if (status != HYLA_OK) hy_map_destroy(&w->map, w->map_bytes);
  if (status != HYLA_OK && w->small) {
    hy_map_small_destroy(&w->data);
    w->small = false;
  }
  w->shared = status == HYLA_OK && w->members > 1;
  return status;
}

/* Takes shared memory if it is wanted and all ranks can have it, else private; returns the agreed
 * status. */
static hyla_status allocate_memory(hyla_cube *cube, struct hy_window *w, bool shared, bool zeroed) {
  struct hy_base *base = &cube->base;
  if (!shared) return hy_agree(cube, cube->address >= 0 ? map_private(cube, w, zeroed) : HYLA_OK);
  snprintf(cube->session.why_private, sizeof cube->session.why_private, "as the options ask");
  if (!cube->session.private_memory) {
    struct hy_base before = *base;
    bool again = false;
    TRY(hy_window_again_shared(cube, w, &again));
    if (again && zeroed && w->bytes > 0) memset(w->data, 0, (size_t)w->bytes);
    if (again || share(cube, w, zeroed) == HYLA_OK) {
      cube->session.why_private[0] = '\0';
      return HYLA_OK;
    }
    if (cube->network.broken) return base->status;
    /* The call has not failed, so the message of an earlier failure stays. */
    memcpy(cube->session.why_private, base->message, sizeof cube->session.why_private);
    memcpy(base->message, before.message, sizeof base->message);
    base->status = before.status;
  }
  return hy_agree(cube, cube->address >= 0 ? map_private(cube, w, zeroed) : HYLA_OK);
}

/* Does the machine have memory for a part of that size on each of its nodes? */
static hyla_status afford(hyla_cube *cube, int64_t bytes) {
  if (cube->address < 0 || hy_cube_dry(cube) || hy_window_kept(cube, bytes)) return HYLA_OK;
  return hy_afford(&cube->base, bytes, (double)bytes * (double)hy_max(1, cube->ranks.members));
}

static hyla_status create(hyla_cube *cube, int64_t bytes, bool shared, bool zeroed,
                          struct hy_window **window) {
  *window = NULL;
  struct hy_window *w = NULL;
  struct hy_base *base = &cube->base;
  hyla_status mine = bytes >= 0
                         ? hy_alloc(base, hy_window_size(cube->ranks.members), 1, &w)
                         : hy_fail(base, HYLA_ARGUMENT, "a window of %lld bytes; give 0 or more",
                                   (long long)bytes);
  if (mine == HYLA_OK) mine = afford(cube, bytes);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK) {
    w->number = cube->ranks.windows++;
    w->bytes = cube->address >= 0 ? bytes : 0;
    w->members = cube->ranks.members;
    w->member = cube->ranks.member;
    status = allocate_memory(cube, w, shared && !hy_cube_counts(cube), zeroed);
    if (hy_cube_counts(cube)) w->bytes = 0; /* counted as data */
    w->counted = shared && hy_cube_counts(cube) && hy_in_place_expected(cube);
    if (status == HYLA_OK || w->small) hy_guard_set(w->data, w->bytes, hy_window_guard(w));
    base->bytes_now += w->bytes;
    base->bytes_peak = hy_max(base->bytes_peak, base->bytes_now);
    *window = w;
  }
  if (status != HYLA_OK && *window == NULL) hy_free(base, &w);
  if (status != HYLA_OK && *window != NULL) hy_map_destroy(&w->map, w->map_bytes); /* not kept */
  if (status != HYLA_OK) hy_window_destroy(cube, window);
  return status;
}

hyla_status hy_window_create(hyla_cube *cube, int64_t bytes, struct hy_window **window) {
  return create(cube, bytes, true, true, window);
}

hyla_status hy_window_create_unset(hyla_cube *cube, int64_t bytes, struct hy_window **window) {
  return create(cube, bytes, true, false, window);
}

hyla_status hy_window_create_private(hyla_cube *cube, int64_t bytes, struct hy_window **window) {
  return create(cube, bytes, false, false, window);
}
