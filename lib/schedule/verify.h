/* Second door of the room schedule: the verifier, which plays the schedules of a whole cube on
 * paper.
 *
 * Contents are symbolic.  Every word that a node contributes has a label, a 64-bit number made from
 * source and word.  The label of a sum is the sum of the labels (modulo 2^64); 0 means that no word
 * is there.  So one number shows what a word is, or whose contributions, each once, it sums up. */
#ifndef HY_VERIFY_H
#define HY_VERIFY_H 1

#include "schedule/schedule.h"

/* The number of blocks in a node's buffer. */
uint32_t hy_collective_count(const struct hy_collective *collective);
/* Do nodes whose numbers XOR to the tag exchange? */
bool hy_exchanges(const struct hy_collective *collective, uint32_t tag);
/* Do x and y exchange, by their distance and within the band? */
bool hy_partners(const struct hy_collective *collective, uint32_t x, uint32_t y);
/* Do their columns of one of several matrices exchange? */
bool hy_partners_of(const struct hy_collective *collective, int matrix, uint32_t x, uint32_t y);
int64_t hy_contract_words(const struct hy_collective *task);
/* The label of a word of a node before the collective; the label required after it, 0: any. */
uint64_t hy_contract_before(const struct hy_collective *task, uint32_t node, int64_t word);
uint64_t hy_contract_after(const struct hy_collective *task, uint32_t node, int64_t word);
/* source: the member whose words a permutation brings to the node, found by a search; -1: none.
 * wanted: hy_contract_after with that member given. */
int64_t hy_contract_source(const struct hy_collective *task, uint32_t node);
uint64_t hy_contract_wanted(const struct hy_collective *task, uint32_t node, int64_t source,
                            int64_t word);

/* The machine on paper.  A packet of n words takes beta + n tau over a link. */
struct hy_network {
  bool one_port; /* a node sends and receives one packet a step; otherwise d */
  bool circuits; /* a packet may cross several dimensions, lowest first, and holds all
                  * links of its path; otherwise it crosses one */
  bool dry;      /* checks links and lengths only, not contents and tasks */
  int64_t tau;   /* tau and beta: for `makespan' */
  int64_t beta;
  const int64_t *weights; /* by block: one word of it stands for this number of words, which always
                           * travel together (pieces are then of one block); NULL: for one */
};

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
  struct hy_count count; /* transmissions by dimension, over all nodes */
};

/* OK also if a fault is found (verdict->fault); MEMORY. */
hyla_status hy_verify(const struct hy_generator *generator, const struct hy_collective *task,
                      const struct hy_network *network, struct hy_base *base,
                      struct hy_verify_report *report);

const char *hy_fault_text(enum hy_fault fault);

#endif
