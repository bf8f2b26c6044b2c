/* Door of layer 1, plan: what variants cost, what a machine takes for it, and
 * the choice between variants.  No communication. */
#ifndef HY_PLAN_H
#define HY_PLAN_H 1

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

/* Seconds for ranks of which the busiest has `most` of each count to do, all of them `mean`
 * on the average: on shared cores the one waits while the others work. */
double hy_machine_seconds_shared(const hyla_machine *machine, const hyla_cost *most,
                                 const hyla_cost *mean, size_t size, bool complex_type);

/* A type's operations in real double ones: a complex multiplication and addition
 * are four of each, and an operation's time is proportional to its operand's width. */
double hy_machine_operations(int64_t flops, size_t size, bool complex_type);

/* One candidate among the variants of an operation, as the chooser sees it. */
struct hy_candidate {
  const char *name;
  const char *reason; /* why it does not apply; NULL when it does */
  bool unpriced;      /* another one was asked for: its cost and seconds are not known */
  hyla_cost cost;     /* of this node; then, of each count, that of the busiest one */
  hyla_cost mine;     /* of this node */
  double seconds;     /* predicted */
  int64_t limit;      /* of memory, when its cost is above it; set by hy_choose, else 0 */
  double measured;    /* seconds; 0: not measured */
};

/* Is it out of question, by its reason or its limit? */
bool hy_refused(const struct hy_candidate *candidate);

/* Why one was chosen. */
enum hy_why { HY_PREDICTED, HY_ASKED, HY_MEASURED, HY_REMEMBERED };

/* The variant that `forced` ("gemm:cannon,solve:lu"; may be NULL) names for an
 * operation, copied to name[capacity]; "" when it names none, the last when
 * it names several. */
void hy_forced_variant(const char *forced, const char *operation, char *name, size_t capacity);

/* Picks the candidate called `wanted` or, when that is NULL or "", the fastest
 * that applies and keeps to base's memory limit; the first among equals.
 * UNSUPPORTED with every reason when
 * none applies or the wanted one does not; ARGUMENT with the list of names
 * when there is no such variant. */
hyla_status hy_choose(struct hy_base *base, const char *operation, struct hy_candidate *candidates,
                      int count, const char *wanted, int *choice);

/* Adds the choice, the machine it was made for and its reasons to a text, a line a
 * candidate. */
void hy_choice_explain(struct hy_text *text, const char *operation, const hyla_machine *machine,
                       const struct hy_candidate *candidates, int count, int choice,
                       enum hy_why why);

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
