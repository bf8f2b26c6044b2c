/* The eliminations element by element through hyla_factor_create and hyla_factor_compute, as a
 * program calls them: the counts that the plan prints, and those of a run. */
#ifndef ELIMINATION_CALLS_H
#define ELIMINATION_CALLS_H 1

#include <stdio.h>

/* For q 2^k equations with r 2^k right-hand sides on 2^k x 2^k nodes.  The plan must print the
 * paper's formula as published, and the elimination of a run without right-hand sides must take the
 * steps that the plan says. */
void elimination_calls_check(int k, int q, int r);
/* Prints the page's row for elimination with a search for pivots, which is counted here. */
void elimination_calls_print(FILE *page, int k_most);

#endif
