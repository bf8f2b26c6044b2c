/* Door of the room machine: the time of a cost on a machine, and the machine's figures: presets,
 * machine files, wisdom.  No communication. */
#ifndef HY_MACHINE_H
#define HY_MACHINE_H 1

#include "base/base.h"
#include "hyla_reservations.h"

#include <stdio.h>

/* The preset of that name; NULL if no preset has it. */
const hyla_machine *hy_machine_find(const char *name);
/* The machine as a cube of `dims' dimensions sees it, with `share' ranks on each core.  alpha takes
 * in delta; times are scaled to the new share, unless the machine's share is 0. */
hyla_machine hy_machine_on(const hyla_machine *machine, int dims, double share);
/* Adds all of a machine but its name to a fingerprint. */
uint64_t hy_machine_fingerprint(uint64_t fingerprint, const hyla_machine *machine);

/* A machine file, read and written by one rank: "key = value" lines, see hyla-machine(1).  FILE;
 * FORMAT with file and line.  write: the file gets its name when it is complete; ARGUMENT for times
 * that read would refuse. */
hyla_status hy_machine_file_read(struct hy_base *base, const char *path, hyla_machine *machine);
hyla_status hy_machine_file_write(struct hy_base *base, const char *path,
                                  const hyla_machine *machine);

/* Seconds for a cost: its steps in sequence, entries of `size' bytes. */
double hy_machine_seconds(const hyla_machine *machine, const hyla_cost *cost, size_t size,
                          bool complex_type);

/* Seconds for a group of ranks: the busiest has `most' of each count, the average one `mean'.  On
 * shared cores one rank waits while others work. */
double hy_machine_seconds_shared(const hyla_machine *machine, const hyla_cost *most,
                                 const hyla_cost *mean, size_t size, bool complex_type);

/* Operations of a type, as a number of real double ones.  A complex multiplication and addition
 * count as four real ones of each; an operation's time is proportional to the width of its
 * operand. */
double hy_machine_operations(int64_t flops, size_t size, bool complex_type);

/* Wisdom: the variants that were fastest when measured.  One rank holds it, in memory and, if it
 * has a path, in a file that later runs read. */
struct hy_wisdom;
/* path: NULL or "" for wisdom without a file.  missing: the file need not exist yet.  FILE; FORMAT
 * for a damaged file; MEMORY.  Destroy the wisdom also after a failure. */
hyla_status hy_wisdom_create(struct hy_base *base, const char *path, bool missing,
                             struct hy_wisdom **wisdom);
void hy_wisdom_destroy(struct hy_base *base, struct hy_wisdom **wisdom);
/* The variant for a key and its seconds; NULL if the wisdom has no such key. */
const char *hy_wisdom_find(const struct hy_wisdom *wisdom, const char *key, double *seconds);
/* Adds a variant and its seconds, in memory and in the file, which is replaced as a whole.  FILE,
 * FORMAT, MEMORY. */
hyla_status hy_wisdom_note(struct hy_base *base, struct hy_wisdom *wisdom, const char *key,
                           const char *variant, double seconds);

/* ------------------------------------------------------------- traffic -- */

/* Traffic at random on a cube in which all links, internal ones too, are alike (Varvarigos 1992,
 * chapters 5 and 6).  buffers: k beside each link, -1: any number.  access: the probability that a
 * new packet is there for a free link, in (0, 1].
 *   entering, arriving  how often a link carries a packet on its first and on its last transmission
 *   idle                how often it carries none
 *   share               of the packets on links, those on their i-th transmission, i = 1 .. d; all
 *                       are 0 where d is above HYLA_DIMS_MAX */
struct hy_traffic_flow {
  double entering, arriving, idle;
  double share[HYLA_DIMS_MAX + 1];
};
void hy_traffic_simple(int dims, int buffers, double access, struct hy_traffic_flow *flow);
/* As d grows, the most that arrives with k >= 0 buffers, a node, over all accesses, goes to factor
 * / d^power. */
void hy_traffic_law(int buffers, double *factor, double *power);
void hy_traffic_priority(int dims, int buffers, double access, struct hy_traffic_flow *flow);
/* How often a link carries a packet on its last transmission by conflict sense routing without
 * buffers, by the probability that a link's entry buffer attempts in a slot. */
double hy_traffic_csr(int dims, double access);
/* The same at the stable point: a new packet comes to an empty entry buffer with probability
 * `arrival', and a blocked one tries again with probability `retry' > 0.  backlogged: the part of
 * the entry buffers that hold a blocked packet. */
double hy_traffic_csr_stable(int dims, double arrival, double retry, double *backlogged);

/* Formulas of periods with reservations (hyla_reservations), in the time of the intervals.  load:
 * the packets that come to all users in a packet's time.
 *   share   a, the probability that a packet that comes while others are sent finds its user yet to
 *           send, for two moments of the number of packets in a period
 *   delay   of a packet until the end of its period, for a share; HUGE_VAL where packets wait
 *           without end */
double hy_reservation_share(const hyla_reservations *r, double mean, double mean_square);
double hy_reservation_delay(const hyla_reservations *r, double load, double share);

/* Partial broadcasts on a network of equal sides, in slots: the time of a packet over a link.
 *   axes, side  side^axes nodes; a cube has the side 2
 *   ways        of a line in which packets come to a node at the same time: 1, 2 if it is a ring
 *   whole       packets are not split
 *   prefix      slots of one hop of a prefix */
struct hy_broadcasts {
  int axes;
  int64_t side;
  int ways;
  bool whole;
  double prefix;
};
/* The paper's bound V + M X for M active nodes, as intervals. */
hyla_reservations hy_broadcasts_bound(const struct hy_broadcasts *b);
/* What the library's schedules take, exactly. */
double hy_broadcasts_length(const struct hy_broadcasts *b, int64_t active);

#endif
