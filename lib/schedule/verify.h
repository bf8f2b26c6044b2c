/* Second door of the room schedule: the verifier, which plays the schedules of a whole
 * cube on paper.
 *
 * Contents are symbolic.  Every word that a node contributes has a label, a
 * 64-bit number drawn from source and word; a sum's label is the sum of the
 * labels (modulo 2^64), 0 is "nothing there".  So one number shows what a
 * word is, or whose contributions, each once, it is the sum of. */
#ifndef HY_VERIFY_H
#define HY_VERIFY_H 1

#include "schedule/schedule.h"

/* What a collective starts from and must lead to: the words of a node's buffer. */
/* Blocks in a node's buffer. */
uint32_t hy_collective_count(const struct hy_collective *collective);
/* Do nodes whose numbers XOR to the tag exchange? */
bool hy_exchanges(const struct hy_collective *collective, uint32_t tag);
/* Do x and y, by their distance and within the band? */
bool hy_partners(const struct hy_collective *collective, uint32_t x, uint32_t y);
/* Do their columns of one of several matrices? */
bool hy_partners_of(const struct hy_collective *collective, int matrix, uint32_t x, uint32_t y);
int64_t hy_contract_words(const struct hy_collective *task);
/* The label of a word of a node before; the one required after, 0 for any. */
uint64_t hy_contract_before(const struct hy_collective *task, uint32_t node, int64_t word);
uint64_t hy_contract_after(const struct hy_collective *task, uint32_t node, int64_t word);
/* The same with the member whose words a permutation brings to the node, -1 for none,
 * which it takes a search to find. */
int64_t hy_contract_source(const struct hy_collective *task, uint32_t node);
uint64_t hy_contract_wanted(const struct hy_collective *task, uint32_t node, int64_t source,
                            int64_t word);

/* The machine on paper.  A packet of n words takes beta + n tau over a link. */
struct hy_network {
  bool one_port; /* a node sends one packet and receives one in a step, not d */
  bool circuits; /* packets cross several dimensions, lowest first, and hold all
                    links of their path; else only one, to a neighbour */
  bool dry;      /* links and lengths only: contents are not followed, tasks not checked */
  int64_t tau;   /* for `makespan` */
  int64_t beta;
  const int64_t *weights; /* by block: one of its words counts as so many, which always travel
                             together (pieces are then of one block each); NULL: as one */
};

enum hy_fault {
  HY_SOUND,
  HY_NOT_NEIGHBOUR, /* a packet to a node at a distance, without circuits */
  HY_LINK_TAKEN,    /* two packets on one directed link in one step */
  HY_PORT_TAKEN,    /* two packets out of or into one node, with one port */
  HY_UNMATCHED,     /* sent and not received, or the other way, or of another length */
  HY_NOT_HELD,      /* a word that is sent or added to is not there */
  HY_OVERWRITTEN,   /* a word is received twice in one step */
  HY_NOT_DELIVERED, /* a word at the end is missing or wrong */
};

/* What a cube's schedule comes to. */
struct hy_verdict {
  enum hy_fault fault;
  int step;         /* of the fault */
  uint32_t node;    /* of the fault */
  int64_t planned;  /* steps of the schedule, idle ones too */
  int64_t steps;    /* that carry a packet */
  int64_t words;    /* the longest packet of each step, added over the steps; so with
                       synchronous steps the time is words tau + steps beta */
  int64_t hops;     /* circuits: the longest path of each step, added */
  int64_t packets;  /* transmissions: packets times links crossed */
  int64_t carried;  /* words times links crossed */
  int64_t makespan; /* the time when packets leave as soon as their words and their link allow */
  int64_t own_pace; /* the time when each node takes its next step once its own packets of the
                       last have ended: how schedules are run; the simulator's time */
  struct hy_count count; /* transmissions by dimension, over all nodes */
};

/* OK also when a fault is found (verdict->fault); other statuses: no memory. */
hyla_status hy_verify(const struct hy_generator *generator, const struct hy_collective *task,
                      const struct hy_network *network, struct hy_base *base,
                      struct hy_verdict *verdict);

const char *hy_fault_text(enum hy_fault fault);

#endif
