/* Door of the room machine: the time of a cost on a machine, and the machine's figures: presets,
 * machine files, wisdom.  No communication. */
#ifndef HY_MACHINE_H
#define HY_MACHINE_H 1

#include "base/base.h"

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

/* Traffic at random on a cube in which all links, internal ones too, are alike: how often a link
 * carries a packet on its first and on its last transmission, in a slot. */
struct hy_traffic_flow {
  double entering, arriving;
};
/* The simple scheme with k buffers beside each link, -1: any number, by the probability of access
 * (Varvarigos 1992, 5.3). */
struct hy_traffic_flow hy_traffic_simple(int dims, int buffers, double access);

#endif
