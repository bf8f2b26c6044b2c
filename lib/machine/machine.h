/* Door of the room machine: what a machine takes for a cost, and what is known of it
 * beforehand: presets, machine files, wisdom.  No communication. */
#ifndef HY_MACHINE_H
#define HY_MACHINE_H 1

#include "base/base.h"

#include <stdio.h>

/* The preset of that name; NULL when there is none. */
const hyla_machine *hy_machine_find(const char *name);
/* The machine on a cube of so many dimensions, with `share` ranks on each core: delta
 * goes into alpha and, unless the machine's share is 0, times change to the new one. */
hyla_machine hy_machine_on(const hyla_machine *machine, int dims, double share);

/* Opens a regular file for reading.  NULL, or why not, in words; errno says it too. */
const char *hy_file_open(const char *path, FILE **file);

/* A machine file, read and written by one rank.  It has a "key = value" a line; see
 * hyla-machine(1).  FILE; FORMAT with file and line.  write: under a temporary name
 * that is changed when all is there; ARGUMENT for times that read would refuse. */
hyla_status hy_machine_file_read(struct hy_base *base, const char *path, hyla_machine *machine);
hyla_status hy_machine_file_write(struct hy_base *base, const char *path,
                                  const hyla_machine *machine);

/* Seconds for a cost: steps of it in sequence, entries of `size` bytes. */
double hy_machine_seconds(const hyla_machine *machine, const hyla_cost *cost, size_t size,
                          bool complex_type);

/* Seconds for ranks of which the busiest has `most` of each count and the average one
 * `mean`: on shared cores one rank waits while others work. */
double hy_machine_seconds_shared(const hyla_machine *machine, const hyla_cost *most,
                                 const hyla_cost *mean, size_t size, bool complex_type);

/* A type's operations in real double ones: a complex multiplication and addition
 * are four of each, and an operation's time is proportional to its operand's width. */
double hy_machine_operations(int64_t flops, size_t size, bool complex_type);

/* Wisdom: which variants were measured to be the fastest, in memory and, where it has a
 * path, in a file that later runs read.  One rank has it. */
struct hy_wisdom;
/* path: NULL or "": none; missing: there need not be a file yet.  FILE; FORMAT for a
 * damaged file, MEMORY.  Destroy also after a failure. */
hyla_status hy_wisdom_create(struct hy_base *base, const char *path, bool missing,
                             struct hy_wisdom **wisdom);
void hy_wisdom_destroy(struct hy_base *base, struct hy_wisdom **wisdom);
/* The variant for a key and its seconds; NULL when nothing is known. */
const char *hy_wisdom_find(const struct hy_wisdom *wisdom, const char *key, double *seconds);
/* Adds it, also to the file, which is written under a temporary name.  FILE, FORMAT, MEMORY. */
hyla_status hy_wisdom_note(struct hy_base *base, struct hy_wisdom *wisdom, const char *key,
                           const char *variant, double seconds);

#endif
