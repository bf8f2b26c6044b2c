/* Second door of the room schedule: what a collective must bring about, and the machine on paper.
 *
 * Contents are symbolic.  Every word that a node contributes has a label, a 64-bit number made from
 * source and word.  The label of a sum is the sum of the labels (modulo 2^64); 0 means that no word
 * is there.  So one number shows what a word is, or whose contributions, each once, it sums up. */
#ifndef HY_CONTRACT_H
#define HY_CONTRACT_H 1

#include "schedule/schedule.h"

/* The number of blocks in a node's buffer. */
uint32_t hy_collective_count(const struct hy_collective *c);
/* Do nodes whose numbers XOR to the tag exchange? */
bool hy_exchanges(const struct hy_collective *c, uint32_t tag);
/* Do x and y exchange, by their distance and within the band? */
bool hy_partners(const struct hy_collective *c, uint32_t x, uint32_t y);
/* Do their columns of one of several matrices exchange? */
bool hy_partners_of(const struct hy_collective *c, int matrix, uint32_t x, uint32_t y);
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
struct hy_paper_machine {
  bool one_port; /* a node sends and receives one packet a step; otherwise d */
  bool circuits; /* a packet may cross several dimensions, lowest first, and holds all
                  * links of its path; otherwise it crosses one */
  bool dry;      /* checks links and lengths only, not contents and tasks */
  int64_t tau;   /* tau and beta: for `makespan' */
  int64_t beta;
  const int64_t *weights; /* by block: one word of it stands for this number of words, which always
                           * travel together (pieces are then of one block); NULL: for one */
};

#endif
