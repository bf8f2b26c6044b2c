/* The verifier, which plays the schedules of a whole network on paper; counts and prints of
 * schedules.
 */
#ifndef TESTS_VERIFY_H
#define TESTS_VERIFY_H 1

#include "schedule/contract.h"

/* Messages and words that the node sends, over each port (of a cube: dimension) and to nodes that
 * are no neighbours.  Packets without words are not sent. */
struct hy_count {
  int64_t messages[HY_NETWORK_PORTS];
  int64_t words[HY_NETWORK_PORTS];
  int64_t far_messages;
  int64_t far_words;
};
void hy_schedule_count(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                       struct hy_count *count);

/* Prints one line for each packet.  network: NULL for a cube. */
void hy_schedule_print(const struct hy_schedule *schedule, const struct hy_network *network,
                       uint32_t node, struct hy_text *text);

enum hy_fault {
  HY_SOUND,
  HY_NOT_NEIGHBOUR, /* a packet to a node that is no neighbour, without circuits */
  HY_LINK_TAKEN,    /* two packets on one directed link in one step */
  HY_PORT_TAKEN,    /* two packets out of or into one node, with one port */
  HY_UNMATCHED,     /* sent and not received, or the other way, or of another length */
  HY_NOT_HELD,      /* a word that is sent or added to is missing */
  HY_OVERWRITTEN,   /* a word is received twice in one step */
  HY_NOT_DELIVERED, /* a word at the end is missing or wrong */
};

/* The verifier's report on a cube's schedules. */
struct hy_verify_report {
  enum hy_fault fault;
  int step;         /* of the fault */
  uint32_t node;    /* of the fault */
  int64_t planned;  /* steps of the schedule, idle ones too */
  int64_t steps;    /* steps that carry a packet */
  int64_t words;    /* the longest packet of each step, added over the steps; with synchronous steps
                     * the time is words tau + steps beta */
  int64_t hops;     /* circuits: the longest path of each step, added */
  int64_t packets;  /* transmissions: packets times links crossed */
  int64_t carried;  /* words times links crossed */
  int64_t makespan; /* the time if packets leave as soon as their words and links allow */
  int64_t own_pace; /* the time if each node starts its next step when its own packets of the last
                     * one have ended; that is how schedules run, and the simulator's time */
  struct hy_count count; /* transmissions by port, over all nodes */
};

/* OK also if a fault is found (verdict->fault); MEMORY. */
hyla_status hy_verify(const struct hy_generator *generator, const struct hy_collective *task,
                      const struct hy_paper_machine *machine, struct hy_base *base,
                      struct hy_verify_report *report);

const char *hy_fault_text(enum hy_fault fault);

#endif
