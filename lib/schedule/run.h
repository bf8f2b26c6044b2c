/* What the runners of schedules share.  Private to this room. */
#ifndef HY_RUN_H
#define HY_RUN_H 1

#include "schedule/schedule.h"

/* Gives the packet its place, in the data or at *work, which moves on, and packs what goes out.
 * Returns its bytes. */
int64_t hy_packet_stow(const struct hy_schedule *schedule, const struct hy_run *run,
                       const struct hy_packet *packet, char **work, struct hy_packet_place *stowed);
/* Puts, or adds, what came in a packed packet where it belongs; larger: from a node with a larger
 * number. */
void hy_packet_unpack(const struct hy_schedule *schedule, const struct hy_run *run,
                      const struct hy_packet_place *stowed, bool larger);

/* What must come before what in a node's schedule, for blocks of given lengths, where packets
 * leave as soon as they can: a packet goes out after those that bring its words; one comes in
 * after those that take out, or bring, what it overwrites.  Packets are numbers of the schedule's.
 */
struct hy_order {
  int64_t *first;   /* of a packet's followers, packets + 1 entries */
  int32_t *follows; /* the followers */
  int32_t *waits;   /* for how many packets of earlier steps each waits */
  int32_t *staged;  /* for how many that go out in its own step, when it has come in */
};
/* Local.  Free it also after a failure; MEMORY; UNSUPPORTED for schedules that add. */
hyla_status hy_order_make(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                          struct hy_order *order);
void hy_order_free(struct hy_base *base, struct hy_order *order);

#endif
