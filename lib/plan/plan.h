/* Door of layer 1, plan: what variants cost, what a machine takes for it, and
 * the choice between variants.  No communication. */
#ifndef HY_PLAN_H
#define HY_PLAN_H 1

#include "base/base.h"

/* A machine: seconds for the start of a message, for a byte, for a
 * floating-point operation of level 3 BLAS (real double; other types scale it). */
struct hy_machine {
  char name[64];
  double alpha;
  double beta;
  double gamma;
};

/* The machine that choices are made for until one is measured. */
struct hy_machine hy_machine_default(void);

/* Seconds for a cost: steps of it in sequence, entries of `size` bytes. */
double hy_machine_seconds(const struct hy_machine *machine, const hyla_cost *cost, size_t size,
                          bool complex_type);

/* A type's operations in real double ones: a complex multiplication and addition
 * are four of each, and an operation's time is proportional to its operand's width. */
double hy_machine_operations(int64_t flops, size_t size, bool complex_type);

/* One candidate among the variants of an operation, as the chooser sees it. */
struct hy_candidate {
  const char *name;
  const char *reason; /* why it does not apply; NULL when it does */
  hyla_cost cost;
  double seconds; /* predicted */
};

/* The variant that `forced` ("gemm:cannon,solve:lu"; may be NULL) names for an
 * operation, copied to name[capacity]; "" when it names none, the last when
 * it names several. */
void hy_forced_variant(const char *forced, const char *operation, char *name, size_t capacity);

/* Picks the candidate called `wanted` or, when that is NULL or "", the fastest
 * that applies; the first among equals.  UNSUPPORTED with every reason when
 * none applies or the wanted one does not; ARGUMENT with the list of names
 * when there is no such variant. */
hyla_status hy_choose(struct hy_base *base, const char *operation,
                      const struct hy_candidate *candidates, int count, const char *wanted,
                      int *choice);

/* Adds the choice and its reasons to a text, a line a candidate. */
void hy_choice_explain(struct hy_text *text, const char *operation,
                       const struct hy_candidate *candidates, int count, int choice, bool forced);

#endif
