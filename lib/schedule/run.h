/* Private to this room: the common part of the runners of schedules. */
#ifndef HY_RUN_H
#define HY_RUN_H 1

#include "schedule/schedule.h"

/* Gives the packet its place, in the data or at *work, which advances.  Packs outgoing words.
 * Returns the packet's bytes. */
int64_t hy_packet_stow(const struct hy_schedule *schedule, const struct hy_run *run,
                       const struct hy_packet *packet, char **work, struct hy_packet_place *stowed);
/* Copies the words of a packed packet: from their places if it is sent, to their places if it was
 * received, or adds them there.  larger: they came from a node with a larger number. */
void hy_packet_copy(const struct hy_schedule *schedule, const struct hy_run *run,
                    const struct hy_packet_place *stowed, bool larger);

/* Have two packets of a schedule words in common? */
bool hy_packets_overlap(const struct hy_schedule *schedule, const struct hy_packet *a,
                        const struct hy_packet *b);

/* The address of the rank at the other end of a packet's link, in a network of all ranks its
 * number; and the link's port, as in hy_message.  own: this rank's address or number. */
int hy_packet_address(const hyla_cube *cube, const struct hy_run *run, uint32_t across);
int hy_packet_port(const struct hy_run *run, uint32_t across);
static inline int hy_packet_own(const hyla_cube *cube, const struct hy_run *run) {
  return run->network == NULL ? cube->address : cube->base.rank;
}

/* The order of packets in a node's schedule, for blocks of given lengths, if packets leave as soon
 * as they can.  A packet goes out after the packets that bring its words.  A packet comes in after
 * the packets that take out, or bring, the words that it overwrites.  Packets are numbers in the
 * schedule. */
struct hy_order {
  int64_t *first;   /* where a packet's followers begin; packets + 1 entries */
  int32_t *follows; /* the followers */
  int32_t *waits;   /* for each packet, the packets of earlier steps that it waits for */
  int32_t *staged;  /* for each packet, those that go out in its own step and delay it */
};
/* Local.  The order belongs to the owner.  MEMORY; UNSUPPORTED for schedules that add. */
hyla_status hy_order_make(void *owner, const struct hy_schedule *schedule,
                          const struct hy_blocks *blocks, struct hy_order *order);

#endif
