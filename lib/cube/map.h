/* Private to this room: pages of memory, private or of a shared segment. */
#ifndef HY_MAP_H
#define HY_MAP_H 1

#include "local/local.h"

#define HY_HUGE_PAGE ((int64_t)2 << 20)

/* Maps `bytes` of a segment (private memory for segment < 0), at a multiple of
 * HY_HUGE_PAGE when it is at least that large, advised to use huge pages.
 * Counts as an allocation.  MEMORY. */
hyla_status hy_map_create(struct hy_base *base, int segment, int64_t bytes, char **map);
void hy_map_destroy(char **map, int64_t bytes);

/* Whole pages of zeros of the process' heap, which take no call of the system where there are some.
 * Counts as an allocation.  MEMORY. */
hyla_status hy_map_small(struct hy_base *base, int64_t bytes, char **data);
void hy_map_small_destroy(char **data);

/* The threads of a team together: takes the memory behind part of a mapping now, so that a lack of
 * it is a status here and no signal later. offset: where the part begins in the segment. A part
 * that fills at least half of its last huge page takes all of that page; the segment has room for
 * it. MEMORY. */
hyla_status hy_map_fill(struct hy_base *base, struct hy_team *team, int segment, char *part,
                        int64_t offset, int64_t bytes);

#endif
