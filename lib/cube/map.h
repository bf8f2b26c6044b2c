/* Private to this room: pages of memory, private or of a shared segment. */
#ifndef HY_MAP_H
#define HY_MAP_H 1

#include "local/local.h"

#define HY_HUGE_PAGE ((int64_t)2 << 20)

/* Maps `bytes' of a segment (segment < 0: private memory), advised to use huge pages.  The mapping
 * is aligned to HY_HUGE_PAGE if it is at least that large.  Counts as an allocation.  MEMORY. */
hyla_status hy_map_create(struct hy_base *base, int segment, int64_t bytes, char **map);
void hy_map_destroy(char **map, int64_t bytes);

/* Whole pages of zeros from the process' heap, which needs no system call if it has them.  Counts
 * as an allocation.  MEMORY. */
hyla_status hy_map_small(struct hy_base *base, int64_t bytes, char **data);
void hy_map_small_destroy(char **data);

/* For the threads of a team together.  Takes the memory behind part of a mapping now, so that a
 * lack of memory is a status here and no signal later.  offset: where the part begins in the
 * segment.  A part that fills at least half of its last huge page takes the whole page; the segment
 * has room for it.  MEMORY. */
hyla_status hy_map_fill(struct hy_base *base, struct hy_team *team, int segment, char *part,
                        int64_t offset, int64_t bytes);

#endif
