/* The triangular systems of Johnsson 1987, 6.4, through hyla_trsm_plan, as a program calls it: A
 * and B in the paper's layouts, the counts that the plan prints and those of the parts of a run. */
#ifndef TRIANGULAR_CALLS_H
#define TRIANGULAR_CALLS_H 1

#include "hyla_lab.h"

/* q 2^k equations with as many right-hand sides on 2^k x 2^k nodes. */
struct triangular_call {
  const char *variant;
  int k;
  int64_t q, nrhs;
  hyla_side side;
  bool transposed; /* an upper triangle is stored, and its transpose is the matrix */
};

/* Asserts that nothing is moved, that the plan prints the theorem's count and the library's own,
 * and that the part of the run that the theorem counts takes the library's own count; returns that.
 * published: set to the theorem's. */
int64_t triangular_call_check(const struct triangular_call *call, int64_t *published);

#endif
