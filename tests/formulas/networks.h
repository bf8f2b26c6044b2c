/* Networks that are no plain cubes, counted. */
#ifndef NETWORKS_H
#define NETWORKS_H 1

#include <stdio.h>

/* Compares the networks of Varvarigos 1992, chapter 7, with what it says about them: ways,
 * distances, total exchanges, permutations, links; writes a row each. */
void networks_check_all(FILE *page);

#endif
