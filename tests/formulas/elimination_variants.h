/* The library's variants that eliminate element by element: their schedules, verified. */
#ifndef ELIMINATION_VARIANTS_H
#define ELIMINATION_VARIANTS_H 1

#include <stdio.h>

/* For q 2^k equations with r 2^k right-hand sides on 2^k x 2^k nodes: the steps are those of the
 * page. */
void elimination_variants_check(int k, int q, int r);
/* Checks ragged sizes on all arrays, in both codes. */
void elimination_variants_check_arrays(void);
/* Prints their rows of the page, for the cases that were checked. */
void elimination_variants_print(FILE *page, int k_most, int q_most, int r_most);

#endif
