/* The eliminations element by element by hyla_factor_create and hyla_factor_compute, as a program
 * calls them: the counts that the plan prints, and those of a run. */
#ifndef ELIMINATION_CALLS_H
#define ELIMINATION_CALLS_H 1

#include <stdio.h>

/* Of q 2^k equations with r 2^k right-hand sides on 2^k x 2^k nodes: what is printed as published
 * is the paper's formula, and the elimination of a run without right-hand sides takes the steps
 * that the plan says. */
void elimination_calls_check(int k, int q, int r);
/* The row of the page for elimination that looks for pivots, which is counted here. */
void elimination_calls_print(FILE *page, int k_most);

#endif
